"""Scratch memory that is used again by the next call."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

_Memory = TypeVar("_Memory")


class KeptMemory(threading.local, Generic[_Memory]):
    """Memory of compiled code, one for each thread; of most of it, only the beginning is ever touched.

    Allocating it each time makes the system clear large pages that hardly anybody writes to.

    Args:
        make: allocates memory for texts of a number of bytes.
        most: number of bytes up to which memory is kept; more is rare, and is given back.
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
