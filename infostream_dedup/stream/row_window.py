"""Rows that come and go in order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from infostream_dedup.arrays import Ragged, offsets_of
from infostream_dedup.stream.kernels.gathering import put_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray


_STEPS: Final = 16
"""Maximum number of steps in which elements are moved to the front of an array."""


class RowWindow:
    """Rows that are added at one end and dropped at the other.

    Args:
        dtype: type of the values.
    """

    def __init__(self, dtype: type[np.generic]) -> None:
        self._values: NDArray[Any] = np.empty(1 << 12, dtype=dtype)
        self._ends = np.zeros(1 << 10, dtype=np.int64)
        self._size = 0
        self._lent = False

    def __len__(self) -> int:
        return self._size

    @property
    def nbytes(self) -> int:
        """Bytes of the rows, without spare room."""
        return (int(self._ends[self._size]) - int(self._ends[0])) * self._values.itemsize + 8 * self._size

    def extend(self, rows: Ragged) -> None:
        """Add rows at the end; the first ones are not copied, so they must not change later."""
        if self._size == 0 and self._borrow(rows):
            return
        first, size = rows.indptr[0], len(rows.indptr)
        values = rows.values[first : rows.indptr[-1]]
        begin = int(self._ends[self._size])
        end = begin + len(values)
        self._values = with_room(self._values, end)
        self._ends = with_room(self._ends, self._size + size)
        self._values[begin:end] = values
        np.add(rows.indptr, begin - first, out=self._ends[self._size : self._size + size])
        self._size += size - 1

    def _borrow(self, rows: Ragged) -> bool:
        """Use the arrays of the first rows themselves, if they are like those of this window.

        A stream that restarts would otherwise hold its largest arrays twice. Nothing is written to them: there is no
        spare room, and ``drop`` copies them first.
        """
        end = int(rows.indptr[-1])
        alike = rows.values.dtype == self._values.dtype and rows.indptr.dtype == self._ends.dtype
        # Compiled code would be compiled once more for other arrays.
        flags = rows.values.flags, rows.indptr.flags
        if not alike or rows.indptr[0] or not all(one.c_contiguous and one.writeable and one.aligned for one in flags):
            return False
        self._values, self._ends, self._size, self._lent = rows.values[:end], rows.indptr, len(rows), True
        return True

    def row(self, number: int) -> NDArray[Any]:
        """Return a view of one row; the numbers of rows change with ``drop``."""
        return self._values[self._ends[number] : self._ends[number + 1]]

    @property
    def rows(self) -> Ragged:
        """A view of all rows, with spare room after them; it changes with ``extend`` and ``drop``."""
        return Ragged(self._ends, self._values)

    def rows_from(self, number: int, end: int | None = None) -> Ragged:
        """Return a view of the rows from ``number`` to ``end`` (exclusive); it changes with ``drop``."""
        return Ragged(self._ends[number : (self._size if end is None else end) + 1], self._values)

    def gathered(self, numbers: NDArray[np.int64]) -> Ragged:
        """Return copies of some rows."""
        begins = offsets_of(self.sizes_of(numbers))
        values = np.empty(int(begins[-1]), dtype=self._values.dtype)
        self.put(numbers, begins, values)
        return Ragged(begins, values)

    def sizes_of(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the number of values of some rows: int64."""
        sizes: NDArray[np.int64] = self._ends[numbers + 1] - self._ends[numbers]
        return sizes

    def put(self, numbers: NDArray[np.int64], begins: NDArray[np.int64], into: NDArray[Any]) -> None:
        """Copy some rows.

        Args:
            numbers: int64, the rows.
            begins: int64, where each goes; may have more elements.
        """
        put_rows(self._ends, self._values, numbers, begins, into)

    def drop(self, rows: int) -> None:
        """Drop the first rows."""
        if self._lent:
            self._values, self._ends, self._lent = self._values.copy(), self._ends.copy(), False
        begin, end = int(self._ends[rows]), int(self._ends[self._size])
        self._values = without_first(self._values, begin, end)
        self._size -= rows
        self._ends = without_first(self._ends, rows, rows + self._size + 1)
        self._ends[: self._size + 1] -= begin


class EvenWindow:
    """Rows of one length, like ``RowWindow``.

    Args:
        dtype: type of the values.
        width: number of values of a row.
    """

    def __init__(self, dtype: type[np.generic], width: int = 1) -> None:
        self._values: NDArray[Any] = np.empty(width << 10, dtype=dtype)
        self._width = width
        self._size = 0

    def __len__(self) -> int:
        return self._size

    @property
    def nbytes(self) -> int:
        """Bytes of the rows, without spare room."""
        return self._size * self._width * self._values.itemsize

    def extend(self, values: NDArray[Any]) -> None:
        """Add rows at the end, given all their values."""
        begin = self._size * self._width
        self._values = with_room(self._values, begin + values.size)
        self._values[begin : begin + values.size] = values.ravel()
        self._size += values.size // self._width

    def values_from(self, number: int) -> NDArray[Any]:
        """Return a view of the values of all rows from ``number`` on; it changes with ``drop``."""
        return self._values[number * self._width : self._size * self._width]

    def drop(self, rows: int) -> None:
        """Drop the first rows."""
        self._values = without_first(self._values, rows * self._width, self._size * self._width)
        self._size -= rows


def with_room(array: NDArray[Any], size: int) -> NDArray[Any]:
    """Return the array, or a copy with half as much room again if it has fewer than ``size`` elements.

    Room that has not been used takes no memory.
    """
    if len(array) >= size:
        return array
    grown = np.empty(max(size, len(array) * 3 // 2), dtype=array.dtype)
    grown[: len(array)] = array
    return grown


def without_first(array: NDArray[Any], begin: int, end: int) -> NDArray[Any]:
    """Move the elements from ``begin`` to ``end`` to the front; a much too large array is replaced."""
    kept = end - begin
    if len(array) > max(1 << 12, 4 * kept):
        shorter = np.empty(max(1 << 12, 2 * kept), dtype=array.dtype)
        shorter[:kept] = array[begin:end]
        return shorter
    # In steps, because numpy copies whatever overlaps before it moves it.
    step = max(begin, kept // _STEPS, 1)
    for there in range(0, kept if begin else 0, step):
        moved = array[begin + there : min(begin + there + step, end)]
        array[there : there + len(moved)] = moved
    return array
