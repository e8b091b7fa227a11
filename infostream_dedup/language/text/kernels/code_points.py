"""Characters of valid UTF-8, for compiled functions only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from infostream_dedup.machine.compiling import inlined, signed

if TYPE_CHECKING:
    import numpy as np

    from infostream_dedup.machine.arrays import Vector

__all__ = ["code_point", "size_of", "sized_code_point"]

_TWO_BYTES: Final = 0xC0
_THREE_BYTES: Final = 0xE0
"""First bytes of characters of two bytes and of three, at least."""


@inlined
def size_of(first: int) -> int:
    """Number of bytes of the character that begins with a byte."""
    if first < 0x80:
        return 1
    if first < 0xE0:
        return 2
    return 3 if first < 0xF0 else 4


@inlined
def code_point(data: Vector[np.uint8], place: int) -> int:
    """Code point of the character that begins at a place."""
    first = signed(data[place])
    if first < 0x80:
        return first
    second = signed(data[place + 1]) & 0x3F
    if first < 0xE0:
        return (first & 0x1F) << 6 | second
    third = signed(data[place + 2]) & 0x3F
    if first < 0xF0:
        return (first & 0x0F) << 12 | second << 6 | third
    return (first & 0x07) << 18 | second << 12 | third << 6 | (signed(data[place + 3]) & 0x3F)


@inlined
def sized_code_point(data: Vector[np.uint8], place: int, end: int) -> tuple[int, int]:
    """Code point of the character that begins at a place, and its number of bytes; the text ends at ``end``."""
    first = signed(data[place])
    if first < _THREE_BYTES and place + 1 < end:
        # Computed without branches: whether a character has one byte or two changes at every end of a word.
        two = first >= _TWO_BYTES
        return first + two * (((first & 0x1F) << 6 | signed(data[place + 1]) & 0x3F) - first), 1 + two
    return code_point(data, place), size_of(first)
