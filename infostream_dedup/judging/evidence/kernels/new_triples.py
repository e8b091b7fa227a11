"""Count the word triples that no earlier document has."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.judging.evidence.kernels.triple_parts import TripleRange, table_size, take_parts
from infostream_dedup.machine.compiling import compiled, signed

if TYPE_CHECKING:
    from infostream_dedup.machine.arrays import Vector

__all__ = ["count_new"]


@compiled
def _mark_new(
    given: TripleRange, begin: int, end: int, keys: Vector[np.uint64], used: Vector[np.bool_], new: Vector[np.bool_]
) -> None:
    """Mark the first of equal triples in one part; ``keys`` and ``used`` are its table, by open addressing."""
    mask = keys.size - 1
    used[:] = False
    for item in range(begin, end):
        triple = given.scratch.values[item]
        slot = signed(triple & np.uint64(mask))
        while used[slot] and keys[slot] != triple:
            slot = (slot + 1) & mask
        new[given.scratch.places[item]] = not used[slot]
        keys[slot], used[slot] = triple, True


@compiled
def count_new(given: TripleRange, new: Vector[np.bool_], found: Vector[np.int32]) -> None:
    """Count the triples of a range that no earlier document has.

    Args:
        given: the range.
        new: bool, as long as the triples; receives which of them are new.
        found: int32 (documents,), receives the number of each document.
    """
    ends = np.zeros((1 << given.part_bits) + 1, dtype=np.int64)
    take_parts(given, np.ones(found.size, dtype=np.bool_), ends)
    size = table_size(ends)
    keys, used = np.empty(size, dtype=np.uint64), np.empty(size, dtype=np.bool_)
    begin = 0
    for part in range(ends.size - 1):
        _mark_new(given, begin, ends[part], keys, used, new)
        begin = ends[part]
    at = 0
    for document in range(found.size):
        end, count = at + given.counts[document], 0
        for place in range(at, end):
            count += new[place]
        found[document] = count
        at = end
