"""What characters mean to the evidence reader, as tables by code point, and words that date, number or label a text."""

from __future__ import annotations

import re
import unicodedata
from enum import IntEnum
from functools import cache, lru_cache
from itertools import compress
from operator import ne, or_
from typing import Final, NamedTuple

import numpy as np

from infostream_dedup.judging.evidence.constants import SEED
from infostream_dedup.language.text.normalise import APOSTROPHES, INVISIBLE, MARKS, TO_CYRILLIC, TO_LATIN
from infostream_dedup.machine.arrays import Uint8s, Uint16s

CODE_POINTS: Final = 0x10000  # number of code points in the tables; any character beyond them separates words

CYRILLIC_BEGIN: Final = 0x400
"""First Cyrillic code point. Letters below it count as Latin, letters above it as Cyrillic; others have no twins."""

TWINS: Final = 0x460  # length of ``Alphabet.twins``: up to the last Cyrillic letter that may have a look-alike


class CharacterKind(IntEnum):
    """Kinds of characters; compiled code sees the value."""

    OTHER = 0
    SMALL = 1
    CAPITAL = 2
    DIGIT = 3
    DROPPED = 4  # invisible characters and combining marks: the reader removes them first
    APOSTROPHE = 5  # removed between two letters
    POINT = 6
    COMMA = 7
    SPACE = 8  # spaces that group the digits of a number
    OPENER = 9  # ends a sentence, besides ``POINT``
    HYPHEN = 10
    SLASH = 11


_MASK: Final = (1 << 64) - 1
_DROPPED: Final = re.compile(f"[{INVISIBLE}{MARKS}]")

_SIGNS: Final[dict[CharacterKind, str]] = {
    CharacterKind.APOSTROPHE: APOSTROPHES,
    CharacterKind.POINT: ".",
    CharacterKind.COMMA: ",",
    CharacterKind.SPACE: " \u00a0\u2009\u202f",
    CharacterKind.OPENER: "!?…\n\r",
    CharacterKind.HYPHEN: "-\u2010\u2011",
    CharacterKind.SLASH: "/",
}

_LATIN_OF: Final[dict[str, str]] = {
    **dict(zip("абвгґдежзиклмнопрстуфхцчшщєіэыюя", "abvggdejziklmnoprstufhccsseieiua", strict=True)),
    "w": "v",
    "q": "k",
    "y": "i",
}
"""Latin letter that a folded letter has in a skeleton; other letters of a-z stay as they are, ``x`` becomes ``ks``."""


class Alphabet(NamedTuple):
    """The tables, indexed by code point."""

    kinds: Uint8s  # uint8 (CODE_POINTS,), the `CharacterKind` of each code point
    # uint16 (CODE_POINTS,), lower-case letter without accents, or value of a digit; 0 for other characters
    folded: Uint16s
    # uint8 (CODE_POINTS,), Latin letter of a *folded* letter, 1 to 26; 0 for letters without one
    latin: Uint8s
    # uint16 (2, TWINS), folded letter of the other alphabet that looks like a *folded* letter: like its small form and
    # like its capital; 0 if there is none
    twins: Uint16s


@cache
def alphabet() -> Alphabet:
    """Build the tables; takes about 30 ms, once per process."""
    kinds = np.zeros(CODE_POINTS, dtype=np.uint8)
    folded = np.zeros(CODE_POINTS, dtype=np.uint16)
    latin = np.zeros(CODE_POINTS, dtype=np.uint8)
    characters = list(map(chr, range(CODE_POINTS)))
    letters = list(filter(str.isalpha, characters))
    points = np.fromiter(map(ord, letters), dtype=np.int64)
    kinds[points] = np.where(list(map(str.isupper, letters)), CharacterKind.CAPITAL, CharacterKind.SMALL)
    folded[points] = points
    # The syllables of Hangul begin with one of 19 letters; of the others, few are capitals or compounds.
    folded[0xAC00:0xD7A4] = 0x1100 + np.arange(0xD7A4 - 0xAC00) // 588
    other = map(ne, letters, map(str.lower, letters))
    for letter in compress(letters, map(or_, other, map(bool, map(unicodedata.decomposition, letters)))):
        # Without accents: ё becomes е, й becomes и, a ligature its first letter.
        small = unicodedata.normalize("NFKD", letter.lower())
        base = next((one for one in small if not unicodedata.combining(one)), letter)
        folded[ord(letter)] = ord(base) if ord(base) < CODE_POINTS else ord(letter)
    for digit in filter(str.isdecimal, characters):
        kinds[ord(digit)], folded[ord(digit)] = CharacterKind.DIGIT, int(digit)
    dropped = list(map(ord, _DROPPED.findall("".join(characters))))
    kinds[dropped], folded[dropped] = CharacterKind.DROPPED, 0
    for kind, signs in _SIGNS.items():
        kinds[[ord(sign) for sign in signs]] = kind
    for letter in "abcdefghijklmnopqrstuvwxyz":
        latin[ord(letter)] = ord(letter) - 96
    for letter, written in _LATIN_OF.items():
        latin[ord(letter)] = ord(written) - 96
    twins = np.zeros((2, TWINS), dtype=np.uint16)
    for point, twin in (*TO_CYRILLIC.items(), *TO_LATIN.items()):
        twins[int(kinds[point] == CharacterKind.CAPITAL), folded[point]] = folded[twin]
    return Alphabet(kinds, folded, latin, twins)


