"""Sets of weighted elements, one per document: sentences, paragraphs, numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from infostream_dedup.arrays import offsets_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["WeightedSets", "weighted_sets"]


@dataclass(frozen=True, slots=True, eq=False)
class WeightedSets:
    """Set of weighted elements of each document.

    Attributes:
        weights: float64 (documents, elements), sorted indices, no explicit zeros.
        members: float64 (documents, elements), 1 for each entry of ``weights``.
        totals: float64 (documents,), summed weight of each document.
    """

    weights: sp.csr_array
    members: sp.csr_array
    totals: NDArray[np.float64]

    def lacking(self, i: NDArray[np.int64], j: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the share of i's weight that j lacks: 1 - sim_inc(i, j) (Andreev et al., equations 8 and 9).

        Args:
            i: int64 (pairs,), ordinals.
            j: int64 (pairs,), ordinals.

        Returns:
            float64 (pairs,), 0 to 1: 0 if i is empty (it adds nothing), 1 if only j is empty.
        """
        shared = np.asarray(self.weights[i].multiply(self.members[j]).sum(axis=1), dtype=np.float64)
        total = self.totals[i]
        share = np.divide(shared, total, out=np.ones(len(i)), where=total > 0)
        # Rounding makes equal sets differ by exactly 0, whatever the order of summation.
        return np.asarray(np.clip(np.round(1 - share, 12), 0, 1), dtype=np.float64)


def weighted_sets(
    owners: NDArray[np.int64], elements: NDArray[np.uint64], weights: NDArray[np.float64], documents: int
) -> WeightedSets:
    """Make sets from a list of their elements.

    Args:
        owners: int64 (entries,), document of each element.
        elements: uint64 (entries,), equal for equal elements.
        weights: float64 (entries,), at least 0; elements of weight 0 are dropped.
        documents: number of documents.
    """
    heavy = weights > 0
    owners, weights = owners[heavy], weights[heavy]
    distinct, columns = np.unique(elements[heavy], return_inverse=True)
    codes, first = np.unique(owners * max(len(distinct), 1) + columns, return_index=True)
    rows, columns = np.divmod(codes, max(len(distinct), 1))
    indptr = offsets_of(np.bincount(rows, minlength=documents))
    shape = (documents, len(distinct))
    table = sp.csr_array((weights[first], columns, indptr), shape=shape)
    members = sp.csr_array((np.ones(len(columns)), columns, indptr), shape=shape)
    return WeightedSets(table, members, np.bincount(rows, weights[first], minlength=documents).astype(np.float64))
