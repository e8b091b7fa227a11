"""The chart of a sweep: S and T by k as lines with markers, links by k as bars on a logarithmic scale."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

__all__ = ["chart_of"]

_WIDTH: Final = 640
_HEIGHT: Final = 240
_LEFT: Final = 40
_BOTTOM: Final = 28
_TOP: Final = 12


def chart_of(rows: Sequence[dict[str, Any]], chosen: int | None) -> dict[str, Any]:
    """Compute the position of everything in the chart.

    Args:
        rows: rows of a sweep, k ascending: ``k``, ``symmetry``, ``transitivity``, ``links`` and, where estimated,
            ``precision``.
        chosen: the selected k.

    Returns:
        Sizes, ``bars``, ``grid``, ``lines`` (by name: ``points`` for a polyline and ``marks``), ``chosen`` (x; None
        without one).
    """
    plot, height = _WIDTH - _LEFT - 8, _HEIGHT - _TOP - _BOTTOM
    step = plot / max(len(rows), 1)
    place = {row["k"]: round(_LEFT + (number + 0.5) * step, 1) for number, row in enumerate(rows)}
    most = max((math.log10(row["links"] + 1) for row in rows), default=0.0) or 1.0
    bars = []
    for row in rows:
        tall = round(math.log10(row["links"] + 1) / most * height, 1)
        bars.append(
            {
                "k": row["k"],
                "links": row["links"],
                "x": round(place[row["k"]] - step * 0.3, 1),
                "y": round(_TOP + height - tall, 1),
                "width": round(step * 0.6, 1),
                "height": tall,
                "middle": place[row["k"]],
            }
        )
    lines = {}
    for name in ("symmetry", "transitivity", "precision"):
        marks = [
            {"x": place[row["k"]], "y": round(_TOP + (1 - row[name]) * height, 1), "k": row["k"], "value": row[name]}
            for row in rows
            if row.get(name) is not None
        ]
        if marks:
            lines[name] = {"points": " ".join(f"{mark['x']},{mark['y']}" for mark in marks), "marks": marks}
    grid = [{"y": round(_TOP + (1 - share) * height, 1), "share": share} for share in (0, 0.25, 0.5, 0.75, 1)]
    return {
        "width": _WIDTH,
        "height": _HEIGHT,
        "left": _LEFT,
        "bottom": _TOP + height,
        "bars": bars,
        "grid": grid,
        "lines": lines,
        "chosen": place.get(chosen) if chosen is not None else None,
        "top": _TOP,
    }
