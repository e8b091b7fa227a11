"""Terms of documents and their equivalents in the pivot language.

The ladder answers each direction separately: it leads from Уэйд to Wade, but not from Wade to Уэйд. Two words are
equivalents if either direction says so.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, compress, pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.language.morphology.readings import is_seldom_noun
from infostream_dedup.language.translation.ladder import Answers, Translator, is_blocked
from infostream_dedup.language.translation.rungs import Translation
from infostream_dedup.language.translation.rungs.cognates import leading_to
from infostream_dedup.language.translation.word_pairs import Marked, decided, plain_term
from infostream_dedup.machine.arrays import Bools, Floats, Int32s, Ints, Uint8s, offsets_of
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
    terms = sorted(wanted.union(known))
    places = [bisect_left(known, term) for term in sorted(wanted.difference(known))]
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


NO_EQUIVALENT: Final = -1
_WORTH_HEEDING: Final = 0.1
"""Minimum share of documents at which a language affects what may be a key term in the other languages."""

_AS_IT_IS: Final = "identity"  # the rung of words that are spelt alike in all languages
Translate = Callable[[Sequence[str], Language, Language], Answers]
"""Returns the equivalents in another language of each term of a language, best first; empty if none is known. In its
own language a term is its own equivalent."""

SURE: Final = 0.75
"""Equivalents of lower confidence are guesses (skeletons .3, spellings of unknown names .7): good enough to be matched,
but not to become key terms. One in four key terms made from guesses was found in a WMT translation, against three in
four of the others."""


@dataclass(frozen=True, slots=True)
class SourceTerms:
    """Terms before translation. Equal words of two languages are two terms."""

    # int32 (documents, sources), number of occurrences of each term in each document; sorted indices, no explicit zeros
    counts: sp.csr_array
    terms: list[str]  # the terms, by language and then in code point order
    languages: Uint8s  # uint8 (sources,), index into `LANGUAGES`

    def seldom_nouns(self) -> Bools:
        """Return bool (sources,), the English words that are matched as nouns but are mostly other words."""
        found: Bools = self.languages == LANGUAGES.index("en")
        found[found] = [is_seldom_noun(self.terms[source]) for source in np.flatnonzero(found).tolist()]
        return found


@dataclass(frozen=True, slots=True)
class Equivalents:
    """The equivalents of each source term in the pivot language."""

    vocabulary: list[str]  # distinct pivot terms in code point order
    indptr: Ints  # int64 (sources + 1,), bounds of the equivalents of each source term
    terms: Int32s  # int32, numbers of pivot terms, best first
    confidences: Floats  # float64, 0 to 1, of each equivalent
    rungs: list[str]  # rung of the ladder that gave each equivalent
    # int32 (sources,), the best equivalent, which carries document frequency and weight; `NO_EQUIVALENT` if another
    # language of the documents could meet it only by a guess, or if it is among the `seldom_nouns`
    canonical: Int32s

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
    found, words = (np.cumsum(used, dtype=np.int32) - 1)[place], list(counts.terms)
    return SourceTerms(
        sp.csr_array((matrix.data, found, matrix.indptr), shape=(matrix.shape[0], len(columns))),
        [words[column] for column in columns.tolist()],
        languages.astype(np.uint8),
    )


def translate_by_ladder(terms: Sequence[str], source: Language, pivot: Language) -> Answers:
    """Find equivalents by the ladder of ``translation``."""
    return Translator(source, pivot).columns(terms)


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
    bounds = np.searchsorted(sources.languages, np.arange(len(LANGUAGES) + 1)).tolist()
    terms = {one: sources.terms[slice(*of)] for one, of in zip(LANGUAGES, pairwise(bounds), strict=True)}
    spoken = [language for language in LANGUAGES if terms[language]]
    others = [language for language in spoken if language not in (pivot, "other")]
    answers = {language: translate(terms[language], language, pivot) for language in (pivot, *others)}
    # Nearly in order, unlike sets.
    sure = {of: dict.fromkeys(compress(one.words, (one.confidences >= SURE).tolist())) for of, one in answers.items()}
    wanted = sorted(dict.fromkeys(chain.from_iterable(sure.values())))
    needed = [language for language in others if shares is None or shares[language] >= _WORTH_HEEDING] or others
    said = set(wanted)
    for language in others:
        asked = wanted
        if language == "en" and language not in needed and translate is translate_by_ladder:
            asked = leading_to(map(plain_term, terms["en"]), wanted, pivot)
        back = translate(asked, pivot, language)
        answers[language] = both_ways(terms[language], answers[language], asked, back)
        if language in needed:
            surely = np.repeat(np.arange(len(wanted)), back.sizes)[back.confidences >= SURE]
            said &= {wanted[place] for place in np.unique(surely).tolist()} | sure[language].keys()
    best = {language: _best(answers[language], said) for language in answers}
    if pivot != "en" and "en" in spoken:
        answers["en"] = _and_themselves(terms["en"], answers["en"], pivot)
    if "other" in spoken:
        answers["other"] = Answers.of([(Translation(term, _AS_IT_IS, 1.0),) for term in terms["other"]])
        best["other"] = list(terms["other"])
    numbered = _numbered([answers[language] for language in spoken], [best[language] for language in spoken])
    numbered.canonical[sources.seldom_nouns()] = NO_EQUIVALENT
    return numbered


def _best(answers: Answers, said: set[str]) -> list[str | None]:
    """Return the first sure equivalent of each term if the other languages can express it."""
    sure = np.flatnonzero(answers.confidences >= SURE)
    owners, first = np.unique(np.repeat(np.arange(len(answers.sizes)), answers.sizes)[sure], return_index=True)
    best: list[str | None] = [None] * len(answers.sizes)
    for owner, place in zip(owners.tolist(), sure[first].tolist(), strict=True):
        word = answers.words[place]
        best[owner] = word if word in said else None
    return best


def _and_themselves(terms: list[str], answers: Answers, pivot: Language) -> Answers:
    """Append each English word to its equivalents."""
    every = []
    for term, found in zip(terms, answers, strict=True):
        # A translated word is not a slur in its own language.
        refused = is_blocked(term, pivot) or (not found and is_blocked(term, "en"))
        itself = Translation(plain_term(term), _AS_IT_IS, 1.0)
        every.append(found if refused or itself.term in {one.term for one in found} else (*found, itself))
    return Answers.of(every)


def _numbered(answers: list[Answers], best: list[list[str | None]]) -> Equivalents:
    words = [word for one in answers for word in one.words]
    vocabulary = sorted(dict.fromkeys(words))
    number_of: dict[str | None, int] = {term: number for number, term in enumerate(vocabulary)}
    number_of[None] = NO_EQUIVALENT
    return Equivalents(
        vocabulary,
        offsets_of(np.concatenate([np.zeros(0, dtype=np.int64), *(one.sizes for one in answers)])),
        np.array([number_of[word] for word in words], dtype=np.int32),
        np.concatenate([np.zeros(0), *(one.confidences for one in answers)]),
        [rung for one in answers for rung in one.rungs],
        np.array([number_of[term] for found in best for term in found], dtype=np.int32),
    )


def both_ways(words: Sequence[str], own: Answers, wanted: Sequence[str], back: Answers) -> Answers:
    """Return the equivalents of each word, then the pivot terms that surely translate to it, surest first; each once.

    ``own``: the equivalents of the words; ``wanted``: pivot terms, of which compounds lead to compounds only; ``back``:
    their equivalents.
    """
    plain = list(map(plain_term, words))
    met, owners = set(plain), np.repeat(np.arange(len(own.sizes)), own.sizes).tolist()
    sure = {(plain[owners[place]], own.words[place]) for place in np.flatnonzero(own.confidences >= SURE).tolist()}
    asked = np.repeat(np.arange(len(wanted)), back.sizes).tolist()
    more: dict[str, list[Translation]] = {}
    for place in np.flatnonzero(back.confidences >= SURE).tolist():
        word, term = back.words[place], wanted[asked[place]]
        if word in met and (word, term) not in sure and ("-" in word or "-" not in term):
            more.setdefault(word, []).append(Translation(term, back.rungs[place], float(back.confidences[place])))
    each = zip(plain, own, strict=True)
    return Answers.of([_joined(found, more[word]) if word in more else found for word, found in each]) if more else own


def _joined(own: tuple[Translation, ...], more: Sequence[Translation]) -> tuple[Translation, ...]:
    by_term = {one.term: one for one in own}
    for one in sorted(more, key=lambda one: (-one.confidence, one.term)):
        if one.term not in by_term or by_term[one.term].confidence < SURE:
            by_term[one.term] = one
    return tuple(by_term.values())
