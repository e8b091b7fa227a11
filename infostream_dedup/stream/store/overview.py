"""The stream at a glance; all queries read only the latest documents, whatever the size of the store."""

from __future__ import annotations

import json
import re
import sqlite3
from collections import Counter, defaultdict
from dataclasses import dataclass
from statistics import median
from typing import Any, Final

from infostream_dedup.model.stream_records import STATUSES
from infostream_dedup.stream.store.browsing import day_of, time_text
from infostream_dedup.stream.store.restoring import first_ordinal

_LATEST: Final = 20_000
_HOUR: Final = 3_600_000_000
_DAY: Final = 24 * _HOUR
_DAYS: Final = 14
_MOST_OF_DAYS: Final = 300_000
_LEAST_DOCUMENTS: Final = 5
_SILENCE: Final = 3.0  # a source is silent after this many times its longest pause so far

# SQLite counts, not Python: between two rows of an answer another thread may run, often the writer's.
_PAUSES: Final = """SELECT source, max(clock), max(clock - before) FROM (
        SELECT source, clock, lag(clock) OVER (PARTITION BY source ORDER BY ordinal) AS before
        FROM document WHERE ordinal >= ? AND clock > 0 AND source IS NOT NULL
    ) GROUP BY source HAVING count(*) >= ?"""

_REPRINTS: Final = """SELECT document.source, earlier.source, of_ordinal IS NOT NULL AS known, count(*),
        sum(document.status = 'new'), sum(document.status IN ('exact', 'duplicate')),
        json_group_array(document.published - earlier.published)
            FILTER (WHERE document.published >= earlier.published)
    FROM (SELECT ordinal, source, status, published, CASE WHEN status IN ('exact', 'duplicate') THEN
            (SELECT max(ordinal) FROM document AS named
                WHERE named.id = latest.of_id AND named.ordinal < latest.ordinal)
        END AS of_ordinal
        FROM document AS latest WHERE ordinal >= ?) AS document
    LEFT JOIN document AS earlier ON earlier.ordinal = of_ordinal
    GROUP BY document.source, earlier.source, known"""

_NAMES: Final = ("ordinal", "id", "title", "source", "language", "published", "status", "of", "group", "kind")


def latest_verdicts(connection: sqlite3.Connection, limit: int) -> list[dict[str, Any]]:
    """Return rows of the last documents, the latest first."""
    rows = connection.execute(
        "SELECT ordinal, id, title, source, language, published, status, of_id, group_id, kind FROM document"
        " WHERE forgotten = 0 AND ordinal > (SELECT max(ordinal) FROM document) - ? ORDER BY ordinal DESC LIMIT ?",
        (_LATEST, limit),
    )
    return [dict(zip(_NAMES, row, strict=True)) | {"published": time_text(row[5])} for row in rows]


def activity(connection: sqlite3.Connection) -> dict[str, Any]:
    """Compare the last hour of the stream's clock with the hours before, over the latest documents."""
    # Returns (mean number per hour; None if less than an hour preceded); ``days``: rows ``day, documents, repeats`` of
    # the last 14; ``silent``: rows ``source, last, pause_hours,.
    (end,) = connection.execute("SELECT coalesce(max(ordinal) + 1, 0) FROM document").fetchone()
    (batches,) = connection.execute("SELECT coalesce(max(sequence) + 1, 0) FROM batch").fetchone()
    clock, begin = connection.execute(
        "SELECT max(clock), min(clock) FROM document WHERE ordinal >= ? AND clock > 0", (end - _LATEST,)
    ).fetchone()
    found = {"clock": time_text(clock), "documents": end, "batches": batches, "groups": 0}
    if clock is None:
        return found | {"days": [], "statuses": [], "silent": []}
    found["groups"] = connection.execute("SELECT count(*) FROM grouping").fetchone()[0]
    border = clock - _HOUR
    counts = {
        status: (now, before)
        for status, now, before in connection.execute(
            "SELECT status, sum(clock > :border), sum(clock <= :border) FROM document"
            " WHERE ordinal >= :first AND clock > 0 GROUP BY status",
            {"border": border, "first": end - _LATEST},
        )
    }
    hours = (border - begin) / _HOUR
    statuses = [
        {"status": status, "last_hour": now, "usual": round(before / hours, 1) if hours >= 1 else None}
        for status in STATUSES
        for now, before in (counts.get(status, (0, 0)),)
    ]
    days, silent = _days(connection, end, clock), _silent(connection, end - _LATEST, clock)
    return found | {"days": days, "statuses": statuses, "silent": silent}


