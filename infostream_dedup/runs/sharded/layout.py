"""Tables of chunks: one row holds the arrays of many documents, so that small values are not handled row by row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from infostream_dedup.errors import BadDataError

if TYPE_CHECKING:
    from numpy.typing import NDArray


_MARK: Final = b"infostream_dedup.table"
_VERSION: Final = 1


@dataclass(frozen=True, slots=True)
class Layout:
    """The columns of one table; its rows are chunks.

    Attributes:
        name: name of the table, kept in the metadata of each batch.
        numbers: int64 columns.
        arrays: columns of lists, with the numpy type of their values.
        words: columns of lists of strings.
    """

    name: str
    numbers: tuple[str, ...]
    arrays: Mapping[str, str]
    words: tuple[str, ...] = ()

    @property
    def schema(self) -> pa.Schema:
        """Arrow schema with the name and version of the table."""
        fields = [pa.field(name, pa.int64()) for name in self.numbers]
        fields += [pa.field(name, pa.list_(pa.from_numpy_dtype(np.dtype(kind)))) for name, kind in self.arrays.items()]
        fields += [pa.field(name, pa.list_(pa.string())) for name in self.words]
        return pa.schema(fields, {_MARK: f"{self.name} {_VERSION}".encode()})

    def row(self, **values: Any) -> pa.RecordBatch:
        """Return a batch of one row."""
        columns = [pa.array([int(values[name])], pa.int64()) for name in self.numbers]
        for name, kind in self.arrays.items():
            array = pa.array(np.ascontiguousarray(values[name], dtype=kind))
            columns.append(pa.ListArray.from_arrays(pa.array([0, len(array)], pa.int32()), array))
        for name in self.words:
            strings = pa.array(values[name], pa.string())
            columns.append(pa.ListArray.from_arrays(pa.array([0, len(strings)], pa.int32()), strings))
        return pa.RecordBatch.from_arrays(columns, schema=self.schema)

    def rows(self, batches: Iterable[pa.RecordBatch]) -> Iterator[dict[str, Any]]:
        """Read the rows of batches: numbers, arrays (without a copy) and lists of strings by column name."""
        for batch in batches:
            self.check(batch)
            for row in range(batch.num_rows):
                yield self._row(batch, row)

    def with_number(self, batch: pa.RecordBatch, name: str, value: int) -> pa.RecordBatch:
        """A batch of one row with another number in one column."""
        place = self.numbers.index(name)
        return batch.set_column(place, batch.schema.field(place), pa.array([value], pa.int64()))

    def with_arrays(self, batch: pa.RecordBatch, **arrays: NDArray[Any]) -> pa.RecordBatch:
        """A batch of one row with other arrays in some columns."""
        for name, array in arrays.items():
            place = batch.schema.get_field_index(name)
            values = pa.array(np.ascontiguousarray(array, dtype=self.arrays[name]))
            column = pa.ListArray.from_arrays(pa.array([0, len(values)], pa.int32()), values)
            batch = batch.set_column(place, batch.schema.field(place), column)
        return batch

    def check(self, batch: pa.RecordBatch) -> None:
        """Refuse a batch of another table or version."""
        found = (batch.schema.metadata or {}).get(_MARK, b"nothing known").decode()
        if found != f"{self.name} {_VERSION}":
            message = f"these are rows of {found}; expected {self.name} {_VERSION}: empty the work folder and run again"
            raise BadDataError(message, code="E_VERSION", source=f"<{self.name}>")

    def _row(self, batch: pa.RecordBatch, row: int) -> dict[str, Any]:
        found: dict[str, Any] = {name: batch.column(name)[row].as_py() for name in self.numbers}
        found.update((name, batch.column(name)[row].values.to_numpy()) for name in self.arrays)
        found.update((name, batch.column(name)[row].values) for name in self.words)
        return found
