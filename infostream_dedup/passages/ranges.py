"""Parameters of sentence features, checked."""

from __future__ import annotations

from infostream_dedup.errors import ConfigurationError

__all__ = ["one_of", "within"]


def within(name: str, value: float, low: float, high: float) -> None:
    """Refuse a number outside of ``low`` to ``high``.

    Raises:
        ConfigurationError: it is.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise ConfigurationError(f"{name} is {value!r}; expected a number from {low:g} to {high:g}")


def one_of(name: str, value: str, known: tuple[str, ...]) -> None:
    """Refuse what is not among the known values.

    Raises:
        ConfigurationError: it is not.
    """
    if value not in known:
        raise ConfigurationError(f"{name} is {value!r}; expected one of {', '.join(known)}")
