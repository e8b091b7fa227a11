"""Read many lines of JSON at a time: plain documents stay in columns, everything else is parsed line by line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import orjson

from infostream_dedup.documents.documents import DocumentBuilder
from infostream_dedup.documents.gunzip import StreamError
from infostream_dedup.documents.jsonl import fault_item, is_too_deep, line_item
from infostream_dedup.documents.kernels.json_lines import (
    NAME_WORDS,
    OTHER_STRING,
    PUBLISHED,
    URL,
    JsonColumns,
    read_lines,
)
from infostream_dedup.documents.line_buffer import LineBuffer
from infostream_dedup.documents.lines import open_bytes
from infostream_dedup.documents.records import Item, Place, Record
from infostream_dedup.machine.kernels.byte_blocks import BLOCK
from infostream_dedup.model import Document

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["JsonBlock", "json_blocks"]

_ROOM: Final = BLOCK + 2
_BYTES_PER_LINE: Final = 64
"""Assumed length of a line; a buffer of shorter lines is read in several pieces."""

_NOWHERE: Final = Place("<block>")


@dataclass(frozen=True, slots=True)
class JsonBlock:
    """Lines that were read together; valid until the next block is requested.

    Attributes:
        source: file from which they come.
        buffer: buffer with their bytes.
        columns: their content; ``texts`` and ``rest`` remain valid.
        rows: number of lines.
        limit: maximum bytes of a line.
    """

    source: str
    buffer: LineBuffer
    columns: JsonColumns
    rows: int
    limit: int

    def item(self, row: int) -> Item | None:
        """Return a line as the plain code reads it; None if it is blank."""
        begin, end = self.columns.bounds[row].tolist()
        return line_item(self.source, self.buffer.line(begin, end, row, self.limit), self.limit)

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
            return not is_too_deep(orjson.loads(rest), rest)
        except orjson.JSONDecodeError:
            return False


def json_blocks(source: str, max_line_bytes: int, encoding: str | None) -> Iterator[JsonBlock | Item]:
    """Yield the lines of one file or of standard input: many together, or one by one with an error for each bad line.

    Args:
        source: path of the file, or ``-``.
        max_line_bytes: as for ``jsonl_records``.
        encoding: as for ``jsonl_records``.

    Raises:
        NoInputError: the file cannot be opened or read.
    """
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
    )
