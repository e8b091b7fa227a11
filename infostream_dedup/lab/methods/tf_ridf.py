"""TF*RIDF: two documents are duplicates if their six words with the highest TF * residual IDF are the same (A3).

Yu. Zelenkov, I. Segalovich: Comparative analysis of methods for finding duplicates of Web documents (in Russian), RCDL
2007. Residual IDF measures in how many fewer documents a word occurs than expected by chance: K. Church, W. Gale:
Inverse document frequency (IDF): a measure of deviations from Poisson, 1995. It is negative for words spread more
evenly than by chance; the sign is kept.

Example:
    >>> from infostream_dedup.lab.methods import Texts, method
    >>> texts = Texts.of("Мэр Киева открыл новый мост", "Новый мост открыл мэр Киева", "Погода испортилась")
    >>> method("tf-ridf").run(texts).pairs.as_list()
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

__all__ = ["TfResidualIdf"]


@register("tf-ridf")
@dataclass(frozen=True)
class TfResidualIdf(Method):
    """Compares the words of documents that occur in clusters.

    Attributes:
        words: number of words kept, 1 to 100.
        bits: 32 for CRC32 as in the paper, 64 to avoid chance collisions.
    """

    words: Annotated[int, Range(1, 100)] = 6
    bits: Annotated[int, OneOf(32, 64)] = 32

    def sign(self, texts: Texts) -> Rows:
        """Return one fingerprint of the heaviest words for each document."""
        weights = texts.counts.rows(residual_weights(texts.counts))
        return fingerprints_of_words(leading_words(weights, self.words), texts.significant.vocabulary, self.bits)


def residual_weights(counts: WordCounts) -> NDArray[np.int64]:
    """Return (0.5 + 0.5 tf / tf_max) * (-ln(df / N) + ln(1 - exp(-cf / N))).

    Returns:
        int64 (entries of ``counts.tf``,), in units of 1e-9.
    """
    tf = 0.5 + 0.5 * counts.tf.data / counts.tf_max[counts.document_of]
    word = counts.tf.indices
    rate = counts.cf[word] / counts.documents
    ridf = -np.log(counts.df[word] / counts.documents) + np.log(-np.expm1(-rate))
    return in_units(tf * ridf)
