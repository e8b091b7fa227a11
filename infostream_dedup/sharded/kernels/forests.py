"""Maximum spanning forests of links."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.links.compiled.kernels.linkage_order import root
from infostream_dedup.links.compiled.kernels.row_search import first_not_below
from infostream_dedup.machine.compiling import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["join_edges", "span_mutual", "span_rows"]


@compiled
def span_rows(
    first: int,
    indptr: NDArray[np.int64],
    columns: NDArray[np.int32],
    counts: NDArray[np.uint8],
    level: int,
    parents: NDArray[np.int32],
    edges: NDArray[np.int32],
    written: int,
) -> int:
    """Join the ends of every link of one count; the links that join something become edges of the forest.

    Args:
        first: node of the first row.
        indptr: int64 (rows + 1,), bounds of the rows.
        columns: int32 (links,), nodes.
        counts: uint8 (links,).
        level: the count.
        parents: int32 (nodes,), union-find, in which links of higher counts are joined.
        edges: int32 (nodes, 3), receives both ends and the count.
        written: number of edges so far.

    Returns:
        The number of edges now.
    """
    for row in range(indptr.size - 1):
        for link in range(indptr[row], indptr[row + 1]):
            if counts[link] != level:
                continue
            one, other = root(parents, first + row), root(parents, columns[link])
            if one != other:
                parents[max(one, other)] = min(one, other)
                edges[written, 0], edges[written, 1], edges[written, 2] = first + row, columns[link], level
                written += 1
    return written


@compiled
def span_mutual(
    indptr: NDArray[np.int64],
    columns: NDArray[np.int32],
    counts: NDArray[np.uint8],
    rows: NDArray[np.int32],
    level: int,
    parents: NDArray[np.int32],
    edges: NDArray[np.int32],
    written: int,
) -> int:
    """Like ``span_rows``, for links that are returned: their count is the smaller one of both directions.

    Args:
        indptr: int64 (nodes + 1,), bounds of the rows.
        columns: int32 (links,), ascending in a row.
        counts: uint8 (links,).
        rows: int32, rows that links are taken from.
        level: the count.
        parents: int32 (nodes,), union-find, in which links of higher counts are joined.
        edges: int32 (nodes, 3), receives both ends and the count.
        written: number of edges so far.

    Returns:
        The number of edges now.
    """
    for at in range(rows.size):
        row = rows[at]
        for link in range(indptr[row], indptr[row + 1]):
            if counts[link] < level:
                continue
            column = columns[link]
            one, other = root(parents, row), root(parents, column)
            # Most links join what is joined already: these need not be looked up in the other row.
            if one == other:
                continue
            place = first_not_below(columns, indptr[column], indptr[column + 1], row)
            if place < indptr[column + 1] and columns[place] == row and counts[place] >= level:
                parents[max(one, other)] = min(one, other)
                edges[written, 0], edges[written, 1], edges[written, 2] = row, column, level
                written += 1
    return written


@compiled
def join_edges(
    a: NDArray[np.int32], b: NDArray[np.int32], order: NDArray[np.int64], parents: NDArray[np.int32], kept: NDArray[np.int64]
) -> int:
    """Join the ends of edges in an order.

    Args:
        a: int32 (edges,), one end of each.
        b: int32 (edges,), the other.
        order: int64, the edges to join.
        parents: int32 (nodes,), union-find.
        kept: int64 (edges,), receives the edges that joined something.

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
