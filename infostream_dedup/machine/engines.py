"""Choose the engine: the plain one for small collections, the compiled one for large ones.

The engines are the folders ``plain`` and ``compiled`` of ``infostream_dedup/links``; see ``links.backend``.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.machine.code_folders import folder_of, has_lasting_folder

__all__ = ["COMPILED_FROM", "ENGINES", "WARM_FROM", "choose_engine", "compiled_from", "engine_named"]

ENGINES: Final = ("auto", "plain", "compiled")
"""Accepted names."""

COMPILED_FROM: Final = 20_000
"""Minimum number of documents at which ``auto`` uses compiled code; below it, compiling takes longer than it saves."""

WARM_FROM: Final = 4_000
"""This minimum once machine code is on disk; below it, loading the code takes longer than it saves."""


def engine_named(name: str) -> str:
    """Return the engine for a name or alias; ``auto`` stays ``auto``.

    Raises:
        ConfigurationError: there is no such engine.

    Example:
        >>> engine_named("compiled")
        'compiled'
    """
    if name not in ENGINES:
        raise ConfigurationError(f"engine is {name!r}; expected one of {', '.join(ENGINES)}")
    return name


def choose_engine(name: str, documents: int) -> str:
    """Resolve ``auto`` by the size of the collection; all engines give equal results.

    Args:
        name: one of ``ENGINES``.
        documents: size of the collection.

    Raises:
        ConfigurationError: there is no such engine.
    """
    engine = engine_named(name)
    if engine == "auto":
        return "plain" if documents < compiled_from() else "compiled"
    return engine


@cache
def compiled_from() -> int:
    """Minimum number of documents at which ``auto`` uses compiled code in this process."""
    kernels = Path(__file__).parents[1] / "links" / "compiled" / "kernels"
    source = str(kernels / "link_rows.py")
    if not has_lasting_folder(source):
        return COMPILED_FROM
    return WARM_FROM if any(Path(folder_of(source) or kernels).glob("*.nbi")) else COMPILED_FROM
