"""Read records of Arrow tables, for Parquet files and data frames: first the schema, then batch by batch."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, TypeAlias

from infostream_dedup.documents.column_names import ColumnNames, advice_on, doubled_names
from infostream_dedup.documents.json_text import json_bytes
from infostream_dedup.documents.records import Item, Place, Record
from infostream_dedup.errors import BadDataError

BATCH_ROWS: Final = 256

ReadBatch: TypeAlias = Callable[[Any, str, int], Iterator[Any]]
"""Reads a batch of rows, given the table's name and the rows that precede it: each alone, or many together."""

_REQUIRED: Final = ("id", "text")
_UNFIT: Final = (ValueError, OverflowError, KeyError)
"""Errors of Arrow for values that Python cannot hold; unknown time zones are a ``KeyError``, of zoneinfo or pytz."""
_OPTIONAL_TEXTS: Final = ("title", "lang", "source", "url")


def schema_error(
    schema: Any, source: str, names: ColumnNames | None = None, *, ids: bool = True
) -> BadDataError | None:
    """Return everything that is wrong with the columns of a table as one error, or None if nothing is."""
    given, inside = list(schema.names), list[str]()
    if names:
        inside = names.inside(given)
        schema = _renamed(schema, names)
    doubles = doubled_names(schema.names)
    if doubles:
        return Place(source).error("E_SCHEMA", f"duplicate columns: {', '.join(doubles)}")
    missing = [name for name in _REQUIRED if name not in (*schema.names, *inside) and (ids or name != "id")]
    wrong = [
        f"{name} is {schema.field(name).type} (expected {expected})"
        for name, allowed, expected in _list_expectations()
        if name in schema.names and not allowed(schema.field(name).type)
    ]
    parts = []
    if missing:
        parts.append(f"missing columns: {', '.join(missing)}")
    if wrong:
        parts.append(f"columns of a wrong type: {', '.join(wrong)}")
    if not parts:
        return None
    return Place(source).error(
        "E_SCHEMA",
        f"{'; '.join(parts)}; the columns are: {', '.join(given)[:200]}{advice_on(given) if missing else ''}",
    )


def _renamed(schema: Any, names: ColumnNames) -> Any:
    import pyarrow as pa

    return pa.schema([field.with_name(name) for field, name in zip(schema, names.names(schema.names), strict=True)])


def _list_expectations() -> list[tuple[str, Any, str]]:
    import pyarrow.types as types

    def is_text(kind: Any) -> bool:
        if types.is_dictionary(kind):
            kind = kind.value_type
        return bool(
            types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind) or types.is_null(kind)
        )

    def is_text_or_empty(kind: Any) -> bool:
        # pandas makes a column of numbers of one without values; its records are checked one by one.
        return is_text(kind) or bool(types.is_floating(kind))

    def is_id(kind: Any) -> bool:
        return is_text(kind) or bool(types.is_integer(kind))

    def is_date(kind: Any) -> bool:
        return is_text(kind) or bool(
            types.is_integer(kind) or types.is_floating(kind) or types.is_date(kind) or types.is_timestamp(kind)
        )

    return [
        ("id", is_id, "string or a whole number"),
        ("text", is_text, "string"),
        *((name, is_text_or_empty, "string") for name in _OPTIONAL_TEXTS),
        ("published", is_date, "string, number, date or timestamp"),
    ]


def batch_records(batch: Any, source: str, rows_before: int) -> Iterator[Item]:
    """Yield the records of one batch, and an error for each row with a cell that cannot be read."""
    batch = without_nanoseconds(batch)
    try:
        rows = batch.to_pylist()
    except _UNFIT:
        yield from _read_row_by_row(batch, source, rows_before)
        return
    for number, values in enumerate(rows, rows_before + 1):
        yield Record(values, Place(source, number))


def without_nanoseconds(batch: Any) -> Any:
    """Cut times to microseconds, the precision of Python's ``datetime``."""
    import pyarrow as pa

    for position, field in enumerate(batch.schema):
        if pa.types.is_timestamp(field.type) and field.type.unit == "ns":
            times = batch.column(position).cast(pa.timestamp("us", field.type.tz), safe=False)
            batch = batch.set_column(position, field.name, times)
    return batch


def _read_row_by_row(batch: Any, source: str, rows_before: int) -> Iterator[Item]:
    for position in range(batch.num_rows):
        place = Place(source, rows_before + position + 1)
        values: dict[str, Any] = {}
        fault: BadDataError | None = None
        for name, column in zip(batch.schema.names, batch.columns, strict=True):
            try:
                values[name] = column[position].as_py()
            except UnicodeDecodeError as error:
                fault = fault or place.error("E_ENCODING", f"{error.reason} at byte {error.start}, not UTF-8", name)
            except _UNFIT as error:
                code = "E_DATE" if name == "published" else "E_TYPE"
                why = f"a time zone that Python does not know: {error}" if isinstance(error, KeyError) else str(error)
                fault = fault or place.error(code, f"a value that Python cannot hold ({why})", name)
        if fault is None:
            yield Record(values, place)
        else:
            fault.raw = json_bytes(values)
            yield fault
