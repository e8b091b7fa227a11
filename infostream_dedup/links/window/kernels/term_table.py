"""The terms of a window in a hash table, each with a slot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from infostream_dedup.arrays.mixing import GOLDEN
from infostream_dedup.machine.compiling import compiled, inlined, prefetch

if TYPE_CHECKING:
    from infostream_dedup.machine.arrays import Vector

__all__ = ["NOTHING", "TermSlots", "find", "find_slots", "forget", "rehash", "slot_for"]

NOTHING: Final = -1


class TermSlots(NamedTuple):
    """The terms in use, each with a slot: a small number that is reused when the term is gone.

    Attributes:
        table: int64 (power of two,), terms by hash, ``NOTHING`` if empty; at most half full.
        table_slots: int32, slot of each term in the table.
        slot_terms: int64 (slots,), term of each slot, ``NOTHING`` for a free one.
        free_slots: int32 (slots,), a stack of free slots.
        free: int64 (1,), number of free slots on the stack.
        tidied: int64 (1,), slot at which ``tidy`` continues.
    """

    table: Vector[np.int64]
    table_slots: Vector[np.int32]
    slot_terms: Vector[np.int64]
    free_slots: Vector[np.int32]
    free: Vector[np.int64]
    tidied: Vector[np.int64]


@inlined
def home(term: int, table: Vector[np.int64]) -> np.int64:
    mixed = np.uint64(term) * np.uint64(GOLDEN)
    return np.int64((mixed >> np.uint64(20)) & np.uint64(table.size - 1))


@inlined
def find(term: int, table: Vector[np.int64]) -> np.int64:
    """Place of a term in the table, or the place to insert it."""
    at = home(term, table)
    while table[at] != NOTHING and table[at] != term:
        at = (at + 1) & (table.size - 1)
    return at


@compiled
def slot_for(term: int, terms: TermSlots) -> np.int64:
    """Return the slot of a term; a new term takes a free slot, and there must be one."""
    at = find(term, terms.table)
    if terms.table[at] == term:
        return np.int64(terms.table_slots[at])
    terms.free[0] -= 1
    slot = np.int64(terms.free_slots[terms.free[0]])
    terms.table[at], terms.table_slots[at], terms.slot_terms[slot] = term, slot, term
    return slot


@compiled
def forget(slot: np.int64, terms: TermSlots) -> None:
    """Remove the term of a slot from the table; move the terms that it had displaced back."""
    table = terms.table
    hole = find(terms.slot_terms[slot], table)
    mask = table.size - 1
    at = (hole + 1) & mask
    while table[at] != NOTHING:
        if ((at - home(table[at], table)) & mask) >= ((at - hole) & mask):
            table[hole], terms.table_slots[hole] = table[at], terms.table_slots[at]
            hole = at
        at = (at + 1) & mask
    table[hole] = NOTHING
    terms.slot_terms[slot] = NOTHING
    terms.free_slots[terms.free[0]] = slot
    terms.free[0] += 1


@compiled
def rehash(terms: TermSlots) -> None:
    """Fill an empty table with the terms of all slots."""
    for slot in range(terms.slot_terms.size):
        if terms.slot_terms[slot] != NOTHING:
            at = find(terms.slot_terms[slot], terms.table)
            terms.table[at], terms.table_slots[at] = terms.slot_terms[slot], slot


@compiled
def find_slots(given: Vector[np.int64], terms: TermSlots, slots: Vector[np.int64]) -> None:
    """Look up the slot of each term; ``NOTHING`` for a term not in use.

    Args:
        given: terms to look up.
        terms: the terms in use.
        slots: int64 (at least as long as ``given``), receives the slots.
    """
    table = terms.table
    for place in range(given.size):
        prefetch(table, home(given[place], table))
    for place in range(given.size):
        at = find(given[place], table)
        slots[place] = terms.table_slots[at] if table[at] != NOTHING else NOTHING
