"""What a report of a sweep shows: its cover, series, parts, planted copies."""

from __future__ import annotations

import functools
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from infostream_dedup.errors import UsageError
from infostream_dedup.machine.progress import BETWEEN, Phrase
from infostream_dedup.model.settings import base_of
from infostream_dedup.runs.batch.answering import short_names
from infostream_dedup.runs.batch.sweeping import SweepResult, SweepRow

if TYPE_CHECKING:
    from infostream_dedup.links.measures import Advice

# Figures that papers published, each on its own corpus, which differs from yours.
#
# * D. Lande, tables 1 and 2: March 2009, 1,272,217 documents.
# * Yu. Zelenkov, I. Segalovich, RCDL 2007, tables 2 to 4: about 500,000 Web documents of ROMIP, pool protocol. The row
#   for "3+5" comes from the paper's text.
# * L. Chala, P. Popadenko: expert pairs of a university library's method guides. (Their "3+5" repeats the row above.)
# * Yu Haomin et al.: pairs of sentences from 2,000 documents of ClueWeb09.


@dataclass(frozen=True, slots=True)
class PublishedSeries:
    """One column group of the paper's tables."""

    name: str
    symmetry: dict[int, float]
    transitivity: dict[int, float]
    links: dict[int, int]


PUBLISHED: Final = {
    "stem": PublishedSeries(
        "standard way (stems)",
        {6: 0.43, 7: 0.50, 8: 0.55},
        {6: 0.72, 7: 0.82, 8: 0.90},
        {6: 11_623_225, 7: 6_704_983, 8: 4_525_533},
    ),
    "morph": PublishedSeries(
        "new way (frequency dictionaries)",
        {4: 0.26, 5: 0.31, 6: 0.35, 7: 0.41, 8: 0.45},
        {4: 0.57, 5: 0.64, 6: 0.69, 7: 0.73, 8: 0.83},
        {4: 23_263_120, 5: 9_905_076, 6: 5_388_866, 7: 3_412_895, 8: 2_539_295},
    ),
    "pivot": PublishedSeries(
        "across languages",
        {4: 0.16, 5: 0.13, 6: 0.10, 7: 0.07, 8: 0.06},
        {4: 0.08, 5: 0.03, 6: 0.01, 7: 0.02, 8: 0.03},
        {4: 3_488_705, 5: 873_533, 6: 283_027, 7: 125_533, 8: 63_698},
    ),
}


def published_beside(representation: str, block: str, blocks: Collection[tuple[str, str]]) -> PublishedSeries | None:
    """Return the paper's series to show beside one of ours; ``None`` if there is none."""
    counterpart = "cross" if (representation, "cross") in blocks else "all"
    return PUBLISHED.get(base_of(representation)) if block == counterpart else None


@dataclass(frozen=True, slots=True)
class PublishedMethod:
    """Figures of one method; ``None`` if not printed."""

    paper: str
    precision: float | None = None
    recall: float | None = None
    f1: float | None = None
    pairs: int | None = None


_ROMIP: Final = "Zelenkov, Segalovich 2007"
_CHALA: Final = "Chala, Popadenko"
_YU: Final = "Yu et al., sentences"

PUBLISHED_METHODS: Final = {
    "md5": PublishedMethod(_ROMIP, 1.00, 0.23, 0.38, 2_791_226),
    "tf": PublishedMethod(_ROMIP, 0.94, 0.60, 0.73, 7_540_460),
    "tf-idf": PublishedMethod(_ROMIP, 0.96, 0.54, 0.69, 6_745_096),
    "tf-ridf": PublishedMethod(_ROMIP, 0.95, 0.59, 0.73, 7_373_208),
    "long-sent": PublishedMethod(_ROMIP, 0.80, 0.84, 0.82, 12_635_770),
    "heavy-sent": PublishedMethod(_ROMIP, 0.86, 0.62, 0.72, 8_544_468),
    "megashingles": PublishedMethod(_ROMIP, 0.91, 0.36, 0.51, 4_696_699),
    "lex-rand": PublishedMethod(_ROMIP, 0.97, 0.50, 0.66, 6_124_207),
    "log-shingles": PublishedMethod(_ROMIP, 0.97, 0.39, 0.56, 4_791_883),
    "descr-words": PublishedMethod(_ROMIP, 0.77, 0.44, 0.56, 6_927_589),
    "opt-freq": PublishedMethod(_ROMIP, 0.94, 0.59, 0.73, 7_531_378),
    "three-plus-five": PublishedMethod(_ROMIP, 0.95, 0.96, 0.95),
    "three-plus-two": PublishedMethod(_CHALA, 0.963, 0.956, 0.959),
    "three-plus-two:n=3": PublishedMethod(_CHALA, 0.978, 0.927, 0.952),
    "i-match": PublishedMethod(_YU, f1=0.877),
    "spotsigs": PublishedMethod(_YU, f1=0.764),
    "low-idf-sig": PublishedMethod(_YU, f1=0.954),
    "shingles": PublishedMethod(_YU, f1=0.960),
}
"""Published figures by the method's name in a comparison."""

