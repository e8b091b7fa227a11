"""A hash table of distinct terms with open addressing; every hit is verified byte by byte."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from infostream_dedup.language.text.kernels.surface_table import hash_bytes
from infostream_dedup.machine.compiling import compiled, inlined, signed

if TYPE_CHECKING:
    from infostream_dedup.machine.arrays import Vector

__all__ = ["TermTable", "enter_all", "number_all"]


class TermTable(NamedTuple):
    """Terms by number.

    Attributes:
        slots: uint32 (power of two,), number of a term + 1; 0 if empty.
        starts: int64, start of each term in ``pool``, and end of the last one.
        pool: uint8, the terms in UTF-8, concatenated, followed by ``BLOCK`` spare bytes.
    """

    slots: Vector[np.uint32]
    starts: Vector[np.int64]
    pool: Vector[np.uint8]


@inlined
def _is(table: TermTable, number: int, data: Vector[np.uint8], begin: int, length: int) -> bool:
    start = table.starts[number]
    if table.starts[number + 1] - start != length:
        return False
    byte = 0
    while byte < length and table.pool[start + byte] == data[begin + byte]:
        byte += 1
    return byte == length


@compiled
def number_all(
    table: TermTable, count: int, data: Vector[np.uint8], starts: Vector[np.int64], numbers: Vector[np.int64]
) -> int:
    """Number terms, adding new ones. There must be room for all, with at least half of the slots empty.

    Args:
        table: the table.
        count: number of terms in it.
        data: the terms in UTF-8, followed by ``BLOCK`` spare bytes.
        starts: int64 (terms + 1,), start of each term in ``data``.
        numbers: int64 (terms,), receives the number of each.

    Returns:
        New number of terms in the table.
    """
    mask = signed(table.slots.size - 1)
    for term in range(numbers.size):
        begin, length = starts[term], starts[term + 1] - starts[term]
        slot = signed(hash_bytes(data, begin, length, False)) & mask
        while table.slots[slot] != 0 and not _is(table, signed(table.slots[slot]) - 1, data, begin, length):
            slot = (slot + 1) & mask
        if table.slots[slot] == 0:
            end = table.starts[count]
            for byte in range(length):
                table.pool[end + byte] = data[begin + byte]
            count += 1
            table.starts[count] = end + length
            table.slots[slot] = count
        numbers[term] = signed(table.slots[slot]) - 1
    return count


@compiled
def enter_all(table: TermTable, count: int) -> None:
    """Insert the first ``count`` terms into empty slots."""
    mask = signed(table.slots.size - 1)
    for number in range(count):
        begin = table.starts[number]
        slot = signed(hash_bytes(table.pool, begin, table.starts[number + 1] - begin, False)) & mask
        while table.slots[slot] != 0:
            slot = (slot + 1) & mask
        table.slots[slot] = number + 1
