"""Where the terms of one document are: a small table that many other documents are looked up in.

Merging two lists guesses wrong at every second step; a look into a table that fits the nearest cache does not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from infostream_dedup.machine.compiling import compiled_bare, inlined, signed

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["SLOTS", "look_up", "note", "place_of", "take_out"]

SLOTS: Final = 64
"""Slots of a table for each term of the longest document; there must be at least ``SLOTS`` of them."""

_LEAST_BITS: Final = 6
_WORD_BITS: Final = 32
_MULTIPLIER = np.uint32(2654435761)


@inlined
def _bits(count: int) -> int:
    """A table of this many bits has 32 to 64 slots for each term, so that few terms look as if they were there.

    Every such term costs a branch that is guessed wrong, while a table of 30 key terms still fits the nearest cache.
    """
    bits = _LEAST_BITS
    while 1 << bits < (SLOTS // 2) * count:
        bits += 1
    return bits


@inlined
def _slot(term: int, bits: int) -> int:
    return signed(np.uint32(np.uint32(term) * _MULTIPLIER) >> np.uint32(_WORD_BITS - bits))


@compiled_bare
def note(slots: NDArray[np.int32], terms: Any, begin: int, end: int, shift: int) -> int:
    """Put the terms of a document into an empty table; return what ``look_up`` wants to know of its size.

    Args:
        slots: int32, zeros; place of a term counted from 1.
        terms: integers, ascending in the document; of equal terms the first is noted.
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


@compiled_bare
def take_out(slots: NDArray[np.int32], bits: int, terms: Any, begin: int, end: int, shift: int) -> None:
    """Empty the table of a document; arguments as in ``note``, ``bits`` as it returned them."""
    mask = (1 << bits) - 1
    for place in range(begin, end):
        slot = _slot(signed(terms[place]) >> shift, bits)
        # The rest of the run is emptied too, so no term is cut off from its slot before it is reached.
        while slots[slot]:
            slots[slot] = 0
            slot = slot + 1 & mask


@inlined
def look_up(
    slots: NDArray[np.int32],
    bits: int,
    terms: Any,
    begin: int,
    end: int,
    shift: int,
    maybe: NDArray[np.int64],
) -> int:
    """Places of the terms of a document that may be in a table, ascending, in ``maybe``; return how many.

    Args:
        slots: the table.
        bits: its size, as ``note`` returned it.
        terms: integers.
        begin: start of the document in ``terms``.
        end: its end.
        shift: see ``note``.
        maybe: int64, longer than the document.
    """
    found = 0
    for place in range(begin, end):
        # Written in any case: a branch would be guessed wrong too often.
        maybe[found] = place
        found += slots[_slot(signed(terms[place]) >> shift, bits)] != 0
    return found


@inlined
def place_of(slots: NDArray[np.int32], bits: int, term: int, terms: Any, begin: int, shift: int) -> int:
    """Place in a document of a term, counted from its begin; -1 if it is not there.

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
