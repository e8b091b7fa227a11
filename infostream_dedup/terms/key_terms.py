"""The n key terms of each document, and the terms in which they are looked up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.arrays import offsets_of
from infostream_dedup.model import Settings
from infostream_dedup.terms.counts import TermCounts
from infostream_dedup.terms.pivot_space import PivotSpace
from infostream_dedup.terms.statistics import Statistics

if TYPE_CHECKING:
    import scipy.sparse as sp
    from numpy.typing import NDArray


INSUFFICIENT_TERMS: Final = 3
"""A document with fewer key terms is too short to compare."""

StatisticsOfTerms = Callable[[Sequence[str]], list[Statistics]]
"""Returns the statistics of given terms, one for each of ``LANGUAGES``."""


@dataclass(frozen=True, slots=True)
class KeyTerms:
    """Key terms of all documents, and the targets in which they are looked up.

    Attributes:
        keys: int64 (documents, columns), weight of each key term in units of 1e-9; at most n in a row.
        targets: bool (documents, columns), the set V of each document.
        counts: the term counts from which both are computed.
        statistics: per language, in the order of ``LANGUAGES``.
        pivot: the terms before translation; a column is a set of equivalents. ``None`` without translation: a column is
            a term of ``counts``.
    """

    keys: sp.csr_array
    targets: sp.csr_array
    counts: TermCounts
    statistics: list[Statistics]
    pivot: PivotSpace | None = None

    def labels(self) -> Sequence[str]:
        """Return the term of each column, in code point order; in a pivot language, columns may share a term."""
        return self.counts.terms if self.pivot is None else self.pivot.labels()

    @property
    def sizes(self) -> NDArray[np.int64]:
        """int64 (documents,): number of key terms of each document, at most n."""
        return np.diff(self.keys.indptr).astype(np.int64)

    @property
    def own_weights(self) -> NDArray[np.int64]:
        """int64 (documents,): summed weight of each document's key terms in units of 1e-9."""
        return np.asarray(self.keys.sum(axis=1), dtype=np.int64)

    def of(self, documents: NDArray[np.int64]) -> KeyTerms:
        """Key terms of some documents, given their ordinals, in this order; not for a pivot language's ``pivot``."""
        return replace(
            self, keys=self.keys[documents], targets=self.targets[documents], counts=self.counts.of(documents)
        )

    def terms_of(self, document: int) -> list[str]:
        """Key terms of one document, heaviest first."""
        row = slice(self.keys.indptr[document], self.keys.indptr[document + 1])
        order = np.lexsort((self.keys.indices[row], -self.keys.data[row]))
        labels = self.labels()
        return [labels[column] for column in self.keys.indices[row][order]]


Select = Callable[[TermCounts, Settings, list[Statistics] | None], KeyTerms]
"""Selects the key terms of documents, by given statistics or by those of the documents."""


def pattern(matrix: sp.csr_array) -> sp.csr_array:
    """Return True where a matrix has an entry."""
    import scipy.sparse as sp

    # One True in memory, for all entries.
    true = np.broadcast_to(np.ones(1, dtype=np.bool_), matrix.nnz)
    return sp.csr_array((true, matrix.indices, matrix.indptr), shape=matrix.shape)


def heaviest(weights: sp.csr_array, n: int) -> sp.csr_array:
    """Keep the n heaviest positive entries of each row; the smaller column wins ties."""
    import scipy.sparse as sp

    row = np.repeat(np.arange(weights.shape[0]), np.diff(weights.indptr))
    order = np.lexsort((weights.indices, -weights.data, row))
    rank = np.arange(weights.nnz) - weights.indptr[row]
    chosen = np.sort(order[(rank < n) & (weights.data[order] > 0)])
    indptr = offsets_of(np.bincount(row[chosen], minlength=weights.shape[0]))
    return sp.csr_array((weights.data[chosen], weights.indices[chosen], indptr), shape=weights.shape)
