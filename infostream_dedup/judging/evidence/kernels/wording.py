"""Compute how much wording two documents share; ``tests/oracles/plain_pairs.py`` is the readable reference."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.judging.evidence.kernels.comparing import COLUMNS
from infostream_dedup.machine.compiling import compiled, inlined, signed

if TYPE_CHECKING:
    from infostream_dedup.machine.arrays import Table, Vector

__all__ = ["PLACES", "word_pairs"]

PLACES: Final = 1 << 15
"""Number of places in the table in which the triples of one document are looked up."""

_SHIFT = np.uint64(64 - 15)
_WORDING: Final = COLUMNS.index("wording_forward")


@inlined
def _key(triple: np.uint64) -> int:
    return signed(triple >> _SHIFT)


@compiled
def _put(triples: Vector[np.uint64], first: int, last: int, places: Vector[np.uint32]) -> None:
    """Note where the triples of each key begin, counted from 1; triples with equal keys are adjacent."""
    for place in range(last - 1, first - 1, -1):
        places[_key(triples[place])] = place - first + 1


@compiled
def _take_out(triples: Vector[np.uint64], first: int, last: int, places: Vector[np.uint32]) -> None:
    for place in range(first, last):
        places[_key(triples[place])] = 0


@compiled
def _count_shared(
    triples: Vector[np.uint64],
    begin: int,
    end: int,
    first: int,
    last: int,
    places: Vector[np.uint32],
    hits: Vector[np.int64],
) -> int:
    """Count the triples of a document that the document in the table contains too."""
    found = 0
    for place in range(begin, end):
        # Written unconditionally: a branch would be mispredicted too often.
        hits[found] = place
        found += places[_key(triples[place])] != 0
    shared = 0
    for hit in range(found):
        triple = triples[hits[hit]]
        there = first + signed(places[_key(triple)]) - 1
        while there < last and triples[there] < triple:
            there += 1
        shared += there < last and triples[there] == triple
    return shared


@compiled
def word_pairs(
    a: Vector[np.int64],
    b: Vector[np.int64],
    triples: Vector[np.uint64],
    begins: Vector[np.int64],
    places: Vector[np.uint32],
    hits: Vector[np.int64],
    evidence: Table[np.float64],
) -> None:
    """Fill in wording: the share of each document's triples that the other one contains.

    Args:
        a: int64 (pairs,), row of the earlier document.
        b: int64 (pairs,), row of the later one; fastest if equal rows are adjacent.
        triples: uint64, of each document ascending, each once.
        begins: int64 (documents + 1,), bounds of each document.
        places: uint32 (PLACES,), zeros; scratch memory, zeros again at the end.
        hits: int64, scratch memory, longer than the triples of any document.
        evidence: float64 (pairs, COLUMNS), receives the last two columns.
    """
    held, first, last = -1, 0, 0
    for pair in range(a.size):
        if b[pair] != held:
            _take_out(triples, first, last, places)
            held = b[pair]
            first, last = begins[held], begins[held + 1]
            _put(triples, first, last, places)
        begin, end = begins[a[pair]], begins[a[pair] + 1]
        shared = _count_shared(triples, begin, end, first, last, places, hits)
        evidence[pair, _WORDING] = np.float64(shared) / np.float64(end - begin) if end > begin else 0.0
        evidence[pair, _WORDING + 1] = np.float64(shared) / np.float64(last - first) if last > first else 0.0
    _take_out(triples, first, last, places)
