"""A comparison of methods as a folder of self-contained files: page, plots, tables."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from infostream_dedup.documents import write_rows
from infostream_dedup.report.files import write_files
from infostream_dedup.report.html import environment
from infostream_dedup.report.plots import as_png, as_svg, plain_axes
from infostream_dedup.report.tables import PUBLISHED_DICE, PUBLISHED_METHODS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from infostream_dedup.lab.evaluation.comparison import ComparedMethod, Comparison


KINDS: Final = {
    "fingerprint of a document": "#7a7a7a",
    "frequent or rare words": "#1f6fb4",
    "sentences": "#8e44ad",
    "shingles and spots": "#2e8b57",
    "vectors": "#b8860b",
    "key terms": "#d2691e",
}
"""Colour of each kind of method."""

_KIND_OF: Final = {
    "md5": 0,
    "checksum": 0,
    "first-paragraph": 2,
    "tf": 1,
    "tf-idf": 1,
    "tf-ridf": 1,
    "lex-rand": 1,
    "i-match": 1,
    "descr-words": 1,
    "opt-freq": 1,
    "long-sent": 2,
    "heavy-sent": 2,
    "three-plus-five": 2,
    "three-plus-two": 2,
    "megashingles": 3,
    "log-shingles": 3,
    "decomposition": 3,
    "spotsigs": 3,
    "low-idf-sig": 3,
    "shingles": 3,
    "dsc": 3,
    "dsc-ss": 3,
    "minhash": 3,
    "simhash": 4,
    "tf-idf-cosine": 4,
}
_Point = tuple[float, float]
_LABEL_WIDTH: Final = 0.013
_LABEL_HEIGHT: Final = 0.03


def kind_of(name: str) -> str:
    """Return a method's kind, a key of ``KINDS``, by its name in a comparison."""
    return list(KINDS)[_KIND_OF.get(name.partition(":")[0], len(KINDS) - 1)]


def plane_figure(comparison: Comparison) -> Figure:
    """Plot precision against recall with numbered methods and curves of equal F1; undefined rows are omitted."""
    figure, axes = plain_axes(width=8.6, height=max(5.2, 0.5 + 0.16 * len(comparison.rows)))
    _draw_curves(axes)
    points = _group_by_point(comparison.rows)
    for (recall, precision), numbers in points.items():
        colour = KINDS[kind_of(comparison.rows[numbers[0] - 1].run.name)]
        axes.plot([recall], [precision], marker="o", markersize=6, color=colour, linestyle="none")
    for point, place, text in _place_labels(points):
        line = {"arrowstyle": "-", "color": "#aaaaaa", "linewidth": 0.5, "shrinkA": 0, "shrinkB": 3}
        far = abs(place[1] - point[1]) > _LABEL_HEIGHT
        arrow = line if far else None
        label = axes.annotate(text, point, place, fontsize=8, ha="left", va="bottom", arrowprops=arrow)
        label.set_in_layout(False)
    axes.set_xlim(-0.04, 1.13)
    axes.set_ylim(-0.02, 1.16)
    axes.set_yticks([0.0, 0.2, 0.4, 0.6, 0.8, 1.0])
    axes.set_xlabel("recall")
    axes.set_ylabel("precision")
    _draw_legend(axes, comparison.rows)
    return figure


def _group_by_point(rows: Sequence[ComparedMethod]) -> dict[_Point, list[int]]:
    """Group the numbers of the methods, from 1, by point rounded to two decimals."""
    found: dict[_Point, list[int]] = {}
    for number, row in enumerate(rows, start=1):
        recall, precision = row.figures["recall"], row.figures["precision"]
        if recall is not None and precision is not None:
            found.setdefault((round(recall, 2), round(precision, 2)), []).append(number)
    return found


def _place_labels(points: dict[_Point, list[int]]) -> Iterator[tuple[_Point, _Point, str]]:
    """Yield each point, the place of its label (beside it, moved up or down to avoid the others), and the label."""
    taken: list[tuple[float, float, float]] = []
    for point, numbers in sorted(points.items(), key=lambda item: (-item[0][1], item[0][0])):
        text = " ".join(map(str, numbers))
        width = _LABEL_WIDTH * (len(text) + 1)
        places = [(x, y, width) for x, y in _places_beside(*point, width)]
        place = next((place for place in places if not any(_overlap(place, other) for other in taken)), places[0])
        taken.append(place)
        yield point, (place[0], place[1]), text


def _places_beside(x: float, y: float, width: float) -> Iterator[_Point]:
    """Yield places to the right and left of a point, then increasingly far above and below."""
    for rows in range(12):
        for side in (x + 0.008, x - 0.008 - width):
            yield side, y + 0.004 + rows * _LABEL_HEIGHT
            yield side, y + 0.004 - rows * _LABEL_HEIGHT


def _overlap(one: tuple[float, float, float], other: tuple[float, float, float]) -> bool:
    (x, y, width), (left, low, wide) = one, other
    return abs(y - low) < 0.99 * _LABEL_HEIGHT and x < left + wide and left < x + width


def _draw_curves(axes: Axes) -> None:
    for f1 in (0.2, 0.4, 0.6, 0.8, 0.9):
        recall = np.linspace(f1 / (2 - f1), 1.0, 100)
        axes.plot(recall, f1 * recall / (2 * recall - f1), color="#cccccc", linewidth=0.8)
        axes.annotate(f"F {f1:.1f}", (1.12, f1 / (2 - f1)), fontsize=7, color="#888888", ha="right", va="center")


