"""Number the word triples that occur in at least two texts: the index for finding copies.

Most triples of a collection occur in only one text and link nothing. Triples are hashes, so they are processed in
ranges of their leading bits, by several threads, and within a range in parts, whose tables fit in the cache.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from infostream_dedup.arrays.mixing import GOLDEN
from infostream_dedup.judging.evidence.kernels.triples import TripleRange, table_size, take_parts
from infostream_dedup.machine.arrays import Vector
from infostream_dedup.machine.compiling import compiled, signed

_SPREAD = np.uint64(GOLDEN)
"""An odd factor, so that products differ."""


class _Table(NamedTuple):
    """Table of the triples of a part by open addressing: triples, how often each occurs, and its number or -1."""

    keys: Vector[np.uint64]
    counts: Vector[np.int32]
    found: Vector[np.int32]


@compiled
def _number_part(given: TripleRange, begin: int, end: int, table: _Table, numbers: Vector[np.int32], first: int) -> int:
    """Number the triples of one part by open addressing; return the next free number."""
    values, places = given.scratch
    keys, counts, found = table
    mask = keys.size - 1
    counts[:] = 0
    for item in range(begin, end):
        slot = signed(values[item] & np.uint64(mask))
        while counts[slot] and keys[slot] != values[item]:
            slot = (slot + 1) & mask
        keys[slot] = values[item]
        counts[slot] += 1
        found[slot] = -1
    for item in range(begin, end):
        slot = signed(values[item] & np.uint64(mask))
        while keys[slot] != values[item] or counts[slot] == 0:
            slot = (slot + 1) & mask
        if counts[slot] >= 2 and found[slot] < 0:
            found[slot] = first
            first += 1
        numbers[places[item]] = found[slot]
    return first


@compiled
def _keep_numbered(
    counts: Vector[np.int32], chosen: Vector[np.bool_], numbers: Vector[np.int32], kept: Vector[np.int32]
) -> int:
    """Move the numbers of shared triples to the front, and return how many there are."""
    at = size = 0
    for document in range(counts.size):
        before, end = size, at + counts[document]
        if chosen[document]:
            for place in range(at, end):
                numbers[size] = numbers[place]
                size += numbers[place] >= 0
        kept[document] = size - before
        at = end
    return size


@compiled
def number_range(
    given: TripleRange, chosen: Vector[np.bool_], numbers: Vector[np.int32], kept: Vector[np.int32]
) -> tuple[int, int]:
    """Number the triples of one range that occur in at least two of the chosen documents.

    ``given``: the range; the triples themselves are not needed once they are in their parts; ``chosen``: (documents,),
    the documents whose triples count; ``numbers``: as long as the triples, perhaps in their memory; receives the
    numbers of shared triples, from 0, document by document; ``kept``: (documents,), receives how many numbers each
    document has. Returns how many different numbers there are, and how many numbers of all documents.
    """
    ends = np.zeros((1 << given.part_bits) + 1, dtype=np.int64)
    take_parts(given, chosen, ends)
    size = table_size(ends)
    table = _Table(np.empty(size, dtype=np.uint64), np.empty(size, dtype=np.int32), np.empty(size, dtype=np.int32))
    first = begin = 0
    for part in range(ends.size - 1):
        first = _number_part(given, begin, ends[part], table, numbers, first)
        begin = ends[part]
    return first, _keep_numbered(given.counts, chosen, numbers, kept)


@compiled
def arrange_range(
    numbers: Vector[np.int32], kept: Vector[np.int32], first: int, ends: Vector[np.int64], arranged: Vector[np.int32]
) -> None:
    """Add the numbers of a range to those of each document.

    ``numbers``: numbers of the range, document by document; ``kept``: (documents,), how many each document has;
    ``first``: added to each number; ``ends``: (documents,), where the numbers of each document in ``arranged`` end;
    moved on; ``arranged``: receives the numbers.
    """
    at = 0
    for document in range(kept.size):
        place, size = ends[document], kept[document]
        for number in range(at, at + size):
            arranged[place] = numbers[number] + first
            place += 1
        ends[document] = place
        at += size


@compiled
def write_rows(
    numbers: Vector[np.int32],
    begins: Vector[np.int64],
    ends: Vector[np.int64],
    fillers: Vector[np.int64],
    bounds: Vector[np.int64],
    rows: Vector[np.uint64],
) -> None:
    """Write rows of triples in which equal numbers are equal triples, and all other triples differ.

    ``numbers``: numbers of shared triples; ``begins``: (rows,), start of each row in ``numbers``; ``ends``: (rows,),
    end of each row; ``fillers``: (rows,), the first of the distinct values for the other triples of a row; ``bounds``:
    (rows + 1,), bounds of each row in ``rows``; ``rows``: receives the triples, ascending in each row.
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


@compiled
def count_postings(
    begins: Vector[np.int64],
    ends: Vector[np.int64],
    terms: Vector[np.int32],
    first: int,
    last: int,
    heads: Vector[np.int64],
) -> None:
    """Count the texts of the terms from ``first`` to ``last`` - 1.

    ``begins``: (texts,), start of each text in ``terms``; ``ends``: (texts,), end of each text; ``terms``: numbers of
    triples; ``first``: the first term; ``last``: the term after the last; ``heads``: (terms + 2,), zeros; receives the
    number of texts of each term, two places later.
    """
    for text in range(begins.size):
        for at in range(begins[text], ends[text]):
            if first <= terms[at] < last:
                heads[terms[at] + 2] += 1


@compiled
def fill_postings(
    begins: Vector[np.int64],
    ends: Vector[np.int64],
    terms: Vector[np.int32],
    first: int,
    last: int,
    heads: Vector[np.int64],
    texts: Vector[np.int32],
) -> None:
    """Write the texts of the terms from ``first`` to ``last`` - 1.

    ``begins``: (texts,), start of each text in ``terms``; ``ends``: (texts,), end of each text; ``terms``: numbers of
    triples; ``first``: the first term; ``last``: the term after the last; ``heads``: (terms + 2,), start of each term
    in ``texts``, one place later; afterwards its end; ``texts``: receives the texts of each term, ascending.
    """
    for text in range(begins.size):
        for at in range(begins[text], ends[text]):
            term = terms[at]
            if first <= term < last:
                texts[heads[term + 1]] = text
                heads[term + 1] += 1


@compiled
def sort_rows(
    begins: Vector[np.int64],
    ends: Vector[np.int64],
    terms: Vector[np.int32],
    heads: Vector[np.int64],
    rare: int,
    first: int,
    last: int,
    middles: Vector[np.int64],
) -> None:
    """Order the terms of some texts: rare ones first, then the others, both ascending.

    ``begins``: (texts,), start of each text in ``terms``; ``ends``: (texts,), end of each text; ``terms``: numbers of
    triples; ordered in place; ``heads``: (terms + 1,), bounds of the postings of each term; ``rare``: maximum number of
    texts that contain a rare triple; ``first``: the first text; ``last``: the text after the last; ``middles``:
    (texts,), receives the start of the other terms.
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
