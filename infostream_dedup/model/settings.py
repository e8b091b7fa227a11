"""Every choice that changes a result, with its default, and the thresholds that a sweep advises, as a TOML file."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from numbers import Number
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from infostream_dedup.errors import ConfigurationError, NoInputError
from infostream_dedup.model.document import OUR_LANGUAGES
from infostream_dedup.model.limits import EXPERT, OneOf, Option, Range, check_limits
from infostream_dedup.model.registry import names_in_folder, offered

CANDIDATE_TERMS: Final = 3  # number of key terms, out of 12, that must match in one direction for a pair to be judged

COMPARED_TERMS: Final = 30
"""Number of key terms of a document that are compared; the n heaviest of them find candidates."""

SHOWN_DECIMALS: Final = 6  # decimals of the probabilities and shares that are shown


_TERMS: Final = Path(__file__).parents[1] / "terms"

_OURS: Final = names_in_folder(_TERMS / "representations", ("stem", "morph", "pivot"))
REPRESENTATIONS: Final = (*_OURS, *(name for name in offered("representations") if name not in _OURS))
"""Each is one file, or an entry point of another package; see ``terms.representation``."""

WEIGHTINGS: Final = names_in_folder(_TERMS / "weightings", ("bm25", "tfidf"))
"""Each is one file; see ``terms.weighting``."""

SCORES: Final = ("count", "share")
SHORT_RULES: Final = ("scaled", "strict")
MORPH_RULES: Final = ("open", "strict")
PAIR_RULES: Final = ("both", "either")

ACROSS: Final = ("pivot", "none")  # how streams look across languages; the first is the default of preset ``judged``

Within = Literal["source", "outlets", "all"]
WITHIN: Final[tuple[Within, ...]] = ("source", "outlets", "all")

STREAM_PRESETS: Final = ("judged", "faithful")

PRESETS: Final[Mapping[str, Mapping[str, Any]]] = {
    "faithful": {"n": 12, "score": "count", "k": 6},
    "best": {"n": 30, "score": "share", "threshold": 0.40, "min_terms": 3, "rule": "both"},
    "similar": {"n": 12, "score": "count", "k": 4, "rule": "either"},
}


def preset_of(given: Mapping[str, Any], key_terms_only: Iterable[str]) -> str:
    """The preset named, else ``judged``, or ``faithful`` if a setting is given that only key terms read.

    The one place that chooses a preset, for ``pairs``, ``dedup`` and streams. ``key_terms_only`` leaves out
    ``representation``.
    """
    if given.get("preset") is not None:
        return str(given["preset"])
    named = any(given.get(name) is not None for name in key_terms_only)
    return "faithful" if named or given.get("representation") not in (None, "morph") else "judged"


MIDDLE: Final = "middle"
MIDDLE_SHARE: Final = 0.018
"""Minimum share of the documents that contain a term of middle frequency: near it, S and T reach the paper's levels."""

SERIES: Final[Mapping[str, tuple[str, ...]]] = {
    "paper": ("stem:tfidf", "morph:bm25", "pivot"),
    "middle": ("stem:tfidf:middle",),
}
"""Named series of a sweep: the paper's standard way, new way and links between languages; terms of middle frequency."""


