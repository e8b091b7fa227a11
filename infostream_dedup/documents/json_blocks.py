"""Read many lines of JSON at a time: plain documents stay in columns, everything else is parsed line by line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import orjson
from numpy.typing import NDArray

from infostream_dedup.documents.documents import DocumentBuilder
from infostream_dedup.documents.json_files import doubled_name, fault_item, is_too_deep, line_item
from infostream_dedup.documents.kernels.json_lines import (
    NAME_WORDS,
    OTHER_STRING,
    PUBLISHED,
    URL,
    JsonColumns,
    read_lines,
)
from infostream_dedup.documents.lines import BYTE_ORDER_MARK, Line, StreamError, open_bytes, refuse_wide_encodings
from infostream_dedup.documents.records import Item, Place, Record
from infostream_dedup.machine.kernels.byte_blocks import BLOCK
from infostream_dedup.model import Document

_SIZE: Final = 1 << 21
"""Bytes read at a time: as many as fit into the processor's cache together with what is computed from them."""


class LineBuffer:
    """The next bytes of a stream: ``data`` has ``size`` of them, followed by ``BLOCK`` zeros.

    ``number`` and ``offset`` count the lines and bytes before them; ``last`` is the offset after the last line taken.
    """

    def __init__(self, stream: Any, size: int = _SIZE) -> None:
        self._stream = stream
        self._chunk = size
        self._fault: StreamError | None = None
        self.data: NDArray[np.uint8] = np.zeros(size + BLOCK, dtype=np.uint8)
        self.size = 0
        self.ended = False
        self.number = 0
        self.offset = 0
        self.last = 0

    def fill(self) -> None:
        """Read until a piece is complete or the stream ends."""
        begin = self.offset == 0 and self.size == 0
        room = len(self.data) - BLOCK
        view = self.data.data
        try:
            while self.size < room and not self.ended:
                # Not readinto1, which reads on where an archive breaks off, and loses what it had.
                got = self._stream.read1(room - self.size)
                view[self.size : self.size + len(got)] = got
                self.size += len(got)
                self.ended = not got
        except StreamError as fault:
            self._fault, self.ended = fault, True
        self.data[self.size : self.size + BLOCK] = 0
        if begin:
            self._check_begin()

    @property
    def whole(self) -> bool:
        """Whether the last line is complete although no line end follows it: the stream ended without a fault."""
        return self.ended and self._fault is None

    def grow(self) -> None:
        """Enlarge the buffer for a longer line."""
        data = np.zeros(2 * (len(self.data) - BLOCK) + BLOCK, dtype=np.uint8)
        data[: self.size] = self.data[: self.size]
        self.data = data

    def line(self, begin: int, end: int, before: int, limit: int) -> Line:
        """Return a line as ``byte_lines`` yields it."""
        too_long = end - begin > limit
        stop = begin + limit if too_long else min(end + 1, self.size)
        return Line(self.data[begin:stop].tobytes(), self.number + before + 1, self.offset + begin, too_long)

    def take(self, lines: int, begin: int, end: int, limit: int) -> None:
        """Drop lines that have been read, and keep what follows them."""
        too_long = end - begin > limit
        end = min(end + 1, self.size)
        self.last = self.offset + (begin + limit if too_long else end)
        rest = self.size - end
        self.data[:rest] = self.data[end : self.size].copy()
        self.data[rest : rest + BLOCK] = 0
        self.size = rest
        self.number += lines
        self.offset += end

    def skip_line(self, limit: int) -> None:
        """Drop a line whose first part has been read."""
        self.last = self.offset + limit
        self.number += 1
        while True:
            self.offset += self.size
            self.size = 0
            if self.ended:
                return
            self.fill()
            found = np.flatnonzero(self.data[: self.size] == ord("\n"))
            if len(found):
                last = self.last
                self.take(0, 0, int(found[0]), limit)
                self.last = last
                return

    def check_end(self) -> None:
        """Raise the fault that ended the stream, if any."""
        if self._fault is not None:
            raise self._fault

    def _check_begin(self) -> None:
        first = self.data[: min(self.size, BLOCK)].tobytes().split(b"\n", 1)
        refuse_wide_encodings(first[0] + (b"\n" if len(first) > 1 else b""))
        if first[0].startswith(BYTE_ORDER_MARK):
            mark = len(BYTE_ORDER_MARK)
            self.data[: self.size - mark] = self.data[mark : self.size].copy()
            self.size -= mark
            self.data[self.size : self.size + BLOCK] = 0
            self.offset = mark


_ROOM: Final = BLOCK + 2
_BYTES_PER_LINE: Final = 64
"""Assumed length of a line; a buffer of shorter lines is read in several pieces."""

_OTHERS: Final = 64
"""Names other than ours of one object that the loops can tell apart."""

_NOWHERE: Final = Place("<block>")


