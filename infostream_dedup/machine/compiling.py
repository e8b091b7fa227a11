"""Kernels: functions of numbers and arrays that are compiled when the package is built.

``native/kernel_compiler.py`` translates them to C++; ``docs/explanation/native-kernels.md`` says what it understands.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np

from infostream_dedup.machine.native import entry_of

_Function = TypeVar("_Function", bound=Callable[..., Any])


def compiled(function: _Function) -> _Function:
    """The machine code of a kernel, or the function itself if only other kernels call it.

    Machine code releases the interpreter lock and checks the types of arrays, but not their bounds.
    """
    return cast("_Function", entry_of(function) or function)


def inlined(function: _Function) -> _Function:
    """Like ``compiled``, for small functions that are called for every word: they are inlined into callers."""
    return compiled(function)


def instruction(function: _Function) -> _Function:
    """A function that ``native/arrays.hpp`` has by the same name; the Python function says what it does."""
    return function


@instruction
def popcount(word: np.uint64) -> int:
    """Number of bits set."""
    return int(word).bit_count()


@instruction
def prefetch(array: Any, index: Any) -> None:
    """Start loading ``array[index]`` into the cache; it never faults."""


@instruction
def signed(value: Any) -> int:
    """A cell or an unsigned word as a signed number, like all other numbers in kernels."""
    return int(np.uint64(int(value) & 0xFFFFFFFFFFFFFFFF).astype(np.int64))
