"""Compare rows of terms of the pivot language, document by document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from infostream_dedup.machine.compiling import compiled

if TYPE_CHECKING:
    import numpy as np

    from infostream_dedup.machine.arrays import OtherWhole, Vector, Whole

__all__ = ["find_places", "mark_missing"]


@compiled
def mark_missing(
    begins: Vector[np.int64],
    values: Vector[Whole],
    other_begins: Vector[np.int64],
    others: Vector[OtherWhole],
    marks: Vector[np.bool_],
) -> None:
    """Mark the values of each row that are not in the same row of others.

    Args:
        begins: int64 (rows + 1,), bounds of the rows.
        values: ascending in each row.
        other_begins: int64 (rows + 1,), bounds of the other rows.
        others: ascending in each row.
        marks: bool, receives whether each value is missing there.
    """
    for row in range(begins.size - 1):
        other, end = other_begins[row], other_begins[row + 1]
        for place in range(begins[row], begins[row + 1]):
            while other < end and others[other] < values[place]:
                other += 1
            marks[place] = other == end or others[other] != values[place]


@compiled
def find_places(
    owners: Vector[np.int64],
    terms: Vector[Whole],
    begins: Vector[np.int64],
    keys: Vector[OtherWhole],
    places: Vector[np.int64],
) -> None:
    """Find the place of terms among the few key terms of their documents.

    Args:
        owners: int64 (terms,), row of the document; a row that is not there has no key terms.
        terms: the terms.
        begins: int64 (documents + 1,), bounds of the key terms, each once in a document.
        keys: the key terms.
        places: int64 (terms,), receives the place of the term in its row, -1 if it is not a key term.
    """
    for number in range(terms.size):
        places[number] = -1
        owner = owners[number]
        if owner < 0 or owner >= begins.size - 1:
            continue
        for key in range(begins[owner], begins[owner + 1]):
            if keys[key] == terms[number]:
                places[number] = key - begins[owner]
