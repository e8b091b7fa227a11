"""How loops over bytes are compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar, cast

import numba
import numpy as np

from infostream_dedup.machine.compiled_cache import keep_compiled

__all__ = ["compiled", "inlined", "signed"]

_Function = TypeVar("_Function", bound=Callable[..., Any])

_OPTIONS: Final[dict[str, Any]] = {"nogil": True, "boundscheck": False, "_nrt": False}


def compiled(function: _Function) -> _Function:
    """Like ``matrix.kernels.compiled.compiled``, for functions that only use the arrays they are given.

    Arrays handed from function to function are not counted as references: for functions that are called for every
    word, counting takes ten times as long as the work.
    """
    made = numba.njit(**_OPTIONS)(function)
    keep_compiled(made)
    return cast(_Function, made)


def inlined(function: _Function) -> _Function:
    """Like ``compiled``, for small functions that are called for every word: they become part of their callers."""
    made = numba.njit(forceinline=True, **_OPTIONS)(function)
    keep_compiled(made)
    return cast(_Function, made)


signed = cast("Callable[[Any], int]", np.int64)
"""A byte or an unsigned word as the signed number that all other numbers in compiled functions are."""
