"""A learning curve as a table and a plot like figure 3 of Andreev et al.: quality by number of judged pairs."""

from __future__ import annotations

import io
import math
from typing import TYPE_CHECKING, Final

from infostream_dedup.documents import write_rows
from infostream_dedup.report.drawing import Axis, Panel, Picture, Stroke, as_png, as_svg
from infostream_dedup.report.files import write_files
from infostream_dedup.report.needed import has_plots

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from infostream_dedup.judging.criteria.training import CurvePoint

PUBLISHED_F: Final[Mapping[str, float]] = {"words": 0.67, "paragraphs": 0.64, "all": 0.82}
"""F of the paper where its curves are flat (section 7); the curves themselves are lost."""

_COLOURS: Final = {"words": "#1f6fb4", "paragraphs": "#2e8b57", "all": "#d2691e"}
_SATURATION: Final = 400


def learning_figure(points: Sequence[CurvePoint], *, published: bool = False) -> Picture:
    """Plot F1 (with the range of 95 % of the draws), precision and recall of each set of criteria."""
    linear = min((point.size for point in points if point.size), default=1)

    def across(size: float) -> float:
        """Linear up to the smallest size, logarithmic beyond it."""
        return size / linear if size <= linear else 1 + math.log10(size / linear)

    lines: list[Stroke] = []
    areas = []
    sizes = sorted({point.size for point in points})
    low, high = 0.0, max(map(across, sizes), default=1.0) + 0.05
    for name in dict.fromkeys(point.criteria for point in points):
        own = [point for point in points if point.criteria == name]
        colour = _COLOURS.get(name, "#555555")
        places = [across(point.size) for point in own]
        for what, dash in (("F1", "-"), ("precision", "-"), ("recall", "--")):
            values = [getattr(point, what.lower())[0] for point in own]
            main = what == "F1"
            lines.append(
                Stroke(
                    points=list(zip(places, values, strict=True)),
                    colour=colour,
                    dash=dash,
                    width=2.2 if main else 0.9,
                    marker="o" if main else "",
                    label=f"{name}: {what}",
                )
            )
        least, most = ([(at, one.f1[side]) for at, one in zip(places, own, strict=True)] for side in (1, 2))
        areas.append(([*least, *reversed(most)], colour))
        if published and name in PUBLISHED_F:
            flat, label = PUBLISHED_F[name], f"{name}: F of the paper"
            lines.append(Stroke(points=[(low, flat), (high, flat)], colour=colour, dash=":", width=0.9, label=label))
    if published:
        at = across(_SATURATION)
        lines.append(Stroke(points=[(at, 0.0), (at, 1.04)], colour="#999999", dash=":", width=0.8))
    ticks = [(across(size), str(size)) for size in sizes]
    panel = Panel(
        x=Axis(low=low, high=high, ticks=ticks, label="judged pairs to learn from"),
        y=Axis(
            low=-0.02, high=1.04, ticks=[(tenth / 5, f"{tenth / 5:.1f}") for tenth in range(6)],
            label="precision, recall, F1",
        ),
        height=320,
        lines=lines,
        areas=areas,
    )  # fmt: skip
    return Picture(panels=[panel], width=760, beside=True)


def write_learning_curve(points: Sequence[CurvePoint], folder: str | Path) -> list[Path]:
    """Write ``curve.csv`` and ``curve.svg``; also ``curve.png`` where matplotlib (the extra ``plots``) is installed."""
    table = io.BytesIO()
    write_rows((point.as_dict() for point in points), table, "csv")
    figure = learning_figure(points)
    drawn = f'<?xml version="1.0" encoding="utf-8"?>\n{as_svg(figure)}'.encode()
    files = {"curve.csv": table.getvalue(), "curve.svg": drawn}
    if has_plots():
        files["curve.png"] = as_png(figure)
    return write_files(files, folder)
