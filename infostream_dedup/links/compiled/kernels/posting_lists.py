"""Posting lists of the key terms: the documents that contain a term, in shards of documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.links.compiled.term_rows import TermRows
from infostream_dedup.machine.compiling import compiled

if TYPE_CHECKING:
    from infostream_dedup.machine.arrays import Vector

__all__ = ["count_postings", "fill_postings", "rank_rows"]


@compiled
def count_postings(rows: TermRows, order: Vector[np.uint32], counts: Vector[np.int64]) -> None:
    """Add to ``counts[term]`` the documents in ``order`` that contain the term."""
    for place in range(order.size):
        document = order[place]
        for position in range(rows.indptr[document], rows.indptr[document + 1]):
            counts[rows.indices[position]] += 1


@compiled
def fill_postings(
    rows: TermRows,
    order: Vector[np.uint32],
    rank: Vector[np.int32],
    cursor: Vector[np.int64],
    postings: Vector[np.uint32],
) -> None:
    """Write the place of each document in ``order`` into the lists of its terms, which are then ascending."""
    for place in range(order.size):
        document = order[place]
        for position in range(rows.indptr[document], rows.indptr[document + 1]):
            term = rank[rows.indices[position]]
            if term >= 0:
                postings[cursor[term]] = place
                cursor[term] += 1


@compiled
def rank_rows(
    rows: TermRows,
    order: Vector[np.uint32],
    rank: Vector[np.int32],
    indptr: Vector[np.int64],
    ranks: Vector[np.uint32],
) -> int:
    """Write the ranks of each place's ranked terms, ascending in a row; returns their number."""
    written = 0
    for place in range(order.size):
        document = order[place]
        for position in range(rows.indptr[document], rows.indptr[document + 1]):
            term = rank[rows.indices[position]]
            if term >= 0:
                ranks[written] = term
                written += 1
        ranks[indptr[place] : written].sort()
        indptr[place + 1] = written
    return written
