"""Compute the share of key terms that two documents have in common: the cheap filter needs it for every candidate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from infostream_dedup.judging.evidence.kernels.term_places import look_up, note, place_of, take_out
from infostream_dedup.machine.compiling import compiled, inlined, signed

if TYPE_CHECKING:
    from infostream_dedup.judging.evidence.kernels.comparing import ComparedKeys
    from infostream_dedup.machine.arrays import Table, Vector

__all__ = ["ShareScratch", "share_pairs"]

_LARGE: Final = 2
"""Number of columns for the shares of 12 key terms; those for all key terms follow."""


class ShareScratch(NamedTuple):
    """Scratch memory.

    Attributes:
        keys: int32, zeros, ``SLOTS`` for each key term of the longest document.
        targets: int32, zeros, ``SLOTS`` for each term of the longest document.
        maybe: int64, longer than the terms of any document.
    """

    keys: Vector[np.int32]
    targets: Vector[np.int32]
    maybe: Vector[np.int64]


@inlined
def _share(met: int, own: int) -> float:
    return np.float64(met) / np.float64(own) if own else 0.0


@compiled
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


@compiled
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
    asking: Vector[np.int64],
    held: Vector[np.int64],
    keys: ComparedKeys,
    scratch: ShareScratch,
    column: int,
    evidence: Table[np.float64],
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
        evidence[pair, column] = _share(met12, keys.own[asks, 0])
        evidence[pair, _LARGE + column] = _share(met30, keys.own[asks, 1])
        met12, met30 = _weigh_held(keys, asks, now, key_bits, scratch)
        evidence[pair, 1 - column] = _share(met12, keys.own[now, 0])
        evidence[pair, _LARGE + 1 - column] = _share(met30, keys.own[now, 1])
    take_out(scratch.keys, key_bits, keys.terms, first, last, 0)
    take_out(scratch.targets, target_bits, keys.targets, target_first, target_last, 0)
