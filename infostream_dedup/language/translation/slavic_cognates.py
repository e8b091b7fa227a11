"""Russian and Ukrainian cognates; an answer must be a sufficiently frequent noun of the other language.

Without this condition a rule that turns "человек" into "чєловєк" finds slang in the Ukrainian dictionary. The answers
for Russian nouns are right in .80 of cases without it, and in .88 if an answer must be at least a fiftieth as frequent
as the term (measured against another dictionary on the 5,000 most frequent nouns).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from operator import itemgetter
from typing import Final

from infostream_dedup.language.lexicon.frequency import form_frequencies
from infostream_dedup.language.lexicon.tables import APOSTROPHE
from infostream_dedup.language.translation import target_lexicon
from infostream_dedup.language.translation.ladder import false_friends_of
from infostream_dedup.model import Language

# Correspondences of sounds and suffixes between Russian and Ukrainian words.
#
# Cognates are found by a common coarse key and then compared letter by letter: regular correspondences cost 0,
# occasional ones more.

IMPOSSIBLE: Final = 99.0
_COARSE: Final = str.maketrans(
    {**dict.fromkeys("еэєёиіїыйо", "и"), **dict.fromkeys("ьъ" + APOSTROPHE, ""), "я": "а", "ю": "у", "ґ": "г"}
)
_PLAIN: Final = str.maketrans({**dict.fromkeys("ьъ" + APOSTROPHE, ""), "ґ": "г"})
_DOUBLED_LETTER: Final = re.compile(r"(.)\1")
_ONCE: Final = itemgetter(1)


def _costs(text: str) -> tuple[tuple[str, str, float], ...]:
    """Read correspondences of Russian and Ukrainian letters with their costs: ``ение>ення ье>я=.1``."""
    found = []
    for one in text.split():
        pair, _, cost = one.partition("=")
        ru, _, uk = pair.partition(">")
        found.append((ru, uk, float(cost or 0)))
    return tuple(found)


_LETTERS: Final = {
    (ru, uk): cost
    for ru, uk, cost in _costs(
        "и>и и>і и>ї ы>и ы>і=.6 э>е э>є=.3 е>є=.1 е>і=.5 е>ї=.5 е>о=.5 е>и=.7 о>і=.5 о>а=.8 о>е=.8 а>о=.8 и>е=.8 я>а=.4"
        " а>я=.4 ю>у=.4 у>ю=.4"
    )
}
"""Cost of a Ukrainian letter for a Russian one; equal letters cost 0, other pairs are impossible."""

_ENDINGS: Final = _costs(
    "ирование>ування ирование>івання=.1 ование>ування ывание>ування ивание>ування ение>ення ение>іння=.1 ение>ання=.4"
    " яние>яння ание>ання ание>іння=.3 тие>ття чие>ччя лие>лля сие>сся ие>ія=.3 ие>я=.3 ье>я=.1 ья>я ость>ість"
    " тель>ч=.3 тель>ник=.5 щик>ник=.3 щик>вник=.4 щик>ювач=.5 чик>ник=.5 ец>ець ца>ця це>це ий>ій ей>ій=.1 ский>ський"
    " цкий>цький ой>ий=.2 иа>іа ии>ії ка>ок=.8 ок>ка=.8 а>=.8 >а=.8"
)
"""Corresponding endings of Russian and Ukrainian nouns, with the cost of assuming the correspondence."""

_BEGINNINGS: Final = _costs(
    "раз>роз рас>роз рас>рос=.2 от>від под>під пред>перед=.1 со>спів=.2 вз>з=.2 из>ви=.4 ис>ви=.4 вос>від=.6 воз>від=.6"
    " с>з=.1 в>у=.1 пре>пере=.3 у>в=.3"
)
"""Corresponding beginnings, likewise."""

_SHORTEST_REST: Final = 3
_DOUBLING: Final = 0.2
_SOFTNESS: Final = 0.4
_HARDENED: Final = ("р", "ч", "ш", "щ", "ж", "ц", "б", "п", "в", "м", "ф")
"""Consonants without a soft sign at the end of Ukrainian words: пекар, ніч."""


def coarse_key(word: str) -> str:
    """Return a key that cognates with equal beginnings and endings share."""
    return _DOUBLED_LETTER.sub(_ONCE, word.translate(_COARSE))


def endings_changed(word: str, source: Language) -> dict[str, float]:
    """Return variants of a word with beginnings and endings of the other language and their costs, itself first."""
    found = {word: 0.0}
    for own, other, cost in _endings_of(word[-1:], source):
        if word.endswith(own) and len(word) - len(own) >= _SHORTEST_REST:
            found.setdefault(word[: len(word) - len(own)] + other, cost)
    for spelt, cost in list(found.items()):
        for own, other, more in _beginnings_of(spelt[:1], source):
            if spelt.startswith(own) and len(spelt) - len(own) >= _SHORTEST_REST:
                found.setdefault(other + spelt[len(own) :], cost + more)
    return found


def distance(word: str, other: str, source: Language) -> float:
    """Return the cost of a correspondence between two words, letter by letter; ``IMPOSSIBLE`` for unrelated words."""
    one, two = word.translate(_PLAIN), other.translate(_PLAIN)
    extra = 0.0
    if len(one) != len(two):
        one, two = _DOUBLED_LETTER.sub(_ONCE, one), _DOUBLED_LETTER.sub(_ONCE, two)
        extra = _DOUBLING
    if len(one) != len(two):
        return IMPOSSIBLE
    if word.endswith("ь") != other.endswith("ь") and not one.endswith(_HARDENED):
        extra += _SOFTNESS
    costs = _COSTS[source]
    return extra + sum(0.0 if a == b else costs.get((a, b), IMPOSSIBLE) for a, b in zip(one, two, strict=True))


_Changes = tuple[tuple[str, str, float], ...]


def _reverse(changes: _Changes) -> _Changes:
    return tuple((uk, ru, cost) for ru, uk, cost in changes)


_ENDINGS_OF: Final[dict[Language, _Changes]] = {"ru": _ENDINGS, "uk": _reverse(_ENDINGS)}
_BEGINNINGS_OF: Final[dict[Language, _Changes]] = {"ru": _BEGINNINGS, "uk": _reverse(_BEGINNINGS)}


@cache
def _endings_of(letter: str, source: Language) -> _Changes:
    """Return those that a word with this last letter may have."""
    return tuple(one for one in _ENDINGS_OF[source] if one[0][-1:] in ("", letter))


@cache
def _beginnings_of(letter: str, source: Language) -> _Changes:
    return tuple(one for one in _BEGINNINGS_OF[source] if one[0][:1] in ("", letter))


_COSTS: Final[dict[Language, dict[tuple[str, str], float]]] = {
    "ru": _LETTERS,
    "uk": {(uk, ru): cost for (ru, uk), cost in _LETTERS.items()},
}
_LEAST_SHARE: Final = 0.02  # minimum frequency of an answer relative to the term
_LEAST_SHARE_OF_IRREGULAR: Final = 0.1
_REGULAR_COST: Final = 0.3
_DEAREST_PAIR: Final = 1.25
_PER_LETTER: Final = 0.15  # maximum cost per letter: short words find partners by chance
_DEARER: Final = 0.15  # maximum extra cost of further equivalents
_SHORTEST_LOOK_ALIKE: Final = 4


@dataclass(frozen=True, slots=True)
class Cognate:
    """A word of the other language with the cost of the correspondence; 0 is regular."""

    term: str
    cost: float


def cognates(terms: Sequence[str], source: Language, target: Language) -> list[list[Cognate]]:
    """Find the cognates of each term, best first."""
    candidates = [_respelled(term, source, target) for term in terms]
    nouns = target_lexicon.are_terms((one.term for found in candidates for one in found), target)
    return [_best(one for one in found if one.term in nouns) for found in candidates]


def look_alikes(terms: Sequence[str], source: Language, target: Language) -> list[list[str]]:  # noqa: ARG001
    """Find the most frequent noun with the coarse key of each term, if any, whatever the cost."""
    frequency = form_frequencies(target)
    candidates = []
    for term in terms:
        words = nouns_by_coarse_key(target).of(coarse_key(term)) if len(term) >= _SHORTEST_LOOK_ALIKE else ()
        candidates.append(sorted(words, key=lambda word: (-frequency(word), word)))
    nouns = target_lexicon.are_terms((word for found in candidates for word in found), target)
    return [[word for word in found if word in nouns][:1] for found in candidates]


def _respelled(term: str, source: Language, target: Language) -> list[Cognate]:
    """Find sufficiently frequent corresponding words, best first, whether or not they are nouns."""
    words, frequency = nouns_by_coarse_key(target), form_frequencies(target)
    own = form_frequencies(source)(term)
    dearest = min(_DEAREST_PAIR, _PER_LETTER * len(term))
    found: dict[str, float] = {}
    for spelt, change in endings_changed(term, source).items():
        for word in words.of(coarse_key(spelt)):
            cost = round(change + distance(spelt, word, source), 3)
            least = own * (_LEAST_SHARE if cost <= _REGULAR_COST else _LEAST_SHARE_OF_IRREGULAR)
            if cost <= dearest and cost < found.get(word, _DEAREST_PAIR + 1) and frequency(word) >= least:
                found[word] = cost
    friends = false_friends_of(term, source, target)
    ordered = sorted(found, key=lambda word: (found[word], -frequency(word), word))
    return [Cognate(word, found[word]) for word in ordered if word not in friends]


def _best(found: Iterable[Cognate]) -> list[Cognate]:
    ordered = list(found)
    return [one for one in ordered if one.cost <= ordered[0].cost + _DEARER]


@cache
def nouns_by_coarse_key(language: Language) -> target_lexicon.WordsByKey:
    """Return the index of nouns in use by their coarse keys."""

    def places() -> Iterator[int]:
        nouns, known = target_lexicon.noun_lemmas(language), target_lexicon.places_of_words(language)
        return (known[word] for word in dict.fromkeys((*nouns.common, *nouns.names)))

    return target_lexicon.words_by_key("cognates", language, lambda word: (coarse_key(word),), places)
