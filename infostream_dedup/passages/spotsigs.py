"""SpotSigs of a sentence: chains of content words behind stop words.

M. Theobald, J. Siddharth, A. Paepcke, SIGIR 2008. Yu et al. find 24 antecedents too few for sentences and all 365 stop
words best, with chains of 3 and tau .7; all stop words of the language are antecedents here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from infostream_dedup.features.hashing import hash_sequences, hash_words
from infostream_dedup.features.rows import Rows
from infostream_dedup.features.spot_signatures import spot_places
from infostream_dedup.features.words import stop_word_places
from infostream_dedup.passages.ranges import within
from infostream_dedup.passages.sentence_table import SentenceTable

__all__ = ["SpotSigs"]


@dataclass(frozen=True, slots=True)
class SpotSigs:
    """Chains that end within the sentence; a sentence without one is no copy of any other.

    Attributes:
        c: content words after the antecedent, 1 to 10.
        d: distance from one word to where the next is looked for, 1 to 10.
        tau: least resemblance, above 0 to 1.

    Raises:
        ConfigurationError: a value is out of its range.
    """

    c: int = 3
    d: int = 1
    tau: float = 0.7

    def __post_init__(self) -> None:
        within("c", self.c, 1, 10)
        within("d", self.d, 1, 10)

    def bags(self, table: SentenceTable) -> Rows:
        """Chains of each sentence."""
        words = table.words
        stops = stop_word_places(words, table.sentence_languages)
        # Places only grow along a chain, so those of one long row that end in their sentence are the right ones.
        chains = spot_places(words.rows.values, stops, stops, c=self.c, d=self.d)
        ends = words.breaks[np.searchsorted(words.breaks, chains[:, 0], side="right")]
        chains = chains[chains[:, -1] < ends]
        hashes = hash_words(words.vocabulary)[words.rows.values]
        indptr = np.searchsorted(chains[:, 0], words.rows.indptr).astype(np.int64)
        return Rows(indptr, hash_sequences([hashes[column] for column in chains.T]))
