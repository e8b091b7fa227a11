"""Names transcribed by sound: Johnson and Джонсон, Macron and Макрон. Answers are words in use."""

from __future__ import annotations

from functools import cache
from itertools import chain, islice
from math import log10
from typing import TYPE_CHECKING, Final

from infostream_dedup.language.lexicon.frequency import form_frequencies
from infostream_dedup.language.lexicon.name_tables import names, personal_names
from infostream_dedup.language.morphology.readings import readings_of
from infostream_dedup.language.translation.romanisation import (
    begin_alike,
    cyrillic_consonants,
    folded_cyrillic,
    folded_latin,
    latin_consonants,
    transcription_cost,
)
from infostream_dedup.language.translation.target_lexicon import (
    WordsByKey,
    are_names,
    frequent_words_by_key,
    is_common_noun,
    may_be_name,
    noun_lemmas,
    places_of_words,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence, Set

    from infostream_dedup.model import Language

_DEAREST: Final = 0.5
_PER_LETTER: Final = 0.06
_SHORTEST_SOUND_ALIKE: Final = 5
_FARTHEST: Final = 0.9
_PER_COST: Final = 8.0  # a cost of 1 outweighs this many powers of ten in frequency
_RAREST: Final = 1e-9
_DEARER: Final = 1.0
_MOST: Final = 3
_FEWEST_CONSONANTS: Final = 2
_MOST_CANDIDATES: Final = 16
_SILENT: Final = 4  # Latin letters that may be missing in Cyrillic
_EXTRA: Final = 1  # Cyrillic letters that may be missing in Latin


def western_names(terms: Sequence[str], source: Language, target: Language) -> list[list[str]]:
    """Find at most three spellings of each name in the other alphabet, best first."""
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
    folded = folded_latin(term) if source == "en" else folded_cyrillic(term)
    keys = latin_consonants(folded) if source == "en" else [cyrillic_consonants(folded)]
    words = names_by_consonants(target)
    limit = min(dearest, per_letter * len(folded))
    found: dict[str, float] = {}
    for key in (one for one in keys if len(one) - one.count("A") >= _FEWEST_CONSONANTS):
        for word in islice(words.of(key, lambda word: _is_alike(word, folded, source)), _MOST_CANDIDATES):
            latin, cyrillic = (folded, folded_cyrillic(word)) if source == "en" else (folded_latin(word), folded)
            cost = transcription_cost(latin, cyrillic, limit=limit)
            if cost <= limit:
                found[word] = cost
    return found


def _is_alike(word: str, folded: str, source: Language) -> bool:
    """Whether length and beginning of a word fit: comparing all letters is slow."""
    if source == "en":
        other = folded_cyrillic(word)
        return -_SILENT <= len(other) - len(folded) <= _EXTRA and begin_alike(folded, other)
    other = folded_latin(word)
    return -_EXTRA <= len(other) - len(folded) <= _SILENT and begin_alike(other, folded)


def _best(found: Mapping[str, float], known: Set[str], target: Language) -> list[str]:
    """Rank words in use by cost and rarity: Johnson before Jonson, which is closer to Джонсон but rare."""
    frequency = form_frequencies(target)
    ordered = sorted(
        (cost * _PER_COST - log10(frequency(word) + _RAREST), word) for word, cost in found.items() if word in known
    )
    return [word for rank, word in ordered if rank <= ordered[0][0] + _DEARER]


@cache
def names_by_consonants(language: Language) -> WordsByKey:
    """Return the index of possible names by their consonants."""

    def places() -> Iterator[int]:
        is_possible = _possible_names(language)
        return (place for word, place in places_of_words(language).items() if is_possible(word))

    def keys_of(word: str) -> Sequence[str]:
        return (
            latin_consonants(folded_latin(word)) if language == "en" else [cyrillic_consonants(folded_cyrillic(word))]
        )

    return frequent_words_by_key("names by sound", language, keys_of, places)


def _possible_names(language: Language) -> Callable[[str], bool]:
    """Return a function that says whether a word may be a name."""
    if language == "en":
        return lambda word: may_be_name(word, "en")
    knows = readings_of(language).knows
    listed = names(language).keys() | personal_names(language) | set(noun_lemmas(language).names)
    return lambda word: word in listed or not knows(word)