def _days(connection: sqlite3.Connection, end: int, clock: int) -> list[dict[str, Any]]:
    last = clock // _DAY
    first = max(first_ordinal(connection, "clock", (last - _DAYS + 1) * _DAY), end - _MOST_OF_DAYS)
    counts = {
        day: (documents, repeats)
        for day, documents, repeats in connection.execute(
            f"SELECT clock / {_DAY}, count(*), sum(status IN ('exact', 'duplicate')) FROM document"  # noqa: S608
            " WHERE ordinal >= ? AND clock > 0 GROUP BY 1",
            (first,),
        )
    }
    return [
        {"day": day_of(day * _DAY), "documents": documents, "repeats": repeats}
        for day in range(last - _DAYS + 1, last + 1)
        for documents, repeats in (counts.get(day, (0, 0)),)
    ]


def alarm_rows(connection: sqlite3.Connection, limit: int) -> list[dict[str, Any]]:
    """Return rows ``number, group, at, value, title, documents`` of alarms, the latest first."""
    # An alarm says that a group stopped growing because it is a chain: ``value`` is the share of its pairs that are
    # linked. ``documents`` is its present size.
    rows = connection.execute(
        "SELECT event.number, event.group_id, document.clock, event.value, first.title, grouping.documents FROM event"
        " JOIN document ON document.ordinal = event.ordinal"
        " LEFT JOIN grouping ON grouping.group_id = event.group_id"
        " LEFT JOIN document AS first ON first.ordinal = grouping.earliest"
        " WHERE event.kind = 'alarm' ORDER BY event.number DESC LIMIT ?",
        (limit,),
    )
    names = ("number", "group", "at", "value", "title", "documents")
    found = [dict(zip(names, row, strict=True)) for row in rows]
    return [one | {"at": time_text(one["at"] or None), "documents": one["documents"] or 1} for one in found]


def reprint_counts(connection: sqlite3.Connection) -> list[dict[str, Any]]:
    """Count what sources publish first and what they repeat, over the latest documents."""
    (end,) = connection.execute("SELECT coalesce(max(ordinal) + 1, 0) FROM document").fetchone()
    rows = connection.execute(_REPRINTS, (end - _LATEST,))
    counts: dict[str | None, Counter[str]] = defaultdict(Counter)
    origins: dict[str | None, Counter[str | None]] = defaultdict(Counter)
    delays: dict[str | None, list[float]] = defaultdict(list)
    for source, other, known, documents, originals, repeats, waits in rows:
        counts[source] += Counter(documents=documents, originals=originals, repeats=repeats)
        if known and other == source:
            counts[source]["own"] += documents
        elif known:
            origins[source][other] += documents
            delays[source] += [wait / _HOUR for wait in json.loads(waits)]
    return [
        {
            "source": source,
            **{name: count[name] for name in ("documents", "originals", "repeats", "own")},
            "delay_hours": round(median(delays[source]), 1) if delays[source] else None,
            "taken_from": [
                {"source": other, "documents": number}
                for other, number in sorted(origins[source].items(), key=lambda item: (-item[1], item[0] or ""))[:3]
            ],
        }
        for source, count in sorted(counts.items(), key=lambda item: (-item[1]["documents"], item[0] or ""))
    ]


def _silent(connection: sqlite3.Connection, first: int, clock: int) -> list[dict[str, Any]]:
    rows = connection.execute(_PAUSES, (first, _LEAST_DOCUMENTS))
    found = [
        ((clock - last) / longest, source, last, clock - last, longest)
        for source, last, longest in rows
        if longest and clock - last > _SILENCE * longest
    ]
    return [
        {
            "source": source,
            "last": time_text(last),
            "pause_hours": round(pause / _HOUR, 1),
            "usual_hours": round(longest / _HOUR, 1),
        }
        for _, source, last, pause, longest in sorted(found, key=lambda one: (-one[0], one[1]))
    ]


# What recurs: who repeated a message and when, and the templates of sources (daily rates, the weather)

_MEMBERS: Final = """SELECT v_members.group_id, document.source, coalesce(document.published, nullif(document.clock, 0))
    FROM v_members JOIN document ON document.ordinal = v_members.ordinal
    WHERE v_members.group_id IN (SELECT group_id FROM v_groups)"""


