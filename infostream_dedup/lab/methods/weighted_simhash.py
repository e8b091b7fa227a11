"""Weighted SimHash: SimHash whose words vote with their weight.

M. Charikar: Similarity estimation techniques from rounding algorithms, STOC 2002, section 3, whose vectors are
weighted; ``simhash`` counts words instead. Votes are TF * IDF of Zelenkov and Segalovich's A2; a word in more than half
of the documents, whose weight is below 0, does not vote. The search is that of ``simhash``.

Example:
    >>> from infostream_dedup.lab.methods import Texts, method
    >>> story = "Мэр города торжественно открыл новый мост через реку, движение начнется завтра утром"
    >>> others = ("Мост закрыт", "Снег идёт", "Дождь прошёл", "Рынок вырос")
    >>> method("weighted-simhash").run(Texts.of(story, story.upper(), *others)).pairs.as_list()
    [(0, 1, 1.0)]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final

import numpy as np

from infostream_dedup.judging.features.bit_parts import near_pairs
from infostream_dedup.judging.features.hashing import hash_words
from infostream_dedup.judging.features.rows import Rows
from infostream_dedup.judging.features.word_counts import tf_idf_weights
from infostream_dedup.lab.methods.method import Method
from infostream_dedup.lab.methods.pairs import Pairs
from infostream_dedup.lab.methods.registry import register
from infostream_dedup.lab.methods.texts import Texts
from infostream_dedup.model.limits import Range

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["WeightedSimHash", "weighted_projections"]

_BITS: Final = 64


@register("weighted-simhash")
@dataclass(frozen=True)
class WeightedSimHash(Method):
    """Compares the signs of 64 random projections of TF * IDF vectors.

    Attributes:
        k: maximum number of differing bits, 0 to 15.
    """

    k: Annotated[int, Range(0, 15)] = 3

    def sign(self, texts: Texts) -> Rows:
        """Return one 64-bit value for each document with a word that votes."""
        counts = texts.counts
        weights = np.maximum(tf_idf_weights(counts), 0)
        voting = weights > 0
        hashes = hash_words(texts.significant.vocabulary)[counts.tf.indices]
        features = Rows(counts.tf.indptr.astype(np.int64), hashes).chosen(voting)
        indptr = np.concatenate(([0], np.cumsum(features.sizes > 0))).astype(np.int64)
        return Rows(indptr, weighted_projections(features, weights[voting]))

    def link(self, texts: Texts, signatures: Rows) -> Pairs:
        """Return pairs that differ in at most k bits; the score is the share of equal bits."""
        del texts
        signed = np.flatnonzero(signatures.sizes > 0)
        a, b, differing = near_pairs(signatures.values, self.k)
        return Pairs(signed[a], signed[b], 1 - differing / _BITS)


def weighted_projections(features: Rows, weights: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Compute the weighted majority of all features' votes on each bit; a tie gives 0.

    Args:
        features: uint64 hashes of each document's features.
        weights: int64 (features,), above 0.

    Returns:
        uint64 (documents with features,).
    """
    starts = features.indptr[:-1][features.sizes > 0]
    result = np.zeros(len(starts), dtype=np.uint64)
    if not len(starts):
        return result
    whole = np.add.reduceat(weights, starts)
    for bit in range(_BITS):
        ones = ((features.values >> np.uint64(bit)) & np.uint64(1)).astype(np.int64)
        result |= (2 * np.add.reduceat(ones * weights, starts) > whole).astype(np.uint64) << np.uint64(bit)
    return result
