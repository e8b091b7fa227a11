"""Word triples of many documents: by range, in parts that fit in the cache, and those that are new."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from infostream_dedup.machine.arrays import Bools, Int32s, Ints, Table, Uint64s
from infostream_dedup.machine.compiling import compiled, inlined, signed

# Arrange the word triples of some documents by ranges of their leading bits

RANGE_BITS: Final = 5  # number of leading bits that define a range
RANGES: Final = 1 << RANGE_BITS  # number of ranges: those of a month of news are so small that several fit into memory

_SHIFT = np.uint64(64 - RANGE_BITS)

_ONE = np.uint64(1)


@compiled
def split_rows(
    triples: Uint64s, begins: Ints, counts: Table[np.int32], values: Uint64s, sums: Table[np.uint64]
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

    values: Uint64s  # uint64, triples in parts
    places: Int32s  # int32, place of each in the range


class TripleRange(NamedTuple):
    """The triples of one range."""

    triples: Uint64s  # uint64, document by document, distinct in each
    counts: Int32s  # int32 (documents,), number of triples of each document
    part_bits: int  # number of bits, after those of the range, that define a part
    scratch: PartScratch  # room for as many triples


@inlined
def _part_of(triple: np.uint64, part_bits: int) -> int:
    return signed(triple << _RANGE_BITS >> np.uint64(64 - part_bits)) if part_bits else 0


def take_parts(given: TripleRange, chosen: Bools, ends: Ints) -> None:
    """Write the triples of chosen documents to the scratch memory, part by part, in the order of the documents.

    ``ends``: int64 (parts + 1,), receives the end of each part; the last entry repeats the one before it.
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


def table_size(ends: Ints) -> int:
    """Slots of a table for the longest part: a power of two, at least twice its triples."""
    longest, begin, size = 0, 0, 2
    for part in range(ends.size - 1):
        longest, begin = max(longest, ends[part] - begin), ends[part]
    while size < 2 * longest:
        size *= 2
    return size


# Count the word triples that no earlier document has


def _mark_new(given: TripleRange, begin: int, end: int, keys: Uint64s, used: Bools, new: Bools) -> None:
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
def count_new(given: TripleRange, new: Bools, found: Int32s) -> None:
    """Mark the triples of a range that no earlier document has, and count those of each document."""
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


# Find documents with common wording by sketches: the smallest triples of each document

DOCUMENT_BITS: Final = 24  # low bits of an entry; the others are the low bits of the triple's hash
_FEW: Final = 5  # triples of a text so short that one common triple may matter

_DOCUMENT = np.uint64((1 << DOCUMENT_BITS) - 1)
_HASH_BITS = np.uint64(DOCUMENT_BITS)


class Sketches(NamedTuple):
    """The sketches of documents, and which of them contain each triple."""

    triples: Uint64s  # uint64, of each document ascending; a sketch is the beginning of them
    begins: Ints  # int64 (documents + 1,), bounds of each document's triples
    sizes: Ints  # int64 (documents,), triples in each sketch
    entries: Uint64s  # uint64, ascending: hash and document of each triple of a sketch
    runs: Int32s  # int32, as long: number of the run of equal hashes, sketch by sketch
    starts: Ints  # int64 (runs + 1,), where each run begins in ``entries``
    passed: Ints  # int64 (runs,), documents of each run that have been asked; zeros at first


@compiled
def measure_sketches(triples: Uint64s, begins: Ints, fewest: int, limit: np.uint64, sizes: Ints) -> None:
    """Count the triples in each sketch: those up to a limit, and at least ``fewest`` if there are as many."""
    for document in range(sizes.size):
        begin, end = begins[document], begins[document + 1]
        at = min(begin + fewest, end)
        while at < end and triples[at] <= limit:
            at += 1
        sizes[document] = at - begin


