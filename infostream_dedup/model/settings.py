"""Every choice that changes a result, with its default: one table for the library, flags and configuration."""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Final

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.model.document import LANGUAGES

__all__ = ["PRESETS", "REPRESENTATIONS", "SCORES", "SHORT_RULES", "WEIGHTINGS", "Settings"]


def _files_of_terms(folder: str, first: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of the modules in a folder of the room ``terms``: some first, the others by name.

    The modules are not imported: settings know names only.
    """
    found = {module.name for module in pkgutil.iter_modules([str(Path(__file__).parents[1] / "terms" / folder)])}
    return (*(name for name in first if name in found), *sorted(found.difference(first)))


REPRESENTATIONS: Final = _files_of_terms("representations", ("stem", "morph", "pivot"))
"""Each is one file; see ``terms.representation``."""

WEIGHTINGS: Final = _files_of_terms("weightings", ("bm25", "tfidf"))
"""Each is one file; see ``terms.weighting``."""

SCORES: Final = ("count", "share")
SHORT_RULES: Final = ("scaled", "strict")
MORPH_RULES: Final = ("open", "strict")
PAIR_RULES: Final = ("both", "either")

PRESETS: Final[Mapping[str, Mapping[str, Any]]] = {
    "faithful": {"n": 12, "score": "count", "k": 6},
    "best": {"n": 30, "score": "share", "threshold": 0.40, "min_terms": 3, "rule": "both"},
    "similar": {"n": 12, "score": "count", "k": 4, "rule": "either"},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What decides key terms, links and pairs. Names equal the flags of the command line.

    Attributes:
        representation: ``stem``, ``morph``, ``pivot`` or the name of another file of ``terms/representations/``.
        weighting: ``bm25`` (k1, b), ``tfidf`` or the name of another file of ``terms/weightings/``.
        n: key terms a document keeps, 1 to 255.
        k: terms that must meet for a pair to be linked, 1 to n.
        score: ``count`` (k of n terms) or ``share`` (share of the key terms' weight).
        threshold: least share for a link when ``score`` is ``share``, above 0 to 1.
        min_terms: terms that must meet besides the share, at least 1.
        rule: which direction makes a duplicate, ``both`` or ``either``.
        target: what key terms are looked up in: ``text``, ``signature`` or ``top:M``.
        df_min: least document frequency of a key term; below 1 a share of all documents, otherwise a count.
        df_max: greatest document frequency of a key term; below 1 a share, otherwise a count.
        k1: BM25 term saturation, at least 0.
        b: BM25 length normalisation, 0 to 1.
        background: fill small collections up with the frequency dictionary.
        short: ``scaled`` lowers k for documents with fewer than n key terms, ``strict`` does not.
        morph: ``open`` admits predicted proper nouns, ``strict`` only dictionary words.
        pivot: language that representation ``pivot`` translates terms into: ``ru``, ``uk`` or ``en``.

    Raises:
        ConfigurationError: a value is out of its range.
    """

    representation: str = "morph"
    weighting: str = "bm25"
    n: int = 12
    k: int = 6
    score: str = "count"
    threshold: float = 0.40
    min_terms: int = 3
    rule: str = "both"
    target: str = "text"
    df_min: float = 2
    df_max: float = 0.5
    k1: float = 2.0
    b: float = 0.75
    background: bool = True
    short: str = "scaled"
    morph: str = "open"
    pivot: str = "ru"

    def __post_init__(self) -> None:
        _one_of("representation", self.representation, REPRESENTATIONS)
        _one_of("weighting", self.weighting, WEIGHTINGS)
        _one_of("score", self.score, SCORES)
        _one_of("rule", self.rule, PAIR_RULES)
        _one_of("short", self.short, SHORT_RULES)
        _one_of("morph", self.morph, MORPH_RULES)
        _one_of("pivot", self.pivot, LANGUAGES)
        _within("n", self.n, 1, 255)
        _within("k", self.k, 1, self.n)
        _within("min_terms", self.min_terms, 1, self.n)
        _within("threshold", self.threshold, 1e-9, 1)
        _within("df_min", self.df_min, 0, float("inf"))
        _within("df_max", self.df_max, 0, float("inf"))
        _within("k1", self.k1, 0, float("inf"))
        _within("b", self.b, 0, 1)
        self.target_size()

    def target_size(self) -> int | None:
        """Terms of a document that can be met: M of ``top:M``, 0 for ``signature``, ``None`` for the whole ``text``."""
        if self.target in ("text", "signature"):
            return None if self.target == "text" else 0
        head, _, size = self.target.partition(":")
        if head != "top" or not size.isascii() or not size.isdigit() or not 1 <= int(size) <= 2**31 - 1:
            raise ConfigurationError(f"target is {self.target!r}; expected text, signature or top:M with M >= 1")
        return int(size)

    @classmethod
    def of(cls, *, preset: str | None = None, **given: Any) -> Settings:
        """Defaults, overridden by a preset, overridden by what is given (``None`` means not given).

        Raises:
            ConfigurationError: unknown preset, unknown name, or a value out of its range.
        """
        if preset is not None and preset not in PRESETS:
            raise ConfigurationError(f"preset is {preset!r}; expected one of {', '.join(PRESETS)}")
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
        """A copy with some values changed."""
        return replace(self, **changes)

    def as_dict(self) -> dict[str, Any]:
        """Plain values in the order of the table above."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


def _one_of(name: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise ConfigurationError(f"{name} is {value!r}; expected one of {', '.join(known)}")


def _within(name: str, value: float, low: float, high: float) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise ConfigurationError(f"{name} is {value!r}; expected a number from {low:g} to {high:g}")
