"""What a report of a sweep shows: its cover, series, parts, planted copies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

from infostream_dedup.links import Advice, Measures, usual_k
from infostream_dedup.report.published import PublishedSeries, published_beside
from infostream_dedup.report.wording import Wording
from infostream_dedup.runs.batch.parts import short_names
from infostream_dedup.runs.batch.sweeping import SweepResult, SweepRow

if TYPE_CHECKING:
    from infostream_dedup.runs.batch.sweeping import SweepResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """One representation and block."""

    representation: str
    block: str
    name: str
    recommended: int | None
    published: PublishedSeries | None
    rows: list[SweepRow]
    estimated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """The recommendation of one representation."""

    name: str
    k: int | None = None
    reason: str = ""
    missing: str | None = None
    duplicates: float | None = None
    groups_k: int = 6
    quality: tuple[str, ...] = ()


def title_of(representation: str, block: str, wording: Wording) -> str:
    """Return the name of a series in the report."""
    return representation if block == "all" else f"{representation}, {wording(f'block_{block}')}"


def advised(result: SweepResult, wording: Wording) -> list[tuple[str, Advice]]:
    """Return the advice on every series that has a k, by the name of the series."""
    named = ((*split_name(name), one) for name, one in result.advice.items() if one.chosen is not None)
    return [
        (title_of(representation, block or "all", wording), one)
        for representation, block, one in named
        if representation not in result.same_as
    ]


def split_name(name: str) -> tuple[str, str]:
    """The series and the block (``cross`` or empty) of a recommendation."""
    return (name.removesuffix(":cross"), "cross") if name.endswith(":cross") else (name, "")


def list_series(result: SweepResult, wording: Wording) -> list[Series]:
    """Return the series of a sweep in the order of its rows."""
    shown = [row for row in result.rows if row.representation not in result.same_as]
    blocks = dict.fromkeys((row.representation, row.block) for row in shown)
    found = []
    for representation, block in blocks:
        rows = [
            row
            for row in result.rows
            if (row.representation, row.block) == (representation, block) and row.measures.k is not None
        ]
        series = Series(
            representation=representation,
            block=block,
            name=title_of(representation, block, wording),
            recommended=result.recommended_k.get(
                f"{representation}:cross" if block == "cross" else representation if block == "all" else ""
            ),
            published=published_beside(representation, block, blocks),
            rows=rows,
            estimated=any("copies" in row.estimated for row in rows),
        )
        found.append(series)
    return found


def overview_of(series: list[Series]) -> list[tuple[int, dict[str, SweepRow]]]:
    """Return the rows of all series by k, then by name."""
    table: dict[int, dict[str, SweepRow]] = {}
    for one in series:
        for row in one.rows:
            if row.measures.k is not None:
                table.setdefault(row.measures.k, {})[one.name] = row
    return sorted(table.items())


def cards_of(result: SweepResult, wording: Wording) -> list[Card]:
    """Return the recommendation for each representation, and for links between languages."""
    cards = []
    for name, k in result.recommended_k.items():
        representation, block = split_name(name)
        if representation in result.same_as:
            continue
        cards.append(
            Card(
                name=title_of(representation, block or "all", wording),
                k=k,
                reason=result.reason[name],
                duplicates=None if block else result.duplicates(representation),
                groups_k=k or usual_k(result.configuration["n"]),
                quality=_quality(result, representation, block or "all", k, wording),
            )
        )
    return [*cards, *(Card(name=name, missing=why) for name, why in result.missing.items())]


def _quality(result: SweepResult, representation: str, block: str, k: int | None, wording: Wording) -> tuple[str, ...]:
    """Say what was counted and estimated about the links at one k; empty if nothing was."""
    for row in result.rows:
        if (row.representation, row.block, row.measures.k) == (representation, block, k) and row.estimated:
            estimated = "" if _told_apart(result, representation) else _estimated(row.estimated, wording)
            bands = _by_band(result.without_labels.get(representation), k, wording) if block == "all" else ""
            lines = (_counted(row.estimated, wording), bands, estimated)
            return tuple(line for line in lines if line)
    return ()


def _counted(columns: Mapping[str, Any], wording: Wording) -> str:
    names = ("copy_precision", "copy_precision_low", "copy_precision_high", "copy_recall", "copies")
    precision, low, high, recall, copies = (columns.get(name) for name in names)
    if precision is None or recall is None:
        return ""
    percent = wording.percent
    return wording(
        "quality_copies",
        precision=percent(precision),
        low=percent(low),
        high=percent(high),
        recall=percent(recall),
        copies=wording.count(copies),
    )


def _by_band(summary: Mapping[str, Any] | None, k: int | None, wording: Wording) -> str:
    """Say how many copies of each band of wording are linked; empty if there are none."""
    steps = summary["copies"]["steps"] if summary is not None else []
    bands: dict[str, float | None] = next((step["recall_by_wording"] for step in steps if step["step"] == k), {})
    said = [
        wording("quality_band", low=low, high=high, recall=wording.percent(recall))
        for (low, high), recall in ((name.split("-"), recall) for name, recall in bands.items())
        if recall is not None
    ]
    return wording("quality_bands", bands="; ".join(said)) if said else ""


def _estimated(columns: Mapping[str, Any], wording: Wording) -> str:
    code, percent = columns.get("reliable_code"), wording.percent
    if code == "reliable":
        names = ("precision", "recall", "f1")
        return wording("quality_reliable", **{name: percent(columns.get(name)) for name in names})
    if code == "upper_bound":
        return wording("quality_upper_bound", high=percent(columns.get("precision_high")))
    return wording("quality_refused") if code == "refused" else ""


def _told_apart(result: SweepResult, representation: str) -> bool:
    """Whether links within languages have their own rows; then only those are estimated."""
    return any((row.representation, row.block) == (representation, "mono") for row in result.rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class PartLine:
    """One part in one representation."""

    name: str
    whole: bool
    documents: int
    recommended: int | None
    symmetry: float | None
    transitivity: float | None
    duplicates: float | None
    symmetry_at: float | None
    transitivity_at: float | None
    bands: dict[str, tuple[float, float] | None]
    curves: dict[str, list[float | None]]


@dataclass(frozen=True, slots=True)
class PartTable:
    """All parts in one representation."""

    name: str
    k: int
    ks: list[int]
    lines: list[PartLine]


@dataclass(frozen=True, slots=True)
class PartTables:
    """The tables of all representations, with data for the figure above them."""

    figure_k: str
    tables: list[PartTable]


def part_name(name: str | None, by: str | None, wording: Wording) -> str:
    """Return the name of a part in the report; ``None`` means documents without a source or date."""
    return name if name is not None else wording("part_none_source" if by == "source" else "part_none")


def tabulate_parts(result: SweepResult, wording: Wording) -> PartTables | None:
    """Arrange the parts side by side; return ``None`` if there are no parts, or if they have no k."""
    if result.by is None or all(row.measures.k is None for row in result.rows):
        return None
    names = dict.fromkeys(row.representation for row in result.rows if row.representation not in result.same_as)
    tables = [_table(result, name, wording) for name in names]
    return PartTables(", ".join(f"{table.k} ({table.name})" for table in tables), tables)


def _table(result: SweepResult, representation: str, wording: Wording) -> PartTable:
    k = result.recommended_k.get(representation) or usual_k(result.configuration["n"])
    ks = sorted(_by_k(result, representation))
    named = [(part_name(name, result.by, wording), part) for name, part in result.parts.items()]
    lines = [_line(wording("whole"), result, representation, k, ks, whole=True)]
    lines.extend(_line(name, part, representation, k, ks, whole=False) for name, part in named)
    return PartTable(representation, k, ks, lines)


def _line(name: str, part: SweepResult, representation: str, k: int, ks: Sequence[int], *, whole: bool) -> PartLine:
    rows, own = _by_k(part, representation), part.recommended_k.get(representation)
    at_own, at_k = None if own is None else rows.get(own), rows.get(k)
    return PartLine(
        name=name,
        whole=whole,
        documents=sum(part.documents.values()),
        recommended=own,
        symmetry=None if at_own is None else at_own.symmetry,
        transitivity=None if at_own is None else at_own.transitivity,
        duplicates=part.duplicates(representation),
        symmetry_at=None if at_k is None else at_k.symmetry,
        transitivity_at=None if at_k is None else at_k.transitivity,
        bands=_bands(part, representation, k),
        curves={
            quantity: [getattr(rows.get(one), quantity, None) for one in ks]
            for quantity in ("symmetry", "transitivity")
        },
    )


def _bands(part: SweepResult, representation: str, k: int) -> dict[str, tuple[float, float] | None]:
    """Intervals of S and T at k; ``None`` for a part with too few links to draw."""
    found: dict[str, tuple[float, float] | None] = {"symmetry": None, "transitivity": None}
    for row in part.rows:
        if (row.representation, row.block, row.measures.k) == (representation, "all", k):
            for name in found:
                low, high = getattr(row.interval, f"{name}_low"), getattr(row.interval, f"{name}_high")
                found[name] = None if low is None or high is None else (low, high)
    return found


def _by_k(part: SweepResult, representation: str) -> dict[int, Measures]:
    return {
        row.measures.k: row.measures
        for row in part.rows
        if (row.representation, row.block) == (representation, "all") and row.measures.k is not None
    }


@dataclass(frozen=True, slots=True)
class PlantedLine:
    """One language and edit."""

    language: str
    edit: str
    cells: list[dict[str, Any] | None]


@dataclass(frozen=True, slots=True)
class PlantedTable:
    """One representation."""

    name: str
    k: int
    rates: list[float]
    lines: list[PlantedLine]


def tabulate_planted(result: SweepResult) -> list[PlantedTable]:
    """Return a table for each representation; an empty list if nothing was planted."""
    tables = []
    for name, group in groupby(result.planted_at_k(), key=lambda row: row["representation"]):
        rows = list(group)
        rates = sorted({row["rate"] for row in rows})
        by_line: dict[tuple[str, str], dict[float, dict[str, Any]]] = {}
        for row in rows:
            by_line.setdefault((row["language"], row["edit"]), {})[row["rate"]] = row
        lines = [
            PlantedLine(language, edit, [cells.get(rate) for rate in rates])
            for (language, edit), cells in by_line.items()
        ]
        tables.append(PlantedTable(name, rows[0]["k"], rates, lines))
    return tables


_NAMED: tuple[str, ...] = ("<list>", "-")
_FILES = 12
_SOURCES = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Cover:
    """What the numbers do not say."""

    command: str | None = None
    made: str | None = None
    language: str = "en"


def cover_lines(result: SweepResult, cover: Cover, wording: Wording) -> list[tuple[str, str]]:
    """Return what was measured, as names and values, in the order of the page."""
    lines = []
    files = [] if result.report is None else [name for name in result.report.used_by_source if name not in _NAMED]
    if files:
        lines.append((wording("files"), _listed(short_names(files), _FILES, wording)))
    total = wording.count(sum(result.documents.values()))
    languages = ", ".join(
        f"{wording(f'lang_{language}')} {wording.count(number)}" for language, number in result.documents.items()
    )
    lines.append((wording("documents"), f"{total} ({languages})" if languages else total))
    about = result.about
    if about is not None and about.first is not None and about.last is not None:
        undated = about.documents - about.dated
        remark = f" ({wording('undated', number=wording.count(undated))})" if undated else ""
        lines.append((wording("period"), f"{wording.moment(about.first)} – {wording.moment(about.last)}{remark}"))
    if about is not None and about.sources:
        named = [f"{source} {wording.count(number)}" for source, number in about.sources.items()]
        lines.append((wording("sources"), f"{wording.count(len(named))}: {_listed(named, _SOURCES, wording)}"))
    if cover.command is not None:
        lines.append((wording("command"), cover.command))
    if cover.made is not None:
        lines.append((wording("made"), wording.moment(cover.made)))
    lines.append((wording("version"), f"infostream-dedup {result.configuration['version']}"))
    return lines


def _listed(names: list[str], most: int, wording: Wording) -> str:
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} {wording('and_more', number=wording.count(len(names) - most))}"