@dataclass(frozen=True, slots=True)
class JsonBlock:
    """Lines that were read together; valid until the next block is requested."""

    source: str
    buffer: LineBuffer
    columns: JsonColumns
    rows: int
    limit: int

    def item(self, row: int) -> Item | None:
        """Return a line as the plain code reads it; None if it is blank."""
        begin, end = self.columns.bounds[row].tolist()
        return line_item(self.source, self.buffer.line(begin, end, row, self.limit), self.limit)

    def place(self, row: int) -> Place:
        """Return the place of a line."""
        begin, end = self.columns.bounds[row].tolist()
        line = self.buffer.line(begin, end, row, self.limit)
        return Place(self.source, line.number, line.offset, line.data)

    def numbers(self, rows: NDArray[np.int64]) -> NDArray[np.uint64]:
        """Number of each line in the file, from 1."""
        return (rows + (self.buffer.number + 1)).astype(np.uint64)

    def date(self, row: int) -> object:
        """The value of ``published``, which must be present."""
        begin, end = self.columns.spans[row, PUBLISHED].tolist()
        return orjson.loads(self.buffer.data[begin:end].tobytes())

    def strings(self, rows: NDArray[np.int64], field: int) -> list[str | None]:
        """Return one field of several lines, which is a string without escapes, absent or null."""
        whole = self.buffer.data.data
        spans = self.columns.spans[rows, field].tolist()
        return [str(whole[begin:end], "utf-8") if begin >= 0 else None for begin, end in spans]

    def urls(self, rows: NDArray[np.int64], bare: Callable[[int], Document]) -> list[str | None]:
        """Addresses of lines."""
        urls = self.strings(rows, URL)
        for number in np.flatnonzero(self.columns.spans[rows, URL, 0] == OTHER_STRING).tolist():
            urls[number] = bare(number).url
        return urls

    def without_text(self, rows: NDArray[np.int64], builder: DocumentBuilder) -> Callable[[int], Document]:
        """Return a function that creates document i of the lines, with ``text`` empty."""
        before = int(rows[0]) - 1
        begin = int(self.columns.rest_ends[before]) if before >= 0 else 0
        ends = self.columns.rest_ends[rows] - begin
        rest = self.columns.rest[begin : begin + int(ends[-1])].tobytes()

        def made(number: int) -> Document:
            first = int(ends[number - 1]) if number else 0
            return builder.build(Record(orjson.loads(rest[first : int(ends[number])]), _NOWHERE))

        return made

    def is_valid(self, row: int) -> bool:
        """Whether the plain parser accepts a line about which the loops were not sure."""
        ends = self.columns.rest_ends
        rest = self.columns.rest[ends[row - 1] if row else 0 : ends[row]].tobytes()
        try:
            values = orjson.loads(rest)
            return not is_too_deep(values, rest) and doubled_name(rest, values) is None
        except orjson.JSONDecodeError:
            return False


def json_blocks(source: str, max_line_bytes: int, encoding: str | None) -> Iterator[JsonBlock | Item]:
    """Yield the lines of a file or of standard input: many together, or one by one with errors of bad lines."""
    buffer: LineBuffer | None = None
    try:
        with open_bytes(source, encoding) as stream:
            buffer = LineBuffer(stream)
            yield from _blocks_of(buffer, source, max_line_bytes)
            buffer.check_end()
    except StreamError as fault:
        number, offset = (buffer.number, buffer.last) if buffer is not None else (0, 0)
        yield fault_item(source, fault, number, offset)


def _blocks_of(buffer: LineBuffer, source: str, limit: int) -> Iterator[JsonBlock | Item]:
    while True:
        buffer.fill()
        columns = _columns(buffer.size)
        rows = read_lines(buffer.data, buffer.size, buffer.whole, limit, NAME_WORDS, columns)
        bounds = columns.bounds[:rows]
        if rows:
            yield JsonBlock(source, buffer, columns, rows, limit)
        if rows:
            begin, end = bounds[-1].tolist()
            buffer.take(rows, begin, end, limit)
        elif buffer.ended:
            return
        elif buffer.size > limit:
            item = line_item(source, buffer.line(0, buffer.size, 0, limit), limit)
            if item is not None:
                yield item
            buffer.skip_line(limit)
        else:
            buffer.grow()


def _columns(size: int) -> JsonColumns:
    """Allocate columns for the content of some bytes."""
    lines = size // _BYTES_PER_LINE + 1
    return JsonColumns(
        bounds=np.empty((lines, 2), dtype=np.int64),
        states=np.empty(lines, dtype=np.uint8),
        spans=np.empty((lines, 7, 2), dtype=np.int64),
        languages=np.empty(lines, dtype=np.uint8),
        dates=np.empty((lines, 2), dtype=np.int64),
        sizes=np.empty((lines, 3), dtype=np.int64),
        hashes=np.empty(lines, dtype=np.uint64),
        texts=np.empty(size + _ROOM, dtype=np.uint8),
        text_ends=np.empty(lines, dtype=np.int64),
        bodies=np.empty(lines, dtype=np.int64),
        rest=np.empty(size + _ROOM, dtype=np.uint8),
        rest_ends=np.empty(lines, dtype=np.int64),
        others=np.empty(_OTHERS, dtype=np.uint64),
    )
