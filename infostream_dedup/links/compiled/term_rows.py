"""The terms of each document, in the types the compiled loops take."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import scipy.sparse as sp

    from infostream_dedup.machine.arrays import Vector

__all__ = ["TermRows", "term_rows"]


class TermRows(NamedTuple):
    """Terms of each document.

    Attributes:
        indptr: int64 (documents + 1,), start of each document's terms in ``indices``.
        indices: uint32, term numbers, ascending in a row.
        terms: size of the vocabulary.
    """

    indptr: Vector[np.int64]
    indices: Vector[np.uint32]
    terms: int

    @property
    def documents(self) -> int:
        """Number of documents."""
        return len(self.indptr) - 1


def term_rows(matrix: sp.csr_array) -> TermRows:
    """The pattern of a matrix with sorted indices; its index arrays are shared where the types allow."""
    return TermRows(
        matrix.indptr.astype(np.int64, copy=False),
        matrix.indices.astype(np.uint32, copy=False) if matrix.indices.itemsize > 4 else matrix.indices.view(np.uint32),
        matrix.shape[1],
    )
