"""Links and nodes in the form that compiled loops take: search in rows, equal rows, and their order."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from infostream_dedup.arrays.mixing import GOLDEN
from infostream_dedup.machine.arrays import Place, Vector, Whole
from infostream_dedup.machine.compiling import compiled

# Links and nodes in the form that compiled loops take


class LinkArrays(NamedTuple):
    """Links by row."""

    indptr: Vector[np.int64]  # int64 (rows + 1,), start of each row
    columns: Vector[np.int32]  # int32 (links,), ascending in a row
    counts: Vector[np.uint8]  # uint8 (links,)


class NodeArrays(NamedTuple):
    """What each row represents."""

    weights: Vector[np.int64]  # int64 (rows,), number of documents of each node
    inside: Vector[np.uint8]  # uint8 (rows,), count of the links inside each node
    own: int  # number of own rows, which come first


class PackedRows(NamedTuple):
    """Links by row as 64-bit words."""

    indptr: Vector[np.int64]  # int64 (rows + 1,), start of each row in `words`
    numbers: Vector[np.uint32]  # uint32, number of each word: bit b of word w is column 64 w + b
    words: Vector[np.uint64]  # uint64, ascending by number in a row


# Look up a number in a sorted row


@compiled
def first_not_below(values: Vector[Whole], begin: int, end: int, value: int) -> int:
    """First place in the ascending ``values[begin:end]`` with at least ``value``; ``end`` if there is none."""
    while begin < end:
        middle = (begin + end) >> 1
        if values[middle] < value:
            begin = middle + 1
        else:
            end = middle
    return begin


@compiled
def holds(values: Vector[Whole], begin: int, end: int, value: int) -> bool:
    """Whether the ascending ``values[begin:end]`` contain a number."""
    place = first_not_below(values, begin, end, value)
    return place < end and values[place] == value


# Finding equal rows: by hash first, then by content


@compiled
def mix_rows(indptr: Vector[np.int64], values: Vector[np.uint32], hashes: Vector[np.uint64]) -> None:
    """Fold the values of each row, in their order, into the row's hash."""
    for row in range(hashes.size):
        mixed = hashes[row] ^ np.uint64(indptr[row + 1] - indptr[row])
        for position in range(indptr[row], indptr[row + 1]):
            mixed = (mixed ^ np.uint64(values[position])) * np.uint64(GOLDEN)
            mixed ^= mixed >> np.uint64(29)
        hashes[row] = mixed


@compiled
def _equal_rows(indptr: Vector[np.int64], values: Vector[np.uint32], one: int, other: int) -> bool:
    length = indptr[one + 1] - indptr[one]
    if length != indptr[other + 1] - indptr[other]:
        return False
    step = 0
    while step < length and values[indptr[one] + step] == values[indptr[other] + step]:
        step += 1
    return bool(step == length)


@compiled
def earliest_equals(
    order: Vector[np.int64],
    hashes: Vector[np.uint64],
    key_indptr: Vector[np.int64],
    key_indices: Vector[np.uint32],
    indptr: Vector[np.int64],
    indices: Vector[np.uint32],
    leaders: Vector[np.int64],
) -> None:
    """Set ``leaders[d]`` to the earliest document with the same key terms and the same target as d.

    ``order``: documents sorted by hash, ascending among equal hashes; ``hashes``: hash of each document; equal
    documents have equal hashes; ``key_indptr``: key term rows by document; ``key_indices``: their terms, ascending in a
    row; ``indptr``: target rows by document; ``indices``: their terms, ascending in a row; ``leaders``: receives the
    result.
    """
    run = 0
    for place in range(order.size):
        document = order[place]
        if hashes[document] != hashes[order[run]]:
            run = place
        leaders[document] = document
        for earlier in range(run, place):
            leader = order[earlier]
            if (
                leaders[leader] == leader
                and _equal_rows(key_indptr, key_indices, leader, document)
                and _equal_rows(indptr, indices, leader, document)
            ):
                leaders[document] = leader
                break


# Order documents so that linked ones are close together


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

    ``first``: first row; ``last``: row after the last; ``links``: the links; ``low``: minimum count to join at;
    ``high``: links of this count or more have been joined by an earlier call; ``parents``: union-find forest; initially
    each node is its own parent.
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

    ``links``: the links; ``rows``: rows at consecutive places; ``first``: place of the first of them; ``place``: place
    of each column; ``cursor``: (places,), where the links of these rows to each place begin in ``moved``; afterwards,
    their ends; ``moved``: receives the links, by place, columns ascending; its ``indptr`` is not used.
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
