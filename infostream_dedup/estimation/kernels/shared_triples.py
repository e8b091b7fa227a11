"""Number the word triples that occur in at least two texts: the index for finding copies.

Most triples of a collection occur in only one text and link nothing. Triples are hashes, so they are processed in
ranges of their leading bits: the table of a range fits in the cache, and threads process different ranges. A month of
news has gigabytes of triples, so numbers are written over them, and the numbers that remain are moved to the front.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.links.compiled.kernels.row_search import first_not_below
from infostream_dedup.machine.compiling import compiled, compiled_bare, inlined, prefetch, signed

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "checksums_of_rows",
    "count_postings",
    "fill_postings",
    "keep_shared",
    "number_ranges",
    "sort_rows",
    "write_rows",
]

PLAIN_ON_ARRAYS: Final = True
"""Computes with slices of arrays."""

_UPPER = np.uint64(0xFFFFFFFF00000000)
"""Half of a triple that remains when it is numbered; it decides the range."""
_LOWER = np.uint64(0xFFFFFFFF)
_UNSHARED = np.uint64(0xFFFFFFFF)
"""Lower half of a triple that occurs in one row only."""
_AHEAD = 16
"""Number of rows for which memory is requested before it is needed."""
_SPREAD = np.uint64(0x9E3779B97F4A7C15)
"""An odd factor, so that products differ."""


@compiled
def checksums_of_rows(
    triples: NDArray[np.uint64], begins: NDArray[np.int64], sums: NDArray[np.uint64], folded: NDArray[np.uint64]
) -> None:
    """Write two checksums of each document's triples; equal sets of triples have equal checksums."""
    for row in range(begins.size - 1):
        plain, mixed = np.uint64(0), np.uint64(0)
        for at in range(begins[row], begins[row + 1]):
            plain += triples[at]
            mixed ^= triples[at] * (triples[at] | np.uint64(1))
        sums[row], folded[row] = plain, mixed


@inlined
def _range_of(triple: np.uint64, range_bits: int) -> int:
    return signed(triple >> np.uint64(64 - range_bits)) if range_bits else 0


@compiled_bare
def _count_parts(
    triples: NDArray[np.uint64],
    ends: NDArray[np.int64],
    cursors: NDArray[np.int64],
    last: np.uint64,
    shift: np.uint64,
    heads: NDArray[np.int64],
) -> None:
    """Count the triples up to ``last`` by part: bits above ``shift``; ``heads`` receives the bounds of the parts."""
    mask = np.uint64(heads.size - 2)
    heads[:] = 0
    for row in range(cursors.size):
        prefetch(triples, cursors[min(row + _AHEAD, cursors.size - 1)])
        at, end = cursors[row], ends[row]
        while at < end and triples[at] <= last:
            heads[signed(triples[at] >> shift & mask) + 1] += 1
            at += 1
    for part in range(heads.size - 1):
        heads[part + 1] += heads[part]


@compiled_bare
def _take_parts(
    triples: NDArray[np.uint64],
    ends: NDArray[np.int64],
    cursors: NDArray[np.int64],
    last: np.uint64,
    shift: np.uint64,
    fill: NDArray[np.int64],
    values: NDArray[np.uint64],
    places: NDArray[np.int64],
) -> None:
    """Take the triples up to ``last`` from the front of each row, along with their places, and mark them unshared."""
    mask = np.uint64(fill.size - 2)
    for row in range(cursors.size):
        prefetch(triples, cursors[min(row + _AHEAD, cursors.size - 1)])
        at, end = cursors[row], ends[row]
        while at < end and triples[at] <= last:
            triple = triples[at]
            part = signed(triple >> shift & mask)
            values[fill[part]], places[fill[part]] = triple, at
            fill[part] += 1
            triples[at] = triple & _UPPER | _UNSHARED
            at += 1
        cursors[row] = at


