"""Copy rows of different lengths, and put the key terms of documents into the order in which they are compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from infostream_dedup.machine.compiling import compiled

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["arrange_keys", "put_rows"]


@compiled
def put_rows(
    ends: NDArray[np.int64],
    values: NDArray[Any],
    rows: NDArray[np.int64],
    begins: NDArray[np.int64],
    into: NDArray[Any],
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
    begins: NDArray[np.int64],
    firsts: NDArray[np.int64],
    terms: NDArray[np.int32],
    weights: NDArray[np.int64],
    heaviest: NDArray[np.uint8],
) -> None:
    """Mark the heaviest key terms of each document, and sort its key terms by number.

    Args:
        begins: int64 (documents + 1,), bounds of the key terms of each document.
        firsts: int64 (documents,), how many of them, the first ones, are the heaviest.
        terms: int32, distinct in each document; sorted in place.
        weights: int64, their weights; follow them.
        heaviest: uint8, receives 1 for the heaviest and 0 for the others.
    """
    for document in range(firsts.size):
        begin = begins[document]
        # Thirty terms at most: sorting by insertion is fastest.
        for key in range(begin, begins[document + 1]):
            term, weight, place = terms[key], weights[key], key
            while place > begin and terms[place - 1] > term:
                terms[place], weights[place] = terms[place - 1], weights[place - 1]
                heaviest[place] = heaviest[place - 1]
                place -= 1
            terms[place], weights[place] = term, weight
            heaviest[place] = key - begin < firsts[document]
