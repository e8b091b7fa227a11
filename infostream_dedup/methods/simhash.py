"""SimHash: documents whose 64-bit projections differ in few bits.

M. Charikar: Similarity estimation techniques from rounding algorithms, STOC 2002; G. Manku, A. Jain, A. Das Sarma:
Detecting near-duplicates for Web crawling, WWW 2007, whose 3 bits of 64 are the default. Each feature votes on every
bit with a bit of its hash; features are w-shingles of the significant words, counted as often as they occur. If the
bits are divided into k + 1 equal parts, two documents that differ in k bits agree in at least one part, so that sorting
by each part finds all pairs.

Example:
    >>> from infostream_dedup.methods import Texts, method
    >>> story = "Мэр города торжественно открыл новый мост через реку, движение начнется завтра утром"
    >>> method("simhash").run(Texts.of(story, story.upper(), "Мост закрыт")).pairs.as_list()
    [(0, 1, 1.0)]
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Final

import numpy as np

from infostream_dedup.features.chains import pairs_sharing
from infostream_dedup.features.rows import Rows
from infostream_dedup.methods.method import Method
from infostream_dedup.methods.pairs import Pairs
from infostream_dedup.methods.registry import register
from infostream_dedup.methods.texts import Texts
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
        parts = _split_bits(signatures.values, self.k + 1)
        indptr = np.arange(len(signed) + 1, dtype=np.int64) * (self.k + 1)
        met = pairs_sharing(Rows(indptr, parts.ravel()))
        differing = np.bitwise_count(signatures.values[met.a] ^ signatures.values[met.b])
        near = differing <= self.k
        return Pairs(signed[met.a[near]], signed[met.b[near]], 1 - differing[near] / _BITS)


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


def _split_bits(values: NDArray[np.uint64], parts: int) -> NDArray[np.uint64]:
    """Split each value into runs of bits tagged with the number of the run: uint64 (values, parts)."""
    bounds = [_BITS * part // parts for part in range(parts + 1)]
    columns = []
    for part, (low, high) in enumerate(pairwise(bounds)):
        if high - low == _BITS:
            columns.append(values)
            continue
        run = (values >> np.uint64(low)) & np.uint64((1 << (high - low)) - 1)
        columns.append(run | np.uint64(part << (high - low)))
    return np.stack(columns, axis=1)
