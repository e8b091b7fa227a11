"""A comparison of methods, and a learning curve, as folders of self-contained files: page, plots, tables."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import orjson

from infostream_dedup.report.drawing import Axis, Box, Lettering, Panel, Picture, Stroke, as_svg
from infostream_dedup.report.files import csv_bytes, environment, picture_files, write_files
from infostream_dedup.report.tables import PUBLISHED_DICE, PUBLISHED_METHODS

if TYPE_CHECKING:
    from infostream_dedup.judging.criteria.training import CurvePoint
    from infostream_dedup.lab.comparison import ComparedMethod, Comparison


KINDS: Final = {
    "fingerprint of a document": "#7a7a7a", "frequent or rare words": "#1f6fb4", "sentences": "#8e44ad",
    "shingles and spots": "#2e8b57", "vectors": "#b8860b", "key terms": "#d2691e",
}  # fmt: skip
"""Colour of each kind of method."""

_METHODS: Final = (
    "md5 checksum",
    "tf tf-idf tf-ridf lex-rand i-match descr-words opt-freq",
    "first-paragraph long-sent heavy-sent three-plus-five three-plus-two",
    "megashingles log-shingles decomposition spotsigs low-idf-sig shingles dsc dsc-ss minhash",
    "simhash tf-idf-cosine",
)
_KIND_OF: Final = {name: kind for kind, names in enumerate(_METHODS) for name in names.split()}
_Point = tuple[float, float]
_MOST: Final = 1.16
_LIGHT: Final = (0xF7, 0xFB, 0xFF)
_DARK: Final = (0x08, 0x30, 0x6B)
_LABEL_WIDTH: Final = 0.013
_LABEL_HEIGHT: Final = 0.03


def kind_of(name: str) -> str:
    """Return a method's kind, a key of ``KINDS``, by its name in a comparison."""
    return list(KINDS)[_KIND_OF.get(name.partition(":")[0], len(KINDS) - 1)]


def plane_figure(comparison: Comparison) -> Picture:
    """Plot precision against recall with numbered methods and curves of equal F1; undefined rows are omitted."""
    rows = comparison.rows
    lines, words = map(list, zip(*_curves(), strict=True))
    points = _group_by_point(rows)
    for point, numbers in points.items():
        lines.append(Stroke(points=[point], dash="", marker="o", colour=KINDS[kind_of(rows[numbers[0] - 1].run.name)]))
    for point, (x, y), text in _place_labels(points):
        if abs(y - point[1]) > _LABEL_HEIGHT:
            lines.append(Stroke(points=[(x, y), point], colour="#aaaaaa", width=0.5))
        words.append(Lettering(x=x, y=y, text=text, anchor="start", above=True))
    shares = [(fifth / 5, f"{fifth / 5:.1f}") for fifth in range(6)]
    legend = [
        Stroke(points=(), dash="", marker="o", colour=KINDS[kind_of(row.run.name)], label=f"{number} {row.run.name}")
        for number, row in enumerate(rows, start=1)
    ]
    panel = Panel(
        x=Axis(low=-0.04, high=1.13, ticks=shares, label="recall"),
        y=Axis(low=-0.02, high=1.16, ticks=shares, label="precision"),
        height=max(420, 18 * len(rows)),
        lines=lines,
        words=words,
    )
    return Picture(panels=[panel], width=860, beside=True, legend=legend)


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


def _curves() -> Iterator[tuple[Stroke, Lettering]]:
    for f1 in (0.2, 0.4, 0.6, 0.8, 0.9):
        recall = np.linspace(f1 / (2 - f1), 1.0, 100).tolist()
        points = [(one, f1 * one / (2 * one - f1)) for one in recall if f1 * one / (2 * one - f1) <= _MOST]
        name = Lettering(x=1.12, y=f1 / (2 - f1), text=f"F {f1:.1f}", size=10, colour="#888888", anchor="end")
        yield Stroke(points=points, colour="#cccccc", width=0.8), name


def dice_figure(comparison: Comparison) -> Picture:
    """Plot a heat map of the Dice coefficients in hundredths, with a dash where neither method finds anything."""
    names = comparison.names
    boxes, words = [], []
    for row, cells in enumerate(comparison.dice):
        top = len(names) - row
        for column, value in enumerate(cells):
            if value is not None:
                # A colour from nearly white to dark blue.
                parts = (round(light + (dark - light) * value) for light, dark in zip(_LIGHT, _DARK, strict=True))
                boxes.append(Box(column, top - 1, column + 1, top, ("#" + "".join(f"{part:02x}" for part in parts))))
            text = "-" if value is None else f"{100 * value:.0f}"
            colour = "#ffffff" if value is not None and value > 0.6 else "#333333"
            words.append(Lettering(x=column + 0.5, y=top - 0.5, text=text, size=10, colour=colour))
    places = [(number + 0.5, name) for number, name in enumerate(names)]
    side = 24.0 * len(names)
    left = 30 + 7 * max(map(len, names), default=0)
    panel = Panel(
        x=Axis(low=0, high=len(names) or 1, ticks=places, tilt=90),
        y=Axis(low=0, high=len(names) or 1, ticks=[(len(names) - at, name) for at, name in places]),
        height=side,
        boxes=boxes,
        words=words,
        grid=False,
    )
    return Picture(panels=[panel], width=left + side + 14)


def comparison_page(comparison: Comparison, figures: Mapping[str, str]) -> str:
    """Render the comparison as one page, without times, which have their own file."""
    from markupsafe import Markup

    # We draw the SVG ourselves, and escape the names of methods in it.
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
    """Write ``comparison.json``, ``comparison.csv``, ``dice.csv``, ``times.csv``, plots, ``report.html``.

    Plots are SVG, and also PNG where matplotlib (the extra ``plots``) is installed.
    """
    return write_files(comparison_files(comparison), folder)


def comparison_files(comparison: Comparison) -> dict[str, bytes]:
    """Return contents by file name; equal results give equal bytes except in ``times.csv``."""
    figures = {"precision-recall": plane_figure(comparison), "dice": dice_figure(comparison)}
    svgs = {name: as_svg(figure) for name, figure in figures.items()}
    content = comparison.as_dict(times=False)
    files = {
        "comparison.json": orjson.dumps(content, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE),
        "comparison.csv": csv_bytes(content["rows"]),
        "dice.csv": csv_bytes(
            {"method": name, **dict(zip(comparison.names, row, strict=True))}
            for name, row in zip(comparison.names, comparison.dice, strict=True)
        ),
        "times.csv": csv_bytes(_list_times(comparison)),
        "report.html": comparison_page(comparison, svgs).encode(),
    }
    for name, figure in figures.items():
        files |= picture_files(name, figure, svgs[name])
    return files


def _list_times(comparison: Comparison) -> list[dict[str, Any]]:
    """List the times of all methods, and of the reading that they share."""
    shared = comparison.reading
    seconds = {name: round(getattr(shared, name), 4) for name in ("seconds", "cpu_seconds")}
    rows: list[dict[str, Any]] = [{"method": "(reading, shared by all)", **seconds, "growth": None}]
    for row in comparison.rows:
        found = row.as_dict()
        rows.append({name: found[name] for name in ("method", "seconds", "cpu_seconds", "growth")})
    return rows


# A learning curve as a table and a plot like figure 3 of Andreev et al.: quality by number of judged pairs.


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
    figure = learning_figure(points)
    files = {"curve.csv": csv_bytes(point.as_dict() for point in points)}
    return write_files(files | picture_files("curve", figure, as_svg(figure)), folder)
