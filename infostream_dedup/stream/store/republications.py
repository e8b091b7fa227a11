"""What recurs: who repeated a message and when, and the templates of sources (daily rates, the weather)."""

from __future__ import annotations

import sqlite3
from collections import Counter
from dataclasses import dataclass
from typing import Any, Final

from infostream_dedup.stream.store.summary import day_of, time_text

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
        "SELECT group_id, title, documents FROM v_groups ORDER BY documents DESC, ordinal LIMIT ?",
        (top or -1,),
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


@dataclass(slots=True)
class _Recurrence:
    source: str | None
    last: int
    filling: str
    title: str
    times: int = 0


def templates(connection: sqlite3.Connection, *, least: int, first: int = 0) -> list[dict[str, Any]]:
    """Return rows ``source, template, title, times, first, last, filling, filling_title``, most frequent first.

    ``template`` is the earliest document of a template; ``times`` counts later documents of the same source whose
    relation or kind is ``template`` to it, directly or through others; ``filling`` is the latest of them.
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
    # A stream's clock is 0 until the first document with a date.
    return [
        {
            "source": recurrence.source,
            "template": root,
            "title": title,
            "times": recurrence.times,
            "first": time_text(first or None),
            "last": time_text(recurrence.last or None),
            "filling": recurrence.filling,
            "filling_title": recurrence.title,
        }
        for _, _, root, title, first, recurrence in sorted(rows, key=lambda row: row[:2])
    ]
