"""Arrange the word triples of some documents by ranges of their leading bits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.machine.compiling import compiled, signed

if TYPE_CHECKING:
    from infostream_dedup.machine.arrays import Table, Vector

__all__ = ["RANGES", "RANGE_BITS", "split_rows"]

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
