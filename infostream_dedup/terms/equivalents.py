"""Equivalents of terms in the pivot language."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import scipy.sparse as sp

from infostream_dedup.model import LANGUAGES, Language
from infostream_dedup.terms.source_terms import SourceTerms

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from infostream_dedup.translation.rung import Translation

__all__ = ["NO_EQUIVALENT", "Equivalents", "Translate", "equivalents_of", "translate_by_ladder"]

Translate = Callable[[Sequence[str], Language, Language], Sequence[tuple["Translation", ...]]]
"""Given terms, their language and the pivot language: the equivalents of each term, best first, none where none is
known."""

NO_EQUIVALENT: Final = -1

_WEAK: Final = "skeleton"
"""A rung whose answers are guesses: good enough to be met, not to make a key term of."""


@dataclass(frozen=True, slots=True)
class Equivalents:
    """What each source term becomes in the pivot language.

    Attributes:
        vocabulary: distinct pivot terms in code point order.
        indptr: int64 (sources + 1,), where the equivalents of each source term lie.
        terms: int32, numbers of pivot terms, best first.
        confidences: float64, 0 to 1, of each equivalent.
        rungs: which rung of the ladder gave each equivalent.
        canonical: int32 (sources,), the best equivalent, which carries document frequency and weight;
            ``NO_EQUIVALENT`` where there is none but guesses.
    """

    vocabulary: list[str]
    indptr: NDArray[np.int64]
    terms: NDArray[np.int32]
    confidences: NDArray[np.float64]
    rungs: list[str]
    canonical: NDArray[np.int32]

    def of(self, source: int) -> list[int]:
        """Pivot terms of one source term, best first."""
        found: list[int] = self.terms[self.indptr[source] : self.indptr[source + 1]].tolist()
        return found

    def pattern(self) -> sp.csr_array:
        """Which pivot terms are equivalents of each source term: bool (sources, pivot terms)."""
        shape = (len(self.canonical), len(self.vocabulary))
        matrix = sp.csr_array((np.ones(len(self.terms), dtype=np.bool_), self.terms, self.indptr), shape=shape)
        matrix.sort_indices()
        return matrix

    def to_canonical(self) -> sp.csr_array:
        """A 1 at the canonical term of each source term that has one: int32 (sources, pivot terms)."""
        known = np.flatnonzero(self.canonical != NO_EQUIVALENT)
        ones = np.ones(len(known), dtype=np.int32)
        shape = (len(self.canonical), len(self.vocabulary))
        return sp.csr_array((ones, (known, self.canonical[known])), shape=shape)


def translate_by_ladder(terms: Sequence[str], source: Language, pivot: Language) -> Sequence[tuple[Translation, ...]]:
    """Equivalents by the ladder of ``translation``."""
    from infostream_dedup.translation.ladder import Translator

    return Translator(source, pivot).translate(terms)


def equivalents_of(sources: SourceTerms, pivot: Language, translate: Translate = translate_by_ladder) -> Equivalents:
    """Translate every source term, each language at a time.

    Args:
        sources: the terms.
        pivot: the language terms meet in.
        translate: who knows the equivalents; a term is its own equivalent in its own language.
    """
    found: list[tuple[Translation, ...]] = []
    for number, language in enumerate(LANGUAGES):
        own = np.flatnonzero(sources.languages == number)
        found += translate([sources.terms[source] for source in own.tolist()], language, pivot) if len(own) else []
    answers = [_distinct(translations) for translations in found]
    vocabulary = sorted({answer.term for translations in answers for answer in translations})
    number_of = {term: number for number, term in enumerate(vocabulary)}
    every = [answer for translations in answers for answer in translations]
    return Equivalents(
        vocabulary,
        np.cumsum([0, *map(len, answers)], dtype=np.int64),
        np.fromiter((number_of[answer.term] for answer in every), dtype=np.int32, count=len(every)),
        np.fromiter((answer.confidence for answer in every), dtype=np.float64, count=len(every)),
        [answer.rung for answer in every],
        np.fromiter((_best(translations, number_of) for translations in answers), dtype=np.int32, count=len(answers)),
    )


def _distinct(translations: tuple[Translation, ...]) -> list[Translation]:
    """Each term once, by the first rung that gave it."""
    by_term: dict[str, Translation] = {}
    for translation in translations:
        by_term.setdefault(translation.term, translation)
    return list(by_term.values())


def _best(translations: list[Translation], number_of: dict[str, int]) -> int:
    return next((number_of[one.term] for one in translations if one.rung != _WEAK), NO_EQUIVALENT)
