"""Who published when, as dots in rows."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from infostream_dedup.service.first_published import certain_first, date_given

__all__ = ["timeline"]

_WIDTH: Final = 600
_MARGIN: Final = 10
_A_DAY: Final = "2026-01-31"
"""A month or a year, which is shorter, cannot be placed on a timeline of days."""


def timeline(members: list[dict[str, Any]]) -> dict[str, Any] | None:
    """Compute the positions of the dots: a row for each source, in the order of their first documents.

    The first document's dot is marked if that document is known to be the first.

    Args:
        members: documents as ``in_order`` gives them, with ``published``, ``source``, ``status`` and ``title``.

    Returns:
        ``rows`` (positions of dots in percent), ``first`` and ``last``; None if fewer than two documents have a known
        day.
    """
    placed = [one for one in members if one["published"] and len(date_given(one["published"]) or _A_DAY) >= len(_A_DAY)]
    dated = [(datetime.fromisoformat(one["published"]).timestamp(), one) for one in placed]
    if len(dated) < 2:
        return None
    begin, end = min(time for time, _ in dated), max(time for time, _ in dated)
    first, known = members[0], certain_first(members)
    rows: dict[str, list[dict[str, Any]]] = {}
    for time, member in dated:
        share = (time - begin) / (end - begin) if end > begin else 0.0
        place = round(100 * (_MARGIN + share * (_WIDTH - 2 * _MARGIN)) / _WIDTH, 1)
        dot = {"x": place, "status": member["status"], "title": member["title"], "first": known and member is first}
        rows.setdefault(member["source"] or "", []).append(dot)
    return {
        "rows": [{"source": source, "dots": dots} for source, dots in rows.items()],
        "first": min(dated, key=lambda one: one[0])[1]["published"],
        "last": max(dated, key=lambda one: one[0])[1]["published"],
    }
