"""How our loops are compiled, and the one machine instruction that numba does not offer by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
from numba.core import types
from numba.extending import intrinsic

from infostream_dedup.machine.compiled_cache import keep_compiled

__all__ = ["compiled", "popcount"]

_Function = TypeVar("_Function", bound=Callable[..., Any])


def compiled(function: _Function) -> _Function:
    """Compile a function of plain numbers and numpy arrays; the machine code is kept on disk for the next process.

    The compiled function does not hold the interpreter lock and does not check array bounds.
    """
    made = numba.njit(nogil=True, boundscheck=False)(function)
    keep_compiled(made)
    return cast(_Function, made)


@intrinsic
def _popcount(typing_context: Any, word: Any) -> Any:  # noqa: ARG001 - numba looks at the names
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), generate


popcount = cast("Callable[[Any], int]", _popcount)
"""Number of bits set in a 64-bit word, as int64; only inside compiled functions."""
