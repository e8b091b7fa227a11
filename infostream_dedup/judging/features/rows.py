"""Rows of different lengths in two arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from infostream_dedup.machine.arrays import Ragged, offsets_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import DTypeLike, NDArray


def rows_from(rows: Iterable[Sequence[Any]], dtype: DTypeLike) -> Ragged:
    """Make rows from a list of lists.

    Example:
        >>> rows_from([[3, 1], [], [2]], np.int64).sizes.tolist()
        [2, 0, 1]
    """
    kept = list(rows)
    indptr = offsets_of([len(row) for row in kept])
    values = np.empty(int(indptr[-1]), dtype=dtype)
    for row, start, end in zip(kept, indptr[:-1].tolist(), indptr[1:].tolist(), strict=True):
        values[start:end] = row
    return Ragged(indptr, values)


def joined_rows(rows: Sequence[NDArray[np.int64]]) -> Ragged:
    """Make rows of arrays of int64."""
    return Ragged(offsets_of([len(row) for row in rows]), np.concatenate([np.zeros(0, dtype=np.int64), *rows]))


def distinct(rows: Ragged) -> Ragged:
    """Sort each row and drop repetitions.

    Example:
        >>> distinct(rows_from([[3, 1, 3], [2]], np.int64)).values.tolist()
        [1, 3, 2]
    """
    numbers = rows.numbers
    order = np.lexsort((rows.values, numbers))
    values = rows.values[order]
    first = np.ones(len(values), dtype=np.bool_)
    first[1:] = (values[1:] != values[:-1]) | (numbers[1:] != numbers[:-1])
    return Ragged(rows.indptr, values).chosen(first)


def smallest(values: NDArray[np.uint64], indptr: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return the smallest value of each row that is not empty.

    Returns uint64 (rows that are not empty,).
    """
    starts = indptr[:-1][np.diff(indptr) > 0]
    return np.minimum.reduceat(values, starts) if len(starts) else np.zeros(0, dtype=np.uint64)
