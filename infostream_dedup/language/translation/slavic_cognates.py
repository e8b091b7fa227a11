"""Russian and Ukrainian cognates; an answer must be a sufficiently frequent noun of the other language.

Without this condition a rule that turns "человек" into "чєловєк" finds slang in the Ukrainian dictionary. The answers
for Russian nouns are right in .80 of cases without it, and in .88 if an answer must be at least a fiftieth as frequent
as the term (measured against another dictionary on the 5,000 most frequent nouns).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from infostream_dedup.language.lexicon.frequency import form_frequencies
from infostream_dedup.language.translation.frequent_words import places_of_words
from infostream_dedup.language.translation.noun_lemmas import noun_lemmas
from infostream_dedup.language.translation.refusals import false_friends_of
from infostream_dedup.language.translation.slavic_correspondence import coarse_key, distance, endings_changed
from infostream_dedup.language.translation.target_lexicon import are_terms
from infostream_dedup.language.translation.words_by_key import WordsByKey, frequent_words_by_key
from infostream_dedup.model import Language

_LEAST_SHARE: Final = 0.02
"""Minimum frequency of an answer relative to the term."""

_LEAST_SHARE_OF_IRREGULAR: Final = 0.1
_REGULAR: Final = 0.3

_DEAREST: Final = 1.25
_PER_LETTER: Final = 0.15
"""Maximum cost per letter: short words find partners by chance."""

_DEARER: Final = 0.15
"""Maximum extra cost of further equivalents."""


_SHORTEST_LOOK_ALIKE: Final = 4


@dataclass(frozen=True, slots=True)
class Cognate:
    """A word of the other language with the cost of the correspondence; 0 is regular."""

    term: str
    cost: float


def cognates(terms: Sequence[str], source: Language, target: Language) -> list[list[Cognate]]:
    """Find the cognates of each term, best first."""
    candidates = [_candidates(term, source, target) for term in terms]
    nouns = are_terms((one.term for found in candidates for one in found), target)
    return [_best(one for one in found if one.term in nouns) for found in candidates]


def look_alikes(terms: Sequence[str], source: Language, target: Language) -> list[list[str]]:  # noqa: ARG001
    """Find the most frequent noun with the coarse key of each term, if any, whatever the cost."""
    frequency = form_frequencies(target)
    candidates = []
    for term in terms:
        words = nouns_by_coarse_key(target).of(coarse_key(term)) if len(term) >= _SHORTEST_LOOK_ALIKE else ()
        candidates.append(sorted(words, key=lambda word: (-frequency(word), word)))
    nouns = are_terms((word for found in candidates for word in found), target)
    return [[word for word in found if word in nouns][:1] for found in candidates]


def _candidates(term: str, source: Language, target: Language) -> list[Cognate]:
    """Find sufficiently frequent corresponding words, best first, whether or not they are nouns."""
    words, frequency = nouns_by_coarse_key(target), form_frequencies(target)
    own = form_frequencies(source)(term)
    dearest = min(_DEAREST, _PER_LETTER * len(term))
    found: dict[str, float] = {}
    for spelt, change in endings_changed(term, source).items():
        for word in words.of(coarse_key(spelt)):
            cost = round(change + distance(spelt, word, source), 3)
            least = own * (_LEAST_SHARE if cost <= _REGULAR else _LEAST_SHARE_OF_IRREGULAR)
            if cost <= dearest and cost < found.get(word, _DEAREST + 1) and frequency(word) >= least:
                found[word] = cost
    friends = false_friends_of(term, source, target)
    ordered = sorted(found, key=lambda word: (found[word], -frequency(word), word))
    return [Cognate(word, found[word]) for word in ordered if word not in friends]


def _best(found: Iterable[Cognate]) -> list[Cognate]:
    ordered = list(found)
    return [one for one in ordered if one.cost <= ordered[0].cost + _DEARER]


@cache
def nouns_by_coarse_key(language: Language) -> WordsByKey:
    """Return the index of nouns in use by their coarse keys."""

    def places() -> Iterator[int]:
        nouns, known = noun_lemmas(language), places_of_words(language)
        return (known[word] for word in dict.fromkeys((*nouns.common, *nouns.names)))

    return frequent_words_by_key("cognates", language, lambda word: (coarse_key(word),), places)
