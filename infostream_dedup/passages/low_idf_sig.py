"""Low-IDF-Sig: chains of words behind the most frequent words of the language and behind the sentence's first word.

Yu Haomin, Zhang Yue, Zhang Qi, Huang Xuanjing: Low-IDF-Sig, sentence-level duplicate detection (in Chinese), whose
defaults these are.
"""

from __future__ import annotations

from dataclasses import dataclass

from infostream_dedup.features.low_idf_signatures import antecedent_places, low_idf_signatures
from infostream_dedup.features.rows import Rows
from infostream_dedup.passages.sentence_table import SentenceTable

__all__ = ["LowIdfSig"]


@dataclass(frozen=True, slots=True)
class LowIdfSig:
    """Chains a : t1 : ... : tc.

    Attributes:
        n: antecedents, the most frequent words of the sentence's language.
        c: words after the antecedent.
        d: step from word to word.
        tau: least resemblance.
    """

    n: int = 50
    c: int = 3
    d: int = 1
    tau: float = 0.6

    def bags(self, table: SentenceTable) -> Rows:
        """Chains of each sentence; a sentence with words has at least one."""
        antecedent = antecedent_places(table.words, table.sentence_languages, self.n)
        return low_idf_signatures(table.words, antecedent, c=self.c, d=self.d)
