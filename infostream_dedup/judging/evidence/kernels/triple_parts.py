"""Sort the word triples of one range into parts, so that the table of a part fits in the cache."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from infostream_dedup.judging.evidence.kernels.triple_ranges import RANGE_BITS
from infostream_dedup.machine.compiling import compiled, inlined, signed

if TYPE_CHECKING:
    from infostream_dedup.machine.arrays import Vector

__all__ = ["PartScratch", "TripleRange", "table_size", "take_parts"]

_RANGE_BITS = np.uint64(RANGE_BITS)


class PartScratch(NamedTuple):
    """Room for the triples of a range.

    Attributes:
        values: uint64, triples in parts.
        places: int32, place of each in the range.
    """

    values: Vector[np.uint64]
    places: Vector[np.int32]


class TripleRange(NamedTuple):
    """The triples of one range.

    Attributes:
        triples: uint64, document by document, distinct in each.
        counts: int32 (documents,), number of triples of each document.
        part_bits: number of bits, after those of the range, that define a part.
        scratch: room for as many triples.
    """

    triples: Vector[np.uint64]
    counts: Vector[np.int32]
    part_bits: int
    scratch: PartScratch


@inlined
def _part_of(triple: np.uint64, part_bits: int) -> int:
    return signed(triple << _RANGE_BITS >> np.uint64(64 - part_bits)) if part_bits else 0


@compiled
def take_parts(given: TripleRange, chosen: Vector[np.bool_], ends: Vector[np.int64]) -> None:
    """Write the triples of chosen documents to the scratch memory, part by part, in the order of the documents.

    Args:
        given: the triples.
        chosen: bool (documents,), the documents whose triples are taken.
        ends: int64 (parts + 1,), receives the end of each part; the last entry repeats the one before it.
    """
    triples, counts, part_bits, scratch = given
    ends[:] = 0
    at = 0
    for document in range(counts.size):
        end = at + counts[document]
        if chosen[document]:
            for place in range(at, end):
                ends[_part_of(triples[place], part_bits) + 1] += 1
        at = end
    for part in range(ends.size - 1):
        ends[part + 1] += ends[part]
    at = 0
    for document in range(counts.size):
        end = at + counts[document]
        if chosen[document]:
            for place in range(at, end):
                part = _part_of(triples[place], part_bits)
                scratch.values[ends[part]], scratch.places[ends[part]] = triples[place], place
                ends[part] += 1
        at = end


@compiled
def table_size(ends: Vector[np.int64]) -> int:
    """Slots of a table for the longest part: a power of two, at least twice its triples."""
    longest, begin, size = 0, 0, 2
    for part in range(ends.size - 1):
        longest, begin = max(longest, ends[part] - begin), ends[part]
    while size < 2 * longest:
        size *= 2
    return size
