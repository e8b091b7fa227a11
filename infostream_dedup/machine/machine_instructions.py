"""Machine instructions that numba does not offer by name; ``compiling`` names them and has their plain counterparts."""

from __future__ import annotations

from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import types
from numba.extending import intrinsic

__all__ = ["popcount", "prefetch"]


@intrinsic
def popcount(typing_context: Any, word: Any) -> Any:  # noqa: ARG001 - numba inspects the parameter names
    """Number of bits set in a 64-bit word."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), generate


@intrinsic
def prefetch(typing_context: Any, array: Any, index: Any) -> Any:  # noqa: ARG001 - numba inspects the parameter names
    """Start loading ``array[index]`` into the cache."""

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
