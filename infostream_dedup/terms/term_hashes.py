"""Terms as pairs of 64-bit hashes, which every process computes alike without a common numbering.

The first hash identifies a term; the second, independent of the first, detects collisions. Among 10^8 terms, two share
a first hash with a probability of 1 in 3,700; that two share both is practically impossible. The hashes are stored in
files, so their definition must never change.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.errors import BadDataError
from infostream_dedup.terms.kernels.term_hashing import hash_terms

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from infostream_dedup.text.surface_pool import SurfaceList

__all__ = ["distinct_hashes", "term_hashes"]


def term_hashes(terms: SurfaceList) -> NDArray[np.uint64]:
    """Return both hashes of each term: uint64 (2, terms)."""
    found = np.empty((2, len(terms)), dtype=np.uint64)
    hash_terms(terms.pool, terms.starts, found)
    return found


def distinct_hashes(hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return each pair of hashes once, in the order of the first hash: uint64 (2, distinct).

    Args:
        hashes: uint64 (2, terms), joined from several ``term_hashes``; equal terms have equal pairs.

    Raises:
        BadDataError: two terms share their first hash.
    """
    ordered = hashes[:, np.lexsort(hashes[::-1])]
    new = np.ones(ordered.shape[1], dtype=np.bool_)
    new[1:] = np.any(ordered[:, 1:] != ordered[:, :-1], axis=0)
    found = ordered[:, new]
    again = np.flatnonzero(found[0, 1:] == found[0, :-1])
    if len(again):
        message = (
            f"two terms have the hash {int(found[0, again[0]]):016x}; leave out the documents that contain one of them"
        )
        raise BadDataError(message, code="E_HASH", source="<terms>")
    return found
