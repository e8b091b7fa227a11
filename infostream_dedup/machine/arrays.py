"""Arrays: their types in kernels, the multiplier of hashes, rows of different lengths, and rows of columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import accumulate, pairwise, repeat
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self, TypeAlias, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

if TYPE_CHECKING:
    import scipy.sparse as sp

# Arrays by their cells; what a kernel takes under these names has one dimension

Bools: TypeAlias = NDArray[np.bool_]
Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Int8s: TypeAlias = NDArray[np.int8]
Int32s: TypeAlias = NDArray[np.int32]
Uint8s: TypeAlias = NDArray[np.uint8]
Uint16s: TypeAlias = NDArray[np.uint16]
Uint32s: TypeAlias = NDArray[np.uint32]
Uint64s: TypeAlias = NDArray[np.uint64]

# Types of the other arrays that kernels take. The number of dimensions is part of the type: kernels are compiled for it

Cell = TypeVar("Cell", bound=np.generic)
Vector: TypeAlias = NDArray[Cell]
Table: TypeAlias = NDArray[Cell]
Cube: TypeAlias = NDArray[Cell]
Whole = TypeVar("Whole", np.int32, np.int64, np.uint32, np.uint64)
OtherWhole = TypeVar("OtherWhole", np.int32, np.int64, np.uint32, np.uint64)
Place = TypeVar("Place", np.int32, np.int64)
Entry = TypeVar("Entry", np.int32, np.uint32)
Word = TypeVar("Word", np.uint32, np.uint64)  # a kernel with one of these types is compiled once for each type of cell

GOLDEN: Final = 0x9E3779B97F4A7C15
"""2^64 divided by the golden ratio, and odd: neighbouring numbers are spread over all 64 bits, in kernels too."""


def offsets_of(sizes: Sequence[int] | NDArray[Any]) -> Ints:
    """Bounds of consecutive rows of given sizes: int64 (rows + 1,), from 0.

    >>> offsets_of([2, 0, 1]).tolist()
    [0, 2, 2, 3]
    """
    offsets = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.add.accumulate(sizes, dtype=np.int64, out=offsets[1:])
    return offsets


def places_of(starts: NDArray[Any], sizes: NDArray[Any]) -> Ints:
    """Positions of all values of some rows, row by row: starts[0], starts[0] + 1, ..., starts[1], ...

    >>> places_of(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    offsets = offsets_of(sizes)
    return np.arange(offsets[-1]) + np.repeat(starts - offsets[:-1], sizes)


def numbered_ends(a: Ints, b: Ints) -> tuple[Ints, Ints]:
    """The distinct documents of pairs, ascending, and the places of both ends among them: int64 (2, pairs)."""
    ends = np.stack([a, b])
    if ends.max(initial=-1) > 8 * ends.size:
        rows, numbers = np.unique(ends, return_inverse=True)
        return rows, numbers.reshape(ends.shape)
    # Marking what occurs is several times as fast as sorting.
    places = np.zeros(ends.max(initial=-1) + 1, dtype=np.int64)
    places[ends] = 1
    rows = np.flatnonzero(places)
    places[rows] = np.arange(len(rows))
    return rows, places[ends]


def entries_of(indptr: Ints, rows: NDArray[np.integer[Any]]) -> tuple[Ints, Ints]:
    """Positions of all values of some rows, row by row, and how many each row has."""
    sizes = indptr[rows + 1] - indptr[rows]
    return places_of(indptr[rows], sizes), sizes


def sparse_rows(
    data: NDArray[Any], indices: NDArray[Any], indptr: NDArray[Any], shape: tuple[int, int]
) -> sp.csr_array:
    """Make a sparse matrix of its rows, with indices of 4 bytes if they suffice."""
    import scipy.sparse as sp

    # Given an `indptr` of int64, scipy would widen `indices` too, which doubles the memory of a counts matrix.
    kind = np.int32 if max(shape[1], len(indices)) <= np.iinfo(np.int32).max else np.int64
    return sp.csr_array((data, indices.astype(kind, copy=False), indptr.astype(kind, copy=False)), shape=shape)


@dataclass(frozen=True, slots=True)
class AlignedColumns:
    """Equally long columns, one for each field: arrays, or matrices with as many rows."""

    def __len__(self) -> int:
        return len(getattr(self, fields(self)[0].name))

    def at(self, chosen: NDArray[Any] | slice) -> Self:
        """Some rows, chosen by a mask, by places or by a slice."""
        return type(self)(**{one.name: getattr(self, one.name)[chosen] for one in fields(self)})

    @classmethod
    def concatenated(cls, parts: Iterable[Self]) -> Self:
        """The rows of all parts, of which there is at least one."""
        every = list(parts)
        return cls(**{one.name: np.concatenate([getattr(part, one.name) for part in every]) for one in fields(cls)})


# Not frozen: making a frozen one takes several times as long, and each document of a stream makes a dozen.
@dataclass(slots=True, eq=False)
class Ragged:
    """Rows of values, mostly one per document."""

    # int64 (rows + 1,): the values of row d are `values[indptr[d]:indptr[d + 1]]`. It begins with 0, except in a part
    # of other rows, which serves only `row`, `rows` and iteration
    indptr: Ints
    values: NDArray[Any]  # (entries,), of any dtype

    def __len__(self) -> int:
        return len(self.indptr) - 1

    def __iter__(self) -> Iterator[NDArray[Any]]:
        """Views of all rows."""
        values, bounds = self.values, self.indptr.tolist()
        return (values[begin:end] for begin, end in pairwise(bounds))

    @property
    def sizes(self) -> Ints:
        """Number of values of each row: int64 (rows,)."""
        sizes: Ints = self.indptr[1:] - self.indptr[:-1]
        return sizes

    @property
    def numbers(self) -> Ints:
        """Row of each value: int64 (entries,)."""
        return np.repeat(np.arange(len(self), dtype=np.int64), self.sizes)

    @property
    def nbytes(self) -> int:
        """Size of all values in bytes, without ``indptr``."""
        return int(self.values.nbytes)

    def row(self, number: int) -> NDArray[Any]:
        """View of one row."""
        return self.values[self.indptr[number] : self.indptr[number + 1]]

    def part(self, first: int, end: int | None = None) -> Ragged:
        """Consecutive rows, from ``first`` to ``end`` (exclusive); their values are a view."""
        bounds = self.indptr[first : None if end is None else end + 1]
        return Ragged(bounds - bounds[0], self.values[bounds[0] : bounds[-1]])

    def as_int64(self) -> Ragged:
        """Copy of the rows, with values of int64."""
        return Ragged(self.indptr, self.values.astype(np.int64))

    def rows(self, numbers: NDArray[np.integer[Any]]) -> Ragged:
        """Copy of some rows, in the order given."""
        places, sizes = entries_of(self.indptr, numbers)
        return Ragged(offsets_of(sizes), self.values[places])

    def followed_by(self, others: Ragged) -> Ragged:
        """Append to each row the row of others with the same number."""
        indptr = self.indptr + others.indptr
        values = np.empty(int(indptr[-1]), dtype=self.values.dtype)
        values[places_of(indptr[:-1], self.sizes)] = self.values
        values[places_of(indptr[:-1] + self.sizes, others.sizes)] = others.values
        return Ragged(indptr, values)

    def chosen(self, keep: Bools) -> Ragged:
        """Keep the values for which ``keep``, bool (entries,), is true."""
        return Ragged(offsets_of(keep)[self.indptr], self.values[keep])


def rows_from(rows: Iterable[Sequence[Any] | NDArray[Any]], dtype: DTypeLike) -> Ragged:
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


def joined_rows(rows: Sequence[Ints]) -> Ragged:
    """Make rows of arrays of int64."""
    return Ragged(offsets_of([len(row) for row in rows]), np.concatenate([np.zeros(0, dtype=np.int64), *rows]))


def distinct(rows: Ragged) -> Ragged:
    """Sort each row and drop repetitions.

    Example:
        >>> distinct(rows_from([[3, 1, 3], [2]], np.int64)).values.tolist()
        [1, 3, 2]
    """
    numbers = rows.numbers
    values = rows.values[np.lexsort((rows.values, numbers))]
    first = np.ones(len(values), dtype=np.bool_)
    first[1:] = (values[1:] != values[:-1]) | (numbers[1:] != numbers[:-1])
    return Ragged(rows.indptr, values).chosen(first)


def smallest(values: Uint64s, indptr: Ints) -> Uint64s:
    """Return the smallest value of each row that is not empty: uint64 (rows that are not empty,)."""
    starts = indptr[:-1][np.diff(indptr) > 0]
    return np.minimum.reduceat(values, starts) if len(starts) else np.zeros(0, dtype=np.uint64)


def earliest_equal(columns: Sequence[NDArray[Any]]) -> Ints:
    """The earliest document with the same values in all columns: int64 (documents,)."""
    order = np.lexsort(columns)
    new = np.zeros(len(order), dtype=np.bool_)
    new[:1] = True
    for column in columns:
        ordered = column[order]
        new[1:] |= ordered[1:] != ordered[:-1]
    starts = np.flatnonzero(new)
    # The sort is stable, so each run begins with its earliest document.
    earliest = np.empty(len(order), dtype=np.int64)
    earliest[order] = np.repeat(order[starts], np.diff(np.append(starts, len(order))))
    return earliest


# Rows of columns: a value is made when a row is asked for it, for all rows of a block at once

ColumnMakers: TypeAlias = Mapping[str, Callable[[], Sequence[Any]]]
_Row = TypeVar("_Row", bound="ColumnRow")


class RowColumns(dict[str, Sequence[Any]]):
    """The columns of a block of rows, by name; ``makers`` make those that are still to be made."""

    def __init__(self, makers: ColumnMakers) -> None:
        super().__init__()
        self._makers = dict(makers)

    def __missing__(self, name: str) -> Sequence[Any]:
        maker = self._makers.get(name)
        if maker is not None:  # otherwise another thread has just made the column
            self[name] = maker()
            self._makers.pop(name, None)  # and what the column was made of
        return self.get(name, ())


class ColumnRow:
    """A row of a block; a subclass annotates its fields, which can be read, compared and pickled."""

    __slots__ = ("_columns", "_place")
    FIELDS: ClassVar[tuple[str, ...]] = ()

    def __init__(self, columns: RowColumns, place: int) -> None:
        self._columns, self._place = columns, place

    def __init_subclass__(cls) -> None:
        cls.FIELDS += tuple(cls.__annotations__)
        for name in cls.__annotations__:
            setattr(cls, name, _field(name))

    @classmethod
    def of(cls, *values: Any) -> Self:
        """A row of its own, of a value for each field."""
        columns = RowColumns({})
        columns.update({name: [value] for name, value in zip(cls.FIELDS, values, strict=True)})
        return cls(columns, 0)

    @classmethod
    def rows(cls, columns: RowColumns, count: int) -> list[Self]:
        """All rows of a block."""
        return list(map(cls, repeat(columns), range(count)))

    def values(self) -> tuple[Any, ...]:
        """The values of all fields, in their order."""
        columns, place = self._columns, self._place
        return tuple([columns[name][place] for name in self.FIELDS])

    def __eq__(self, other: object) -> bool:
        return self.values() == other.values() if type(other) is type(self) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # lists of terms have none

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).of, self.values()

    def __repr__(self) -> str:
        told = ", ".join(f"{name}={value!r}" for name, value in zip(self.FIELDS, self.values(), strict=True))
        return f"{type(self).__name__}({told})"


