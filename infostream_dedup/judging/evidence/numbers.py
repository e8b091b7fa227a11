"""Numbers of a text in order (Andreev et al., section 3: in finance the numbers decide).

It handles decimal commas and points, thousands separated by spaces, commas or apostrophes, percents, scores (6:4),
times, dates, ranges (10-15), ordinals (5-й) and number words up to ten in Russian, Ukrainian and English.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from infostream_dedup.judging.evidence.kernels import number_runs as kernels
from infostream_dedup.language.text.character_classes import CODE_POINTS, COMMON
from infostream_dedup.language.text.surface_pool import SurfaceList, Utf8Texts
from infostream_dedup.machine.kernels import BLOCK
from infostream_dedup.machine.scratch import KeptMemory

RUN_SPACES: Final = " \u00a0\u2009\u202f"  # spaces that separate thousands

CYRILLIC_LETTERS: Final = "абвгдежзийклмнопрстуфхцчшщъыьэюяёіїєґ"
"""A text with one of these letters uses decimal commas."""

_DATE: Final = r"\d{1,2}\.\d{1,2}\.(?:\d{4}|\d{2})(?![\d.])|\d{4}-\d{2}-\d{2}(?!\d)"
_THOUSANDS: Final = rf"\d{{1,3}}(?:[{RUN_SPACES}ʼ]\d{{3}})+(?!\d)(?:[.,]\d+(?![\d.,]))?"
_COMMA_THOUSANDS: Final = r"\d{1,3}(?:,\d{3}){2,}(?!\d)(?:\.\d+)?"
_ENGLISH_THOUSANDS: Final = r"\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?"
_PARTS: Final = r"\d+(?:[.,]\d+){2,}"
_PLAIN: Final = r"\d+(?:[.,]\d+(?!\d|[.,]\d))?"

NUMBER_WORDS: Final[dict[str, str]] = {
    form: str(value)
    for value, forms in {
        0: "ноль ноля нолю нолем ноле нуль нуля нулю нулем нуле zero",
        1: "один одна одно одного одной одному одним одном одну одні один одна одне одної одній однією one",
        2: "два две двух двум двумя двое двоих дві двох двом двома двоє two",
        3: "три трех трем тремя трое троих трьох трьом трьома троє three",
        4: "четыре четырех четырем четырьмя четверо четверых чотири чотирьох чотирьом чотирма four",
        5: "пять пяти пятью пятеро пятерых пʼять пʼяти пʼятьох пʼятьом пʼятьма пʼятьома пʼятеро five",
        6: "шесть шести шестью шестеро шість шістьох шістьом шістьма шістьома six",
        7: "семь семи семью семеро сім сімох сімом сьома сімома seven",
        8: "восемь восьми восемью восьмью вісім вісьмох вісьмом вісьма вісьмома eight",
        9: "девять девяти девятью девʼять девʼяти девʼятьох девʼятьом девʼятьма девʼятьома nine",
        10: "десять десяти десятью десятьох десятьом десятьма десятьома ten",
    }.items()
    for form in forms.split()
}
"""Number words in lower case with U+02BC, and their values."""

_FIRSTS: Final = "".join(sorted({form[0] for form in NUMBER_WORDS}))


def _number_words() -> str:
    """Make a pattern with one branch per first letter, so that other words fail at their first letter."""
    branches = []
    for first in _FIRSTS:
        rests = sorted((form[1:] for form in NUMBER_WORDS if form[0] == first), key=len, reverse=True)
        branches.append(rf"{first}(?<![\w\-ʼ].)(?:{'|'.join(rests)})(?![\w\-ʼ])")
    return "|".join(branches)


_NUMBER_WORD: Final = re.compile(_number_words())
_IN_CYRILLIC: Final = re.compile("|".join((_DATE, _THOUSANDS, _COMMA_THOUSANDS, _PARTS, _PLAIN)))
_IN_LATIN: Final = re.compile("|".join((_DATE, _ENGLISH_THOUSANDS, _THOUSANDS, _PARTS, _PLAIN)))

_RUN: Final = re.compile(rf"\d[\d.,\-ʼ{RUN_SPACES}]*")
"""Possible positions of figures, found quickly by the first character."""

_CYRILLIC: Final = re.compile(f"[{CYRILLIC_LETTERS}]")
_DATE_ONLY: Final = re.compile(_DATE)
_PARTS_ONLY: Final = re.compile(_PARTS)
_COMMA_THOUSANDS_ONLY: Final = re.compile(_COMMA_THOUSANDS)
_ENGLISH_THOUSANDS_ONLY: Final = re.compile(_ENGLISH_THOUSANDS)
_AFTER: Final = f".,-'’ʼ{RUN_SPACES}"  # what means nothing after a single figure
_BETWEEN_GROUPS: Final = re.compile(rf"[{RUN_SPACES}ʼ]")


def numbers(text: str) -> list[str]:
    """Return the numbers of a text as plain decimals, in order, with repetitions.

    A comma before exactly three digits separates thousands in text without Cyrillic letters (1,200 people); any other
    comma is decimal (39,250 грн). Signs, percents and units are dropped; a figure attached to the end of a word (G7)
    is part of a name, not a number.

    Example:
        >>> numbers("Курс 41,250 грн, 12 300 чел. за 2 дня (05.03.2026), счёт 6:4, пʼять шуток, 10–15 %")
        ['41.25', '12300', '2', '5', '3', '2026', '6', '4', '5', '10', '15']
        >>> numbers("1,200 people and $3.50 on the G7")
        ['1200', '3.5']
    """
    folded = _one_apostrophe(text.lower().replace("ё", "е"))
    cyrillic = _CYRILLIC.search(folded) is not None
    found: list[tuple[int, tuple[str, ...]]] = []
    found += ((word.start(), (NUMBER_WORDS[word[0]],)) for word in _NUMBER_WORD.finditer(folded))
    for run in _RUN.finditer(folded):
        begin = run.start()
        glued = begin > 0 and _in_word(folded[begin - 1])
        found.append((begin, _run_numbers(run[0], cyrillic=cyrillic, glued=glued)))
    return [number for _, parts in sorted(found) for number in parts]


def _run_numbers(run: str, *, cyrillic: bool, glued: bool) -> tuple[str, ...]:
    found: list[str] = []
    for figure in (_IN_CYRILLIC if cyrillic else _IN_LATIN).finditer(run):
        begin = figure.start()
        if not (_in_word(run[begin - 1]) if begin else glued):
            found += _canonical(figure[0], cyrillic)
    return tuple(found)


def _in_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _one_apostrophe(text: str) -> str:
    return text.replace("'", "ʼ").replace("’", "ʼ")


@lru_cache(1 << 14)
def _canonical(figure: str, cyrillic: bool) -> tuple[str, ...]:
    if _DATE_ONLY.fullmatch(figure):
        return tuple(_plain(part) for part in re.split(r"[.\-]", figure))
    figure = _BETWEEN_GROUPS.sub("", figure)
    if (_COMMA_THOUSANDS_ONLY if cyrillic else _ENGLISH_THOUSANDS_ONLY).fullmatch(figure):
        figure = figure.replace(",", "")
    elif _PARTS_ONLY.fullmatch(figure):
        return tuple(_plain(part) for part in re.split("[.,]", figure))
    return (_plain(figure.replace(",", ".")),)


def _plain(digits: str) -> str:
    whole, point, decimals = digits.partition(".")
    decimals = decimals.rstrip("0")
    # int() reads the digits of every script.
    whole = str(int(whole)) if len(whole) <= 4000 else whole
    return f"{whole}.{decimals}" if point and decimals else whole


# Find the numbers of many texts as `numbers.numbers` does, but many times faster, for every document of a stream

_SIGNS: Final = {
    "_": kernels.LETTER,
    "-": kernels.HYPHEN,
    ".": kernels.POINT,
    ",": kernels.POINT,
    **dict.fromkeys("'’ʼ", kernels.APOSTROPHE),
}

_FOLDED: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯЁЄІЇҐ"
"""Letters that compiled code converts to lower case."""

_MOST_KEPT: Final = 1 << 24  # bytes of text for which memory is kept; more of it is rare, and is given back


# Not frozen: a stream makes one for each document, and making a frozen one takes several times as long.
@dataclass(slots=True)
class NumberRuns:
    """Runs of texts that may contain numbers."""

    runs: SurfaceList  # input of `numbers_of_run`, text by text
    sizes: NDArray[np.int64]  # int64 (texts,), number of runs of each text
    left: list[int]  # indices of the texts that are left to `numbers`; they have no runs here


def find_runs(texts: Utf8Texts) -> NumberRuns:
    """Find runs with numbers."""
    room, starts = _ROOM.of(int(texts.offsets[-1] - texts.offsets[0]) + len(texts))
    sizes = np.empty(len(texts), dtype=np.int64)
    word = np.empty(kernels.LONGEST, dtype=np.uint32)
    found = kernels.number_runs(
        texts.data, texts.offsets, _kinds(), _words(), word=word, room=room, starts=starts, sizes=sizes
    )
    left = [number for number, size in enumerate(sizes.tolist()) if size < 0]
    sizes[left] = 0
    runs = SurfaceList(starts[: found + 1].copy(), room[: starts[found] + BLOCK].copy())
    return NumberRuns(runs, sizes, left)


def _empty_room(size: int) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Allocate memory for runs and their starts; texts could consist of runs."""
    return np.empty(size + BLOCK, dtype=np.uint8), np.empty(size + 1, dtype=np.int64)


