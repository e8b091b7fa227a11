"""Rows of results, and documents as rows, as JSON Lines, a JSON array or CSV on a stream of bytes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from numbers import Number
from typing import Any, BinaryIO, Final, Literal

from infostream_dedup.corpus.formulas import guarded
from infostream_dedup.corpus.json_text import json_bytes
from infostream_dedup.errors import BadDataError

__all__ = ["RowFormat", "csv_cells", "csv_line", "joined", "write_rows"]

RowFormat = Literal["jsonl", "json", "csv"]

_NEEDS_QUOTES: Final = re.compile(r'[",\r\n]')


def write_rows(
    rows: Iterable[Mapping[str, Any]],
    stream: BinaryIO,
    format: RowFormat,  # noqa: A002 - the name of the command line's option
    *,
    columns: Sequence[str] | None = None,
    raw: bool = False,
) -> int:
    r"""Write rows as they come.

    Args:
        rows: column names to values.
        stream: where to; stays open.
        format: ``jsonl``: an object a line. ``json``: one array. ``csv``: a header and RFC 4180 rows with ``\n``.
        columns: columns of CSV; the keys of the first row if None. A row without one of them has an empty cell there.
        raw: CSV only: leave out the apostrophe before text cells that a spreadsheet would run (``formulas.guarded``).

    Returns:
        Number of rows.

    Raises:
        ValueError: a CSV row has a key that is none of the columns.
        BadDataError: a value cannot be written.
    """
    match format:
        case "jsonl":
            return _write_jsonl(rows, stream)
        case "json":
            return _write_json(rows, stream)
        case "csv":
            return _write_csv(rows, stream, columns, raw=raw)


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


def _write_csv(rows: Iterable[Mapping[str, Any]], stream: BinaryIO, columns: Sequence[str] | None, *, raw: bool) -> int:
    iterator = iter(rows)
    if columns is None:
        iterator, columns = _columns_of_first(iterator)
    if columns:
        stream.write(csv_line(columns, raw=raw))
    known = frozenset(columns)
    number = 0
    for row in iterator:
        if not known.issuperset(row):
            unknown = [name for name in row if name not in known]
            raise ValueError(f"row {number + 1} has columns that the header lacks: {unknown}")
        stream.write(csv_line((row.get(name) for name in columns), raw=raw))
        number += 1
    return number


def _columns_of_first(
    rows: Iterator[Mapping[str, Any]],
) -> tuple[Iterator[Mapping[str, Any]], Sequence[str]]:
    for first in rows:
        return chain((first,), rows), tuple(first)
    return rows, ()


def csv_line(values: Iterable[Any], *, raw: bool = False) -> bytes:
    r"""One row of CSV in UTF-8 with its line end.

    Args:
        values: the cells, as for `csv_cells`.
        raw: as for `csv_cells`.

    Raises:
        BadDataError: text with a lone surrogate.

    Example:
        >>> csv_line(["=1+1", -1, None, "Київ, 5 травня"]).decode()
        '\'=1+1,-1,,"Київ, 5 травня"\n'
    """
    return joined(csv_cells(values, raw=raw))


def csv_cells(values: Iterable[Any], *, raw: bool = False) -> list[str]:
    """Values as cells, quoted where needed.

    None is an empty cell, true and false are words, objects and arrays are JSON.

    Args:
        values: anything that JSON can hold, times and decimals.
        raw: leave out the apostrophe that keeps spreadsheets from running a text cell.
    """
    return [_cell(value, raw=raw) for value in values]


def joined(cells: Sequence[str]) -> bytes:
    """Finished cells as one row in UTF-8 with its line end.

    Raises:
        BadDataError: text with a lone surrogate.
    """
    # A row that is one empty cell would be a blank line, which is no row.
    line = ",".join(cells) or '""'
    try:
        return line.encode() + b"\n"
    except UnicodeEncodeError:
        message = "text with a lone surrogate cannot be written"
        raise BadDataError(message, code="E_ENCODING", source="<output>") from None


def _cell(value: Any, *, raw: bool) -> str:
    if value is None:
        return ""
    text = value if isinstance(value, str) else _text_of(value)
    if not raw and not isinstance(value, Number):
        text = guarded(text)
    if _NEEDS_QUOTES.search(text):
        return '"' + text.replace('"', '""') + '"'
    return text


def _text_of(value: Any) -> str:
    if isinstance(value, float):
        # Not repr(): numpy's floats are floats whose repr() names their type.
        return float.__repr__(value)
    text = json_bytes(value).decode()
    # A time or a decimal is a JSON string; a cell holds it without quotes.
    return text[1:-1] if text.startswith('"') else text
