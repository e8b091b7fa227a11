"""Which engine does the work: the plain one for small collections, the compiled one for large ones."""

from __future__ import annotations

from typing import Final, Literal, cast

from infostream_dedup.errors import ConfigurationError

__all__ = ["COMPILED_FROM", "ENGINES", "EngineName", "choose_engine", "engine_named"]

EngineName = Literal["auto", "plain", "compiled"]

_ALIASES: Final = {"scipy": "plain", "numba": "compiled"}

ENGINES: Final = ("auto", "plain", "compiled", *_ALIASES)
"""Accepted names; ``scipy`` and ``numba`` are older names of ``plain`` and ``compiled``."""

COMPILED_FROM: Final = 20_000
"""Minimum number of documents at which ``auto`` uses compiled code; below, compiling takes longer than it saves."""


def engine_named(name: str) -> EngineName:
    """The engine of a name or alias.

    Raises:
        ConfigurationError: there is no such engine.

    Example:
        >>> engine_named("numba")
        'compiled'
    """
    if name not in ENGINES:
        raise ConfigurationError(f"engine is {name!r}; expected one of {', '.join(ENGINES)}")
    return cast(EngineName, _ALIASES.get(name, name))


def choose_engine(name: str, documents: int) -> Literal["plain", "compiled"]:
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
