"""Names of engines: the compiled one, and the plain one that is its reference.

The engines are the folders ``plain`` and ``compiled`` of ``infostream_dedup/links``; see ``links.backend``.
"""

from __future__ import annotations

from typing import Final

from infostream_dedup.errors import ConfigurationError

ENGINES: Final = ("auto", "plain", "compiled")
"""Accepted names."""


def engine_named(name: str) -> str:
    """Return the engine for a name or alias; ``auto`` stays ``auto``.

    Example:
        >>> engine_named("compiled")
        'compiled'
    """
    if name not in ENGINES:
        raise ConfigurationError(f"engine is {name!r}; expected one of {', '.join(ENGINES)}")
    return name


def choose_engine(name: str) -> str:
    """Resolve ``auto``; all engines give equal results."""
    engine = engine_named(name)
    if engine == "auto":
        return "compiled"
    return engine
