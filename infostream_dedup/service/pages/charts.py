"""Drawings: the chart of a sweep, and who published when."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from infostream_dedup.service.figures import certain_first, date_given
from infostream_dedup.stream.store.browsing import SLOTS

_WIDTH: Final = 640
_HEIGHT: Final = 240
_LEFT: Final = 40
_BOTTOM: Final = 28
_TOP: Final = 12


def chart_of(rows: Sequence[dict[str, Any]], chosen: int | None) -> dict[str, Any]:
    """Compute the position of everything in the chart."""
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


_ROW_WIDTH: Final = 600
_MARGIN: Final = 10
_A_DAY: Final = "2026-01-31"
"""A month or a year, which is shorter, cannot be placed on a timeline of days."""


def timeline(members: list[dict[str, Any]]) -> dict[str, Any] | None:
    """Compute the positions of the dots: a row for each source, in the order of their first documents."""
    placed = [one for one in members if one["published"] and len(date_given(one["published"]) or _A_DAY) >= len(_A_DAY)]
    dated = [(datetime.fromisoformat(one["published"]).timestamp(), one) for one in placed]
    if len(dated) < 2:
        return None
    begin, end = min(time for time, _ in dated), max(time for time, _ in dated)
    first, known = members[0], certain_first(members)
    rows: dict[str, list[dict[str, Any]]] = {}
    for time, member in dated:
        share = (time - begin) / (end - begin) if end > begin else 0.0
        place = round(100 * (_MARGIN + share * (_ROW_WIDTH - 2 * _MARGIN)) / _ROW_WIDTH, 1)
        dot = {"x": place, "status": member["status"], "title": member["title"], "first": known and member is first}
        rows.setdefault(member["source"] or "", []).append(dot)
    return {
        "rows": [{"source": source, "dots": dots} for source, dots in rows.items()],
        "first": min(dated, key=lambda one: one[0])[1]["published"],
        "last": max(dated, key=lambda one: one[0])[1]["published"],
    }


def bars(counts: Sequence[float], height: float) -> list[dict[str, float]]:
    """Place bars of width 2, 3 apart, the highest as high as the drawing."""
    most = max(counts, default=0) or 1
    tall = [round(height * count / most, 1) for count in counts]
    return [{"x": 3 * number, "y": height - one, "height": one} for number, one in enumerate(tall) if one]


def story_bars(documents: Sequence[dict[str, Any]], height: float) -> list[dict[str, float]]:
    """The bars of a story: how many documents in each part of its time."""
    times = [one["time"] for one in documents if one["time"] is not None]
    counts = [0] * SLOTS
    for one in times:
        counts[(one - min(times)) * (SLOTS - 1) // max(max(times) - min(times), 1)] += 1
    return bars(counts, height)
