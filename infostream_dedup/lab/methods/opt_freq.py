"""Opt Freq: TF*IDF that gives most weight to words of one frequency, 10 in a million documents (A10).

Yu. Zelenkov, I. Segalovich: Comparative analysis of methods for finding duplicates of Web documents (in Russian), RCDL
2007. The optimal frequency is due to M. Maslov (Yandex). IDF grows as a square root up to c and then falls as a
hyperbola. In a collection of fewer than e^c = 98,700 documents no word is that rare, so that the weight is merely a
flatter IDF; a smaller c brings the optimum within reach.

Example:
    >>> from infostream_dedup.lab.methods import Texts, method
    >>> texts = Texts.of("Мэр Киева открыл новый мост", "Новый мост открыл мэр Киева", "Погода испортилась")
    >>> method("opt-freq").run(texts).pairs.as_list()
    [(0, 1, 1.0)]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import numpy as np

from infostream_dedup.judging.features.leading_words import fingerprints_of_words, leading_words
from infostream_dedup.judging.features.rows import Rows
from infostream_dedup.judging.features.word_counts import WordCounts, in_units
from infostream_dedup.lab.methods.method import Method
from infostream_dedup.lab.methods.registry import register
from infostream_dedup.lab.methods.texts import Texts
from infostream_dedup.model.limits import OneOf, Range

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["OptimalFrequency"]


@register("opt-freq")
@dataclass(frozen=True)
class OptimalFrequency(Method):
    """Compares the words whose frequency is best for finding a document.

    Attributes:
        words: number of words kept, 1 to 100.
        bits: 32 for CRC32 as in the paper, 64 to avoid chance collisions.
        c: IDF of the optimal frequency, 0.1 to 50: -ln(10 / 10^6) = 11.5 in the paper.
    """

    words: Annotated[int, Range(1, 100)] = 6
    bits: Annotated[int, OneOf(32, 64)] = 32
    c: Annotated[float, Range(0.1, 50.0)] = 11.5

    def sign(self, texts: Texts) -> Rows:
        """Return one fingerprint of the heaviest words for each document."""
        weights = texts.counts.rows(optimal_weights(texts.counts, self.c))
        return fingerprints_of_words(leading_words(weights, self.words), texts.significant.vocabulary, self.bits)


def optimal_weights(counts: WordCounts, c: float) -> NDArray[np.int64]:
    """Return (0.5 + 0.5 tf / tf_max) * IDFopt, where IDFopt is sqrt(IDF / c) below c and c / IDF otherwise.

    Args:
        counts: words of the collection.
        c: IDF of the optimal frequency, greater than 0.

    Returns:
        int64 (entries of ``counts.tf``,), in units of 1e-9.
    """
    tf = 0.5 + 0.5 * counts.tf.data / counts.tf_max[counts.document_of]
    idf = -np.log(counts.df[counts.tf.indices] / counts.documents)
    optimal = np.where(idf < c, np.sqrt(np.maximum(idf, 0.0) / c), c / np.maximum(idf, c))
    return in_units(tf * optimal)
