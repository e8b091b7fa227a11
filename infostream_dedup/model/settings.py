"""Every choice that changes a result, with its default: one table for the library, command line and configuration."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Annotated, Any, Final

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.machine.registry import names_in_folder, offered
from infostream_dedup.model.document import OUR_LANGUAGES
from infostream_dedup.model.limits import EXPERT, OneOf, Option, Range, check_limits

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
            if given.get(name) is None:
                chosen[name] = min(chosen[name], chosen["n"])
        return cls(**chosen)

    def but(self, **changes: Any) -> Settings:
        """Return a copy with some values changed."""
        return replace(self, **changes)

    def as_dict(self) -> dict[str, Any]:
        """Return the values by name, in the order of the attributes."""
        return {field.name: getattr(self, field.name) for field in fields(self)}