def completed(rows: list[_Row]) -> list[_Row]:
    """The rows of a block after all columns are made, so that nothing is kept that they are made of."""
    if rows:
        rows[0].values()
    return rows


def _field(name: str) -> property:
    return property(lambda row: row._columns[name][row._place])


# Arrays of integers as little-endian bytes, many rows at a time

INT32: Final = np.dtype("<i4")
INT64: Final = np.dtype("<i8")
UINT32: Final = np.dtype("<u4")


def blobs_of(rows: Sequence[NDArray[Any]], dtype: np.dtype[Any]) -> list[bytes]:
    """Convert each row to bytes."""
    if len(rows) == 1:
        return [_converted(rows[0], dtype).tobytes()]
    if not rows:
        return []
    return _cut(np.concatenate(rows), [0, *accumulate(map(len, rows))], dtype)


def blobs_of_rows(indptr: Ints, values: NDArray[Any], dtype: np.dtype[Any]) -> list[bytes]:
    """Convert concatenated rows to bytes, like ``blobs_of``."""
    return _cut(values[indptr[0] : indptr[-1]], (indptr - indptr[0]).tolist(), dtype)


def _cut(values: NDArray[Any], bounds: Sequence[int], dtype: np.dtype[Any]) -> list[bytes]:
    whole, size = _converted(values, dtype).tobytes(), dtype.itemsize
    return [whole[size * begin : size * end] for begin, end in pairwise(bounds)]


def _converted(values: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    if values.dtype == dtype:
        return values
    converted = values.astype(dtype)
    if np.any(converted != values):
        raise ValueError(f"numbers from {values.min()} to {values.max()} do not fit {dtype}")
    return converted


def numbers_of(blob: bytes, dtype: np.dtype[Any]) -> Ints:
    """Convert bytes back to a row."""
    return np.frombuffer(blob, dtype=dtype).astype(np.int64)
