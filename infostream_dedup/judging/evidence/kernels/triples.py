"""Word triples of many documents: by range, in parts that fit in the cache, and those that are new."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from infostream_dedup.machine.compiling import compiled, inlined, signed

if TYPE_CHECKING:
    from infostream_dedup.machine.arrays import Table, Vector


# Arrange the word triples of some documents by ranges of their leading bits

RANGE_BITS: Final = 5
"""Number of leading bits that define a range."""

RANGES: Final = 1 << RANGE_BITS
"""Number of ranges: those of a month of news are so small that several fit into memory."""

_SHIFT = np.uint64(64 - RANGE_BITS)

_ONE = np.uint64(1)


@compiled
def split_rows(
    triples: Vector[np.uint64],
    begins: Vector[np.int64],
    counts: Table[np.int32],
    values: Vector[np.uint64],
    sums: Table[np.uint64],
) -> None:
    """Arrange the triples of documents by range, and compute two checksums of each document.

    Args:
        triples: uint64, ascending in each document.
        begins: int64 (documents + 1,), bounds of each document in ``triples``.
        counts: int32 (RANGES, documents), zeros; receives the number of triples of each document in each range.
        values: uint64, as long as ``triples``; receives the triples of the first range, document by document, then
            those of the second.
        sums: uint64 (2, documents), receives the checksums; equal sets of triples have equal ones.
    """
    documents = begins.size - 1
    for document in range(documents):
        plain, mixed = np.uint64(0), np.uint64(0)
        for at in range(begins[document], begins[document + 1]):
            triple = triples[at]
            plain += triple
            mixed ^= triple * (triple | _ONE)
            counts[signed(triple >> _SHIFT), document] += 1
        sums[0, document], sums[1, document] = plain, mixed
    places = np.zeros(RANGES, dtype=np.int64)
    for one in range(RANGES - 1):
        places[one + 1] = places[one] + counts[one].sum()
    for document in range(documents):
        at = begins[document]
        for one in range(RANGES):
            place = places[one]
            for _ in range(counts[one, document]):
                values[place] = triples[at]
                place += 1
                at += 1
            places[one] = place


# Sort the word triples of one range into parts, so that the table of a part fits in the cache

_RANGE_BITS = np.uint64(RANGE_BITS)


class PartScratch(NamedTuple):
    """Room for the triples of a range."""

    values: Vector[np.uint64]  # uint64, triples in parts
    places: Vector[np.int32]  # int32, place of each in the range


class TripleRange(NamedTuple):
    """The triples of one range."""

    triples: Vector[np.uint64]  # uint64, document by document, distinct in each
    counts: Vector[np.int32]  # int32 (documents,), number of triples of each document
    part_bits: int  # number of bits, after those of the range, that define a part
    scratch: PartScratch  # room for as many triples


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


# Count the word triples that no earlier document has


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
