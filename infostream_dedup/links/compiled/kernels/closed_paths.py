"""Count the paths i -> j -> l over three different nodes that i -> l closes, using sparse bitmaps.

A row is a list of (word number, 64-bit word) pairs: linked nodes have nearby numbers, so that one word holds many
links. The links that i and j have in common are the bits set in both rows, counted a word at a time; where several rows
of a group have the same word, they are counted for the whole group.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from infostream_dedup.links.compiled.kernels.link_arrays import LinkArrays, PackedRows
from infostream_dedup.links.compiled.kernels.link_totals import add_up
from infostream_dedup.links.compiled.kernels.tiles import Tiles
from infostream_dedup.machine.compiling import compiled, popcount

if TYPE_CHECKING:
    from infostream_dedup.machine.arrays import Vector

__all__ = ["WeightedNodes", "close_paths", "drop_below", "pack_rows"]

_MANY: Final = 8
"""Rows of a tile that are worth reading all 64 of them."""


class WeightedNodes(NamedTuple):
    """What each row and column represents.

    Attributes:
        weights: int64 (rows,), documents of each.
        heavy: uint64, bit b of word w is set where 64 w + b is a node of several documents.
    """

    weights: Vector[np.int64]
    heavy: Vector[np.uint64]


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
def _weigh(common: np.uint64, number: np.uint32, nodes: WeightedNodes) -> np.int64:
    """Documents of the nodes set in a word."""
    total = np.int64(popcount(common))
    left = common & nodes.heavy[number]
    while left != 0:
        lowest = left & (~left + np.uint64(1))
        total += nodes.weights[(np.int64(number) << 6) + popcount(lowest - np.uint64(1))] - 1
        left ^= lowest
    return total


@compiled
def _shared_in_tile(middles: np.uint64, given: np.uint64, tile: int, tiles: Tiles) -> np.int64:
    """Bits that a word has in common with the rows of a tile chosen by ``middles``."""
    total = np.int64(0)
    for row in range(64):
        # No branch: the processor takes several rows at a time.
        chosen = np.uint64(0) - ((middles >> np.uint64(row)) & np.uint64(1))
        total += popcount(tiles.words[tile, row] & given & chosen)
    return total


@compiled
def _weighed_in_tile(
    middles: np.uint64, given: np.uint64, group: np.uint32, tile: int, tiles: Tiles, nodes: WeightedNodes
) -> np.int64:
    """Like ``_shared_in_tile``, for few rows or nodes of several documents."""
    total, left = np.int64(0), middles
    while left != 0:
        lowest = left & (~left + np.uint64(1))
        row = popcount(lowest - np.uint64(1))
        shared = _weigh(tiles.words[tile, row] & given, tiles.numbers[tile], nodes)
        total += nodes.weights[(np.int64(group) << 6) + row] * shared
        left ^= lowest
    return total


@compiled
def _close_in_group(
    middles: np.uint64,
    group: np.uint32,
    row_words: Vector[np.uint64],
    packed: PackedRows,
    tiles: Tiles,
    nodes: WeightedNodes,
) -> np.int64:
    """Count the closed paths by way of the rows of a group that are set in ``middles``."""
    total = np.int64(0)
    plain = middles & nodes.heavy[group] == 0 and popcount(middles) >= _MANY
    for tile in range(tiles.indptr[group], tiles.indptr[group + 1]):
        number = tiles.numbers[tile]
        given = row_words[number]
        if given == 0:
            continue
        if plain and given & nodes.heavy[number] == 0:
            total += _shared_in_tile(middles, given, tile, tiles)
        else:
            total += _weighed_in_tile(middles, given, group, tile, tiles, nodes)
    first = np.int64(group) << 6
    end = min(int(first) + 64, packed.indptr.size - 1)
    if packed.indptr[first] == packed.indptr[end]:
        return total
    left = middles
    while left != 0:
        lowest = left & (~left + np.uint64(1))
        row = first + popcount(lowest - np.uint64(1))
        for position in range(packed.indptr[row], packed.indptr[row + 1]):
            number = packed.numbers[position]
            total += nodes.weights[row] * _weigh(row_words[number] & packed.words[position], number, nodes)
        left ^= lowest
    return total


@compiled
def close_paths(
    first: int,
    last: int,
    packed: PackedRows,
    tiles: Tiles,
    nodes: WeightedNodes,
    row_words: Vector[np.uint64],
    totals: Vector[np.int64],
) -> None:
    """Add the closed paths that start at rows first to last - 1.

    Args:
        first: first row.
        last: row after the last.
        packed: the words of all rows that are in no tile.
        tiles: the others.
        nodes: documents of each row.
        row_words: zeros, one for each word number; zeros again on return.
        totals: upper and lower half of the sum; added to.
    """
    for row in range(first, last):
        own, begin, end = row & 63, packed.indptr[row], packed.indptr[row + 1]
        group = row >> 6
        for tile in range(tiles.indptr[group], tiles.indptr[group + 1]):
            row_words[tiles.numbers[tile]] = tiles.words[tile, own]
        for position in range(begin, end):
            row_words[packed.numbers[position]] = packed.words[position]
        total = np.int64(0)
        for tile in range(tiles.indptr[group], tiles.indptr[group + 1]):
            if tiles.words[tile, own] != 0:
                total += _close_in_group(tiles.words[tile, own], tiles.numbers[tile], row_words, packed, tiles, nodes)
        for position in range(begin, end):
            total += _close_in_group(packed.words[position], packed.numbers[position], row_words, packed, tiles, nodes)
        add_up(totals, nodes.weights[row], total)
        for tile in range(tiles.indptr[group], tiles.indptr[group + 1]):
            row_words[tiles.numbers[tile]] = np.uint64(0)
        for position in range(begin, end):
            row_words[packed.numbers[position]] = np.uint64(0)
