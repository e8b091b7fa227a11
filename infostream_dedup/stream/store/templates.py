"""Recurring templates of sources: the same words with different numbers, such as daily rates or the weather."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import Any, Final

from infostream_dedup.stream.store.summary import time_text

__all__ = ["templates"]

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

    Args:
        connection: open connection to the store.
        least: minimum number of recurrences.
        first: leave out documents before this ordinal.
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
