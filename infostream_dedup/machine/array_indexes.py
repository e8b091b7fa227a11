"""Lets our compiled loops index arrays without asking first whether the index is negative.

An index below zero counts from the end of an array, so numba compares each signed index with zero and adds the length
if it must. That is up to a quarter of the time of a loop over characters, and numba has no option against it. Our loops
use no negative index but constants, which cost nothing; with ``NUMBA_BOUNDSCHECK=1`` any other raises ``IndexError``.
"""

from __future__ import annotations

from inspect import signature
from typing import Any, Final

from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import types
from numba.np import arrayobj

__all__ = ["compile_without_negative_indexes", "is_possible"]

_PACKAGE: Final = __name__.partition(".")[0]
_OURS: Final = f"_ZN{len(_PACKAGE)}{_PACKAGE}"
"""Prefix of the mangled names of our functions; functions of other packages are compiled as usual."""

_PARAMETERS: Final = ("context", "builder", "idxty", "idx", "size")

# Numba has no types.
_of_numba: Final[Any] = getattr(arrayobj, "fix_integer_index", None)


def compile_without_negative_indexes() -> None:
    """Apply this to functions compiled from now on; cached machine code is unaffected.

    Numba does not promise to keep the function that is replaced: without it, loops are slower.
    """
    if is_possible():
        arrayobj.fix_integer_index = _index


def is_possible() -> bool:
    """Whether numba has the function that is replaced."""
    return _of_numba is not None and tuple(signature(_of_numba).parameters) == _PARAMETERS


def _index(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:
    """Return an index as it enters the address of an element."""
    if isinstance(index, ir.Constant) or not builder.function.name.startswith(_OURS):
        return _of_numba(context, builder, kind, index, size)
    return context.cast(builder, index, kind, types.intp if kind.signed else types.uintp)
