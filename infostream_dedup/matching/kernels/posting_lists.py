"""Posting lists of the key terms: which documents hold a term, in shards of documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.matrix.kernels.compiled import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["count_postings", "fill_postings"]


@compiled
def count_postings(
    indptr: NDArray[np.int64],
    indices: NDArray[np.uint32],
    order: NDArray[np.uint32],
    first: int,
    last: int,
    rank: NDArray[np.int32],
    counts: NDArray[np.int64],
) -> None:
    """Add to ``counts[rank of term + 1]`` the documents at places first to last - 1 of ``order`` that hold the term."""
    for place in range(first, last):
        document = order[place]
        for position in range(indptr[document], indptr[document + 1]):
            term = rank[indices[position]]
            if term >= 0:
                counts[term + 1] += 1


@compiled
def fill_postings(
    indptr: NDArray[np.int64],
    indices: NDArray[np.uint32],
    order: NDArray[np.uint32],
    first: int,
    last: int,
    rank: NDArray[np.int32],
    cursor: NDArray[np.int64],
    postings: NDArray[np.uint32],
) -> None:
    """Write each document's place relative to ``first`` into the lists of its terms; lists come out ascending."""
    for place in range(first, last):
        document = order[place]
        for position in range(indptr[document], indptr[document + 1]):
            term = rank[indices[position]]
            if term >= 0:
                postings[cursor[term]] = place - first
                cursor[term] += 1