def base_of(series: str) -> str:
    """The representation of a series."""
    return series.partition(":")[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings that determine key terms, links and pairs, named like the command line's flags.

    Attributes:
        representation: ``stem``, ``morph``, ``pivot`` or the name of another file of ``terms/representations/``.
        weighting: ``bm25`` (k1, b), ``tfidf`` or the name of another file of ``terms/weightings/``.
        n: number of key terms kept for a document, 1 to 255.
        k: number of key terms that must be found for a link, 1 to n.
        score: ``count`` (k of n terms) or ``share`` (share of the key terms' weight).
        threshold: minimum share for a link when ``score`` is ``share``, greater than 0 and at most 1.
        min_terms: with ``share``, number of key terms that must also be found, 1 to n.
        rule: directions that must be linked for a duplicate, ``both`` or ``either``.
        target: where key terms are looked up: ``text``, ``signature`` or ``top:M``.
        df_min: minimum document frequency of a key term: below 1 a share of all documents, otherwise a count.
        df_max: maximum document frequency of a key term: below 1 a share of all documents, otherwise a count.
        k1: BM25 term saturation, at least 0.
        b: BM25 length normalisation, 0 to 1.
        background: whether to blend the statistics of small collections with the frequency dictionary.
        short: ``scaled`` lowers k for documents with fewer than n key terms, ``strict`` does not.
        morph: ``open`` accepts predicted proper nouns, ``strict`` only dictionary words.
        pivot: language that representation ``pivot`` translates terms into: ``ru``, ``uk`` or ``en``.

    Raises:
        ConfigurationError: a value is out of range.
    """

    representation: Annotated[str, OneOf(*REPRESENTATIONS), Option("How a word becomes a term.")] = "morph"
    weighting: Annotated[str, OneOf(*WEIGHTINGS), Option("How terms are weighted.", EXPERT)] = "bm25"
    n: Annotated[int, Range(1, 255), Option("Key terms per document.")] = 12
    k: int = 6
    score: Annotated[str, OneOf(*SCORES), Option("Compare k of n terms, or the share of their weight.")] = "count"
    threshold: Annotated[float, Range(1e-9, 1.0)] = 0.40
    min_terms: int = 3
    rule: Annotated[str, OneOf(*PAIR_RULES)] = "both"
    target: Annotated[str, Option("Where key terms are looked up.", EXPERT, metavar="text|signature|top:M")] = "text"
    df_min: Annotated[
        float, Range(0.0), Option("Minimum document frequency of a key term; below 1, a share.", EXPERT)
    ] = 2
    df_max: Annotated[
        float, Range(0.0), Option("Maximum document frequency of a key term; below 1, a share.", EXPERT)
    ] = 0.5
    k1: Annotated[float, Range(0.0)] = 2.0
    b: Annotated[float, Range(0.0, 1.0)] = 0.75
    background: Annotated[
        bool, Option("Blend the statistics of small collections with a frequency dictionary.", EXPERT)
    ] = True
    short: Annotated[str, OneOf(*SHORT_RULES), Option("Whether to lower k for documents with few terms.", EXPERT)] = (
        "scaled"
    )
    morph: Annotated[
        str, OneOf(*MORPH_RULES), Option("Include predicted proper nouns, or dictionary words only.", EXPERT)
    ] = "open"
    pivot: Annotated[
        str, OneOf(*OUR_LANGUAGES), Option("Language into which representation pivot translates terms.", EXPERT)
    ] = "ru"

    def __post_init__(self) -> None:
        check_limits(self)
        Range(1, self.n).check("k", self.k)
        Range(1, self.n).check("min_terms", self.min_terms)
        self.target_size()
        if self.df_min > self.df_max and (self.df_min < 1) == (self.df_max < 1):
            raise ConfigurationError(
                f"df_min is {self.df_min:g}, above df_max {self.df_max:g}, so that no term could be a key term; below 1"
                " they are shares of the documents, from 1 on numbers of documents"
            )

    def for_series(self, series: str) -> Settings:
        """These settings for a series ``REPRESENTATION[:WEIGHTING][:middle]``."""
        representation, *more = series.split(":")
        middle = more[-1:] == [MIDDLE]
        weightings = more[: len(more) - middle]
        OneOf(*REPRESENTATIONS).check("representation", representation)
        if len(weightings) > 1 or not set(weightings) <= set(WEIGHTINGS):
            raise ConfigurationError(
                f"representation is {series!r}; expected REPRESENTATION, REPRESENTATION:WEIGHTING (weightings are"
                f" {', '.join(WEIGHTINGS)}) or one of these followed by :{MIDDLE}"
            )
        found = replace(self, representation=representation, weighting=(weightings or [self.weighting])[0])
        return replace(found, df_min=MIDDLE_SHARE) if middle else found

    def target_size(self) -> int | None:
        """Return how many terms of a document are searched: M for ``top:M``, 0 for ``signature``, ``None`` for all."""
        if self.target in ("text", "signature"):
            return None if self.target == "text" else 0
        head, _, size = self.target.partition(":")
        if head != "top" or not size.isascii() or not size.isdigit() or not 1 <= int(size) <= 2**31 - 1:
            raise ConfigurationError(f"target is {self.target!r}; expected text, signature or top:M with M >= 1")
        return int(size)

    @classmethod
    def of(cls, *, preset: str | None = None, **given: Any) -> Settings:
        """Create settings from the defaults, overridden by a preset, and in turn by the values given.

        Args:
            preset: one of ``PRESETS``, or ``None``.
            given: values by name; ``None`` means not given.

        Raises:
            ConfigurationError: unknown preset, unknown name, or a value out of range.
        """
        if preset is not None and preset not in PRESETS:
            raise ConfigurationError(f"preset is {preset!r}; expected one of judged, {', '.join(PRESETS)}")
        default = {field.name: field.default for field in fields(cls)}
        unknown = sorted(set(given) - set(default))
        if unknown:
            raise ConfigurationError(f"unknown setting {unknown[0]!r}; known are {', '.join(sorted(default))}")
        chosen = {**default, **(PRESETS[preset] if preset else {})}
        chosen.update({name: value for name, value in given.items() if value is not None})
        for name in ("k", "min_terms"):
            if given.get(name) is None and isinstance(chosen["n"], Number):
                chosen[name] = min(chosen[name], chosen["n"])
        return cls(**chosen)

    def but(self, **changes: Any) -> Settings:
        """Return a copy with some values changed."""
        return replace(self, **changes)

    def as_dict(self) -> dict[str, Any]:
        """Return the values by name, in the order of the attributes."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


_TABLES: Final = ("thresholds", "judged", "measured")
_MEASURED: Final = ("n", "score", "target")
"""What a command must have in common with the sweep for its k to mean the same."""

_HEAD: Final = """\
# Thresholds advised by 'infostream-dedup sweep --write-config', to be read with --config by pairs, dedup, ingest,
# evaluate, serve and store retune. Preset faithful takes the k of its series, preset judged takes [judged]. S and T
# tune preset faithful only: the values of [judged] are its defaults, written down to be changed by hand.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholds:
    """What the file ``path`` says: ``ks`` of each series, ``min_probability`` and ``join`` where they are given.

    ``measured``: ``n``, ``score`` and ``target`` of the sweep, and further figures for the reader.
    """

    path: str
    ks: Mapping[str, int]
    judged: Mapping[str, Any] = field(default_factory=dict)
    measured: Mapping[str, Any]

    @classmethod
    def read(cls, path: str | Path) -> Thresholds:
        """Read a file; raises ConfigurationError if it is damaged, foreign or cut short."""
        found = parsed(path)
        if not is_thresholds(found):
            raise ConfigurationError(f"{path}: not a file of thresholds: its first table is not [thresholds]")
        return cls.of(found, str(path))

    @classmethod
    def of(cls, values: Mapping[str, Any], path: str) -> Thresholds:
        """Check what a file says."""
        for name in values:
            if name not in _TABLES:
                raise ConfigurationError(f"{path}: unknown table {name!r}; known are {', '.join(_TABLES)}")
        measured, judged = (_table(values, name, path) for name in ("measured", "judged"))
        if measured.get("complete") is not True:
            raise ConfigurationError(f"{path}: cut short: 'complete = true' is missing at the end of [measured]")
        for name in _MEASURED:
            if not isinstance(measured.get(name), int if name == "n" else str) or measured[name] is True:
                raise ConfigurationError(f"{path}: [measured] {name} is {measured.get(name)!r}")
        ks = {}
        for series, table in _table(values, "thresholds", path).items():
            k = table.get("k") if isinstance(table, dict) else None
            if type(k) is not int or not 1 <= k <= measured["n"]:
                raise ConfigurationError(f"{path}: k of {series!r} is {k!r}; expected 1 to n = {measured['n']}")
            ks[series] = k
        _check_judged(judged, path)
        return cls(path=path, ks=ks, judged=judged, measured=measured)

    def k_for(self, settings: Settings) -> int:
        """The k for these settings; raises ConfigurationError if it was measured with others."""
        middle = settings.df_min == MIDDLE_SHARE
        series = series_of(settings.representation, settings.weighting, middle=middle)
        if series not in self.ks:
            known = ", ".join(self.ks) or "none"
            raise ConfigurationError(f"{self.path}: has thresholds for {known}, but the command uses {series}")
        for name in _MEASURED:
            measured, used = self.measured[name], getattr(settings, name)
            if measured != used:
                raise ConfigurationError(
                    f"{self.path}: measured with {name} {measured}, but the command uses {name} {used}; give"
                    f" --{name} {measured}, or sweep with --{name} {used}"
                )
        return self.ks[series]

    def as_toml(self) -> str:
        """The file."""
        lines = [_HEAD]
        for series, k in self.ks.items():
            lines.append(f"[thresholds.{_quoted(series)}]\nk = {k}\n")
        lines.append("[judged]\n" + "".join(f"{name} = {_value(value)}\n" for name, value in self.judged.items()))
        lines.append("[measured]\n" + "".join(f"{name} = {_value(value)}\n" for name, value in self.measured.items()))
        return "\n".join(lines)


def series_of(representation: str, weighting: str, *, middle: bool = False) -> str:
    """The name of a series: the weighting is told only if it is not the default."""
    found = representation if weighting == "bm25" else f"{representation}:{weighting}"
    return f"{found}:{MIDDLE}" if middle else found


def parsed(path: str | Path) -> dict[str, Any]:
    """Read a TOML file; raises ConfigurationError if it is one of thresholds that ends before its first table."""
    try:
        text = Path(path).read_text(encoding="utf-8-sig")  # Notepad begins files with a mark
        found = tomllib.loads(text)
    except OSError as error:
        raise NoInputError(f"{path}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path}: not a TOML file: {error}") from error
    if not found and text.lstrip("\ufeff").startswith(_HEAD.partition(",")[0]):
        raise ConfigurationError(f"{path}: cut short: a file of thresholds without [thresholds]")
    return found


def is_thresholds(values: Mapping[str, Any]) -> bool:
    """Whether a configuration is a file of thresholds, by its first table."""
    return next(iter(values), None) == "thresholds"


def _table(values: Mapping[str, Any], name: str, path: str) -> dict[str, Any]:
    found = values.get(name, {})
    if not isinstance(found, dict):
        raise ConfigurationError(f"{path}: {name} is {found!r}; expected a table")
    return found


def _check_judged(judged: Mapping[str, Any], path: str) -> None:
    for name, value in judged.items():
        if name == "min_probability":
            right = type(value) in (int, float) and 0 <= value <= 1
        elif name == "join":
            right = isinstance(value, list) and bool(value) and all(isinstance(one, str) for one in value)
        else:
            raise ConfigurationError(f"{path}: unknown key {name!r} in [judged]; known are min_probability, join")
        if not right:
            expected = "a number from 0 to 1" if name == "min_probability" else "a list of kinds"
            raise ConfigurationError(f"{path}: [judged] {name} is {value!r}; expected {expected}")


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    return _quoted(value) if isinstance(value, str) else f"{value:g}" if isinstance(value, float) else str(value)


def _quoted(text: str) -> str:
    r"""A basic string of TOML, in which JSON's escapes are valid, except that of DEL."""
    import json

    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
