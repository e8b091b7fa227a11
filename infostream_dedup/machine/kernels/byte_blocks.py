"""Process many bytes at a time with processor instructions that numba does not expose.

All functions are for kernels only. They read up to ``BLOCK`` bytes from an index; the caller provides that many bytes
after the last byte of interest.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Final, cast

import numpy as np

from infostream_dedup.machine.compiling import Instruction, inlined, popcount

__all__ = ["BLOCK", "HALF", "between", "copy_bytes", "eight_bytes", "equal", "lowest_bit", "ones"]

BLOCK: Final = 64
"""Number of bytes that ``between`` reads: one per bit of a machine word."""

HALF: Final = 32
"""Number of bytes that ``equal`` reads: words are seldom longer."""

_ALL_EQUAL: Final = np.uint64((1 << HALF) - 1)
_WORD: Final = 8
_HERE: Final = "infostream_dedup.machine.kernels.byte_instructions"


@cache
def _digits_between(low: int, high: int) -> bytes:
    """The digit 1 for each byte value between two others, 0 for the rest."""
    return bytes(0x31 if low <= byte <= high else 0x30 for byte in range(256))


def _between(array: Any, index: int, low: int, high: int) -> Any:
    block = bytes(array[index : index + BLOCK]).translate(_digits_between(low, high))
    return np.uint64(int(block[::-1], 2))


def _equal(one: Any, at: int, other: Any, there: int) -> Any:
    first, second = bytes(one[at : at + HALF]), bytes(other[there : there + HALF])
    if first == second:
        return _ALL_EQUAL
    return np.uint64(sum(1 << bit for bit, pair in enumerate(zip(first, second, strict=True)) if pair[0] == pair[1]))


def _eight_bytes(array: Any, index: int) -> Any:
    return np.uint64(int.from_bytes(array[index : index + _WORD], "little"))


def _lowest_bit(word: Any) -> int:
    number = int(word)
    return (number & -number).bit_length() - 1 if number else BLOCK


def _copy_half(source: Any, at: int, target: Any, there: int) -> None:
    target[there : there + HALF] = source[at : at + HALF]


between = cast("Callable[[Any, Any, int, int], Any]", Instruction(f"{_HERE}:between", _between))
"""``between(array, index, low, high)``: bit b of the uint64 is set if byte ``index + b`` is in ``low`` .. ``high``."""

equal = cast("Callable[[Any, Any, Any, Any], Any]", Instruction(f"{_HERE}:equal", _equal))
"""``equal(one, at, other, there)``: bit b < ``HALF`` of the uint64 is set if ``one[at + b] == other[there + b]``."""

eight_bytes = cast("Callable[[Any, Any], Any]", Instruction(f"{_HERE}:eight_bytes", _eight_bytes))
"""``eight_bytes(array, index)``: 8 bytes as one uint64, the first byte lowest (the processor's order)."""

lowest_bit = cast("Callable[[Any], int]", Instruction(f"{_HERE}:lowest_bit", _lowest_bit))
"""Number of the lowest bit set in a uint64; 64 if no bit is set."""

ones = popcount
"""How many bits are set in a uint64."""

_copy = cast("Callable[[Any, int, Any, int], None]", Instruction(f"{_HERE}:copy_half", _copy_half))


@inlined
def copy_bytes(source: Any, at: int, target: Any, there: int, size: int) -> None:
    """Copy bytes from ``source[at]`` to ``target[there]``; up to ``HALF`` - 1 more bytes are written after them."""
    copied = 0
    while copied < size:
        _copy(source, at + copied, target, there + copied)
        copied += HALF
