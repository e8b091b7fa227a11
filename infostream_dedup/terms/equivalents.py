"""Equivalents of terms in the pivot language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import scipy.sparse as sp

from infostream_dedup.machine.collector import collector_paused
from infostream_dedup.model import LANGUAGES, Language
from infostream_dedup.terms.back_translation import Translate, back_translations, both_ways, is_sure, sayable
from infostream_dedup.terms.source_terms import SourceTerms

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from infostream_dedup.translation.rung import Translation

__all__ = ["NO_EQUIVALENT", "Equivalents", "Translate", "equivalents_of", "translate_by_ladder"]

NO_EQUIVALENT: Final = -1

_WORTH_HEEDING: Final = 0.1
"""Minimum share of the documents at which a language decides what may be a key term in the others."""

_AS_IT_IS: Final = "identity"
"""The rung of words that are spelled alike in all languages."""


@dataclass(frozen=True, slots=True)
class Equivalents:
    """What each source term becomes in the pivot language.

    Attributes:
        vocabulary: distinct pivot terms in code point order.
        indptr: int64 (sources + 1,), bounds of the equivalents of each source term.
        terms: int32, numbers of pivot terms, best first.
        confidences: float64, 0 to 1, of each equivalent.
        rungs: which rung of the ladder gave each equivalent.
        canonical: int32 (sources,), the best equivalent, which carries document frequency and weight;
            ``NO_EQUIVALENT`` if another language of the documents could meet it only by a guess.
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


@collector_paused()
def equivalents_of(
    sources: SourceTerms,
    pivot: Language,
    translate: Translate = translate_by_ladder,
    *,
    shares: Mapping[Language, float] | None = None,
) -> Equivalents:
    """Translate every source term, one language at a time, and translate the results back.

    A term of the pivot language is its own equivalent. If there are documents in other languages too, a term is
    canonical only if all of these can express it: otherwise key terms would be wasted on words that nothing in them can
    meet. Languages of fewer than a tenth of the documents are exempt.

    An English word is also met by itself, since Russian and Ukrainian texts leave many names in Latin letters.

    Args:
        sources: the terms.
        pivot: the language terms meet in.
        translate: returns the equivalents.
        shares: share of the documents that each language has, 0 to 1; ``None`` to exempt none.
    """
    terms = {language: _terms_of(sources, number) for number, language in enumerate(LANGUAGES)}
    spoken = [language for language in LANGUAGES if terms[language]]
    others = [language for language in spoken if language != pivot]
    answers = {language: [_distinct(one) for one in translate(terms[language], language, pivot)] for language in spoken}
    sure = (one.term for language in others for found in answers[language] for one in found if is_sure(one))
    wanted = sorted({*terms[pivot], *sure})
    can_say = {}
    for language in others:
        back = translate(wanted, pivot, language)
        answers[language] = both_ways(terms[language], answers[language], back_translations(wanted, back))
        can_say[language] = sayable(wanted, back, answers[language])
    needed = [language for language in others if shares is None or shares[language] >= _WORTH_HEEDING] or others
    said = set.intersection(*(can_say[language] for language in needed)) if needed else set(wanted)
    best = {language: [_best(one, said) for one in answers[language]] for language in spoken}
    if pivot != "en" and "en" in spoken:
        answers["en"] = _and_themselves(terms["en"], answers["en"], pivot)
    return _numbered(
        [found for language in spoken for found in answers[language]],
        [term for language in spoken for term in best[language]],
    )


def _terms_of(sources: SourceTerms, language: int) -> list[str]:
    return [sources.terms[source] for source in np.flatnonzero(sources.languages == language).tolist()]


def _distinct(translations: tuple[Translation, ...]) -> tuple[Translation, ...]:
    """Each term once, by the first rung that gave it."""
    if len(translations) <= 1:
        return translations
    by_term: dict[str, Translation] = {}
    for translation in translations:
        by_term.setdefault(translation.term, translation)
    return tuple(by_term.values())


def _best(translations: tuple[Translation, ...], said: set[str]) -> str | None:
    """Return the first sure equivalent if the other languages can express it."""
    for one in translations:
        if is_sure(one):
            return one.term if one.term in said else None
    return None


def _and_themselves(
    terms: list[str], answers: list[tuple[Translation, ...]], pivot: Language
) -> list[tuple[Translation, ...]]:
    """Append each English word to its equivalents."""
    from infostream_dedup.translation.refusals import is_blocked
    from infostream_dedup.translation.rung import Translation

    every = []
    for term, found in zip(terms, answers, strict=True):
        # A word that was translated is not a slur in its own language.
        refused = is_blocked(term, pivot) or (not found and is_blocked(term, "en"))
        every.append(found if refused else _distinct((*found, Translation(term, _AS_IT_IS, 1.0))))
    return every


def _numbered(answers: list[tuple[Translation, ...]], best: list[str | None]) -> Equivalents:
    every = [answer for translations in answers for answer in translations]
    words = [answer.term for answer in every]
    vocabulary = sorted(set(words))
    number_of = {term: number for number, term in enumerate(vocabulary)}
    return Equivalents(
        vocabulary,
        np.cumsum([0, *map(len, answers)], dtype=np.int64),
        np.array([number_of[word] for word in words], dtype=np.int32),
        np.array([answer.confidence for answer in every], dtype=np.float64),
        [answer.rung for answer in every],
        np.array([NO_EQUIVALENT if term is None else number_of[term] for term in best], dtype=np.int32),
    )
