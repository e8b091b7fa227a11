"""SimHash: documents whose 64-bit projections differ in few bits.

M. Charikar: Similarity estimation techniques from rounding algorithms, STOC 2002; G. Manku, A. Jain, A. Das Sarma:
Detecting near-duplicates for Web crawling, WWW 2007, whose 3 bits of 64 are the default. Each feature votes on every
bit with a bit of its hash; features are w-shingles of the significant words, counted as often as they occur. If the
bits are divided into k + 1 equal parts, two documents that differ in k bits agree in at least one part, so that sorting
by each part finds all pairs.

Example:
    >>> from infostream_dedup.lab.methods import Texts, method
    >>> story = "Мэр города торжественно открыл новый мост через реку, движение начнется завтра утром"
    >>> method("simhash").run(Texts.of(story, story.upper(), "Мост закрыт")).pairs.as_list()
    [(0, 1, 1.0)]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final

import numpy as np

from infostream_dedup.judging.features.bit_parts import near_pairs
from infostream_dedup.judging.features.rows import Rows
from infostream_dedup.lab.methods.method import Method
from infostream_dedup.lab.methods.pairs import Pairs
from infostream_dedup.lab.methods.registry import register
from infostream_dedup.lab.methods.texts import Texts
from infostream_dedup.model.limits import Range

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["SimHash", "projections"]

_BITS: Final = 64


@register("simhash")
@dataclass(frozen=True)
class SimHash(Method):
    """Compares the signs of 64 random projections.

    Attributes:
        k: maximum number of differing bits, 0 to 15.
        w: number of words in a feature, 1 to 20.
    """

    k: Annotated[int, Range(0, 15)] = 3
    w: Annotated[int, Range(1, 20)] = 1

    def sign(self, texts: Texts) -> Rows:
        """Return one 64-bit value for each document."""
        shingles = texts.shingles(self.w)
        indptr = np.concatenate(([0], np.cumsum(shingles.sizes > 0))).astype(np.int64)
        return Rows(indptr, projections(shingles))

    def link(self, texts: Texts, signatures: Rows) -> Pairs:
        """Return pairs that differ in at most k bits; the score is the share of equal bits."""
        del texts
        signed = np.flatnonzero(signatures.sizes > 0)
        a, b, differing = near_pairs(signatures.values, self.k)
        return Pairs(signed[a], signed[b], 1 - differing / _BITS)


def projections(features: Rows) -> NDArray[np.uint64]:
    """Compute the majority of all features' votes on each bit; a tie gives 0.

    Args:
        features: uint64 hashes of each document's features, with repetitions.

    Returns:
        uint64 (documents with features,), one projection each.
    """
    starts = features.indptr[:-1][features.sizes > 0]
    result = np.zeros(len(starts), dtype=np.uint64)
    if not len(starts):
        return result
    half = features.sizes[features.sizes > 0]
    for bit in range(_BITS):
        ones = ((features.values >> np.uint64(bit)) & np.uint64(1)).astype(np.int64)
        result |= (2 * np.add.reduceat(ones, starts) > half).astype(np.uint64) << np.uint64(bit)
    return result