def _draw_legend(axes: Axes, rows: Sequence[ComparedMethod]) -> None:
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], marker="o", linestyle="none", markersize=5, color=KINDS[kind_of(row.run.name)]) for row in rows
    ]
    names = [f"{number} {row.run.name}" for number, row in enumerate(rows, start=1)]
    axes.legend(handles, names, loc="upper left", bbox_to_anchor=(1.01, 1.02), frameon=False, fontsize=7.5, ncols=1)


def dice_figure(comparison: Comparison) -> Figure:
    """Plot a heat map of the Dice coefficients in hundredths, with a dash where neither method finds anything."""
    names = comparison.names
    side = 2.2 + 0.29 * len(names)
    figure, axes = plain_axes(width=side + 0.4, height=side)
    values = np.array([[np.nan if cell is None else cell for cell in row] for row in comparison.dice], dtype=np.float64)
    axes.grid(visible=False)
    axes.pcolormesh(values.reshape(len(names), len(names)), cmap="Blues", vmin=0.0, vmax=1.0)
    axes.invert_yaxis()
    axes.set_aspect("equal")
    places = [number + 0.5 for number in range(len(names))]
    axes.set_xticks(places, names, rotation=90, fontsize=8)
    axes.set_yticks(places, names, fontsize=8)
    axes.tick_params(length=0)
    for row, cells in enumerate(comparison.dice):
        for column, value in enumerate(cells):
            text = "-" if value is None else f"{100 * value:.0f}"
            dark = value is not None and value > 0.6
            axes.annotate(
                text,
                (column + 0.5, row + 0.5),
                fontsize=7,
                ha="center",
                va="center",
                color="white" if dark else "#333333",
            )
    return figure


def comparison_page(comparison: Comparison, figures: Mapping[str, str]) -> str:
    """Render the comparison as one page, without times, which have their own file."""
    from markupsafe import Markup

    # We draw the SVG ourselves, and matplotlib escapes the names of methods in it.
    svgs = {name.replace("-", "_"): Markup(svg) for name, svg in figures.items()}  # noqa: S704
    rows = [row.as_dict(times=False) for row in comparison.rows]
    best = max((row["f1"] for row in rows if row["f1"] is not None), default=None)
    return (
        environment()
        .get_template("comparison.html")
        .render(
            comparison=comparison,
            figures=svgs,
            rows=rows,
            best=best if comparison.has_best else None,
            grouped=any(row.get("bcubed_f1") is not None for row in rows),
            published=[(row, PUBLISHED_METHODS[row["method"]]) for row in rows if row["method"] in PUBLISHED_METHODS],
            published_dice=_pair_with_published_dice(comparison),
        )
    )


def _pair_with_published_dice(comparison: Comparison) -> list[dict[str, Any]]:
    """List published Dice coefficients with ours, for the pairs of methods compared."""
    index = {name: number for number, name in enumerate(comparison.names)}
    return [
        {"one": one, "other": other, "paper": value, "ours": comparison.dice[index[one]][index[other]]}
        for (one, other), value in PUBLISHED_DICE.items()
        if one in index and other in index
    ]


def write_comparison(comparison: Comparison, folder: str | Path) -> list[Path]:
    """Write ``comparison.json``, ``comparison.csv``, ``dice.csv``, ``times.csv``, plots (SVG, PNG), ``report.html``."""
    return write_files(comparison_files(comparison), folder)


def comparison_files(comparison: Comparison) -> dict[str, bytes]:
    """Return contents by file name; equal results give equal bytes except in ``times.csv``."""
    import orjson

    figures = {"precision-recall": plane_figure(comparison), "dice": dice_figure(comparison)}
    svgs = {name: as_svg(figure) for name, figure in figures.items()}
    content = comparison.as_dict(times=False)
    files = {
        "comparison.json": orjson.dumps(content, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE),
        "comparison.csv": _format_csv(content["rows"]),
        "dice.csv": _format_csv(
            {"method": name, **dict(zip(comparison.names, row, strict=True))}
            for name, row in zip(comparison.names, comparison.dice, strict=True)
        ),
        "times.csv": _format_csv(_list_times(comparison)),
        "report.html": comparison_page(comparison, svgs).encode(),
    }
    for name, figure in figures.items():
        files[f"{name}.svg"] = f'<?xml version="1.0" encoding="utf-8"?>\n{svgs[name]}'.encode()
        files[f"{name}.png"] = as_png(figure)
    return files


def _list_times(comparison: Comparison) -> list[dict[str, Any]]:
    """List the times of all methods, and of the reading that they share."""
    shared = comparison.reading
    rows: list[dict[str, Any]] = [
        {
            "method": "(reading, shared by all)",
            "seconds": round(shared.seconds, 4),
            "cpu_seconds": round(shared.cpu_seconds, 4),
            "growth": None,
        }
    ]
    for row in comparison.rows:
        found = row.as_dict()
        rows.append({name: found[name] for name in ("method", "seconds", "cpu_seconds", "growth")})
    return rows


def _format_csv(rows: Iterable[Mapping[str, Any]]) -> bytes:
    stream = io.BytesIO()
    write_rows(rows, stream, "csv")
    return stream.getvalue()
