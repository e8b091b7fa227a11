"""Read many rows of Arrow tables, dicts in memory or CSV at a time: their texts stay in columns.

Where quotes of CSV are unusual, its rows are parsed one by one.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, islice, pairwise
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from infostream_dedup.documents.column_names import ColumnNames, batch_records, without_nanoseconds
from infostream_dedup.documents.documents import DocumentBuilder, plain_fields, plain_ids
from infostream_dedup.documents.kernels.json_lines import (
    ID,
    LEFT,
    LOCAL,
    NO_LANGUAGE,
    OTHER_DATE,
    READ,
    SOURCE,
    URL,
    UTC_KNOWN,
)
from infostream_dedup.documents.kernels.table_rows import (
    BROKEN,
    CsvRows,
    TableColumns,
    copy_cells,
    find_rows,
    join_texts,
    read_dates,
)
from infostream_dedup.documents.lines import StreamError, byte_lines, open_bytes
from infostream_dedup.documents.records import Item, Place, Record
from infostream_dedup.documents.table_files import (
    LIST,
    OPTIONAL,
    Header,
    RowFeed,
    list_records,
    python_values,
    read_header,
    read_rows,
)
from infostream_dedup.errors import BadDataError
from infostream_dedup.machine.files import Readable
from infostream_dedup.machine.kernels import BLOCK
from infostream_dedup.model import OUR_LANGUAGES, Document

NAMES: Final = {ID: "id", SOURCE: "source", URL: "url"}
_TEXTS: Final = ("id", "text", "title", "lang", "source", "url")
LANGUAGES: Final[dict[str | None, int]] = {
    None: NO_LANGUAGE,
    "": NO_LANGUAGE,
    **{language: number for number, language in enumerate(OUR_LANGUAGES)},
}
ROOM: Final = BLOCK + 2

Cells: TypeAlias = tuple["NDArray[np.uint8]", "NDArray[np.int64]"]
"""Bytes of a column of strings, followed by ``ROOM`` readable bytes; and int64 (rows + 1,), bounds of each."""


class TableBlock:
    """Rows whose ids, sources and addresses are strings (``values``, by number of the field); none is in doubt."""

    __slots__ = ()
    values: dict[int, list[str | None]]

    def strings(self, rows: NDArray[np.int64], field: int) -> list[str | None]:
        """Ids, sources or addresses of rows."""
        values = self.values[field]
        return [values[row] for row in rows.tolist()]

    def urls(self, rows: NDArray[np.int64], _bare: Callable[[int], Document]) -> list[str | None]:
        """Addresses of rows."""
        return self.strings(rows, URL)

    def is_valid(self, _row: int) -> bool:
        """True."""
        return True


@dataclass(frozen=True, slots=True)
class ArrowBlock(TableBlock):
    """Rows that were read together."""

    source: str  # name of the table
    batch: Any  # a `pyarrow.RecordBatch`
    before: int  # rows of the table that precede this batch
    columns: TableColumns  # content of the rows
    values: dict[int, list[str | None]]

    @property
    def rows(self) -> int:
        """Number of rows."""
        return int(self.batch.num_rows)

    def item(self, row: int) -> Item | None:
        """Return a row as the plain code reads it; None if it is blank."""
        return next(batch_records(self.batch.slice(row, 1), self.source, self.before + row))

    def numbers(self, rows: NDArray[np.int64]) -> NDArray[np.uint64]:
        """Number of each row, from 1."""
        return (rows + (self.before + 1)).astype(np.uint64)

    def date(self, row: int) -> object:
        """The value of ``published``."""
        return self.batch.column("published")[row].as_py()

    def without_text(self, rows: NDArray[np.int64], builder: DocumentBuilder) -> Callable[[int], Document]:
        """Return a function that creates document i of the rows, with ``text`` empty."""
        names, columns = self.batch.schema.names, self.batch.columns
        kept = [(name, None if name == "text" else column) for name, column in zip(names, columns, strict=True)]
        first = int(rows[0])

        def made(number: int) -> Document:
            values = {name: "" if column is None else column[first + number].as_py() for name, column in kept}
            return builder.build(Record(values, _NOWHERE))

        return made


def arrow_block(batch: Any, source: str, before: int) -> ArrowBlock | None:
    """Read a batch in columns; return None if the plain code must read one of its columns."""
    batch = without_nanoseconds(batch)
    if not batch.num_rows or not _are_known(batch.schema) or not _are_valid(batch):
        return None
    dates = _dates(batch)
    if dates is None:
        return None
    values = {field: _values(batch, name) for field, name in NAMES.items()}
    if not all(plain_fields([*values[SOURCE], *values[URL]])):
        return None
    languages = [LANGUAGES.get(code, -1) for code in _values(batch, "lang")]
    states = [
        READ if language >= 0 and text and plain else LEFT
        for language, text, plain in zip(
            languages, _given(batch.column("text")).tolist(), plain_ids(values[ID]), strict=True
        )
    ]
    titles = _bytes(batch.column("title")) if "title" in batch.schema.names else None
    columns = joined_columns(
        np.array(states, dtype=np.uint8),
        np.array(languages).astype(np.uint8),
        dates,
        titles,
        _bytes(batch.column("text")),
    )
    return ArrowBlock(source, batch, before, columns, values)


def _are_known(schema: Any) -> bool:
    """Whether Python can hold every value of the columns, and texts are strings."""
    import pyarrow.types as types

    return all(
        _is_text(field.type) or (types.is_null(field.type) and field.name not in ("id", "text"))
        if field.name in _TEXTS
        else _is_simple(field.type, field.name == "published")
        for field in schema
    )


def _are_valid(batch: Any) -> bool:
    """Whether all columns are valid Arrow data; titles and texts are checked when they are joined."""
    import pyarrow as pa

    try:
        batch.validate()
        for name, column in zip(batch.schema.names, batch.columns, strict=True):
            if name not in ("title", "text"):
                column.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def _is_text(kind: Any) -> bool:
    import pyarrow.types as types

    return bool(types.is_string(kind) or types.is_large_string(kind))


def _is_simple(kind: Any, of_dates: bool) -> bool:
    import pyarrow.types as types

    if types.is_list(kind) or types.is_large_list(kind):
        return _is_simple(kind.value_type, False)
    numbers = types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind) or types.is_null(kind)
    return bool(_is_text(kind) or numbers or (of_dates and types.is_timestamp(kind)))


def _values(batch: Any, name: str) -> list[str | None]:
    """Strings of a column, all of them None if there is no such column."""
    return batch.column(name).to_pylist() if name in batch.schema.names else [None] * int(batch.num_rows)


def _given(column: Any) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = column.is_valid().to_numpy(zero_copy_only=False)
    return found


def _bytes(column: Any) -> Cells:
    """The strings of a column; null is an empty string."""
    import pyarrow as pa

    column = column.cast(pa.large_string()).fill_null("")
    _, bounds, data = column.buffers()
    ends = np.frombuffer(bounds, dtype=np.int64)[column.offset : column.offset + len(column) + 1]
    first, last = int(ends[0]), int(ends[-1])
    padded = np.zeros(last - first + ROOM, dtype=np.uint8)
    if last > first:
        padded[: last - first] = np.frombuffer(data, dtype=np.uint8, count=last)[first:]
    return padded, ends - first


def _dates(batch: Any) -> NDArray[np.int64] | None:
    """int64 (rows, 2) as in ``TableColumns``; None if Python cannot hold one of the dates."""
    import pyarrow as pa

    dates = np.zeros((batch.num_rows, 2), dtype=np.int64)
    dates[:, 1] = -1
    if "published" not in batch.schema.names or pa.types.is_null(batch.schema.field("published").type):
        return dates
    column = batch.column("published")
    given = _given(column)
    if _is_text(column.type):
        read_dates(*_bytes(column), given, dates)
    elif pa.types.is_timestamp(column.type):
        try:
            column.to_pylist()
        except (ValueError, OverflowError, KeyError):
            return None
        times = column.cast(pa.timestamp("us", column.type.tz)).cast(pa.int64()).fill_null(0)
        dates[:, 0] = times.to_numpy(zero_copy_only=False)
        dates[:, 1] = np.where(given, LOCAL if column.type.tz is None else UTC_KNOWN, -1)
    else:
        dates[given, 1] = OTHER_DATE
    return dates


def joined_columns(
    states: NDArray[np.uint8],
    languages: NDArray[np.uint8],
    dates: NDArray[np.int64],
    titles: Cells | None,
    texts: Cells,
) -> TableColumns:
    """Join the titles, if there are any, and the texts of rows."""
    rows = len(states)
    titles = titles or (np.zeros(ROOM, dtype=np.uint8), np.zeros(rows + 1, dtype=np.int64))
    size = int(texts[1][-1] + titles[1][-1])
    columns = TableColumns(
        states=states,
        languages=languages,
        dates=dates,
        sizes=np.zeros((rows, 3), dtype=np.int64),
        hashes=np.zeros(rows, dtype=np.uint64),
        texts=np.empty(size + rows + ROOM, dtype=np.uint8),
        text_ends=np.empty(rows, dtype=np.int64),
        bodies=np.zeros(rows, dtype=np.int64),
    )
    join_texts(*titles, *texts, columns)
    return columns


# Dicts in memory

_TOGETHER: Final = 1000
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_OPTIONAL: Final = frozenset((str, type(None)))
_TYPES: Final = {
    **dict.fromkeys(("id", "text"), frozenset((str,))),
    **dict.fromkeys(("title", "lang", "source", "url"), _OPTIONAL),
    "published": _OPTIONAL | {datetime},
}
"""Fields that are read in columns, and the types that most dicts have there."""


@dataclass(frozen=True, slots=True)
class ListBlock(TableBlock):
    """Dicts that were read together."""

    source: str  # name of the list
    dicts: list[Any]  # what was given, dicts or not
    before: int  # number of values that precede them
    columns: TableColumns  # content of the dicts
    values: dict[int, list[str | None]]

    @property
    def rows(self) -> int:
        """Number of dicts."""
        return len(self.dicts)

    def item(self, row: int) -> Item | None:
        """Return a dict as the plain code reads it."""
        return next(list_records(self.dicts[row : row + 1], self.before + row + 1))

    def numbers(self, rows: NDArray[np.int64]) -> NDArray[np.uint64]:
        """Number of each dict, from 1."""
        return (rows + (self.before + 1)).astype(np.uint64)

    def date(self, row: int) -> object:
        """The value of ``published``."""
        return self.dicts[row]["published"]

    def without_text(self, rows: NDArray[np.int64], builder: DocumentBuilder) -> Callable[[int], Document]:
        """Return a function that creates document i of the dicts, with ``text`` empty."""
        first = int(rows[0])

        def made(number: int) -> Document:
            values = {**python_values(self.dicts[first + number]), "text": ""}
            if values.get("published") is None:
                return builder.plainly(values, None)
            return builder.build(Record(values, _NOWHERE))

        return made


def list_blocks(values: Iterable[Any]) -> Iterator[ListBlock]:
    """Yield dicts many at a time."""
    rest, before = iter(values), 0
    while some := list(islice(rest, _TOGETHER)):
        yield _list_block(some, before)
        before += len(some)


def _list_block(values: list[Any], before: int) -> ListBlock:
    usual, fields = _usual(values)
    own = {field: fields[name] for field, name in NAMES.items()}
    languages = [LANGUAGES.get(code, -1) for code in fields["lang"]]
    texts, of_texts = _encoded(fields["text"])
    titles, of_titles = _encoded(fields["title"])
    plain = zip(usual, plain_ids(own[ID]), plain_fields(own[SOURCE]), plain_fields(own[URL]), strict=True)
    states = [READ if all(known) and language >= 0 else LEFT for known, language in zip(plain, languages, strict=True)]
    dates = np.full((len(values), 2), -1, dtype=np.int64)
    published = fields["published"]
    written, of_dates = _encoded([one if type(one) is str else None for one in published])
    read_dates(*written, of_dates & np.array([type(one) is str for one in published]), dates)
    dates[[one is not None and type(one) is not str for one in published], 1] = OTHER_DATE
    columns = joined_columns(
        np.where(of_texts & of_titles & of_dates, states, LEFT).astype(np.uint8),
        np.array(languages).astype(np.uint8),
        dates,
        titles,
        texts,
    )
    return ListBlock(LIST, values, before, columns, own)


def _usual(values: list[Any]) -> tuple[list[bool], dict[str, list[Any]]]:
    """Which values are usual dicts, and the fields of these."""
    if set(map(type, values)) == {dict} and set(map(type, chain.from_iterable(values))) == {str}:
        fields = {name: [one.get(name) for one in values] for name in _TYPES}
        if all(_TYPES[name].issuperset(map(type, column)) for name, column in fields.items()):
            return [True] * len(values), fields
    usual = [_is_usual(one) for one in values]
    dicts = [one if right else {} for one, right in zip(values, usual, strict=True)]
    return usual, {name: [one.get(name) for one in dicts] for name in _TYPES}


def _is_usual(value: Any) -> bool:
    """Whether a value is a dict whose fields have the types that most have; the plain code judges all others."""
    return (
        type(value) is dict
        and all(type(value.get(name)) in types for name, types in _TYPES.items())
        and all(type(name) is str for name in value)
    )


def _encoded(values: Sequence[str | None]) -> tuple[Cells, NDArray[np.bool_]]:
    """The strings of a column, and which of them UTF-8 can encode."""
    if not any(values):
        return (np.zeros(ROOM, dtype=np.uint8), np.zeros(len(values) + 1, dtype=np.int64)), np.ones(
            len(values), np.bool_
        )
    try:
        cells = [value.encode() if value else b"" for value in values]
        valid = np.ones(len(cells), dtype=np.bool_)
    except UnicodeEncodeError:
        cells = [value.encode(errors="surrogatepass") if value else b"" for value in values]
        valid = np.array([value is None or not _SURROGATE.search(value) for value in values])
    data = np.frombuffer(b"".join([*cells, bytes(ROOM)]), dtype=np.uint8)
    return (data, np.cumsum([0, *map(len, cells)], dtype=np.int64)), valid


_SIZE: Final = 1 << 22  # number of bytes read at a time
_BYTES_PER_ROW: Final = 16  # mean length of the rows for which a piece has room; further rows go to the next piece
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
            begin = feed.next_place
            yield from _Blocks(stream, source, header, max_line_bytes, begin.line or 1, begin.byte_offset or 0).read()
    except StreamError as fault:
        yield feed.next_place.error(fault.code, fault.message)


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
            yield feed.next_place.error(fault.code, fault.message)


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
