"""A sentence feature: the first letters of all words. A toy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from infostream_dedup.features.hashing import hash_words
from infostream_dedup.features.rows import Rows
from infostream_dedup.model.limits import Range
from infostream_dedup.passages.sentence_feature import SentenceFeature, register
from infostream_dedup.passages.sentence_table import SentenceTable


@register("first-letters")
@dataclass(frozen=True)
class FirstLetters(SentenceFeature):
    """Bag of the beginnings of words.

    Attributes:
        letters: how many letters of each word, 1 to 5.
        tau: least resemblance, above 0 to 1.
    """

    letters: Annotated[int, Range(1, 5)] = 1
    tau: float = 0.9

    def bags(self, table: SentenceTable) -> Rows:
        """Return one value for each word of each sentence."""
        beginnings = [word[: self.letters] for word in table.words.vocabulary]
        return Rows(table.words.rows.indptr, np.asarray(hash_words(beginnings)[table.words.rows.values]))
