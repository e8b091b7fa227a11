"""Check JSON values in UTF-8 as strictly as the parser that reads what these loops leave.

All functions take the bytes ``data`` and places in one of its lines. A line ends at a control character or at the end
of ``data``, which is followed by ``BLOCK`` readable bytes. They return -1 for anything that is not plainly valid.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.machine.compiling import compiled, inlined, popcount, signed
from infostream_dedup.machine.kernels.byte_blocks import BLOCK, between, lowest_bit

if TYPE_CHECKING:
    from infostream_dedup.machine.arrays import Vector

__all__ = [
    "BRACKETS",
    "ESCAPED",
    "ODD",
    "after_blanks",
    "escaped_code",
    "plain_bytes",
    "rare_character",
    "string_end",
    "value_end",
]

ESCAPED: Final = 1
"""Mark of a string with escapes."""

ODD: Final = 2
"""Mark of a string with control characters."""

BRACKETS: Final = 1
"""Mark of a value that another parser must check: an array, an object, or a long or unusual number."""

_ALL: Final = np.uint64(0xFFFF_FFFF_FFFF_FFFF)
_ONE: Final = np.uint64(1)
_TWO: Final = np.uint64(2)
_SURE_DIGITS: Final = 15

_QUOTE: Final = 0x22
_BACKSLASH: Final = 0x5C


@inlined
def after_blanks(data: Vector[np.uint8], at: int, end: int) -> int:
    """First place at or after ``at`` that is not JSON white space; ``end`` if all of it is."""
    while at < end and (data[at] == 0x20 or data[at] == 0x09 or data[at] == 0x0D):
        at += 1
    return at


@inlined
def plain_bytes(data: Vector[np.uint8], at: int, stop: np.uint64) -> tuple[int, int]:
    """Count those of the next ``BLOCK`` bytes that are whole characters and may be copied unchanged.

    Args:
        data: see above.
        at: the first byte.
        stop: uint64, a bit for each further byte that ends the run.

    Returns:
        Number of bytes (-1 if they are not UTF-8) and of characters. Four-byte characters, and three-byte ones that
        need a closer look, end the run.
    """
    follow = between(data, at, 0x80, 0xBF)
    two, three = between(data, at, 0xC2, 0xDF), between(data, at, 0xE1, 0xEC) | between(data, at, 0xEE, 0xEF)
    controls = between(data, at, 0xC2, 0xC2) & (between(data, at, 0x80, 0x9F) >> _ONE)
    stop |= between(data, at, 0x00, 0x1F) | between(data, at, 0x7F, 0x7F) | between(data, at, 0xC0, 0xC1)
    stop |= between(data, at, 0xE0, 0xE0) | between(data, at, 0xED, 0xED) | between(data, at, 0xF0, 0xFF) | controls
    expected = two << _ONE | three << _ONE | three << _TWO
    size = lowest_bit(stop)
    if size < BLOCK:
        if (expected >> np.uint64(size)) & _ONE:
            return -1, 0
    elif (two | three) >> np.uint64(BLOCK - 1):
        size = BLOCK - 1
    elif three >> np.uint64(BLOCK - 2):
        size = BLOCK - 2
    inside = _ALL if size == BLOCK else (_ONE << np.uint64(size)) - _ONE
    if (expected ^ follow) & inside:
        return -1, 0
    return size, popcount(~follow & inside)


@inlined
def _follows(data: Vector[np.uint8], at: int) -> bool:
    return bool(0x80 <= data[at] <= 0xBF)


@inlined
def rare_character(data: Vector[np.uint8], at: int) -> int:
    """Size of a three- or four-byte character whose second byte is restricted; -1 if it is not UTF-8."""
    first, second = data[at], data[at + 1]
    if first == 0xE0:
        return 3 if 0xA0 <= second <= 0xBF and _follows(data, at + 2) else -1
    if first == 0xED:
        return 3 if 0x80 <= second <= 0x9F and _follows(data, at + 2) else -1
    if first < 0xF0 or first > 0xF4 or not _follows(data, at + 2) or not _follows(data, at + 3):
        return -1
    low = 0x90 if first == 0xF0 else 0x80
    high = 0x8F if first == 0xF4 else 0xBF
    return 4 if low <= second <= high else -1


@inlined
def _hex_digit(byte: int) -> int:
    if 0x30 <= byte <= 0x39:
        return byte - 0x30
    lower = byte | 0x20
    return lower - 0x57 if 0x61 <= lower <= 0x66 else -1


@inlined
def _four_digits(data: Vector[np.uint8], at: int) -> int:
    found = 0
    for place in range(at, at + 4):
        digit = _hex_digit(signed(data[place]))
        if digit < 0:
            return -1
        found = found << 4 | digit
    return found


@inlined
def escaped_code(data: Vector[np.uint8], at: int) -> tuple[int, int]:
    """Decode an escape.

    Args:
        data: see above.
        at: place of the backslash.

    Returns:
        Code point (-1 for a lone surrogate or an invalid escape), and number of bytes.
    """
    kind = data[at + 1]
    if kind == 0x75:
        code = _four_digits(data, at + 2)
        if code < 0xD800 or code > 0xDFFF:
            return code, 6
        low = _four_digits(data, at + 8) if data[at + 6] == _BACKSLASH and data[at + 7] == 0x75 else -1
        if code > 0xDBFF or low < 0xDC00 or low > 0xDFFF:
            return -1, 0
        return 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00), 12
    if kind in (_QUOTE, _BACKSLASH, 0x2F):
        return signed(kind), 2
    if kind == 0x6E:
        return 0x0A, 2
    if kind == 0x72:
        return 0x0D, 2
    if kind == 0x74:
        return 0x09, 2
    if kind == 0x62:
        return 0x08, 2
    return (0x0C, 2) if kind == 0x66 else (-1, 0)


@inlined
def _special_character(data: Vector[np.uint8], at: int) -> tuple[int, int]:
    """Size of a character that ``plain_bytes`` does not pass, and its mark; -1 if it is not valid."""
    byte = data[at]
    if byte == _BACKSLASH:
        code, size = escaped_code(data, at)
        if code < 0:
            return -1, 0
        control = (code < 0x20 and code not in (0x09, 0x0A, 0x0D)) or 0x7F <= code <= 0x9F
        return size, ESCAPED | ODD if control else ESCAPED
    if byte == 0x7F:
        return 1, ODD
    if byte == 0xC2:
        return 2, ODD
    return (rare_character(data, at), 0) if byte >= 0xE0 else (-1, 0)


@compiled
def string_end(data: Vector[np.uint8], at: int) -> tuple[int, int, int]:
    """Find the end of a string.

    Args:
        data: see above.
        at: place after the opening quote.

    Returns:
        Place of the closing quote, ``ESCAPED`` and ``ODD``, and the number of characters.
    """
    marks, characters = 0, 0
    while True:
        ends = between(data, at, _QUOTE, _QUOTE) | between(data, at, _BACKSLASH, _BACKSLASH)
        size, inside = plain_bytes(data, at, ends)
        if size < 0:
            return -1, 0, 0
        at += size
        characters += inside
        if size >= BLOCK - 2:
            continue
        if data[at] == _QUOTE:
            return at, marks, characters
        size, mark = _special_character(data, at)
        if size < 0:
            return -1, 0, 0
        at += size
        marks |= mark
        characters += 1


@inlined
def _digits_end(data: Vector[np.uint8], at: int) -> int:
    while 0x30 <= data[at] <= 0x39:
        at += 1
    return at


@inlined
def _number_end(data: Vector[np.uint8], at: int) -> tuple[int, int]:
    begin = at
    if data[at] == 0x2D:
        at += 1
    after = _digits_end(data, at)
    if after == at or (data[at] == 0x30 and after > at + 1):
        return -1, 0
    at = after
    if data[at] == 0x2E:
        after = _digits_end(data, at + 1)
        if after == at + 1:
            return -1, 0
        at = after
    exponent = data[at] == 0x65 or data[at] == 0x45
    if exponent:
        at += 2 if data[at + 1] == 0x2B or data[at + 1] == 0x2D else 1
        after = _digits_end(data, at)
        if after == at:
            return -1, 0
        at = after
    return at, BRACKETS if exponent or at - begin > _SURE_DIGITS else 0


@inlined
def _nested_end(data: Vector[np.uint8], at: int, end: int) -> int:
    """Place after the bracket that closes the one at ``at``; between them, only strings are checked."""
    depth = 0
    while at < end:
        byte = data[at]
        if byte == _QUOTE:
            at, _, _ = string_end(data, at + 1)
            if at < 0:
                return -1
        elif byte == 0x5B or byte == 0x7B:
            depth += 1
        elif byte == 0x5D or byte == 0x7D:
            depth -= 1
            if depth == 0:
                return at + 1
        at += 1
    return -1


@inlined
def _is_word(data: Vector[np.uint8], at: int, first: int, second: int, third: int) -> bool:
    return bool(data[at] == first and data[at + 1] == second and data[at + 2] == third)


@compiled
def value_end(data: Vector[np.uint8], at: int, end: int) -> tuple[int, int]:
    """Find the end of a number, object or array, or of ``true``, ``false`` or ``null``.

    Args:
        data: see above.
        at: its first byte.
        end: end of the line.

    Returns:
        Place after it, and ``BRACKETS``.
    """
    byte = data[at]
    if byte == 0x5B or byte == 0x7B:
        return _nested_end(data, at, end), BRACKETS
    if byte == 0x74:
        return (at + 4, 0) if _is_word(data, at + 1, 0x72, 0x75, 0x65) else (-1, 0)
    if byte == 0x6E:
        return (at + 4, 0) if _is_word(data, at + 1, 0x75, 0x6C, 0x6C) else (-1, 0)
    if byte == 0x66:
        return (at + 5, 0) if _is_word(data, at + 1, 0x61, 0x6C, 0x73) and data[at + 4] == 0x65 else (-1, 0)
    return _number_end(data, at)
