"""What decides which passages are found."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any, Final

from infostream_dedup.model.limits import Range, check_limits

__all__ = ["DEFAULT_SETTINGS", "PassageSettings"]

_MOST: Final = 2**31 - 1


@dataclass(frozen=True, slots=True)
class PassageSettings:
    """Names equal the flags of the command line.

    Attributes:
        feature: name of a sentence feature, with parameters after colons: ``low-idf-sig:n=500:c=2``
            (``passages.sentence_feature``).
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
    tau: Annotated[float | None, Range(0.0, 1.0, above=True)] = None
    gap: Annotated[int, Range(0, 1000)] = 1
    min_sentences: Annotated[int, Range(1, _MOST)] = 1
    min_words: Annotated[int, Range(1, _MOST)] = 6

    def __post_init__(self) -> None:
        check_limits(self)

    def but(self, **changes: Any) -> PassageSettings:
        """A copy with some values changed."""
        return replace(self, **changes)


DEFAULT_SETTINGS: Final = PassageSettings()
