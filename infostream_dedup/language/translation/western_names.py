"""Names transcribed by sound: Johnson and Джонсон, Macron and Макрон. Answers are words in use."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from functools import cache
from itertools import chain, islice
from math import log10
from typing import Final

from infostream_dedup.language.lexicon.frequency import form_frequencies
from infostream_dedup.language.lexicon.name_tables import names, personal_names
from infostream_dedup.language.morphology.readings import readings_of
from infostream_dedup.language.translation.frequent_words import frequent_words
from infostream_dedup.language.translation.noun_lemmas import noun_lemmas
from infostream_dedup.language.translation.target_lexicon import are_names, is_common_noun, may_be_name
from infostream_dedup.language.translation.transcription import (
    begin_alike,
    cyrillic_consonants,
    folded_cyrillic,
    folded_latin,
    latin_consonants,
    outline_of_key,
    outlines,
    transcription_cost,
)
from infostream_dedup.model import Language

__all__ = ["sound_alikes", "western_names"]

_DEAREST: Final = 0.5
_PER_LETTER: Final = 0.06
_SHORTEST_SOUND_ALIKE: Final = 5
_FARTHEST: Final = 0.9
_PER_COST: Final = 8.0
"""A cost of 1 outweighs this many powers of ten in frequency."""

_RAREST: Final = 1e-9
_DEARER: Final = 1.0
_MOST: Final = 3
_FEWEST_CONSONANTS: Final = 2
_MOST_CANDIDATES: Final = 16
_SILENT: Final = 4
"""Latin letters that may be missing in Cyrillic."""

_EXTRA: Final = 1
"""Cyrillic letters that may be missing in Latin."""


def western_names(terms: Sequence[str], source: Language, target: Language) -> list[list[str]]:
    """Find at most three spellings of each name in the other alphabet, best first.

    Args:
        terms: names as key forms.
        source: language of the terms.
        target: English, or for English terms Russian or Ukrainian.
    """
    candidates = [_candidates(term, source, target, dearest=_DEAREST, per_letter=_PER_LETTER) for term in terms]
    known = are_names((word for found in candidates for word in found), target)
    best = [_best(found, known, target)[:_MOST] for found in candidates]
    common = {word for word in dict.fromkeys(chain.from_iterable(best)) if is_common_noun(word, target)}
    return [[word for word in words if word not in common] for words in best]


def sound_alikes(terms: Sequence[str], source: Language, target: Language) -> list[list[str]]:
    """Find at most one name that each term can be read as, if the term may be a name."""
    candidates = [
        _candidates(term, source, target, dearest=_FARTHEST, per_letter=_FARTHEST)
        if len(term) >= _SHORTEST_SOUND_ALIKE and may_be_name(term, source)
        else {}
        for term in terms
    ]
    known = are_names((word for found in candidates for word in found), target)
    return [_best(found, known, target)[:1] for found in candidates]


def _candidates(
    term: str, source: Language, target: Language, *, dearest: float, per_letter: float
) -> dict[str, float]:
    """Find words that the term can be read as, with their costs."""
    folded = folded_latin(term) if source == "en" else folded_cyrillic(term)
    keys = latin_consonants(folded) if source == "en" else [cyrillic_consonants(folded)]
    words = _names_by_consonants(target)
    limit = min(dearest, per_letter * len(folded))
    found: dict[str, float] = {}
    for key in keys:
        for word, other in _alike(words.of(key), folded, source) if _is_telling(key) else ():
            latin, cyrillic = (folded, other) if source == "en" else (other, folded)
            cost = transcription_cost(latin, cyrillic, limit=limit)
            if cost <= limit:
                found[word] = cost
    return found


def _is_telling(key: str) -> bool:
    return len(key) - key.count("A") >= _FEWEST_CONSONANTS


def _alike(words: Sequence[tuple[str, str]], folded: str, source: Language) -> Iterator[tuple[str, str]]:
    """Return the most frequent words of fitting length and beginning, because comparing letters is slow."""
    more, less = (_SILENT, _EXTRA) if source != "en" else (_EXTRA, _SILENT)
    shortest, longest = len(folded) - less, len(folded) + more
    fitting = (
        one
        for one in words
        if (begin_alike(folded, one[1]) if source == "en" else begin_alike(one[1], folded))
        and shortest <= len(one[1]) <= longest
    )
    return islice(fitting, _MOST_CANDIDATES)


def _best(found: Mapping[str, float], known: Set[str], target: Language) -> list[str]:
    """Rank words in use by cost and rarity: Johnson before Jonson, which is closer to Джонсон but rare."""
    frequency = form_frequencies(target)
    ordered = sorted(
        (cost * _PER_COST - log10(frequency(word) + _RAREST), word) for word, cost in found.items() if word in known
    )
    return [word for rank, word in ordered if rank <= ordered[0][0] + _DEARER]


@cache
def _names_by_consonants(language: Language) -> _NamesByConsonants:
    return _NamesByConsonants(language)


class _NamesByConsonants:
    """Possible names and their folded spellings by consonants, most frequent first.

    Finding the consonants of all words of a language would take several seconds. So the words are first grouped by an
    outline of their consonants, which is fast to compute for all of them, and the consonants of a group are found only
    when a key with its outline is looked up.
    """

    def __init__(self, language: Language) -> None:
        self._language = language
        self._words: dict[str, list[str]] = {}
        words = frequent_words(language)
        for word, outline in zip(words, outlines(words), strict=True):
            self._words.setdefault(outline, []).append(word)
        self._found: dict[str, list[tuple[str, str]]] = {}
        self._is_possible = _possible_names(language)

    def of(self, key: str) -> Sequence[tuple[str, str]]:
        """Words with these consonants, each with its folded spelling."""
        for word in self._words.pop(outline_of_key(key), ()):
            if self._is_possible(word):
                self._add(word)
        return self._found.get(key, ())

    def _add(self, word: str) -> None:
        folded = folded_latin(word) if self._language == "en" else folded_cyrillic(word)
        for key in latin_consonants(folded) if self._language == "en" else (cyrillic_consonants(folded),):
            self._found.setdefault(key, []).append((word, folded))


def _possible_names(language: Language) -> Callable[[str], bool]:
    """Return a function that says whether a word may be a name."""
    if language == "en":
        return lambda word: may_be_name(word, "en")
    knows = readings_of(language).knows
    listed = names(language).keys() | personal_names(language) | set(noun_lemmas(language).names)
    return lambda word: word in listed or not knows(word)
