"""Correspondences of sounds and suffixes between Russian and Ukrainian words.

Cognates are found by a common coarse key and then compared letter by letter: regular correspondences cost 0, occasional
ones more.
"""

from __future__ import annotations

import re
from typing import Final

from infostream_dedup.language.lexicon.spelling import APOSTROPHE
from infostream_dedup.model import Language

IMPOSSIBLE: Final = 99.0

_COARSE: Final = str.maketrans(
    {
        **dict.fromkeys("еэєёиіїыйо", "и"),
        **dict.fromkeys("ьъ" + APOSTROPHE, ""),
        "я": "а",
        "ю": "у",
        "ґ": "г",
    }
)
_PLAIN: Final = str.maketrans({**dict.fromkeys("ьъ" + APOSTROPHE, ""), "ґ": "г"})
_DOUBLED: Final = re.compile(r"(.)\1")

_LETTERS: Final[dict[tuple[str, str], float]] = {
    ("и", "и"): 0.0,
    ("и", "і"): 0.0,
    ("и", "ї"): 0.0,
    ("ы", "и"): 0.0,
    ("ы", "і"): 0.6,
    ("э", "е"): 0.0,
    ("э", "є"): 0.3,
    ("е", "є"): 0.1,
    ("е", "і"): 0.5,
    ("е", "ї"): 0.5,
    ("е", "о"): 0.5,
    ("е", "и"): 0.7,
    ("о", "і"): 0.5,
    ("о", "а"): 0.8,
    ("о", "е"): 0.8,
    ("а", "о"): 0.8,
    ("и", "е"): 0.8,
    ("я", "а"): 0.4,
    ("а", "я"): 0.4,
    ("ю", "у"): 0.4,
    ("у", "ю"): 0.4,
}
"""Cost of a Ukrainian letter for a Russian one; equal letters cost 0, other pairs are impossible."""

_ENDINGS: Final[tuple[tuple[str, str, float], ...]] = (
    ("ирование", "ування", 0.0),
    ("ирование", "івання", 0.1),
    ("ование", "ування", 0.0),
    ("ывание", "ування", 0.0),
    ("ивание", "ування", 0.0),
    ("ение", "ення", 0.0),
    ("ение", "іння", 0.1),
    ("ение", "ання", 0.4),
    ("яние", "яння", 0.0),
    ("ание", "ання", 0.0),
    ("ание", "іння", 0.3),
    ("тие", "ття", 0.0),
    ("чие", "ччя", 0.0),
    ("лие", "лля", 0.0),
    ("сие", "сся", 0.0),
    ("ие", "ія", 0.3),
    ("ие", "я", 0.3),
    ("ье", "я", 0.1),
    ("ья", "я", 0.0),
    ("ость", "ість", 0.0),
    ("тель", "ч", 0.3),
    ("тель", "ник", 0.5),
    ("щик", "ник", 0.3),
    ("щик", "вник", 0.4),
    ("щик", "ювач", 0.5),
    ("чик", "ник", 0.5),
    ("ец", "ець", 0.0),
    ("ца", "ця", 0.0),
    ("це", "це", 0.0),
    ("ий", "ій", 0.0),
    ("ей", "ій", 0.1),
    ("ский", "ський", 0.0),
    ("цкий", "цький", 0.0),
    ("ой", "ий", 0.2),
    ("иа", "іа", 0.0),
    ("ии", "ії", 0.0),
    ("ка", "ок", 0.8),
    ("ок", "ка", 0.8),
    ("а", "", 0.8),
    ("", "а", 0.8),
)
"""Corresponding endings of Russian and Ukrainian nouns, with the cost of assuming the correspondence."""

_BEGINNINGS: Final[tuple[tuple[str, str, float], ...]] = (
    ("раз", "роз", 0.0),
    ("рас", "роз", 0.0),
    ("рас", "рос", 0.2),
    ("от", "від", 0.0),
    ("под", "під", 0.0),
    ("пред", "перед", 0.1),
    ("со", "спів", 0.2),
    ("вз", "з", 0.2),
    ("из", "ви", 0.4),
    ("ис", "ви", 0.4),
    ("вос", "від", 0.6),
    ("воз", "від", 0.6),
    ("с", "з", 0.1),
    ("в", "у", 0.1),
    ("пре", "пере", 0.3),
    ("у", "в", 0.3),
)
"""Corresponding beginnings, likewise."""

_SHORTEST_REST: Final = 3
_DOUBLING: Final = 0.2
_SOFTNESS: Final = 0.4
_HARDENED: Final = ("р", "ч", "ш", "щ", "ж", "ц", "б", "п", "в", "м", "ф")
"""Consonants without a soft sign at the end of Ukrainian words: пекар, ніч."""


def coarse_key(word: str) -> str:
    """Return a key that cognates with equal beginnings and endings share.

    >>> coarse_key("місто") == coarse_key("место"), coarse_key("украина") == coarse_key("україна")
    (True, True)
    """
    return _DOUBLED.sub(r"\1", word.translate(_COARSE))


def endings_changed(word: str, source: Language) -> dict[str, float]:
    """Return variants of a word with beginnings and endings of the other language and their costs, itself first."""
    found = {word: 0.0}
    for own, other, cost in _ENDINGS_OF[source]:
        if word.endswith(own) and len(word) - len(own) >= _SHORTEST_REST:
            found.setdefault(word[: len(word) - len(own)] + other, cost)
    for spelt, cost in list(found.items()):
        for own, other, more in _BEGINNINGS_OF[source]:
            if spelt.startswith(own) and len(spelt) - len(own) >= _SHORTEST_REST:
                found.setdefault(other + spelt[len(own) :], cost + more)
    return found


def distance(word: str, other: str, source: Language) -> float:
    """Return the cost of a correspondence between two words, letter by letter; ``IMPOSSIBLE`` for unrelated words."""
    one, two = word.translate(_PLAIN), other.translate(_PLAIN)
    extra = 0.0
    if len(one) != len(two):
        one, two = _DOUBLED.sub(r"\1", one), _DOUBLED.sub(r"\1", two)
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
_COSTS: Final[dict[Language, dict[tuple[str, str], float]]] = {
    "ru": _LETTERS,
    "uk": {(uk, ru): cost for (ru, uk), cost in _LETTERS.items()},
}
