"""Plots of a sweep, described for those who cannot see them and fit for dark pages."""

from __future__ import annotations

import io
import re
from html import escape
from typing import TYPE_CHECKING, Final, Literal

from infostream_dedup.errors import MissingExtraError
from infostream_dedup.model.settings import MIDDLE, REPRESENTATIONS, base_of
from infostream_dedup.report.tables import PUBLISHED, PartTables, Wording, list_series, title_of, wording_of
from infostream_dedup.terms.representation import Representation
from infostream_dedup.terms.representation import representation as base_named

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from infostream_dedup.runs.batch.sweeping import SweepResult, SweepRow


Quantity = Literal["symmetry", "transitivity"]
_BLOCK_LINE: Final = {"all": "-", "mono": "--", "cross": ":", "confirmed": "-.", "judged": "-", "mutual": ":"}
_LEGEND_COLUMNS: Final = 3
_MOST_LABELS: Final = 16
_STRETCHES: Final = ("day", "week", "month")


def representation_named(series: str) -> Representation:
    """The representation of a series, with its colour and marker."""
    return base_named(base_of(series))


def curve_figure(result: SweepResult, quantity: Quantity, wording: Wording | None = None) -> Figure:
    """Plot figure 1 (symmetry) or 2 (transitivity) of the paper with our values; in English by default."""
    words = wording or wording_of("en")
    figure, axes = plain_axes(width=6.4, height=4.4)
    threshold = any(row.measures.k is None for row in result.rows)
    for representation, block in dict.fromkeys((row.representation, row.block) for row in result.rows):
        _draw_series(axes, result, quantity, representation, block, words)
    if not threshold:
        for representation in dict.fromkeys(base_of(row.representation) for row in result.rows):
            _draw_published(axes, quantity, representation, words)
    axes.set_xlabel(words(f"axis_{result.configuration['score']}" if threshold else "axis_k"))
    axes.set_ylabel(words(f"axis_{quantity}"))
    axes.set_ylim(-0.02, 1.04)
    axes.yaxis.set_major_formatter(_decimal(words))
    if threshold:
        axes.xaxis.set_major_formatter(_decimal(words))
    if not threshold and result.rows:
        axes.set_xticks(sorted({row.measures.k for row in result.rows if row.measures.k is not None}))
    _add_legend(figure, axes)
    return figure


def value_of(row: SweepRow, quantity: str) -> float | None:
    """S or T of a row; between languages, T with the way back."""
    if quantity == "transitivity" and row.block == "cross":
        return row.transitivity_with_return
    value: float | None = getattr(row.measures, quantity)
    return value


def _decimal(words: Wording) -> Callable[[float, object], str]:
    """Format shares on an axis with the decimal sign of the language."""
    return lambda value, _: words.decimal(value, 1)


def _add_legend(figure: Figure, axes: Axes) -> None:
    handles, labels = axes.get_legend_handles_labels()
    if handles:
        figure.legend(
            handles,
            labels,
            loc="outside lower center",
            ncol=_LEGEND_COLUMNS,
            frameon=False,
            fontsize=9,
            handlelength=2.6,
        )


def _draw_series(
    axes: Axes, result: SweepResult, quantity: Quantity, representation: str, block: str, words: Wording
) -> None:
    points = [
        (row.measures.k if row.measures.k is not None else row.measures.threshold, value_of(row, quantity), row)
        for row in result.rows
        if (row.representation, row.block) == (representation, block) and representation not in result.same_as
    ]
    known = [(x, y, row) for x, y, row in points if x is not None and y is not None]
    if not known:
        return
    axes.plot(
        [x for x, _, _ in known],
        [y for _, y, _ in known],
        color=representation_named(representation).colour,
        linestyle=_BLOCK_LINE.get(block, ":" if MIDDLE in representation else "-"),
        fillstyle="none" if _is_second(result, representation) else "full",
        marker=representation_named(representation).marker,
        markersize=5,
        linewidth=1.8,
        label=title_of(representation, block, words),
    )
    if quantity == "transitivity":
        errors = [(x, y, row.measures.transitivity_error) for x, y, row in known if row.measures.transitivity_error]
        if errors:
            x, y, error = zip(*errors, strict=True)
            colour = representation_named(representation).colour
            axes.errorbar(x, y, yerr=[1.96 * e for e in error], fmt="none", ecolor=colour, capsize=3)


