"""Who published when, as dots in rows."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

__all__ = ["timeline"]

_WIDTH: Final = 600
_MARGIN: Final = 10


def timeline(members: list[dict[str, Any]]) -> dict[str, Any] | None:
    """Where the dots of a picture are: a row for each source, in the order of their first documents.

    Args:
        members: documents in the order of publication, with ``published``, ``source``, ``status`` and ``title``.

    Returns:
        ``rows``, ``width``, ``first`` and ``last``; None if fewer than two documents have dates of their own.
    """
    dated = [(datetime.fromisoformat(one["published"]).timestamp(), one) for one in members if one["published"]]
    if len(dated) < 2:
        return None
    begin, end = dated[0][0], max(time for time, _ in dated)
    rows: dict[str, list[dict[str, Any]]] = {}
    for time, member in dated:
        share = (time - begin) / (end - begin) if end > begin else 0.0
        place = round(_MARGIN + share * (_WIDTH - 2 * _MARGIN), 1)
        dot = {"x": place, "status": member["status"], "title": member["title"]}
        rows.setdefault(member["source"] or "", []).append(dot)
    return {
        "rows": [{"source": source, "dots": dots} for source, dots in rows.items()],
        "width": _WIDTH,
        "first": dated[0][1]["published"],
        "last": max(dated, key=lambda one: one[0])[1]["published"],
    }
