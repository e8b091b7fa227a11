"""Ranges of parameters, declared with each parameter and checked when a method is created."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from infostream_dedup.errors import ConfigurationError

__all__ = ["OneOf", "Range"]


@dataclass(frozen=True, slots=True)
class Range:
    """A number between two inclusive bounds; an integer if both bounds are.

    Attributes:
        low: minimum value.
        high: maximum value.
    """

    low: float
    high: float

    def check(self, name: str, value: Any) -> None:
        """Raise ``ConfigurationError`` unless the value is within the bounds."""
        whole = isinstance(self.low, int) and isinstance(self.high, int)
        kind = int if whole else int | float
        if isinstance(value, bool) or not isinstance(value, kind) or not self.low <= value <= self.high:
            expected = "a whole number" if whole else "a number"
            raise ConfigurationError(f"{name} is {value!r}; expected {expected} from {self.low:g} to {self.high:g}")


class OneOf:
    """One of several values.

    Args:
        values: the values allowed.
    """

    def __init__(self, *values: Any) -> None:
        self.values = values

    def check(self, name: str, value: Any) -> None:
        """Raise ``ConfigurationError`` unless the value is allowed."""
        if isinstance(value, bool) or value not in self.values:
            raise ConfigurationError(f"{name} is {value!r}; expected one of {', '.join(map(str, self.values))}")