_ROOM: Final = KeptMemory(_empty_room, _MOST_KEPT)


def numbers_of_run(run: str) -> tuple[str, ...]:
    """Return the numbers of one run, in the canonical form of ``numbers``."""
    cyrillic, glued, figure = run[0] in "23", run[0] in "13", run[1:].rstrip(_AFTER)
    if figure.isdecimal():
        return () if glued else (_plain(figure),)
    whole, _, decimals = figure.replace(",", ".").partition(".")
    if cyrillic and not glued and whole.isdecimal() and decimals.isdecimal():
        return (_plain(f"{whole}.{decimals}"),)
    return _run_numbers(_one_apostrophe(run[1:]), cyrillic=cyrillic, glued=glued)


@cache
def _words() -> kernels.NumberWords:
    return kernels.number_words(NUMBER_WORDS)


@cache
def _kinds() -> NDArray[np.uint8]:
    """Return the kind of every code point for ``number_runs``, from Python's Unicode data."""
    kinds = np.full(CODE_POINTS, kernels.LEFT, dtype=np.uint8)
    for point in COMMON:
        kinds[point] = _kind(chr(point))
    return kinds


def _kind(character: str) -> int:
    if character in _SIGNS:
        return _SIGNS[character]
    if character in RUN_SPACES:
        return kernels.SPACE
    if character.isdecimal():
        return kernels.DIGIT if character.isascii() else kernels.LEFT
    small = character.lower()
    # Characters that turn into one of our letters only here, or into several characters, are left to Python.
    ours = not set(small).isdisjoint(_our_letters())
    if (small != character and ours and character not in _FOLDED) or len(small) != 1:
        return kernels.LEFT
    if small in CYRILLIC_LETTERS:
        return kernels.CYRILLIC
    return kernels.LETTER if small.isalnum() else kernels.OTHER


