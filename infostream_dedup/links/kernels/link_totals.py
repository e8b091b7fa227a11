"""Links, returned links and paths of weighted nodes, for every k at once.

A node a stands for w documents that are alike: when two of its own documents are linked to each other at k, each has
w - 1 links inside the node. With o, i and r the documents outside that a document of a links to, is linked from, and
both, and s = w - 1 where the inside holds and else 0:

    links         w (o + s)
    reciprocal    w (r + s)
    walks         w (o + s) (i + s)        walks x -> y -> z through y in a; paths are walks less reciprocal links
    closed        w s (r + i + o + w - 2)  closed paths with two or three of their documents in one node

Every number of a single document is below N^2, so that 64 bits hold it; sums over documents may not, so that they are
kept as two halves of 32 bits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.machine.compiling import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["CLOSED", "LINKS", "RECIPROCAL", "WALKS", "add_up", "total_rows"]

LINKS, RECIPROCAL, WALKS, CLOSED = 0, 1, 2, 3


@compiled
def add_up(totals: NDArray[np.int64], times: np.int64 | int, value: np.int64 | int) -> None:
    """Add times * value to the pair (upper half, lower half)."""
    totals[0] += times * (value >> 32)
    totals[1] += times * (value & 0xFFFFFFFF)


@compiled
def _weigh_links(
    begin: int,
    end: int,
    columns: NDArray[np.int32],
    counts: NDArray[np.uint8],
    weights: NDArray[np.int64],
    by_count: NDArray[np.int64],
) -> None:
    for link in range(begin, end):
        by_count[counts[link]] += weights[columns[link]]


@compiled
def _weigh_returned(
    one: int,
    one_end: int,
    columns: NDArray[np.int32],
    counts: NDArray[np.uint8],
    other: int,
    other_end: int,
    back_columns: NDArray[np.int32],
    back_counts: NDArray[np.uint8],
    weights: NDArray[np.int64],
    by_count: NDArray[np.int64],
) -> None:
    while one < one_end and other < other_end:
        there, back = columns[one], back_columns[other]
        if there == back:
            by_count[min(counts[one], back_counts[other])] += weights[there]
        one += there <= back
        other += back <= there


@compiled
def total_rows(
    first: int,
    last: int,
    indptr: NDArray[np.int64],
    columns: NDArray[np.int32],
    counts: NDArray[np.uint8],
    back_indptr: NDArray[np.int64],
    back_columns: NDArray[np.int32],
    back_counts: NDArray[np.uint8],
    weights: NDArray[np.int64],
    own: NDArray[np.uint8],
    totals: NDArray[np.int64],
) -> None:
    """Add the numbers above for rows first to last - 1.

    Args:
        first: row to begin with.
        last: row to stop before.
        indptr: links by row.
        columns: of the links, ascending in a row.
        counts: of the links.
        back_indptr: the transpose, by row.
        back_columns: of the transpose, ascending in a row.
        back_counts: of the transpose.
        weights: documents of each node.
        own: count of the links inside each node.
        totals: int64 (ks + 1, 4, 2), by k, by number, upper and lower half.
    """
    ks = totals.shape[0]
    outgoing = np.zeros(ks, np.int64)
    incoming = np.zeros(ks, np.int64)
    returned = np.zeros(ks, np.int64)
    for row in range(first, last):
        outgoing[:] = 0
        incoming[:] = 0
        returned[:] = 0
        begin, end, back, back_end = indptr[row], indptr[row + 1], back_indptr[row], back_indptr[row + 1]
        _weigh_links(begin, end, columns, counts, weights, outgoing)
        _weigh_links(back, back_end, back_columns, back_counts, weights, incoming)
        _weigh_returned(begin, end, columns, counts, back, back_end, back_columns, back_counts, weights, returned)
        weight = weights[row]
        out, into, both = np.int64(0), np.int64(0), np.int64(0)
        for k in range(ks - 1, 0, -1):
            out += outgoing[k]
            into += incoming[k]
            both += returned[k]
            inside = weight - 1 if own[row] >= k else np.int64(0)
            add_up(totals[k, LINKS], weight, out + inside)
            add_up(totals[k, RECIPROCAL], weight, both + inside)
            add_up(totals[k, WALKS], weight, (out + inside) * (into + inside))
            if inside > 0:
                add_up(totals[k, CLOSED], weight, inside * (both + into + out + weight - 2))
