"""Skip words in which no number begins, 64 bytes at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.machine.compiling import compiled, inlined
from infostream_dedup.machine.kernels.byte_blocks import BLOCK, between, lowest_bit

if TYPE_CHECKING:
    from infostream_dedup.machine.arrays import Vector

__all__ = ["BEGINNINGS", "beginning", "next_place"]

_BITS: Final = 7
_LETTER: Final = (1 << _BITS) - 1
_CYRILLIC: Final = 1 << 2 * _BITS
BEGINNINGS: Final = 2 * _CYRILLIC
"""Size of the table of beginnings: pairs of ASCII characters, then pairs of letters from U+0400 to U+047F."""

_APOSTROPHE: Final = 0x27
_FIRST_BYTES: Final = 0xD1
"""First byte of letters from U+0440 to U+047F; those from U+0400 start with the byte before it."""

_ONE: Final = np.uint64(1)
_TWO: Final = np.uint64(2)
_LAST: Final = np.uint64(BLOCK - 1)


def beginning(first: str, second: str) -> int:
    """Place in the table of beginnings of two letters, both ASCII or both from U+0400 to U+047F."""
    return (0 if first.isascii() else _CYRILLIC) | (ord(first) & _LETTER) << _BITS | ord(second) & _LETTER


@inlined
def _may_be_number(data: Vector[np.uint8], at: int, beginnings: Vector[np.bool_]) -> bool:
    """Whether a word may be a number word, by its first two letters; wrong for none that is."""
    if data[at] < 0x80:
        return bool(beginnings[(data[at] & _LETTER) << _BITS | data[at + 1] & _LETTER])
    if data[at + 2] | 1 != _FIRST_BYTES:
        # Any other apostrophe is a stop.
        return bool(data[at + 2] == _APOSTROPHE)
    first = (data[at] & 1) << 6 | data[at + 1] & 0x3F
    second = (data[at + 2] & 1) << 6 | data[at + 3] & 0x3F
    return bool(beginnings[_CYRILLIC | first << _BITS | second])


@inlined
def _in_words(data: Vector[np.uint8], at: int) -> np.uint64:
    """Mark the bytes of words among the next ``BLOCK``: of letters, figures, ``_``, ``-``, ``'``, and beyond ASCII."""
    letters = between(data, at, 0x61, 0x7A) | between(data, at, 0x41, 0x5A) | between(data, at, 0x80, 0xFF)
    signs = between(data, at, 0x5F, 0x5F) | between(data, at, 0x2D, 0x2D) | between(data, at, 0x27, 0x27)
    return np.uint64(letters | signs | between(data, at, 0x30, 0x39))


@inlined
def _stops(data: Vector[np.uint8], at: int, cyrillic: bool) -> np.uint64:
    """Mark figures, and first bytes of characters beyond ASCII; not those of Cyrillic letters if these are skipped."""
    figures = between(data, at, 0x30, 0x39)
    if cyrillic:
        return np.uint64(figures | between(data, at, 0xC2, 0xCF) | between(data, at, 0xD2, 0xFF))
    return np.uint64(figures | between(data, at, 0xC2, 0xFF))


@compiled
def next_place(
    data: Vector[np.uint8],
    at: int,
    end: int,
    beginnings: Vector[np.bool_],
    cyrillic: bool,
) -> int:
    """Find the next word that must be read character by character.

    These are words with figures or with characters beyond ASCII other than Cyrillic letters, such characters alone, and
    words that begin like a number word.

    Args:
        data: valid UTF-8, followed by ``BLOCK`` readable bytes.
        at: a place after no character of a word.
        end: end of the text.
        beginnings: bool (``BEGINNINGS``,), whether a number word begins with two letters, by ``beginning``.
        cyrillic: whether letters from U+0400 to U+047F may be skipped, too.

    Returns:
        Place of its first character; ``end`` if there is none.
    """
    while at < end:
        words, stops, left = _in_words(data, at), _stops(data, at, cyrillic), end - at
        if left < BLOCK:
            own = (_ONE << np.uint64(left)) - _ONE
            words, stops = words & own, stops & own
        begins, begin = words & ~(words << _ONE), 0
        if stops != 0:
            begins &= (_TWO << np.uint64(lowest_bit(stops))) - _ONE
        while begins != 0:
            begin = lowest_bit(begins)
            if _may_be_number(data, at + begin, beginnings):
                return at + begin
            begins &= begins - _ONE
        if stops != 0:
            return at + begin
        if left <= BLOCK or words >> _LAST == 0:
            at += BLOCK
        elif begin == 0:
            # A word longer than the block.
            return at
        else:
            at += begin
    return end
