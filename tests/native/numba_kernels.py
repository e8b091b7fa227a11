"""The kernels compiled by numba: an oracle for the C++ that they are translated to."""

import ast
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numba
import numpy as np

_BLOCK, _HALF = 64, 32


@numba.njit
def between(array, index, low, high):
    mask = np.uint64(0)
    for bit in range(_BLOCK):
        if low <= array[index + bit] <= high:
            mask |= np.uint64(1) << np.uint64(bit)
    return mask


@numba.njit
def equal(one, at, other, there):
    mask = np.uint64(0)
    for bit in range(_HALF):
        if one[at + bit] == other[there + bit]:
            mask |= np.uint64(1) << np.uint64(bit)
    return mask


@numba.njit
def eight_bytes(array, index):
    word = np.uint64(0)
    for byte in range(8):
        word |= np.uint64(array[index + byte]) << np.uint64(8 * byte)
    return word


@numba.njit
def lowest_bit(word):
    for bit in range(_BLOCK):
        if word >> np.uint64(bit) & np.uint64(1):
            return bit
    return _BLOCK


@numba.njit
def popcount(word):
    bits = 0
    for bit in range(_BLOCK):
        bits += np.int64(word >> np.uint64(bit) & np.uint64(1))
    return bits


@numba.njit
def copy_half(source, at, target, there):
    for byte in range(_HALF):
        target[there + byte] = source[at + byte]


@numba.njit
def prefetch(array, index):
    pass


_INSTRUCTIONS: dict[str, Any] = {
    "between": between, "equal": equal, "eight_bytes": eight_bytes, "lowest_bit": lowest_bit, "popcount": popcount,
    "_copy_half": copy_half, "prefetch": prefetch, "signed": np.int64,
}  # fmt: skip


def oracle(module: str, name: str) -> Callable[..., Any]:
    return _space(module)[name]


@cache
def _space(name: str) -> dict[str, Any]:
    module = import_module(name)
    tree = ast.parse(Path(module.__file__ or "").read_text(encoding="utf-8"))
    space = {**vars(module), **_INSTRUCTIONS}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and ".kernels" in (node.module or ""):
            there = _space(node.module or "")
            space |= {one.asname or one.name: there[one.name] for one in node.names if one.name in there}
    own = [one for one in tree.body if isinstance(one, ast.FunctionDef)]
    own = [one for one in own if [ast.unparse(mark) for mark in one.decorator_list] != ["instruction"]]
    for node in own:
        node.decorator_list, node.returns = [], None
        for argument in node.args.args:
            argument.annotation = None
    exec(compile(ast.Module(own, []), str(module.__file__), "exec"), space)  # noqa: S102
    space |= {one.name: numba.njit(space[one.name]) for one in own}
    return space
