"""Write texts with every run of white space replaced by one blank, like ``" ".join(text.split())``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.language.text.kernels.code_points import code_point, size_of
from infostream_dedup.machine.compiling import compiled, inlined
from infostream_dedup.machine.kernels.byte_blocks import BLOCK, between, lowest_bit

if TYPE_CHECKING:
    from infostream_dedup.machine.arrays import Vector

__all__ = ["ALWAYS_VISIBLE", "INVISIBLE", "LEFT", "VISIBLE", "write_visible"]

VISIBLE: Final = 0
INVISIBLE: Final = 1
"""White space."""

LEFT: Final = 2
"""A character that composition may change, or an unknown one: the plain code must read the text."""

ALWAYS_VISIBLE: Final = ((0x21, 0x7F), (0xC0, 0x280), (0x400, 0x480))
"""Ranges of code points that count as visible without a look-up."""

_BLANK: Final = np.uint8(0x20)


@inlined
def _special(data: Vector[np.uint8], at: int, again: bool) -> int:
    """Count those of the next ``BLOCK`` bytes that may be copied unchanged.

    These are bytes of visible characters, by their first bytes, and blanks that follow no blank.

    Args:
        data: see ``write_visible``.
        at: the first byte.
        again: whether the first byte may not be a blank.
    """
    visible = between(data, at, 0x21, 0x7E) | between(data, at, 0x80, 0xBF)
    visible |= between(data, at, 0xC3, 0xC9) | between(data, at, 0xD0, 0xD1)
    blanks = between(data, at, 0x20, 0x20)
    return lowest_bit(~(visible | blanks) | (blanks & (blanks << np.uint64(1) | np.uint64(again))))


@compiled
def write_visible(
    data: Vector[np.uint8],
    begins: Vector[np.int64],
    ends: Vector[np.int64],
    kinds: Vector[np.uint8],
    room: Vector[np.uint8],
    places: Vector[np.int64],
    left: Vector[np.uint8],
) -> None:
    """Write the visible parts of texts, concatenated.

    Args:
        data: valid UTF-8, followed by ``BLOCK`` readable bytes.
        begins: int64 (texts,), start of each text.
        ends: int64 (texts,), end of each text.
        kinds: uint8, kind of every code point; larger ones are ``LEFT``, those in ``ALWAYS_VISIBLE`` are ``VISIBLE``.
        room: uint8, ``BLOCK`` bytes longer than all the texts; receives the visible parts.
        places: int64 (texts + 1,), receives the bounds of each.
        left: uint8 (texts,), receives 1 for texts that the plain code must read; nothing is written for them.
    """
    size = 0
    for text in range(begins.size):
        begin, at, end = size, begins[text], ends[text]
        left[text] = 0
        places[text] = begin
        while at < end:
            again = size == begin or room[size - 1] == _BLANK
            plain = min(_special(data, at, again), end - at)
            if plain:
                for place in range(BLOCK):
                    room[size + place] = data[at + place]
                size, at = size + plain, at + plain
                continue
            point = code_point(data, at)
            kind = kinds[point] if point < kinds.size else LEFT
            after = at + size_of(data[at])
            if kind == LEFT:
                left[text] = 1
                size = begin
                break
            if kind == VISIBLE:
                for place in range(at, after):
                    room[size] = data[place]
                    size += 1
            elif not again:
                room[size] = _BLANK
                size += 1
            at = after
        if size > begin and room[size - 1] == _BLANK:
            size -= 1
    places[begins.size] = size