_TABLE_4: Final = (
    ("tf", ("tf-idf", 0.83), ("tf-ridf", 0.79), ("long-sent", 0.40), ("heavy-sent", 0.68), ("megashingles", 0.54)),
    ("tf", ("lex-rand", 0.90), ("descr-words", 0.65)),
    ("tf-idf", ("tf-ridf", 0.75), ("long-sent", 0.38), ("heavy-sent", 0.76), ("megashingles", 0.60)),
    ("tf-idf", ("lex-rand", 0.88), ("descr-words", 0.71)),
    ("tf-ridf", ("long-sent", 0.32), ("heavy-sent", 0.60), ("megashingles", 0.48), ("lex-rand", 0.82)),
    ("tf-ridf", ("descr-words", 0.59)),
    ("long-sent", ("heavy-sent", 0.76), ("megashingles", 0.54), ("lex-rand", 0.54), ("descr-words", 0.55)),
    ("heavy-sent", ("megashingles", 0.59), ("lex-rand", 0.69), ("descr-words", 0.68)),
    ("megashingles", ("lex-rand", 0.56), ("descr-words", 0.53)),
    ("lex-rand", ("descr-words", 0.66)),
)

PUBLISHED_DICE: Final = {(one, other): value for one, *others in _TABLE_4 for other, value in others}
"""Table 4 of Zelenkov and Segalovich by the names of two methods; it lacks Log Shingles and Opt Freq."""


# The words of a report in Ukrainian, Russian and English, and numbers as each language writes them

UI_LANGUAGES: Final = ("uk", "ru", "en")


class Wording:
    """The words of one language."""

    def __init__(self, language: str, words: dict[str, str], sentences: dict[str, str]) -> None:
        self.language = language
        self._words, self._sentences = words, sentences

    def __call__(self, key: str, /, **values: object) -> str:
        """Return the words for a key, with values filled in."""
        return self._words[key].format(**values)

    def spoken(self, sentence: str) -> tuple[str, bool]:
        """Return a sentence in this language, and whether it was translated; otherwise it stays English."""
        english = self.language == "en"
        if not isinstance(sentence, Phrase):
            return sentence, english
        if sentence.parts:
            said = [self.spoken(part) for part in sentence.parts]
            return (BETWEEN.join(text for text, _ in said), True) if all(own for _, own in said) else (sentence, False)
        if not english and sentence.template not in self._sentences:
            return sentence, False
        values: dict[str, object] = {}
        for name, one in sentence.values.items():
            text, own = self.spoken(one) if isinstance(one, Phrase) else (self._value(name, one), True)
            if not own:
                return sentence, False
            values[name] = text
        return self._sentences.get(sentence.template, sentence.template).format(**values), True

    def _value(self, name: str, value: object) -> object:
        """Format a value in a sentence: a language by the right form of its name, a number with its signs."""
        if isinstance(value, float):
            return value if self.language == "en" else _Comma(value)
        if isinstance(value, int) and value >= 1000:
            return self.count(value)
        return self._words.get(f"{name}_{value}", value)

    def decimal(self, value: float | None, digits: int) -> str:
        """Format a number with a decimal point or comma; ``None`` becomes a dash."""
        return "–" if value is None else self.localised(f"{value:.{digits}f}")

    def percent(self, value: float | None) -> str:
        """Format a share, 0 to 1, as a percentage with one decimal; ``None`` becomes a dash."""
        return "–" if value is None else f"{self.localised(f'{100 * value:.1f}')}\N{NO-BREAK SPACE}%"

    def count(self, value: int | None) -> str:
        """Format a whole number with thousands separators; ``None`` becomes a dash."""
        return (
            "–" if value is None else f"{value:,}".replace(",", "," if self.language == "en" else "\N{NO-BREAK SPACE}")
        )

    def moment(self, time: object) -> str:
        """Format a day, or a day and minute: 2026-03-05 14:00 in English, 05.03.2026 14:00 in the others."""
        text = str(time)[:16].replace("T", " ")
        found = None if self.language == "en" else re.match(r"(\d{4})-(\d\d)-(\d\d)(?=$| )", text)
        return text if found is None else f"{found[3]}.{found[2]}.{found[1]}{text[10:]}"

    def localised(self, number: str) -> str:
        """A number, or several, with the decimal sign of the language."""
        return number if self.language == "en" else number.replace(".", ",")


class _Comma(float):
    """A number that formats itself with a decimal comma."""

    def __format__(self, how: str) -> str:
        return super().__format__(how).replace(".", ",")


