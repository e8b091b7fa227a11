"""Number the word triples that occur in at least two texts: the index for finding copies.

Most triples of a collection occur in only one text and link nothing. Triples are hashes, so they are processed in
ranges of their leading bits: the table of a range fits in the cache, and the ranges are independent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.machine.compiling import compiled, compiled_bare, signed

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["checksums_of_rows", "fill_postings", "number_shared", "sort_rows"]

PLAIN_ON_ARRAYS: Final = True
"""Computes with slices of arrays."""

_HALF = 32


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


@compiled_bare
def _gather(
    triples: NDArray[np.uint64],
    ends: NDArray[np.int64],
    cursors: NDArray[np.int64],
    last: np.uint64,
    values: NDArray[np.uint64],
    places: NDArray[np.int64],
) -> int:
    """Take the triples up to ``last`` from the front of each row, along with their places."""
    found = 0
    for row in range(cursors.size):
        at = cursors[row]
        while at < ends[row] and triples[at] <= last:
            values[found], places[found] = triples[at], at
            found += 1
            at += 1
        cursors[row] = at
    return found


@compiled_bare
def _number_part(
    values: NDArray[np.uint64],
    places: NDArray[np.int64],
    items: NDArray[np.int64],
    keys: NDArray[np.uint64],
    counts: NDArray[np.int32],
    numbers: NDArray[np.int32],
    terms: NDArray[np.int32],
    first: int,
) -> int:
    """Number the triples of one part by open addressing; return the next free number."""
    mask = keys.size - 1
    counts[:] = 0
    for item in items:
        slot = signed(values[item] & np.uint64(mask))
        while counts[slot] and keys[slot] != values[item]:
            slot = (slot + 1) & mask
        keys[slot] = values[item]
        counts[slot] += 1
        numbers[slot] = -1
    for item in items:
        slot = signed(values[item] & np.uint64(mask))
        while keys[slot] != values[item] or counts[slot] == 0:
            slot = (slot + 1) & mask
        if counts[slot] >= 2:
            if numbers[slot] < 0:
                numbers[slot] = first
                first += 1
            terms[places[item]] = numbers[slot]
    return first


@compiled_bare
def _count_range(
    triples: NDArray[np.uint64], ends: NDArray[np.int64], cursors: NDArray[np.int64], last: np.uint64
) -> int:
    """Number of triples up to ``last`` at the front of all rows."""
    found = 0
    for row in range(cursors.size):
        at = cursors[row]
        while at < ends[row] and triples[at] <= last:
            at += 1
        found += at - cursors[row]
    return found


@compiled
def _order_by_part(values: NDArray[np.uint64], shift: np.uint64, heads: NDArray[np.int64]) -> NDArray[np.int64]:
    """Order items by part: the bits above ``shift``. ``heads``, initially zeros, receives the bounds of the parts."""
    mask = np.uint64(heads.size - 2)
    for value in values:
        heads[signed(value >> shift & mask) + 1] += 1
    for part in range(heads.size - 1):
        heads[part + 1] += heads[part]
    ordered, fill = np.empty(values.size, dtype=np.int64), heads.copy()
    for item in range(values.size):
        part = signed(values[item] >> shift & mask)
        ordered[fill[part]] = item
        fill[part] += 1
    return ordered


@compiled
def number_shared(
    triples: NDArray[np.uint64],
    begins: NDArray[np.int64],
    ends: NDArray[np.int64],
    range_bits: int,
    part_bits: int,
    terms: NDArray[np.int32],
) -> int:
    """Number the triples that occur in at least two rows.

    Args:
        triples: uint64, ascending and distinct in each row.
        begins: int64 (rows,), start of each row in ``triples``.
        ends: int64 (rows,), end of each row.
        range_bits: number of leading bits that define a range.
        part_bits: number of bits after these that define a part, which has a table of its own.
        terms: int32 (triples,), receives the number of each triple, from 0; -1 if it occurs in one row only.

    Returns:
        Number of distinct triples numbered.
    """
    cursors = begins.copy()
    for row in range(begins.size):
        terms[begins[row] : ends[row]] = -1
    shift = np.uint64(64 - range_bits - part_bits) if range_bits + part_bits else np.uint64(63)
    numbered = 0
    for one in range(1 << range_bits):
        last = np.uint64(0xFFFFFFFFFFFFFFFF)
        if one + 1 < 1 << range_bits:
            last = (np.uint64(one + 1) << np.uint64(64 - range_bits)) - np.uint64(1)
        found = _count_range(triples, ends, cursors, last)
        values, places = np.empty(found, dtype=np.uint64), np.empty(found, dtype=np.int64)
        _gather(triples, ends, cursors, last, values, places)
        heads = np.zeros((1 << part_bits) + 1, dtype=np.int64)
        ordered = _order_by_part(values, shift, heads)
        size = 2
        while size < 2 * np.diff(heads).max():
            size *= 2
        keys, counts = np.empty(size, dtype=np.uint64), np.empty(size, dtype=np.int32)
        numbers = np.empty(size, dtype=np.int32)
        for part in range(heads.size - 1):
            items = ordered[heads[part] : heads[part + 1]]
            numbered = _number_part(values, places, items, keys, counts, numbers, terms, numbered)
    return numbered


@compiled
def fill_postings(
    begins: NDArray[np.int64], terms: NDArray[np.int32], heads: NDArray[np.int64], rows: NDArray[np.int32]
) -> None:
    """Invert rows of terms into lists of rows by term.

    Args:
        begins: int64 (rows + 1,), bounds of each row in ``terms``.
        terms: int32, numbers of triples.
        heads: int64 (terms + 1,), zeros; receives the bounds of each term in ``rows``.
        rows: int32, receives the rows of each term, ascending.
    """
    for term in terms:
        heads[term + 1] += 1
    for term in range(heads.size - 1):
        heads[term + 1] += heads[term]
    fill = heads[:-1].copy()
    for row in range(begins.size - 1):
        for at in range(begins[row], begins[row + 1]):
            rows[fill[terms[at]]] = row
            fill[terms[at]] += 1


@compiled
def sort_rows(
    begins: NDArray[np.int64], terms: NDArray[np.int32], heads: NDArray[np.int64], rare: int, middles: NDArray[np.int64]
) -> None:
    """Order each row: rare terms first, then the others, both ascending.

    Args:
        begins: int64 (rows + 1,), bounds of each row in ``terms``.
        terms: int32, numbers of triples; ordered in place.
        heads: int64 (terms + 1,), bounds of the postings of each term.
        rare: maximum number of texts that contain a rare triple.
        middles: int64 (rows,), receives the start of the other terms.
    """
    for row in range(begins.size - 1):
        first, last = begins[row], begins[row + 1]
        ordered = np.sort(terms[first:last])
        place = first
        for term in ordered:
            if heads[term + 1] - heads[term] <= rare:
                terms[place] = term
                place += 1
        middles[row] = place
        for term in ordered:
            if heads[term + 1] - heads[term] > rare:
                terms[place] = term
                place += 1
