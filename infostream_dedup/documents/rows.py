"""Write rows of results and documents to a stream of bytes as JSON Lines, a JSON array or CSV."""

from __future__ import annotations

import re
import tempfile
from codecs import BOM_UTF8
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from numbers import Number
from typing import Any, BinaryIO, Final, Literal

import orjson

from infostream_dedup.documents.formulas import guarded
from infostream_dedup.documents.json_text import json_bytes
from infostream_dedup.errors import BadDataError

__all__ = [
    "CsvDialect",
    "RowFormat",
    "csv_beginning",
    "csv_cells",
    "csv_line",
    "row_format",
    "write_all_columns",
    "write_rows",
]

RowFormat = Literal["jsonl", "json", "csv", "xlsx"]

CsvDialect = Literal["standard", "excel"]

_BETWEEN: Final[Mapping[CsvDialect, tuple[str, str]]] = {"standard": (",", "\n"), "excel": (";", "\r\n")}
"""Cell separator and line end of each dialect."""

_NEEDS_QUOTES: Final = re.compile(r'[",\r\n]')


def row_format(name: str) -> RowFormat:
    """Return the format of a file of rows by its ending; JSON Lines if it says nothing.

    Example:
        >>> row_format("ask.CSV"), row_format("rows.txt")
        ('csv', 'jsonl')
    """
    lower = name.lower()
    return "csv" if lower.endswith(".csv") else "xlsx" if lower.endswith(".xlsx") else "jsonl"


def write_rows(
    rows: Iterable[Mapping[str, Any]],
    stream: BinaryIO,
    format: RowFormat,  # noqa: A002 - the name of the command line's option
    *,
    columns: Sequence[str] | None = None,
    raw: bool = False,
    dialect: CsvDialect = "standard",
) -> int:
    r"""Write rows in order.

    Args:
        rows: values by column name.
        stream: output stream; remains open.
        format: ``jsonl``: one object per line. ``json``: one array. ``csv``: a header and RFC 4180 rows with ``\n``.
            ``xlsx``: a workbook with one sheet (extra ``xlsx``).
        columns: columns of CSV and workbooks; the keys of all rows if None, so that CSV is written only after the last
            row. A column that a row lacks becomes an empty cell.
        raw: CSV only: omit the apostrophe before text cells that a spreadsheet would run (``formulas.guarded``).
        dialect: CSV only: ``excel`` is the form that Ukrainian and Russian spreadsheet programs open on a double click:
            a byte order mark, semicolons, decimal commas, ``\r\n``.

    Returns:
        Number of rows.

    Raises:
        ValueError: a CSV row has a key that is not a column.
        BadDataError: a value cannot be written.
    """
    match format:
        case "jsonl":
            return _write_jsonl(rows, stream)
        case "json":
            return _write_json(rows, stream)
        case "csv":
            return _write_csv(rows, stream, columns, raw=raw, dialect=dialect)
        case "xlsx":
            from infostream_dedup.documents.workbook_output import write_workbook

            return write_workbook(rows, stream, columns=columns)


def _write_jsonl(rows: Iterable[Mapping[str, Any]], stream: BinaryIO) -> int:
    number = 0
    for row in rows:
        stream.write(json_bytes(row) + b"\n")
        number += 1
    return number


def _write_json(rows: Iterable[Mapping[str, Any]], stream: BinaryIO) -> int:
    number = 0
    for row in rows:
        stream.write((b",\n" if number else b"[\n") + json_bytes(row))
        number += 1
    stream.write(b"\n]\n" if number else b"[]\n")
    return number


def _write_csv(
    rows: Iterable[Mapping[str, Any]],
    stream: BinaryIO,
    columns: Sequence[str] | None,
    *,
    raw: bool,
    dialect: CsvDialect,
) -> int:
    if columns is None:
        return write_all_columns(rows, stream, raw=raw, dialect=dialect)
    line = partial(csv_line, raw=raw, dialect=dialect)
    stream.write(csv_beginning(dialect) + line(columns))
    known = frozenset(columns)
    number = 0
    for row in rows:
        if not known.issuperset(row):
            unknown = [name for name in row if name not in known]
            raise ValueError(f"row {number + 1} has columns that the header lacks: {unknown}")
        stream.write(line(row.get(name) for name in columns))
        number += 1
    return number


