"""Numbers of a text in order (Andreev et al., section 3: in finance the numbers decide).

It handles decimal commas and points, thousands separated by spaces, commas or apostrophes, percents, scores (6:4),
times, dates, ranges (10-15), ordinals (5-й) and number words up to ten in Russian, Ukrainian and English.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise, product
from operator import itemgetter
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from infostream_dedup.judging.evidence.characters import MONTH_WORDS
from infostream_dedup.judging.evidence.kernels import number_runs as kernels
from infostream_dedup.language.lexicon.word_lists import NEGATIONS
from infostream_dedup.language.morphology.readings import PARTS, parts_of_lines
from infostream_dedup.language.text.character_classes import CODE_POINTS, COMMON
from infostream_dedup.language.text.surface_pool import SurfaceList, Utf8Texts
from infostream_dedup.machine.arrays import Ints, Uint8s
from infostream_dedup.machine.kernels import BLOCK
from infostream_dedup.machine.scratch import KeptMemory
from infostream_dedup.model import Language

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
    sizes: Ints  # int64 (texts,), number of runs of each text
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


def _empty_room(size: int) -> tuple[Uint8s, Ints]:
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
def _kinds() -> Uint8s:
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


# Figures and words of two languages: which of a text contradicts one of its translation

_FIGURE_WORDS: Final = Path(__file__).with_name("figure_words.txt")
"""What words say: a number, a scale of the number before, what they may stand for, a unit, "about"; * is any ending."""

_FOLDING: Final = str.maketrans({"ё": "е", "'": "ʼ", "’": "ʼ", "\u00a0": " "})
_TIME: Final = r"(?:[01]?\d|2[0-4]):[0-5]\d(?!\d)"
_WORD: Final = r"[^\W\d_]+(?:ʼ[^\W\d_]+)*"
_TOKEN: Final = re.compile(rf"{_TIME}|\d{{1,3}}(?:[ ʼ]\d{{3}}|, 000)+(?!\d)(?:[.,]\d+)?|\d+(?:[.,]\d+)*|{_WORD}|[%$€]")
_DIGITS: Final = re.compile("[0-9]+(?:[.,][0-9]+)*")
_OF_NAME: Final = re.compile(r"[^\W\d_][\d.]*(?:[-–]\d+)*[-–_]?$")
_INFLECTED: Final = frozenset(("", "ь", "и", "ью", "ма", "ьма", "ьох", "ьом", "ьома", "а", "о"))
_SUFFIXES: Final = frozenset(("st", "nd", "rd", "th", "s", "h", "am", "pm"))
_NAMED_UNITS: Final = frozenset(("percent", "mile", "ft", "in", "lb", "oz", "acre", "f", "gbp"))
"""Units of which a translation keeps the name, or that it converts."""

_AROUND: Final = 6  # words of either side of a figure that say what it counts
_BESIDE: Final = 3
_LEAST_MET, _LEAST_AROUND = 2, 0.5  # of these, how many must be translated, and their share
_SHORT_TEXT: Final = 60  # words of a text whose only figure counts the same with one translated word
_ROUNDED, _ABOUT = 0.035, 0.1  # how far apart a rounded figure, or one after "about", may be


class _Word(NamedTuple):
    number: float | None
    counts: bool  # whether it counts, as "fifteen", not "fifteenth"
    scale: float
    may: tuple[float, ...]
    unit: str
    about: bool


@cache
def _figure_words() -> dict[str, dict[str, list[str]]]:
    """What each listed word says."""
    found = {word: {"number": [value]} for word, value in NUMBER_WORDS.items()}
    for line in _FIGURE_WORDS.read_text(encoding="utf-8").splitlines():
        kind, value, *words = line.split()
        for word in words:
            found.setdefault(word, {}).setdefault(kind, []).append(value)
    return found


@lru_cache(1 << 14)
def _word(word: str) -> _Word:
    """Look up a word as it is, or by its longest listed beginning."""
    listed, said, rest = _figure_words(), dict[str, list[str]](), ""
    for way in (word, *(word[:size] + "*" for size in range(len(word), 1, -1))):
        if way in listed:
            rest = word.removeprefix(way.removesuffix("*")) if "number" in listed[way].keys() - said.keys() else rest
            said = listed[way] | said
    number, may = (list(map(float, said.get(kind, ()))) for kind in ("number", "may"))
    may = number or may + [float(MONTH_WORDS[one] & 15) for one in (word,) if one in MONTH_WORDS]
    scale, unit = float(said.get("scale", "0")[0]), said.get("unit", ("",))[0]
    return _Word(
        number[0] if number else None, number > [1.0] and rest in _INFLECTED, scale, tuple(may), unit, "about" in said
    )


class WrittenFigure(NamedTuple):
    """A figure of a text, in digits or words."""

    shown: str
    values: tuple[float, ...]  # what it may mean: 1,500 is a decimal in one language, and thousands in another
    counts: bool  # whether it may contradict; otherwise it only explains one of the other text
    begin: int  # its tokens
    end: int
    scaled: bool = False  # whether it has a word such as "thousand"
    time: bool = False  # of day: another text may have that of another zone
    unit: str = ""
    about: bool = False


@lru_cache(1 << 10)
def figures_of(text: str) -> tuple[tuple[str, ...], tuple[WrittenFigure, ...]]:
    """Read the words and figures of a text."""
    text = text.lower().translate(_FOLDING)
    places = [one.span() for one in _TOKEN.finditer(text)]
    words = tuple(text[begin:end] for begin, end in places)
    told, found, at = list(map(_word, words)), list[WrittenFigure](), 0
    joined = [text[one[1] : other[0]].strip(" -–") == "" for one, other in pairwise(places)] + [False]
    while at < len(words):
        (begin, stop), one, end, scaled = places[at], told[at], at + 1, False
        time = ":" in words[at]
        if words[at][0].isdigit():
            values = _values(words[at].partition(":")[0])
            counts = len(values) < _MANY and not time and words[at].strip("0") != "" and not _of_name(text, begin, stop)
        elif one.number is not None:
            value, end, counts = _spelt_out(told, words, joined, at)
            values, scaled = (value,), value >= _THOUSAND
        else:
            found += [WrittenFigure(words[at], one.may, False, at, end)] if one.may else []
            at = end
            continue
        scale = told[end].scale if end < len(words) and joined[end - 1] and not scaled else 0.0
        # 3 m are metres, but $3m is money.
        if scale and (len(words[end]) > 1 or places[end][0] == places[end - 1][1]):
            values, end, scaled = tuple(value * scale for value in values), end + 1, True
        if words[end : end + 1] in (("p",), ("pm",), ("a",), ("am",)) and values[0] < _HOURS:
            values, time, counts = (values[0], values[0] + _HOURS), True, False
        behind = re.split("[.;,!?]", text[places[end - 1][1] : places[min(end + 2, len(places) - 1)][1]])[0]
        before = told[max(0, at - 1) : at] if text[:begin].endswith(("$", "€")) else ()
        unit = next((each.unit for each in (*before, *map(_word, re.findall(r"[^\W\d_]+|%", behind))) if each.unit), "")
        about = any(each.about for each in told[max(0, at - 3) : at])
        if scaled and found and found[-1].scaled and found[-1].end == at and found[-1].values[0] > values[0]:
            # Two scales are one figure: 1 million 200 thousand.
            last = found.pop()
            values, at, begin = tuple(value + last.values[0] for value in values), last.begin, places[last.begin][0]
        found.append(
            WrittenFigure(text[begin : places[end - 1][1]], values, counts, at, end, scaled, time, unit, about)
        )
        at = end
    return words, tuple(found)


_MANY, _THOUSAND, _HOURS = 3, 1000, 12


def _spelt_out(told: list[_Word], words: Sequence[str], joined: list[bool], at: int) -> tuple[float, int, bool]:
    """The value of a number in words, the token behind it, and whether it counts: one hundred and fifty."""
    total, current, least, top, counts, end = 0.0, 0.0, _LARGEST, _LARGEST, False, at
    while end < len(told) and (end == at or joined[end - 1]):
        one = told[end]
        ones = next((each for each in one.may if 1 <= each < 10), None) if current >= 20 and current % 10 == 0 else None
        number = one.number if one.number is not None else ones
        if number is not None and number < least and (current == 0 or number < 100):
            current, counts = current + number, one.counts
            least = 0.0 if number < 20 else 10.0 if number < 100 else 100.0
        elif end > at and one.scale == 100:
            current, least, counts = max(current, 1.0) * 100, 100.0, True
        elif end > at and _THOUSAND <= one.scale < top:
            total, current, least, top, counts = total + max(current, 1.0) * one.scale, 0.0, _LARGEST, one.scale, True
        elif not (end > at and least >= 100 and words[end] == "and"):
            break
        end += 1
    return total + current, max(end, at + 1), counts


_LARGEST: Final = float("inf")


def _values(word: str) -> tuple[float, ...]:
    """What a figure in digits may mean; many numbers if it is a date or a version."""
    parts = re.split("[.,]", re.sub("[ ʼ]|, (?=000)", "", word))
    sizes = set(map(len, parts[1:-1]))
    if len(parts) == 1:
        return (float(parts[0]),)
    if len(parts) == 2:
        return (float(".".join(parts)), *([float("".join(parts))] if len(parts[1]) == 3 else []))
    if sizes <= {2, 3} and len(sizes) == 1 and len(parts[-1]) == 3:
        return (float("".join(parts)),)
    return (float("".join(parts[:-1]) + "." + parts[-1]),) if sizes == {3} else tuple(map(float, parts))


def _of_name(text: str, begin: int, end: int) -> bool:
    """Whether a figure belongs to a name or code: G7, Су-35, CVE-2007-5960, 4K."""
    behind = re.match("[a-z]+", text[end : end + 8])
    known = behind is None or behind[0] in _SUFFIXES or _word(behind[0]).unit or _word(behind[0]).scale
    return not known or _OF_NAME.search(text[max(0, begin - 24) : begin]) is not None


def may_contradict(text: str, other: str) -> bool:
    """Whether each of two texts may have a figure that the other has not; seldom true of translations, and fast."""
    mine, theirs = (set(_DIGITS.findall(one)) for one in (text, other))
    # Words are looked at only where digits do not tell.
    if mine <= theirs and (mine := mine | _counted(text)) <= theirs:
        return False
    if theirs <= mine and (theirs := theirs | _counted(other)) <= mine:
        return False
    return not (mine <= theirs | _counted(other) or theirs <= mine | _counted(text))


def _counted(text: str) -> set[str]:
    counting = _counting()
    return {counting[one] for one in text.lower().replace("-", " ").split() if one in counting}


@cache
def _counting() -> dict[str, str]:
    """Words that count, as texts spell them, and their values."""
    listed = [one for one, said in _figure_words().items() if "number" in said]
    forms = {one.removesuffix("*") + end for one in listed for end in (_INFLECTED if one.endswith("*") else ("",))}
    found = {one: f"{_word(one).number:g}" for one in forms if _word(one).counts}
    found |= {one.replace("ре", "рё"): value for one, value in found.items()}
    found |= {one.replace("ʼ", sign): value for one, value in found.items() for sign in "'’"}
    return found | {one + sign: value for one, value in found.items() for sign in ",.:;)"}


def other_figure(texts: tuple[str, str], means: Sequence[Callable[[str], frozenset[str]]]) -> tuple[str, str] | None:
    """The figures of two texts of two languages of which each contradicts the other, or ``None``.

    They count the same: neither is anywhere in the other text, in digits, words or another unit, and the words around
    them translate each other. ``means``: for each text, what a word of it means, in marks that two languages share.
    """
    (words, mine), (others, theirs) = map(figures_of, texts)
    alone = [x for x in mine if x.counts and not any(_equal(x, y) for y in theirs)]
    other = [y for y in theirs if y.counts and not any(_equal(x, y) for x in mine)]
    sole = sum(one.counts for one in (*mine, *theirs)) == 2 and len((*words, *others)) < 2 * _SHORT_TEXT
    best = 0.0, ("", "")
    for x, y in product(alone, other):
        if not _may_be_one(x, y):
            share = _share_met(_near(x.begin, x.end, words, means[0]), _near(y.begin, y.end, others, means[1]), sole)
            best = max(best, (share, (x.shown, y.shown)), key=itemgetter(0))
    return best[1] if best[0] else None


def other_word(
    texts: tuple[str, str], languages: tuple[Language, Language], means: Sequence[Callable[[str], frozenset[str]]]
) -> tuple[str, str] | None:
    """The words of two texts of two languages of which one tells the opposite of the other, or ``None``.

    Neither text has words of two parts of a line, no negation stands before them, and the words around them translate
    each other. ``means``: as in `other_figure`.
    """
    (words, mine), (others, theirs) = map(_turning_words, texts, languages)
    best = 0.0, ("", "")
    for line in sorted(mine.keys() & theirs.keys()):
        if len(mine[line]) == len(theirs[line]) == 1 and mine[line].keys() != theirs[line].keys():
            for i, j in product(*mine[line].values(), *theirs[line].values()):
                share = _share_met(_near(i, i + 1, words, means[0]), _near(j, j + 1, others, means[1]))
                best = max(best, (share, (words[i], others[j])), key=itemgetter(0))
    return best[1] if best[0] else None


@lru_cache(1 << 10)
def _turning_words(text: str, language: Language) -> tuple[list[str], dict[int, dict[int, list[int]]]]:
    """The words of a text, and where those of the first stand that have an opposite, by line and part."""
    words, places = re.findall(_WORD_OR_NUMBER, text.lower().translate(_FOLDING)), dict[int, dict[int, list[int]]]()
    for at, word in enumerate(words):
        for part in parts_of_lines(word, language):
            told = at < _FIRST and NEGATIONS.isdisjoint(words[max(0, at - _BESIDE) : at])
            places.setdefault(part // PARTS, {}).setdefault(part, []).extend([at] * told)
    return words, places


_WORD_OR_NUMBER: Final = r"[^\W_]+(?:ʼ[^\W_]+)*"
_FIRST: Final = 40  # words of either text, of which one may contradict


def _share_met(one: dict[int, frozenset[str]], other: dict[int, frozenset[str]], sole: bool = False) -> float:
    """The share of the words around two that translate each other, 0.0 if too few; ``sole`` if any will do."""
    met = [(i, j) for i, j in product(one, other) if not one[i].isdisjoint(other[j])]
    count = min(len({pair[side] for pair in met}) for side in (0, 1))
    share = count / max(1, min(len(one), len(other)))
    beside = any(max(abs(i), abs(j)) <= _BESIDE for i, j in met)
    return share if beside and (sole or (count >= _LEAST_MET and share >= _LEAST_AROUND)) else 0.0


def _near(
    begin: int, end: int, words: Sequence[str], mean: Callable[[str], frozenset[str]]
) -> dict[int, frozenset[str]]:
    """What the words around some mean, by their distance from these, negative before them."""
    begins, ends = words[max(0, begin - _AROUND) : begin], words[end : end + _AROUND]
    places = [*zip(range(-len(begins), 0), begins, strict=True), *enumerate(ends, start=1)]
    return {at: found for at, word in places if (found := mean(word))}


def _equal(x: WrittenFigure, y: WrittenFigure) -> bool:
    # In a table, the scale may be said once; five years are no 5 billion.
    scales = (1.0, 1e3, 1e6, 1e9) if x.scaled != y.scaled and (x.unit == y.unit or not (x.unit and y.unit)) else (1.0,)
    pairs = [sorted(pair) for pair in product(x.values, y.values)]
    same = any(abs(large - small * scale) <= 1e-6 * large for small, large in pairs for scale in scales)
    # '98 is 1998.
    return (
        same
        or any(1900 <= large < 2100 and large - small in (1900, 2000) for small, large in pairs)
        or (x.time and y.time)
    )


def _may_be_one(x: WrittenFigure, y: WrittenFigure) -> bool:
    """Whether one figure may be the other, converted or rounded."""
    if x.unit != y.unit and ((x.unit and y.unit) or not _NAMED_UNITS.isdisjoint((x.unit, y.unit))):
        return True
    for pair in product(x.values, y.values):
        digits = {len(f"{each:.6f}".replace(".", "").strip("0")) for each in pair}
        apart = _ABOUT if x.about or y.about else _ROUNDED if len(digits) == 2 else 0.0
        if max(pair) - min(pair) <= apart * max(pair):
            return True
    return False
