"""Records of CSV, Arrow and Feather files, of the first sheet of a workbook (.xlsx), and of tables in memory."""

from __future__ import annotations

import csv
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, NamedTuple

import orjson

from infostream_dedup.documents import lines
from infostream_dedup.documents.column_names import (
    BATCH_ROWS,
    FIELDS,
    ColumnNames,
    ReadBatch,
    advice_on,
    doubled_names,
    schema_error,
)
from infostream_dedup.documents.dates import is_spreadsheet_date, spreadsheet_date
from infostream_dedup.documents.documents import row_of
from infostream_dedup.documents.outputs import unguarded
from infostream_dedup.documents.records import Item, Place, Record
from infostream_dedup.errors import BadDataError, MissingExtraError, NoInputError
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
        (size,) = read_apart("arrow", source)
        lines.check_ratio(size, Path(source).stat().st_size)
        with Path(source).open("rb") as stream:
            try:
                table = pa.ipc.open_file(stream).read_all()
            except pa.ArrowInvalid:
                stream.seek(0)
                table = pa.ipc.open_stream(stream).read_all()
    except lines.StreamError as error:
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


def read_apart(kind: str, source: str) -> list[Any]:
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
        raise lines.StreamError(f"E_{kind.upper()}", found[-1]["error"])
    if not found or found[-1] is not None:
        raise lines.StreamError(
            "E_RATIO", "it is damaged, or needs more memory than a file of its size may: save it as CSV"
        )
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
        first, *rows = read_apart("xlsx", source)
    except lines.StreamError as error:
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
    is_empty = value is None or type(value).__name__ in _EMPTY
    return is_empty or value == "" or (isinstance(value, float) and value != value)


def _is_text(value: object) -> bool:
    """Whether a string is a text and not a file name: no such file exists, and it has no known ending or pattern."""
    if not isinstance(value, str) or value == lines.STANDARD_STREAM:
        return False
    if "\n" in value or len(value[: _LONGEST_NAME + 1].encode("utf-8", "replace")) > _LONGEST_NAME:
        return True
    return " " in value.strip() and not value.lower().endswith(lines.KNOWN_ENDINGS) and not Path(value).exists()


def _texts(values: Iterable[Any]) -> list[dict[str, Any]]:
    return [{"id": str(number), "text": value} for number, value in enumerate(values, 1)]


def is_frame(source: object) -> bool:
    """Return whether `source` is a table, that is, offers Arrow data or has ``to_arrow``."""
    return not is_series(source) and any(hasattr(source, name) for name in _ARROW)


def frame_columns(source: Any) -> tuple[str, ...]:
    """Names of the columns of a table in memory; none for any other source."""
    frame = loaded(source)
    names = _open_reader(frame).schema.names if is_frame(frame) else ()
    return tuple(name for name in names if not _PANDAS_INDEX.fullmatch(name))


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


# Records of CSV files: a header line, then one record per row, quoted as in RFC 4180, even across lines.
#
# The delimiter is whichever of comma, semicolon, tab and bar yields the required columns in the header, or the one that
# a line ``sep=;`` before it names. Every cell is text; an empty cell means an absent value in a field that we
# interpret, and an empty string in any other column. The apostrophe that `infostream_dedup.documents.outputs` puts
# before cells that a spreadsheet would run is removed again.


_DELIMITERS: Final = ",;\t|"
_DECLARED: Final = re.compile(r"""("?)sep=(?P<delimiter>[!#-/:-@[-`{-~\t])\1[\r\n]*""", re.IGNORECASE)
"""The first line that Excel understands, and some programs write for it."""
_ESCAPED: Final = 'here they are escaped by backslashes: replace each \\" by ""'
OPTIONAL: Final = frozenset(FIELDS) - {"id", "text"}  # columns in which an empty cell is an absent value


