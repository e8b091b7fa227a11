"""The exact sentence: equal words in equal order, whatever the capitals and punctuation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from infostream_dedup.judging.features.rows import Rows
from infostream_dedup.judging.passages.sentence_feature import SentenceFeature, register
from infostream_dedup.judging.passages.sentence_table import SentenceTable, word_sequence_hashes

__all__ = ["ExactSentence"]


@register("exact", order=50)
@dataclass(frozen=True)
class ExactSentence(SentenceFeature):
    """One hash of all words.

    Attributes:
        tau: two hashes are equal or not, so only 1 makes sense.
    """

    tau: float = 1.0

    def bags(self, table: SentenceTable) -> Rows:
        """Return one value for each sentence."""
        return Rows(np.arange(len(table) + 1, dtype=np.int64), word_sequence_hashes(table.words))