def republications(connection: sqlite3.Connection, *, top: int) -> list[dict[str, Any]]:
    """Return rows ``group, title, total, source, day, documents`` of the groups with the most documents.

    ``total`` counts the group's documents, ``documents`` those of one source on one day. The day is that of publication
    in UTC, or that of the stream's clock if the date is missing; ``None`` if no document had a date yet. Groups are
    ordered by size, then by their earliest document; sources and days ascend.
    """
    groups = connection.execute(
        "SELECT group_id, title, documents FROM v_groups ORDER BY documents DESC, ordinal LIMIT ?", (top or -1,)
    ).fetchall()
    counts: dict[str, Counter[tuple[str | None, str | None]]] = {group: Counter() for group, _, _ in groups}
    for group, source, time in connection.execute(_MEMBERS):
        if group in counts:
            counts[group][source, None if time is None else day_of(time)] += 1
    return [
        {"group": group, "title": title, "total": total, "source": source, "day": day, "documents": documents}
        for group, title, total in groups
        for (source, day), documents in sorted(counts[group].items(), key=_source_and_day)
    ]


def _source_and_day(counted: tuple[tuple[str | None, str | None], int]) -> tuple[str, str]:
    source, day = counted[0]
    return source or "", day or ""


_LINKS: Final = """SELECT document.id, document.of_id, document.source, coalesce(document.published, document.clock),
        document.title
    FROM document WHERE ordinal >= ? AND (relation = 'template' OR kind = 'template') AND EXISTS (
        SELECT 1 FROM document AS earlier WHERE earlier.id = document.of_id AND earlier.source IS document.source
    ) ORDER BY document.ordinal"""


_LETTERS: Final = re.compile(r"[^\W\d_]+")
_LEAST_WORDS: Final = 3  # words that two forms of a source share if they are one


def words_of_title(title: str | None) -> set[str]:
    """Words of letters; the numbers of a form are filled in anew."""
    return set(_LETTERS.findall((title or "").casefold()))


@dataclass(slots=True)
class _Recurrence:
    source: str | None
    last: int
    filling: str
    title: str
    times: int = 0


def templates(connection: sqlite3.Connection, *, least: int, first: int = 0) -> list[dict[str, Any]]:
    """Return rows ``source, template, title, times, first, last, filling, filling_title, words``, most frequent first.

    ``template`` is the earliest document of a template; ``times`` counts later documents of the same source whose
    relation or kind is ``template`` to it, directly or through others; ``filling`` is the latest of them. ``words`` are
    those that the titles of both have; forms of a source are one if the words of one are among those of the other.
    """
    earliest: dict[str, str] = {}
    found: dict[str, _Recurrence] = {}
    for id_, of, source, time, title in connection.execute(_LINKS, (first,)):
        root = earliest.get(of, of)
        earliest[id_] = root
        recurrence = found.setdefault(root, _Recurrence(source, time, id_, title))
        recurrence.times += 1
        if time >= recurrence.last:
            recurrence.last, recurrence.filling, recurrence.title = time, id_, title
    rows = []
    for root, recurrence in found.items():
        if recurrence.times >= least:
            ordinal, title, first = connection.execute(
                "SELECT ordinal, title, coalesce(published, clock) FROM document WHERE id = ? ORDER BY version", (root,)
            ).fetchone()
            rows.append((-recurrence.times, ordinal, root, title, first, recurrence))
    forms: list[dict[str, Any]] = []
    for _, _, root, title, first, recurrence in sorted(rows, key=lambda row: row[:2]):
        words = words_of_title(title) & words_of_title(recurrence.title)
        form = next((one for one in forms if _are_one(one, recurrence.source, words)), None)
        if form is None:
            forms.append({"source": recurrence.source, "times": -1, "first": first, "last": -1, "words": words})
            form = forms[-1]
        form["times"] += recurrence.times + 1
        form["words"] &= words
        if first <= form["first"]:
            form |= {"first": first, "template": root, "title": title}
        if recurrence.last > form["last"]:
            form |= {"last": recurrence.last, "filling": recurrence.filling, "filling_title": recurrence.title}
    # A stream's clock is 0 until the first document with a date.
    return [
        {name: form[name] for name in ("source", "template", "title", "times")}
        | {name: time_text(form[name] or None) for name in ("first", "last")}
        | {name: form[name] for name in ("filling", "filling_title")}
        | {"words": sorted(form["words"])}
        for form in sorted(forms, key=lambda one: -one["times"])
    ]


def _are_one(form: dict[str, Any], source: str | None, words: set[str]) -> bool:
    shared = form["words"] & words
    return form["source"] == source and len(shared) >= max(_LEAST_WORDS, min(len(words), len(form["words"])))
