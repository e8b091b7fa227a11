"""Read many rows of CSV at a time, in columns; if quotes are unusual, parse the rows one by one."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from infostream_dedup.documents.arrow_blocks import ArrowBlock, arrow_block
from infostream_dedup.documents.csv_table import OPTIONAL, Header, RowFeed, read_header, read_rows
from infostream_dedup.documents.kernels.json_lines import LEFT
from infostream_dedup.documents.kernels.table_rows import BROKEN, CsvRows, find_rows
from infostream_dedup.documents.lines import StreamError, byte_lines, open_bytes
from infostream_dedup.errors import BadDataError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from infostream_dedup.documents.column_names import ColumnNames
    from infostream_dedup.documents.records import Item

__all__ = ["CsvBlock", "csv_blocks"]

_SIZE: Final = 1 << 22
"""Number of bytes read at a time."""

_BYTES_PER_ROW: Final = 16
"""Mean length of the rows for which a piece has room; further rows go to the next piece."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Piece:
    """Complete rows of a file."""

    source: str  # name of the file
    header: Header  # names of the columns
    limit: int  # maximum bytes of a row
    data: bytes  # the bytes
    rows: CsvRows  # where the rows are
    number: int  # number of lines before them in the file
    offset: int  # number of bytes before them in the file

    def item(self, row: int) -> Item | None:
        """Return a row as the plain code reads it; None if it is blank."""
        begin, end = self.rows.bounds[row].tolist()
        number, offset = self.number + int(self.rows.lines[row]), self.offset + begin
        feed = _feed(io.BytesIO(self.data[begin:end]), self.source, self.limit, (number, offset))
        return next(read_rows(feed, self.header), None)

    def items(self) -> Iterator[Item]:
        """All rows as the plain code reads them."""
        for row in range(len(self.rows.states)):
            item = self.item(row)
            if item is not None:
                yield item


@dataclass(frozen=True, slots=True, kw_only=True)
class CsvBlock(ArrowBlock):
    """Rows that were read together."""

    piece: _Piece  # the rows as bytes

    def item(self, row: int) -> Item | None:
        """Return a row as the plain code reads it; None if it is blank."""
        return self.piece.item(row)

    def numbers(self, rows: NDArray[np.int64]) -> NDArray[np.uint64]:
        """Number of the first line of each row, from 1."""
        return (self.piece.rows.lines[rows] + (self.piece.number + 1)).astype(np.uint64)


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

    Args:
        stream: buffered, positioned after the header.
        source: name of the file.
        header: names of the columns.
        limit: maximum bytes of a row.
        line: number of the next line, from 1.
        offset: bytes that precede it.
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
            if not data and self._fault is None:
                return
            rows, why = self._rows_of(data)
            if len(rows.states):
                yield from self._found(data, rows)
            end = int(rows.bounds[-1, 1]) if len(rows.states) else 0
            self._number += data.count(b"\n", 0, end)
            self._offset += end
            self._rest = data[end:]
            if why == BROKEN or (self._fault is not None and not len(rows.states)):
                yield from self._plainly()
                return

    def _next_bytes(self) -> bytes:
        """Return the rest of the last piece, with further bytes if the file has more."""
        parts, size = [self._rest], 0
        try:
            while size < _SIZE and not self._ended:
                more = self._stream.read1(_SIZE - size)
                parts.append(more)
                size += len(more)
                self._ended = not more
        except StreamError as fault:
            self._fault, self._ended = fault, True
        return b"".join(parts)

    def _rows_of(self, data: bytes) -> tuple[CsvRows, int]:
        room = len(data) // _BYTES_PER_ROW + 1
        rows = CsvRows(
            bounds=np.empty((room, 2), dtype=np.int64),
            lines=np.empty(room, dtype=np.int64),
            states=np.empty(room, dtype=np.uint8),
            cells=np.empty(room, dtype=np.int64),
        )
        whole = self._ended and self._fault is None
        delimiter, columns = ord(self._header.delimiter), len(self._header.names)
        found, why = find_rows(
            np.frombuffer(data, dtype=np.uint8), len(data), whole, delimiter, columns, self._limit, rows
        )
        return CsvRows(rows.bounds[:found], rows.lines[:found], rows.states[:found], rows.cells[:found]), why

    def _found(self, data: bytes, rows: CsvRows) -> Iterator[CsvBlock | Item]:
        header = self._header
        piece = _Piece(
            source=self._source,
            header=header,
            limit=self._limit,
            data=data,
            rows=rows,
            number=self._number,
            offset=self._offset,
        )
        block = None
        if (rows.cells == len(header.names)).all():
            batch = _batch(memoryview(data)[: int(rows.bounds[-1, 1])], header)
            if batch is not None and batch.num_rows == len(rows.states):
                block = arrow_block(batch, self._source, 0)
        if block is None:
            yield from piece.items()
            return
        block.columns.states[rows.states == LEFT] = LEFT
        yield CsvBlock(block.source, block.batch, block.before, block.columns, block.values, piece=piece)

    def _plainly(self) -> Iterator[Item]:
        """All rows that follow, one by one."""
        stream = io.BufferedReader(_Remaining(self._rest, self._stream, self._fault))
        feed = _feed(stream, self._source, self._limit, (self._number, self._offset))
        try:
            yield from read_rows(feed, self._header)
        except StreamError as fault:
            yield feed.next_place().error(fault.code, fault.message)


class _Remaining(io.RawIOBase):
    """Yields bytes already read, then those of a stream, then raises the fault that ended it."""

    def __init__(self, rest: bytes, stream: Any, fault: StreamError | None) -> None:
        self._rest = rest
        self._stream = stream
        self._fault = fault

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        room = memoryview(buffer)
        if self._rest:
            size = min(len(room), len(self._rest))
            room[:size] = self._rest[:size]
            self._rest = self._rest[size:]
            return size
        if self._fault is not None:
            raise self._fault
        return int(self._stream.readinto1(room))


def _feed(stream: Any, source: str, limit: int, before: tuple[int, int]) -> RowFeed:
    """Make a feed of the lines of a stream that begins after a number of lines and bytes of its file."""
    feed, (number, offset) = RowFeed(source, limit, before), before
    feed.lines = byte_lines(stream, limit, number=number, offset=offset)
    return feed


def _batch(data: memoryview, header: Header) -> Any:
    """Cells of rows as a ``pyarrow.RecordBatch`` of strings; None if they are not UTF-8."""
    import pyarrow as pa
    from pyarrow import csv

    try:
        table = csv.read_csv(
            pa.BufferReader(data),
            csv.ReadOptions(column_names=header.names, use_threads=False, block_size=len(data) + 1),
            csv.ParseOptions(delimiter=header.delimiter, newlines_in_values=True, ignore_empty_lines=False),
            csv.ConvertOptions(column_types=dict.fromkeys(header.names, pa.string()), strings_can_be_null=False),
        )
    except pa.ArrowInvalid:
        return None
    columns = [_given(name, column.combine_chunks()) for name, column in zip(header.names, table.columns, strict=True)]
    return pa.RecordBatch.from_arrays(columns, names=header.names)


def _given(name: str, cells: Any) -> Any:
    """The cells of a column; empty ones may be absent values."""
    import pyarrow.compute as pc

    empty = pc.equal(cells, "") if name in OPTIONAL else None
    return cells if empty is None or not pc.any(empty).as_py() else pc.if_else(empty, None, cells)
