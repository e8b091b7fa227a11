"""Pairs of bags that resemble each other: inverted lists of the rarest elements, pruned by size and position.

Bags are rows of element ranks, rarest first, repetitions side by side; rows are in order of size. C. Xiao, W. Wang,
X. Lin, J. X. Yu: Efficient similarity joins for near duplicate detection, WWW 2008 (PPJoin). Repetitions need no
numbers: two rows that share the second x also share the first, which precedes it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.machine.compiling import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["find_pairs", "sort_rows"]

_SLACK: Final = 1e-9


@compiled
def sort_rows(indptr: NDArray[np.int64], ranks: NDArray[np.int32], hashes: NDArray[np.uint64]) -> None:
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
            value64 = (value64 ^ np.uint64(ranks[place])) * np.uint64(0x9E3779B97F4A7C15)
            value64 ^= value64 >> np.uint64(29)
        hashes[row] = value64


@compiled
def _overlap(ranks: NDArray[np.int32], a: int, a_end: int, b: int, b_end: int, needed: int) -> int:
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
def _twice(pairs: NDArray[np.int32]) -> NDArray[np.int32]:
    larger = np.empty((2 * pairs.shape[0], 2), np.int32)
    larger[: pairs.shape[0]] = pairs
    return larger


@compiled
def _listed(size: int, tau: float) -> int:
    """Return how many elements of a row to index: every similar row of at least its size shares one of them."""
    return size - int(np.ceil(2 * tau / (1 + tau) * size - _SLACK)) + 1


@compiled
def _list_starts(
    indptr: NDArray[np.int64], ranks: NDArray[np.int32], elements: int, lonely: int, tau: float
) -> NDArray[np.int64]:
    """Return the start of the list of each element that is not lonely; repetitions leave gaps."""
    starts = np.zeros(elements - lonely + 1, np.int64)
    for row in range(indptr.size - 1):
        begin = indptr[row]
        for place in range(begin, begin + _listed(indptr[row + 1] - begin, tau)):
            if ranks[place] >= lonely:
                starts[ranks[place] - lonely + 1] += 1
    for element in range(starts.size - 1):
        starts[element + 1] += starts[element]
    return starts


@compiled
def _first_of_size(indptr: NDArray[np.int64], holders: NDArray[np.int32], head: int, tail: int, least: int) -> int:
    """Return the first row in a list that is large enough; sizes never decrease along a list."""
    while head < tail and indptr[holders[head] + 1] - indptr[holders[head]] < least:
        head += 1
    return head


@compiled
def _partners(
    row: int,
    indptr: NDArray[np.int64],
    ranks: NDArray[np.int32],
    lonely: int,
    tau: float,
    lists: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]],
    last_asked_by: NDArray[np.int32],
    counts: NDArray[np.int32],
    most: int,
    partners: NDArray[np.int32],
) -> int:
    """Write the earlier rows that resemble a row to ``partners`` and count them on both sides; return their number.

    Pairs are left out, and in the end not even compared, when it is certain that one or both have too many partners.
    """
    heads, tails, holders, places = lists
    begin, end = indptr[row], indptr[row + 1]
    size = end - begin
    least = int(np.ceil(tau * size - _SLACK))
    found = 0
    for place in range(begin, end - least + 1):
        element = ranks[place] - lonely
        if element < 0 or (place > begin and ranks[place - 1] == ranks[place]):
            continue
        # Sizes never decrease from row to row, so a row that is too small now stays too small.
        heads[element] = _first_of_size(indptr, holders, heads[element], tails[element], least)
        for at in range(heads[element], tails[element]):
            other = holders[at]
            if last_asked_by[other] == row:
                continue
            last_asked_by[other] = row
            if counts[row] > most and counts[other] > most:
                continue
            both = size + indptr[other + 1] - indptr[other]
            needed = int(np.ceil(tau / (1 + tau) * both - _SLACK))
            # The first shared element of two rows is found first, so nothing before it is shared.
            if _overlap(ranks, place, end, indptr[other] + places[at], indptr[other + 1], needed) >= needed:
                counts[row] += 1
                counts[other] += 1
                if counts[row] <= most and counts[other] <= most:
                    partners[found] = other
                    found += 1
    return found


@compiled
def find_pairs(
    indptr: NDArray[np.int64], ranks: NDArray[np.int32], elements: int, lonely: int, tau: float, most: int
) -> NDArray[np.int32]:
    """Find all pairs of rows whose multiset Jaccard is at least tau, except for rows with more than ``most`` partners.

    Args:
        indptr: int64 (rows + 1,); rows in ascending order of size, none of them empty.
        ranks: int32, ascending in a row; rank 0 is the rarest element.
        elements: number of ranks.
        lonely: number of elements that occur once in the collection, as most shingles do. They have the first ranks;
            they count towards sizes, but are never looked up.
        tau: more than 0, at most 1.
        most: maximum number of partners of a row that has any.

    Returns:
        int32 (pairs, 2), the smaller row number first.
    """
    rows = indptr.size - 1
    starts = _list_starts(indptr, ranks, elements, lonely, tau)
    tails = starts[:-1].copy()
    holders, places = np.empty(starts[-1], np.int32), np.empty(starts[-1], np.int32)
    lists = (starts[:-1].copy(), tails, holders, places)
    last_asked_by, partners = np.full(rows, -1, np.int32), np.empty(rows, np.int32)
    counts = np.zeros(rows, np.int32)
    pairs = np.empty((1024, 2), np.int32)
    size = 0
    for row in range(rows):
        found = _partners(row, indptr, ranks, lonely, tau, lists, last_asked_by, counts, most, partners)
        while size + found > pairs.shape[0]:
            pairs = _twice(pairs)
        pairs[size : size + found, 0] = partners[:found]
        pairs[size : size + found, 1] = row
        size += found
        begin = indptr[row]
        for place in range(begin, begin + _listed(indptr[row + 1] - begin, tau)):
            element = ranks[place] - lonely
            if element >= 0 and (place == begin or ranks[place - 1] != ranks[place]):
                holders[tails[element]] = row
                places[tails[element]] = place - begin
                tails[element] += 1
    kept = 0
    for pair in range(size):
        if counts[pairs[pair, 0]] <= most and counts[pairs[pair, 1]] <= most:
            pairs[kept, 0], pairs[kept, 1] = pairs[pair, 0], pairs[pair, 1]
            kept += 1
    return pairs[:kept]
