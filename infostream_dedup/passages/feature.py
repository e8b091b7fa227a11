"""What every sentence feature can do."""

from __future__ import annotations

from typing import Protocol

from infostream_dedup.features.rows import Rows
from infostream_dedup.passages.sentence_table import SentenceTable

__all__ = ["SentenceFeature"]


class SentenceFeature(Protocol):
    """Turns a sentence into a bag; two sentences are copies when their bags resemble one another by tau or more."""

    @property
    def tau(self) -> float:
        """Least multiset Jaccard of a copy, above 0 to 1, that suits the feature."""
        ...

    def bags(self, table: SentenceTable) -> Rows:
        """Features of each sentence, with repetitions: uint64, one row per sentence.

        A sentence with an empty bag is no copy of any other.
        """
        ...
