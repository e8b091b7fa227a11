"""Terms of documents and their equivalents in the pivot language.

The ladder answers each direction separately: it leads from Уэйд to Wade, but not from Wade to Уэйд. Two words are
equivalents if either direction says so.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from infostream_dedup.language.morphology.readings import is_seldom_noun
from infostream_dedup.language.translation.ladder import Translator, is_blocked
from infostream_dedup.language.translation.rungs import Translation
from infostream_dedup.language.translation.word_pairs import Marked, decided, plain_term
from infostream_dedup.machine.arrays import offsets_of
from infostream_dedup.machine.platform import collector_paused
from infostream_dedup.model import LANGUAGES, Language
from infostream_dedup.terms.statistics import TermCounts

if TYPE_CHECKING:
    import scipy.sparse as sp


_BOUNDS: Final = "A["  # in code point order, marked terms begin at the first of these letters and end before the second


def with_names_decided(counts: TermCounts) -> TermCounts:
    """Return counts of names and plain terms; the same counts if no term is marked."""
    import scipy.sparse as sp

    first, end = (bisect_left(counts.terms, letter) for letter in _BOUNDS)
    if first == end:
        return counts
    known, found = list(counts.terms), counts.terms[first:end]
    wanted = {term for one in found for term in (plain_term(one), one.capitalize())}
    added = sorted(term for term in wanted if not _holds(known, term))
    terms = sorted([*known, *added])
    places = [bisect_left(known, term) for term in added]
    number_of = partial(bisect_left, terms)
    marked = Marked(np.arange(len(terms)), np.full(len(terms), -1))
    for term in found:
        marked.enter(number_of(term), term, number_of)
    matrix = counts.counts
    shifted = matrix.indices + np.searchsorted(places, matrix.indices, side="right")
    columns = decided(np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr)), shifted, marked)
    # Summing changes data and bounds.
    rows = (matrix.data.copy(), columns.astype(matrix.indices.dtype), matrix.indptr.copy())
    summed = sp.csr_array(rows, shape=(matrix.shape[0], len(terms)))
    summed.sum_duplicates()
    return replace(counts, counts=summed, terms=terms)


def _holds(ordered: list[str], term: str) -> bool:
    place = bisect_left(ordered, term)
    return place < len(ordered) and ordered[place] == term


NO_EQUIVALENT: Final = -1
_WORTH_HEEDING: Final = 0.1
"""Minimum share of documents at which a language affects what may be a key term in the other languages."""

_AS_IT_IS: Final = "identity"  # the rung of words that are spelt alike in all languages
Translate = Callable[[Sequence[str], Language, Language], Sequence[tuple["Translation", ...]]]
"""Returns the equivalents in another language of each term of a language, best first; empty if none is known. In its
own language a term is its own equivalent."""

SURE: Final = 0.75
"""Equivalents of lower confidence are guesses (skeletons .3, spellings of unknown names .7): good enough to be matched,
but not to become key terms. One in four key terms made from guesses was found in a WMT translation, against three in
four of the others."""

_Answers = Sequence[tuple["Translation", ...]]


@dataclass(frozen=True, slots=True)
class SourceTerms:
    """Terms before translation. Equal words of two languages are two terms."""

    # int32 (documents, sources), number of occurrences of each term in each document; sorted indices, no explicit zeros
    counts: sp.csr_array
    terms: list[str]  # the terms, by language and then in code point order
    languages: NDArray[np.uint8]  # uint8 (sources,), index into `LANGUAGES`

    def seldom_nouns(self) -> NDArray[np.bool_]:
        """Return bool (sources,), the English words that are matched as nouns but are mostly other words."""
        found: NDArray[np.bool_] = self.languages == LANGUAGES.index("en")
        found[found] = [is_seldom_noun(self.terms[source]) for source in np.flatnonzero(found).tolist()]
        return found


@dataclass(frozen=True, slots=True)
class Equivalents:
    """The equivalents of each source term in the pivot language."""

    vocabulary: list[str]  # distinct pivot terms in code point order
    indptr: NDArray[np.int64]  # int64 (sources + 1,), bounds of the equivalents of each source term
    terms: NDArray[np.int32]  # int32, numbers of pivot terms, best first
    confidences: NDArray[np.float64]  # float64, 0 to 1, of each equivalent
    rungs: list[str]  # rung of the ladder that gave each equivalent
    # int32 (sources,), the best equivalent, which carries document frequency and weight; `NO_EQUIVALENT` if another
    # language of the documents could meet it only by a guess, or if it is among the `seldom_nouns`
    canonical: NDArray[np.int32]

    def of(self, source: int) -> list[int]:
        """Return the pivot terms of one source term, best first."""
        found: list[int] = self.terms[self.indptr[source] : self.indptr[source + 1]].tolist()
        return found


def source_terms(counts: TermCounts) -> SourceTerms:
    """Number the terms of each language separately; a term gets no number in a language whose documents lack it."""
    import scipy.sparse as sp

    counts = with_names_decided(counts)
    matrix, terms = counts.counts, len(counts.terms)
    place = np.repeat(counts.languages * np.int64(terms), np.diff(matrix.indptr)) + matrix.indices
    used = np.zeros(len(LANGUAGES) * terms, dtype=np.bool_)
    used[place] = True
    languages, columns = np.nonzero(used.reshape(len(LANGUAGES), terms))
    found = (np.cumsum(used, dtype=np.int32) - 1)[place]
    return SourceTerms(
        sp.csr_array((matrix.data, found, matrix.indptr), shape=(matrix.shape[0], len(columns))),
        [counts.terms[column] for column in columns.tolist()],
        languages.astype(np.uint8),
    )


def translate_by_ladder(terms: Sequence[str], source: Language, pivot: Language) -> Sequence[tuple[Translation, ...]]:
    """Find equivalents by the ladder of ``translation``."""
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

    A term of the pivot language is its own equivalent. A term is canonical only if all languages with at least a tenth
    of the documents can express it: otherwise key terms would be wasted on words that cannot match anything.
    """
    terms = {
        language: [sources.terms[source] for source in np.flatnonzero(sources.languages == number).tolist()]
        for number, language in enumerate(LANGUAGES)
    }
    spoken = [language for language in LANGUAGES if terms[language]]
    others = [language for language in spoken if language not in (pivot, "other")]
    answers = {
        language: [_distinct(one) for one in translate(terms[language], language, pivot)]
        for language in (pivot, *others)
    }
    sure = (one.term for language in others for found in answers[language] for one in found if _is_sure(one))
    wanted = sorted({*map(plain_term, terms[pivot]), *sure})
    can_say = {}
    for language in others:
        back = translate(wanted, pivot, language)
        answers[language] = both_ways(terms[language], answers[language], back_translations(wanted, back))
        can_say[language] = _sayable(wanted, back, answers[language])
    needed = [language for language in others if shares is None or shares[language] >= _WORTH_HEEDING] or others
    said = set.intersection(*(can_say[language] for language in needed)) if needed else set(wanted)
    best = {language: [_best(one, said) for one in found] for language, found in answers.items()}
    if pivot != "en" and "en" in spoken:
        answers["en"] = _and_themselves(terms["en"], answers["en"], pivot)
    if "other" in spoken:
        answers["other"] = [(Translation(term, _AS_IT_IS, 1.0),) for term in terms["other"]]
        best["other"] = list(terms["other"])
    numbered = _numbered(
        [found for language in spoken for found in answers[language]],
        [term for language in spoken for term in best[language]],
    )
    numbered.canonical[sources.seldom_nouns()] = NO_EQUIVALENT
    return numbered