def word_hash(folded: str, state: int = SEED) -> int:
    """64-bit hash of a folded word, as ``kernels.words`` makes it of a text."""
    for letter in folded:
        state = ((state ^ ord(letter)) * 0x100000001B3) & _MASK
    state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) & _MASK
    return state ^ (state >> 31)


# Words that date, number or label a text in Russian, Ukrainian and English, as the reader folds them

ENGLISH_MONTH: Final = 16  # added to the number of a month whose name may come before the day (April 17)

_MONTHS: Final = (
    ("январь января январе янв січень січня січні", "january jan"),
    ("февраль февраля феврале фев лютий лютого лютому", "february feb"),
    ("март марта марте мар березень березня березні", "march mar"),
    ("апрель апреля апреле апр квітень квітня квітні", "april apr"),
    ("май мая мае травень травня травні", "may"),
    ("июнь июня июне июн червень червня червні", "june jun"),
    ("июль июля июле июл липень липня липні", "july jul"),
    ("август августа августе авг серпень серпня серпні", "august aug"),
    ("сентябрь сентября сентябре сен вересень вересня вересні", "september sep sept"),
    ("октябрь октября октябре окт жовтень жовтня жовтні", "october oct"),
    ("ноябрь ноября ноябре ноя листопад листопада листопаді", "november nov"),
    ("декабрь декабря декабре дек грудень грудня грудні", "december dec"),
)

_WEEKDAYS: Final = (
    "понедельник понедельника понедельнику вторник вторника вторнику среда среды среду среде четверг четверга четвергу "
    "пятница пятницы пятницу пятнице суббота субботы субботу субботе воскресенье воскресенья воскресенью "
    "понеділок понеділка вівторок вівторка середа середи середу четвер четверга п'ятниця п'ятниці п'ятницю "
    "субота суботи суботу неділя неділі неділю "
    "monday tuesday wednesday thursday friday saturday sunday"
)

_DAYS: Final = "сегодня завтра вчера сьогодні завтра вчора today tomorrow yesterday год года году року рік year"

_RUSSIAN_ORDINALS: Final = (
    "перв втор четверт пят шест седьм восьм девят десят одиннадцат двенадцат тринадцат четырнадцат пятнадцат "
    "шестнадцат семнадцат восемнадцат девятнадцат двадцат тридцат сороков пятидесят шестидесят семидесят "
    "восьмидесят девяност сот двухсот трехсот"
)

_RUSSIAN_ENDINGS: Final = "ый ой ая ое ого ую ом"

_UKRAINIAN_ORDINALS: Final = (
    "перш друг четверт п'ят шост сьом восьм дев'ят десят одинадцят дванадцят тринадцят чотирнадцят п'ятнадцят "
    "шістнадцят сімнадцят вісімнадцят дев'ятнадцят двадцят тридцят сороков п'ятдесят шістдесят сімдесят "
    "вісімдесят дев'яност сот двохсот трьохсот"
)

_UKRAINIAN_ENDINGS: Final = "ий а е ого у ому"

_OTHER_NUMBERS: Final = (
    "третий третья третье третьего третью третій третя третє третього третю "
    "один одна два две три четыре пять шесть семь восемь девять десять одиннадцать двенадцать двадцать тридцать сорок "
    "пятьдесят шестьдесят семьдесят восемьдесят девяносто сто двести триста "
    "дві чотири п'ять шість сім вісім дев'ять одинадцять дванадцять двадцять тридцять п'ятдесят шістдесят сімдесят "
    "вісімдесят дев'яносто двісті "
    "one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty sixty seventy eighty "
    "ninety hundred first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth "
    "fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth thirtieth fortieth fiftieth hundredth"
)


def _inflected(stems: str, endings: str) -> str:
    return " ".join(stem + ending for stem in stems.split() for ending in endings.split())


def _folded(words: str) -> list[str]:
    """Split into words and remove apostrophes and accents."""
    return words.replace("'", "").translate(str.maketrans("ёйї", "еиі")).split()


MONTH_WORDS: Final[dict[str, int]] = {
    word: month + offset
    for month, names in enumerate(_MONTHS, start=1)
    for offset, forms in zip((0, ENGLISH_MONTH), names, strict=True)
    for word in _folded(forms)
}
"""Maps a folded word to the number of its month, 1 to 12, plus ``ENGLISH_MONTH`` for English names."""

LABELS: Final = frozenset(
    "фейк фейки фейком фейку вкид вброс ложь ложью брехня неправда fake false hoax rumour rumours rumor rumors слух"
    " слухи слухам чутки чутками".split()
)
"""Folded words that, at the beginning of a text, say that what follows is false or not known."""

WEEKDAYS: Final = frozenset(_folded(_WEEKDAYS))
"""Folded forms of the days of the week."""

DAY_WORDS: Final = WEEKDAYS.union(
    _folded(
        f"{_DAYS} {_OTHER_NUMBERS} {_inflected(_RUSSIAN_ORDINALS, _RUSSIAN_ENDINGS)} "
        f"{_inflected(_UKRAINIAN_ORDINALS, _UKRAINIAN_ENDINGS)}"
    )
)
"""Folded words that may differ between editions of one title: days, numbers, ordinals."""

_WITHOUT_ACCENTS: Final = str.maketrans("йї", "иі", "ʼ")


@lru_cache(1 << 14)
def day_of(word: str) -> str:
    """The beginning of a day of the week, or the number of a month in two digits; "" for other words."""
    bare = word.translate(_WITHOUT_ACCENTS)
    if bare in MONTH_WORDS:
        return f"{MONTH_WORDS[bare] % ENGLISH_MONTH:02}"
    return bare[:3] if bare in WEEKDAYS else ""
