"""The instructions of ``byte_blocks`` for numba."""

from __future__ import annotations

from typing import Any, Final

from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import types
from numba.extending import intrinsic

__all__ = ["between", "copy_half", "eight_bytes", "equal", "lowest_bit"]

_BLOCK: Final = 64
_HALF: Final = 32
_BYTE: Final = ir.IntType(8)


def _loaded(context: Any, builder: Any, array_type: Any, array: Any, index: Any, kind: Any) -> Any:
    data = context.make_array(array_type)(context, builder, array).data
    address = builder.bitcast(builder.gep(data, [index]), kind.as_pointer())
    return builder.load(address, align=1)


def _everywhere(builder: Any, byte: Any) -> Any:
    kind = ir.VectorType(_BYTE, _BLOCK)
    nothing = ir.Constant(kind, ir.Undefined)
    first = builder.insert_element(nothing, byte, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(first, nothing, ir.Constant(ir.VectorType(ir.IntType(32), _BLOCK), [0] * _BLOCK))


@intrinsic
def between(typing_context: Any, array: Any, index: Any, low: Any, high: Any) -> Any:  # noqa: ARG001
    """Set a bit for each of ``_BLOCK`` bytes that is between two values."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = ir.VectorType(_BYTE, _BLOCK)
        loaded = _loaded(context, builder, signature.args[0], arguments[0], arguments[1], kind)
        lowest, highest = (builder.trunc(bound, _BYTE) for bound in arguments[2:])
        above = builder.sub(loaded, _everywhere(builder, lowest))
        inside = builder.icmp_unsigned("<=", above, _everywhere(builder, builder.sub(highest, lowest)))
        return builder.bitcast(inside, ir.IntType(_BLOCK))

    return types.uint64(array, types.int64, types.int64, types.int64), generate


@intrinsic
def equal(typing_context: Any, one: Any, at: Any, other: Any, there: Any) -> Any:  # noqa: ARG001
    """Set a bit for each of ``_HALF`` bytes that equals its counterpart."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = ir.VectorType(_BYTE, _HALF)
        first = _loaded(context, builder, signature.args[0], arguments[0], arguments[1], kind)
        second = _loaded(context, builder, signature.args[2], arguments[2], arguments[3], kind)
        same = builder.icmp_unsigned("==", first, second)
        return builder.zext(builder.bitcast(same, ir.IntType(_HALF)), ir.IntType(64))

    return types.uint64(one, types.int64, other, types.int64), generate


@intrinsic
def eight_bytes(typing_context: Any, array: Any, index: Any) -> Any:  # noqa: ARG001
    """Read eight bytes as a word."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _loaded(context, builder, signature.args[0], arguments[0], arguments[1], ir.IntType(64))

    return types.uint64(array, types.int64), generate


@intrinsic
def lowest_bit(typing_context: Any, word: Any) -> Any:  # noqa: ARG001
    """Number of the lowest bit set."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.uint64), generate


@intrinsic
def copy_half(typing_context: Any, source: Any, at: Any, target: Any, there: Any) -> Any:  # noqa: ARG001
    """Copy ``_HALF`` bytes."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = ir.VectorType(_BYTE, _HALF)
        loaded = _loaded(context, builder, signature.args[0], arguments[0], arguments[1], kind)
        data = context.make_array(signature.args[2])(context, builder, arguments[2]).data
        address = builder.bitcast(builder.gep(data, [arguments[3]]), kind.as_pointer())
        builder.store(loaded, address, align=1)
        return context.get_dummy_value()

    return types.void(source, types.int64, target, types.int64), generate
