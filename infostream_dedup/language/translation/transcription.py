"""Transcription of Latin names in Cyrillic letters: Johnson is Джонсон, Schröder is Шрёдер.

The spelling of a Latin name does not determine its pronunciation, so pairs of words are compared instead: each group of
Latin letters may correspond to several Cyrillic ones, and unusual readings cost more. A key of consonants finds the
words worth comparing.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import islice, product
from typing import Final

from infostream_dedup.language.lexicon.spelling import APOSTROPHE

IMPOSSIBLE: Final = 99.0

_FOLD: Final = str.maketrans(
    {
        **dict.fromkeys("іїый", "и"),
        **dict.fromkeys("эєё", "е"),
        **dict.fromkeys("ьъ-" + APOSTROPHE, ""),
        "ґ": "г",
        "я": "а",
        "ю": "у",
        "щ": "ш",
    }
)
_RUN: Final = re.compile(r"(.)\1*")

_TABLE: Final = """
a    а е.2 еи.2 о.3
ai   еи аи.1 е.2 а.3
ay   еи аи.1 и.3 е.3
au   о ау
aw   о ау.1 оу.2
ae   а е ае -.3
e    е и.2 -.3 а.4
ea   и е.1 еи.1 еа.1 иа.2
ei   еи аи и.1 е.2
ey   и еи е.2
eu   еу у.1 ои.1 ев.1
ew   у
eo   ео и.2 е.2
i    и аи.1 е.3
ie   и ие е.2 аи.2
ia   иа а.2
igh  аи
o    о оу.1 а.2 у.3 е.3
oa   о оа.1 оу.1
oe   о е ое.1
oi   ои
oy   ои
oo   у о.2
ou   у ау оу.1 о.2
ow   оу ау ов о.1
u    у а.1 и.3 е.2
ue   у уе.1 ве.2 е.2
ui   уи и.1 у.2 ви.1
y    и аи.1 -.2
ya   а.1 иа
yu   у
ye   е
yo   ио е о.2
b    б
c    к с.1 ц.1
ch   ч х.1 к.1 ш.1
ck   к
cz   ч
d    д
dg   ж
f    ф
g    г ж.1
gh   - г.1 ф.2 х.2
h    х г -.1
j    ж х.1 и.1 з.2
k    к
kh   х
kn   н кн.1
l    л
m    м
n    н
ng   нг н.2
p    п
ph   ф
q    к
qu   кв к.1 ку.1
r    р
s    с з.1 ш.3
sch  ш ск.1 сх.2
sh   ш
sz   ш с.1
t    т
th   т с.2 з.2
tch  ч
ts   ц тс.1
tz   ц
v    в ф.2
w    в у
wh   у в х.1
wr   р
x    кс гз.2 з.2 ш.3
z    з ц.1 с.1
zh   ж чж
al   ал о.3
gu   гу гв г.1
xi   кси с.2 ши.2
"""


def _groups() -> dict[str, tuple[tuple[str, float], ...]]:
    found = {}
    for line in _TABLE.split("\n"):
        if line:
            group, *options = line.split()
            parts = (option.partition(".") for option in options)
            found[group] = tuple((sound.replace("-", ""), float("0." + (cost or "0"))) for sound, _, cost in parts)
    return found


_GROUPS: Final = _groups()
_ROUNDING: Final = 1e-6
_FIRST_SOUNDS: Final = {
    letter: "".join(
        sorted({sound[0] for group, sounds in _GROUPS.items() if group[0] == letter for sound, _ in sounds if sound})
    )
    for letter in "abcdefghijklmnopqrstuvwxyz"
}
_MUTE: Final = ("h", "gh")
_LONGEST: Final = max(map(len, _GROUPS))

_CONSONANTS: Final[dict[str, tuple[str, ...]]] = {
    "sch": ("S", "SK"),
    "tch": ("S",),
    "sh": ("S",),
    "ch": ("S", "", "K"),
    "zh": ("S",),
    "kh": ("",),
    "ph": ("F",),
    "th": ("T", "S"),
    "gh": ("",),
    "ck": ("K",),
    "dg": ("S",),
    "kn": ("N",),
    "wr": ("R",),
    "ts": ("S",),
    "tz": ("S",),
    **dict.fromkeys(("ce", "ci", "cy"), ("SA",)),
    **dict.fromkeys(("ge", "gi", "gy"), ("A", "SA")),
    **dict.fromkeys("aeiouy", ("A",)),
    "c": ("K",),
    "j": ("S", ""),
    "x": ("KS", "S"),
    **{letter: (letter.upper(),) for letter in "bdfklmnprt"},
    **dict.fromkeys("sz", ("S",)),
    "q": ("K",),
}
_LATIN: Final = re.compile("|".join(sorted(_CONSONANTS, key=len, reverse=True)))
_IN_GROUPS: Final = re.compile("|".join(g for g, sounds in _CONSONANTS.items() if len(g) > 1 or len(sounds) > 1))
_ONE_BY_ONE: Final = str.maketrans({one: _CONSONANTS.get(one, ("",))[0] for one in "abcdefghijklmnopqrstuvwxyz"})
"""For words without such a group, which are most of the quarter of a million indexed."""
_CYRILLIC_CONSONANTS: Final = str.maketrans(
    {
        **dict(zip("бдфклмнпрт", "BDFKLMNPRT", strict=True)),
        **dict.fromkeys("сзцжшч", "S"),
        **dict.fromkeys("вхг"),
        **dict.fromkeys("аеиоу", "A"),
    }
)
_MUTE_E: Final = re.compile("(?<=[bdfklmnprstvz])e(?=[bcdfgklmnpqrstvz]|$)")
_MOST_KEYS: Final = 8


def folded_cyrillic(word: str) -> str:
    """Rewrite a Russian or Ukrainian key form in letters that both languages share, for the functions below."""
    return _without_repeats(word.translate(_FOLD).replace("дж", "ж").replace("тч", "ч"))


def folded_latin(word: str) -> str:
    """Remove diacritics, hyphens and doubled letters from a Latin key form."""
    if word.isascii() and word.isalpha() and word.islower():
        return _without_repeats(word)
    plain = unicodedata.normalize("NFD", word)
    return _without_repeats("".join(char for char in plain if "a" <= char <= "z"))


def _without_repeats(word: str) -> str:
    """Replace each run of one letter by a single one."""
    return "".join(_RUN.findall(word))


def transcription_cost(latin: str, cyrillic: str, *, limit: float = IMPOSSIBLE) -> float:
    """Return the cost of reading one word as the other: 0 for the usual reading, ``IMPOSSIBLE`` if there is none.

    Example:
        >>> transcription_cost(folded_latin("merkel"), folded_cyrillic("меркель"))
        0.0
    """
    bound = limit + _ROUNDING
    reached: list[dict[int, float]] = [{} for _ in range(len(latin) + 1)]
    reached[0][0] = 0.0
    for start, places in enumerate(reached[:-1]):
        if not places:
            continue
        for size in range(1, min(_LONGEST, len(latin) - start) + 1):
            for sound, cost in _GROUPS.get(latin[start : start + size], ()):
                _advance(reached[start + size], places, cyrillic, sound, cost, bound)
    if latin.endswith("e"):
        _advance(reached[-1], reached[-2], cyrillic, "", 0.0, bound)
    return round(reached[-1].get(len(cyrillic), IMPOSSIBLE), 3)


def _advance(
    reached: dict[int, float], places: dict[int, float], cyrillic: str, sound: str, cost: float, bound: float
) -> None:
    """Read one group of letters as a sound, from every position reached so far."""
    for place, before in places.items():
        total = before + cost
        if total <= bound and cyrillic.startswith(sound, place):
            end = place + len(sound)
            if total < reached.get(end, IMPOSSIBLE):
                reached[end] = total


def begin_alike(latin: str, cyrillic: str) -> bool:
    """Whether the first letters allow reading one word as the other: a fast check before ``transcription_cost``.

    >>> begin_alike("johnson", "жонсон"), begin_alike("johnson", "бонсон")
    (True, False)
    """
    return cyrillic[:1] in _FIRST_SOUNDS.get(latin[:1], "") or latin.startswith(_MUTE)


def cyrillic_consonants(folded: str) -> str:
    """Return the consonant classes of a folded Cyrillic word, with ``A`` for vowels between them.

    The letters в, х and г, which may be silent or stand for a vowel, are dropped.

    >>> cyrillic_consonants(folded_cyrillic("вашингтон"))
    'ASANTAN'
    """
    return _merge_sounds(folded.translate(_CYRILLIC_CONSONANTS))


def latin_consonants(folded: str) -> list[str]:
    """Return the consonant classes of a folded Latin word, for each reading of ambiguous groups of letters.

    >>> "ASANTAN" in latin_consonants("washington"), "SAKSPAR" in latin_consonants("shakespeare")
    (True, False)
    """
    # One silent vowel at a time: names with two are rare, and every further key slows the search.
    spellings = [folded, *(folded[: e.start()] + folded[e.end() :] for e in _MUTE_E.finditer(folded))]
    found: dict[str, None] = {}
    for spelt in spellings:
        if not _IN_GROUPS.search(spelt):
            found[_merge_sounds(spelt.translate(_ONE_BY_ONE))] = None
            continue
        options = [_CONSONANTS[group] for group in _LATIN.findall(spelt)]
        for key in islice(product(*options), _MOST_KEYS):
            found[_merge_sounds("".join(key))] = None
    return list(found)


def _merge_sounds(key: str) -> str:
    """Merge doubled sounds, and treat тс like ц: Робертсон has a т before its с, ц has none."""
    return _without_repeats(key).replace("TS", "S")
