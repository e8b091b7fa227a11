"""A report on disk: self-contained pages without scripts, tables, a workbook, plots described for the blind too."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from html import escape
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from infostream_dedup.documents import open_output, write_rows
from infostream_dedup.documents.outputs import require_workbooks
from infostream_dedup.errors import CannotCreateError, MissingExtraError
from infostream_dedup.judging.passages.original_message import original_message
from infostream_dedup.model import heading
from infostream_dedup.model.settings import MIDDLE, REPRESENTATIONS, base_of
from infostream_dedup.report import has_plots
from infostream_dedup.report import tables as contents
from infostream_dedup.report.drawing import Axis, Box, Lettering, Panel, Picture, Stroke, as_png, as_svg, even_ticks
from infostream_dedup.runs.batch.sweeping import SweepResult, SweepRow
from infostream_dedup.terms.representation import Representation
from infostream_dedup.terms.representation import representation as base_named

if TYPE_CHECKING:
    from jinja2 import Environment
    from xlsxwriter import Workbook

    from infostream_dedup.judging.passages.boilerplate import Boilerplate
    from infostream_dedup.judging.passages.passage_table import TextComparison, TextStretch
    from infostream_dedup.judging.passages.provenance import Provenance
    from infostream_dedup.runs.batch.answering import Answer


def html_report(result: SweepResult, figures: Mapping[str, str], cover: contents.Cover) -> str:
    """Render the report as one page."""
    from markupsafe import Markup

    wording = contents.wording_of(cover.language)
    series = contents.list_series(result, wording, paper=cover.paper)
    # We draw the SVG ourselves from our own numbers and names, with its labels escaped.
    svgs = {name: Markup(svg) for name, svg in figures.items()}  # noqa: S704
    return (
        environment(wording)
        .get_template("report.html")
        .render(
            result=result,
            answer=result.answer,
            named_kinds=lambda answer: _named_kinds(answer, wording),
            paper=cover.paper,
            language=cover.language,
            cover=contents.cover_lines(result, cover, wording),
            cards=contents.cards_of(result, wording),
            advice=contents.advised(result, wording),
            figures=svgs,
            series=series,
            overview=contents.overview_of(series),
            confirmed=any(one.block == "confirmed" for one in series),
            parts=contents.tabulate_parts(result, wording),
            planted=contents.tabulate_planted(result),
            thresholds=[row for row in result.rows if row.measures.k is None],
            drawn={(example.representation, example.k) for example in result.examples},
            examples=_group_examples(result),
        )
    )


def _named_kinds(answer: Answer, wording: contents.Wording) -> str:
    named = [f"{wording(f'kind_{kind}')} {wording.count(number)}" for kind, number in answer.kinds.items() if kind]
    return f" ({', '.join(named)})" if named else ""


def environment(wording: contents.Wording | None = None) -> Environment:
    """Make an environment that escapes everything, with the words and number formats of a language."""
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ModuleNotFoundError as error:
        raise MissingExtraError("jinja2", "report", "a report") from error

    words = contents.wording_of("en") if wording is None else wording
    environment = Environment(
        loader=PackageLoader("infostream_dedup.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["_"] = words
    environment.filters |= {name: getattr(words, name) for name in ("percent", "count", "moment", "spoken")}
    environment.filters |= {"ratio": lambda value: words.decimal(value, 3), "heading": heading}
    environment.filters["published"] = lambda value: words.decimal(value, 2)
    return environment


def _group_examples(result: SweepResult) -> list[tuple[str, list[tuple[int, list[Any]]]]]:
    by_representation = groupby(result.examples, key=lambda example: example.representation)
    return [
        (name, [(k, list(found)) for k, found in groupby(list(group), key=lambda example: example.k)])
        for name, group in by_representation
    ]


# Shared passages, and the origin of texts, as self-contained HTML pages: no scripts, everything escaped.


def passages_page(comparison: TextComparison, names: tuple[str, str]) -> str:
    """Render both texts side by side; passages link to their copies, translated words to translations."""
    sides = [
        {
            "name": names[place],
            "letter": letter,
            "other": "ba"[place],
            "language": comparison.languages[place],
            "coverage": getattr(comparison, f"coverage_{letter}"),
            "translated": getattr(comparison.translated, f"share_{letter}"),
            "parts": _parts(getattr(comparison, f"pieces_{letter}")),
        }
        for place, letter in enumerate("ab")
    ]
    titles = comparison.translated.names()
    return environment().get_template("passages.html").render(comparison=comparison, sides=sides, titles=titles)


def _parts(stretches: list[TextStretch]) -> list[list[tuple[TextStretch, bool]]]:
    """Gather the stretches of each passage, and of what is between passages."""
    seen: set[int] = set()
    marked = []
    for stretch in stretches:
        marked.append((stretch, stretch.word not in seen))
        seen.add(stretch.word)
    return [list(part) for _, part in groupby(marked, key=lambda one: one[0].passage)]


_MOST_MEMBERS: Final = 50  # larger groups mostly repeat the same text, and compiling one message from them takes long


def provenance_page(groups: Sequence[tuple[str, Provenance]], boilerplate: Boilerplate | None = None) -> str:
    """Render the first document of each group, and every copy with kept, changed and added text marked."""
    messages = [
        original_message([group.first, *(copy.document for copy in group.copies)], boilerplate)
        if len(group.copies) < _MOST_MEMBERS
        else []
        for _, group in groups
    ]
    return environment().get_template("provenance.html").render(groups=groups, messages=messages)


Quantity = Literal["symmetry", "transitivity"]
_BLOCK_LINE: Final = {"all": "-", "mono": "--", "cross": ":", "confirmed": "-.", "judged": "-", "mutual": ":"}
_SHARES: Final = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
_MOST_LABELS: Final = 16
_MOST_DAYS: Final = 120
_MOST_YEARS: Final = 20  # a single wrong date must not press the months of the others together
_MOST_PARTS: Final = 40
_MOST_SIGNS: Final = 95  # signs of numbers side by side above the bars of a picture
_STRETCHES: Final = ("day", "week", "month")


def representation_named(series: str) -> Representation:
    """The representation of a series, with its colour and marker."""
    return base_named(base_of(series))


def curve_figure(
    result: SweepResult, quantity: Quantity, wording: contents.Wording | None = None, *, paper: bool = False
) -> Picture:
    """Plot figure 1 (symmetry) or 2 (transitivity) of the paper with our values; in English by default."""
    words = wording or contents.wording_of("en")
    threshold = any(row.measures.k is None for row in result.rows)
    lines: list[Stroke] = []
    for representation, block in dict.fromkeys((row.representation, row.block) for row in result.rows):
        lines += _series(result, quantity, representation, block, words)
    if paper and not threshold:
        for representation in dict.fromkeys(base_of(row.representation) for row in result.rows):
            lines += _published(quantity, representation, words)
    if threshold:
        x = _share_axis(words, "axis_share")
    else:
        ks = sorted({row.measures.k for row in result.rows if row.measures.k is not None})
        drawn = sorted({place for line in lines for place, _ in line.points} | set(ks)) or [0.0]
        x = Axis(low=drawn[0] - 0.5, high=drawn[-1] + 0.5, ticks=[(k, str(k)) for k in ks], label=words("axis_k"))
    return Picture(panels=[Panel(x=x, y=_share_axis(words, f"axis_{quantity}"), height=300, lines=lines)])


def _share_axis(words: contents.Wording, label: str) -> Axis:
    """An axis from 0 to 1 with the decimal sign of the language."""
    return Axis(low=-0.02, high=1.04, ticks=[(one, words.decimal(one, 1)) for one in _SHARES], label=words(label))


def _count_axis(words: contents.Wording, label: str, most: float) -> Axis:
    """An axis of whole numbers."""
    ticks = [(one, words.count(int(one))) for one in even_ticks(most) if one.is_integer()]
    return Axis(low=0, high=1.1 * most, ticks=ticks, label=words(label))


def value_of(row: SweepRow, quantity: str) -> float | None:
    """S or T of a row; between languages, T with the way back."""
    if quantity == "transitivity" and row.block == "cross":
        return row.transitivity_with_return
    value: float | None = getattr(row.measures, quantity)
    return value


def _series(
    result: SweepResult, quantity: Quantity, representation: str, block: str, words: contents.Wording
) -> Iterator[Stroke]:
    points = [
        (row.measures.k if row.measures.k is not None else row.measures.threshold, value_of(row, quantity), row)
        for row in result.rows
        if (row.representation, row.block) == (representation, block) and representation not in result.same_as
    ]
    known = [(x, y, row) for x, y, row in points if x is not None and y is not None]
    errors = [1.96 * (getattr(row.measures, f"{quantity}_error") or 0) for _, _, row in known]
    if known:
        yield Stroke(
            points=[(x, y) for x, y, _ in known],
            colour=representation_named(representation).colour,
            marker=representation_named(representation).marker,
            dash=_BLOCK_LINE.get(block, ":" if MIDDLE in representation else "-"),
            hollow=_is_second(dict.fromkeys(row.representation for row in result.rows), representation),
            label=contents.title_of(representation, block, words),
            errors=errors if any(errors) else (),
        )


def _is_second(names: Iterable[str], series: str) -> bool:
    """Whether an earlier series has the same representation, and so the same colour."""
    return next(name for name in names if base_of(name) == base_of(series)) != series


def _bar_colour(names: Iterable[str], series: str) -> str:
    """The colour of the representation, lighter for a second series of it: bars cannot be hollow."""
    colour = representation_named(series).colour
    mixed = "".join(f"{(int(colour[at : at + 2], 16) + 0xFF) // 2:02x}" for at in (1, 3, 5))
    return f"#{mixed}" if _is_second(names, series) else colour


def _published(quantity: Quantity, representation: str, words: contents.Wording) -> Iterator[Stroke]:
    published = contents.PUBLISHED.get(representation)
    if published is not None:
        points: Mapping[int, float] = getattr(published, quantity)
        yield Stroke(
            points=list(points.items()),
            colour=representation_named(representation).colour,
            marker=representation_named(representation).marker,
            dash="",
            hollow=True,
            label=words("in_paper", name=words(f"paper_{representation}")),
        )


def answer_figure(answer: Answer, words: contents.Wording) -> Picture:
    """Plot items by day, week or month and those that repeat one; without dates, items by what they are."""
    bars, pale, dark = _stretches(answer.days), "#b9c3cf", representation_named("stem").colour
    shown = {words("axis_items"): pale, words("n_repeats"): dark}
    if len(bars) < 2:
        shown = {}
        kinds = {words("n_new"): answer.statuses.get("new", 0), words("n_repeats"): answer.repeats}
        kinds |= {words(f"kind_{kind}"): number for kind, number in answer.kinds.items() if kind}
        bars = [(name, number, number) for name, number in kinds.items()]
    most = max((number for _, number, _ in bars), default=0) or 1
    boxes = [Box(at + 0.1, 0, at + 0.9, number, pale) for at, (_, number, _) in enumerate(bars)]
    boxes += [Box(at + 0.1, 0, at + 0.9, number, dark) for at, (_, _, number) in enumerate(bars) if number]
    step = -(-len(bars) // _MOST_LABELS)
    names = [(at + 0.5, _short(bars[at][0])) for at in range(0, len(bars), step)]
    panel = Panel(
        x=Axis(low=0, high=len(bars), ticks=names, tilt=60),
        y=_count_axis(words, "axis_items", most),
        height=150,
        boxes=boxes,
    )
    legend = [Stroke(points=(), colour=one, marker="s", dash="", label=name) for name, one in shown.items()]
    return Picture(panels=[panel], legend=legend)


def _stretches(days: Sequence[tuple[str, int, int]]) -> list[tuple[str, int, int]]:
    """Days, or months if there are more than can be told apart, also those without an item in between."""
    if not days:
        return []
    first, last = date.fromisoformat(days[0][0]), date.fromisoformat(days[-1][0])
    if (last - first).days < _MOST_DAYS:
        known = {day: (number, again) for day, number, again in days}
        every = [(first + timedelta(one)).isoformat() for one in range((last - first).days + 1)]
        return [(day, *known.get(day, (0, 0))) for day in every]
    months: dict[str, tuple[int, int]] = {}
    if last.year - first.year < _MOST_YEARS:
        stretch = range(12 * first.year + first.month - 1, 12 * last.year + last.month)
        months = {f"{month // 12:04}-{month % 12 + 1:02}": (0, 0) for month in stretch}
    for day, number, again in days:
        before = months.get(day[:7], (0, 0))
        months[day[:7]] = before[0] + number, before[1] + again
    return [(month, *counts) for month, counts in months.items()]


def group_figure(sizes: Mapping[str, Mapping[int, int]], wording: contents.Wording | None = None) -> Picture:
    """Plot the number of groups of each size by representation, without single documents; in English by default."""
    words = wording or contents.wording_of("en")
    edges = _size_classes(max((size for counts in sizes.values() for size in counts), default=2))
    width = 0.8 / max(len(sizes), 1)
    boxes, numbers = [], []
    for offset, (representation, counts) in enumerate(sizes.items()):
        for index, (low, high) in enumerate(edges):
            number = sum(number for size, number in counts.items() if low <= size <= high)
            at = index + offset * width
            boxes.append(Box(at, 0, at + width, number, _bar_colour(sizes, representation)))
            numbers.append(Lettering(x=at + width / 2, y=number, text=words.count(number), above=True))
    most = max((box.y1 for box in boxes), default=0) or 1
    if max((len(one.text) for one in numbers), default=0) * len(edges) > _MOST_SIGNS * width:
        numbers, most = [replace(one, turned=-90, anchor="start") for one in numbers], 1.15 * most
    spans = ["–".join(map(words.count, sorted({low, high}))) for low, high in edges]
    names = [(index + 0.4, span) for index, span in enumerate(spans)]
    panel = Panel(
        x=Axis(low=-0.2, high=len(edges), ticks=names, label=words("axis_size"), tilt=30 if len(edges) > 7 else 0),
        y=_count_axis(words, "axis_groups", most),
        height=230,
        boxes=boxes,
        words=numbers,
    )
    legend = [Stroke(points=(), colour=_bar_colour(sizes, one), marker="s", dash="", label=one) for one in sizes]
    return Picture(panels=[panel], legend=legend)


def _size_classes(largest: int) -> list[tuple[int, int]]:
    classes = [(2, 2), (3, 3), (4, 4), (5, 9), (10, 19), (20, 49), (50, 99), (100, 999), (1000, 10**9)]
    return [(low, min(high, max(largest, low))) for low, high in classes if low <= max(largest, 2)]


def drawn_parts(tables: contents.PartTables, by: str, wording: contents.Wording) -> list[str]:
    """Return the names of the parts that ``part_figure`` plots, for which see there."""
    left_out = wording("part_none") if by in _STRETCHES else None
    return [line.name for line in tables.tables[0].lines if not line.whole and line.name != left_out]


def part_figure(tables: contents.PartTables, by: str, wording: contents.Wording) -> Picture:
    """Plot S, T and the share of duplicates of each part: lines for stretches of time, points for others."""
    names, series = drawn_parts(tables, by, wording), [table.name for table in tables.tables]
    step = -(-len(names) // (_MOST_LABELS if by in _STRETCHES else _MOST_PARTS))
    ticks = [(place, _short(names[place])) for place in range(0, len(names), step)]
    x = Axis(low=-0.5, high=len(names) - 0.5, ticks=ticks, tilt=60)
    panels = []
    for quantity in ("symmetry_at", "transitivity_at", "duplicates"):
        lines: list[Stroke] = []
        areas: list[tuple[list[tuple[float, float]], str]] = []
        for table in tables.tables:
            colour, marker = representation_named(table.name).colour, representation_named(table.name).marker
            parts = [line for line in table.lines if not line.whole and line.name in names]
            bands: list[tuple[float, ...] | None] = [line.bands.get(quantity.removesuffix("_at"), ()) for line in parts]
            # A part with too few links for an interval draws nothing: a gap in the values is a gap in the line.
            known = [(place, getattr(line, quantity), bands[place]) for place, line in enumerate(parts)]
            runs = groupby(known, key=lambda one: one[1] is not None and one[2] is not None)
            for run in [list(run) for given, run in runs if given]:
                points = [(float(place), value) for place, value, _ in run]
                dash, hollow = "-" if by in _STRETCHES else "", _is_second(series, table.name)
                lines.append(Stroke(points=points, colour=colour, marker=marker, dash=dash, hollow=hollow))
                ranges = [(float(place), *band) for place, _, band in run if band]
                lows, highs = ([(one[0], one[side]) for one in ranges] for side in (1, 2))
                if by in _STRETCHES:
                    areas += [([*lows, *reversed(highs)], colour)] if ranges else []
                else:
                    lines += (Stroke(points=ends, colour=colour, width=1.2) for ends in zip(lows, highs, strict=True))
        y = _share_axis(wording, f"axis_{quantity.removesuffix('_at')}")
        panels.append(Panel(x=x, y=y, height=150, areas=areas, lines=lines))
    legend = [
        Stroke(points=(), colour=representation_named(one.name).colour, marker=representation_named(one.name).marker,
             dash="-" if by in _STRETCHES else "", label=one.name, hollow=_is_second(series, one.name))
        for one in tables.tables
    ]  # fmt: skip
    return Picture(panels=panels, legend=legend)


def _short(name: str) -> str:
    return name if len(name) <= 24 else f"{name[:23]}…"


def described(svg: str, name: str, title: str, description: str) -> str:
    """Give a picture a title and a description, and the colours of the surrounding page."""
    svg = svg.replace("#ffffff", "var(--page, #ffffff)").replace("#dddddd", "var(--grid, #dddddd)")
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


def describe_curves(result: SweepResult, quantity: str, wording: contents.Wording) -> str:
    """Describe where each curve begins, ends and is highest."""
    sentences = []
    for series in contents.list_series(result, wording):
        points = [(value_of(row, quantity), row.measures.k) for row in series.rows]
        known = [(value, k) for value, k in points if value is not None and k is not None]
        if known:
            most, top = max(known, key=lambda point: (point[0], -point[1]))
            (first, start), (last, end) = known[0], known[-1]
            values = {"first": first, "last": last, "most": most}
            said = {name: wording.decimal(value, 3) for name, value in values.items()}
            sentences.append(wording("described_curve", name=series.name, start=start, end=end, top=top, **said))
    return " ".join(sentences)


def describe_groups(result: SweepResult, wording: contents.Wording) -> str:
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


def describe_parts(tables: contents.PartTables, wording: contents.Wording) -> str:
    """Describe the range of the share of duplicates."""
    sentences = []
    for table in tables.tables:
        known = [line.duplicates for line in table.lines if not line.whole and line.duplicates is not None]
        if known:
            name = f"{table.name}, {wording('axis_duplicates')}"
            low, high = wording.percent(min(known)), wording.percent(max(known))
            sentences.append(wording("described_part", name=name, low=low, high=high))
    return " ".join(sentences)


# Write a sweep as a workbook for spreadsheet programs; equal results give equal bytes.


_DAY: Final = datetime(2000, 1, 1)  # stored as the creation date, so that the bytes do not depend on the day

_WIDEST: Final = 60


def workbook_of(result: SweepResult, cover: contents.Cover) -> bytes:
    """Build the sheets of a report: what was measured, rows, parts, groups, sources, pairs."""
    xlsxwriter = require_workbooks()
    wording, target = contents.wording_of(cover.language), io.BytesIO()
    options = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    with xlsxwriter.Workbook(target, options) as book:
        book.set_properties({"title": wording("title"), "created": _DAY})
        _add_sheet(book, wording("title")[:31], _summary(result, cover, wording))
        _add_sheet(book, wording("links_found")[:31], result.as_rows())
        _add_sheet(book, wording("groups_of_duplicates")[:31], _groups(result))
        _add_sheet(book, wording("sources")[:31], _sources(result))
        _add_sheet(book, wording("shared_terms")[:31], _pairs(result))
    return target.getvalue()


def _summary(result: SweepResult, cover: contents.Cover, wording: contents.Wording) -> list[dict[str, Any]]:
    lines = contents.cover_lines(result, cover, wording)
    for card in contents.cards_of(result, wording):
        chosen = wording("no_k") if card.k is None else f"k = {card.k}"
        lines.append((f"{card.name}: {chosen}", wording.spoken(card.missing or card.reason)[0]))
    return [{"": name, " ": value} for name, value in lines]


def _groups(result: SweepResult) -> Iterable[dict[str, Any]]:
    for name, listing in result.listed.items():
        for number, group in enumerate(listing.groups, start=1):
            for one in group.documents:
                own = {"id": one.id, "title": one.title or heading(one)}
                own |= {field: getattr(one, field) for field in ("source", "published", "url")}
                yield {"representation": name, "k": listing.k, "group": number, "documents": group.size, **own}


def _sources(result: SweepResult) -> Iterable[dict[str, Any]]:
    for name, listing in result.listed.items():
        for one in listing.sources:
            counts = {"documents": one.documents, "grouped": one.grouped, "first": one.first, "copied": one.copied}
            yield {"representation": name, "k": listing.k, "source": one.source, **counts}


def _pairs(result: SweepResult) -> Iterable[dict[str, Any]]:
    for one in result.examples:
        sides = {
            f"{name}_{side}": getattr(one, f"{name}_{side}")
            for side in ("a", "b")
            for name in ("title", "source", "published", "url")
        }
        counts = {"forward": one.forward, "backward": one.backward, "terms": " ".join(one.terms)}
        yield {"representation": one.representation, "k": one.k, "a": one.a, "b": one.b, **counts, **sides}


def _add_sheet(book: Workbook, name: str, rows: Iterable[Mapping[str, Any]]) -> None:
    """Add a sheet with a bold header that stays in view; no sheet is added without rows."""
    table = list(rows)
    if not table:
        return
    sheet, header = book.add_worksheet(name), book.add_format({"bold": True})
    columns: Sequence[str] = list(dict.fromkeys(column for row in table for column in row))
    for place, column in enumerate(columns):
        values = [row.get(column) for row in table]
        widest = max(len(str(value)) for value in (column, *values) if value is not None)
        sheet.set_column(place, place, min(widest + 2, _WIDEST))
        sheet.write_string(0, place, column, header)
        for line, value in enumerate(values, start=1):
            if value is None:
                continue
            if isinstance(value, bool):
                sheet.write_boolean(line, place, value)
            elif isinstance(value, int | float):
                sheet.write_number(line, place, value)
            else:
                sheet.write_string(line, place, str(value))
    sheet.freeze_panes(1, 0)
    sheet.autofilter(0, 0, len(table), len(columns) - 1)


# Writes a sweep as a folder of self-contained files.


def write_report(
    result: SweepResult,
    folder: str | Path,
    *,
    command: str | None = None,
    made: str | None = None,
    ui_language: str = "en",
    xlsx: bool = False,
    paper: bool = False,
) -> list[Path]:
    """Write ``sweep.json``, ``sweep.csv``, the plots (SVG, and PNG with the extra ``plots``) and ``report.html``.

    ``paper``: show the paper's values beside yours; ``made``: the day to print, without which the bytes are the same.
    """
    cover = contents.Cover(command=command, made=made, language=ui_language, paper=paper)
    files = report_files(result, cover)
    if xlsx:
        files["report.xlsx"] = workbook_of(result, cover)
    return write_files(files, folder)


def write_files(files: Mapping[str, bytes], folder: str | Path) -> list[Path]:
    """Write files to a folder, each atomically."""
    folder = Path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CannotCreateError(f"cannot create the folder {folder}: {error.strerror or error}") from error
    for name, content in sorted(files.items()):
        with open_output(folder / name) as stream:
            stream.write(content)
    return [folder / name for name in sorted(files)]


def report_files(result: SweepResult, cover: contents.Cover | None = None) -> dict[str, bytes]:
    """Return the contents of a report by file name; equal results give equal bytes."""
    import orjson

    cover = cover or contents.Cover()
    pictures = list(_draw(result, contents.wording_of(cover.language), paper=cover.paper))
    svgs = {one.name: described(as_svg(one.figure), one.name, one.title, one.description) for one in pictures}
    files = {
        "sweep.json": orjson.dumps(result.as_dict(), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE),
        "sweep.csv": csv_bytes(result.as_rows()),
        "report.html": html_report(result, svgs, cover).encode(),
    }
    for one in pictures:
        files |= picture_files(one.name, one.figure, svgs[one.name])
    return files


def csv_bytes(rows: Iterable[Mapping[str, Any]]) -> bytes:
    """Rows as a CSV file."""
    stream = io.BytesIO()
    write_rows(rows, stream, "csv")
    return stream.getvalue()


def picture_files(name: str, picture: Picture, svg: str) -> dict[str, bytes]:
    """A picture as SVG, and also as PNG where matplotlib is installed."""
    files = {f"{name}.svg": f'<?xml version="1.0" encoding="utf-8"?>\n{svg}'.encode()}
    return files | {f"{name}.png": as_png(picture)} if has_plots() else files


@dataclass(frozen=True, slots=True)
class _Picture:
    """A plot with its name and a description for people who cannot see it."""

    name: str
    figure: Picture
    title: str
    description: str


def _draw(result: SweepResult, wording: contents.Wording, *, paper: bool) -> Iterator[_Picture]:
    if result.answer is not None:
        by_day = len(result.answer.days) > 1
        said = {name: wording.count(getattr(result.answer, name)) for name in ("repeats", "documents")}
        title = wording("figure_answer" if by_day else "figure_answer_kinds")
        yield _Picture("answer", answer_figure(result.answer, wording), title, wording("described_answer", **said))
    for quantity in ("symmetry", "transitivity"):
        figure = curve_figure(result, quantity, wording, paper=paper)
        yield _Picture(quantity, figure, wording(f"figure_{quantity}"), describe_curves(result, quantity, wording))
    if result.groups:
        figure = group_figure(result.groups, wording)
        yield _Picture("groups", figure, wording("figure_groups"), describe_groups(result, wording))
    tables = contents.tabulate_parts(result, wording)
    if tables is not None and result.by is not None and drawn_parts(tables, result.by, wording):
        title = wording("figure_parts", k=tables.figure_k)
        figure = part_figure(tables, result.by, wording)
        yield _Picture("parts", figure, title, describe_parts(tables, wording))
