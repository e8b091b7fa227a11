"""Count the letters that reveal the language of a text in UTF-8."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.machine.compiling import compiled, popcount
from infostream_dedup.machine.kernels.byte_blocks import BLOCK, between, lowest_bit

if TYPE_CHECKING:
    from infostream_dedup.machine.arrays import Table, Vector

__all__ = ["count_letters"]


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

    Args:
        data: the texts in UTF-8, followed by ``BLOCK`` + 2 readable bytes.
        offsets: int64 (texts + 1,), bounds of the texts.
        sample: number of characters to read.
        counts: (texts, 4), receives the numbers of Latin, Cyrillic, Russian-only and Ukrainian-only letters. The first
            is -1 if a letter changes its alphabet in lower case (U+0130, U+212A).
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
