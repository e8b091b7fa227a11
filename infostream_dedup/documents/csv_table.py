"""Read records of CSV files: a header line, then one record per row, quoted as in RFC 4180, even across lines.

The delimiter is whichever of comma, semicolon, tab and bar yields the required columns in the header, or the one that a
line ``sep=;`` before it names. Every cell is text; an empty cell means an absent value in a field that we interpret,
and an empty string in any other column. The apostrophe that `infostream_dedup.documents.outputs` puts before cells
that a spreadsheet would run is removed again.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

from infostream_dedup.documents.column_names import FIELDS, ColumnNames, advice_on, doubled_names
from infostream_dedup.documents.lines import (
    BYTE_ORDER_MARK,
    Line,
    StreamError,
    byte_lines,
    encoding_named,
    input_format,
    open_bytes,
    written_encoding,
)
from infostream_dedup.documents.outputs import CsvForm, unguarded
from infostream_dedup.documents.records import Item, Place, Record
from infostream_dedup.errors import BadDataError

if TYPE_CHECKING:
    from infostream_dedup.documents.reading import Reading


_REQUIRED: Final = ("id", "text")


class ReadRows(Protocol):
    """Reads the rows of a CSV file, as ``csv_records`` does: each alone, or many together."""

    def __call__(
        self, source: str, max_line_bytes: int, names: ColumnNames, *, encoding: str | None = None, ids: bool = True
    ) -> Iterator[Any]:
        """Read them."""


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
    """Yield the records of one file, and an error for each malformed row.

    A row broken by a stray quote ends where the parser gives up, after `max_line_bytes` at the latest; reading
    continues with the next line.
    """
    # The limit is process-wide and defaults to 128 KiB, too little for a long article; we only ever raise it.
    csv.field_size_limit(max(csv.field_size_limit(), max_line_bytes))
    feed = RowFeed(source, max_line_bytes)
    try:
        with open_bytes(source, encoding) as stream:
            feed.lines = byte_lines(stream, max_line_bytes)
            header = read_header(feed, names, ids=ids, required=required)
            if isinstance(header, BadDataError):
                yield header
            else:
                yield from read_rows(feed, header)
    except StreamError as fault:
        yield feed.next_place().error(fault.code, fault.message)


def form_of_inputs(paths: Sequence[str], reading: Reading) -> CsvForm:
    """How CSV files are written, if all are written alike; otherwise with commas in UTF-8."""
    found = {_form_of(path, reading) for path in paths} if all(input_format(path) == "csv" for path in paths) else set()
    return found.pop() if len(found) == 1 else CsvForm()


def _form_of(path: str, reading: Reading) -> CsvForm:
    encoding, marked = written_encoding(path)
    encoding = encoding_named(reading.encoding) or encoding
    feed = RowFeed(path, reading.max_line_bytes)
    with open_bytes(path, encoding_named(reading.encoding)) as stream:
        feed.lines = byte_lines(stream, reading.max_line_bytes)
        header = read_header(feed, ColumnNames(reading.columns), ids=not reading.make_ids)
    if isinstance(header, BadDataError):
        return CsvForm()
    end = "\r\n" if (feed.place().raw or b"").endswith(b"\r\n") else "\n"
    # UTF-16 and UTF-32 have a mark before the first line only: what is read as such is written as UTF-8.
    wide = encoding.startswith(("utf-16", "utf-32"))
    mark = BYTE_ORDER_MARK if marked or wide else b""
    return CsvForm(header.delimiter, end, "utf-8" if wide else encoding, mark)


class _RowTooLongError(Exception):
    """The row is longer than allowed."""


class RowFeed:
    """Passes lines to the CSV parser as text and keeps the bytes of the current row.

    ``source``: name of the file; ``max_bytes``: maximum length of a row; ``before``: lines and bytes of the file that
    precede those passed on. ``lines``: the lines to pass on; ``max_bytes``: maximum length of a row; ``is_utf8``:
    whether the current row is UTF-8.
    """

    def __init__(self, source: str, max_bytes: int, before: tuple[int, int] = (0, 0)) -> None:
        self.lines: Iterator[Line] = iter(())
        self._source = source
        self.max_bytes = max_bytes
        self._next_place = Place(source, line=before[0] + 1, byte_offset=before[1])
        self.begin()

    def begin(self) -> None:
        """Start a new row at the next line."""
        self._row: list[Line] = []
        self._size = 0
        self.is_utf8 = True

    def __iter__(self) -> RowFeed:
        return self

    def __next__(self) -> str:
        line = next(self.lines)
        self._row.append(line)
        self._size += len(line.data)
        self._next_place = Place(self._source, line.number + 1, line.offset + len(line.data))
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
            return self._next_place
        first = self._row[0]
        return Place(self._source, first.number, first.offset, b"".join(line.data for line in self._row))

    def next_place(self) -> Place:
        """Return the position of the next line."""
        return self._next_place


class Header(NamedTuple):
    """The first row."""

    names: list[str]  # names of the columns, as given
    ours: list[str]  # our names of the columns
    delimiter: str  # character between cells
    blanks: bool = False  # whether blanks after a delimiter belong to no cell
    unnamed: int = 0  # number of columns at the end without a name, as spreadsheets leave them; their cells are empty

    @property
    def is_plain(self) -> bool:
        """Whether rows can be read in columns."""
        return not (self.blanks or self.unnamed)


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
    came = _format_names(names)
    message = f"missing columns: {missing}; the header has: {came or 'nothing readable'}"
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
    text = ", ".join(names)[:200]
    return "".join(one if one.isprintable() else ascii(one)[1:-1] for one in text)


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