def csv_records(
    source: str,
    max_line_bytes: int,
    names: ColumnNames,
    *,
    encoding: str | None = None,
    ids: bool = True,
    required: Sequence[str] = _REQUIRED,
) -> Iterator[Item]:
    """Yield the records of one file, and an error for each malformed row, which ends after `max_line_bytes` at most."""
    # The limit is process-wide and defaults to 128 KiB, too little for a long article; we only ever raise it.
    csv.field_size_limit(max(csv.field_size_limit(), max_line_bytes))
    feed = RowFeed(source, max_line_bytes)
    try:
        with lines.open_bytes(source, encoding) as stream:
            feed.lines = lines.byte_lines(stream, max_line_bytes)
            header = read_header(feed, names, ids=ids, required=required)
            if isinstance(header, BadDataError):
                yield header
            else:
                yield from read_rows(feed, header)
    except lines.StreamError as fault:
        yield feed.next_place.error(fault.code, fault.message)


class _RowTooLongError(Exception):
    """The row is longer than allowed."""


class RowFeed:
    """Passes lines to the CSV parser as text and keeps the bytes of the current row.

    ``source``: name of the file; ``max_bytes``: maximum length of a row; ``lines``: the lines to pass on; ``is_utf8``:
    whether the current row is UTF-8; ``next_place``: position of the next line.
    """

    def __init__(self, source: str, max_bytes: int) -> None:
        self.lines: Iterator[lines.Line] = iter(())
        self._source = source
        self.max_bytes = max_bytes
        self.next_place = Place(source, line=1, byte_offset=0)
        self.begin()

    def begin(self) -> None:
        """Start a new row at the next line."""
        self._row: list[lines.Line] = []
        self._size = 0
        self.is_utf8 = True

    def __iter__(self) -> RowFeed:
        return self

    def __next__(self) -> str:
        line = next(self.lines)
        self._row.append(line)
        self._size += len(line.data)
        self.next_place = Place(self._source, line.number + 1, line.offset + len(line.data))
        if line.too_long or self._size > self.max_bytes + len(b"\r\n"):
            raise _RowTooLongError
        try:
            return line.data.decode()
        except UnicodeDecodeError:
            # The parser must see the whole row, so that the next one starts at the right line.
            self.is_utf8 = False
            return line.data.decode(errors="surrogateescape")

    def place(self) -> Place:
        """Return the position of the current row, with its bytes."""
        if not self._row:
            return self.next_place
        first = self._row[0]
        return Place(self._source, first.number, first.offset, b"".join(line.data for line in self._row))


class Header(NamedTuple):
    """The first row."""

    names: list[str]  # names of the columns, as given
    ours: list[str]  # our names of the columns
    delimiter: str  # character between cells
    blanks: bool = False  # whether blanks after a delimiter belong to no cell
    unnamed: int = 0  # number of columns at the end without a name, as spreadsheets leave them; their cells are empty


def read_header(
    feed: RowFeed, columns: ColumnNames, *, ids: bool, required: Sequence[str] = _REQUIRED
) -> Header | BadDataError:
    """Read the first row."""
    wanted = [name for name in required if ids or name != "id"]
    delimiters = _DELIMITERS
    try:
        text = next(feed)
        declared = _DECLARED.fullmatch(text)
        if declared is not None:
            delimiters = declared["delimiter"] + delimiters
            feed.begin()
            text = next(feed)
    except StopIteration:
        expected = " and ".join(", ".join(required).rsplit(", ", 1))
        return feed.place().error("E_SCHEMA", f"the file is empty, expected a header line with the columns {expected}")
    except _RowTooLongError:
        return feed.place().error("E_TOO_LARGE", "the header line is too long")
    if not feed.is_utf8:
        return feed.place().error("E_ENCODING", "the header line is not UTF-8; convert the file, e.g. with iconv")
    ways = [(delimiter, blanks) for blanks in (False, True) for delimiter in delimiters]
    headers = [_split_header(text, delimiter, columns, blanks=blanks) for delimiter, blanks in ways]
    for header in headers:
        if header is not None and not _missing(wanted, header.ours):
            place = feed.place()
            doubles = doubled_names(header.ours)
            return place.error("E_SCHEMA", f"duplicate columns: {_format_names(doubles)}") if doubles else header
    names = max((header.names for header in headers if header is not None), key=len, default=[])
    missing = ", ".join(_missing(wanted, columns.names(names)))
    message = f"missing columns: {missing}; the header has: {_format_names(names) or 'nothing readable'}"
    if "\r" in text.rstrip("\r\n"):
        message += "; the lines end with CR alone, expected LF or CR LF"
    advice = advice_on(names) if required == _REQUIRED else ""
    return feed.place().error("E_SCHEMA", message + advice)


