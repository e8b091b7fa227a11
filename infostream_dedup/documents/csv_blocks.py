"""Read many rows of CSV at a time, in columns; if quotes are unusual, parse the rows one by one."""

from __future__ import annotations

import io
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from infostream_dedup.documents.arrow_blocks import LANGUAGES, NAMES, ROOM, Cells, TableBlock, joined_columns
from infostream_dedup.documents.csv_table import OPTIONAL, Header, RowFeed, read_header, read_rows
from infostream_dedup.documents.documents import DocumentBuilder, plain_fields, plain_ids
from infostream_dedup.documents.kernels.json_lines import ID, LEFT, READ, SOURCE, URL
from infostream_dedup.documents.kernels.table_rows import (
    BROKEN,
    CsvRows,
    TableColumns,
    copy_cells,
    find_rows,
    read_dates,
)
from infostream_dedup.documents.lines import StreamError, byte_lines, open_bytes
from infostream_dedup.documents.records import Item, Place, Record
from infostream_dedup.errors import BadDataError
from infostream_dedup.machine.files import Readable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from infostream_dedup.documents.column_names import ColumnNames
    from infostream_dedup.model import Document


_SIZE: Final = 1 << 22
"""Number of bytes read at a time."""

_BYTES_PER_ROW: Final = 16
"""Mean length of the rows for which a piece has room; further rows go to the next piece."""

_NOWHERE: Final = Place("<block>")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Piece:
    """Complete rows of a file."""

    source: str  # name of the file
    header: Header  # names of the columns
    limit: int  # maximum bytes of a row
    data: bytes  # the bytes, followed by `ROOM` others
    rows: CsvRows  # where the rows are
    number: int  # number of lines before them in the file
    offset: int  # number of bytes before them in the file

    def item(self, row: int) -> Item | None:
        """Return a row as the plain code reads it; None if it is blank."""
        begin, end = self.rows.bounds[row].tolist()
        number, offset = self.number + int(self.rows.lines[row]), self.offset + begin
        feed = _feed(io.BytesIO(self.data[begin:end]), self.source, self.limit, (number, offset))
        return next(read_rows(feed, self.header), None)

    def cells(self, name: str) -> Cells:
        rows, column = self.rows, self.header.names.index(name)
        whole = rows.cells == len(self.header.names)
        size = int((np.abs(rows.spans[whole, 2 * column + 1]) - rows.spans[whole, 2 * column]).sum())
        out, ends = np.zeros(size + ROOM, dtype=np.uint8), np.empty(len(whole) + 1, dtype=np.int64)
        copy_cells(np.frombuffer(self.data, dtype=np.uint8), rows, len(self.header.names), column, out, ends)
        return out, ends

    def strings(self, name: str) -> list[str | None]:
        """Return the cells of a column as text; empty ones may be absent values."""
        if name not in self.header.names:
            return [None] * len(self.rows.states)
        cells, ends = self.cells(name)
        data = cells.tobytes()
        texts = [data[begin:end].decode() for begin, end in pairwise(ends.tolist())]
        return [text or None for text in texts] if name in OPTIONAL else list[str | None](texts)

    def string(self, row: int, column: int) -> str | None:
        """Return a cell of a row that has as many cells as there are columns."""
        begin, end = self.rows.spans[row, 2 * column : 2 * column + 2].tolist()
        text = self.data[begin : abs(end)].decode()
        if end < 0:
            text = text.replace('""', '"')
        return None if not text and self.header.names[column] in OPTIONAL else text

    def items(self) -> Iterator[Item]:
        """All rows as the plain code reads them."""
        for row in range(len(self.rows.states)):
            item = self.item(row)
            if item is not None:
                yield item


@dataclass(frozen=True, slots=True)
class CsvBlock(TableBlock):
    """Rows that were read together."""

    piece: _Piece  # the rows as bytes
    columns: TableColumns  # content of the rows
    values: dict[int, list[str | None]]

    @property
    def source(self) -> str:
        """Name of the file."""
        return self.piece.source

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self.columns.states)

    def item(self, row: int) -> Item | None:
        """Return a row as the plain code reads it; None if it is blank."""
        return self.piece.item(row)

    def numbers(self, rows: NDArray[np.int64]) -> NDArray[np.uint64]:
        """Number of the first line of each row, from 1."""
        return (self.piece.rows.lines[rows] + (self.piece.number + 1)).astype(np.uint64)

    def date(self, row: int) -> object:
        """The value of ``published``."""
        return self.piece.string(row, self.piece.header.names.index("published"))

    def without_text(self, rows: NDArray[np.int64], builder: DocumentBuilder) -> Callable[[int], Document]:
        """Return a function that creates document i of the rows, with ``text`` empty."""
        piece, names, first = self.piece, self.piece.header.names, int(rows[0])

        def made(number: int) -> Document:
            values = {
                name: "" if name == "text" else piece.string(first + number, column)
                for column, name in enumerate(names)
            }
            return builder.build(Record(values, _NOWHERE))

        return made


def _block(piece: _Piece) -> CsvBlock | None:
    """Read rows in columns; return None if they are not UTF-8."""
    found = piece.rows
    try:
        str(memoryview(piece.data)[: int(found.bounds[-1, 1])], "utf-8")
    except UnicodeDecodeError:
        return None
    values = {field: piece.strings(name) for field, name in NAMES.items()}
    languages = np.array([LANGUAGES.get(code, -1) for code in piece.strings("lang")])
    plain = [*map(all, zip(*map(plain_fields, (values[SOURCE], values[URL])), plain_ids(values[ID]), strict=True))]
    states = np.where((found.states == READ) & (languages >= 0) & plain, READ, LEFT).astype(np.uint8)
    dates = np.zeros((len(states), 2), dtype=np.int64)
    dates[:, 1] = -1
    if "published" in piece.header.names:
        published, ends = piece.cells("published")
        read_dates(published, ends, np.diff(ends) > 0, dates)
    titles = piece.cells("title") if "title" in piece.header.names else None
    columns = joined_columns(states, languages.astype(np.uint8), dates, titles, piece.cells("text"))
    return CsvBlock(piece, columns, values)


