"""Translates the words of a stream into its pivot language, by the dictionaries alone.

A word has the same pivot terms whatever else the stream contains, so verdicts do not depend on batches or on which
language came first. The rungs of the ladder that guess names and cognates are left out: they need whole collections to
be useful, and take seconds to start.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from infostream_dedup.arrays import places_of
from infostream_dedup.language.translation.ladder import Translator, dictionary_rungs
from infostream_dedup.language.translation.refusals import is_blocked
from infostream_dedup.language.translation.rung import Translation
from infostream_dedup.language.translation.rungs.identity import IdentityRung
from infostream_dedup.language.translation.word_pairs import word_pairs
from infostream_dedup.language.translation.written_names import first_names, plain_term
from infostream_dedup.model import OUR_LANGUAGES, Language
from infostream_dedup.stream.term_numbers import TermNumbers, longer
from infostream_dedup.terms.equivalents import SURE
from infostream_dedup.terms.representation import term_frequencies

if TYPE_CHECKING:
    from numpy.typing import NDArray


PIVOT: Final[Language] = "ru"
NO_TERM: Final = -1
"""Canonical term of a word without a reliable pivot term, or whose pivot term some language has no word for."""

_UNKNOWN: Final = -2


class PivotWords:
    """The pivot terms of words: one canonical term, which may become a key term, and all terms that match.

    An English word also matches itself, since Russian and Ukrainian texts leave many names in Latin letters.

    Args:
        numbers: numbers of the stream's terms; pivot terms get numbers too.
    """

    def __init__(self, numbers: TermNumbers) -> None:
        self._numbers = numbers
        self._translators = [Translator(one, PIVOT, rungs=dictionary_rungs()) for one in OUR_LANGUAGES]
        self._canonical: list[NDArray[Any]] = [np.zeros(0, dtype=np.int32) for _ in OUR_LANGUAGES]
        self._begins: list[NDArray[Any]] = [np.zeros(0, dtype=np.int64) for _ in OUR_LANGUAGES]
        self._sizes: list[NDArray[Any]] = [np.zeros(0, dtype=np.int32) for _ in OUR_LANGUAGES]
        self._pool: NDArray[Any] = np.zeros(0, dtype=np.int32)
        self._rungs: NDArray[Any] = np.zeros(0, dtype=np.int8)
        self._rung_names: list[str] = []
        self._used = 0

    def canonical(self, language: int, words: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return the canonical term of each word, or ``NO_TERM``: int32 (words,)."""
        self._learn(language, words)
        found: NDArray[np.int32] = self._canonical[language][words]
        return found

    def met(self, language: int, words: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Return the terms that match words: the index of the word, and the term; arguments as in ``canonical``."""
        owners, places = self._places(language, words)
        return owners, self._pool[places]

    def rungs(self, language: int, words: NDArray[np.int64], some: NDArray[np.int64]) -> list[str]:
        """Name the rungs that lead from words to some of the terms that ``met`` returns for them.

        Args:
            some: int64, indices of terms in the result of ``met``.
        """
        names = self._rung_names
        return [names[rung] for rung in self._rungs[self._places(language, words)[1][some]].tolist()]

    def _places(self, language: int, words: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The index of the word, and the index in the pool, of each term that matches a word."""
        self._learn(language, words)
        begins, sizes = self._begins[language][words], self._sizes[language][words].astype(np.int64)
        return np.repeat(np.arange(len(words)), sizes), places_of(begins, sizes)

    def _learn(self, language: int, words: NDArray[np.int64]) -> None:
        size = int(words.max(initial=-1)) + 1
        known = len(self._canonical[language])
        if known < size:
            self._canonical[language] = longer(self._canonical[language], size)
            self._canonical[language][known:] = _UNKNOWN
            self._begins[language] = longer(self._begins[language], len(self._canonical[language]))
            self._sizes[language] = longer(self._sizes[language], len(self._canonical[language]))
        unknown = self._canonical[language][words] == _UNKNOWN
        if unknown.any():
            new = np.unique(words[unknown])
            self._remember(language, new, self._answers(language, self._numbers.terms.some(new)))

    def _answers(self, language: int, words: Sequence[str]) -> list[list[Translation]]:
        """The pivot terms of words, best first, each once, without phrases."""
        answers = self._translators[language].translate(words)
        if OUR_LANGUAGES[language] == "en":
            answers = [_and_itself(word, found) for word, found in zip(words, answers, strict=True)]
        return [_distinct_words(found) for found in answers]

    def _remember(self, language: int, words: NDArray[np.int64], answers: list[list[Translation]]) -> None:
        best = [next((one.term for one in found if one.confidence >= SURE), None) for found in answers]
        said = _said([term for term in best if term is not None])
        terms = [one.term for found in answers for one in found]
        numbers = self._numbers.numbered(terms)
        number_of = dict(zip(terms, numbers.tolist(), strict=True))
        self._canonical[language][words] = [NO_TERM if term not in said else number_of[term] for term in best]
        sizes = np.array([len(found) for found in answers], dtype=np.int64)
        self._pool = longer(self._pool, self._used + len(numbers))
        self._pool[self._used : self._used + len(numbers)] = numbers
        self._rungs = longer(self._rungs, len(self._pool))
        self._rungs[self._used : self._used + len(numbers)] = self._rung_numbers(answers)
        self._begins[language][words] = self._used + np.cumsum(sizes) - sizes
        self._sizes[language][words] = sizes
        self._used += len(numbers)

    def _rung_numbers(self, answers: list[list[Translation]]) -> list[int]:
        names = self._rung_names
        rungs = [one.rung for found in answers for one in found]
        names += sorted(set(rungs).difference(names))
        return [names.index(rung) for rung in rungs]


@cache
def pivot_frequencies(language: Language) -> Mapping[str, float]:
    """Share of running words of a language that each canonical term represents."""
    frequencies = term_frequencies(language, "pivot")
    if language == PIVOT:
        return frequencies
    pairs, found = word_pairs(language, PIVOT), dict[str, float]()
    for word, share in frequencies.items():
        term = pairs[word][0].term if word in pairs else word
        found[term] = found.get(term, 0.0) + share
    if language == "en":
        # It is not known how often a word is a name, so noun and name both count as frequent.
        for name, word in first_names(PIVOT):
            found[name] = found.get(name, 0.0) + frequencies.get(word, 0.0)
    return MappingProxyType(found)


def _distinct_words(found: Sequence[Translation]) -> list[Translation]:
    by_term: dict[str, Translation] = {}
    for one in found:
        if " " not in one.term:
            by_term.setdefault(one.term, one)
    return list(by_term.values())


def _and_itself(word: str, found: Sequence[Translation]) -> tuple[Translation, ...]:
    """Append an English word to its equivalents: good enough for a match, but not for a key term."""
    # The word itself counts as offensive in its own language only if it was not translated.
    refused = is_blocked(word, PIVOT) or (not found and is_blocked(word, "en"))
    return tuple(found) if refused else (*found, Translation(plain_term(word), "identity", 0.0))


def _said(terms: Sequence[str]) -> set[str]:
    """Return the pivot terms for which all other languages have a word, or which are spelled alike in all."""
    alike = IdentityRung().translate(terms, PIVOT, "en")
    sayable = _sayable()
    return {term for term, same in zip(terms, alike, strict=True) if same or term.rpartition("-")[2] in sayable}


@cache
def _sayable() -> frozenset[str]:
    """Pivot terms that the dictionaries lead to from every other language."""
    return frozenset.intersection(
        *(
            frozenset(one.term for found in word_pairs(language, PIVOT).values() for one in found)
            for language in OUR_LANGUAGES
            if language != PIVOT
        )
    )
