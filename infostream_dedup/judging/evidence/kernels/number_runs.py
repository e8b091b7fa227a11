"""Compiled search for numbers in texts: number words, and runs of figures for the patterns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

import numpy as np

from infostream_dedup.language.text.kernels.scanning import code_point, size_of
from infostream_dedup.machine.arrays import Bools, Ints, Table, Uint8s, Uint32s
from infostream_dedup.machine.compiling import compiled, inlined, signed
from infostream_dedup.machine.kernels import eight_bytes, lowest_bit

# Kinds of characters: CYRILLIC to DIGIT form words, APOSTROPHE to SPACE continue a run.
OTHER: Final = 0

CYRILLIC: Final = 1  # a letter of Russian or Ukrainian
LETTER: Final = 2  # any other word character except figures

APOSTROPHE: Final = 3
HYPHEN: Final = 4

DIGIT: Final = 5  # 0 to 9
POINT: Final = 6  # a full stop or a comma

SPACE: Final = 7

LEFT: Final = 8  # the plain code must read this text
_SLOTS: Final = 1 << 10  # size of the table of about a hundred number words, so that two of them seldom share a slot
LONGEST: Final = 16  # number words are shorter than this

_APOSTROPHE_POINT: Final = 0x2BC
_FLAGS: Final = 0x30

_CYRILLIC_FIRST: Final = 0xD1
"""First byte of letters from U+0440 up; letters from U+0400 up start with the byte before it."""

_FOUR_LETTERS: Final = np.uint64(0x00D000D000D000D0)
"""First bytes of four letters from U+0400 to U+047F, without their lowest bits."""

_FOUR_MASKS: Final = np.uint64(0x00FE00FE00FE00FE)

_LETTERS: Final = 1 << 7  # number of code points from U+0400 to U+047F

_ASCII: Final = 0x80
_IN_CYRILLIC: Final = 2
_ZERO: Final = 0x30
_TEN: Final = 10
_BASE: Final = np.uint64(0xCBF29CE484222325)
_PRIME: Final = np.uint64(0x100000001B3)
_FOLD: Final = np.uint64(32)
_MASK: Final = np.uint64(_SLOTS - 1)
_PAIRS: Final = 1 << 12


class NumberWords(NamedTuple):
    """Number words for ``number_runs``."""

    slots: Ints  # int64, number of the word + 1 in an open table; 0 if empty
    letters: Table[np.uint32]  # uint32 (words, `LONGEST`), code points of each word, padded with 0
    values: Ints  # int64 (words,), value of each word
    pairs: Bools  # bool (`_PAIRS`,), whether a word begins with a pair of letters
    # bool (`_LETTERS` x `_LETTERS`,), whether a word may begin with two letters of text, from U+0400 to U+047F
    begins: Bools


def number_words(words: Mapping[str, str]) -> NumberWords:
    """Make the table of words and their values, 0 to 10; ValueError if a word is too long."""
    slots, letters = np.zeros(_SLOTS, dtype=np.int64), np.zeros((len(words), LONGEST), dtype=np.uint32)
    for number, word in enumerate(words):
        if len(word) >= LONGEST:
            raise ValueError(f"{word!r} has more than {LONGEST - 1} letters")
        letters[number, : len(word)] = np.frombuffer(word.encode("utf-32-le"), dtype=np.uint32)
        _put(letters, number, slots)
    pairs = np.zeros(_PAIRS, dtype=np.bool_)
    pairs[[_pair(ord(word[0]), ord(word[1])) for word in words]] = True
    values = np.array([int(value) for value in words.values()], dtype=np.int64)
    small = [_lower_case(point) for point in range(0x400, 0x400 + _LETTERS)]
    begins = np.array([pairs[_pair(one, other)] for one in small for other in small], dtype=np.bool_)
    return NumberWords(slots, letters, values, pairs, begins)


@inlined
def _mix(value: np.uint64, point: int) -> np.uint64:
    return (value ^ np.uint64(point)) * _PRIME


@inlined
def _slot(value: np.uint64) -> np.uint64:
    return (value ^ (value >> _FOLD)) & _MASK


@compiled
def _put(letters: Table[np.uint32], number: int, slots: Ints) -> None:
    value = _BASE
    for place in range(LONGEST):
        if letters[number, place] != 0:
            value = _mix(value, letters[number, place])
    slot = _slot(value)
    while slots[slot] != 0:
        slot = (slot + np.uint64(1)) & _MASK
    slots[slot] = number + 1


@inlined
def _pair(first: int, second: int) -> int:
    return (first * 61 + second) % _PAIRS


@inlined
def _lower_case(point: int) -> int:
    """Return the lower-case form of a letter of number words, with ё as е; other characters are unchanged."""
    if 0x41 <= point <= 0x5A or 0x410 <= point <= 0x42F:
        return point + 0x20
    if 0x401 <= point <= 0x407:
        return 0x435 if point == 0x401 else point + 0x50
    if point == 0x451:
        return 0x435
    return 0x491 if point == 0x490 else point


@inlined
def _fold_character(data: Uint8s, at: int, kinds: Uint8s) -> int:
    """Return the folded code point of a character."""
    point = code_point(data, at)
    return _APOSTROPHE_POINT if kinds[point] == APOSTROPHE else _lower_case(point)


def _look_up(data: Uint8s, begin: int, end: int, kinds: Uint8s, words: NumberWords, word: Uint32s) -> int:
    """Return the value of a number word; -1 for any other word."""
    length, value = 0, _BASE
    while begin < end:
        if length == LONGEST - 1:
            return -1
        word[length] = _fold_character(data, begin, kinds)
        value = _mix(value, word[length])
        begin += size_of(data[begin])
        length += 1
    slot = _slot(value)
    while words.slots[slot] != 0:
        number = signed(words.slots[slot]) - 1
        place = 0
        while place < length and words.letters[number, place] == word[place]:
            place += 1
        if place == length and words.letters[number, length] == 0:
            return signed(words.values[number])
        slot = (slot + np.uint64(1)) & _MASK
    return -1


@inlined
def _value_of_word(data: Uint8s, begin: int, end: int, kinds: Uint8s, words: NumberWords, word: Uint32s) -> int:
    """Return the value of a number word, with a quick test of the first two letters, which most words fail."""
    second = begin + size_of(data[begin])
    if (
        second >= end
        or not words.pairs[_pair(_fold_character(data, begin, kinds), _fold_character(data, second, kinds))]
    ):
        return -1
    return _look_up(data, begin, end, kinds, words, word)


@inlined
def _kind_at(data: Uint8s, at: int, end: int, kinds: Uint8s) -> int:
    """Return the kind of a character; past the end, a kind that ends every run."""
    if at >= end:
        return OTHER
    point = code_point(data, at)
    return signed(kinds[point]) if point < kinds.size else LEFT


@inlined
def _after_letters(data: Uint8s, at: int, end: int) -> int:
    """Return the end of a run of letters from U+0400 to U+047F; no number begins inside such a run."""
    other = np.uint64(0)
    while at < end and other == 0:
        other = (eight_bytes(data, at) & _FOUR_MASKS) ^ _FOUR_LETTERS
        at += 8 if other == 0 else lowest_bit(other) >> 4 << 1
    return min(at, end)


@inlined
def _letter(data: Uint8s, at: int) -> int:
    """Return the place of a letter from U+0400 to U+047F among these."""
    return int((data[at] & 1) << 6 | (data[at + 1] & 0x3F))


@inlined
def _after_plain_words(data: Uint8s, at: int, end: int, kinds: Uint8s, words: NumberWords) -> int:
    """Skip Cyrillic words, each with the ASCII character after it, that say no number: most of a text."""
    plain = True
    while plain and at < end and data[at] | 1 == _CYRILLIC_FIRST:
        first = _letter(data, at)
        after = _after_letters(data, at, end)
        plain = kinds[0x400 + first] == CYRILLIC and after < end and data[after] < _ASCII
        if plain:
            kind = kinds[data[after]]
            plain = kind in (OTHER, POINT, SPACE)
            if after > at + 2:
                plain = plain and not words.begins[first * _LETTERS + _letter(data, at + 2)]
        at = after + 1 if plain else at
    return at


def _write_word(value: int, room: Uint8s, end: int) -> int:
    """Write a number word's value as a run; return its end."""
    room[end] = _FLAGS
    end += 1
    if value >= _TEN:
        room[end] = _ZERO + 1
        end += 1
    room[end] = _ZERO + value % _TEN
    return end + 1


