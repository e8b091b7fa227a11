"""Rows of different lengths in two arrays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

__all__ = ["Rows", "distinct", "joined_rows", "rows_from", "smallest"]


# Not frozen: making a frozen one takes several times as long, and each document of a stream makes a dozen.
@dataclass(slots=True, eq=False)
class Rows:
    """Rows of values, mostly one per document.

    Attributes:
        indptr: int64 (rows + 1,): the values of row d are ``values[indptr[d]:indptr[d + 1]]``. It begins with 0, except
            in a part of other rows, which serves only `row` and iteration.
        values: (entries,), of any dtype.
    """

    indptr: NDArray[np.int64]
    values: NDArray[Any]

    def __len__(self) -> int:
        return len(self.indptr) - 1

    def __iter__(self) -> Iterator[NDArray[Any]]:
        """Views of all rows."""
        values, bounds = self.values, self.indptr.tolist()
        return (values[begin:end] for begin, end in pairwise(bounds))

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Number of values of each row: int64 (rows,)."""
        sizes: NDArray[np.int64] = self.indptr[1:] - self.indptr[:-1]
        return sizes

    @property
    def numbers(self) -> NDArray[np.int64]:
        """Row of each value: int64 (entries,)."""
        return np.repeat(np.arange(len(self), dtype=np.int64), self.sizes)

    @property
    def nbytes(self) -> int:
        """Size of all values in bytes, without ``indptr``."""
        return int(self.values.nbytes)

    def row(self, document: int) -> NDArray[Any]:
        """View of one row."""
        return self.values[self.indptr[document] : self.indptr[document + 1]]

    def chosen(self, keep: NDArray[np.bool_]) -> Rows:
        """Keep the values for which ``keep``, bool (entries,), is true."""
        before = np.concatenate(([0], np.cumsum(keep, dtype=np.int64)))
        return Rows(before[self.indptr], self.values[keep])


def rows_from(rows: Iterable[Sequence[Any]], dtype: DTypeLike) -> Rows:
    """Make rows from a list of lists.

    Example:
        >>> rows_from([[3, 1], [], [2]], np.int64).sizes.tolist()
        [2, 0, 1]
    """
    kept = list(rows)
    indptr = np.concatenate(([0], np.cumsum([len(row) for row in kept], dtype=np.int64))).astype(np.int64)
    values = np.empty(int(indptr[-1]), dtype=dtype)
    for row, start, end in zip(kept, indptr[:-1].tolist(), indptr[1:].tolist(), strict=True):
        values[start:end] = row
    return Rows(indptr, values)


def joined_rows(rows: Sequence[NDArray[np.int64]]) -> Rows:
    """Make rows of arrays of int64."""
    indptr = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    return Rows(indptr, np.concatenate([np.zeros(0, dtype=np.int64), *rows]))


def distinct(rows: Rows) -> Rows:
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
    return Rows(rows.indptr, values).chosen(first)


def smallest(values: NDArray[np.uint64], indptr: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return the smallest value of each row that is not empty.

    Args:
        values: uint64 (entries,).
        indptr: int64 (rows + 1,).

    Returns:
        uint64 (rows that are not empty,).
    """
    starts = indptr[:-1][np.diff(indptr) > 0]
    return np.minimum.reduceat(values, starts) if len(starts) else np.zeros(0, dtype=np.uint64)