def csv_blocks(
    source: str, max_line_bytes: int, names: ColumnNames, *, encoding: str | None = None
) -> Iterator[CsvBlock | Item]:
    """Yield the rows of one file: many together, or one by one with an error for each malformed row."""
    feed = RowFeed(source, max_line_bytes)
    try:
        with open_bytes(source, encoding) as stream:
            feed.lines = byte_lines(stream, max_line_bytes)
            header = read_header(feed, names, ids=True)
            if isinstance(header, BadDataError):
                yield header
                return
            if not header.is_plain:
                yield from read_rows(feed, header)
                return
            begin = feed.next_place()
            yield from _Blocks(stream, source, header, max_line_bytes, begin.line or 1, begin.byte_offset or 0).read()
    except StreamError as fault:
        yield feed.next_place().error(fault.code, fault.message)


class _Blocks:
    """The rows after the header.

    ``stream``: buffered, positioned after the header; ``source``: name of the file; ``header``: names of the columns;
    ``limit``: maximum bytes of a row; ``line``: number of the next line, from 1; ``offset``: bytes that precede it.
    """

    def __init__(self, stream: Any, source: str, header: Header, limit: int, line: int, offset: int) -> None:
        self._stream = stream
        self._source = source
        self._header = header
        self._limit = limit
        self._number, self._offset = line - 1, offset
        self._rest = b""
        self._fault: StreamError | None = None
        self._ended = False

    def read(self) -> Iterator[CsvBlock | Item]:
        """Yield blocks; where a row is broken, the plain code reads all that follows."""
        while True:
            data = self._next_bytes()
            size = len(data) - ROOM
            if not size and self._fault is None:
                return
            rows, why = self._rows_of(data, size)
            if len(rows.states):
                yield from self._found(data, rows)
            end = int(rows.bounds[-1, 1]) if len(rows.states) else 0
            self._number += data.count(b"\n", 0, end)
            self._offset += end
            self._rest = data[end:size]
            if why == BROKEN or (self._fault is not None and not len(rows.states)):
                yield from self._plainly()
                return

    def _next_bytes(self) -> bytes:
        """Return the rest of the last piece, with further bytes if the file has more, and ``ROOM`` zeros."""
        parts, size = [self._rest], 0
        try:
            while size < _SIZE and not self._ended:
                more = self._stream.read1(_SIZE - size)
                parts.append(more)
                size += len(more)
                self._ended = not more
        except StreamError as fault:
            self._fault, self._ended = fault, True
        return b"".join([*parts, bytes(ROOM)])

    def _rows_of(self, data: bytes, size: int) -> tuple[CsvRows, int]:
        delimiter, columns = ord(self._header.delimiter), len(self._header.names)
        room = size // max(_BYTES_PER_ROW, columns) + 1
        rows = CsvRows(
            bounds=np.empty((room, 2), dtype=np.int64),
            lines=np.empty(room, dtype=np.int64),
            states=np.empty(room, dtype=np.uint8),
            cells=np.empty(room, dtype=np.int64),
            spans=np.empty((room, 2 * columns), dtype=np.int64),
        )
        whole = self._ended and self._fault is None
        array = np.frombuffer(data, dtype=np.uint8)
        found, why = find_rows(array, size, whole, delimiter, columns, self._limit, rows)
        return CsvRows._make(one[:found] for one in rows), why

    def _found(self, data: bytes, rows: CsvRows) -> Iterator[CsvBlock | Item]:
        piece = _Piece(
            source=self._source,
            header=self._header,
            limit=self._limit,
            data=data,
            rows=rows,
            number=self._number,
            offset=self._offset,
        )
        block = _block(piece)
        if block is None:
            yield from piece.items()
        else:
            yield block

    def _plainly(self) -> Iterator[Item]:
        """All rows that follow, one by one."""
        stream = io.BufferedReader(_Remaining(self._rest, self._stream, self._fault))
        feed = _feed(stream, self._source, self._limit, (self._number, self._offset))
        try:
            yield from read_rows(feed, self._header)
        except StreamError as fault:
            yield feed.next_place().error(fault.code, fault.message)


class _Remaining(Readable):
    """Yields bytes already read, then those of a stream, then raises the fault that ended it."""

    def __init__(self, rest: bytes, stream: Any, fault: StreamError | None) -> None:
        self._rest = rest
        self._stream = stream
        self._fault = fault

    def readinto(self, buffer: Any) -> int:
        room = memoryview(buffer)
        if self._rest:
            size = min(len(room), len(self._rest))
            room[:size] = self._rest[:size]
            self._rest = self._rest[size:]
            return size
        if self._fault is not None:
            raise self._fault
        data = self._stream.read1(len(room))
        room[: len(data)] = data
        return len(data)


def _feed(stream: Any, source: str, limit: int, before: tuple[int, int]) -> RowFeed:
    """Make a feed of the lines of a stream that begins after a number of lines and bytes of its file."""
    feed, (number, offset) = RowFeed(source, limit, before), before
    feed.lines = byte_lines(stream, limit, number=number, offset=offset)
    return feed
