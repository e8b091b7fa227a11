"""A learning curve as a table and a plot like figure 3 of Andreev et al.: quality by number of judged pairs."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Final

from infostream_dedup.documents import write_rows
from infostream_dedup.judging.criteria.training import CurvePoint
from infostream_dedup.report.files import write_files
from infostream_dedup.report.plots import as_png, as_svg, plain_axes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from matplotlib.figure import Figure

    from infostream_dedup.judging.criteria.training import CurvePoint


PUBLISHED_F: Final[Mapping[str, float]] = {"words": 0.67, "paragraphs": 0.64, "all": 0.82}
"""F of the paper where its curves are flat (section 7); the curves themselves are lost."""

_COLOURS: Final = {"words": "#1f6fb4", "paragraphs": "#2e8b57", "all": "#d2691e"}
_SATURATION: Final = 400


def learning_figure(points: Sequence[CurvePoint], *, published: bool = False) -> Figure:
    """Plot F1 (with the range of 95 % of the draws), precision and recall of each set of criteria."""
    figure, axes = plain_axes(width=7.2, height=4.2)
    for name in dict.fromkeys(point.criteria for point in points):
        own = [point for point in points if point.criteria == name]
        colour = _COLOURS.get(name, "#555555")
        sizes = [point.size for point in own]
        axes.plot(sizes, [point.f1[0] for point in own], color=colour, linewidth=2.2, marker="o", label=f"{name}: F1")
        axes.fill_between(
            sizes, [point.f1[1] for point in own], [point.f1[2] for point in own], color=colour, alpha=0.12, linewidth=0
        )
        axes.plot(sizes, [point.precision[0] for point in own], color=colour, linewidth=0.9, label=f"{name}: precision")
        axes.plot(
            sizes,
            [point.recall[0] for point in own],
            color=colour,
            linewidth=0.9,
            linestyle="--",
            label=f"{name}: recall",
        )
        if published and name in PUBLISHED_F:
            axes.axhline(PUBLISHED_F[name], color=colour, linewidth=0.9, linestyle=":", label=f"{name}: F of the paper")
    if published:
        axes.axvline(_SATURATION, color="#999999", linewidth=0.8, linestyle=":")
    axes.set_xscale("symlog", linthresh=min((point.size for point in points if point.size), default=1))
    sizes = sorted({point.size for point in points})
    axes.set_xticks(sizes, [str(size) for size in sizes])
    axes.set_xlim(left=0)
    axes.minorticks_off()
    axes.set_xlabel("judged pairs to learn from")
    axes.set_ylabel("precision, recall, F1")
    axes.set_ylim(-0.02, 1.04)
    axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), frameon=False, fontsize=9)
    return figure


def write_learning_curve(points: Sequence[CurvePoint], folder: str | Path) -> list[Path]:
    """Write ``curve.csv``, ``curve.svg`` and ``curve.png``."""
    table = io.BytesIO()
    write_rows((point.as_dict() for point in points), table, "csv")
    figure = learning_figure(points)
    drawn = f'<?xml version="1.0" encoding="utf-8"?>\n{as_svg(figure)}'.encode()
    files = {"curve.csv": table.getvalue(), "curve.svg": drawn, "curve.png": as_png(figure)}
    return write_files(files, folder)
