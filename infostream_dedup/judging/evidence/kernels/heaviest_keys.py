"""Mark the heaviest key terms of documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from infostream_dedup.machine.compiling import compiled

if TYPE_CHECKING:
    import numpy as np

    from infostream_dedup.machine.arrays import Vector

__all__ = ["mark_heaviest"]


@compiled
def mark_heaviest(begins: Vector[np.int64], weights: Vector[np.int64], n: int, marks: Vector[np.uint8]) -> None:
    """Mark the n heaviest of each document; of equal ones, the first.

    Args:
        begins: int64 (documents + 1,), bounds of the documents, which have a few dozen key terms each.
        weights: int64, weight of each key term.
        n: number to mark.
        marks: uint8, receives 1 for those and 0 for the others.
    """
    for document in range(begins.size - 1):
        begin, end = begins[document], begins[document + 1]
        for place in range(begin, end):
            heavier = 0
            for other in range(begin, place):
                heavier += weights[other] >= weights[place]
            for other in range(place + 1, end):
                heavier += weights[other] > weights[place]
            marks[place] = heavier < n
