"""Packed rows as tiles: 64 rows by 64 columns, in one piece of memory.

Rows in linkage order have most of their words where their neighbours have them. In a tile these are one after the
other, so that what many rows share with another row is counted without looking for each of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from infostream_dedup.links.compiled.kernels.link_arrays import PackedRows
from infostream_dedup.machine.compiling import compiled

if TYPE_CHECKING:
    from infostream_dedup.machine.arrays import Table, Vector

__all__ = ["Tiles", "count_tiles", "move_to_tiles"]


class Tiles(NamedTuple):
    """Words of 64 consecutive rows each, a group: group g has rows 64 g to 64 g + 63.

    Attributes:
        indptr: int64 (groups + 1,), start of each group's tiles.
        numbers: uint32 (tiles,), number of the word that a tile holds of every row, as in ``PackedRows``.
        words: uint64 (tiles, 64), the word of each row, or 0.
    """

    indptr: Vector[np.int64]
    numbers: Vector[np.uint32]
    words: Table[np.uint64]


@compiled
def _count_rows(begin: int, end: int, packed: PackedRows, rows: Vector[np.int64], met: Vector[np.uint32]) -> int:
    """Count the rows that have each of some words; the numbers of these words go to ``met``."""
    different = 0
    for position in range(begin, end):
        number = packed.numbers[position]
        if rows[number] == 0:
            met[different] = number
            different += 1
        rows[number] += 1
    return different


@compiled
def count_tiles(
    packed: PackedRows, least: int, rows: Vector[np.int64], met: Vector[np.uint32], indptr: Vector[np.int64]
) -> None:
    """Count the tiles of each group.

    Args:
        packed: all rows.
        least: rows of a group that must have a word to make it a tile.
        rows: zeros, one for each group; zeros again on return.
        met: room for one number for each group.
        indptr: zeros (groups + 1,); receives the start of each group's tiles.
    """
    for group in range(indptr.size - 1):
        tiles, last = 0, min((group + 1) << 6, packed.indptr.size - 1)
        for place in range(_count_rows(packed.indptr[group << 6], packed.indptr[last], packed, rows, met)):
            tiles += rows[met[place]] >= least
            rows[met[place]] = 0
        indptr[group + 1] = indptr[group] + tiles


@compiled
def move_to_tiles(packed: PackedRows, least: int, rows: Vector[np.int64], met: Vector[np.uint32], tiles: Tiles) -> None:
    """Move words from rows to tiles.

    Args:
        packed: all rows; keeps the words that are in no tile.
        least: as in ``count_tiles``.
        rows: as there.
        met: as there.
        tiles: ``indptr`` as counted; numbers and words, zeros, are filled in.
    """
    kept = np.int64(0)
    begin = packed.indptr[0]
    for group in range(tiles.indptr.size - 1):
        last, tile = min((group + 1) << 6, packed.indptr.size - 1), tiles.indptr[group]
        different = _count_rows(begin, packed.indptr[last], packed, rows, met)
        for place in range(different):
            number = met[place]
            if rows[number] >= least:
                tiles.numbers[tile] = number
                rows[number] = tile
                tile += 1
            else:
                rows[number] = -1
        for row in range(group << 6, last):
            end = packed.indptr[row + 1]
            for position in range(begin, end):
                number, word = packed.numbers[position], packed.words[position]
                if rows[number] >= 0:
                    tiles.words[rows[number], row & 63] = word
                else:
                    packed.numbers[kept] = number
                    packed.words[kept] = word
                    kept += 1
            begin = end
            packed.indptr[row + 1] = kept
        for place in range(different):
            rows[met[place]] = 0
