"""Write documents to files and standard output; a Parquet file is written when the types of its columns are known."""

from __future__ import annotations

import gzip
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Final

from infostream_dedup.documents.documents import row_of
from infostream_dedup.documents.endings import file_kind
from infostream_dedup.documents.json_text import json_bytes
from infostream_dedup.documents.outputs import (
    CsvDialect,
    CsvForm,
    open_output,
    write_all_columns,
    write_rows,
    write_workbook,
)
from infostream_dedup.model import Document
from infostream_dedup.model.tabular import require_arrow

_REQUIRED: Final = ("id", "text")
_GZIP_LEVEL: Final = 6


def write_documents(
    documents: Iterable[Document | Mapping[str, Any]],
    target: str | Path,
    *,
    inputs: Iterable[str | Path] = (),
    raw: bool = False,
    dialect: CsvDialect | CsvForm = "standard",
) -> int:
    """Write documents with all their fields, in order, in one pass; memory is bounded, except for workbooks."""
    kind = file_kind(str(target))
    rows = (row_of(document) if isinstance(document, Document) else document for document in documents)
    with open_output(target, inputs=inputs) as file, _pack(file, packed=kind.packed) as stream:
        match kind.format:
            case "jsonl":
                return write_rows(rows, stream, "jsonl")
            case "csv":
                return write_all_columns(rows, stream, raw=raw, dialect=dialect, without_rows=_REQUIRED)
            case "parquet":
                return write_parquet(rows, stream, columns=_REQUIRED)
            case "xlsx":
                held = list(rows)
                return write_workbook(held, stream, columns=() if held else _REQUIRED)


@contextmanager
def _pack(file: BinaryIO, *, packed: bool) -> Iterator[BinaryIO]:
    if not packed:
        yield file
        return
    # No name and no time in the archive's header, so that the same documents give the same bytes.
    with gzip.GzipFile(filename="", mode="wb", compresslevel=_GZIP_LEVEL, fileobj=file, mtime=0) as stream:
        yield stream  # type: ignore[misc]  # GzipFile is a binary stream, though not declared as one


_BATCH_ROWS: Final = 8192
_BATCH_CHARACTERS: Final = 2**23
# Arrow itself gives up at 64 levels; nobody queries columns this deep.
_MAX_LEVELS: Final = 16
Row = Mapping[str, Any]


def write_parquet(rows: Iterable[Row], stream: BinaryIO, *, columns: Iterable[str] = ()) -> int:
    """Write `rows` as one Parquet file; a missing key is null."""
    require_arrow("writing .parquet")
    types = _ColumnTypes()
    number = 0
    with tempfile.TemporaryFile() as spool:
        for batch in _split_batches(rows):
            number += len(batch)
            table = _make_table(batch, types)
            import pyarrow as pa

            with pa.ipc.new_stream(spool, table.schema) as writer:
                writer.write_table(table)
        spool.seek(0)
        _write_file(_read_spool(spool), types.final(columns), stream)
    return number


class _ColumnTypes:
    """The single type of each column, in order of first appearance."""

    def __init__(self) -> None:
        import pyarrow as pa

        self._null = pa.null()
        self._text = pa.string()
        self._types: dict[str, Any] = {}
        self._mixed: set[str] = set()
        self._wide: set[str] = set()

    def note(self, name: str, array: Any) -> None:
        import pyarrow as pa

        before = self._types.setdefault(name, self._null)
        if array is None:
            merged = None
        elif {before, array.type} == {pa.int64(), pa.float64()}:
            merged = pa.float64()
        else:
            merged = _merge_types(before, array.type)
        if merged is None:
            self._mixed.add(name)
            return
        self._types[name] = merged
        if array.type == pa.int64() and not _exact_as_float(array):
            self._wide.add(name)

    def final(self, needed: Iterable[str]) -> dict[str, Any]:
        """Map column names to types: text for columns of mixed or no values, and for needed columns never seen."""
        import pyarrow as pa

        def final_type(name: str, kind: Any) -> Any:
            mixed = name in self._mixed or (name in self._wide and kind == pa.float64())
            return self._text if mixed or kind == self._null else kind

        types = {name: final_type(name, kind) for name, kind in self._types.items()}
        return types | {name: self._text for name in needed if name not in types}


