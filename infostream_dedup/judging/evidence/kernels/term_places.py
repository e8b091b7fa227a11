"""Find the terms of one document in a small table, in which many other documents are looked up.

Merging two lists mispredicts a branch at every second step; a look-up in a table that fits the L1 cache does not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.machine.compiling import compiled, inlined, signed

if TYPE_CHECKING:
    from infostream_dedup.machine.arrays import Vector, Whole

__all__ = ["SLOTS", "look_up", "note", "place_of", "take_out"]

SLOTS: Final = 64
"""Slots of a table per term of the longest document; a table has at least this many."""

_LEAST_BITS: Final = 6
_WORD_BITS: Final = 32
_MULTIPLIER = np.uint32(2654435761)


@inlined
def _bits(count: int) -> int:
    """Choose the size of a table: 32 to 64 slots per term, so that few absent terms hit a slot in use.

    Each such hit costs a mispredicted branch; a table of 30 key terms still fits the L1 cache.
    """
    bits = _LEAST_BITS
    while 1 << bits < (SLOTS // 2) * count:
        bits += 1
    return bits


@inlined
def _slot(term: int, bits: int) -> int:
    return signed(np.uint32(np.uint32(term) * _MULTIPLIER) >> np.uint32(_WORD_BITS - bits))


@compiled
def note(slots: Vector[np.int32], terms: Vector[Whole], begin: int, end: int, shift: int) -> int:
    """Load the terms of a document into an empty table; return its size in bits for ``look_up``.

    Args:
        slots: int32, zeros; receives the place of each term, counted from 1.
        terms: integers, ascending in the document; the first of equal terms is noted.
        begin: start of the document in ``terms``.
        end: its end.
        shift: lower bits of ``terms`` that do not belong to the term.
    """
    bits = _bits(end - begin)
    mask = (1 << bits) - 1
    last = -1
    for place in range(begin, end):
        term = signed(terms[place]) >> shift
        if term != last:
            slot = _slot(term, bits)
            while slots[slot]:
                slot = slot + 1 & mask
            slots[slot] = place - begin + 1
            last = term
    return bits


@compiled
def take_out(slots: Vector[np.int32], bits: int, terms: Vector[Whole], begin: int, end: int, shift: int) -> None:
    """Clear the table of a document; ``bits`` is what ``note`` returned, the other arguments are as there."""
    mask = (1 << bits) - 1
    for place in range(begin, end):
        slot = _slot(signed(terms[place]) >> shift, bits)
        # The rest of the run is cleared too, so that no term loses its way to its slot before its turn comes.
        while slots[slot]:
            slots[slot] = 0
            slot = slot + 1 & mask


@inlined
def look_up(
    slots: Vector[np.int32],
    bits: int,
    terms: Vector[Whole],
    begin: int,
    end: int,
    shift: int,
    maybe: Vector[np.int64],
) -> int:
    """Write the places of a document's terms that may be in a table, ascending, to ``maybe``; return their number.

    Args:
        slots: the table.
        bits: its size, as ``note`` returned it.
        terms: integers.
        begin: start of the document in ``terms``.
        end: its end.
        shift: see ``note``.
        maybe: int64, longer than the document; receives the places.
    """
    found = 0
    for place in range(begin, end):
        # Written unconditionally: a branch would be mispredicted too often.
        maybe[found] = place
        found += slots[_slot(signed(terms[place]) >> shift, bits)] != 0
    return found


@inlined
def place_of(slots: Vector[np.int32], bits: int, term: int, terms: Vector[Whole], begin: int, shift: int) -> int:
    """Place of a term in a document, counted from its start; -1 if the document lacks it.

    Args:
        slots: the table of the document.
        bits: its size, as ``note`` returned it.
        term: the term.
        terms: integers.
        begin: start of the document in ``terms``.
        shift: see ``note``.
    """
    mask, slot = (1 << bits) - 1, _slot(term, bits)
    while slots[slot]:
        place = signed(slots[slot]) - 1
        if signed(terms[begin + place]) >> shift == term:
            return place
        slot = slot + 1 & mask
    return -1
