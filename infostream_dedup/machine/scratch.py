"""Scratch memory: kept for the next call, growing in place, bounded by blocks of rows."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any, Final, Generic, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from infostream_dedup.machine.arrays import Ints

# Scratch memory that is used again by the next call

_Memory = TypeVar("_Memory")


class KeptMemory(threading.local, Generic[_Memory]):
    """Memory of compiled code, one for each thread; of most of it, only the beginning is ever touched.

    Allocating it each time makes the system clear large pages that hardly anybody writes to.

    ``make`` allocates memory for texts of a number of bytes; more than ``most`` is rare, and is given back.
    """

    def __init__(self, make: Callable[[int], _Memory], most: int) -> None:
        self._make, self._most = make, most
        self._size, self._kept = 0, make(0)

    def of(self, size: int) -> _Memory:
        """Return memory for texts of this many bytes; what an earlier call left there is still in it."""
        if size <= self._size:
            return self._kept
        larger = 1 << (size - 1).bit_length()
        memory = self._make(larger)
        if size <= self._most:
            self._size, self._kept = larger, memory
        return memory


# An array that grows in place, because joining parts at the end would take their memory twice

_MOST_SPARE: Final = 1 << 23
"""Maximum number of spare elements: with more, memory would be wasted, with fewer, the array would move too often."""


class GrowingArray:
    """Takes elements at its end.

    >>> numbers = GrowingArray(np.uint8)
    >>> numbers.append(np.array([1, 2], dtype=np.uint8))
    >>> numbers.append(np.array([3], dtype=np.uint8))
    >>> numbers.taken().tolist()
    [1, 2, 3]
    """

    def __init__(self, dtype: DTypeLike) -> None:
        self._held: NDArray[Any] = np.empty(0, dtype=dtype)
        self._size = 0

    def append(self, values: NDArray[Any]) -> None:
        """Add elements."""
        size = self._size + len(values)
        if size > len(self._held):
            self._held.resize(size + min(size // 8, _MOST_SPARE), refcheck=False)
        self._held[self._size : size] = values
        self._size = size

    def taken(self) -> NDArray[Any]:
        """Return the elements, as an array that owns its memory; no elements remain."""
        found, self._held = self._held, self._held[:0].copy()
        found.resize(self._size, refcheck=False)
        self._size = 0
        return found


# Rows of a sparse product in blocks, so that memory stays bounded however large the product is


def row_blocks(work: Ints, limit: int) -> Iterator[slice]:
    """Cut rows into consecutive blocks of at most ``limit`` work; a heavier row gets a block of its own.

    >>> [(block.start, block.stop) for block in row_blocks(np.array([3, 4, 9, 1]), 7)]
    [(0, 2), (2, 3), (3, 4)]
    """
    before = np.concatenate(([0], np.cumsum(work, dtype=np.int64)))
    start = 0
    while start < len(work):
        stop = max(start + 1, int(np.searchsorted(before, before[start] + limit, side="right")) - 1)
        yield slice(start, stop)
        start = stop
