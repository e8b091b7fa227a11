"""Terms as pairs of 64-bit hashes, which every process computes alike without a common numbering.

The first hash identifies a term; the second, independent of the first, detects collisions. Among 10^8 terms, two share
a first hash with a probability of 1 in 3,700; that two share both is practically impossible. The hashes are stored in
files, so their definition must never change.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.terms.kernels.term_hashing import hash_terms

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from infostream_dedup.language.text.surface_pool import SurfaceList

__all__ = ["term_hashes"]


def term_hashes(terms: SurfaceList) -> NDArray[np.uint64]:
    """Return both hashes of each term: uint64 (2, terms)."""
    found = np.empty((2, len(terms)), dtype=np.uint64)
    hash_terms(terms.pool, terms.starts, found)
    return found
