"""Parts of a sparse matrix: chosen entries, entries from a threshold on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["at_least", "kept_entries", "pattern_of"]


def kept_entries(matrix: sp.csr_array, keep: NDArray[np.bool_]) -> sp.csr_array:
    """The chosen entries in their order.

    Args:
        matrix: of any shape and dtype.
        keep: bool (stored entries,), in the order of ``matrix.data``.

    Returns:
        The same shape and dtype.
    """
    kept = np.zeros(matrix.shape[0], dtype=np.int64)
    # Rows without entries would read their neighbour's first entry in reduceat.
    filled = np.flatnonzero(np.diff(matrix.indptr))
    if len(filled):
        kept[filled] = np.add.reduceat(keep, matrix.indptr[filled], dtype=np.int64)
    indptr = np.concatenate(([0], np.cumsum(kept)))
    return sp.csr_array((matrix.data[keep], matrix.indices[keep], indptr), shape=matrix.shape)


def at_least(scores: sp.csr_array, threshold: float) -> sp.csr_array:
    """Entries of at least ``threshold``; the matrix itself, not a copy, where that is all of them."""
    if scores.nnz == 0 or scores.data.min() >= threshold:
        return scores
    return kept_entries(scores, scores.data >= threshold)


def pattern_of(matrix: sp.csr_array) -> sp.csr_array:
    """Bool matrix that is true at every stored entry; shares its indices."""
    return sp.csr_array((np.ones(matrix.nnz, dtype=np.bool_), matrix.indices, matrix.indptr), shape=matrix.shape)
