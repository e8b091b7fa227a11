"""Compute the share of key terms that two documents have in common: the cheap filter needs it for every candidate."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from infostream_dedup.judging.evidence.kernels.comparing import ComparedKeys, share
from infostream_dedup.machine.arrays import Bools, Int32s, Ints, Table, Vector, Whole
from infostream_dedup.machine.compiling import compiled, inlined, signed

# Find the terms of one document in a small table, in which many other documents are looked up.
#
# Merging two lists mispredicts a branch at every second step; a look-up in a table that fits the L1 cache does not.

SLOTS: Final = 64  # slots of a table per term of the longest document; a table has at least this many

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
def note(slots: Int32s, terms: Vector[Whole], begin: int, end: int, shift: int) -> int:
    """Load the terms of a document into an empty table; return its size in bits for ``look_up``.

    ``slots``: zeros, receives the place of each term, counted from 1, the first of equal terms; ``shift``: lower bits
    of ``terms`` that do not belong to the term.
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
def take_out(slots: Int32s, bits: int, terms: Vector[Whole], begin: int, end: int, shift: int) -> None:
    """Clear the table of a document; ``bits`` is what ``note`` returned, the other arguments are as there."""
    mask = (1 << bits) - 1
    for place in range(begin, end):
        slot = _slot(signed(terms[place]) >> shift, bits)
        # The rest of the run is cleared too, so that no term loses its way to its slot before its turn comes.
        while slots[slot]:
            slots[slot] = 0
            slot = slot + 1 & mask


@inlined
def look_up(slots: Int32s, bits: int, terms: Vector[Whole], begin: int, end: int, shift: int, maybe: Ints) -> int:
    """Write the places of a document's terms that may be in a table, ascending, to ``maybe``; return their number.

    ``bits`` and ``shift`` as in ``note``; ``maybe`` is longer than the document.
    """
    found = 0
    for place in range(begin, end):
        # Written unconditionally: a branch would be mispredicted too often.
        maybe[found] = place
        found += slots[_slot(signed(terms[place]) >> shift, bits)] != 0
    return found


@inlined
def place_of(slots: Int32s, bits: int, term: int, terms: Vector[Whole], begin: int, shift: int) -> int:
    """Place of a term in a document, counted from its start; -1 if the document lacks it; arguments as in ``note``."""
    mask, slot = (1 << bits) - 1, _slot(term, bits)
    while slots[slot]:
        place = signed(slots[slot]) - 1
        if signed(terms[begin + place]) >> shift == term:
            return place
        slot = slot + 1 & mask
    return -1


_LARGE: Final = 2  # number of columns for the shares of 12 key terms; those for all key terms follow


class ShareScratch(NamedTuple):
    """Scratch memory."""

    keys: Int32s  # int32, zeros, `SLOTS` for each key term of the longest document
    targets: Int32s  # int32, zeros, `SLOTS` for each term of the longest document
    maybe: Ints  # int64, longer than the terms of any document


def _weigh_asking(keys: ComparedKeys, asks: int, held: int, bits: int, scratch: ShareScratch) -> tuple[int, int]:
    """Weight of the asking document's 12 and 30 key terms that the document in the tables contains."""
    there, met12, met30 = keys.target_begins[held], 0, 0
    found = look_up(scratch.targets, bits, keys.terms, keys.begins[asks], keys.begins[asks + 1], 0, scratch.maybe)
    for hit in range(found):
        key = scratch.maybe[hit]
        if place_of(scratch.targets, bits, signed(keys.terms[key]), keys.targets, there, 0) >= 0:
            met30 += keys.weights[key]
            met12 += keys.weights[key] * signed(keys.heaviest[key])
    return met12, met30


def _weigh_held(keys: ComparedKeys, answers: int, held: int, bits: int, scratch: ShareScratch) -> tuple[int, int]:
    """Weight of the 12 and 30 key terms of the document in the tables that the answering document contains."""
    there, met12, met30 = keys.begins[held], 0, 0
    first, last = keys.target_begins[answers], keys.target_begins[answers + 1]
    found = look_up(scratch.keys, bits, keys.targets, first, last, 0, scratch.maybe)
    for hit in range(found):
        place = place_of(scratch.keys, bits, signed(keys.targets[scratch.maybe[hit]]), keys.terms, there, 0)
        if place >= 0:
            met30 += keys.weights[there + place]
            met12 += keys.weights[there + place] * signed(keys.heaviest[there + place])
    return met12, met30


@compiled
def share_pairs(
    asking: Ints, held: Ints, keys: ComparedKeys, scratch: ShareScratch, column: int, evidence: Table[np.float64]
) -> None:
    """Fill in the shares of 12 and of all key terms.

    Args:
        asking: int64 (pairs,), row of the first document.
        held: int64 (pairs,), row of the second document; fastest if equal rows are adjacent.
        keys: key terms of all documents.
        scratch: scratch memory; its tables are empty before and after.
        column: column, 0 or 1, for the share of ``asking``'s 12 key terms in ``held``; the reverse fills the other.
        evidence: float64 (pairs, COLUMNS), receives the first four columns.
    """
    now, key_bits, target_bits = -1, 0, 0
    first, last, target_first, target_last = 0, 0, 0, 0
    for pair in range(asking.size):
        if held[pair] != now:
            take_out(scratch.keys, key_bits, keys.terms, first, last, 0)
            take_out(scratch.targets, target_bits, keys.targets, target_first, target_last, 0)
            now = held[pair]
            first, last = keys.begins[now], keys.begins[now + 1]
            target_first, target_last = keys.target_begins[now], keys.target_begins[now + 1]
            key_bits = note(scratch.keys, keys.terms, first, last, 0)
            target_bits = note(scratch.targets, keys.targets, target_first, target_last, 0)
        asks = asking[pair]
        met12, met30 = _weigh_asking(keys, asks, now, target_bits, scratch)
        evidence[pair, column] = share(met12, keys.own[asks, 0])
        evidence[pair, _LARGE + column] = share(met30, keys.own[asks, 1])
        met12, met30 = _weigh_held(keys, asks, now, key_bits, scratch)
        evidence[pair, 1 - column] = share(met12, keys.own[now, 0])
        evidence[pair, _LARGE + 1 - column] = share(met30, keys.own[now, 1])
    take_out(scratch.keys, key_bits, keys.terms, first, last, 0)
    take_out(scratch.targets, target_bits, keys.targets, target_first, target_last, 0)


@compiled
def mark_met(a: Ints, b: Ints, begins: Ints, neighbours: Int32s, found: Bools) -> None:
    """Mark the pairs of documents that have a neighbour in common; ``neighbours`` of each document ascend."""
    for pair in range(a.size):
        i, end, j, last = begins[a[pair]], begins[a[pair] + 1], begins[b[pair]], begins[b[pair] + 1]
        while i < end and j < last and neighbours[i] != neighbours[j]:
            if neighbours[i] < neighbours[j]:
                i += 1
            else:
                j += 1
        found[pair] = i < end and j < last
