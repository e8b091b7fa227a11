"""Pictures of lines, boxes and words: written as SVG by ourselves, as PNG by matplotlib (the extra ``plots``)."""

from __future__ import annotations

import io
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from typing import TYPE_CHECKING, Any, Final, TypeAlias

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Point: TypeAlias = tuple[float, float]

_LETTER: Final = 6.7  # mean width of a letter of 12 pixels; Cyrillic ones are wide
_LINE: Final = 18
_SAMPLE: Final = 34  # width of a sample of a line in the legend
_DASHES: Final = {"--": "7 4", ":": "2 3", "-.": "8 3 2 3"}
_GRID: Final = "#dddddd"
_DOTS_PER_PIXEL: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Stroke:
    """Points that are joined by a line, marked, or both; ``marker`` is ``o``, ``s`` or ``D``."""

    points: Sequence[Point]
    colour: str
    label: str = ""
    dash: str = "-"
    marker: str = ""
    width: float = 1.8
    hollow: bool = False
    errors: Sequence[float] = ()


@dataclass(frozen=True, slots=True)
class Box:
    """A filled rectangle between two corners."""

    x0: float
    y0: float
    x1: float
    y1: float
    colour: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Lettering:
    """Lettering at a place; ``anchor`` is ``start``, ``middle`` or ``end``, and ``above`` puts them above it."""

    x: float
    y: float
    text: str
    size: int = 11
    colour: str = "#000000"
    anchor: str = "middle"
    above: bool = False
    turned: int = 0  # degrees


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """A range, and the places that have a name."""

    low: float
    high: float
    ticks: Sequence[tuple[float, str]]
    label: str = ""
    tilt: int = 0  # degrees by which the names are turned


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One pair of axes and what is drawn between them, in this order: areas, boxes, lines, words."""

    x: Axis
    y: Axis
    height: float
    areas: Sequence[tuple[Sequence[Point], str]] = ()
    boxes: Sequence[Box] = ()
    lines: Sequence[Stroke] = ()
    words: Sequence[Lettering] = ()
    grid: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """Panels one above the other; the names of the lines are below them, or in a column beside them."""

    panels: Sequence[Panel]
    width: float = 640
    beside: bool = False
    legend: Sequence[Stroke] = field(default=())
    """Lines to name; those with a label in the first panel if none are given."""

    def named(self) -> list[Stroke]:
        """Lines that the legend names."""
        return list(self.legend) or [line for line in self.panels[0].lines if line.label]


def even_ticks(high: float, *, most: int = 6) -> list[float]:
    """Round numbers from 0 up to a number."""
    step = max(high, 1e-9) / most
    size = 10.0 ** math.floor(math.log10(step))
    step = next(size * times for times in (1, 2, 5, 10) if size * times >= step)
    return [step * number for number in range(math.floor(high / step + 1e-9) + 1)]


def as_svg(picture: Picture) -> str:
    """Draw an ``<svg>`` element; equal pictures give equal bytes."""
    names = picture.named()
    widest = max((len(one.label) for one in names), default=0) * _LETTER + _SAMPLE + 14
    right = picture.width - (widest + 8 if picture.beside and names else 14)
    left = 30 + max(len(name) for panel in picture.panels for _, name in panel.y.ticks) * _LETTER
    parts, top = [], 12.0
    for number, panel in enumerate(picture.panels):
        last = number == len(picture.panels) - 1
        at = _Place(panel, left, top, right)
        parts += [*_axes(panel, at, named=last), *_content(panel, at)]
        top += panel.height + (_below(panel.x) if last else 16)
    columns = max(1, int((picture.width - 20) // widest))
    for number, line in enumerate(names):
        place = (right + 12, 20.0 + number * _LINE) if picture.beside else (
            14 + number % columns * widest, top + 18 + number // columns * _LINE
        )  # fmt: skip
        parts += _sample(line, *place)
    rows = len(names) if picture.beside else -(-len(names) // columns)
    height = max(top + 6, 24 + rows * _LINE) if picture.beside else top + 18 + rows * _LINE
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_n(picture.width)} {_n(height)}" '
        f'width="{_n(picture.width)}" height="{_n(height)}" font-family="system-ui, sans-serif" font-size="12">'
        f"{''.join(parts)}</svg>"
    )


def _below(axis: Axis) -> float:
    """Height of the names and of the label below a panel."""
    longest = max((len(name) for _, name in axis.ticks), default=0) * _LETTER
    return 12 + max(12, longest * math.sin(math.radians(axis.tilt))) + (_LINE if axis.label else 0)


class _Place:
    """Where the values of a panel are in the picture."""

    def __init__(self, panel: Panel, left: float, top: float, right: float) -> None:
        self.x, self.y = panel.x, panel.y
        self.left, self.top, self.right, self.bottom = left, top, right, top + panel.height

    def __call__(self, x: float, y: float) -> Point:
        along, up = (x - self.x.low) / (self.x.high - self.x.low), (y - self.y.low) / (self.y.high - self.y.low)
        return self.left + along * (self.right - self.left), self.bottom - up * (self.bottom - self.top)


def _axes(panel: Panel, at: _Place, *, named: bool) -> Iterator[str]:
    for value, name in panel.y.ticks:
        _, y = at(panel.x.low, value)
        if panel.grid:
            yield f'<path d="M{_n(at.left)} {_n(y)}H{_n(at.right)}" stroke="{_GRID}"/>'
        yield _text(at.left - 6, y + 4, name, anchor="end")
    for value, name in panel.x.ticks:
        x, _ = at(value, panel.y.low)
        if panel.grid:
            yield f'<path d="M{_n(x)} {_n(at.top)}V{_n(at.bottom)}" stroke="{_GRID}"/>'
        if named and panel.x.tilt:
            yield _text(x + 4, at.bottom + 12, name, anchor="end", turned=-panel.x.tilt)
        elif named:
            yield _text(x, at.bottom + 16, name)
    if panel.grid:
        yield f'<path d="M{_n(at.left)} {_n(at.top)}V{_n(at.bottom)}H{_n(at.right)}" fill="none" stroke="#000000"/>'
    if named and panel.x.label:
        yield _text((at.left + at.right) / 2, at.bottom + _below(panel.x) - 4, panel.x.label)
    if panel.y.label:
        yield _text(14, (at.top + at.bottom) / 2, panel.y.label, turned=-90)


def _content(panel: Panel, at: _Place) -> Iterator[str]:
    for points, colour in panel.areas:
        yield f'<polygon points="{_points(at(*one) for one in points)}" fill="{colour}" fill-opacity="0.12"/>'
    for box in panel.boxes:
        (x0, y0), (x1, y1) = at(box.x0, box.y0), at(box.x1, box.y1)
        size = f'width="{_n(x1 - x0)}" height="{_n(y0 - y1)}"'
        yield f'<rect x="{_n(x0)}" y="{_n(y1)}" {size} fill="{box.colour}"/>'
    for line in panel.lines:
        yield from _line(line, [at(*one) for one in line.points])
        for (x, y), error in zip(line.points, line.errors, strict=False):
            (across, low), (_, high) = at(x, max(y - error, panel.y.low)), at(x, min(y + error, panel.y.high))
            bar = f"M{_n(across - 3)} {_n(low)}h6m-3 0V{_n(high)}m-3 0h6"
            yield f'<path d="{bar}" fill="none" stroke="{line.colour}"/>'
    for words in panel.words:
        x, y = at(words.x, words.y)
        x, y = (x + words.size / 3, y - 4) if words.turned else (x, y + (-4 if words.above else words.size / 3))
        look: dict[str, Any] = {"size": words.size, "colour": words.colour, "turned": words.turned}
        yield _text(x, y, words.text, anchor=words.anchor, **look)


def _line(line: Stroke, points: Sequence[Point]) -> Iterator[str]:
    if line.dash and len(points) > 1:
        dashes = f' stroke-dasharray="{_DASHES[line.dash]}"' if line.dash in _DASHES else ""
        yield (
            f'<polyline points="{_points(points)}" fill="none" stroke="{line.colour}" '
            f'stroke-width="{_n(line.width)}"{dashes}/>'
        )
    fill = "#ffffff" if line.hollow else line.colour
    paint = f'fill="{fill}" stroke="{line.colour}"'
    for x, y in points if line.marker else ():
        if line.marker == "o":
            yield f'<circle cx="{_n(x)}" cy="{_n(y)}" r="3.5" {paint}/>'
        elif line.marker == "s":
            yield f'<rect x="{_n(x - 3.2)}" y="{_n(y - 3.2)}" width="6.4" height="6.4" {paint}/>'
        else:
            yield f'<path d="M{_n(x)} {_n(y - 4.5)}l4.5 4.5l-4.5 4.5l-4.5 -4.5z" {paint}/>'


def _sample(line: Stroke, x: float, y: float) -> Iterator[str]:
    yield from _line(replace(line, marker=""), [(x, y - 4), (x + _SAMPLE - 8, y - 4)])
    yield from _line(line, [(x + (_SAMPLE - 8) / 2, y - 4)])
    yield _text(x + _SAMPLE, y, line.label, anchor="start")


def _points(points: Iterator[Point] | Sequence[Point]) -> str:
    return " ".join(f"{_n(x)},{_n(y)}" for x, y in points)


def _text(
    x: float, y: float, text: str, *, anchor: str = "middle", size: int = 12, colour: str = "#000000", turned: int = 0
) -> str:
    turn = f' transform="rotate({turned} {_n(x)} {_n(y)})"' if turned else ""
    small = f' font-size="{size}"' if size != 12 else ""
    return f'<text x="{_n(x)}" y="{_n(y)}" text-anchor="{anchor}" fill="{colour}"{small}{turn}>{escape(text)}</text>'


def _n(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def as_png(picture: Picture) -> bytes:
    """Draw with 150 dots per inch; equal pictures give equal bytes."""
    # Figure without pyplot needs no global state and no display, and is safe in threads.
    from matplotlib.figure import Figure

    names = picture.named()
    height = sum(panel.height for panel in picture.panels) + 90 + (0 if picture.beside else 8 * len(names))
    upright = max((len(name) for one in picture.panels if one.x.tilt == 90 for _, name in one.x.ticks), default=0)
    slanted = max((_below(one.x) for one in picture.panels if 0 < one.x.tilt < 90), default=0)
    # Its letters are wider than those of the SVG.
    size = (picture.width + 2 * upright, height + 8 * upright + 1.2 * slanted)
    figure = Figure(figsize=(size[0] / _DOTS_PER_PIXEL, size[1] / _DOTS_PER_PIXEL), layout="constrained")
    every = figure.subplots(len(picture.panels), 1, squeeze=False)[:, 0]
    for axes, panel in zip(every, picture.panels, strict=True):
        _draw(axes, panel, named=panel is picture.panels[-1])
    if names:
        handles = [every[0].plot([], [], label=one.label, **_look(one))[0] for one in names]
        where: dict[str, Any] = (
            {"loc": "outside right upper"} if picture.beside else {"loc": "outside lower center", "ncols": 3}
        )
        figure.legend(handles=handles, frameon=False, fontsize=9, **where)
    stream = io.BytesIO()
    figure.savefig(stream, format="png", dpi=150, metadata={"Software": None})
    return stream.getvalue()


def _look(line: Stroke) -> dict[str, Any]:
    return {
        "color": line.colour, "linestyle": line.dash or "none", "marker": line.marker or None, "markersize": 5,
        "markerfacecolor": "white" if line.hollow else line.colour, "linewidth": line.width,
    }  # fmt: skip


def _draw(axes: Axes, panel: Panel, *, named: bool) -> None:
    if panel.grid:
        axes.grid(color=_GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"] if panel.grid else ["top", "right", "left", "bottom"]].set_visible(False)
    for points, colour in panel.areas:
        axes.fill(*zip(*points, strict=True), color=colour, alpha=0.12, linewidth=0)
    for box in panel.boxes:
        axes.bar(box.x0, box.y1 - box.y0, box.x1 - box.x0, box.y0, align="edge", color=box.colour)
    for line in panel.lines:
        x, y = [one for one, _ in line.points], [one for _, one in line.points]
        axes.plot(x, y, clip_on=False, **_look(line))
        if line.errors:
            axes.errorbar(x, y, yerr=list(line.errors), fmt="none", ecolor=line.colour, capsize=3)
    sides = {"start": "left", "middle": "center", "end": "right"}
    for words in panel.words:
        upright = "bottom" if words.above else "center"
        side = "center" if words.turned else sides[words.anchor]
        look: dict[str, Any] = {"ha": side, "va": upright, "fontsize": 0.72 * words.size, "rotation": -words.turned}
        axes.text(words.x, words.y, words.text, color=words.colour, **look)
    turned: dict[str, Any] = {"rotation": panel.x.tilt, "ha": "right"} if 0 < panel.x.tilt < 90 else {
        "rotation": panel.x.tilt
    }  # fmt: skip
    axes.set_xticks([at for at, _ in panel.x.ticks], [name if named else "" for _, name in panel.x.ticks], **turned)
    axes.set_yticks([at for at, _ in panel.y.ticks], [name for _, name in panel.y.ticks])
    axes.set_xlim(panel.x.low, panel.x.high)
    axes.set_ylim(panel.y.low, panel.y.high)
    axes.set_xlabel(panel.x.label if named else "")
    axes.set_ylabel(panel.y.label, fontsize=9)