def _is_second(result: SweepResult, series: str) -> bool:
    """Whether an earlier series has the same representation, and so the same colour."""
    first = next(row.representation for row in result.rows if base_of(row.representation) == base_of(series))
    return first != series


def _draw_published(axes: Axes, quantity: Quantity, representation: str, words: Wording) -> None:
    published = PUBLISHED.get(representation)
    if published is None:
        return
    points: Mapping[int, float] = getattr(published, quantity)
    axes.plot(
        list(points),
        list(points.values()),
        color=representation_named(representation).colour,
        linestyle="none",
        marker=representation_named(representation).marker,
        markerfacecolor="white",
        markersize=7,
        label=words("in_paper", name=words(f"paper_{representation}")),
    )


def group_figure(sizes: Mapping[str, Mapping[int, int]], wording: Wording | None = None) -> Figure:
    """Plot the number of groups of each size by representation, without single documents; in English by default."""
    words = wording or wording_of("en")
    figure, axes = plain_axes(width=6.4, height=3.4)
    edges = _size_classes(max((size for counts in sizes.values() for size in counts), default=2))
    for offset, (representation, counts) in enumerate(sizes.items()):
        heights = [sum(number for size, number in counts.items() if low <= size <= high) for low, high in edges]
        width = 0.8 / max(len(sizes), 1)
        places = [index + offset * width for index in range(len(edges))]
        bars = axes.bar(places, heights, width, color=representation_named(representation).colour, label=representation)
        axes.bar_label(bars, fontsize=8)
    axes.set_xticks(
        [index + 0.4 * (len(sizes) - 1) / max(len(sizes), 1) for index in range(len(edges))],
        [str(low) if low == high else f"{low}–{high}" for low, high in edges],
    )
    axes.set_xlabel(words("axis_size"))
    axes.set_ylabel(words("axis_groups"))
    _add_legend(figure, axes)
    return figure


def _size_classes(largest: int) -> list[tuple[int, int]]:
    classes = [(2, 2), (3, 3), (4, 4), (5, 9), (10, 19), (20, 49), (50, 99), (100, 999), (1000, 10**9)]
    return [(low, min(high, max(largest, low))) for low, high in classes if low <= max(largest, 2)]


def drawn_parts(tables: PartTables, by: str, wording: Wording) -> list[str]:
    """Return the names of the parts that ``part_figure`` plots, for which see there."""
    left_out = wording("part_none") if by in _STRETCHES else None
    return [line.name for line in tables.tables[0].lines if not line.whole and line.name != left_out]


