"""The rung of the ladder for names of persons and places that our tables lack.

Between Russian and Ukrainian, names of names-translator come first, then regular spellings. To and from Latin letters,
a key finds all spellings of a name. Spellings in use in the target language win.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final

from infostream_dedup.language.lexicon.frequency import form_frequencies
from infostream_dedup.language.lexicon.word_lists import names, personal_names
from infostream_dedup.language.translation.romanisation import cyrillised, latin_key, respelt, romanised, western_names
from infostream_dedup.language.translation.rungs import Rung, Translation, register
from infostream_dedup.language.translation.target_lexicon import WordsByKey, may_be_name, words_by_key
from infostream_dedup.model import Language

_LISTED: Final = 0.95
_KNOWN: Final = 0.85
_BY_RULE: Final = 0.7
_MOST: Final = 3
_LEAST_SHARE: Final = 0.01
_MOST_BY_RULE: Final = 2
_SHORTEST: Final = 3
_SHORTEST_BY_RULE: Final = 4
_SHORTEST_LATIN: Final = 4
_VOWELS: Final = frozenset("аеиоуыэюяіїєaeiouy")


@register(order=30)
class NamesRung(Rung):
    """Names that are not common nouns of their language."""

    name = "names"
    silence = "not a name that can be spelt in the other language"

    def translate(self, terms: Sequence[str], source: Language, target: Language) -> list[tuple[Translation, ...]]:
        """Return spellings of each name, those in use in the target language first."""
        answer = _from_english if source == "en" else _to_english if target == "en" else _between_slavic
        asked = [term for term in dict.fromkeys(terms) if len(term) >= _SHORTEST and may_be_name(term, source)]
        found = dict(zip(asked, answer(asked, source, target), strict=True))
        return [
            tuple(Translation(name, self.name, confidence) for name, confidence in found.get(term, ()))
            for term in terms
        ]

    def explain_silence(self, term: str, source: Language, target: Language) -> str:
        """Say whether the term is a name at all."""
        if not may_be_name(term, source):
            return f"a common noun or another word of {source}, not a name"
        return super().explain_silence(term, source, target)


_Found = list[tuple[str, float]]


def _between_slavic(terms: Sequence[str], source: Language, target: Language) -> list[_Found]:
    return [
        [(name, _LISTED) for name in _listed_names(term, source, target)[:_MOST]]
        or _rank_used(spelt := respelt(term, source), target)
        or _by_rule(term, spelt)
        for term in terms
    ]


def _to_english(terms: Sequence[str], source: Language, target: Language) -> list[_Found]:
    spellings = [romanised(term, source) for term in terms]
    by_sound = western_names(terms, source, target)
    return [
        _rank_used([*names, *sounds], target)[:_MOST] or _by_rule(term, names)
        for term, names, sounds in zip(terms, spellings, by_sound, strict=True)
    ]


def _from_english(terms: Sequence[str], source: Language, target: Language) -> list[_Found]:
    by_key = [_names_by_key(latin_key(term), target) if len(term) >= _SHORTEST_LATIN else [] for term in terms]
    by_sound = western_names(terms, source, target)
    return [
        _rank_used([*names, *sounds], target) or _by_rule(term, [*filter(None, [cyrillised(term, target)])])
        for term, names, sounds in zip(terms, by_key, by_sound, strict=True)
    ]


def _rank_used(spellings: Sequence[str], target: Language) -> _Found:
    """Return the spellings in use in the target language, the most frequent first."""
    frequency, personal = form_frequencies(target), personal_names(target)
    used = [name for name in spellings if frequency(name) > 0 or name in personal]
    ordered = sorted(dict.fromkeys(used), key=lambda name: -frequency(name))
    least = _LEAST_SHARE * frequency(ordered[0]) if ordered else 0.0
    return [(name, _KNOWN) for name in ordered[:_MOST] if frequency(name) >= least]


def _by_rule(term: str, spellings: Sequence[str]) -> _Found:
    """Return the most regular spellings if the term looks like a word and is not an abbreviation."""
    if len(term) < _SHORTEST_BY_RULE or _VOWELS.isdisjoint(term):
        return []
    return [(name, _BY_RULE) for name in spellings[:_MOST_BY_RULE]]


def _listed_names(term: str, source: Language, target: Language) -> list[str]:
    """Return names of names-translator in the other language, best first; it does not rank Ukrainian ones."""
    spellings = personal_names(source).spellings(term)
    if source == "uk":
        return spellings
    frequency = form_frequencies(target)
    return sorted(spellings, key=lambda name: (-frequency(name), name))


def _names_by_key(key: str, language: Language) -> list[str]:
    """Return Cyrillic names by the key of their Latin spellings, most frequent first."""
    frequency = form_frequencies(language)
    found = {*personal_names_by_latin_key(language).of(key), *_own_names_by_key(language).get(key, ())}
    return sorted(found, key=lambda name: (-frequency(name), name))


@cache
def personal_names_by_latin_key(language: Language) -> WordsByKey:
    """Return the index of personal names by the keys of their Latin spellings."""
    every = personal_names(language).names
    return words_by_key("personal names", language, lambda name: (latin_key(name),), lambda: range(len(every)), every)


@cache
def _own_names_by_key(language: Language) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name in names(language):
        if name.isalpha():
            found.setdefault(latin_key(name), []).append(name)
    return found
