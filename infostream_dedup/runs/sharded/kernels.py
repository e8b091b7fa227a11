"""Renumber, merge and sort rows of numbers."""

from __future__ import annotations

import numpy as np

from infostream_dedup.links.compiled.kernels.rows import LinkArrays, first_not_below, root
from infostream_dedup.machine.arrays import Entry, Int32s, Ints, Place, Table, Uint32s, Uint64s, Vector
from infostream_dedup.machine.compiling import compiled


@compiled
def renumber_rows(
    indptr: Ints,
    columns: Vector[Entry],
    chosen: Ints,
    number_of: Vector[Place],
    ascending: bool,
    sizes: Int32s,
    numbers: Uint32s,
) -> int:
    """Write the new numbers of the columns of chosen rows.

    ``indptr``: (rows + 1,), bounds of the rows; ``columns``: columns of each row; ``chosen``: the rows; ``number_of``:
    (columns,), new number of each column; negative to leave it out; ``ascending``: sort each row by the new numbers;
    otherwise keep the order; ``sizes``: (chosen,), receives the number of columns that each chosen row keeps;
    ``numbers``: receives the numbers. Returns the number of entries written.
    """
    written = 0
    for at in range(chosen.size):
        first, row = written, chosen[at]
        for place in range(indptr[row], indptr[row + 1]):
            number = number_of[columns[place]]
            if number >= 0:
                numbers[written] = number
                written += 1
        if ascending:
            numbers[first:written].sort()
        sizes[at] = written - first
    return written


@compiled
def merge_ascending(one: Uint64s, other: Uint64s, place_of_one: Ints, place_of_other: Ints) -> int:
    """Merge two ascending lists of distinct numbers.

    ``one``: ascending; ``other``: ascending; ``place_of_one``: (one,), receives the place of each number in the merged
    list; ``place_of_other``: (other,), likewise. Returns the length of the merged list, in which a number of both lists
    occurs once.
    """
    merged, left, right = 0, 0, 0
    while left < one.size or right < other.size:
        take_left = right >= other.size or (left < one.size and one[left] <= other[right])
        take_right = left >= one.size or (right < other.size and other[right] <= one[left])
        if take_left:
            place_of_one[left] = merged
            left += 1
        if take_right:
            place_of_other[right] = merged
            right += 1
        merged += 1
    return merged


# Convert links of a shard from the form in which they are found to the form in which they are stored


@compiled
def name_links(found: Uint64s, asked: Uint32s, order: Uint32s, answering: Ints, named: Uint64s) -> None:
    """Replace questions by rows, and places by nodes.

    ``found``: (links,), ``question << 40 | place << 8 | count``; ``asked``: (questions,), row of each question, below
    2**24; ``order``: (places,), row of the shard at each place; ``answering``: (rows of the shard,), node of each,
    below 2**32; ``named``: (links,), receives ``row << 40 | node << 8 | count``.
    """
    for link in range(found.size):
        code = found[link]
        row = np.uint64(asked[np.int64(code >> np.uint64(40))])
        node = np.uint64(answering[order[np.int64((code >> np.uint64(8)) & np.uint64(0xFFFFFFFF))]])
        named[link] = row << np.uint64(40) | node << np.uint64(8) | (code & np.uint64(255))


# Maximum spanning forests of links


@compiled
def span_rows(first: int, links: LinkArrays, level: int, parents: Int32s, edges: Table[np.int32], written: int) -> int:
    """Join the ends of every link with a given count; links that join two trees become edges of the forest.

    ``first``: node of the first row; ``links``: links of the rows; columns are nodes; ``level``: the count;
    ``parents``: (nodes,), union-find; links of higher counts are joined already; ``edges``: (nodes, 3), receives both
    ends and the count; ``written``: number of edges so far. Returns the new number of edges.
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
def span_mutual(links: LinkArrays, rows: Int32s, level: int, parents: Int32s, edges: Table[np.int32], size: int) -> int:
    """Like ``span_rows``, for returned links; the count of a pair is the smaller of its two directions.

    ``links``: links of all nodes; ``rows``: the rows whose links are used; ``level``: the count; ``parents``: (nodes,),
    union-find; links of higher counts are joined already; ``edges``: (nodes, 3), receives both ends and the count;
    ``size``: number of edges so far. Returns the new number of edges.
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
                edges[size, 0], edges[size, 1], edges[size, 2] = row, column, level
                size += 1
    return size


@compiled
def join_edges(a: Int32s, b: Int32s, order: Ints, parents: Int32s, kept: Ints) -> int:
    """Join the ends of edges in a given order.

    ``a``: (edges,), one end of each; ``b``: (edges,), the other end; ``order``: the edges to join, in order;
    ``parents``: (nodes,), union-find; ``kept``: (edges,), receives the edges that joined two trees. Returns the number
    of such edges.
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
