"""Count links, returned links and walks of weighted nodes, for every k at once, over paths that start in given rows.

A node y represents w equal documents; if two of its own documents are linked to each other at k, each has s = w - 1
links inside the node, else s = 0. Own rows are those whose links are counted; s' is s in an own row and 0 in any other.
For a document of y, let o be the number of documents outside y that it links to, i the number in own rows that link to
it, r the number of those that it links back to, and q the sum of their s:

    links         w (i + s')
    reciprocal    w (r + s')
    walks         w (o + s) (i + s')                    walks x -> y -> z from own x; paths are walks less reciprocal
    closed        w (s i + s' (o + w - 2) + q)          closed paths with two or three of their documents in one node

The links of a row are counted where they arrive, so that one pass over rows and their transpose is enough; if all rows
are own rows, these are the totals of the relation. Every number of a single document is below N^2, which fits in 64
bits; sums over documents may not fit, so they are kept as two 32-bit halves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.links.compiled.kernels.link_arrays import LinkArrays, NodeArrays
from infostream_dedup.links.compiled.kernels.row_search import first_not_below
from infostream_dedup.machine.compiling import compiled

if TYPE_CHECKING:
    from infostream_dedup.machine.arrays import Cube, Vector

__all__ = ["CLOSED", "LINKS", "RECIPROCAL", "WALKS", "add_up", "total_rows"]

LINKS, RECIPROCAL, WALKS, CLOSED = 0, 1, 2, 3


@compiled
def add_up(totals: Vector[np.int64], times: np.int64 | int, value: np.int64 | int) -> None:
    """Add times * value to the pair (upper half, lower half)."""
    totals[0] += times * (value >> 32)
    totals[1] += times * (value & 0xFFFFFFFF)


@compiled
def _weigh_links(begin: int, end: int, links: LinkArrays, nodes: NodeArrays, by_count: Vector[np.int64]) -> None:
    for link in range(begin, end):
        by_count[links.counts[link]] += nodes.weights[links.columns[link]]


@compiled
def _weigh_returned(
    one: int,
    one_end: int,
    links: LinkArrays,
    other: int,
    other_end: int,
    back: LinkArrays,
    nodes: NodeArrays,
    returned: Vector[np.int64],
    siblings: Vector[np.int64],
) -> None:
    while one < one_end and other < other_end:
        there, here = links.columns[one], back.columns[other]
        if there == here:
            weight, count = nodes.weights[there], min(links.counts[one], back.counts[other])
            returned[count] += weight
            if weight > 1:
                siblings[min(count, nodes.inside[there])] += weight * (weight - 1)
        one += there <= here
        other += here <= there


@compiled
def total_rows(
    first: int, last: int, links: LinkArrays, back: LinkArrays, nodes: NodeArrays, totals: Cube[np.int64]
) -> None:
    """Add the numbers above for rows first to last - 1.

    Args:
        first: first row.
        last: row after the last.
        links: all links.
        back: their transpose.
        nodes: what the rows represent.
        totals: int64 (ks + 1, 4, 2), by k, by number, upper and lower half; added to.
    """
    ks = totals.shape[0]
    outgoing = np.zeros(ks, np.int64)
    incoming = np.zeros(ks, np.int64)
    returned = np.zeros(ks, np.int64)
    siblings = np.zeros(ks, np.int64)
    for row in range(first, last):
        outgoing[:] = 0
        incoming[:] = 0
        returned[:] = 0
        siblings[:] = 0
        begin, end, start, stop = links.indptr[row], links.indptr[row + 1], back.indptr[row], back.indptr[row + 1]
        if nodes.own < nodes.weights.size:
            stop = first_not_below(back.columns, start, stop, nodes.own)
        _weigh_links(begin, end, links, nodes, outgoing)
        _weigh_links(start, stop, back, nodes, incoming)
        _weigh_returned(begin, end, links, start, stop, back, nodes, returned, siblings)
        weight = nodes.weights[row]
        out, into, both, beside = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
        for k in range(ks - 1, 0, -1):
            out += outgoing[k]
            into += incoming[k]
            both += returned[k]
            beside += siblings[k]
            step = weight - 1 if nodes.inside[row] >= k else np.int64(0)
            own_step = step if row < nodes.own else np.int64(0)
            add_up(totals[k, LINKS], weight, into + own_step)
            add_up(totals[k, RECIPROCAL], weight, both + own_step)
            add_up(totals[k, WALKS], weight, (out + step) * (into + own_step))
            closed = step * into + own_step * (out + weight - 2) + beside
            if closed > 0:
                add_up(totals[k, CLOSED], weight, closed)
