"""Parts of a sparse matrix: chosen entries, entries of at least k."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from infostream_dedup.links.row_blocks import row_blocks

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["at_least", "column_counts", "csr_from", "kept_entries", "pattern_of"]

_BLOCK_ENTRIES = 8_000_000


def csr_from(
    data: NDArray[Any], indices: NDArray[np.signedinteger], indptr: NDArray[np.int64], *, columns: int
) -> sp.csr_array:
    """A csr matrix with indices of 4 bytes where they suffice.

    Given an ``indptr`` of int64, scipy would widen ``indices`` too, which doubles the memory of a counts matrix.

    Args:
        data: (entries,).
        indices: (entries,), column of each entry.
        indptr: int64 (rows + 1,), start of each row.
        columns: number of columns.
    """
    narrow = max(columns, len(indices)) <= np.iinfo(np.int32).max
    index_type = np.int32 if narrow else np.int64
    return sp.csr_array(
        (data, indices.astype(index_type, copy=False), indptr.astype(index_type, copy=False)),
        shape=(len(indptr) - 1, columns),
    )


def kept_entries(matrix: sp.csr_array, keep: NDArray[np.bool_]) -> sp.csr_array:
    """The chosen entries in their order.

    Args:
        matrix: any shape and dtype.
        keep: bool (stored entries,), in the order of ``matrix.data``.

    Returns:
        The same shape and dtype.
    """
    indptr = np.concatenate(([0], np.cumsum(_kept_by_row(matrix.indptr, keep))))
    return csr_from(matrix.data[keep], matrix.indices[keep], indptr, columns=matrix.shape[1])


def at_least(counts: sp.csr_array, k: int) -> sp.csr_array:
    """Entries of at least k; the matrix itself, not a copy, if that is all of them."""
    if counts.nnz == 0 or counts.data.min() >= k:
        return counts
    return kept_entries(counts, counts.data >= k)


def pattern_of(matrix: sp.csr_array) -> sp.csr_array:
    """Bool matrix that is true at every stored entry; shares its indices."""
    return sp.csr_array((np.ones(matrix.nnz, dtype=np.bool_), matrix.indices, matrix.indptr), shape=matrix.shape)


def column_counts(matrix: sp.csr_array) -> NDArray[np.int64]:
    """int64 (columns,): number of stored entries of each column."""
    counts = np.zeros(matrix.shape[1], dtype=np.int64)
    # In blocks, as bincount copies its whole input to int64.
    for begin in range(0, matrix.nnz, _BLOCK_ENTRIES):
        counts += np.bincount(matrix.indices[begin : begin + _BLOCK_ENTRIES], minlength=len(counts))
    return counts


def _kept_by_row(indptr: NDArray[np.signedinteger], keep: NDArray[np.bool_]) -> NDArray[np.int64]:
    lengths = np.diff(indptr).astype(np.int64)
    kept = np.zeros(len(lengths), dtype=np.int64)
    # In blocks, as reduceat copies its whole input to int64.
    for block in row_blocks(lengths, _BLOCK_ENTRIES):
        begin, end = indptr[block.start], indptr[block.stop]
        # A row without entries would count its neighbour's first one.
        filled = block.start + np.flatnonzero(lengths[block])
        if len(filled):
            kept[filled] = np.add.reduceat(keep[begin:end], indptr[filled] - begin, dtype=np.int64)
    return kept
