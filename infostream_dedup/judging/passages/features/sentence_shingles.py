"""Word shingles of a sentence: every w consecutive words, with which Yu et al. compare Low-IDF-Sig."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from infostream_dedup.judging.features.rows import Rows
from infostream_dedup.judging.features.shingles import shingles
from infostream_dedup.judging.passages.sentence_feature import SentenceFeature, register
from infostream_dedup.judging.passages.sentence_table import SentenceTable
from infostream_dedup.model.limits import Range

__all__ = ["SentenceShingles"]


@register("shingles", order=40)
@dataclass(frozen=True)
class SentenceShingles(SentenceFeature):
    """Every w consecutive words; a shorter sentence is one shingle.

    Attributes:
        w: words in a shingle, 1 to 100.
        tau: minimum resemblance, above 0 to 1; Yu et al. find 0.6 best for 3, 4 and 5 words.

    Raises:
        ConfigurationError: a value is out of range.
    """

    w: Annotated[int, Range(1, 100)] = 3
    tau: float = 0.6

    def bags(self, table: SentenceTable) -> Rows:
        """Return the shingles of each sentence."""
        return shingles(table.words, self.w)
