"""Opt Freq: TF*IDF with the greatest weight on words of one frequency, 10 in a million documents (A10).

Yu. Zelenkov, I. Segalovich: Comparative analysis of methods for finding duplicates of Web documents (in Russian), RCDL
2007. The optimal frequency is M. Maslov's (Yandex). IDF grows as a square root up to c and falls as a
hyperbola behind it. In a collection of fewer than e^c = 98,700 documents no word is that rare, so that the weight is
only a flatter IDF; a smaller c moves the optimum into reach.

Example:
    >>> from infostream_dedup.methods import Texts, method
    >>> texts = Texts.of("Мэр Киева открыл новый мост", "Новый мост открыл мэр Киева", "Погода испортилась")
    >>> method("opt-freq").run(texts).pairs.as_list()
    [(0, 1, 1.0)]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import numpy as np

from infostream_dedup.features.chains import equal_pairs
from infostream_dedup.features.leading_words import fingerprints_of_words, leading_words
from infostream_dedup.features.rows import Rows
from infostream_dedup.features.word_counts import WordCounts, in_units
from infostream_dedup.methods.method import Method
from infostream_dedup.methods.pairs import Pairs, equal
from infostream_dedup.methods.registry import register
from infostream_dedup.methods.texts import Texts
from infostream_dedup.model.limits import OneOf, Range

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["OptimalFrequency"]


@register("opt-freq")
@dataclass(frozen=True)
class OptimalFrequency(Method):
    """The words of a document of the best frequency for finding it.

    Attributes:
        words: words that are kept, 1 to 100.
        bits: 32 for CRC32 as in the paper, 64 against chance collisions.
        c: IDF of the optimal frequency, 0.1 to 50: -ln(10 / 10^6) = 11.5 in the paper.
    """

    words: Annotated[int, Range(1, 100)] = 6
    bits: Annotated[int, OneOf(32, 64)] = 32
    c: Annotated[float, Range(0.1, 50.0)] = 11.5

    def sign(self, texts: Texts) -> Rows:
        """Fingerprint of the heaviest words: one value."""
        weights = texts.counts.rows(optimal_weights(texts.counts, self.c))
        return fingerprints_of_words(leading_words(weights, self.words), texts.significant.vocabulary, self.bits)

    def link(self, texts: Texts, signatures: Rows) -> Pairs:
        """Pairs of equal fingerprints."""
        del texts
        return equal(equal_pairs(signatures))


def optimal_weights(counts: WordCounts, c: float) -> NDArray[np.int64]:
    """(0.5 + 0.5 tf / tf_max) * IDFopt, in units of 1e-9: IDFopt is sqrt(IDF / c) below c, else c / IDF.

    Args:
        counts: words of the collection.
        c: above 0.

    Returns:
        int64 (entries of ``counts.tf``,).
    """
    tf = 0.5 + 0.5 * counts.tf.data / counts.tf_max[counts.document_of]
    idf = -np.log(counts.df[counts.tf.indices] / counts.documents)
    optimal = np.where(idf < c, np.sqrt(np.maximum(idf, 0.0) / c), c / np.maximum(idf, c))
    return in_units(tf * optimal)
