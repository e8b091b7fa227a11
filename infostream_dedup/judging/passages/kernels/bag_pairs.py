"""Pairs of bags that resemble each other: inverted lists of the rarest elements, pruned by size and position.

Bags are rows of element ranks, rarest first, repetitions side by side; rows are in order of size. C. Xiao, W. Wang,
X. Lin, J. X. Yu: Efficient similarity joins for near duplicate detection, WWW 2008 (PPJoin). Repetitions need no
numbers: two rows that share the second x also share the first, which precedes it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from infostream_dedup.arrays.mixing import GOLDEN
from infostream_dedup.machine.compiling import compiled

if TYPE_CHECKING:
    from infostream_dedup.machine.arrays import Table, Vector

_SLACK: Final = 1e-9


@compiled
def sort_rows(indptr: Vector[np.int64], ranks: Vector[np.int32], hashes: Vector[np.uint64]) -> None:
    """Sort every row in place, and hash it.

    Args:
        indptr: int64 (rows + 1,).
        ranks: int32, changed.
        hashes: uint64 (rows,), written; equal rows have equal hashes.
    """
    for row in range(hashes.size):
        begin, end = indptr[row], indptr[row + 1]
        if end - begin > 32:
            ranks[begin:end] = np.sort(ranks[begin:end])
        else:
            for place in range(begin + 1, end):
                value = ranks[place]
                at = place
                while at > begin and ranks[at - 1] > value:
                    ranks[at] = ranks[at - 1]
                    at -= 1
                ranks[at] = value
        # Mix well from the start: combinations of small numbers would soon collide.
        value64 = np.uint64(end - begin + 1) * np.uint64(0xD1342543DE82EF95)
        value64 ^= value64 >> np.uint64(32)
        for place in range(begin, end):
            value64 = (value64 ^ np.uint64(ranks[place])) * np.uint64(GOLDEN)
            value64 ^= value64 >> np.uint64(29)
        hashes[row] = value64


@compiled
def _overlap(ranks: Vector[np.int32], a: int, a_end: int, b: int, b_end: int, needed: int) -> int:
    """Return the size of the intersection of two sorted bags, or less than ``needed`` as soon as that is certain."""
    met = 0
    while a < a_end and b < b_end:
        if met + min(a_end - a, b_end - b) < needed:
            return met
        if ranks[a] == ranks[b]:
            met += 1
            a += 1
            b += 1
        elif ranks[a] < ranks[b]:
            a += 1
        else:
            b += 1
    return met


@compiled
def _listed(size: int, tau: float) -> int:
    """Return how many elements of a row to index: every similar row of at least its size shares one of them."""
    return size - int(np.ceil(2 * tau / (1 + tau) * size - _SLACK)) + 1


class InvertedLists(NamedTuple):
    """Which rows have each element that is not lonely, among those that index it; repetitions leave gaps.

    Attributes:
        heads: int64 (elements,), begin of each list; advanced as rows become too small.
        tails: int64 (elements,), end of each list so far.
        holders: int32, the rows.
        places: int32, place of the element in each.
        last_asked_by: int32 (rows,), the row that last looked at each row; -1 at first.
        counts: int32 (rows,), zeros; receives the number of partners of each row.
    """

    heads: Vector[np.int64]
    tails: Vector[np.int64]
    holders: Vector[np.int32]
    places: Vector[np.int32]
    last_asked_by: Vector[np.int32]
    counts: Vector[np.int32]


@compiled
def list_starts(
    indptr: Vector[np.int64], ranks: Vector[np.int32], lonely: int, tau: float, starts: Vector[np.int64]
) -> None:
    """Write the start of the list of each element that is not lonely, and the end of the last one, to zeros."""
    for row in range(indptr.size - 1):
        begin = indptr[row]
        for place in range(begin, begin + _listed(indptr[row + 1] - begin, tau)):
            if ranks[place] >= lonely:
                starts[ranks[place] - lonely + 1] += 1
    for element in range(starts.size - 1):
        starts[element + 1] += starts[element]


@compiled
def _first_of_size(indptr: Vector[np.int64], holders: Vector[np.int32], head: int, tail: int, least: int) -> int:
    """Return the first row in a list that is large enough; sizes never decrease along a list."""
    while head < tail and indptr[holders[head] + 1] - indptr[holders[head]] < least:
        head += 1
    return head


@compiled
def _partners(
    row: int,
    indptr: Vector[np.int64],
    ranks: Vector[np.int32],
    lonely: int,
    tau: float,
    most: int,
    lists: InvertedLists,
    pairs: Table[np.int32],
    size: int,
) -> int:
    """Append the pairs of a row and earlier rows that resemble it, and count them on both sides; return the new size.

    Pairs are left out, and in the end not even compared, when it is certain that one or both have too many partners.
    """
    counts = lists.counts
    begin, end = indptr[row], indptr[row + 1]
    words = end - begin
    least = int(np.ceil(tau * words - _SLACK))
    for place in range(begin, end - least + 1):
        element = ranks[place] - lonely
        if element < 0 or (place > begin and ranks[place - 1] == ranks[place]):
            continue
        # Sizes never decrease from row to row, so a row that is too small now stays too small.
        tail = lists.tails[element]
        lists.heads[element] = _first_of_size(indptr, lists.holders, lists.heads[element], tail, least)
        for at in range(lists.heads[element], tail):
            other = lists.holders[at]
            if lists.last_asked_by[other] == row:
                continue
            lists.last_asked_by[other] = row
            if counts[row] > most and counts[other] > most:
                continue
            both = words + indptr[other + 1] - indptr[other]
            needed = int(np.ceil(tau / (1 + tau) * both - _SLACK))
            # The first shared element of two rows is found first, so nothing before it is shared.
            if _overlap(ranks, place, end, indptr[other] + lists.places[at], indptr[other + 1], needed) >= needed:
                counts[row] += 1
                counts[other] += 1
                if counts[row] <= most and counts[other] <= most:
                    pairs[size, 0], pairs[size, 1] = other, row
                    size += 1
    return size


@compiled
def find_pairs(
    first: int,
    indptr: Vector[np.int64],
    ranks: Vector[np.int32],
    lonely: int,
    tau: float,
    most: int,
    lists: InvertedLists,
    pairs: Table[np.int32],
    used: Vector[np.int64],
) -> int:
    """Find all pairs of rows whose multiset Jaccard is at least tau, except for rows with more than ``most`` partners.

    Pairs of rows that turned out later to have too many partners must be removed in the end.

    Args:
        first: row to begin with: 0, then what the last call returned.
        indptr: int64 (rows + 1,); rows in ascending order of size, none of them empty.
        ranks: int32, ascending in a row; rank 0 is the rarest element.
        lonely: number of elements that occur once in the collection, as most shingles do. They have the first ranks;
            they count towards sizes, but are never looked up.
        tau: more than 0, at most 1.
        most: maximum number of partners of a row that has any.
        lists: empty lists as ``list_starts`` says.
        pairs: int32 (room, 2), receives the pairs, the smaller row number first.
        used: int64 (1,), number of pairs so far.

    Returns:
        The row that needs more room: there must be room for ``most`` pairs; the number of rows when all are done.
    """
    size = used[0]
    rows = indptr.size - 1
    for row in range(first, rows):
        if size + most > pairs.shape[0]:
            return row
        size = _partners(row, indptr, ranks, lonely, tau, most, lists, pairs, size)
        used[0] = size
        begin = indptr[row]
        for place in range(begin, begin + _listed(indptr[row + 1] - begin, tau)):
            element = ranks[place] - lonely
            if element >= 0 and (place == begin or ranks[place - 1] != ranks[place]):
                at = lists.tails[element]
                lists.holders[at] = row
                lists.places[at] = place - begin
                lists.tails[element] = at + 1
    return rows
