"""Process many bytes at a time with processor instructions.

All functions are for kernels only. They read up to ``BLOCK`` bytes from an index; the caller provides that many bytes
after the last byte of interest.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from infostream_dedup.machine.arrays import Uint8s
from infostream_dedup.machine.compiling import inlined, instruction

BLOCK: Final = 64  # number of bytes that ``between`` reads: one per bit of a machine word

HALF: Final = 32  # number of bytes that ``equal`` reads: words are seldom longer

_BYTES_OF_A_WORD: Final = 8

_ONE: Final = np.uint64(1)
_ALL: Final = np.uint64(0xFFFFFFFFFFFFFFFF)


@instruction
def between(array: Uint8s, index: int, low: int, high: int) -> np.uint64:
    """Bit b is set if byte ``index + b`` is in ``low`` .. ``high``."""
    return np.uint64(sum(1 << bit for bit in range(BLOCK) if low <= array[index + bit] <= high))


@instruction
def equal(one: Uint8s, at: int, other: Uint8s, there: int) -> np.uint64:
    """Bit b < ``HALF`` is set if ``one[at + b] == other[there + b]``."""
    return np.uint64(sum(1 << bit for bit in range(HALF) if one[at + bit] == other[there + bit]))


@instruction
def eight_bytes(array: Uint8s, index: int) -> np.uint64:
    """8 bytes as one number, the first byte lowest (the processor's order)."""
    return np.uint64(int.from_bytes(bytes(array[index : index + _BYTES_OF_A_WORD]), "little"))


@instruction
def lowest_bit(word: np.uint64) -> int:
    """Number of the lowest bit set; 64 if no bit is set."""
    number = int(word)
    return (number & -number).bit_length() - 1 if number else BLOCK


@instruction
def _copy_half(source: Uint8s, at: int, target: Uint8s, there: int) -> None:
    target[there : there + HALF] = source[at : at + HALF]


@inlined
def first_bits(count: int) -> np.uint64:
    """Mask of the first ``count`` bytes of a block: none of them below 1, all from ``BLOCK``."""
    return _ALL if count >= BLOCK else (_ONE << np.uint64(max(count, 0))) - _ONE


@inlined
def copy_bytes(source: Uint8s, at: int, target: Uint8s, there: int, size: int) -> None:
    """Copy bytes from ``source[at]`` to ``target[there]``; up to ``HALF`` - 1 more bytes are written after them."""
    copied = 0
    while copied < size:
        _copy_half(source, at + copied, target, there + copied)
        copied += HALF
