"""Run kernels as plain Python with the arithmetic of compiled code, for work that is too small to wait for a compiler.

A kernel is written in the part of Python that numba compiles, so it also runs as it is; but numpy's numbers behave
differently: a byte plus a byte is a byte in numpy, and 64 bits in compiled code. So the source of a kernel is changed
slightly (``_Rewriter``), and its arrays are passed as ``memoryview``, which returns Python's own numbers and is several
times faster to index than an array. Only unsigned 64-bit words remain numpy's, because they must wrap around.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np

__all__ = ["computes_with_arrays", "from_cells", "plain_functions", "to_cells", "to_signed"]

_ON_ARRAYS: Final = "PLAIN_ON_ARRAYS"
"""Name of a module constant that is true if its kernels compute with whole arrays, which then remain numpy's."""

_AS_CELLS: Final = frozenset("bBhHiIlqLQ?d") - {np.dtype(np.uint64).char}
_BITS: Final = 64
_FIRST_NEGATIVE: Final = 1 << (_BITS - 1)
_METHODS: Final = ("copy", "sort", "sum")


def to_signed(value: Any, bits: int = _BITS) -> int:
    """Convert a number to a signed one with a given number of bits, as compiled code does.

    Example:
        >>> to_signed(np.uint64(2**64 - 1)), to_signed(300, 8)
        (-1, 44)
    """
    number = int(value) & ((1 << bits) - 1)
    return number - (1 << bits) if number >> (bits - 1) else number


def to_cells(value: Any) -> Any:
    """Convert a value for a plain kernel: arrays, also in records and tuples, become memory with Python's numbers."""
    if isinstance(value, np.ndarray):
        if value.dtype.char not in _AS_CELLS:
            return value
        return value.data if value.ndim == 1 else _Table(value)
    if isinstance(value, tuple):
        parts = map(to_cells, value)
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if isinstance(value, np.uint64):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, int) and value >= _FIRST_NEGATIVE:
        return np.uint64(value)
    return value


def from_cells(value: Any) -> Any:
    """Convert the result of a plain kernel to what the compiled one returns."""
    if isinstance(value, memoryview | _Table):
        return np.asarray(value)
    if isinstance(value, tuple):
        parts = map(from_cells, value)
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value.item() if isinstance(value, np.generic) else value


def computes_with_arrays(module: Any) -> bool:
    """Whether the plain kernels of a module accept numpy arrays unchanged."""
    return bool(getattr(module, _ON_ARRAYS, False))


def plain_functions(module: Any, names: Mapping[str, Any]) -> dict[str, Any]:
    """Return the rewritten functions of a module of kernels.

    Args:
        module: module of kernels.
        names: values of the module's global names other than its own functions.

    Returns:
        Functions by name; constants of the module are in their globals.
    """
    on_arrays = computes_with_arrays(module)
    source = Path(module.__file__).read_text(encoding="utf-8")
    tree = ast.parse(source, module.__file__)
    functions = [one for one in tree.body if isinstance(one, ast.FunctionDef) and one.decorator_list]
    for function in functions:
        function.decorator_list = []
    kept = ast.Module(body=[_without_annotations(one) for one in functions], type_ignores=[])
    if not on_arrays:
        kept = ast.fix_missing_locations(_Rewriter().visit(kept))
    space: dict[str, Any] = {name: value if on_arrays else to_cells(value) for name, value in names.items()}
    space |= {"_size_": _size, "_part_": _part, "_put_": _put, "_call_": _call}
    if not on_arrays:
        space["np"] = _NumPy
    exec(compile(kept, module.__file__, "exec"), space)  # noqa: S102 - our own source, from our own package
    return space


def _without_annotations(function: ast.FunctionDef) -> ast.FunctionDef:
    function.returns = None
    for argument in (*function.args.args, *function.args.kwonlyargs):
        argument.annotation = None
    return function


class _Rewriter(ast.NodeTransformer):
    """Replaces operations that arrays support and memory does not by calls."""

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        self.generic_visit(node)
        if node.attr == "size" and isinstance(node.ctx, ast.Load):
            return _called("_size_", node.value)
        return node

    def visit_Call(self, node: ast.Call) -> Any:
        called = node.func
        if isinstance(called, ast.Attribute) and called.attr in _METHODS and not _is_numpy(called.value):
            self.generic_visit(node)
            return _called("_call_", called.value, ast.Constant(called.attr))
        self.generic_visit(node)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> Any:
        self.generic_visit(node)
        if _is_part(node.slice) and isinstance(node.ctx, ast.Load):
            return _called("_part_", node.value, _key_of(node.slice))
        return node

    def visit_Assign(self, node: ast.Assign) -> Any:
        self.generic_visit(node)
        (target, *more) = node.targets
        if not more and isinstance(target, ast.Subscript) and _is_part(target.slice):
            return ast.Expr(_called("_put_", target.value, _key_of(target.slice), node.value))
        return node


