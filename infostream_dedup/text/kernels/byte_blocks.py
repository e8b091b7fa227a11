"""Thirty-two bytes at a time: what a processor does in one instruction and numba has no name for.

All functions read 32 bytes (``eight_bytes``: 8) from an index on and are for compiled functions only; whoever calls
them keeps that many bytes behind the last one of interest.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, cast

from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import types
from numba.extending import intrinsic

__all__ = ["BLOCK", "between", "eight_bytes", "equal", "lowest_bit", "ones"]

BLOCK: Final = 32
"""Bytes in a block; a caller keeps as many readable behind the end of its data."""

_BYTES: Final = ir.VectorType(ir.IntType(8), BLOCK)
_BITS: Final = ir.IntType(BLOCK)


def _loaded(context: Any, builder: Any, array_type: Any, array: Any, index: Any, kind: Any) -> Any:
    data = context.make_array(array_type)(context, builder, array).data
    address = builder.bitcast(builder.gep(data, [index]), kind.as_pointer())
    return builder.load(address, align=1)


def _mask(builder: Any, flags: Any) -> Any:
    return builder.zext(builder.bitcast(flags, _BITS), ir.IntType(64))


def _splat(builder: Any, byte: Any) -> Any:
    first = builder.insert_element(ir.Constant(_BYTES, ir.Undefined), byte, ir.Constant(ir.IntType(32), 0))
    everywhere = ir.Constant(ir.VectorType(ir.IntType(32), BLOCK), [0] * BLOCK)
    return builder.shuffle_vector(first, ir.Constant(_BYTES, ir.Undefined), everywhere)


@intrinsic
def _between(typing_context: Any, array: Any, index: Any, low: Any, high: Any) -> Any:  # noqa: ARG001
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        loaded = _loaded(context, builder, signature.args[0], arguments[0], arguments[1], _BYTES)
        lowest, highest = (builder.trunc(bound, ir.IntType(8)) for bound in arguments[2:])
        above = builder.sub(loaded, _splat(builder, lowest))
        inside = builder.icmp_unsigned("<=", above, _splat(builder, builder.sub(highest, lowest)))
        return _mask(builder, inside)

    return types.uint64(array, types.int64, types.int64, types.int64), generate


@intrinsic
def _equal(typing_context: Any, one: Any, at: Any, other: Any, there: Any) -> Any:  # noqa: ARG001
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        first = _loaded(context, builder, signature.args[0], arguments[0], arguments[1], _BYTES)
        second = _loaded(context, builder, signature.args[2], arguments[2], arguments[3], _BYTES)
        return _mask(builder, builder.icmp_unsigned("==", first, second))

    return types.uint64(one, types.int64, other, types.int64), generate


@intrinsic
def _eight_bytes(typing_context: Any, array: Any, index: Any) -> Any:  # noqa: ARG001
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _loaded(context, builder, signature.args[0], arguments[0], arguments[1], ir.IntType(64))

    return types.uint64(array, types.int64), generate


@intrinsic
def _lowest_bit(typing_context: Any, word: Any) -> Any:  # noqa: ARG001
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.uint64), generate


@intrinsic
def _ones(typing_context: Any, word: Any) -> Any:  # noqa: ARG001
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), generate


between = cast("Callable[[Any, Any, int, int], Any]", _between)
"""``between(array, index, low, high)``: bit b of the uint64 tells if byte ``index + b`` lies in ``low`` .. ``high``."""

equal = cast("Callable[[Any, Any, Any, Any], Any]", _equal)
"""``equal(one, at, other, there)``: bit b of the uint64 tells if ``one[at + b] == other[there + b]``."""

eight_bytes = cast("Callable[[Any, Any], Any]", _eight_bytes)
"""``eight_bytes(array, index)``: 8 bytes as one uint64, the first the lowest (as the processor orders them)."""

lowest_bit = cast("Callable[[Any], int]", _lowest_bit)
"""Number of the lowest bit set in a uint64; 64 where none is."""

ones = cast("Callable[[Any], int]", _ones)
"""How many bits are set in a uint64."""
