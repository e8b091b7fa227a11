"""Calls of libstemmer from compiled code."""

from __future__ import annotations

from typing import Any, Final

from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import types
from numba.extending import intrinsic

__all__ = ["byte_at", "call_length", "call_stem"]

_POINTER: Final = ir.IntType(8).as_pointer()
_NUMBER: Final = ir.IntType(32)
_LONG: Final = ir.IntType(64)


@intrinsic
def call_stem(typing_context: Any, function: Any, stemmer: Any, array: Any, index: Any, size: Any) -> Any:  # noqa: ARG001
    """Call ``sb_stemmer_stem`` on a word; the result is the address of the stem."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[2])(context, builder, arguments[2]).data
        shape = ir.FunctionType(_POINTER, [_POINTER, _POINTER, _NUMBER])
        called = builder.inttoptr(arguments[0], shape.as_pointer())
        word = builder.bitcast(builder.gep(data, [arguments[3]]), _POINTER)
        given = [builder.inttoptr(arguments[1], _POINTER), word, builder.trunc(arguments[4], _NUMBER)]
        return builder.ptrtoint(builder.call(called, given), _LONG)

    return types.int64(types.int64, types.int64, array, types.int64, types.int64), generate


@intrinsic
def call_length(typing_context: Any, function: Any, stemmer: Any) -> Any:  # noqa: ARG001
    """Call ``sb_stemmer_length``: the number of bytes of the last stem."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        shape = ir.FunctionType(_NUMBER, [_POINTER])
        called = builder.inttoptr(arguments[0], shape.as_pointer())
        return builder.sext(builder.call(called, [builder.inttoptr(arguments[1], _POINTER)]), _LONG)

    return types.int64(types.int64, types.int64), generate


@intrinsic
def byte_at(typing_context: Any, address: Any, index: Any) -> Any:  # noqa: ARG001
    """Read a byte of memory."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        place = builder.inttoptr(builder.add(arguments[0], arguments[1]), _POINTER)
        return builder.zext(builder.load(place), _LONG)

    return types.int64(types.int64, types.int64), generate