@functools.cache
def wording_of(language: str) -> Wording:
    """Return the words of a language, which are read only once."""
    import orjson

    if language not in UI_LANGUAGES:
        raise UsageError(f"a report is written in {', '.join(UI_LANGUAGES)}, not in {language!r} (--ui-language)")
    data = (resources.files("infostream_dedup.report") / "locale" / f"{language}.json").read_bytes()
    found: dict[str, Any] = orjson.loads(data)
    return Wording(language, found["words"], found["sentences"])


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


def list_series(result: SweepResult, wording: Wording, *, paper: bool = False) -> list[Series]:
    """Return the series of a sweep in the order of its rows; ``paper`` adds the published values."""
    unlike = [row for row in result.rows if row.representation not in result.same_as]
    blocks = dict.fromkeys((row.representation, row.block) for row in unlike)
    shown = [row for row in unlike if row.measures.k is not None]
    named = {"all": "", "cross": ":cross"}
    return [
        Series(
            representation=representation,
            block=block,
            name=title_of(representation, block, wording),
            recommended=result.recommended_k.get(f"{representation}{named[block]}") if block in named else None,
            published=published_beside(representation, block, blocks) if paper else None,
            rows=(rows := [row for row in shown if (row.representation, row.block) == (representation, block)]),
            estimated=any("copies" in row.estimated for row in rows),
        )
        for representation, block in blocks
    ]


def overview_of(series: list[Series]) -> list[tuple[int, dict[str, SweepRow]]]:
    """Return the rows of all series by k, then by name."""
    table: dict[int, dict[str, SweepRow]] = {}
    for name, row in ((one.name, row) for one in series for row in one.rows):
        if row.measures.k is not None:
            table.setdefault(row.measures.k, {})[name] = row
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
                groups_k=result.decided_k(name),
                quality=_quality(result, representation, block or "all", k, wording),
            )
        )
    return [*cards, *(Card(name=name, missing=why) for name, why in result.missing.items())]


def _quality(result: SweepResult, representation: str, block: str, k: int | None, wording: Wording) -> tuple[str, ...]:
    """Say what was counted and estimated about the links at one k; empty if nothing was, or if there is no k."""
    for row in result.rows if k is not None else ():
        if (row.representation, row.block, row.measures.k) == (representation, block, k) and row.estimated:
            # Where links within languages have their own rows, only those are estimated.
            apart = any((one.representation, one.block) == (representation, "mono") for one in result.rows)
            estimated = "" if apart else _estimated(row.estimated, wording)
            bands = _by_band(result.without_labels.get(representation), k, wording) if block == "all" else ""
            lines = (_counted(row.estimated, wording), bands, estimated)
            return tuple(line for line in lines if line)
    return ()


def _counted(columns: Mapping[str, Any], wording: Wording) -> str:
    names = ("copy_precision", "copy_precision_low", "copy_precision_high", "copy_recall", "copies")
    precision, low, high, recall, copies = (columns.get(name) for name in names)
    if precision is None or recall is None:
        return ""
    shares = {"precision": precision, "low": low, "high": high, "recall": recall}
    shown = {name: wording.percent(share) for name, share in shares.items()}
    return wording("quality_copies", copies=wording.count(copies), **shown)


def _by_band(summary: Mapping[str, Any] | None, k: int | None, wording: Wording) -> str:
    """Say how many copies of each band of wording are linked; empty if there are none."""
    steps = summary["copies"]["steps"] if summary is not None else []
    bands: dict[str, float | None] = next((step["recall_by_wording"] for step in steps if step["step"] == k), {})
    said = [
        wording("quality_band", low=low, high=high, recall=wording.percent(recall))
        for (low, high), recall in ((wording.localised(name).split("-"), recall) for name, recall in bands.items())
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
    k = result.decided_k(representation)
    ks = sorted(_by_k(result, representation))
    named = [(part_name(name, result.by, wording), part) for name, part in result.parts.items()]
    lines = [_line(wording("whole"), result, representation, k, ks, whole=True)]
    lines.extend(_line(name, part, representation, k, ks, whole=False) for name, part in named)
    return PartTable(representation, k, ks, lines)


def _line(name: str, part: SweepResult, representation: str, k: int, ks: Sequence[int], *, whole: bool) -> PartLine:
    rows, own = _by_k(part, representation), part.recommended_k.get(representation)
    at_own, at_k = (rows[one].measures if one in rows else None for one in (own, k))
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
        bands={name: _band(rows.get(k), name) for name in ("symmetry", "transitivity")},
        curves={
            quantity: [getattr(rows[one].measures, quantity) if one in rows else None for one in ks]
            for quantity in ("symmetry", "transitivity")
        },
    )


def _band(row: SweepRow | None, name: str) -> tuple[float, float] | None:
    """Interval of S or T; ``None`` for a part with too few links to draw."""
    low, high = (getattr(row and row.interval, f"{name}_{end}", None) for end in ("low", "high"))
    return None if low is None or high is None else (low, high)


def _by_k(part: SweepResult, representation: str) -> dict[int, SweepRow]:
    return {
        row.measures.k: row
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
    paper: bool = False


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
