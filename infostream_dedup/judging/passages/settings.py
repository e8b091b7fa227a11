"""Settings for finding passages."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any, Final

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.model.limits import EXPERT, Option, Range, check_limits

_MOST: Final = 2**31 - 1
_SHORTEST_RUN: Final = 3


@dataclass(frozen=True, slots=True)
class PassageSettings:
    """Settings for finding passages. Names equal the flags of the command line.

    Raises:
        ConfigurationError: a value is out of range. The feature's name is checked only when it is used.
    """

    # name of a sentence feature, with parameters after colons: `low-idf-sig:n=500:c=2` (`passages.sentence_feature`)
    feature: Annotated[
        str,
        Option(
            "How sentences are compared: shingles, low-idf-sig, spotsigs, i-match or exact; parameters follow colons, "
            "as in low-idf-sig:n=500:c=2."
        ),
    ] = "shingles"
    # minimum multiset Jaccard of two sentences that count as copies, above 0 to 1; `None` takes the feature's default
    tau: Annotated[
        float | None,
        Range(0.0, 1.0, above=True),
        Option("Minimum similarity of two sentences.", default="depends on the feature"),
    ] = None
    # maximum number of sentences that a passage may skip at a time, on either side, 0 to 1000
    gap: Annotated[int, Range(0, 1000), Option("Sentences that a passage may skip at a time.", EXPERT)] = 1
    # minimum number of sentence pairs in a passage, at least 1
    min_sentences: Annotated[int, Range(1, _MOST), Option("Minimum sentences of a passage.")] = 1
    # minimum number of words in a passage, at least 1. The default is 6, because shorter shared sentences are mostly
    # common phrases
    min_words: Annotated[int, Range(1, _MOST), Option("Minimum words of a passage.")] = 6
    # minimum number of consecutive equal words that are a passage, or part of one, wherever sentences begin and end; 0
    # to look at whole sentences only, else at least 3. A run does not count as a sentence pair
    min_run: Annotated[
        int,
        Range(0, _MOST),
        Option(
            "Minimum number of consecutive equal words that count as copied, even across sentence ends; 0: whole "
            "sentences only."
        ),
    ] = 10

    def __post_init__(self) -> None:
        check_limits(self)
        if 0 < self.min_run < _SHORTEST_RUN:
            raise ConfigurationError(f"min_run is {self.min_run}; expected 0 or at least {_SHORTEST_RUN}")

    def but(self, **changes: Any) -> PassageSettings:
        """Return a copy with some values changed."""
        return replace(self, **changes)


DEFAULT_SETTINGS: Final = PassageSettings()
