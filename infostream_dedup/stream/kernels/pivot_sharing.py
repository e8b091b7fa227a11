"""How much of their key terms of the pivot language pairs of documents share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from infostream_dedup.evidence.kernels.term_places import look_up, note, place_of, take_out
from infostream_dedup.machine.compiling import compiled, compiled_bare, signed

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["MOST_KEYS", "PLACE_BITS", "PivotDocuments", "PivotRoom", "share_pivot"]

PLACE_BITS: Final = 5
"""Bits of the place of a key term."""

MOST_KEYS: Final = 1 << PLACE_BITS
"""Key terms of a document at most."""

_PLACE: Final = MOST_KEYS - 1


class PivotDocuments(NamedTuple):
    """Key terms of documents, and the terms by which they are met.

    Attributes:
        weight_begins: int64 (documents + 1,), bounds in the next.
        weights: int64, weight of each key term, heaviest first, at most ``MOST_KEYS`` of a document.
        member_begins: int64 (documents + 1,), bounds in the next.
        members: int64, ascending in a document: a term times ``MOST_KEYS`` plus the place of a key term that it is an
            equivalent of.
        met_begins: int64 (documents + 1,), bounds in the next.
        met_by: int32, ascending in a document: the terms by which it is met.
    """

    weight_begins: NDArray[np.int64]
    weights: NDArray[np.int64]
    member_begins: NDArray[np.int64]
    members: NDArray[np.int64]
    met_begins: NDArray[np.int64]
    met_by: NDArray[np.int32]


class PivotRoom(NamedTuple):
    """Scratch memory.

    Attributes:
        members: int32, zeros, ``SLOTS`` for each of the most members of a document.
        met_by: int32, zeros, ``SLOTS`` for each of the most terms by which a document is met.
        maybe: int64, longer than the members, and the terms, of any document.
    """

    members: NDArray[np.int32]
    met_by: NDArray[np.int32]
    maybe: NDArray[np.int64]


@compiled_bare
def _met_there(documents: PivotDocuments, asks: int, held: int, bits: int, room: PivotRoom) -> int:
    """Key terms of a document, as bits by place, that meet the document in the tables."""
    first, last = documents.member_begins[asks], documents.member_begins[asks + 1]
    there, met = documents.met_begins[held], 0
    found = look_up(room.met_by, bits, documents.members, first, last, PLACE_BITS, room.maybe)
    for hit in range(found):
        member = documents.members[room.maybe[hit]]
        if place_of(room.met_by, bits, member >> PLACE_BITS, documents.met_by, there, 0) >= 0:
            met |= 1 << (member & _PLACE)
    return met


@compiled_bare
def _met_here(documents: PivotDocuments, answers: int, held: int, bits: int, room: PivotRoom) -> int:
    """Key terms of the document in the tables, as bits by place, that meet a document."""
    first, last = documents.met_begins[answers], documents.met_begins[answers + 1]
    there, end, met = documents.member_begins[held], documents.member_begins[held + 1], 0
    found = look_up(room.members, bits, documents.met_by, first, last, 0, room.maybe)
    for hit in range(found):
        term = signed(documents.met_by[room.maybe[hit]])
        place = place_of(room.members, bits, term, documents.members, there, PLACE_BITS)
        if place >= 0:
            member = there + place
            while member < end and documents.members[member] >> PLACE_BITS == term:
                met |= 1 << (documents.members[member] & _PLACE)
                member += 1
    return met


@compiled_bare
def _add_up(documents: PivotDocuments, document: int, met: int) -> tuple[int, int, int]:
    """Number and weight of the key terms of a document that met, and weight of all."""
    first, count, weight, own = documents.weight_begins[document], 0, 0, 0
    for place in range(documents.weight_begins[document + 1] - first):
        hit = met >> place & 1
        count += hit
        weight += hit * documents.weights[first + place]
        own += documents.weights[first + place]
    return count, weight, own


@compiled
def share_pivot(
    a: NDArray[np.int64],
    b: NDArray[np.int64],
    documents: PivotDocuments,
    room: PivotRoom,
    counts: NDArray[np.int64],
    weights: NDArray[np.int64],
    own: NDArray[np.int64],
) -> None:
    """Count the key terms that meet.

    Args:
        a: int64 (pairs,), number of one document; quickest where equal ones are neighbours.
        b: int64 (pairs,), number of the other.
        documents: all documents.
        room: its tables are empty at the end, too.
        counts: int64 (pairs, 2), receives the number of a's key terms that meet b, and of b's that meet a.
        weights: int64 (pairs, 2), receives their weight.
        own: int64 (pairs, 2), receives the weight of all key terms of a, and of b.
    """
    held, member_bits, met_bits = -1, 0, 0
    first, last, met_first, met_last = 0, 0, 0, 0
    for pair in range(a.size):
        if a[pair] != held:
            take_out(room.members, member_bits, documents.members, first, last, PLACE_BITS)
            take_out(room.met_by, met_bits, documents.met_by, met_first, met_last, 0)
            held = a[pair]
            first, last = documents.member_begins[held], documents.member_begins[held + 1]
            met_first, met_last = documents.met_begins[held], documents.met_begins[held + 1]
            member_bits = note(room.members, documents.members, first, last, PLACE_BITS)
            met_bits = note(room.met_by, documents.met_by, met_first, met_last, 0)
        here = _met_here(documents, b[pair], held, member_bits, room)
        counts[pair, 0], weights[pair, 0], own[pair, 0] = _add_up(documents, held, here)
        there = _met_there(documents, b[pair], held, met_bits, room)
        counts[pair, 1], weights[pair, 1], own[pair, 1] = _add_up(documents, b[pair], there)
    take_out(room.members, member_bits, documents.members, first, last, PLACE_BITS)
    take_out(room.met_by, met_bits, documents.met_by, met_first, met_last, 0)
