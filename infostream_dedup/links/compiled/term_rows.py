"""The terms of each document, in the types the compiled loops take."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from infostream_dedup.machine.arrays import Ints, Uint32s
from infostream_dedup.machine.scratch import row_blocks

if TYPE_CHECKING:
    import scipy.sparse as sp


_SLICES: Final = 16
"""Parts for each thread: with fewer, cores would be idle at the end; each costs a tenth of a millisecond."""

_LEAST_WORK: Final = 1 << 18
"""Work in a part, such as steps over links: enough to make the cost of handing it to a thread negligible."""


def row_parts(work: Ints, threads: int) -> Iterator[slice]:
    """Cut rows into parts of similar work: large components come first, so equal numbers of rows are not."""
    return row_blocks(work, max(_LEAST_WORK, int(work.sum()) // (_SLICES * threads)))


class TermRows(NamedTuple):
    """Terms of each document."""

    indptr: Ints  # int64 (documents + 1,), start of each document's terms in `indices`
    indices: Uint32s  # uint32, term numbers, ascending in a row
    terms: int  # size of the vocabulary

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
