"""The sparse, directed similarity matrix of a collection: its input, its content, and how it is cut."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.machine.arrays import Bools, Ints, offsets_of, sparse_rows
from infostream_dedup.machine.scratch import row_blocks

_BLOCK_ENTRIES = 8_000_000
_LARGEST_COUNT = 255


@dataclass(frozen=True, slots=True, eq=False)
class SimilarityMatrix:
    """Number of key terms of the row document that the column document contains (Lande, InfoStream; methods 1.4).

    Raises ``ValueError``: the attributes are not as described.
    """

    # uint8 (documents, documents), entry (i, j) = |K_i ∩ V_j|. Empty diagonal, sorted indices, no entry twice, and no
    # entry below `k_min`: a missing entry means "below k_min"
    counts: sp.csr_array
    n: int  # largest possible count, 1 to 255
    k_min: int  # smallest count that is stored, at least 1
    # int64 of the same pattern, weight of the shared key terms in units of 1e-9; `None` if not requested
    matched: sp.csr_array | None = None
    # whether only links between documents with different labels remain (see `between`). With two labels, such a matrix
    # is bipartite: no path in it can be closed, whatever its quality
    between_groups: bool = False

    def __post_init__(self) -> None:
        counts = self.counts
        if not 1 <= self.n <= _LARGEST_COUNT:
            raise ValueError(f"n is {self.n}; counts of one byte need 1 to {_LARGEST_COUNT}")
        if self.k_min < 1:
            raise ValueError(f"k_min is {self.k_min}; expected at least 1")
        if counts.dtype != np.uint8 or counts.shape[0] != counts.shape[1]:
            raise ValueError(f"counts are {counts.dtype} {counts.shape}; expected a square uint8 matrix")
        if not counts.has_canonical_format:
            raise ValueError("counts need sorted indices and no entry twice; call sum_duplicates() first")
        if counts.nnz and not (self.k_min <= counts.data.min() and counts.data.max() <= self.n):
            raise ValueError(
                f"counts run from {counts.data.min()} to {counts.data.max()}; expected {self.k_min} to {self.n}"
            )
        if counts.diagonal().any():
            raise ValueError("counts have entries on the diagonal; a document is never compared with itself")
        if self.matched is not None:
            if self.matched.dtype != np.int64:
                raise ValueError(f"matched is {self.matched.dtype}; expected int64 in units of 1e-9")
            if (
                self.matched.shape != self.counts.shape
                or not np.array_equal(self.matched.indptr, self.counts.indptr)
                or not np.array_equal(self.matched.indices, self.counts.indices)
            ):
                raise ValueError("matched and counts have different patterns; expected one weight for every count")

    @property
    def documents(self) -> int:
        """Number of documents: of rows and of columns."""
        return int(self.counts.shape[0])

    def links_at(self, k: int) -> sp.csr_array:
        """Return the adjacency matrix, bool: a_ij = 1 if j contains at least k key terms of i."""
        return links_at(self.counts, *self.stored_ks([k]))

    def stored_ks(self, ks: Iterable[int]) -> list[int]:
        """Return the distinct ks, ascending."""
        ascending = sorted(set(ks))
        if ascending and ascending[0] < self.k_min:
            raise ConfigurationError(
                f"k is {ascending[0]}, but this matrix holds only counts of at least {self.k_min}; match with k_min"
                f" {ascending[0]}"
            )
        return ascending

    def shares(self, own_weights: Ints) -> sp.csr_array:
        """Compute the share of the asking document's key-term weight (units of 1e-9) that was matched."""
        if self.matched is None:
            raise ValueError("this matrix holds no matched weights; match with weights=True")
        own = np.repeat(own_weights, np.diff(self.counts.indptr))
        share = np.zeros(self.counts.nnz, dtype=np.float64)
        np.divide(self.matched.data, own, out=share, where=own > 0)
        return sp.csr_array((share, self.counts.indices, self.counts.indptr), shape=self.counts.shape)

    def restricted(self, documents: Ints) -> SimilarityMatrix:
        """Return the rows and columns of some documents."""
        return replace(
            self,
            counts=_part(self.counts, documents),
            matched=None if self.matched is None else _part(self.matched, documents),
        )

    def between(self, labels: NDArray[np.generic], *, same: bool) -> SimilarityMatrix:
        """Keep only the links within labels, or only those between them; all documents stay."""
        asking = np.repeat(labels, np.diff(self.counts.indptr))
        keep = np.equal(asking, labels[self.counts.indices]) == same
        return replace(
            self,
            counts=kept_entries(self.counts, keep),
            matched=None if self.matched is None else kept_entries(self.matched, keep),
            between_groups=self.between_groups or not same,
        )


