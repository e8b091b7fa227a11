"""The machine code of the kernels: the extension for the best level of this processor."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.machine.platform import processor_flags

_NEEDED: Final = {
    "v4": {"avx512bw", "avx512vl", "avx512dq"},
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
    kernels, native = (root / _PACKAGE).glob("**/kernels/*.py"), root / "native"
    sources = sorted([*kernels, *native.glob("*.py"), *native.glob("*.h*")])
    if digest != hashlib.sha256(b"".join(one.read_bytes() for one in sources)).hexdigest()[:16]:
        raise ConfigurationError(f"the compiled kernels are older than their sources; {_HINT}")