def _merge_types(a: Any, b: Any) -> Any:
    """Return the type that fits both, where a type of nulls alone fits any other; None if no type does."""
    import pyarrow as pa

    if a == b or pa.types.is_null(b):
        return a
    if pa.types.is_null(a):
        return b
    if pa.types.is_list(a) and pa.types.is_list(b):
        inner = _merge_types(a.value_type, b.value_type)
        return None if inner is None else pa.list_(inner)
    if pa.types.is_struct(a) and pa.types.is_struct(b) and a.names == b.names:
        fields = [_merge_types(one.type, other.type) for one, other in zip(a.fields, b.fields, strict=True)]
        return None if None in fields else pa.struct(list(zip(a.names, fields, strict=True)))
    return None


def _exact_as_float(array: Any) -> bool:
    import pyarrow as pa

    try:
        array.cast(pa.float64())
    except pa.ArrowInvalid:
        return False
    return True


def _split_batches(rows: Iterable[Row]) -> Iterator[list[Row]]:
    batch: list[Row] = []
    characters = 0
    for row in rows:
        batch.append(row)
        characters += sum(len(value) for value in row.values() if isinstance(value, str))
        if len(batch) >= _BATCH_ROWS or characters >= _BATCH_CHARACTERS:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch


def _make_table(batch: list[Row], types: _ColumnTypes) -> Any:
    """Convert a batch of rows to an Arrow table with the types of its own values."""
    import pyarrow as pa

    names = dict.fromkeys(name for row in batch for name in row)
    columns = {}
    for name in names:
        values = [row.get(name) for row in batch]
        array = _make_array(values)
        types.note(name, array)
        columns[name] = pa.array([_as_text(value) for value in values], pa.string()) if array is None else array
    return pa.table(columns)


def _make_array(values: list[Any]) -> Any:
    """Convert values to an Arrow array of their type; None if no single type holds them exactly."""
    import pyarrow as pa

    try:
        array = pa.array(values)
    except UnicodeEncodeError:
        json_bytes(values)
        raise
    except (pa.ArrowException, OverflowError, ValueError, TypeError):
        return None
    # Arrow gives each struct the keys of all structs, which would add keys to a document.
    if not _fits_parquet(array.type) or (pa.types.is_nested(array.type) and array.to_pylist() != values):
        return None
    return array


def _fits_parquet(kind: Any, levels: int = _MAX_LEVELS) -> bool:
    """Return whether a type has at most `levels` levels, and neither a struct without fields nor a calendar interval.

    Parquet cannot hold these.
    """
    import pyarrow as pa

    if not pa.types.is_nested(kind):
        return not pa.types.is_interval(kind)
    fields = [kind.field(position) for position in range(kind.num_fields)]
    return bool(fields) and levels > 0 and all(_fits_parquet(field.type, levels - 1) for field in fields)


def _as_text(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else json_bytes(value).decode()


def _read_spool(spool: Any) -> Iterator[Any]:
    import pyarrow as pa

    size = spool.seek(0, 2)
    spool.seek(0)
    while spool.tell() < size:
        with pa.ipc.open_stream(spool) as reader:
            yield reader.read_all()


def _write_file(tables: Iterator[Any], types: dict[str, Any], stream: BinaryIO) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pa.schema(list(types.items()))
    with pq.ParquetWriter(stream, schema, compression="zstd") as writer:
        for table in tables:
            columns = [_convert_column(table, field) for field in schema]
            writer.write_table(pa.table(columns, schema=schema))


def _convert_column(table: Any, field: Any) -> Any:
    import pyarrow as pa

    if field.name not in table.schema.names:
        return pa.nulls(table.num_rows, field.type)
    column = table.column(field.name)
    if column.type == field.type:
        return column
    if field.type == pa.string():
        return pa.array([_as_text(value) for value in column.to_pylist()], pa.string())
    if pa.types.is_nested(field.type):
        # Arrow's cast of lists of nulls produces broken arrays (pyarrow 26), and only such lists reach this line.
        return pa.array(column.to_pylist(), field.type)
    return column.cast(field.type)