def _write_run(data: Uint8s, begin: int, end: int, glued: bool, room: Uint8s, size: int) -> int:
    """Write a run of figures; return its end."""
    room[size] = _FLAGS + glued
    size += 1
    for place in range(begin, end):
        room[size] = data[place]
        size += 1
    return size


def _runs_of_text(
    data: Uint8s,
    at: int,
    end: int,
    kinds: Uint8s,
    words: NumberWords,
    word: Uint32s,
    room: Uint8s,
    starts: Ints,
    found: int,
) -> tuple[int, bool]:
    """Append the runs of one text; arguments as in ``number_runs``.

    Returns:
        Total number of runs, or -1 if the plain code must read the text; and whether it is Cyrillic.
    """
    size, cyrillic, inside, pure, glued = starts[found], False, False, False, False
    before, run, kept, begin = OTHER, at, at, -1
    while at <= end:
        if begin < 0 and not inside:
            after = _after_plain_words(data, at, end, kinds, words)
            if after > at:
                cyrillic, before, at = True, signed(kinds[data[after - 1]]), after
        kind = _kind_at(data, at, end, kinds)
        if kind == LEFT:
            return -1, False
        after = at + size_of(data[at])
        if CYRILLIC <= kind <= DIGIT:
            cyrillic = cyrillic or kind == CYRILLIC
            begin = at if begin < 0 else begin
            after = _after_letters(data, after, end) if kind == CYRILLIC else after
        elif begin >= 0:
            said = _value_of_word(data, begin, at, kinds, words, word)
            if said >= 0:
                size, found = _write_word(said, room, size), found + 1
                starts[found] = size
            begin = -1
        if inside:
            pure = pure and (kind != DIGIT or before == DIGIT)
            # A point after plain digits means nothing.
            kept = after if kind == DIGIT or (kind == POINT and not pure) else kept
            inside = APOSTROPHE <= kind <= SPACE
            if not inside:
                size, found = _write_run(data, run, kept, glued, room, size), found + 1
                starts[found] = size
        elif kind == DIGIT:
            inside, pure, glued, run, kept = True, True, CYRILLIC <= before <= APOSTROPHE, at, after
        before, at = kind, after
    return found, cyrillic


