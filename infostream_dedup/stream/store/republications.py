"""Who repeated a message, and when: shows how important a story was, and how far a press release spread."""

from __future__ import annotations

import sqlite3
from collections import Counter
from typing import Any, Final

from infostream_dedup.stream.store.summary import day_of

__all__ = ["republications"]

_MEMBERS: Final = """SELECT v_members.group_id, document.source, coalesce(document.published, nullif(document.clock, 0))
    FROM v_members JOIN document ON document.ordinal = v_members.ordinal
    WHERE v_members.group_id IN (SELECT group_id FROM v_groups)"""


def republications(connection: sqlite3.Connection, *, top: int) -> list[dict[str, Any]]:
    """Return rows ``group, title, total, source, day, documents`` of the groups with the most documents.

    ``total`` counts the group's documents, ``documents`` those of one source on one day. The day is that of publication
    in UTC, or that of the stream's clock if the date is missing; ``None`` if no document had a date yet. Groups are
    ordered by size, then by their earliest document; sources and days ascend.

    Args:
        connection: open connection to the store.
        top: maximum number of groups; 0 for all groups of two documents or more.
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
