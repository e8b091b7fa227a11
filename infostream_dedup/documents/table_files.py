"""Read records of Arrow and Feather files, of the first sheet of a workbook (.xlsx), and of tables in memory."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import orjson

from infostream_dedup.documents.column_names import (
    BATCH_ROWS,
    ColumnNames,
    ReadBatch,
    advice_on,
    doubled_names,
    schema_error,
)
from infostream_dedup.documents.dates import is_spreadsheet_date, spreadsheet_date
from infostream_dedup.documents.documents import row_of
from infostream_dedup.documents.lines import KNOWN_ENDINGS, STANDARD_STREAM, StreamError, check_ratio
from infostream_dedup.documents.records import Item, Place, Record
from infostream_dedup.errors import MissingExtraError, NoInputError
from infostream_dedup.machine.platform import python_command, python_environment
from infostream_dedup.machine.table_process import cell_of
from infostream_dedup.model import Document
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


# Records from memory: tables of any library that supports Arrow, and lists of dicts or documents
# pandas (2.2 and later), polars, pyarrow, DuckDB and others offer their tables as Arrow streams
# (``__arrow_c_stream__``), so there is no need to import those libraries here.


_EMPTY: Final = ("NaTType", "NAType")


def python_values(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a record without the types of numpy, and with None for the empty cells of pandas."""
    if any(_is_foreign(value) for value in values.values()):
        return {name: _python_value(value) if _is_foreign(value) else value for name, value in values.items()}
    return values


def _is_foreign(value: Any) -> bool:
    return type(value).__module__ == "numpy" or type(value).__name__ in _EMPTY


def _python_value(value: Any) -> Any:
    if type(value).__name__ in _EMPTY:
        return None
    if getattr(getattr(value, "dtype", None), "kind", "") == "M":
        # Python's times have microseconds; numpy returns finer ones as plain numbers.
        value = value.astype("datetime64[us]")
    return value.tolist() if hasattr(value, "tolist") else value


FRAME: Final = "<frame>"
LIST: Final = "<list>"
_LONGEST_NAME: Final = 255
_PANDAS_INDEX: Final = re.compile(r"__index_level_\d+__")
_ARROW: Final = ("__arrow_c_stream__", "__arrow_c_array__", "to_arrow", "to_arrow_table", "fetch_arrow_table")


def is_series(source: object) -> bool:
    """Whether `source` is one column: a Series of pandas or polars, an index of pandas, or an array of Arrow."""
    if hasattr(source, "to_pylist"):
        return hasattr(source, "type")
    return type(source).__name__ in ("Series", "Index") and hasattr(source, "to_list")


def loaded(source: Any) -> Any:
    """Prepare a source: collect a lazy frame; make records with ids 1, 2, 3 ... from a column or list of texts."""
    if type(source).__name__ == "LazyFrame" and hasattr(source, "collect"):
        return source.collect()
    if is_series(source):
        return _texts(source.to_pylist() if hasattr(source, "to_pylist") else source.to_list())
    if type(source).__module__ == "numpy" and hasattr(source, "tolist"):
        source = source.tolist()
    if isinstance(source, list | tuple) and all(_is_gap(one) or _is_text(one) for one in source):
        return source if all(map(_is_gap, source)) else _texts(source)
    return source


def _is_gap(value: object) -> bool:
    """Whether a value in a list of texts stands for a missing text."""
    return value is None or value == "" or (isinstance(value, float) and value != value)


def _is_text(value: object) -> bool:
    """Whether a string is a text and not a file name: no such file exists, and it has no known ending or pattern."""
    if not isinstance(value, str) or value == STANDARD_STREAM:
        return False
    if "\n" in value or len(value[: _LONGEST_NAME + 1].encode("utf-8", "replace")) > _LONGEST_NAME:
        return True
    return " " in value.strip() and not value.lower().endswith(KNOWN_ENDINGS) and not Path(value).exists()


def _texts(values: Iterable[Any]) -> list[dict[str, Any]]:
    return [{"id": str(number), "text": value} for number, value in enumerate(values, 1)]


def is_frame(source: object) -> bool:
    """Return whether `source` is a table, that is, offers Arrow data or has ``to_arrow``."""
    return not is_series(source) and any(hasattr(source, name) for name in _ARROW)


def frame_records(
    frame: Any, names: ColumnNames, read_batch: ReadBatch, *, ids: bool = True, source: str = FRAME
) -> Iterator[Any]:
    """Yield the records of a table in memory, rows numbered from 1; a single error if its columns are wrong."""
    require_arrow("reading a data frame")
    import pyarrow as pa

    rows = 0
    try:
        try:
            reader = _open_reader(frame)
        except pa.ArrowException:
            raise
        except (TypeError, ValueError) as error:
            # What the library of the table refuses, such as two columns of one name.
            yield Place(source).error(
                "E_SCHEMA", f"the table cannot be converted to an Arrow table: {str(error)[:200]}"
            )
            return
        wrong = schema_error(reader.schema, source, names, ids=ids)
        kept = [name for name in reader.schema.names if not _PANDAS_INDEX.fullmatch(name)]
        for whole in reader:
            # A frame without rows has no documents, whatever the types of its empty columns.
            if wrong is not None and whole.num_rows:
                yield wrong
                return
            for start in range(0, whole.num_rows, BATCH_ROWS):
                batch = whole.select(kept).slice(start, BATCH_ROWS)
                yield from read_batch(batch, source, rows)
                rows += batch.num_rows
    except (pa.ArrowException, OverflowError) as error:
        reason = "; ".join(str(part) for part in error.args)[:200]
        yield Place(source, rows + 1 if rows else None).error(
            "E_SCHEMA", f"a column cannot be converted to an Arrow column: {reason}; give it values of one type"
        )


def _open_reader(frame: Any) -> Any:
    import pyarrow as pa

    if hasattr(frame, "__arrow_c_stream__"):
        return pa.RecordBatchReader.from_stream(frame)
    made = next((getattr(frame, name) for name in _ARROW[2:] if hasattr(frame, name)), None)
    return pa.RecordBatchReader.from_stream(pa.table(frame) if made is None else made())


def list_records(values: Iterable[Any], first: int = 1, source: str = LIST) -> Iterator[Item]:
    """Yield the records of dicts and documents, numbered from ``first``, and an error for everything else."""
    for number, value in enumerate(values, first):
        place = Place(source, number)
        if isinstance(value, Document):
            yield Record(row_of(value), place, value.time)
        elif isinstance(value, Mapping):
            yield Record(python_values(value), place)
        else:
            raw = repr(value).encode(errors="backslashreplace")
            yield place._replace(raw=raw).error("E_TYPE", f"got {type(value).__name__}, expected a dict or a Document")