def part_figure(tables: PartTables, by: str, wording: Wording) -> Figure:
    """Plot S, T and the share of duplicates of each part: lines for stretches of time, points for others."""
    from matplotlib.figure import Figure

    names = drawn_parts(tables, by, wording)
    figure = Figure(figsize=(6.4, 6.4), layout="constrained")
    panels = figure.subplots(3, 1, sharex=True)
    for axes, quantity in zip(panels, ("symmetry_at", "transitivity_at", "duplicates"), strict=True):
        _style(axes)
        axes.set_ylabel(wording(f"axis_{quantity.removesuffix('_at')}"))
        axes.set_ylim(-0.02, 1.04)
        axes.yaxis.set_major_formatter(_decimal(wording))
        for table in tables.tables:
            lines = [line for line in table.lines if not line.whole and line.name in names]
            bands = [line.bands.get(quantity.removesuffix("_at"), (None, None)) for line in lines]
            # A part with too few links for an interval draws nothing; whole collections may be too large for one.
            values = [
                float("nan") if (value := getattr(line, quantity)) is None or band is None else value
                for line, band in zip(lines, bands, strict=True)
            ]
            _draw_bands(axes, bands, representation_named(table.name).colour, joined=by in _STRETCHES)
            axes.plot(
                range(len(values)),
                values,
                color=representation_named(table.name).colour,
                marker=representation_named(table.name).marker,
                linestyle="-" if by in _STRETCHES else "none",
                label=table.name,
            )
    step = -(-len(names) // _MOST_LABELS)
    panels[-1].set_xticks(range(0, len(names), step), [_short(name) for name in names[::step]], rotation=60, ha="right")
    _add_legend(figure, panels[0])
    return figure


def _draw_bands(
    axes: Axes, bands: Sequence[tuple[float | None, float | None] | None], colour: str, *, joined: bool
) -> None:
    """Draw the 95 % intervals of parts: a band along stretches of time, bars otherwise."""
    nan = float("nan")
    known = [(nan, nan) if band is None else (nan if one is None else one for one in band) for band in bands]
    low, high = (list(side) for side in zip(*known, strict=True)) if known else ([], [])
    places = range(len(low))
    if joined:
        axes.fill_between(places, low, high, color=colour, alpha=0.15, linewidth=0)
    else:
        axes.vlines(places, low, high, colors=colour, linewidth=1.2)


def _short(name: str) -> str:
    return name if len(name) <= 24 else f"{name[:23]}…"


def plain_axes(width: float, height: float) -> tuple[Figure, Axes]:
    """Make an empty plot with a light grid and no box; `width` and `height` are in inches."""
    # Figure without pyplot needs no global state and no display, and is safe in threads.
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError as error:
        raise MissingExtraError("matplotlib", "report", "a report") from error

    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.add_subplot()
    _style(axes)
    return figure, axes


def _style(axes: Axes) -> None:
    axes.grid(color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def as_svg(figure: Figure) -> str:
    """Render the figure as an ``<svg>`` element; equal figures give equal bytes."""
    import matplotlib as mpl

    with mpl.rc_context({"svg.hashsalt": "infostream-dedup", "svg.fonttype": "none", "font.family": "DejaVu Sans"}):
        stream = io.StringIO()
        figure.savefig(stream, format="svg", metadata={"Date": None, "Creator": None})
    text = stream.getvalue()
    return text[text.index("<svg") :]


def as_png(figure: Figure) -> bytes:
    """Render the figure as a PNG of 150 dots per inch; equal figures give equal bytes."""
    stream = io.BytesIO()
    figure.savefig(stream, format="png", dpi=150, metadata={"Software": None})
    return stream.getvalue()


_FONT: Final = ("'DejaVu Sans'", "'DejaVu Sans', system-ui, sans-serif")


def described(svg: str, name: str, title: str, description: str) -> str:
    """Give a picture a title and a description, unique identifiers, and the colours of the surrounding page."""
    svg = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{name}-", svg)
    svg = svg.replace(*_FONT).replace("#ffffff", "var(--page, #ffffff)").replace("#dddddd", "var(--grid, #dddddd)")
    svg = svg.replace("#000000", "currentColor")
    for one in REPRESENTATIONS:
        colour = representation_named(one).colour
        svg = svg.replace(colour, f"var(--{one}, {colour})")
    opened, _, rest = svg.partition(">")
    label = f'role="img" aria-labelledby="{name}-title {name}-description" fill="currentColor"'
    words = (
        f'<title id="{name}-title">{escape(title)}</title><desc id="{name}-description">{escape(description)}</desc>'
    )
    return f"{opened} {label}>{words}{rest}"


def describe_curves(result: SweepResult, quantity: str, wording: Wording) -> str:
    """Describe where each curve begins, ends and is highest."""
    sentences = []
    for series in list_series(result, wording):
        points = [(value_of(row, quantity), row.measures.k) for row in series.rows]
        known = [(value, k) for value, k in points if value is not None and k is not None]
        if known:
            most, top = max(known, key=lambda point: (point[0], -point[1]))
            (first, start), (last, end) = known[0], known[-1]
            values = {"first": first, "last": last, "most": most}
            said = {name: wording.decimal(value, 3) for name, value in values.items()}
            sentences.append(wording("described_curve", name=series.name, start=start, end=end, top=top, **said))
    return " ".join(sentences)


def describe_groups(result: SweepResult, wording: Wording) -> str:
    """Describe how many groups each representation finds, and how large the largest is."""
    return " ".join(
        wording(
            "described_groups",
            name=name,
            groups=wording.count(sum(number for size, number in sizes.items() if size > 1)),
            largest=wording.count(max(sizes, default=0)),
        )
        for name, sizes in result.groups.items()
    )


def describe_parts(tables: PartTables, wording: Wording) -> str:
    """Describe the range of the share of duplicates."""
    sentences = []
    for table in tables.tables:
        known = [line.duplicates for line in table.lines if not line.whole and line.duplicates is not None]
        if known:
            name = f"{table.name}, {wording('axis_duplicates')}"
            low, high = wording.percent(min(known)), wording.percent(max(known))
            sentences.append(wording("described_part", name=name, low=low, high=high))
    return " ".join(sentences)
