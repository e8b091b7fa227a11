"""64-bit values that differ in few bits, without trying all pairs.

G. Manku, A. Jain, A. Das Sarma: Detecting near-duplicates for Web crawling, WWW 2007: if the bits are divided into
k + 1 parts, two values that differ in k bits agree in at least one part.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.arrays import Ragged
from infostream_dedup.judging.features.chains import pairs_sharing

if TYPE_CHECKING:
    from numpy.typing import NDArray


_BITS: Final = 64


def near_pairs(values: NDArray[np.uint64], k: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint8]]:
    """Find all pairs of values that differ in at most k bits.

    Args:
        values: uint64 (values,).
        k: maximum number of differing bits, 0 to 15.

    Returns:
        int64 a < b, ordered by (a, b), and the number of differing bits of each pair.
    """
    parts = _split_bits(values, k + 1)
    indptr = np.arange(len(values) + 1, dtype=np.int64) * (k + 1)
    met = pairs_sharing(Ragged(indptr, parts.ravel()))
    differing = np.bitwise_count(values[met.a] ^ values[met.b])
    near = differing <= k
    return met.a[near], met.b[near], differing[near]


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
