"""Expand links between nodes into sorted rows of links between documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from infostream_dedup.links.compiled.kernels.link_arrays import LinkArrays
from infostream_dedup.links.compiled.kernels.row_search import holds
from infostream_dedup.links.compiled.term_rows import TermRows
from infostream_dedup.machine.compiling import compiled

if TYPE_CHECKING:
    from infostream_dedup.machine.arrays import Vector

__all__ = ["LinkRows", "Members", "copy_rows", "count_expanded", "expand", "matched_weights", "own_counts", "split"]


class Members(NamedTuple):
    """What each place represents: its documents, or its node.

    Attributes:
        indptr: int64 (places + 1,), start of each place's members.
        numbers: int64, documents or nodes, place by place.
    """

    indptr: Vector[np.int64]
    numbers: Vector[np.int64]


class LinkRows(NamedTuple):
    """Links of consecutive places.

    Attributes:
        first: the first place.
        lengths: int64 (rows,), links of each row.
        columns: int32, members, ascending in a row.
        counts: uint8, number of shared key terms.
    """

    first: int
    lengths: Vector[np.int64]
    columns: Vector[np.int32]
    counts: Vector[np.uint8]


@compiled
def own_counts(documents: Vector[np.int64], keys: TermRows, targets: TermRows, counts: Vector[np.uint8]) -> None:
    """Set ``counts[i]`` to the number of key terms of ``documents[i]`` in its own target."""
    for place in range(documents.size):
        document = documents[place]
        count = 0
        for position in range(keys.indptr[document], keys.indptr[document + 1]):
            count += holds(
                targets.indices, targets.indptr[document], targets.indptr[document + 1], keys.indices[position]
            )
        counts[place] = count


@compiled
def count_expanded(links: Vector[np.uint64], members: Members) -> int:
    """Number of links once each column, a place, is replaced by its members."""
    total = 0
    for position in range(links.size):
        place = np.int64(links[position] >> np.uint64(8)) & 0xFFFFFFFF
        total += members.indptr[place + 1] - members.indptr[place]
    return total


@compiled
def expand(
    links: Vector[np.uint64],
    first: int,
    last: int,
    inside: Vector[np.uint8],
    k_min: int,
    members: Members,
    expanded: Vector[np.uint64],
) -> int:
    """Replace each column by its members, and link the members of one place to each other (and themselves).

    Returns:
        The number of links written; ``expanded`` needs room for ``count_expanded`` plus the members of the rows.
    """
    written = 0
    for position in range(links.size):
        link = links[position]
        place = np.int64(link >> np.uint64(8)) & 0xFFFFFFFF
        rest = (link >> np.uint64(40)) << np.uint64(40) | (link & np.uint64(255))
        for member in range(members.indptr[place], members.indptr[place + 1]):
            expanded[written] = rest | np.uint64(members.numbers[member]) << np.uint64(8)
            written += 1
    for row in range(first, last):
        if members.indptr[row + 1] - members.indptr[row] > 1 and inside[row] >= k_min:
            rest = np.uint64(row - first) << np.uint64(40) | np.uint64(inside[row])
            for member in range(members.indptr[row], members.indptr[row + 1]):
                expanded[written] = rest | np.uint64(members.numbers[member]) << np.uint64(8)
                written += 1
    return written


@compiled
def split(links: Vector[np.uint64], rows: LinkRows) -> None:
    """Split sorted links into the length of each row, columns and counts."""
    for position in range(links.size):
        link = links[position]
        rows.lengths[np.int64(link >> np.uint64(40))] += 1
        rows.columns[position] = np.int32(np.int64(link >> np.uint64(8)) & 0xFFFFFFFF)
        rows.counts[position] = np.uint8(link & np.uint64(255))


@compiled
def copy_rows(rows: LinkRows, members: Members, links: LinkArrays) -> None:
    """Copy the row of each place to all its members, leaving out each member's link to itself."""
    begin = 0
    for row in range(rows.lengths.size):
        end = begin + rows.lengths[row]
        for member in range(members.indptr[rows.first + row], members.indptr[rows.first + row + 1]):
            number = members.numbers[member]
            target = links.indptr[number]
            for position in range(begin, end):
                if rows.columns[position] != number:
                    links.columns[target] = rows.columns[position]
                    links.counts[target] = rows.counts[position]
                    target += 1
        begin = end


@compiled
def matched_weights(
    first: int,
    last: int,
    links: LinkArrays,
    keys: TermRows,
    key_weights: Vector[np.int64],
    targets: TermRows,
    matched: Vector[np.int64],
) -> None:
    """Sum, for each link of rows first to last - 1, the weights of the asking document's key terms that are shared."""
    for row in range(first, last):
        for link in range(links.indptr[row], links.indptr[row + 1]):
            answer = links.columns[link]
            total = np.int64(0)
            for position in range(keys.indptr[row], keys.indptr[row + 1]):
                begin, end = targets.indptr[answer], targets.indptr[answer + 1]
                if holds(targets.indices, begin, end, keys.indices[position]):
                    total += key_weights[position]
            matched[link] = total
