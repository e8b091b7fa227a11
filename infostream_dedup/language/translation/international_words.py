"""International words (приватизация, приватизація, privatization) that are frequent nouns of the target language."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final

from infostream_dedup.language.lexicon.frequency import form_frequencies
from infostream_dedup.language.translation.frequent_words import places_of_words
from infostream_dedup.language.translation.international_key import has_strong_ending, international_keys
from infostream_dedup.language.translation.noun_lemmas import noun_lemmas
from infostream_dedup.language.translation.target_lexicon import are_terms
from infostream_dedup.language.translation.transcription import folded_cyrillic, folded_latin, transcription_cost
from infostream_dedup.language.translation.words_by_key import WordsByKey, frequent_words_by_key
from infostream_dedup.model import Language

_LEAST_SHARE: Final = 0.02
_LEAST_SHARE_OF_WEAK: Final = 0.1
_RAREST: Final = 1e-7
_MOST_SHARE: Final = 300.0
_SHORTEST: Final = 5
_MOST: Final = 2

_DEAREST: Final = 0.3
_SOFTNESS: Final = 0.4
_SOFT: Final = re.compile("[бвгдзклмнпрстфхцшщч](?:[яью]|ье|ьё)")
_SOFT_LATIN: Final = re.compile("[yj]|i[aou]|ll|l$|gn|ñ|u")
"""Spellings that may mark a soft consonant: сериал, Версаль, бюро."""


def international_words(terms: Sequence[str], source: Language, target: Language) -> list[list[str]]:
    """Find at most two international equivalents of each term, best first."""
    candidates = [_candidates(term, source, target) for term in terms]
    nouns = are_terms((word for found in candidates for word in found), target)
    return [[word for word in found if word in nouns][:_MOST] for found in candidates]


def _candidates(term: str, source: Language, target: Language) -> list[str]:
    """Return the words under the first key that has any words in use."""
    if len(term) < _SHORTEST:
        return []
    words, frequency = words_by_international_key(target), form_frequencies(target)
    own = form_frequencies(source)(term)
    for key in international_keys(term, source):
        found = [word for word in words.of(key) if _LEAST_SHARE * own <= frequency(word) <= _MOST_SHARE * own]
        if not has_strong_ending(key):
            least = max(_RAREST, _LEAST_SHARE_OF_WEAK * own)
            found = [word for word in found if frequency(word) >= least and _sound_alike(term, word, source)]
        if found:
            return sorted(found, key=lambda word: (-frequency(word), word))
    return []


def _sound_alike(term: str, word: str, source: Language) -> bool:
    """Whether two words without a strong ending sound alike, including soft consonants."""
    latin, cyrillic = (term, word) if source == "en" else (word, term)
    read = folded_latin(latin)
    spellings = (cyrillic, cyrillic.removesuffix("а"))
    cost = min(transcription_cost(read, folded_cyrillic(spelt)) for spelt in spellings)
    soft = len(_SOFT.findall(cyrillic)) if not _SOFT_LATIN.search(latin) else 0
    return cost + _SOFTNESS * soft <= _DEAREST


@cache
def words_by_international_key(language: Language) -> WordsByKey:
    """Return the index of nouns in use by their international keys."""

    def places() -> Iterator[int]:
        known = places_of_words(language)
        for word in known if language == "en" else noun_lemmas(language).common:
            if len(word) >= _SHORTEST:
                yield known[word]

    return frequent_words_by_key("international", language, lambda word: international_keys(word, language), places)
