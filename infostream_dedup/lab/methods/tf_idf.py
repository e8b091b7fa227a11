"""TF*IDF: two documents are duplicates if their six words with the highest TF * IDF are the same (A2).

Yu. Zelenkov, I. Segalovich: Comparative analysis of methods for finding duplicates of Web documents (in Russian), RCDL
2007. The weight is Okapi BM25 with k1 = 2, b = 0.75, up to a constant factor. Words are sorted, joined by blanks and
hashed by CRC32; words of equal weight are taken in alphabetical order.

Example:
    >>> from infostream_dedup.lab.methods import Texts, method
    >>> texts = Texts.of("Мэр Киева открыл новый мост", "Новый мост открыл мэр Киева", "Погода испортилась")
    >>> method("tf-idf").run(texts).pairs.as_list()
    [(0, 1, 1.0)]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from infostream_dedup.judging.features.leading_words import fingerprints_of_words, leading_words
from infostream_dedup.judging.features.rows import Rows
from infostream_dedup.judging.features.word_counts import tf_idf_weights
from infostream_dedup.lab.methods.method import Method
from infostream_dedup.lab.methods.registry import register
from infostream_dedup.lab.methods.texts import Texts
from infostream_dedup.model.limits import OneOf, Range

__all__ = ["TfIdf"]


@register("tf-idf")
@dataclass(frozen=True)
class TfIdf(Method):
    """Compares the words that best distinguish a document from the others.

    Attributes:
        words: number of words kept, 1 to 100.
        bits: 32 for CRC32 as in the paper, 64 to avoid chance collisions.
    """

    words: Annotated[int, Range(1, 100)] = 6
    bits: Annotated[int, OneOf(32, 64)] = 32

    def sign(self, texts: Texts) -> Rows:
        """Return one fingerprint of the heaviest words for each document."""
        weights = texts.counts.rows(tf_idf_weights(texts.counts))
        return fingerprints_of_words(leading_words(weights, self.words), texts.significant.vocabulary, self.bits)
