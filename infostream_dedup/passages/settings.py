"""What decides which passages are found."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Final

from infostream_dedup.errors import ConfigurationError

__all__ = ["DEFAULT_SETTINGS", "PassageSettings"]

_MOST_GAP: Final = 1000
_MOST: Final = 2**31 - 1


@dataclass(frozen=True, slots=True)
class PassageSettings:
    """Names equal the flags of the command line.

    Attributes:
        feature: name of a sentence feature, with parameters after colons: ``low-idf-sig:n=500:c=2``
            (``passages.feature_names``).
        tau: least multiset Jaccard of two sentences that count as copies, above 0 to 1; ``None`` takes the value that
            suits the feature.
        gap: sentences that a passage may skip at a time, on either side, 0 to 1000.
        min_sentences: pairs of sentences of the shortest passage, at least 1.
        min_words: words of the shortest passage, at least 1. Six, because a shared sentence of fewer words is mostly a
            phrase that anybody writes.

    Raises:
        ConfigurationError: a value is out of its range. Whether there is such a feature is found when it is asked for.
    """

    feature: str = "shingles"
    tau: float | None = None
    gap: int = 1
    min_sentences: int = 1
    min_words: int = 6

    def __post_init__(self) -> None:
        if self.tau is not None and not (_is_number(self.tau) and 0 < self.tau <= 1):
            raise ConfigurationError(f"tau is {self.tau!r}; expected a number above 0 to 1")
        _whole("gap", self.gap, 0, _MOST_GAP)
        _whole("min_sentences", self.min_sentences, 1, _MOST)
        _whole("min_words", self.min_words, 1, _MOST)

    def but(self, **changes: Any) -> PassageSettings:
        """A copy with some values changed."""
        return replace(self, **changes)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _whole(name: str, value: int, low: int, high: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise ConfigurationError(f"{name} is {value!r}; expected a whole number from {low} to {high}")


DEFAULT_SETTINGS: Final = PassageSettings()
