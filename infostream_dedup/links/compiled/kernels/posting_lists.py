"""Posting lists of the key terms: the documents that contain a term, in shards of documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.machine.compiling import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["count_postings", "fill_postings", "rank_rows"]


@compiled
def count_postings(
    indptr: NDArray[np.int64],
    indices: NDArray[np.uint32],
    order: NDArray[np.uint32],
    first: int,
    last: int,
    counts: NDArray[np.int64],
) -> None:
    """Add to ``counts[term]`` the documents at places first to last - 1 of ``order`` that contain the term."""
    for place in range(first, last):
        document = order[place]
        for position in range(indptr[document], indptr[document + 1]):
            counts[indices[position]] += 1


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
    """Write each document's place relative to ``first`` into the lists of its terms, which are then ascending."""
    for place in range(first, last):
        document = order[place]
        for position in range(indptr[document], indptr[document + 1]):
            term = rank[indices[position]]
            if term >= 0:
                postings[cursor[term]] = place - first
                cursor[term] += 1


@compiled
def rank_rows(
    indptr: NDArray[np.int64],
    indices: NDArray[np.uint32],
    order: NDArray[np.uint32],
    rank: NDArray[np.int32],
    out_indptr: NDArray[np.int64],
    ranks: NDArray[np.uint32],
) -> int:
    """Write the ranks of each place's ranked terms, ascending in a row; returns their number."""
    written = 0
    for place in range(order.size):
        document = order[place]
        for position in range(indptr[document], indptr[document + 1]):
            term = rank[indices[position]]
            if term >= 0:
                ranks[written] = term
                written += 1
        ranks[out_indptr[place] : written].sort()
        out_indptr[place + 1] = written
    return written
