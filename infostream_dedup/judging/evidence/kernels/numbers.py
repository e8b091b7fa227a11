"""Read numbers and dates in decoded text; ``tests/oracles/plain_reading.py`` is the readable reference."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.judging.evidence.characters import CharacterKind
from infostream_dedup.judging.evidence.constants import (
    DATE_BIT,
    FIGURE_SEED,
    FIRST_YEAR,
    LAST_YEAR,
    TITLE_FIGURE_BITS,
    TITLE_FIGURE_DIGITS,
)
from infostream_dedup.judging.evidence.kernels.hashing import joined, mixed, step
from infostream_dedup.machine.compiling import compiled, inlined, signed

if TYPE_CHECKING:
    from infostream_dedup.machine.arrays import Vector

__all__ = ["date_entry", "number_at", "title_figure"]

_DIGIT: Final = int(CharacterKind.DIGIT)
_POINT: Final = int(CharacterKind.POINT)
_COMMA: Final = int(CharacterKind.COMMA)
_SPACE: Final = int(CharacterKind.SPACE)
_HYPHEN: Final = int(CharacterKind.HYPHEN)
_SLASH: Final = int(CharacterKind.SLASH)
_SEED = np.uint64(FIGURE_SEED)
_ZERO: Final = ord("0")
_STOP: Final = ord(".")
_34 = np.uint64(34)


@inlined
def date_entry(value: int) -> int:
    """Entry of ``numbers`` for a day (32 * month + day) or a year."""
    return signed(mixed(step(_SEED, value)) >> _34) << 2 | DATE_BIT


@inlined
def _digits_end(kinds: Vector[np.uint8], place: int) -> int:
    while kinds[place] == _DIGIT:
        place += 1
    return place


@inlined
def _value(folded: Vector[np.uint16], begin: int, end: int) -> int:
    value = 0
    for place in range(begin, end):
        value = value * 10 + signed(folded[place])
    return value


@inlined
def _is_day(day: int, month: int) -> bool:
    return 1 <= day <= 31 and 1 <= month <= 12


@compiled
def _day_first(kinds: Vector[np.uint8], first: int, end: int) -> tuple[int, int]:
    """Bounds of the second part and end of the third of 17.04.2024; (-1, -1) for anything else."""
    sign = kinds[end]
    if end - first > 2 or (sign != _POINT and sign != _SLASH and sign != _HYPHEN):
        return -1, -1
    second = _digits_end(kinds, end + 1)
    size = second - end - 1
    if size < 1 or size > 2 or kinds[second] != sign:
        return -1, -1
    third = _digits_end(kinds, second + 1)
    size = third - second - 1
    if (size != 2 and size != 4) or (kinds[third] == sign and kinds[third + 1] == _DIGIT):
        return -1, -1
    return second, third


@compiled
def _date_at(
    kinds: Vector[np.uint8], folded: Vector[np.uint16], begin: int, end: int, title_end: int
) -> tuple[int, int, int, int]:
    """End, day, month and year of the date at a place; end is -1 without a date, year is 0 without a year."""
    second, third = _day_first(kinds, begin, end)
    if second > 0:
        day, month = _value(folded, begin, end), _value(folded, end + 1, second)
        year = _value(folded, second + 1, third)
        if _is_day(day, month):
            return third, day, month, year + 2000 if year < 100 else year
    if end - begin == 4 and kinds[end] == _HYPHEN and kinds[end + 3] == _HYPHEN:
        second, third = _digits_end(kinds, end + 1), _digits_end(kinds, end + 4)
        if second == end + 3 and third == end + 6:
            day, month = _value(folded, end + 4, third), _value(folded, end + 1, second)
            if _is_day(day, month):
                year = _value(folded, begin, end)
                return third, day, month, year + 2000 if year < 100 else year
    if end - begin == 2 and kinds[end] == _POINT and end + 3 <= title_end:
        second = _digits_end(kinds, end + 1)
        if second == end + 3 and not (kinds[second] == _POINT and kinds[second + 1] == _DIGIT):
            day, month = _value(folded, begin, end), _value(folded, end + 1, second)
            if _is_day(day, month):
                return second, day, month, 0
    return -1, 0, 0, 0


@compiled
def _spaced_end(kinds: Vector[np.uint8], end: int) -> int:
    """End of the groups of a space and three digits that start at a place; the place itself if there are none."""
    while kinds[end] == _SPACE and _digits_end(kinds, end + 1) == end + 4:
        end += 4
    return end


@compiled
def _is_sign(kind: int) -> bool:
    return kind in (_POINT, _COMMA)


@compiled
def _grouped_end(kinds: Vector[np.uint8], end: int) -> int:
    """End of the groups of a separator (all points or all commas) and three digits that start at a place."""
    sign = kinds[end]
    while _is_sign(sign) and kinds[end] == sign and _digits_end(kinds, end + 1) == end + 4:
        end += 4
    return end


@compiled
def _decimal_hash(
    kinds: Vector[np.uint8], folded: Vector[np.uint16], begin: int, whole_end: int, end: int
) -> tuple[np.uint64, int]:
    """Hash of a figure, decimals included; and its value, or -1 if it has decimals or is 10,000 or more."""
    state, digits, value = _SEED, 0, 0
    for place in range(begin, whole_end):
        if kinds[place] == _DIGIT and (digits or folded[place]):
            state = step(state, _ZERO + signed(folded[place]))
            digits += 1
            value = value * 10 + signed(folded[place]) if digits <= 4 else -1
    if digits == 0:
        state = step(state, _ZERO)
    while end > whole_end + 1 and folded[end - 1] == 0:
        end -= 1
    if end > whole_end + 1:
        state, value = step(state, _STOP), -1
        for place in range(whole_end + 1, end):
            state = step(state, _ZERO + signed(folded[place]))
    return mixed(state), value if digits <= 4 else -1


@compiled
def _version_hash(kinds: Vector[np.uint8], folded: Vector[np.uint16], begin: int, end: int) -> np.uint64:
    """Hash of digits with several separators that do not mark thousands, such as 1.2.3.4."""
    state = _SEED
    for place in range(begin, end):
        state = step(state, _ZERO + signed(folded[place]) if kinds[place] == _DIGIT else _STOP)
    return mixed(state)


@compiled
def _spaced_figure(
    kinds: Vector[np.uint8], folded: Vector[np.uint16], begin: int, spaced: int
) -> tuple[int, np.uint64, int]:
    """Read a figure whose thousands, up to ``spaced``, are separated by spaces; decimals may follow."""
    end = spaced
    if _is_sign(kinds[spaced]) and kinds[spaced + 1] == _DIGIT:
        end = _digits_end(kinds, spaced + 1)
        if _is_sign(kinds[end]) and kinds[end + 1] == _DIGIT:
            end = spaced
    hashed, value = _decimal_hash(kinds, folded, begin, spaced, end)
    return end, hashed, value


@compiled
def _figure_at(kinds: Vector[np.uint8], folded: Vector[np.uint16], begin: int, end: int) -> tuple[int, np.uint64, int]:
    """End, hash and value of the figure at a place; the value is -1 for decimals or more than four digits."""
    grouping = end - begin <= 3 and folded[begin] != 0
    spaced = _spaced_end(kinds, end) if grouping else end
    if spaced > end:
        return _spaced_figure(kinds, folded, begin, spaced)
    last, signs = end, 0
    while _is_sign(kinds[last]) and kinds[last + 1] == _DIGIT:
        last = _digits_end(kinds, last + 1)
        signs += 1
    grouped = _grouped_end(kinds, end) if grouping else end
    if grouped > end and signs - (grouped - end) // 4 <= 1:
        hashed, value = _decimal_hash(kinds, folded, begin, grouped, last)
    elif signs <= 1:
        hashed, value = _decimal_hash(kinds, folded, begin, end, last)
    else:
        hashed, value = _version_hash(kinds, folded, begin, last), -1
    return last, hashed, value


@compiled
def number_at(
    kinds: Vector[np.uint8], folded: Vector[np.uint16], begin: int, title_end: int
) -> tuple[int, np.uint64, int, int, int]:
    """Read the number at a place.

    Args:
        kinds: uint8, ``CharacterKind`` of each character, followed by 16 zeros.
        folded: uint16, value of each digit.
        begin: place of its first digit.
        title_end: number of characters in the title.

    Returns:
        Its end, the hash of its token, one or two entries of ``numbers`` (the second is -1 if there is only one), and
        its value if it is a whole number below 100, otherwise -1.
    """
    end = _digits_end(kinds, begin)
    after, day, month, year = _date_at(kinds, folded, begin, end, title_end)
    if after > 0:
        token = joined(np.uint64(day), np.uint64(month), np.uint64(year))
        return after, token, date_entry(month * 32 + day), date_entry(year) if year else -1, -1
    after, token, value = _figure_at(kinds, folded, begin, end)
    if FIRST_YEAR <= value <= LAST_YEAR:
        return after, token, date_entry(value), -1, -1
    return after, token, signed(token >> _34) << 2, -1, value if value < 100 else -1


@inlined
def title_figure(kinds: Vector[np.uint8], begin: int, end: int, entry: int) -> int:
    """Bit of a figure in a title; 0 for a date or a figure with too few digits."""
    digits = 0
    for place in range(begin, end):
        digits += kinds[place] == _DIGIT
    if entry & DATE_BIT or digits < TITLE_FIGURE_DIGITS:
        return 0
    return 1 << (entry >> 2) % TITLE_FIGURE_BITS
