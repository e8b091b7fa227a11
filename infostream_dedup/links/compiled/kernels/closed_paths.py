"""Count the paths i -> j -> l over three different nodes that i -> l closes, using sparse bitmaps.

A row is a list of (word number, 64-bit word) pairs: linked nodes have nearby numbers, so that one word holds many
links. The links that i and j have in common are the bits set in both rows, counted a word at a time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.links.compiled.kernels.link_arrays import LinkArrays, PackedRows
from infostream_dedup.links.compiled.kernels.link_totals import add_up
from infostream_dedup.machine.compiling import compiled, popcount

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["close_paths", "close_weighted_paths", "drop_below", "pack_rows"]


@compiled
def drop_below(k: int, links: LinkArrays) -> None:
    """Remove links with counts below k, in place; ``indptr`` gives what is left."""
    kept, begin = np.int64(0), links.indptr[0]
    for row in range(links.indptr.size - 1):
        end = links.indptr[row + 1]
        for link in range(begin, end):
            links.columns[kept] = links.columns[link]
            links.counts[kept] = links.counts[link]
            kept += links.counts[link] >= k
        begin = end
        links.indptr[row + 1] = kept


@compiled
def pack_rows(links: LinkArrays, upper: bool, packed: PackedRows) -> int:
    """Pack rows into words; with ``upper``, only columns right of the diagonal.

    Returns:
        The number of words written, at most one for each link.
    """
    written = 0
    for row in range(links.indptr.size - 1):
        current = np.int64(-1)
        for link in range(links.indptr[row], links.indptr[row + 1]):
            column = np.int64(links.columns[link])
            if upper and column <= row:
                continue
            if column >> 6 != current:
                current = column >> 6
                packed.numbers[written] = current
                packed.words[written] = np.uint64(0)
                written += 1
            packed.words[written - 1] |= np.uint64(1) << np.uint64(column & 63)
        packed.indptr[row + 1] = written
    return written


@compiled
def _shared(row: np.int64 | int, packed: PackedRows, row_words: NDArray[np.uint64]) -> int:
    total = 0
    for position in range(packed.indptr[row], packed.indptr[row + 1]):
        total += popcount(row_words[packed.numbers[position]] & packed.words[position])
    return total


@compiled
def close_paths(
    first: int, last: int, packed: PackedRows, row_words: NDArray[np.uint64], totals: NDArray[np.int64]
) -> None:
    """Add the closed paths that start at rows first to last - 1.

    Args:
        first: first row.
        last: row after the last.
        packed: all rows.
        row_words: zeros, one for each word number; zeros again on return.
        totals: upper and lower half of the sum; added to.
    """
    for row in range(first, last):
        begin, end = packed.indptr[row], packed.indptr[row + 1]
        for position in range(begin, end):
            row_words[packed.numbers[position]] = packed.words[position]
        total = 0
        for position in range(begin, end):
            left, base = packed.words[position], np.int64(packed.numbers[position]) << 6
            while left != 0:
                lowest = left & (~left + np.uint64(1))
                middle = base + popcount(lowest - np.uint64(1))
                left ^= lowest
                total += _shared(middle, packed, row_words)
        add_up(totals, 1, total)
        for position in range(begin, end):
            row_words[packed.numbers[position]] = np.uint64(0)


@compiled
def _shared_weight(
    row: np.int64 | int,
    packed: PackedRows,
    row_words: NDArray[np.uint64],
    heavy: NDArray[np.uint64],
    weights: NDArray[np.int64],
) -> int:
    total = 0
    for position in range(packed.indptr[row], packed.indptr[row + 1]):
        number = packed.numbers[position]
        common = row_words[number] & packed.words[position]
        total += popcount(common)
        left = common & heavy[number]
        while left != 0:
            lowest = left & (~left + np.uint64(1))
            total += weights[(np.int64(number) << 6) + popcount(lowest - np.uint64(1))] - 1
            left ^= lowest
    return total


@compiled
def close_weighted_paths(
    first: int,
    last: int,
    packed: PackedRows,
    row_words: NDArray[np.uint64],
    heavy: NDArray[np.uint64],
    weights: NDArray[np.int64],
    totals: NDArray[np.int64],
) -> None:
    """Like ``close_paths``, for nodes that represent several documents each.

    Args:
        first: first row.
        last: row after the last.
        packed: all rows.
        row_words: zeros, one for each word number; zeros again on return.
        heavy: bits of the nodes of more than one document.
        weights: documents of each node.
        totals: upper and lower half of the sum; added to.
    """
    for row in range(first, last):
        begin, end = packed.indptr[row], packed.indptr[row + 1]
        for position in range(begin, end):
            row_words[packed.numbers[position]] = packed.words[position]
        total = 0
        for position in range(begin, end):
            left, base = packed.words[position], np.int64(packed.numbers[position]) << 6
            while left != 0:
                lowest = left & (~left + np.uint64(1))
                middle = base + popcount(lowest - np.uint64(1))
                left ^= lowest
                total += weights[middle] * _shared_weight(middle, packed, row_words, heavy, weights)
        add_up(totals, weights[row], total)
        for position in range(begin, end):
            row_words[packed.numbers[position]] = np.uint64(0)
