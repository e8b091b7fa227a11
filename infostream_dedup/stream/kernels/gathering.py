"""Copy or join rows of different lengths, and put key terms of documents into the order in which they are compared."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from infostream_dedup.language.text.kernels.surface_table import hash_bytes
from infostream_dedup.machine.arrays import Int32s, Ints, Uint8s, Uint32s, Vector, Whole
from infostream_dedup.machine.compiling import compiled, inlined, signed


class Arranged(NamedTuple):
    """Key terms in the order of their numbers."""

    terms: Int32s  # int32
    weights: Ints  # int64
    heaviest: Uint8s  # uint8, 1 for the heaviest of a document and 0 for its others


@compiled
def put_rows(ends: Ints, values: Vector[Whole], rows: Ints, begins: Ints, into: Vector[Whole]) -> None:
    """Copy some rows; ``begins``: where each goes."""
    for place in range(rows.size):
        first, there = ends[rows[place]], begins[place]
        for value in range(ends[rows[place] + 1] - first):
            into[there + value] = values[first + value]


@compiled
def arrange_keys(begins: Ints, firsts: Ints, keys: Int32s, weights: Ints, arranged: Arranged) -> None:
    """Mark the heaviest key terms of each document, its ``firsts`` first ones, and sort its key terms by number."""
    for document in range(firsts.size):
        begin = begins[document]
        own = keys[begin : begins[document + 1]]
        for key in range(own.size):
            # Counting the smaller ones has no branches; thirty terms at most are sorted fastest in this way.
            smaller, term = np.int32(0), own[key]
            for other in range(own.size):
                smaller += np.int32(own[other] < term)
            arranged.terms[begin + smaller] = term
            arranged.weights[begin + smaller] = weights[begin + key]
            arranged.heaviest[begin + smaller] = key < firsts[document]


@compiled
def order_by_weight(bounds: Ints, weights: Ints, order: Ints, tied: Uint8s) -> int:
    """Order the entries of each row by weight, heaviest first, equal ones by place; return how many have an equal.

    Rows are short, or most of a row weighs the same, so that inserting one entry after another is fast.

    Args:
        bounds: int64 (rows + 1,), bounds of the rows in ``weights``.
        weights: int64 (entries,).
        order: int64 (entries,), receives the places of the entries, row by row.
        tied: uint8 (entries,), receives 1 for each place of ``order`` whose weight recurs in the row.
    """
    many = 0
    for row in range(bounds.size - 1):
        begin, end = bounds[row], bounds[row + 1]
        for place in range(begin, end):
            weight, at = weights[place], place
            while at > begin and weights[order[at - 1]] < weight:
                order[at] = order[at - 1]
                at -= 1
            order[at] = place
            tied[place] = 0
        for at in range(begin + 1, end):
            if weights[order[at]] == weights[order[at - 1]]:
                many += 1 if tied[at - 1] else 2
                tied[at - 1] = tied[at] = 1
    return many


@compiled
def distinct_of_parts(bounds: Ints, parts: Ints, ends: Ints, values: Ints, found: Ints, found_ends: Ints) -> None:
    """Join parts, and keep the distinct values of each row in ascending order; ``found``: as long as all of them."""
    size = 0
    found_ends[0] = 0
    for row in range(bounds.size - 1):
        first = size
        for place in range(bounds[row], bounds[row + 1]):
            part = parts[place]
            for value in range(ends[part], ends[part + 1]):
                found[size] = values[value]
                size += 1
        found[first:size].sort()
        kept = first
        for place in range(first, size):
            if kept == first or found[place] != found[kept - 1]:
                found[kept] = found[place]
                kept += 1
        found_ends[row + 1] = size = kept


# A hash table of distinct terms with open addressing; every hit is verified byte by byte


class TermTable(NamedTuple):
    """Terms by number."""

    slots: Uint32s  # uint32 (power of two,), number of a term + 1; 0 if empty
    starts: Ints  # int64, start of each term in `pool`, and end of the last one
    pool: Uint8s  # uint8, the terms in UTF-8, concatenated, followed by `BLOCK` spare bytes


@inlined
def _is(table: TermTable, number: int, data: Uint8s, begin: int, length: int) -> bool:
    start = table.starts[number]
    if table.starts[number + 1] - start != length:
        return False
    byte = 0
    while byte < length and table.pool[start + byte] == data[begin + byte]:
        byte += 1
    return byte == length


@compiled
def number_all(table: TermTable, count: int, data: Uint8s, starts: Ints, numbers: Ints) -> int:
    """Number terms, adding new ones; return how many terms the table then has.

    There must be room for all, with at least half of the slots empty; ``data``: followed by ``BLOCK`` spare bytes.
    """
    mask = signed(table.slots.size - 1)
    for term in range(numbers.size):
        begin, length = starts[term], starts[term + 1] - starts[term]
        slot = signed(hash_bytes(data, begin, length, False)) & mask
        while table.slots[slot] != 0 and not _is(table, signed(table.slots[slot]) - 1, data, begin, length):
            slot = (slot + 1) & mask
        if table.slots[slot] == 0:
            end = table.starts[count]
            for byte in range(length):
                table.pool[end + byte] = data[begin + byte]
            count += 1
            table.starts[count] = end + length
            table.slots[slot] = count
        numbers[term] = signed(table.slots[slot]) - 1
    return count


@compiled
def enter_all(table: TermTable, count: int) -> None:
    """Insert the first ``count`` terms into empty slots."""
    mask = signed(table.slots.size - 1)
    for number in range(count):
        begin = table.starts[number]
        slot = signed(hash_bytes(table.pool, begin, table.starts[number + 1] - begin, False)) & mask
        while table.slots[slot] != 0:
            slot = (slot + 1) & mask
        table.slots[slot] = number + 1
