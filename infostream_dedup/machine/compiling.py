"""Kernels: functions of numbers and arrays that are compiled when the package is built.

``native/kernel_compiler.py`` translates them to C++; ``docs/explanation/native-kernels.md`` says what it understands.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Final, TypeVar, cast

import numpy as np

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.machine.platform import processor_flags

_Function = TypeVar("_Function", bound=Callable[..., Any])


def compiled(function: _Function) -> _Function:
    """The machine code of a kernel that Python calls; kernels that only kernels call need no decorator."""
    # Machine code releases the interpreter lock and checks the types of arrays, but not their bounds.
    return cast("_Function", entry_of(function) or function)


def inlined(function: _Function) -> _Function:
    """Like ``compiled``, for small functions that are called for every word: they are inlined into callers."""
    return compiled(function)


def instruction(function: _Function) -> _Function:
    """A function that ``native/arrays.hpp`` has by the same name; the Python function says what it does."""
    return function


@instruction
def popcount(word: np.uint64) -> int:
    """Number of bits set."""
    return int(word).bit_count()


@instruction
def prefetch(array: Any, index: Any) -> None:
    """Start loading ``array[index]`` into the cache; it never faults."""


@instruction
def signed(value: Any) -> int:
    """A cell or an unsigned word as a signed number, like all other numbers in kernels."""
    return int(np.uint64(int(value) & 0xFFFFFFFFFFFFFFFF).astype(np.int64))


_NEEDED: Final = {
    "v4": {"avx512bw", "avx512vl", "avx512dq", "avx512_vpopcntdq"},
    "v3": {"avx2", "bmi2", "fma"},
    "v2": set[str](),
    "portable": set[str](),
}
"""Flags that the processor must have for each level, the best level first."""

_PACKAGE: Final = __name__.partition(".")[0]
_HINT: Final = "build them: 'make native' in the sources, or install the package again"


def entry_of(function: Callable[..., Any]) -> Callable[..., Any] | None:
    """The machine code of a kernel that Python calls; None for others."""
    space = function.__module__.removeprefix(f"{_PACKAGE}.").replace(".kernels", "").replace(".", "_")
    found: Callable[..., Any] | None = getattr(_extension(), f"{space}__{function.__name__}", None)
    return found


@cache
def _extension() -> Any:
    here = Path(__file__).parent
    flags = processor_flags()
    for level, needed in _NEEDED.items():
        if needed <= flags and any(here.glob(f"_kernels_{level}.*")):
            made = import_module(f"{__name__.rpartition('.')[0]}._kernels_{level}")
            _check(made.digest(), here.parents[1])
            return made
    raise ConfigurationError(f"the kernels are not compiled for this processor; {_HINT}")


def _check(digest: str, root: Path) -> None:
    """Compare with the sources, where these can be edited."""
    if not (root / "native" / "kernel_compiler.py").exists():
        return
    native, package = root / "native", root / _PACKAGE
    kernels = [*package.glob("**/kernels/*.py"), *package.glob("**/kernels.py")]
    sources = sorted([*kernels, *native.glob("*.py"), *native.glob("*.h*")])
    if digest != hashlib.sha256(b"".join(one.read_bytes() for one in sources)).hexdigest()[:16]:
        raise ConfigurationError(f"the compiled kernels are older than their sources; {_HINT}")