def _split_header(text: str, delimiter: str, columns: ColumnNames, *, blanks: bool) -> Header | None:
    try:
        cells = next(csv.reader([text], delimiter=delimiter, strict=True, skipinitialspace=blanks), [])
    except csv.Error:
        return None
    names = [unguarded(cell.strip() if blanks else cell) for cell in cells]
    named = len(names)
    while named and not names[named - 1].strip():
        named -= 1
    # A single column without a name may be the index of a data frame.
    unnamed = len(names) - named if len(names) - named > 1 or "" in names[:named] else 0
    names = names[: len(names) - unnamed]
    return Header(names, columns.names(names), delimiter, blanks, unnamed)


def _format_names(names: list[str]) -> str:
    """Join names for a message: only the first ones, and no characters that a terminal would interpret."""
    return "".join(one if one.isprintable() else ascii(one)[1:-1] for one in ", ".join(names)[:200])


def _missing(wanted: list[str], names: list[str]) -> list[str]:
    return [name for name in wanted if name not in names]


def read_rows(feed: RowFeed, header: Header) -> Iterator[Item]:
    """Yield the records of the rows that follow, and an error for each malformed row."""
    reader = csv.reader(feed, delimiter=header.delimiter, strict=True, skipinitialspace=header.blanks)
    while True:
        feed.begin()
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            place = feed.place()
            advice = f"; {_ESCAPED}" if b'\\"' in (place.raw or b"") else ""
            yield place.error("E_CSV", f"{error}; expected an RFC 4180 row, with quotes inside a cell doubled{advice}")
        except _RowTooLongError:
            message = f"the row is longer than {feed.max_bytes} bytes, or a quote is not closed"
            yield feed.place().error("E_TOO_LARGE", message)
        else:
            # A line of white space parses as a row of one blank cell; as in JSON Lines, it is not a record.
            if cells and (len(cells) > 1 or cells[0].strip()):
                yield _make_record(cells, header, feed)


def _make_record(cells: list[str], header: Header, feed: RowFeed) -> Item:
    place = feed.place()
    if header.unnamed and not any(cells[len(header.names) :]):
        cells = cells[: len(header.names)]
    if len(cells) != len(header.names):
        return place.error("E_CSV", f"{len(cells)} cells, expected {len(header.names)} as in the header")
    if not feed.is_utf8:
        return _encoding_error(cells, header, place)
    values: dict[str, str | None] = {}
    for name, ours, cell in zip(header.names, header.ours, cells, strict=True):
        text = unguarded(cell)
        values[name] = None if not text and ours in OPTIONAL else text
    return Record(values, place)


def _encoding_error(cells: list[str], header: Header, place: Place) -> BadDataError:
    for name, cell in zip(header.ours, cells, strict=True):
        try:
            cell.encode()
        except UnicodeEncodeError as error:
            byte = ord(cell[error.start]) - 0xDC00
            return place.error("E_ENCODING", f"byte 0x{byte:02x} is not UTF-8", name)
    raise AssertionError("a row that is not UTF-8 has a cell that is not")
