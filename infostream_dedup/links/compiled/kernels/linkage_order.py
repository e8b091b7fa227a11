"""Order documents so that linked ones are close together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.links.compiled.kernels.link_arrays import LinkArrays
from infostream_dedup.machine.compiling import compiled

if TYPE_CHECKING:
    from infostream_dedup.machine.arrays import Place, Vector

__all__ = ["count_columns", "join_linked", "label_nodes", "merge_forest", "relabelled", "root", "transposed"]


@compiled
def root(parents: Vector[Place], node: int) -> int:
    """Return the smallest node known to be joined with a node; shorten the path to it."""
    while parents[node] != node:
        parents[node] = parents[parents[node]]
        node = parents[node]
    return node


@compiled
def join_linked(first: int, last: int, links: LinkArrays, low: int, high: int, parents: Vector[np.int32]) -> None:
    """Join the two ends of every link of rows first to last - 1 with low <= count < high.

    Args:
        first: first row.
        last: row after the last.
        links: the links.
        low: minimum count to join at.
        high: links of this count or more have been joined by an earlier call.
        parents: union-find forest; initially each node is its own parent.
    """
    for row in range(first, last):
        one = np.int64(root(parents, row))
        for link in range(links.indptr[row], links.indptr[row + 1]):
            if low <= links.counts[link] < high:
                other = np.int64(root(parents, links.columns[link]))
                parents[max(one, other)] = min(one, other)
                one = min(one, other)


@compiled
def merge_forest(forest: Vector[np.int32], parents: Vector[np.int32]) -> None:
    """Join in ``parents`` what is joined in another forest of the same nodes."""
    for node in range(parents.size):
        one, other = np.int64(root(parents, node)), np.int64(root(parents, forest[node]))
        parents[max(one, other)] = min(one, other)


@compiled
def label_nodes(parents: Vector[np.int32]) -> None:
    """Replace each node's parent by the smallest node of its component."""
    for node in range(parents.size):
        parents[node] = root(parents, node)


@compiled
def count_columns(links: LinkArrays, rows: Vector[np.int64], place: Vector[np.int32], counts: Vector[np.int64]) -> None:
    """Add to the count of each place the links that lead to it from some rows."""
    for row in rows:
        for link in range(links.indptr[row], links.indptr[row + 1]):
            counts[place[links.columns[link]]] += 1


@compiled
def transposed(
    links: LinkArrays,
    rows: Vector[np.int64],
    first: int,
    place: Vector[np.int32],
    cursor: Vector[np.int64],
    moved: LinkArrays,
) -> None:
    """Transpose and relabel the links of some rows: rows and columns of the result are places (counting sort).

    Args:
        links: the links.
        rows: rows at consecutive places.
        first: place of the first of them.
        place: place of each column.
        cursor: int64 (places,), where the links of these rows to each place begin in ``moved``; afterwards, their ends.
        moved: receives the links, by place, columns ascending; its ``indptr`` is not used.
    """
    for number in range(rows.size):
        row = rows[number]
        for link in range(links.indptr[row], links.indptr[row + 1]):
            column = place[links.columns[link]]
            target = cursor[column]
            cursor[column] = target + 1
            moved.columns[target] = first + number
            moved.counts[target] = links.counts[link]


@compiled
def relabelled(order: Vector[np.int64], place: Vector[np.int32]) -> None:
    """Set ``place`` to the inverse of ``order``."""
    for new in range(order.size):
        place[order[new]] = new
