"""The stream at a glance: the latest verdicts, the last hour against the usual, silent sources, alarms, reprints.

Nothing here reads more than the latest documents, so that a page takes as long in a large store as in a small one.
"""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from itertools import pairwise
from typing import Any, Final

from infostream_dedup.model.stream_records import STATUSES
from infostream_dedup.store.summary import time_text

__all__ = ["activity", "alarm_rows", "latest_verdicts", "reprint_counts"]

_LATEST: Final = 20_000
_HOUR: Final = 3_600_000_000
_LEAST_DOCUMENTS: Final = 5
_SILENCE: Final = 3.0
"""A source is silent after so many times its longest pause so far."""

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
    """Compare the last hour of the stream's clock with the hours before, over the latest documents.

    Returns:
        ``clock``, ``documents`` (of the whole stream), ``batches``; ``statuses``: rows ``status, last_hour, usual``
        (mean number an hour; None where less than an hour went before); ``silent``: rows ``source, last, pause_hours,
        usual_hours`` of sources of five documents and more that have been quiet for three times their longest pause.
    """
    (end,) = connection.execute("SELECT coalesce(max(ordinal) + 1, 0) FROM document").fetchone()
    (batches,) = connection.execute("SELECT coalesce(max(sequence) + 1, 0) FROM batch").fetchone()
    rows = connection.execute(
        "SELECT clock, status, source FROM document WHERE ordinal >= ? AND clock > 0 ORDER BY ordinal", (end - _LATEST,)
    ).fetchall()
    if not rows:
        return {"clock": None, "documents": end, "batches": batches, "statuses": [], "silent": []}
    clock, begin = rows[-1][0], rows[0][0]
    border = clock - _HOUR
    now = Counter(status for time, status, _ in rows if time > border)
    before = Counter(status for time, status, _ in rows if time <= border)
    hours = (border - begin) / _HOUR
    statuses = [
        {
            "status": status,
            "last_hour": now[status],
            "usual": round(before[status] / hours, 1) if hours >= 1 else None,
        }
        for status in STATUSES
    ]
    return {
        "clock": time_text(clock),
        "documents": end,
        "batches": batches,
        "statuses": statuses,
        "silent": _silent(rows, clock),
    }


def alarm_rows(connection: sqlite3.Connection, limit: int) -> list[dict[str, Any]]:
    """Return rows ``number, group, at, value, title, documents`` of alarms, the latest first.

    An alarm says that a group stopped growing because it is a chain: ``value`` is the share of its pairs that are
    linked. ``documents`` is its present size.
    """
    rows = connection.execute(
        "SELECT event.number, event.group_id, document.clock, event.value, first.title, grouping.documents FROM event"
        " JOIN document ON document.ordinal = event.ordinal"
        " LEFT JOIN grouping ON grouping.group_id = event.group_id"
        " LEFT JOIN document AS first ON first.ordinal = grouping.earliest"
        " WHERE event.kind = 'alarm' ORDER BY event.number DESC LIMIT ?",
        (limit,),
    )
    return [
        {
            "number": number,
            "group": group,
            "at": time_text(clock or None),
            "value": value,
            "title": title,
            "documents": documents or 1,
        }
        for number, group, clock, value, title, documents in rows
    ]


def reprint_counts(connection: sqlite3.Connection) -> list[dict[str, Any]]:
    """Count what sources publish first and what they repeat, over the latest documents.

    Returns:
        Rows ``source, documents, originals, repeats, own, delay_hours, taken_from``, the sources with most documents
        first. ``repeats`` are exact and duplicate documents, ``own`` those of them that repeat the same source;
        ``delay_hours`` is the median time to the document that was repeated, None without dates; ``taken_from`` are
        the three sources whose documents it repeats most, with their numbers.
    """
    (end,) = connection.execute("SELECT coalesce(max(ordinal) + 1, 0) FROM document").fetchone()
    rows = connection.execute(
        "SELECT document.source, document.status, document.published, earlier.source, earlier.published, of_ordinal"
        " FROM (SELECT ordinal, source, status, published, CASE WHEN status IN ('exact', 'duplicate') THEN"
        " (SELECT max(ordinal) FROM document AS named WHERE named.id = latest.of_id AND named.ordinal < latest.ordinal)"
        " END AS of_ordinal"
        " FROM document AS latest WHERE ordinal >= ?) AS document"
        " LEFT JOIN document AS earlier ON earlier.ordinal = of_ordinal",
        (end - _LATEST,),
    )
    counts: dict[str | None, Counter[str]] = defaultdict(Counter)
    origins: dict[str | None, Counter[str | None]] = defaultdict(Counter)
    delays: dict[str | None, list[float]] = defaultdict(list)
    for source, status, published, other, earlier, found in rows:
        count = counts[source]
        count["documents"] += 1
        count["originals"] += status == "new"
        if status not in ("exact", "duplicate"):
            continue
        count["repeats"] += 1
        if found is None:
            continue
        if other == source:
            count["own"] += 1
            continue
        origins[source][other] += 1
        if published is not None and earlier is not None and published >= earlier:
            delays[source].append((published - earlier) / _HOUR)
    return [
        {
            "source": source,
            **{name: count[name] for name in ("documents", "originals", "repeats", "own")},
            "delay_hours": _median(delays[source]),
            "taken_from": [{"source": other, "documents": number} for other, number in _top(origins[source])],
        }
        for source, count in sorted(counts.items(), key=lambda item: (-item[1]["documents"], item[0] or ""))
    ]


def _silent(rows: list[tuple[int, str, str | None]], clock: int) -> list[dict[str, Any]]:
    times: dict[str, list[int]] = defaultdict(list)
    for time, _, source in rows:
        if source is not None:
            times[source].append(time)
    found = []
    for source, moments in times.items():
        if len(moments) < _LEAST_DOCUMENTS:
            continue
        longest = max(later - earlier for earlier, later in pairwise(moments))
        pause = clock - moments[-1]
        if longest and pause > _SILENCE * longest:
            found.append((pause / longest, source, moments[-1], pause, longest))
    return [
        {
            "source": source,
            "last": time_text(last),
            "pause_hours": round(pause / _HOUR, 1),
            "usual_hours": round(longest / _HOUR, 1),
        }
        for _, source, last, pause, longest in sorted(found, key=lambda one: (-one[0], one[1]))
    ]


def _median(values: list[float]) -> float | None:
    if not values:
        return None
    ordered = sorted(values)
    middle = len(ordered) // 2
    return round(ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2, 1)


def _top(counter: Counter[str | None]) -> list[tuple[str | None, int]]:
    return sorted(counter.items(), key=lambda item: (-item[1], item[0] or ""))[:3]