@cache
def _our_letters() -> frozenset[str]:
    return frozenset(CYRILLIC_LETTERS).union(*NUMBER_WORDS)


@lru_cache(1 << 14)
def value_of(number: str) -> str:
    """The value of a figure as it is written, in one form: 8,40 is 8.4, and 5 000 is 5000."""
    number = re.sub(r"[  ]|[.,](?=\d{3}(?!\d))|,(?=\d\d,)", "", number).translate(_POINT_AND_DASH).lstrip("0")
    number = re.sub(r"^(\d\d?):(?=\d\d$)", r"\1.", number)
    return number.rstrip("0").rstrip(".") if number.count(".") == 1 and "-" not in number else number


_POINT_AND_DASH: Final = str.maketrans(",–", ".-")
_CLOCK: Final = re.compile(r"(\d\d?)([.:])(\d\d)")


def one_value(x: str, y: str) -> bool:
    """Whether two figures are one, perhaps a time of day by two clocks: 2:00 and 14.00, but not 02:00."""
    a, b = _CLOCK.fullmatch(x), _CLOCK.fullmatch(y)
    if a and b and "0" not in (x[0], y[0]) and ":" in a[2] + b[2] and a[3] == b[3] and abs(int(a[1]) - int(b[1])) == 12:
        return True
    return value_of(x) == value_of(y)
