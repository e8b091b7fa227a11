"""Maximum spanning forests of links."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.links.compiled.kernels.link_arrays import LinkArrays
from infostream_dedup.links.compiled.kernels.linkage_order import root
from infostream_dedup.links.compiled.kernels.row_search import first_not_below
from infostream_dedup.machine.compiling import compiled

if TYPE_CHECKING:
    from infostream_dedup.machine.arrays import Table, Vector

__all__ = ["join_edges", "span_mutual", "span_rows"]


@compiled
def span_rows(
    first: int,
    links: LinkArrays,
    level: int,
    parents: Vector[np.int32],
    edges: Table[np.int32],
    written: int,
) -> int:
    """Join the ends of every link with a given count; links that join two trees become edges of the forest.

    Args:
        first: node of the first row.
        links: links of the rows; columns are nodes.
        level: the count.
        parents: int32 (nodes,), union-find; links of higher counts are joined already.
        edges: int32 (nodes, 3), receives both ends and the count.
        written: number of edges so far.

    Returns:
        The new number of edges.
    """
    for row in range(links.indptr.size - 1):
        for link in range(links.indptr[row], links.indptr[row + 1]):
            if links.counts[link] != level:
                continue
            one, other = root(parents, first + row), root(parents, links.columns[link])
            if one != other:
                parents[max(one, other)] = min(one, other)
                edges[written, 0], edges[written, 1], edges[written, 2] = first + row, links.columns[link], level
                written += 1
    return written


@compiled
def span_mutual(
    links: LinkArrays,
    rows: Vector[np.int32],
    level: int,
    parents: Vector[np.int32],
    edges: Table[np.int32],
    written: int,
) -> int:
    """Like ``span_rows``, for returned links; the count of a pair is the smaller of its two directions.

    Args:
        links: links of all nodes.
        rows: int32, the rows whose links are used.
        level: the count.
        parents: int32 (nodes,), union-find; links of higher counts are joined already.
        edges: int32 (nodes, 3), receives both ends and the count.
        written: number of edges so far.

    Returns:
        The new number of edges.
    """
    for at in range(rows.size):
        row = rows[at]
        for link in range(links.indptr[row], links.indptr[row + 1]):
            if links.counts[link] < level:
                continue
            column = links.columns[link]
            one, other = root(parents, row), root(parents, column)
            # Most links join nodes that are joined already: no need to look these up in the other row.
            if one == other:
                continue
            place = first_not_below(links.columns, links.indptr[column], links.indptr[column + 1], row)
            if place < links.indptr[column + 1] and links.columns[place] == row and links.counts[place] >= level:
                parents[max(one, other)] = min(one, other)
                edges[written, 0], edges[written, 1], edges[written, 2] = row, column, level
                written += 1
    return written


@compiled
def join_edges(
    a: Vector[np.int32],
    b: Vector[np.int32],
    order: Vector[np.int64],
    parents: Vector[np.int32],
    kept: Vector[np.int64],
) -> int:
    """Join the ends of edges in a given order.

    Args:
        a: int32 (edges,), one end of each.
        b: int32 (edges,), the other end.
        order: int64, the edges to join, in order.
        parents: int32 (nodes,), union-find.
        kept: int64 (edges,), receives the edges that joined two trees.

    Returns:
        The number of such edges.
    """
    written = 0
    for at in range(order.size):
        edge = order[at]
        one, other = root(parents, a[edge]), root(parents, b[edge])
        if one != other:
            parents[max(one, other)] = min(one, other)
            kept[written] = edge
            written += 1
    return written
