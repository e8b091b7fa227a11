"""Renumber, merge and sort rows of numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.machine.compiling import compiled

if TYPE_CHECKING:
    from infostream_dedup.machine.arrays import Entry, Place, Vector

__all__ = ["merge_ascending", "renumber_rows", "sort_links"]


@compiled
def renumber_rows(
    indptr: Vector[np.int64],
    columns: Vector[Entry],
    chosen: Vector[np.int64],
    number_of: Vector[Place],
    ascending: bool,
    sizes: Vector[np.int32],
    numbers: Vector[np.uint32],
) -> int:
    """Write the new numbers of the columns of chosen rows.

    Args:
        indptr: int64 (rows + 1,), bounds of the rows.
        columns: int32 or uint32, columns of each row.
        chosen: int64, the rows.
        number_of: int32 or int64 (columns,), new number of each column; negative to leave it out.
        ascending: sort each row by the new numbers; otherwise keep the order.
        sizes: int32 (chosen,), receives the number of columns that each chosen row keeps.
        numbers: uint32, receives the numbers.

    Returns:
        The number of entries written.
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
def merge_ascending(
    one: Vector[np.uint64],
    other: Vector[np.uint64],
    place_of_one: Vector[np.int64],
    place_of_other: Vector[np.int64],
) -> int:
    """Merge two ascending lists of distinct numbers.

    Args:
        one: uint64, ascending.
        other: uint64, ascending.
        place_of_one: int64 (one,), receives the place of each number in the merged list.
        place_of_other: int64 (other,), likewise.

    Returns:
        The length of the merged list, in which a number of both lists occurs once.
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


@compiled
def sort_links(
    indptr: Vector[np.int64], columns: Vector[np.int32], counts: Vector[np.uint8], packed: Vector[np.uint64]
) -> None:
    """Sort the links of each row by column.

    Args:
        indptr: int64 (rows + 1,), bounds of the rows.
        columns: int32 (links,).
        counts: uint8 (links,).
        packed: uint64, room for the longest row.
    """
    for row in range(indptr.size - 1):
        first, size = indptr[row], indptr[row + 1] - indptr[row]
        ordered = True
        for place in range(size):
            packed[place] = np.uint64(columns[first + place]) << np.uint64(8) | np.uint64(counts[first + place])
            ordered = ordered and (place == 0 or packed[place - 1] < packed[place])
        if ordered:
            continue
        packed[:size].sort()
        for place in range(size):
            columns[first + place] = np.int32(packed[place] >> np.uint64(8))
            counts[first + place] = np.uint8(packed[place] & np.uint64(255))