def _part(matrix: sp.csr_array, documents: Ints) -> sp.csr_array:
    part = sp.csr_array(matrix[documents][:, documents])
    part.sort_indices()
    return part


def work_exceeds(keys: sp.csr_array, targets: sp.csr_array, most: int) -> bool:
    """Whether matching touches more postings, at least as many as links at k = 1, than a number; quick if far more."""
    asked, work = column_counts(keys), 0
    for begin in range(0, targets.nnz, _BLOCK_ENTRIES):
        work += int(asked[targets.indices[begin : begin + _BLOCK_ENTRIES]].sum())
        if work > most:
            return True
    return False


def check_input(keys: sp.csr_array, targets: sp.csr_array, *, n: int) -> None:
    """Refuse key terms and targets that cannot be matched exactly."""
    if keys.shape != targets.shape:
        raise ValueError(f"keys are {keys.shape}, targets {targets.shape}; expected the same documents and terms")
    if keys.dtype != np.int64:
        raise ValueError(f"keys are {keys.dtype}; expected int64 weights in units of 1e-9")
    if not keys.has_canonical_format or not targets.has_canonical_format:
        raise ValueError(
            "keys and targets need sorted indices without repeated terms in a row; call sum_duplicates() first"
        )
    if keys.nnz and keys.data.min() < 1:
        raise ValueError(f"the smallest weight of a key term is {keys.data.min()}; expected at least 1")
    most = int(np.diff(keys.indptr).max(initial=0))
    if most > n:
        raise ValueError(f"a document has {most} key terms; expected at most n = {n}")


def kept_entries(matrix: sp.csr_array, keep: Bools) -> sp.csr_array:
    """Return the chosen entries in order, with indices of 4 bytes if they suffice."""
    indptr = offsets_of(_kept_by_row(matrix.indptr, keep))
    return sparse_rows(matrix.data[keep], matrix.indices[keep], indptr, matrix.shape)


def at_least(counts: sp.csr_array, k: int) -> sp.csr_array:
    """Return the entries of at least k; the matrix itself, not a copy, if those are all entries."""
    if counts.nnz == 0 or counts.data.min() >= k:
        return counts
    return kept_entries(counts, counts.data >= k)


def links_at(counts: sp.csr_array, k: int) -> sp.csr_array:
    """Return a bool matrix that is true where a count is at least k."""
    return pattern_of(at_least(counts, k))


def pattern_of(matrix: sp.csr_array) -> sp.csr_array:
    """Return a bool matrix that is true at every stored entry; it shares the indices."""
    return sp.csr_array((np.ones(matrix.nnz, dtype=np.bool_), matrix.indices, matrix.indptr), shape=matrix.shape)


def column_counts(matrix: sp.csr_array) -> Ints:
    """int64 (columns,): number of stored entries of each column."""
    counts = np.zeros(matrix.shape[1], dtype=np.int64)
    # In blocks, as bincount copies its whole input to int64.
    for begin in range(0, matrix.nnz, _BLOCK_ENTRIES):
        counts += np.bincount(matrix.indices[begin : begin + _BLOCK_ENTRIES], minlength=len(counts))
    return counts


def _kept_by_row(indptr: NDArray[np.signedinteger], keep: Bools) -> Ints:
    lengths = np.diff(indptr).astype(np.int64)
    kept = np.zeros(len(lengths), dtype=np.int64)
    # In blocks, as reduceat copies its whole input to int64.
    for block in row_blocks(lengths, _BLOCK_ENTRIES):
        begin, end = indptr[block.start], indptr[block.stop]
        # A row without entries would count the first entry of its neighbour.
        filled = block.start + np.flatnonzero(lengths[block])
        if len(filled):
            kept[filled] = np.add.reduceat(keep[begin:end], indptr[filled] - begin, dtype=np.int64)
    return kept