@compiled
def fill_entries(triples: Uint64s, begins: Ints, sizes: Ints, entries: Uint64s) -> None:
    """Write the entries of all sketches, in the order of the documents."""
    place = 0
    for document in range(sizes.size):
        for at in range(begins[document], begins[document] + sizes[document]):
            entries[place] = (triples[at] << _HASH_BITS) | np.uint64(document)
            place += 1


@compiled
def number_runs(entries: Uint64s, ends: Ints, runs: Int32s, starts: Ints) -> int:
    """Number the runs of equal hashes, and write the numbers of each document's triples; return their count.

    ``ends``: where each document's numbers begin in ``runs``, receives where they end; ``starts``: longer by one than
    ``entries``, receives where each run begins, and the end of the last.
    """
    run, last = -1, np.uint64(0)
    for at in range(entries.size):
        hashed = entries[at] >> _HASH_BITS
        if at == 0 or hashed != last:
            run += 1
            starts[run] = at
            last = hashed
        document = signed(entries[at] & _DOCUMENT)
        runs[ends[document]] = run
        ends[document] += 1
    starts[run + 1] = entries.size
    return run + 1


@inlined
def _sketched_below(given: Sketches, document: int, limit: np.uint64) -> int:
    """Triples of a sketch that are at most a limit."""
    begin = given.begins[document]
    low, high = begin, begin + given.sizes[document]
    while low < high:
        middle = (low + high) // 2
        if given.triples[middle] <= limit:
            low = middle + 1
        else:
            high = middle
    return signed(low - begin)


@inlined
def _may_be_alike(given: Sketches, a: int, b: int, shared: int, least: float) -> bool:
    """Whether enough of the smaller sketch is shared, as far as both sketches reach."""
    size_a, size_b = given.sizes[a], given.sizes[b]
    # Most documents that meet have one triple in common by chance.
    if shared == 1 and min(size_a, size_b) > _FEW:
        return False
    all_a, all_b = given.begins[a + 1] - given.begins[a], given.begins[b + 1] - given.begins[b]
    if size_a < all_a:
        size_b = _sketched_below(given, b, given.triples[given.begins[a] + size_a - 1])
    if given.sizes[b] < all_b:
        size_a = _sketched_below(given, a, given.triples[given.begins[b] + given.sizes[b] - 1])
    needed = least * np.float64(min(size_a, size_b))
    return not np.float64(shared) < needed


@compiled
def pairs_of_sketches(
    given: Sketches, first: int, cap: int, least: float, counts: Int32s, met: Ints, a: Ints, b: Ints
) -> tuple[int, int]:
    """Find pairs with enough common triples in their sketches, in the order of (b, a), until there is no more room.

    Args:
        given: the sketches; ``passed`` goes on where the last call ended.
        first: the first document to ask.
        cap: even number; of a triple in more documents, only the first and the last of them are asked, half each.
        least: share of the smaller sketch that must be common, 0 to 1.
        counts: int32 (documents,), zeros; scratch memory, zeros again at the end.
        met: int64 (documents,), scratch memory.
        a: int64, receives the earlier documents; at least as long as there are documents.
        b: int64, as long; receives the later ones.

    Returns:
        The next document to ask, and the number of pairs.
    """
    found, place = 0, 0
    for document in range(first):
        place += given.sizes[document]
    for document in range(first, given.sizes.size):
        if a.size - found < document:
            return document, found
        others = 0
        for at in range(place, place + given.sizes[document]):
            run = given.runs[at]
            begin, earlier = given.starts[run], given.passed[run]
            given.passed[run] += 1
            for number in range(min(earlier, cap)):
                step = number if number < cap // 2 else number + max(earlier - cap, 0)
                other = signed(given.entries[begin + step] & _DOCUMENT)
                if counts[other] == 0:
                    met[others] = other
                    others += 1
                counts[other] += 1
        place += given.sizes[document]
        kept = found
        for number in range(others):
            other = met[number]
            if _may_be_alike(given, other, document, counts[other], least):
                a[found], b[found] = other, document
                found += 1
            counts[other] = 0
        a[kept:found].sort()
    return given.sizes.size, found
