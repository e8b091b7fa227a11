"""Finding equal rows: by hash first, then by content."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.arrays.mixing import GOLDEN
from infostream_dedup.machine.compiling import compiled

if TYPE_CHECKING:
    from infostream_dedup.machine.arrays import Vector

__all__ = ["earliest_equals", "mix_rows"]


@compiled
def mix_rows(indptr: Vector[np.int64], values: Vector[np.uint32], hashes: Vector[np.uint64]) -> None:
    """Fold the values of each row, in their order, into the row's hash."""
    for row in range(hashes.size):
        mixed = hashes[row] ^ np.uint64(indptr[row + 1] - indptr[row])
        for position in range(indptr[row], indptr[row + 1]):
            mixed = (mixed ^ np.uint64(values[position])) * np.uint64(GOLDEN)
            mixed ^= mixed >> np.uint64(29)
        hashes[row] = mixed


@compiled
def _equal_rows(indptr: Vector[np.int64], values: Vector[np.uint32], one: int, other: int) -> bool:
    length = indptr[one + 1] - indptr[one]
    if length != indptr[other + 1] - indptr[other]:
        return False
    step = 0
    while step < length and values[indptr[one] + step] == values[indptr[other] + step]:
        step += 1
    return bool(step == length)


@compiled
def earliest_equals(
    order: Vector[np.int64],
    hashes: Vector[np.uint64],
    key_indptr: Vector[np.int64],
    key_indices: Vector[np.uint32],
    indptr: Vector[np.int64],
    indices: Vector[np.uint32],
    leaders: Vector[np.int64],
) -> None:
    """Set ``leaders[d]`` to the earliest document with the same key terms and the same target as d.

    Args:
        order: documents sorted by hash, ascending among equal hashes.
        hashes: hash of each document; equal documents have equal hashes.
        key_indptr: key term rows by document.
        key_indices: their terms, ascending in a row.
        indptr: target rows by document.
        indices: their terms, ascending in a row.
        leaders: receives the result.
    """
    run = 0
    for place in range(order.size):
        document = order[place]
        if hashes[document] != hashes[order[run]]:
            run = place
        leaders[document] = document
        for earlier in range(run, place):
            leader = order[earlier]
            if (
                leaders[leader] == leader
                and _equal_rows(key_indptr, key_indices, leader, document)
                and _equal_rows(indptr, indices, leader, document)
            ):
                leaders[document] = leader
                break
