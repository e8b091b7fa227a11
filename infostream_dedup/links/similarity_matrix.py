"""The sparse, directed similarity matrix of a collection."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.links.entries import at_least, kept_entries, pattern_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["SimilarityMatrix"]

_LARGEST_COUNT = 255


@dataclass(frozen=True, slots=True, eq=False)
class SimilarityMatrix:
    """How many key terms of one document another contains: row asks, column answers (Lande, InfoStream; methods 1.4).

    Attributes:
        counts: uint8 (documents, documents), entry (i, j) = |K_i ∩ V_j|. Empty diagonal, sorted indices, no entry
            twice, and no entry below ``k_min``: a missing entry means "below k_min".
        n: largest possible count, 1 to 255.
        k_min: smallest count that is stored, at least 1.
        matched: int64 of the same pattern, weight of the shared key terms in units of 1e-9; ``None`` if not requested.
        between_groups: whether only links between documents of different labels are left (see ``between``). Such a
            matrix of two labels is bipartite: no path in it can be closed, whatever its quality.

    Raises:
        ValueError: the attributes are not as described.
    """

    counts: sp.csr_array
    n: int
    k_min: int
    matched: sp.csr_array | None = None
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
            self._check_matched(self.matched)

    def _check_matched(self, matched: sp.csr_array) -> None:
        if matched.dtype != np.int64:
            raise ValueError(f"matched is {matched.dtype}; expected int64 in units of 1e-9")
        if (
            matched.shape != self.counts.shape
            or not np.array_equal(matched.indptr, self.counts.indptr)
            or not np.array_equal(matched.indices, self.counts.indices)
        ):
            raise ValueError("matched has another pattern than counts; expected one weight for every count")

    @property
    def documents(self) -> int:
        """Number of documents: of rows and of columns."""
        return int(self.counts.shape[0])

    def links_at(self, k: int) -> sp.csr_array:
        """The adjacency matrix: a_ij = 1 where j contains at least k key terms of i.

        Args:
            k: at least ``k_min``.

        Returns:
            bool (documents, documents), sorted indices, every stored entry true.

        Raises:
            ConfigurationError: k is below ``k_min``; such links were not kept.
        """
        return pattern_of(at_least(self.counts, *self.stored_ks([k])))

    def stored_ks(self, ks: Iterable[int]) -> list[int]:
        """The distinct ks, ascending.

        Raises:
            ConfigurationError: a k is below ``k_min``; such links were not kept.
        """
        ascending = sorted(set(ks))
        if ascending and ascending[0] < self.k_min:
            raise ConfigurationError(
                f"k is {ascending[0]}, but this matrix holds only counts of at least {self.k_min}; match with k_min"
                f" {ascending[0]}"
            )
        return ascending

    def shares(self, own_weights: NDArray[np.int64]) -> sp.csr_array:
        """Share of the asking document's key-term weight that was matched.

        Args:
            own_weights: int64 (documents,), weight of all key terms of each document in units of 1e-9.

        Returns:
            float64 of the pattern of ``counts``, 0 to 1; 0 where a document's own weight is 0.

        Raises:
            ValueError: the matrix holds no matched weights.
        """
        if self.matched is None:
            raise ValueError("this matrix holds no matched weights; match with weights=True")
        own = np.repeat(own_weights, np.diff(self.counts.indptr))
        share = np.zeros(self.counts.nnz, dtype=np.float64)
        np.divide(self.matched.data, own, out=share, where=own > 0)
        return sp.csr_array((share, self.counts.indices, self.counts.indptr), shape=self.counts.shape)

    def restricted(self, documents: NDArray[np.int64]) -> SimilarityMatrix:
        """The rows and columns of some documents.

        Args:
            documents: int64, distinct ordinals; row r of the result is document ``documents[r]``.
        """
        return replace(
            self,
            counts=_part(self.counts, documents),
            matched=None if self.matched is None else _part(self.matched, documents),
        )

    def between(self, labels: NDArray[np.generic], *, same: bool) -> SimilarityMatrix:
        """Only the links inside labels, or only those between them; all documents are kept.

        Args:
            labels: (documents,), for example the number of each document's language.
            same: keep links between documents of the same label (``mono``); otherwise of different labels (``cross``).
        """
        asking = np.repeat(labels, np.diff(self.counts.indptr))
        keep = np.equal(asking, labels[self.counts.indices]) == same
        return replace(
            self,
            counts=kept_entries(self.counts, keep),
            matched=None if self.matched is None else kept_entries(self.matched, keep),
            between_groups=self.between_groups or not same,
        )


def _part(matrix: sp.csr_array, documents: NDArray[np.int64]) -> sp.csr_array:
    part = sp.csr_array(matrix[documents][:, documents])
    part.sort_indices()
    return part
