"""Count the key terms of the pivot language that pairs of documents have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from infostream_dedup.judging.evidence.kernels.term_places import look_up, note, place_of, take_out
from infostream_dedup.machine.compiling import compiled, inlined, prefetch, signed

if TYPE_CHECKING:
    from infostream_dedup.machine.arrays import Table, Vector

__all__ = ["MOST_KEYS", "PLACE_BITS", "PivotDocuments", "PivotScratch", "SharedKeys", "share_pivot"]

PLACE_BITS: Final = 5
"""Bits of the place of a key term."""

MOST_KEYS: Final = 1 << PLACE_BITS
"""Maximum number of key terms of a document."""

_PLACE: Final = MOST_KEYS - 1

_AHEAD: Final = 3
"""Pairs between a document being asked for and being needed."""
_LINE: Final = 8
_MEMBER_LINES: Final = 12
_WEIGHT_LINES: Final = 4
"""64-bit values of a cache line, and lines of the members and weights of a common document."""


class PivotDocuments(NamedTuple):
    """Key terms of documents, and the terms that the key terms of other documents are matched with.

    Attributes:
        weight_begins: int64 (documents + 1,), bounds in ``weights``.
        weights: int64, weight of each key term, heaviest first, at most ``MOST_KEYS`` of a document.
        member_begins: int64 (documents + 1,), bounds in ``members``.
        members: int64, ascending in a document: ``MOST_KEYS`` times a term, plus the place of a key term to which the
            term is equivalent.
        matched_begins: int64 (documents + 1,), bounds in ``matched_by``.
        matched_by: int32, ascending in a document: the terms that match key terms of others.
    """

    weight_begins: Vector[np.int64]
    weights: Vector[np.int64]
    member_begins: Vector[np.int64]
    members: Vector[np.int64]
    matched_begins: Vector[np.int64]
    matched_by: Vector[np.int32]


class PivotScratch(NamedTuple):
    """Scratch memory.

    Attributes:
        members: int32, zeros, ``SLOTS`` for each member of the document with the most members.
        matched_by: int32, zeros, ``SLOTS`` for each matching term of the document with the most.
        maybe: int64, longer than the members and the matching terms of any document.
    """

    members: Vector[np.int32]
    matched_by: Vector[np.int32]
    maybe: Vector[np.int64]


class SharedKeys(NamedTuple):
    """What pairs of documents (a, b) have in common.

    Attributes:
        counts: int64 (pairs, 2), number of a's key terms that match b, and of b's that match a.
        weights: int64 (pairs, 2), their total weight.
        own: int64 (pairs, 2), total weight of all key terms of a and of b.
    """

    counts: Table[np.int64]
    weights: Table[np.int64]
    own: Table[np.int64]


@compiled
def _match_asking(documents: PivotDocuments, asks: int, held: int, bits: int, scratch: PivotScratch) -> int:
    """Key terms of the asking document that match the document in the tables, as bits by place."""
    first, last = documents.member_begins[asks], documents.member_begins[asks + 1]
    there, met = documents.matched_begins[held], 0
    found = look_up(scratch.matched_by, bits, documents.members, first, last, PLACE_BITS, scratch.maybe)
    for hit in range(found):
        member = documents.members[scratch.maybe[hit]]
        if place_of(scratch.matched_by, bits, member >> PLACE_BITS, documents.matched_by, there, 0) >= 0:
            met |= 1 << (member & _PLACE)
    return met


@compiled
def _match_held(documents: PivotDocuments, answers: int, held: int, bits: int, scratch: PivotScratch) -> int:
    """Key terms of the document in the tables that match the answering document, as bits by place."""
    first, last = documents.matched_begins[answers], documents.matched_begins[answers + 1]
    there, end, met = documents.member_begins[held], documents.member_begins[held + 1], 0
    found = look_up(scratch.members, bits, documents.matched_by, first, last, 0, scratch.maybe)
    for hit in range(found):
        term = signed(documents.matched_by[scratch.maybe[hit]])
        place = place_of(scratch.members, bits, term, documents.members, there, PLACE_BITS)
        if place >= 0:
            member = there + place
            while member < end and documents.members[member] >> PLACE_BITS == term:
                met |= 1 << (documents.members[member] & _PLACE)
                member += 1
    return met


@compiled
def _add_up(documents: PivotDocuments, document: int, met: int) -> tuple[int, int, int]:
    """Number and weight of a document's matching key terms, and weight of all its key terms."""
    first, count, weight, own = documents.weight_begins[document], 0, 0, 0
    for place in range(documents.weight_begins[document + 1] - first):
        hit = met >> place & 1
        count += hit
        # A mask, because the processor multiplies numbers of 64 bits one at a time.
        weight += -hit & documents.weights[first + place]
        own += documents.weights[first + place]
    return count, weight, own


@inlined
def _fetch(documents: PivotDocuments, document: int) -> None:
    """Start loading a document."""
    coming = documents.member_begins[document]
    for line in range(_MEMBER_LINES):
        prefetch(documents.members, coming + line * _LINE)
    coming = documents.weight_begins[document]
    for line in range(_WEIGHT_LINES):
        prefetch(documents.weights, coming + line * _LINE)


@compiled
def share_pivot(
    a: Vector[np.int64],
    b: Vector[np.int64],
    documents: PivotDocuments,
    scratch: PivotScratch,
    least: float,
    shared: SharedKeys,
) -> None:
    """Count and weigh the key terms that match.

    Args:
        a: int64 (pairs,), number of one document; fastest if equal numbers are adjacent.
        b: int64 (pairs,), number of the other.
        documents: all documents.
        scratch: scratch memory; its tables are empty before and after.
        least: nothing is counted for a, which takes longer, if the matching key terms of b have less than this share of
            its weight.
        shared: zeros; receives what they have in common.
    """
    counts, weights, own = shared.counts, shared.weights, shared.own
    held, member_bits, met_bits = -1, 0, 0
    first, last, met_first, met_last = 0, 0, 0, 0
    for pair in range(a.size):
        _fetch(documents, b[min(pair + _AHEAD, a.size - 1)])
        if a[pair] != held:
            take_out(scratch.members, member_bits, documents.members, first, last, PLACE_BITS)
            take_out(scratch.matched_by, met_bits, documents.matched_by, met_first, met_last, 0)
            held = a[pair]
            first, last = documents.member_begins[held], documents.member_begins[held + 1]
            met_first, met_last = documents.matched_begins[held], documents.matched_begins[held + 1]
            member_bits = note(scratch.members, documents.members, first, last, PLACE_BITS)
            met_bits = note(scratch.matched_by, documents.matched_by, met_first, met_last, 0)
        there = _match_asking(documents, b[pair], held, met_bits, scratch)
        counts[pair, 1], weights[pair, 1], own[pair, 1] = _add_up(documents, b[pair], there)
        if np.float64(weights[pair, 1]) < least * np.float64(own[pair, 1]):
            continue
        here = _match_held(documents, b[pair], held, member_bits, scratch)
        counts[pair, 0], weights[pair, 0], own[pair, 0] = _add_up(documents, held, here)
    take_out(scratch.members, member_bits, documents.members, first, last, PLACE_BITS)
    take_out(scratch.matched_by, met_bits, documents.matched_by, met_first, met_last, 0)
