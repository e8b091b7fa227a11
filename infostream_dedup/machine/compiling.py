"""How loops are compiled, and the machine instructions that numba does not offer by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar, cast

import numba
import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import types
from numba.extending import intrinsic

from infostream_dedup.machine.compiled_cache import keep_compiled

__all__ = ["compiled", "compiled_bare", "inlined", "popcount", "prefetch", "signed"]

_Function = TypeVar("_Function", bound=Callable[..., Any])

_OPTIONS: Final[dict[str, Any]] = {"nogil": True, "boundscheck": False}
_BARE: Final[dict[str, Any]] = {**_OPTIONS, "_nrt": False}


def compiled(function: _Function) -> _Function:
    """Compile a function of plain numbers and numpy arrays; the machine code is cached on disk for the next process.

    The compiled function releases the interpreter lock and does not check array bounds.
    """
    return _compile(function, **_OPTIONS)


def compiled_bare(function: _Function) -> _Function:
    """Like ``compiled``, for functions that allocate nothing and only use the arrays passed to them.

    Arrays passed from function to function are not reference-counted: in functions that are called for every word,
    counting takes ten times as long as the work.
    """
    return _compile(function, **_BARE)


def inlined(function: _Function) -> _Function:
    """Like ``compiled_bare``, for small functions that are called for every word: they are inlined into callers."""
    return _compile(function, forceinline=True, **_BARE)


def _compile(function: _Function, **options: Any) -> _Function:
    dispatcher = numba.njit(**options)(function)
    keep_compiled(dispatcher)
    return cast(_Function, dispatcher)


@intrinsic
def _popcount(typing_context: Any, word: Any) -> Any:  # noqa: ARG001 - numba inspects the parameter names
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), generate


popcount = cast("Callable[[Any], int]", _popcount)
"""Number of bits set in a 64-bit word, as int64; only inside compiled functions."""


@intrinsic
def _prefetch(typing_context: Any, array: Any, index: Any) -> Any:  # noqa: ARG001 - numba inspects the parameter names
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        address = builder.bitcast(builder.gep(data, [arguments[1]]), byte)
        shape = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        function = builder.module.declare_intrinsic("llvm.prefetch", [byte], shape)
        read, keep_in_all_caches, data_cache = number(0), number(3), number(1)
        builder.call(function, [address, read, keep_in_all_caches, data_cache])
        return context.get_dummy_value()

    return types.void(array, types.int64), generate


prefetch = cast("Callable[[Any, Any], None]", _prefetch)
"""Start loading ``array[index]`` into the cache; only inside compiled functions. It never faults."""

signed = cast("Callable[[Any], int]", np.int64)
"""A byte or unsigned word as a signed number, like all other numbers in compiled functions."""
