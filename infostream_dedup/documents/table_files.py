"""Read records of Arrow and Feather files, and of the first sheet of a workbook (.xlsx)."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from datetime import date
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import orjson

from infostream_dedup.documents.column_names import ColumnNames, ReadBatch, advice_on, doubled_names, schema_error
from infostream_dedup.documents.dates import is_spreadsheet_date, spreadsheet_date
from infostream_dedup.documents.frames import frame_records
from infostream_dedup.documents.lines import StreamError, check_ratio
from infostream_dedup.documents.records import Item, Place, Record
from infostream_dedup.errors import MissingExtraError, NoInputError
from infostream_dedup.machine.platform import python_command, python_environment
from infostream_dedup.machine.table_process import cell_of
from infostream_dedup.model.tabular import require_arrow

_REQUIRED: Final = ("id", "text")
_TEXTS: Final = ("id", "title", "text", "source", "url")


def arrow_records(source: str, names: ColumnNames, read_batch: ReadBatch, *, ids: bool = True) -> Iterator[Any]:
    """Yield the records of one file in Arrow's file or stream format; a single error if it is neither."""
    require_arrow("reading .arrow and .feather")
    import pyarrow as pa

    try:
        (size,) = _read_apart("arrow", source)
        check_ratio(size, Path(source).stat().st_size)
        with Path(source).open("rb") as stream:
            try:
                table = pa.ipc.open_file(stream).read_all()
            except pa.ArrowInvalid:
                stream.seek(0)
                table = pa.ipc.open_stream(stream).read_all()
    except StreamError as error:
        yield Place(source).error(error.code, f"not an Arrow or Feather file that can be read ({error})")
        return
    except pa.ArrowException as error:
        yield Place(source).error("E_ARROW", f"not an Arrow or Feather file that can be read ({str(error)[:200]})")
        return
    except OSError as error:
        raise NoInputError(f"cannot read {source}: {error.strerror or error}") from error
    wrong = schema_error(table.schema, source, names, ids=ids)
    if wrong is not None:
        # A frame in memory without rows may have columns of any type, but a file was written with these.
        yield wrong
        return
    yield from frame_records(table, names, read_batch, ids=ids, source=source)


def _read_apart(kind: str, source: str) -> list[Any]:
    """What another process reads from a file; it takes the memory, and the abort of the library if there is one."""
    try:
        Path(source).open("rb").close()
    except OSError as error:
        raise NoInputError(f"cannot read {source}: {error.strerror or error}") from error
    with subprocess.Popen(  # noqa: S603 - this Python and our own module
        python_command("infostream_dedup.machine.table_process", kind, Path(source).resolve()),
        env=python_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        assert process.stdout is not None  # noqa: S101 - it is a pipe
        found = [orjson.loads(line) for line in process.stdout if line.endswith(b"\n")]
    if found and isinstance(found[-1], dict):
        raise StreamError("E_XLSX" if kind == "xlsx" else "E_ARROW", found[-1]["error"])
    if not found or found[-1] is not None:
        raise StreamError("E_RATIO", "it needs more memory than a file of its size may: save it as CSV")
    return [[cell_of(cell) for cell in one] if isinstance(one, list) else one for one in found[:-1]]


def workbook_records(
    source: str, names: ColumnNames, *, ids: bool = True, required: Sequence[str] = _REQUIRED
) -> Iterator[Item]:
    """Yield the records of the first sheet of a workbook: a row of names, then one record per row.

    An empty cell is an absent value, and in the column of texts an empty text, as in CSV. Numbers in columns of texts
    become their digits, because people type titles and ids such as 2024 into cells. A date in a cell without a date
    format is a number of days, and becomes the date.
    """
    if find_spec("python_calamine") is None:
        raise MissingExtraError("python-calamine", "xlsx", "reading .xlsx")
    try:
        first, *rows = _read_apart("xlsx", source)
    except StreamError as error:
        yield Place(source).error(error.code, f"not a workbook that can be read ({error})")
        return
    # Cells that were only formatted make columns that have neither a name nor a value.
    used = [place for place, column in enumerate(zip(*rows, strict=True)) if any(cell != "" for cell in column)]
    header = [_name(rows[0][place]) for place in used]
    wrong = _header_error(header, names, [name for name in required if ids or name != "id"])
    if wrong is not None:
        yield Place(source, first).error("E_SCHEMA", wrong)
        return
    ours = names.names(header)
    for number, cells in enumerate(rows[1:], first + 1):
        if any(cells[place] != "" for place in used):
            given = [_value(name, cells[place]) for name, place in zip(ours, used, strict=True)]
            yield Record(dict(zip(header, given, strict=True)), Place(source, number))


def _header_error(header: list[str], names: ColumnNames, wanted: Sequence[str]) -> str | None:
    ours = names.names(header)
    missing = [name for name in wanted if name not in ours]
    if missing:
        came = ", ".join(header)[:200] or "nothing"
        advice = advice_on(header) if "text" in wanted else ""
        return f"missing columns: {', '.join(missing)}; the first row has: {came}{advice}"
    doubles = doubled_names(ours)
    return f"duplicate columns: {', '.join(doubles)[:200]}" if doubles else None


def _name(cell: Any) -> str:
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)


def _value(name: str, cell: Any) -> Any:
    if cell == "":
        return "" if name == "text" else None
    if name in _TEXTS and isinstance(cell, float):
        return _name(cell)
    if name == "published" and isinstance(cell, float) and is_spreadsheet_date(cell):
        return spreadsheet_date(cell)
    if name == "id":
        return str(cell)
    return cell.isoformat() if isinstance(cell, date) else cell
