"""Records of CSV files: a header line, then one record for every row; RFC 4180 quotes, line breaks inside them allowed.

The delimiter is the one of comma, semicolon and tab that shows the required columns in the header. Every cell is text;
an empty cell of a field with a meaning is an absent value, in other columns it is an empty string. The apostrophe that
`infostream_dedup.corpus.rows` puts before cells which a spreadsheet would run is taken off again.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator
from typing import Final, NamedTuple

from infostream_dedup.corpus.documents import FIELDS
from infostream_dedup.corpus.formulas import unguarded
from infostream_dedup.corpus.gunzip import StreamError
from infostream_dedup.corpus.lines import Line, byte_lines, open_bytes
from infostream_dedup.corpus.records import Item, Place, Record
from infostream_dedup.errors import BadDataError

__all__ = ["csv_records"]

_DELIMITERS: Final = ",;\t"
_REQUIRED: Final = ("id", "text")
_OPTIONAL: Final = frozenset(FIELDS) - {"id", "text"}


def csv_records(source: str, max_line_bytes: int) -> Iterator[Item]:
    """The records of one file, and an error for every row that is none.

    A row that is broken by a stray quote ends where the parser gives up, at the latest after `max_line_bytes`;
    reading goes on with the next line.

    Args:
        source: path.
        max_line_bytes: longest row (``E_TOO_LARGE``).

    Raises:
        NoInputError: the file cannot be opened or read.
    """
    # The limit belongs to the process and defaults to 128 KiB, too short for a long article; it is only ever raised.
    csv.field_size_limit(max(csv.field_size_limit(), max_line_bytes))
    feed = _RowFeed(source, max_line_bytes)
    try:
        with open_bytes(source) as stream:
            feed.lines = byte_lines(stream, max_line_bytes)
            header = _header(feed)
            if isinstance(header, BadDataError):
                yield header
            else:
                yield from _rows(feed, header)
    except StreamError as fault:
        yield feed.place_behind().error(fault.code, fault.message)


class _RowTooLongError(Exception):
    """The row has more bytes than allowed."""


class _RowFeed:
    """Hands lines to the CSV parser as text and remembers the bytes of the row it is at."""

    def __init__(self, source: str, max_bytes: int) -> None:
        self.lines: Iterator[Line] = iter(())
        self._source = source
        self._max_bytes = max_bytes
        self._behind = Place(source, line=1, byte_offset=0)
        self.begin()

    def begin(self) -> None:
        """The next line is the first of a new row."""
        self._row: list[Line] = []
        self._size = 0
        self.is_utf8 = True

    def __iter__(self) -> _RowFeed:
        return self

    def __next__(self) -> str:
        line = next(self.lines)
        self._row.append(line)
        self._size += len(line.data)
        self._behind = Place(self._source, line.number + 1, line.offset + len(line.data))
        if line.too_long or self._size > self._max_bytes + len(b"\r\n"):
            raise _RowTooLongError
        try:
            return line.data.decode()
        except UnicodeDecodeError:
            # The parser must see the row to its end, so that the next one begins at the right line.
            self.is_utf8 = False
            return line.data.decode(errors="surrogateescape")

    def place(self) -> Place:
        """Where the row stands, with its bytes."""
        if not self._row:
            return self._behind
        first = self._row[0]
        return Place(self._source, first.number, first.offset, b"".join(line.data for line in self._row))

    def place_behind(self) -> Place:
        """Where the next line would be."""
        return self._behind


class _Header(NamedTuple):
    names: list[str]
    delimiter: str


def _header(feed: _RowFeed) -> _Header | BadDataError:
    try:
        text = next(feed)
    except StopIteration:
        return feed.place().error("E_SCHEMA", "the file is empty, expected a header line with the columns id and text")
    except _RowTooLongError:
        return feed.place().error("E_TOO_LARGE", "the header line is too long")
    if not feed.is_utf8:
        return feed.place().error("E_ENCODING", "the header line is not UTF-8; convert the file, e.g. with iconv")
    headers = [_split(text, delimiter) for delimiter in _DELIMITERS]
    for header in headers:
        if header is not None and not _missing(header.names):
            return _without_doubles(header, feed.place())
    names = headers[0].names if headers[0] is not None else []
    missing = ", ".join(_missing(names))
    came = _shown(names)
    return feed.place().error("E_SCHEMA", f"missing columns: {missing}; the header has: {came or 'nothing readable'}")


def _split(text: str, delimiter: str) -> _Header | None:
    try:
        cells = next(csv.reader([text], delimiter=delimiter, strict=True), [])
    except csv.Error:
        return None
    return _Header([unguarded(cell) for cell in cells], delimiter)


def _shown(names: list[str]) -> str:
    """Names for a message: some of them, and nothing that a terminal would obey."""
    text = ", ".join(names)[:200]
    return "".join(one if one.isprintable() else ascii(one)[1:-1] for one in text)


def _missing(names: list[str]) -> list[str]:
    return [name for name in _REQUIRED if name not in names]


def _without_doubles(header: _Header, place: Place) -> _Header | BadDataError:
    doubles = sorted(name for name, times in Counter(header.names).items() if times > 1)
    if doubles:
        return place.error("E_SCHEMA", f"columns that come twice: {_shown(doubles)}")
    return header


def _rows(feed: _RowFeed, header: _Header) -> Iterator[Item]:
    reader = csv.reader(feed, delimiter=header.delimiter, strict=True)
    while True:
        feed.begin()
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield feed.place().error("E_CSV", f"{error}; expected a row of RFC 4180, quotes inside a cell doubled")
        except _RowTooLongError:
            yield feed.place().error("E_TOO_LARGE", "the row is longer than --max-line-bytes, or a quote is not closed")
        else:
            # A line of white space is a row of one blank cell: no record, as in JSON Lines.
            if cells and (len(cells) > 1 or cells[0].strip()):
                yield _record(cells, header, feed)


def _record(cells: list[str], header: _Header, feed: _RowFeed) -> Item:
    place = feed.place()
    if len(cells) != len(header.names):
        return place.error("E_CSV", f"{len(cells)} cells, expected {len(header.names)} as in the header")
    if not feed.is_utf8:
        return _encoding_error(cells, header, place)
    values: dict[str, str | None] = {}
    for name, cell in zip(header.names, cells, strict=True):
        text = unguarded(cell)
        values[name] = None if not text and name in _OPTIONAL else text
    return Record(values, place)


def _encoding_error(cells: list[str], header: _Header, place: Place) -> BadDataError:
    for name, cell in zip(header.names, cells, strict=True):
        try:
            cell.encode()
        except UnicodeEncodeError as error:
            byte = ord(cell[error.start]) - 0xDC00
            return place.error("E_ENCODING", f"byte 0x{byte:02x} is not UTF-8", name)
    raise AssertionError("a row that is not UTF-8 has a cell that is not")