@compiled
def number_runs(
    data: Uint8s,
    offsets: Ints,
    kinds: Uint8s,
    words: NumberWords,
    word: Uint32s,
    room: Uint8s,
    starts: Ints,
    sizes: Ints,
) -> int:
    """Write the runs of all texts, each preceded by a character that describes its surroundings.

    Args:
        data: valid UTF-8, followed by 8 readable bytes.
        offsets: int64 (texts + 1,), start of each text, and end of the last one.
        kinds: uint8, kind of every code point; larger code points are ``LEFT``.
        words: number words; each is written as a run of its value.
        word: uint32 (``LONGEST``,), scratch memory.
        room: uint8, one byte for each byte of the texts and for each text; receives the runs. Each begins with ``0`` to
            ``3`` (1 means that a word character precedes it, 2 that the text is Cyrillic); the run follows in UTF-8,
            without spaces, hyphens and apostrophes at its end, and without points and commas after plain digits.
        starts: int64, half as long as the texts plus the number of texts + 1; receives the start of each run.
        sizes: int64 (texts,), receives the number of runs of each text; -1 if the plain code must read it.

    Returns:
        Number of runs.
    """
    found = 0
    starts[0] = 0
    for text in range(sizes.size):
        last, cyrillic = _runs_of_text(data, offsets[text], offsets[text + 1], kinds, words, word, room, starts, found)
        if last < 0:
            sizes[text] = -1
            continue
        sizes[text] = last - found
        if cyrillic:
            for run in range(found, last):
                room[starts[run]] += _IN_CYRILLIC
        found = last
    return found