@compiled_bare
def _number_part(
    values: NDArray[np.uint64],
    places: NDArray[np.int64],
    begin: int,
    end: int,
    mask: int,
    keys: NDArray[np.uint64],
    counts: NDArray[np.int32],
    numbers: NDArray[np.int32],
    triples: NDArray[np.uint64],
    first: int,
) -> int:
    """Number the triples of one part by open addressing; return the next free number."""
    counts[: mask + 1] = 0
    for item in range(begin, end):
        slot = signed(values[item] & np.uint64(mask))
        while counts[slot] and keys[slot] != values[item]:
            slot = (slot + 1) & mask
        keys[slot] = values[item]
        counts[slot] += 1
        numbers[slot] = -1
    for item in range(begin, end):
        slot = signed(values[item] & np.uint64(mask))
        while keys[slot] != values[item] or counts[slot] == 0:
            slot = (slot + 1) & mask
        if counts[slot] >= 2:
            if numbers[slot] < 0:
                numbers[slot] = first
                first += 1
            triples[places[item]] = values[item] & _UPPER | np.uint64(numbers[slot])
    return first


@compiled
def number_ranges(
    triples: NDArray[np.uint64],
    begins: NDArray[np.int64],
    ends: NDArray[np.int64],
    first: int,
    last: int,
    range_bits: int,
    part_bits: int,
    numbered: NDArray[np.int64],
) -> None:
    """Replace the lower half of the triples of some ranges by numbers, from 0 in each range.

    Args:
        triples: uint64, ascending and distinct in each row; lower halves are written over.
        begins: int64 (rows,), start of each row in ``triples``.
        ends: int64 (rows,), end of each row.
        first: the first range.
        last: the range after the last.
        range_bits: number of leading bits that define a range, at most 32.
        part_bits: number of bits after these that define a part, which has a table of its own.
        numbered: int64 (ranges,), receives how many distinct triples of each range occur in at least two rows.
    """
    cursors = begins.copy()
    if first > 0:
        least = np.uint64(first) << np.uint64(64 - range_bits)
        for row in range(begins.size):
            cursors[row] = first_not_below(triples, begins[row], ends[row], least)
    shift = np.uint64(64 - range_bits - part_bits) if range_bits + part_bits else np.uint64(63)
    heads = np.zeros((1 << part_bits) + 1, dtype=np.int64)
    # Ranges are about equally large; memory that was used before need not be cleared by the system.
    values, places = np.empty(0, dtype=np.uint64), np.empty(0, dtype=np.int64)
    keys, counts = np.empty(2, dtype=np.uint64), np.empty(2, dtype=np.int32)
    numbers = np.empty(2, dtype=np.int32)
    for one in range(first, last):
        upto = np.uint64(0xFFFFFFFFFFFFFFFF)
        if one + 1 < 1 << range_bits:
            upto = (np.uint64(one + 1) << np.uint64(64 - range_bits)) - np.uint64(1)
        _count_parts(triples, ends, cursors, upto, shift, heads)
        if heads[-1] > values.size:
            room = heads[-1] + heads[-1] // 16
            values, places = np.empty(room, dtype=np.uint64), np.empty(room, dtype=np.int64)
        _take_parts(triples, ends, cursors, upto, shift, heads.copy(), values, places)
        size = 2
        while size < 2 * np.diff(heads).max():
            size *= 2
        if size > keys.size:
            keys, counts = np.empty(size, dtype=np.uint64), np.empty(size, dtype=np.int32)
            numbers = np.empty(size, dtype=np.int32)
        found = 0
        for part in range(heads.size - 1):
            found = _number_part(
                values, places, heads[part], heads[part + 1], size - 1, keys, counts, numbers, triples, found
            )
        numbered[one] = found


@compiled_bare
def keep_shared(
    triples: NDArray[np.uint64],
    bounds: NDArray[np.int64],
    chosen: NDArray[np.bool_],
    firsts: NDArray[np.int64],
    range_bits: int,
    kept: NDArray[np.int32],
    begins: NDArray[np.int64],
) -> None:
    """Move the numbers of shared triples to the front.

    Args:
        triples: uint64, result of ``number_ranges``.
        bounds: int64 (documents + 1,), bounds of each document in ``triples``.
        chosen: bool (documents,), whether a document is a row; the others keep no numbers.
        firsts: int64 (ranges,), first number of each range.
        range_bits: as in ``number_ranges``.
        kept: int32, the memory of ``triples``; receives the numbers.
        begins: int64 (documents + 1,), receives the bounds of each document in ``kept``.
    """
    place = 0
    for document in range(chosen.size):
        begins[document] = place
        if chosen[document]:
            for at in range(bounds[document], bounds[document + 1]):
                triple = triples[at]
                if triple & _LOWER != _UNSHARED:
                    kept[place] = signed(triple & _LOWER) + firsts[_range_of(triple, range_bits)]
                    place += 1
    begins[chosen.size] = place


