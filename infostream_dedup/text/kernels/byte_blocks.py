"""Many bytes at a time: what a processor does in a few instructions and numba has no name for.

All functions are for compiled functions only. They read up to ``BLOCK`` bytes from an index; the caller
provides that many after the last byte of interest.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, cast

from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import types
from numba.extending import intrinsic

from infostream_dedup.machine.compiling import inlined

__all__ = ["BLOCK", "HALF", "between", "copy_bytes", "eight_bytes", "equal", "lowest_bit", "ones"]

BLOCK: Final = 64
"""Bytes that ``between`` looks at: one for each bit of a machine word."""

HALF: Final = 32
"""Bytes that ``equal`` looks at: words are seldom longer."""

_BYTE: Final = ir.IntType(8)


def _loaded(context: Any, builder: Any, array_type: Any, array: Any, index: Any, kind: Any) -> Any:
    data = context.make_array(array_type)(context, builder, array).data
    address = builder.bitcast(builder.gep(data, [index]), kind.as_pointer())
    return builder.load(address, align=1)


def _everywhere(builder: Any, byte: Any) -> Any:
    kind = ir.VectorType(_BYTE, BLOCK)
    nothing = ir.Constant(kind, ir.Undefined)
    first = builder.insert_element(nothing, byte, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(first, nothing, ir.Constant(ir.VectorType(ir.IntType(32), BLOCK), [0] * BLOCK))


@intrinsic
def _between(typing_context: Any, array: Any, index: Any, low: Any, high: Any) -> Any:  # noqa: ARG001
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = ir.VectorType(_BYTE, BLOCK)
        loaded = _loaded(context, builder, signature.args[0], arguments[0], arguments[1], kind)
        lowest, highest = (builder.trunc(bound, _BYTE) for bound in arguments[2:])
        above = builder.sub(loaded, _everywhere(builder, lowest))
        inside = builder.icmp_unsigned("<=", above, _everywhere(builder, builder.sub(highest, lowest)))
        return builder.bitcast(inside, ir.IntType(BLOCK))

    return types.uint64(array, types.int64, types.int64, types.int64), generate


@intrinsic
def _equal(typing_context: Any, one: Any, at: Any, other: Any, there: Any) -> Any:  # noqa: ARG001
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = ir.VectorType(_BYTE, HALF)
        first = _loaded(context, builder, signature.args[0], arguments[0], arguments[1], kind)
        second = _loaded(context, builder, signature.args[2], arguments[2], arguments[3], kind)
        same = builder.icmp_unsigned("==", first, second)
        return builder.zext(builder.bitcast(same, ir.IntType(HALF)), ir.IntType(64))

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


@intrinsic
def _copy_half(typing_context: Any, source: Any, at: Any, goal: Any, there: Any) -> Any:  # noqa: ARG001
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = ir.VectorType(_BYTE, HALF)
        loaded = _loaded(context, builder, signature.args[0], arguments[0], arguments[1], kind)
        data = context.make_array(signature.args[2])(context, builder, arguments[2]).data
        address = builder.bitcast(builder.gep(data, [arguments[3]]), kind.as_pointer())
        builder.store(loaded, address, align=1)
        return context.get_dummy_value()

    return types.void(source, types.int64, goal, types.int64), generate


_copy = cast("Callable[[Any, int, Any, int], None]", _copy_half)


@inlined
def copy_bytes(source: Any, at: int, goal: Any, there: int, size: int) -> None:
    """Copy bytes from ``source[at]`` to ``goal[there]``; up to ``HALF`` - 1 more bytes are written after them."""
    copied = 0
    while copied < size:
        _copy(source, at + copied, goal, there + copied)
        copied += HALF


between = cast("Callable[[Any, Any, int, int], Any]", _between)
"""``between(array, index, low, high)``: bit b of the uint64 is set if byte ``index + b`` is in ``low`` .. ``high``."""

equal = cast("Callable[[Any, Any, Any, Any], Any]", _equal)
"""``equal(one, at, other, there)``: bit b < ``HALF`` of the uint64 is set if ``one[at + b] == other[there + b]``."""

eight_bytes = cast("Callable[[Any, Any], Any]", _eight_bytes)
"""``eight_bytes(array, index)``: 8 bytes as one uint64, the first the lowest (as the processor orders them)."""

lowest_bit = cast("Callable[[Any], int]", _lowest_bit)
"""Number of the lowest bit set in a uint64; 64 where none is."""

ones = cast("Callable[[Any], int]", _ones)
"""How many bits are set in a uint64."""
