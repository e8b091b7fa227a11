"""Write texts with every run of white space replaced by one blank, like ``" ".join(text.split())``."""

from __future__ import annotations

from typing import Final

import numpy as np

from infostream_dedup.language.text.kernels.scanning import code_point, size_of
from infostream_dedup.machine.arrays import Table, Vector
from infostream_dedup.machine.compiling import compiled, inlined, popcount
from infostream_dedup.machine.kernels.byte_blocks import BLOCK, between, lowest_bit

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

    ``data``: see ``write_visible``; ``at``: the first byte; ``again``: whether the first byte may not be a blank.
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

    ``data``: valid UTF-8, followed by ``BLOCK`` readable bytes; ``begins``: (texts,), start of each text; ``ends``:
    (texts,), end of each text; ``kinds``: kind of every code point; larger ones are ``LEFT``, those in
    ``ALWAYS_VISIBLE`` are ``VISIBLE``; ``room``: ``BLOCK`` bytes longer than all the texts; receives the visible parts;
    ``places``: (texts + 1,), receives the bounds of each; ``left``: (texts,), receives 1 for texts that the plain code
    must read; nothing is written for them.
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


# Count the letters that reveal the language of a text in UTF-8


@compiled
def _first(mask: np.uint64, count: int) -> np.uint64:
    """The bits of a mask below its bit number ``count`` (from 0), counting only bits that are set."""
    rest = mask
    for _ in range(count):
        rest &= rest - np.uint64(1)
    return (rest & (~rest + np.uint64(1))) - np.uint64(1)


@compiled
def _has_kelvin(data: Vector[np.uint8], index: int, mask: np.uint64) -> bool:
    """Whether U+212A, whose lower case is a Latin k, is at one of the places in the mask."""
    while mask:
        if data[index + lowest_bit(mask) + 2] == 0xAA:
            return True
        mask &= mask - np.uint64(1)
    return False


@compiled
def count_letters(data: Vector[np.uint8], offsets: Vector[np.int64], sample: int, counts: Table[np.int32]) -> None:
    """Count the letters that ``language.detect`` counts in the first ``sample`` characters of each text.

    ``data``: the texts in UTF-8, followed by ``BLOCK`` + 2 readable bytes; ``offsets``: (texts + 1,), bounds of the
    texts; ``sample``: number of characters to read; ``counts``: (texts, 4), receives the numbers of Latin, Cyrillic,
    Russian-only and Ukrainian-only letters. The first is -1 if a letter changes its alphabet in lower case (U+0130,
    U+212A).
    """
    for text in range(offsets.size - 1):
        latin, cyrillic, russian, ukrainian, left = 0, 0, 0, 0, sample
        index, end = offsets[text], offsets[text + 1]
        while index < end and left > 0:
            inside = ~np.uint64(0) if end - index >= BLOCK else (np.uint64(1) << np.uint64(end - index)) - np.uint64(1)
            begins = ~between(data, index, 0x80, 0xBF) & inside
            characters = popcount(begins)
            if characters > left:
                inside = _first(begins, left)
            left -= characters
            d0 = between(data, index, 0xD0, 0xD0) & inside
            d1 = between(data, index, 0xD1, 0xD1) & inside
            d2 = between(data, index, 0xD2, 0xD2) & inside
            after = index + 1
            ie_large = between(data, after, 0x84, 0x84) | between(data, after, 0x86, 0x87)
            ie_small = between(data, after, 0x94, 0x94) | between(data, after, 0x96, 0x97)
            ge = d2 & between(data, after, 0x90, 0x91)
            yo = (d0 & between(data, after, 0x81, 0x81)) | (d1 & between(data, after, 0x91, 0x91))
            only_ukrainian = (d0 & ie_large) | (d1 & ie_small) | ge
            hard_large = between(data, after, 0xAA, 0xAB) | between(data, after, 0xAD, 0xAD)
            hard_small = between(data, after, 0x8A, 0x8B) | between(data, after, 0x8D, 0x8D)
            shared = (d0 & between(data, after, 0x90, 0xBF)) | (d1 & between(data, after, 0x80, 0x8F))
            latin += popcount((between(data, index, 0x41, 0x5A) | between(data, index, 0x61, 0x7A)) & inside)
            cyrillic += popcount(shared | yo | only_ukrainian)
            russian += popcount((d0 & hard_large) | (d1 & hard_small) | yo)
            ukrainian += popcount(only_ukrainian)
            dotted = between(data, index, 0xC4, 0xC4) & between(data, after, 0xB0, 0xB0) & inside
            letterlike = between(data, index, 0xE2, 0xE2) & between(data, after, 0x84, 0x84) & inside
            if dotted or _has_kelvin(data, index, letterlike):
                latin = -(1 << 30)
            index += BLOCK
        counts[text, 0] = max(latin, -1)
        counts[text, 1] = cyrillic
        counts[text, 2] = russian
        counts[text, 3] = ukrainian
