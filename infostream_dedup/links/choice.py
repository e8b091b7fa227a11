"""Which engine matches: the plain one for small collections, the compiled one for large ones."""

from __future__ import annotations

from typing import Final, Literal

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.links.engine import Engine
from infostream_dedup.links.scipy_engine import SCIPY_ENGINE

__all__ = ["COMPILED_FROM", "ENGINES", "EngineName", "engine_for"]

EngineName = Literal["auto", "scipy", "numba"]
ENGINES: Final = ("auto", "scipy", "numba")

COMPILED_FROM: Final = 20_000
"""Documents from which on ``auto`` takes the compiled engine: below, compiling would take longer than matching."""


def engine_for(documents: int, name: str = "auto") -> Engine:
    """The engine of a name; all give equal results.

    Args:
        documents: size of the collection.
        name: ``scipy``, ``numba``, or ``auto`` for the one that fits the size.

    Raises:
        ConfigurationError: there is no such engine.
    """
    if name not in ENGINES:
        raise ConfigurationError(f"engine is {name!r}; expected one of {', '.join(ENGINES)}")
    if name == "scipy" or (name == "auto" and documents < COMPILED_FROM):
        return SCIPY_ENGINE
    from infostream_dedup.links.numba_engine import NumbaEngine

    return NumbaEngine()