@compiled
def write_rows(
    numbers: NDArray[np.int32],
    begins: NDArray[np.int64],
    ends: NDArray[np.int64],
    fillers: NDArray[np.int64],
    bounds: NDArray[np.int64],
    rows: NDArray[np.uint64],
) -> None:
    """Write rows of triples in which equal numbers are equal triples, and all other triples differ.

    Args:
        numbers: int32, numbers of shared triples.
        begins: int64 (rows,), start of each row in ``numbers``.
        ends: int64 (rows,), end of each row.
        fillers: int64 (rows,), the first of the distinct values for the other triples of a row.
        bounds: int64 (rows + 1,), bounds of each row in ``rows``.
        rows: uint64, receives the triples, ascending in each row.
    """
    for row in range(begins.size):
        place, last = bounds[row], bounds[row + 1]
        for at in range(begins[row], ends[row]):
            rows[place] = np.uint64(numbers[at]) * _SPREAD
            place += 1
        filler = fillers[row]
        while place < last:
            rows[place] = np.uint64(filler + (1 << 32)) * _SPREAD
            filler += 1
            place += 1
        rows[bounds[row] : last] = np.sort(rows[bounds[row] : last])


@compiled_bare
def count_postings(
    begins: NDArray[np.int64],
    ends: NDArray[np.int64],
    terms: NDArray[np.int32],
    first: int,
    last: int,
    heads: NDArray[np.int64],
) -> None:
    """Count the texts of the terms from ``first`` to ``last`` - 1.

    Args:
        begins: int64 (texts,), start of each text in ``terms``.
        ends: int64 (texts,), end of each text.
        terms: int32, numbers of triples.
        first: the first term.
        last: the term after the last.
        heads: int64 (terms + 2,), zeros; receives the number of texts of each term, two places later.
    """
    for text in range(begins.size):
        for at in range(begins[text], ends[text]):
            if first <= terms[at] < last:
                heads[terms[at] + 2] += 1


@compiled_bare
def fill_postings(
    begins: NDArray[np.int64],
    ends: NDArray[np.int64],
    terms: NDArray[np.int32],
    first: int,
    last: int,
    heads: NDArray[np.int64],
    texts: NDArray[np.int32],
) -> None:
    """Write the texts of the terms from ``first`` to ``last`` - 1.

    Args:
        begins: int64 (texts,), start of each text in ``terms``.
        ends: int64 (texts,), end of each text.
        terms: int32, numbers of triples.
        first: the first term.
        last: the term after the last.
        heads: int64 (terms + 2,), start of each term in ``texts``, one place later; afterwards its end.
        texts: int32, receives the texts of each term, ascending.
    """
    for text in range(begins.size):
        for at in range(begins[text], ends[text]):
            term = terms[at]
            if first <= term < last:
                texts[heads[term + 1]] = text
                heads[term + 1] += 1


@compiled
def sort_rows(
    begins: NDArray[np.int64],
    ends: NDArray[np.int64],
    terms: NDArray[np.int32],
    heads: NDArray[np.int64],
    rare: int,
    first: int,
    last: int,
    middles: NDArray[np.int64],
) -> None:
    """Order the terms of some texts: rare ones first, then the others, both ascending.

    Args:
        begins: int64 (texts,), start of each text in ``terms``.
        ends: int64 (texts,), end of each text.
        terms: int32, numbers of triples; ordered in place.
        heads: int64 (terms + 1,), bounds of the postings of each term.
        rare: maximum number of texts that contain a rare triple.
        first: the first text.
        last: the text after the last.
        middles: int64 (texts,), receives the start of the other terms.
    """
    for text in range(first, last):
        begin, end = begins[text], ends[text]
        ordered = np.sort(terms[begin:end])
        place = begin
        for term in ordered:
            if heads[term + 1] - heads[term] <= rare:
                terms[place] = term
                place += 1
        middles[text] = place
        for term in ordered:
            if heads[term + 1] - heads[term] > rare:
                terms[place] = term
                place += 1