def _distinct(translations: tuple[Translation, ...]) -> tuple[Translation, ...]:
    """Return each term once, with the first rung that gave it."""
    if len(translations) <= 1:
        return translations
    by_term: dict[str, Translation] = {}
    for translation in translations:
        by_term.setdefault(translation.term, translation)
    return tuple(by_term.values())


def _best(translations: tuple[Translation, ...], said: set[str]) -> str | None:
    """Return the first sure equivalent if the other languages can express it."""
    for one in translations:
        if _is_sure(one):
            return one.term if one.term in said else None
    return None


def _and_themselves(
    terms: list[str], answers: list[tuple[Translation, ...]], pivot: Language
) -> list[tuple[Translation, ...]]:
    """Append each English word to its equivalents."""
    every = []
    for term, found in zip(terms, answers, strict=True):
        # A translated word is not a slur in its own language.
        refused = is_blocked(term, pivot) or (not found and is_blocked(term, "en"))
        every.append(found if refused else _distinct((*found, Translation(plain_term(term), _AS_IT_IS, 1.0))))
    return every


def _numbered(answers: list[tuple[Translation, ...]], best: list[str | None]) -> Equivalents:
    every = [answer for translations in answers for answer in translations]
    words = [answer.term for answer in every]
    vocabulary = sorted(set(words))
    number_of = {term: number for number, term in enumerate(vocabulary)}
    return Equivalents(
        vocabulary,
        offsets_of([len(one) for one in answers]),
        np.array([number_of[word] for word in words], dtype=np.int32),
        np.array([answer.confidence for answer in every], dtype=np.float64),
        [answer.rung for answer in every],
        np.array([NO_EQUIVALENT if term is None else number_of[term] for term in best], dtype=np.int32),
    )


def _is_sure(translation: Translation) -> bool:
    """Whether a translation may become a key term."""
    return translation.confidence >= SURE


def back_translations(pivot_terms: Sequence[str], answers: _Answers) -> dict[str, list[Translation]]:
    """Map words to the pivot terms that surely translate to them, surest first; compounds to compounds only."""
    found: dict[str, list[Translation]] = {}
    for term, equivalents in zip(pivot_terms, answers, strict=True):
        for one in equivalents:
            if _is_sure(one) and ("-" in one.term or "-" not in term):
                found.setdefault(one.term, []).append(Translation(term, one.rung, one.confidence))
    for terms in found.values():
        if len(terms) > 1:
            terms.sort(key=lambda one: (-one.confidence, one.term))
    return found


def both_ways(
    words: Sequence[str], answers: _Answers, back: Mapping[str, Sequence[Translation]]
) -> list[tuple[Translation, ...]]:
    """Return the equivalents of each word, then those found only in the reverse direction; each term once."""
    return [_joined(own, back.get(plain_term(word), ())) for word, own in zip(words, answers, strict=True)]


def _joined(own: tuple[Translation, ...], more: Sequence[Translation]) -> tuple[Translation, ...]:
    if not more and len(own) <= 1:
        return own
    by_term: dict[str, Translation] = {}
    for translation in (*own, *more):
        known = by_term.get(translation.term)
        if known is None or (_is_sure(translation) and not _is_sure(known)):
            by_term[translation.term] = translation
    return tuple(by_term.values())


def _sayable(pivot_terms: Sequence[str], answers: _Answers, forward: _Answers) -> set[str]:
    """Return the pivot terms that a language surely has a word for."""
    said = {term for term, found in zip(pivot_terms, answers, strict=True) if any(map(_is_sure, found))}
    return said | {one.term for found in forward for one in found if _is_sure(one)}
