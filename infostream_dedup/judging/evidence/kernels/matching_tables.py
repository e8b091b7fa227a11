"""Look up the entries of one document in a small table of another: merging two lists mispredicts too many branches.

A document that many others are compared with is loaded into the table once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from infostream_dedup.machine.compiling import compiled, inlined, signed

if TYPE_CHECKING:
    from infostream_dedup.machine.arrays import Entry, Table, Vector

__all__ = ["ENTRIES", "MatchingTables", "enter", "leave", "matching_tables", "meet"]

ENTRIES: Final = 4096
"""Most entries of a list."""
_SLOTS: Final = 4 * ENTRIES
_LEAST_SLOTS: Final = 128
_SLOTS_OF_AN_ENTRY: Final = 16
"""Slots for each entry, if the table is large enough: few entries are then mistaken for ones in the table."""
_MULTIPLIER = np.uint32(2654435761)
_HIGH_BITS = np.uint32(17)


class MatchingTables(NamedTuple):
    """Tables of four lists of one document, and scratch memory.

    Attributes:
        slots: int32 (4, slots), place of an entry counted from 1, 0 for an empty slot.
        touched: int32 (4, ENTRIES), slots in use.
        counts: int64 (4,), number of slots in use.
        one: int64 (ENTRIES + 1,), receives places in the document that is compared.
        other: int64 (ENTRIES + 1,), receives places in the document in the tables.
    """

    slots: Table[np.int32]
    touched: Table[np.int32]
    counts: Vector[np.int64]
    one: Vector[np.int64]
    other: Vector[np.int64]


def matching_tables() -> MatchingTables:
    """Allocate empty tables."""
    return MatchingTables(
        np.zeros((4, _SLOTS), dtype=np.int32),
        np.zeros((4, ENTRIES), dtype=np.int32),
        np.zeros(4, dtype=np.int64),
        np.zeros(ENTRIES + 1, dtype=np.int64),
        np.zeros(ENTRIES + 1, dtype=np.int64),
    )


@inlined
def _mask(count: int) -> int:
    slots = _LEAST_SLOTS
    while slots < _SLOTS_OF_AN_ENTRY * count and slots < _SLOTS:
        slots *= 2
    return slots - 1


@inlined
def _slot(entry: np.uint32, mask: int) -> int:
    return signed(np.uint32(entry * _MULTIPLIER) >> _HIGH_BITS) & mask


@compiled
def enter(
    tables: MatchingTables, which: int, entries: Vector[Entry], begin: int, count: int, ignored: np.uint32
) -> None:
    """Load a list into a table.

    Args:
        tables: the tables; table ``which`` is empty.
        which: number of the table, 0 to 3.
        entries: uint32 or int32, distinct.
        begin: start of the list in ``entries``.
        count: number of its entries, at most ``ENTRIES``.
        ignored: uint32, bits to ignore.
    """
    slots, mask = tables.slots[which], _mask(count)
    for number in range(count):
        slot = _slot(np.uint32(entries[begin + number]) | ignored, mask)
        while slots[slot]:
            slot = slot + 1 & mask
        slots[slot] = number + 1
        tables.touched[which, number] = slot
    tables.counts[which] = count


@compiled
def leave(tables: MatchingTables, which: int) -> None:
    """Empty a table."""
    for number in range(tables.counts[which]):
        tables.slots[which, tables.touched[which, number]] = 0
    tables.counts[which] = 0


@inlined
def meet(
    tables: MatchingTables,
    which: int,
    entries: Vector[Entry],
    begin: int,
    count: int,
    other_begin: int,
    ignored: np.uint32,
) -> int:
    """Count the entries of a list that are in a table; write their places, ascending, to ``tables.one`` and ``.other``.

    Args:
        tables: the tables.
        which: number of the table.
        entries: entries of both documents.
        begin: start of the list in ``entries``.
        count: number of its entries.
        other_begin: start, in ``entries``, of the list in the table.
        ignored: uint32, bits to ignore.
    """
    slots, mask, maybe = tables.slots[which], _mask(tables.counts[which]), 0
    for number in range(count):
        # Written unconditionally: a branch would be mispredicted too often.
        tables.one[maybe] = number
        maybe += slots[_slot(np.uint32(entries[begin + number]) | ignored, mask)] != 0
    found = 0
    for hit in range(maybe):
        number = tables.one[hit]
        entry = np.uint32(entries[begin + number]) | ignored
        slot = _slot(entry, mask)
        while slots[slot]:
            place = signed(slots[slot]) - 1
            if np.uint32(entries[other_begin + place]) | ignored == entry:
                tables.one[found], tables.other[found] = number, place
                found += 1
                break
            slot = slot + 1 & mask
    return found