def _called(name: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), list(arguments), [])


def _is_numpy(value: ast.expr) -> bool:
    return isinstance(value, ast.Name) and value.id == "np"


def _is_part(key: ast.expr) -> bool:
    return isinstance(key, ast.Slice) or (isinstance(key, ast.Tuple) and any(map(_is_part, key.elts)))


def _key_of(key: ast.expr) -> ast.expr:
    if isinstance(key, ast.Tuple):
        return ast.Tuple([_key_of(one) for one in key.elts], ast.Load())
    if isinstance(key, ast.Slice):
        return _called("slice", key.lower or ast.Constant(None), key.upper or ast.Constant(None))
    return key


class _Table:
    """An array of several dimensions: its cells, and its rows as separate memory."""

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        self._array = array
        self._cells = array.data
        self.shape = array.shape
        self.size = array.size

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return self._array

    def __len__(self) -> int:
        return len(self._array)

    def __getitem__(self, key: Any) -> Any:
        if type(key) is tuple and len(key) == len(self.shape):
            return self._cells[key]
        return to_cells(self._array[key])

    def __setitem__(self, key: Any, value: Any) -> None:
        if type(key) is tuple and len(key) == len(self.shape):
            self._cells[key] = value
        else:
            self._array[key] = value


def _size(of: Any) -> Any:
    return of.nbytes // of.itemsize if isinstance(of, memoryview) else of.size


def _part(of: Any, bounds: Any) -> Any:
    return of[bounds] if isinstance(of, memoryview) else to_cells(np.asarray(of)[bounds])


def _put(to: Any, bounds: Any, value: Any) -> None:
    np.asarray(to)[bounds] = np.asarray(value) if isinstance(value, memoryview) else value


def _call(of: Any, method: str) -> Any:
    return to_cells(getattr(np.asarray(of), method)())


class _Whole:
    """An integer type, which converts as compiled code does and names the type of an array."""

    def __init__(self, kind: Any) -> None:
        self.dtype = np.dtype(kind)
        self._bits = self.dtype.itemsize * 8
        self._signed = self.dtype.kind == "i"

    def __call__(self, value: Any) -> Any:
        if self._signed:
            return to_signed(value, self._bits)
        return int(value) & ((1 << self._bits) - 1)


class _Word(_Whole):
    def __call__(self, value: Any) -> Any:
        return value if isinstance(value, np.uint64) else np.uint64(int(value) & 0xFFFFFFFFFFFFFFFF)


class _Real:
    dtype = np.dtype(np.float64)

    def __call__(self, value: Any) -> float:
        return float(value)


class _Truth:
    dtype = np.dtype(np.bool_)

    def __call__(self, value: Any) -> bool:
        return bool(value)


def _made(make: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a numpy function so that it returns cells; our types among the arguments are replaced by numpy's."""

    def call(*arguments: Any, **named: Any) -> Any:
        given = [getattr(one, "dtype", one) if isinstance(one, _Whole | _Real | _Truth) else one for one in arguments]
        keywords = {name: one.dtype if isinstance(one, _Whole | _Real | _Truth) else one for name, one in named.items()}
        return to_cells(make(*given, **keywords))

    return call


class _NumPy:
    """The parts of numpy that kernels use, on Python's numbers; logarithms and roots come from the C library."""

    int8, int16, int32, int64 = map(_Whole, (np.int8, np.int16, np.int32, np.int64))
    uint8, uint16, uint32 = map(_Whole, (np.uint8, np.uint16, np.uint32))
    uint64 = _Word(np.uint64)
    float64 = _Real()
    bool_ = _Truth()
    empty, zeros, ones = staticmethod(_made(np.empty)), staticmethod(_made(np.zeros)), staticmethod(_made(np.ones))
    full, array = staticmethod(_made(np.full)), staticmethod(_made(np.array))
    sort, searchsorted = staticmethod(_made(np.sort)), staticmethod(_made(np.searchsorted))
    log, sqrt = staticmethod(math.log), staticmethod(math.sqrt)

    @staticmethod
    def ceil(value: float) -> float:
        return float(math.ceil(value))

    @staticmethod
    def floor(value: float) -> float:
        return float(math.floor(value))

    @staticmethod
    def rint(value: float) -> float:
        return float(round(value))
