"""Copy or join rows of different lengths, and put key terms of documents into the order in which they are compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from infostream_dedup.machine.compiling import compiled

if TYPE_CHECKING:
    from infostream_dedup.machine.arrays import Vector, Whole

__all__ = ["Arranged", "arrange_keys", "distinct_of_parts", "order_by_weight", "put_rows"]


class Arranged(NamedTuple):
    """Key terms in the order of their numbers.

    Attributes:
        terms: int32.
        weights: int64.
        heaviest: uint8, 1 for the heaviest of a document and 0 for its others.
    """

    terms: Vector[np.int32]
    weights: Vector[np.int64]
    heaviest: Vector[np.uint8]


@compiled
def put_rows(
    ends: Vector[np.int64],
    values: Vector[Whole],
    rows: Vector[np.int64],
    begins: Vector[np.int64],
    into: Vector[Whole],
) -> None:
    """Copy some rows.

    Args:
        ends: int64, start of each row in ``values``, then the end of the last one.
        values: the values of all rows.
        rows: int64, the rows to copy.
        begins: int64, where each goes.
        into: receives them; of the type of ``values``.
    """
    for place in range(rows.size):
        first, there = ends[rows[place]], begins[place]
        for value in range(ends[rows[place] + 1] - first):
            into[there + value] = values[first + value]


@compiled
def arrange_keys(
    begins: Vector[np.int64],
    firsts: Vector[np.int64],
    keys: Vector[np.int32],
    weights: Vector[np.int64],
    arranged: Arranged,
) -> None:
    """Mark the heaviest key terms of each document, and sort its key terms by number.

    Args:
        begins: int64 (documents + 1,), bounds of the key terms of each document.
        firsts: int64 (documents,), how many of them, the first ones, are the heaviest.
        keys: int32, distinct in each document.
        weights: int64, their weights.
        arranged: receives the key terms.
    """
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
def order_by_weight(
    bounds: Vector[np.int64], weights: Vector[np.int64], order: Vector[np.int64], tied: Vector[np.uint8]
) -> int:
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
def distinct_of_parts(
    bounds: Vector[np.int64],
    parts: Vector[np.int64],
    ends: Vector[np.int64],
    values: Vector[np.int64],
    found: Vector[np.int64],
    found_ends: Vector[np.int64],
) -> None:
    """Join parts, and keep the distinct values of each row in ascending order.

    Args:
        bounds: int64 (rows + 1,), bounds of the rows in ``parts``.
        parts: int64, the parts of all rows.
        ends: int64, start of each part in ``values``, then the end of the last one.
        values: int64, the values of all parts.
        found: int64, as long as all parts of all rows together; receives the values of the rows.
        found_ends: int64 (rows + 1,), receives their bounds.
    """
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