def write_all_columns(
    rows: Iterable[Mapping[str, Any]],
    stream: BinaryIO,
    *,
    raw: bool = False,
    dialect: CsvDialect = "standard",
    without_rows: Sequence[str] = (),
) -> int:
    """Write rows as CSV with the columns of all of them, in order of first appearance.

    Since these are known only at the end, rows are buffered in a temporary file.

    Args:
        rows: see `write_rows`.
        stream: see `write_rows`.
        raw: see `write_rows`.
        dialect: see `write_rows`.
        without_rows: the columns if there are no rows.

    Returns:
        Number of rows.
    """
    columns: dict[str, None] = {}
    number = 0
    with tempfile.TemporaryFile() as spool:
        for row in rows:
            columns.update(dict.fromkeys(row))
            spool.write(json_bytes(csv_cells((row.get(name) for name in columns), raw=raw, dialect=dialect)) + b"\n")
            number += 1
        names = tuple(columns) or without_rows
        stream.write(csv_beginning(dialect) + (csv_line(names, raw=raw, dialect=dialect) if names else b""))
        spool.seek(0)
        for line in spool:
            cells = orjson.loads(line)
            stream.write(joined(cells + [""] * (len(names) - len(cells)), dialect))
    return number


def csv_beginning(dialect: CsvDialect) -> bytes:
    """The bytes before the header: spreadsheet programs take a file without a byte order mark for another encoding."""
    return BOM_UTF8 if dialect == "excel" else b""


def csv_line(values: Iterable[Any], *, raw: bool = False, dialect: CsvDialect = "standard") -> bytes:
    r"""Format one row of CSV in UTF-8 with its line end.

    Args:
        values: cell values, see `csv_cells`.
        raw: see `csv_cells`.
        dialect: see `write_rows`.

    Raises:
        BadDataError: text with a lone surrogate.

    Example:
        >>> csv_line(["=1+1", -1, None, "Київ, 5 травня"]).decode()
        '\'=1+1,-1,,"Київ, 5 травня"\n'
    """
    return joined(csv_cells(values, raw=raw, dialect=dialect), dialect)


def csv_cells(values: Iterable[Any], *, raw: bool = False, dialect: CsvDialect = "standard") -> list[str]:
    """Format values as cells, quoted where needed.

    None becomes an empty cell, true and false become words, objects and arrays JSON.

    Args:
        values: JSON values, times and decimals.
        raw: omit the apostrophe that keeps spreadsheets from running a text cell.
        dialect: see `write_rows`.
    """
    form = _excel_cell if dialect == "excel" else _format_cell
    return [form(value, raw=raw) for value in values]


def joined(cells: Sequence[str], dialect: CsvDialect = "standard") -> bytes:
    """Join formatted cells into one row in UTF-8 with its line end.

    Raises:
        BadDataError: text with a lone surrogate.
    """
    # A single empty cell would make a blank line, which is not a row.
    separator, end = _BETWEEN[dialect]
    line = separator.join(cells) or '""'
    try:
        return (line + end).encode()
    except UnicodeEncodeError:
        message = "text with a lone surrogate cannot be written"
        raise BadDataError(message, code="E_ENCODING", source="<output>") from None


def _excel_cell(value: Any, *, raw: bool) -> str:
    """Format a cell for spreadsheet programs with a decimal comma."""
    text = _format_cell(value, raw=raw)
    if isinstance(value, float):
        return text.replace(".", ",")
    return f'"{text}"' if ";" in text and not text.startswith('"') else text


def _format_cell(value: Any, *, raw: bool) -> str:
    if value is None:
        return ""
    text = value if isinstance(value, str) else _format_text(value)
    if not raw and not isinstance(value, Number):
        text = guarded(text)
    if _NEEDS_QUOTES.search(text):
        return '"' + text.replace('"', '""') + '"'
    return text


def _format_text(value: Any) -> str:
    if isinstance(value, float):
        # Not repr(): numpy's floats are subclasses of float whose repr() includes the type.
        return float.__repr__(value)
    text = json_bytes(value).decode()
    # A time or a decimal becomes a JSON string; the cell holds it without quotes.
    return text[1:-1] if text.startswith('"') else text
