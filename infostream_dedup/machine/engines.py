"""Which engine does the work: the plain one for small collections, the compiled one for large ones.

An engine is a folder of ``infostream_dedup/links``; see ``links.backend``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.machine.registry import names_in_folder

__all__ = ["COMPILED_FROM", "ENGINES", "choose_engine", "engine_named"]

_ALIASES: Final = {"scipy": "plain", "numba": "compiled"}

ENGINES: Final = (
    "auto",
    *names_in_folder(Path(__file__).parents[1] / "links", ("plain", "compiled"), folders=True),
    *_ALIASES,
)
"""Accepted names; ``scipy`` and ``numba`` are older names of ``plain`` and ``compiled``."""

COMPILED_FROM: Final = 20_000
"""Minimum number of documents at which ``auto`` uses compiled code; below, compiling takes longer than it saves."""


def engine_named(name: str) -> str:
    """The engine of a name or alias; ``auto`` stays ``auto``.

    Raises:
        ConfigurationError: there is no such engine.

    Example:
        >>> engine_named("numba")
        'compiled'
    """
    if name not in ENGINES:
        raise ConfigurationError(f"engine is {name!r}; expected one of {', '.join(ENGINES)}")
    return _ALIASES.get(name, name)


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
        return "plain" if documents < COMPILED_FROM else "compiled"
    return engine
