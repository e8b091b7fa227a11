"""Read documents in columns if they are plainly valid; results and errors are the same as when reading one by one."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC
from functools import partial
from itertools import chain, count, groupby
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
import orjson

from infostream_dedup.documents.column_names import ColumnNames, batch_records
from infostream_dedup.documents.dates import time_zone
from infostream_dedup.documents.documents import DocumentBuilder, row_of
from infostream_dedup.documents.json_files import doubled_name, fault_item, is_too_deep, jsonl_records, line_item
from infostream_dedup.documents.kernels.json_lines import (
    BLANK,
    CHECK,
    ID,
    LEFT,
    LOCAL,
    NAME_WORDS,
    NO_LANGUAGE,
    OTHER_DATE,
    OTHER_STRING,
    PUBLISHED,
    READ,
    SOURCE,
    TEXT,
    URL,
    UTC_KNOWN,
    JsonColumns,
    read_lines,
)
from infostream_dedup.documents.kernels.table_rows import doubt_encodings, show_ours
from infostream_dedup.documents.lines import BYTE_ORDER_MARK, Line, StreamError, open_bytes, refuse_wide_encodings
from infostream_dedup.documents.reading import (
    ONE_BY_ONE,
    Reading,
    RecordReaders,
    Source,
    checked_documents,
    make_builder,
    open_items,
)
from infostream_dedup.documents.records import BadRecords, Item, Place, ReadingReport, Record, SeenIds
from infostream_dedup.documents.table_blocks import (
    TOGETHER,
    ArrowBlock,
    ListBlock,
    RecordBlock,
    arrow_block,
    list_blocks,
    record_block,
)
from infostream_dedup.documents.table_files import list_records
from infostream_dedup.errors import BadDataError
from infostream_dedup.language.text.kernels.scanning import count_letters
from infostream_dedup.language.text.language import SAMPLE, is_contradicted, language_beyond_ours
from infostream_dedup.language.text.surface_pool import block_of
from infostream_dedup.machine.arrays import Ints, Uint8s, Uint64s, offsets_of
from infostream_dedup.machine.kernels import BLOCK
from infostream_dedup.model import NO_TIME, OUR_LANGUAGES, Document, DocumentBlock, microseconds_of, moment_of
from infostream_dedup.model.document import ALIGNED, MADE

_SIZE: Final = 1 << 21
"""Bytes read at a time: as many as fit into the processor's cache together with what is computed from them."""


class LineBuffer:
    """The next bytes of a stream, ``size`` and ``BLOCK`` zeros, after ``number`` lines and ``offset`` bytes."""

    def __init__(self, stream: Any, size: int = _SIZE) -> None:
        self._stream = stream
        self._chunk = size
        self._fault: StreamError | None = None
        self.data: Uint8s = np.zeros(size + BLOCK, dtype=np.uint8)
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
_BYTES_PER_LINE: Final = 64  # assumed length of a line; a buffer of shorter lines is read in several pieces
_OTHERS: Final = 64  # names other than ours of one object that the loops can tell apart


class KeptLines(NamedTuple):
    """Lines of a block, which outlive it."""

    first: Place  # line before the numbers of `rows`, offset of the first byte of `data`
    data: bytes
    rows: list[int]  # numbers of the lines in the block
    bounds: list[list[int]]  # bounds of each line in `data`, without its end
    texts: list[list[int]]  # bounds of each text in JSON, without its quotes
    plain: list[bool]  # whether orjson would write the text so: without escapes that need not be

    def place(self, number: int) -> Place:
        """Place of a line."""
        (begin, end), (source, line, offset, _) = self.bounds[number], self.first
        return Place(source, (line or 0) + self.rows[number], (offset or 0) + begin, self.data[begin : end + 1])

    def record(self, number: int) -> dict[str, Any] | None:
        """Record of a line, with its text as JSON; ``None`` if orjson would write that otherwise."""
        if not self.plain[number]:
            return None
        (begin, end), (text, after) = self.bounds[number], self.texts[number]
        values: dict[str, Any] = orjson.loads(self.data[begin:text] + self.data[after:end])
        values["text"] = orjson.Fragment(self.data[text - 1 : after + 1])
        return values


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

    def kept(self, rows: Ints) -> KeptLines:
        """Lines, which are not too long, for later."""
        bounds, texts = self.columns.bounds[rows], self.columns.spans[rows, TEXT]
        begin, end = int(bounds[0, 0]), min(int(bounds[-1, 1]) + 1, self.buffer.size)
        first = Place(self.source, self.buffer.number + 1, self.buffer.offset + begin)
        bounds, texts, data = bounds - begin, texts - begin, self.buffer.data[begin:end]
        escapes = np.flatnonzero(data[:-1] == ord("\\"))
        # A backslash that is itself escaped may be taken for one of these, and its text is then written again.
        odd = escapes[np.isin(data[escapes + 1], (ord("u"), ord("/")))]
        plain = np.searchsorted(odd, texts[:, 0]) == np.searchsorted(odd, texts[:, 1])
        return KeptLines(first, data.tobytes(), rows.tolist(), bounds.tolist(), texts.tolist(), plain.tolist())

    def numbers(self, rows: Ints) -> Uint64s:
        """Number of each line in the file, from 1."""
        return (rows + (self.buffer.number + 1)).astype(np.uint64)

    def date(self, row: int) -> object:
        """The value of ``published``, which must be present."""
        begin, end = self.columns.spans[row, PUBLISHED].tolist()
        return orjson.loads(self.buffer.data[begin:end].tobytes())

    def strings(self, rows: Ints, field: int) -> list[str | None]:
        """Return one field of several lines, which is a string without escapes, absent or null."""
        whole = self.buffer.data.data
        spans = self.columns.spans[rows, field].tolist()
        return [str(whole[begin:end], "utf-8") if begin >= 0 else None for begin, end in spans]

    def urls(self, rows: Ints, bare: Callable[[int], Document]) -> list[str | None]:
        """Addresses of lines."""
        urls = self.strings(rows, URL)
        for number in np.flatnonzero(self.columns.spans[rows, URL, 0] == OTHER_STRING).tolist():
            urls[number] = bare(number).url
        return urls

    def without_text(self, rows: Ints, builder: DocumentBuilder) -> Callable[[int], Document]:
        """Return a function that creates document i of the lines, with ``text`` empty."""
        before = int(rows[0]) - 1
        begin = int(self.columns.rest_ends[before]) if before >= 0 else 0
        ends = self.columns.rest_ends[rows] - begin
        rest, dates = self.columns.rest[begin : begin + int(ends[-1])].tobytes(), self.columns.dates[rows]
        times = np.where(dates[:, 1] > OTHER_DATE, dates[:, 0], NO_TIME)

        def made(number: int) -> Document:
            first, time = int(ends[number - 1]) if number else 0, int(times[number])
            values = orjson.loads(rest[first : int(ends[number])])
            return builder.plainly(values, None if time == NO_TIME else moment_of(time))

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


_ColumnBlock: TypeAlias = JsonBlock | ListBlock | ArrowBlock
_MOST_LEFT: Final = 8  # if more than one line in this many is left, the whole block is read from its records
_SAMPLE_BYTES: Final = 16_000  # more bytes than ``other_language`` examines
_NOT_GIVEN: Final = (*OUR_LANGUAGES, None)
_NOWHERE: Final = Place("<block>")


def read_document_blocks(
    source: Source, *, reading: Reading, report: ReadingReport
) -> Iterator[Document | DocumentBlock]:
    """Read the documents of an input like ``read_documents``, but many at a time if the input is large."""
    # Texts stay in columns. Of records that compiled code does not parse itself, it takes over the fields; every record
    # that is in any way unusual is left to the code of ``read_documents``.
    reader = _Reader(reading, make_builder(reading, report), reading.bad_records(report), SeenIds())
    return reader.read(open_items(source, reading, RecordReaders(reader.lines, reader.batch, reader.values)))


Placed: TypeAlias = tuple[Document, Place]
PlacedBatch: TypeAlias = Sequence[Placed] | DocumentBlock


def placed_documents(source: Source, bad: BadRecords, reading: Reading) -> Iterator[Placed]:
    """Read the documents of an input with their places, without checking that ids differ."""
    # For callers that handle repeated ids themselves. Memory does not grow with the input. Apart from `bad`, arguments
    # and errors are those of `read_documents`.
    reader = _Reader(reading, make_builder(reading, bad.report), bad, SeenIds())
    for one in reader.placed(open_items(source, reading, ONE_BY_ONE._replace(lines=reader.lines))):
        if isinstance(one, DocumentBlock):
            reader.count(one)
            yield from zip(one, map(one.place, range(len(one))), strict=True)
        else:
            yield one


def placed_batches(source: Source, bad: BadRecords, reading: Reading, size: int) -> Iterator[DocumentBlock]:
    """Read the documents of ``placed_documents`` in batches of ``size``; those that come later are not counted yet."""
    reader = _Reader(reading, make_builder(reading, bad.report), bad, SeenIds())
    readers = RecordReaders(reader.lines, reader.rows, reader.values)
    # A missing file is told at once, not with the first batch.
    return _batched(reader, reader.placed(open_items(source, reading, readers)), size)


_FEW: Final = 16  # documents from which columns are sooner made than documents


def block_of_values(values: Sequence[Any], build: Callable[[Any, int], Document]) -> DocumentBlock:
    """Documents of a batch in memory; ``build`` makes the unusual ones, each with its number from 1."""
    if isinstance(values, DocumentBlock):
        return values
    if len(values) < _FEW or any(type(one) is not dict for one in values):
        return block_of([*map(build, values, count(1))])
    reading, report = Reading(repair=True), ReadingReport()
    reader = _Reader(reading, make_builder(reading, report), reading.bad_records(report), SeenIds())

    def built(items: Iterator[Item]) -> Iterator[Placed]:
        places = (one.place for one in items if isinstance(one, Record))
        return ((build(values[(place.line or 0) - 1], place.line or 0), place) for place in places)

    parts = list(chain.from_iterable(reader.together(block, built) for block in list_blocks(values)))
    return parts[0] if len(parts) == 1 and isinstance(parts[0], DocumentBlock) else _joined(parts)


def _batched(reader: _Reader, placed: Iterable[DocumentBlock | Placed], size: int) -> Iterator[DocumentBlock]:
    parts: list[DocumentBlock | Placed] = []
    held = 0
    for one in placed:
        begin, many = 0, len(one) if isinstance(one, DocumentBlock) else 1
        while begin < many:
            end = min(many, begin + size - held)
            part = one.part(begin, end) if isinstance(one, DocumentBlock) else one
            if isinstance(part, DocumentBlock):
                reader.count(part)
            parts.append(part)
            held, begin = held + end - begin, end
            if held == size:
                yield _joined(parts)
                parts, held = [], 0
    if parts:
        yield _joined(parts)


def _joined(parts: Iterable[DocumentBlock | Placed]) -> DocumentBlock:
    """All documents of some parts of a batch; their texts are copied."""
    blocks: list[DocumentBlock] = []
    for together, some in groupby(parts, key=lambda part: isinstance(part, DocumentBlock)):
        several: list[Any] = list(some)
        blocks += several if together else [block_of_placed(several)]
    spans = [block.data[block.offsets[0] : block.offsets[-1]] for block in blocks]
    begins, firsts = offsets_of(list(map(len, spans))), offsets_of(list(map(len, blocks))).tolist()
    moved = begins[:-1] - np.array([block.offsets[0] for block in blocks])

    def made(name: str, number: int) -> Any:
        which = bisect_right(firsts, number) - 1
        return getattr(blocks[which], name)(number - firsts[which])

    columns: dict[str, Any] = {name: partial(made, name) for name in MADE}
    for name in ALIGNED:
        several = [getattr(block, name) for block in blocks]
        if name in ("titles", "bodies"):
            several = [one + move for one, move in zip(several, moved, strict=True)]
        listed = isinstance(several[0], list)
        columns[name] = list(chain.from_iterable(several)) if listed else np.concatenate(several)
    bounds = [block.offsets[:-1] + move for block, move in zip(blocks, moved, strict=True)]
    data = np.concatenate([*spans, np.zeros(_ROOM, dtype=np.uint8)])
    return DocumentBlock(data=data, offsets=np.concatenate([*bounds, begins[-1:]]), **columns)


def block_of_placed(placed: PlacedBatch) -> DocumentBlock:
    """Documents with their places as columns."""
    if isinstance(placed, DocumentBlock):
        return placed
    return replace(block_of([one for one, _ in placed]), place=[place for _, place in placed].__getitem__)


class _Reader:
    def __init__(self, reading: Reading, builder: DocumentBuilder, bad: BadRecords, seen: SeenIds) -> None:
        self._builder = builder
        self._bare_builder = make_builder(replace(reading, columns=None), None, plain=True)
        self._utc = time_zone(reading.tz) is UTC
        self._columns, self._makes_ids = builder.columns or ColumnNames(), reading.make_ids
        self._cuts = reading.sections
        # Renamed fields, ids made from texts, and texts that are cut need each record.
        self._singly = bool(self._columns) or reading.make_ids or reading.sections
        self._repairs = reading.repair
        self._bad = bad
        self._seen = seen
        self._names: dict[str | None, str | None] = {}
        self._looked = False  # at the fields of a record

    def lines(self, path: str, max_line_bytes: int, encoding: str | None) -> Iterator[Item | JsonBlock]:
        """Read the lines of one file in the way that suits it: a pipe may wait for its next line."""
        if self._singly or not Path(path).is_file():
            return jsonl_records(path, max_line_bytes, encoding)
        return json_blocks(path, max_line_bytes, encoding)

    def batch(self, batch: Any, source: str, before: int) -> Iterator[Item | ArrowBlock]:
        """Read the rows of a batch together if many came before them."""
        if not self._singly:
            block = arrow_block(batch, source, before)
            if block is not None:
                return iter((block,))
        return batch_records(batch, source, before)

    def rows(self, batch: Any, source: str, before: int) -> Iterator[Item | ListBlock]:
        """Read the rows of a batch together as records, whose values are at hand for a checksum."""
        items = batch_records(batch, source, before)
        return items if self._makes_ids or self._cuts else self._gathered(items)

    def values(self, values: Iterable[Any]) -> Iterator[Item | ListBlock]:
        return list_records(values) if self._singly else list_blocks(values)

    def read(self, items: Iterator[Item | _ColumnBlock]) -> Iterator[Document | DocumentBlock]:
        with self._bad:
            for item in items if self._cuts else self._gathered(items):
                yield from self._one_by_one(iter((item,))) if isinstance(item, Item) else self._block(item)

    def _gathered(self, items: Iterable[Any]) -> Iterator[Any]:
        """Gather records that come one by one."""
        some: list[Item] = []
        for item in items:
            if some and (not isinstance(item, Item) or len(some) == TOGETHER or item.source != some[0].source):
                yield record_block(some, self._columns, ids=not self._makes_ids)
                some = []
            if isinstance(item, Item):
                some.append(item)
            else:
                yield item
        if some:
            yield record_block(some, self._columns, ids=not self._makes_ids)

    def placed(self, items: Iterator[Item | JsonBlock | ListBlock]) -> Iterator[DocumentBlock | Placed]:
        """Yield documents with their places: counted if they come one by one, not yet if they come together."""
        for item in items:
            if isinstance(item, Item):
                yield from self._checked(iter((item,)))
            else:
                yield from self.together(item, self._checked)

    def _checked(self, items: Iterator[Item]) -> Iterator[Placed]:
        return checked_documents(items, self._builder, self._bad, None)

    def together(
        self, block: JsonBlock | ListBlock, others: Callable[[Iterator[Item]], Iterator[Placed]]
    ) -> Iterator[DocumentBlock | Placed]:
        """Yield the documents of a block; those that are in any way unusual are left to ``others``."""
        for rows, left in self._runs(block):
            if len(rows):
                kept = block.kept(rows)
                documents = self._columns_of(block, rows, block.strings(rows, ID))
                yield replace(documents, record=kept.record, place=kept.place)
            yield from others(_items(block, left))

    def _runs(self, block: _ColumnBlock) -> Iterator[tuple[Ints, Ints]]:
        """Yield plain lines together, each time with those that follow and are left to the plain code."""
        self._look_closer(block)
        states = block.columns.states[: block.rows]
        rows = np.flatnonzero(states != BLANK)
        left = np.flatnonzero(states[rows] == LEFT)
        if len(left) * _MOST_LEFT > len(rows):
            yield rows[:0], rows
            return
        begin = 0
        for end in [*left.tolist(), len(rows)]:
            yield rows[begin:end], rows[end : end + 1]
            begin = end + 1

    def _one_by_one(self, items: Iterator[Item]) -> Iterator[Document]:
        return (document for document, _ in checked_documents(items, self._builder, self._bad, self._seen))

    def _block(self, block: _ColumnBlock) -> Iterator[Document | DocumentBlock]:
        for rows, left in self._runs(block):
            yield from self._run(block, rows)
            if len(left) > 1 and not isinstance(block, RecordBlock):
                for gathered in self._gathered(_items(block, left)):
                    yield from self._block(gathered)
            else:
                yield from self._one_by_one(_items(block, left))

    def _run(self, block: _ColumnBlock, rows: Ints) -> Iterator[Document | DocumentBlock]:
        """Yield the documents of consecutive lines; the plain code handles those with an id seen before."""
        ids: list[Any] = block.strings(rows, ID)
        if self._makes_ids and isinstance(block, RecordBlock):
            dicts = [block.dicts[row] for row in rows.tolist()]
            ids = [one or self._builder.make_id(values) for one, values in zip(ids, dicts, strict=True)]
        while ids:
            new = self._seen.new_until(ids)
            if new:
                yield self._taken(block, rows[:new], ids[:new])
            yield from self._one_by_one(_items(block, rows[new : new + 1]))
            rows, ids = rows[new + 1 :], ids[new + 1 :]

    def _taken(self, block: _ColumnBlock, rows: Ints, ids: list[str]) -> DocumentBlock:
        self._seen.add_new(ids, block.columns.hashes[rows], block.numbers(rows), block.source)
        taken = self._columns_of(block, rows, ids)
        self._count(block.source, taken)
        return taken

    def _columns_of(self, block: _ColumnBlock, rows: Ints, ids: list[Any]) -> DocumentBlock:
        columns, before = block.columns, int(rows[0]) - 1
        data = columns.texts[:]
        # Read-only, like Arrow's buffers.
        data.flags.writeable = False
        offsets = np.concatenate(
            [columns.text_ends[before : before + 1] if before >= 0 else [0], columns.text_ends[rows]]
        )
        bare = block.without_text(rows, self._bare_builder)
        if not self._looked:
            self._builder.layout(tuple(row_of(bare(0))))
            self._looked = True
        if self._makes_ids:
            bare = _with_ids(bare, ids)
        return DocumentBlock(
            ids=ids,
            languages=[_NOT_GIVEN[number] for number in columns.languages[rows].tolist()],
            sources=[self._names.setdefault(name, name) for name in block.strings(rows, SOURCE)],
            urls=block.urls(rows, bare),
            times=np.where(columns.dates[rows, 1] > OTHER_DATE, columns.dates[rows, 0], NO_TIME),
            data=data,
            offsets=offsets,
            titles=offsets[:-1] + columns.sizes[rows, 0],
            bodies=columns.bodies[rows],
            characters=columns.sizes[rows, 1:],
            without_text=bare,
            given=[block.dicts[row]["text"] for row in rows.tolist()] if type(block) is ListBlock else None,
        )

    def count(self, placed: DocumentBlock) -> None:
        """Count documents, which have places, as passed on."""
        self._count(placed.place(0).source, placed)

    def _count(self, source: str, documents: DocumentBlock) -> None:
        report, number = self._bad.report, len(documents)
        report.read += number
        report.used += number
        report.used_by_source[source] = report.used_by_source.get(source, 0) + number
        for counts, values in ((report.sources, documents.sources), (report.languages, documents.languages)):
            for value, times in Counter(values).items():
                counts[value or ""] = counts.get(value or "", 0) + times

    def _look_closer(self, block: _ColumnBlock) -> None:
        """Leave lines that this code cannot handle to the plain code; read dates in unusual forms."""
        columns = block.columns
        states, dates = columns.states[: block.rows], columns.dates[: block.rows]
        for row in np.flatnonzero(states == CHECK).tolist():
            states[row] = READ if block.is_valid(row) else LEFT
        unread = (dates[:, 1] == OTHER_DATE) | ((dates[:, 1] == LOCAL) & (not self._utc))
        for row in np.flatnonzero((states == READ) & unread).tolist():
            try:
                time = self._builder.time_of(block.date(row), _NOWHERE)
            except BadDataError:
                states[row] = LEFT
                continue
            dates[row] = (0, -1) if time is None else (microseconds_of(time), UTC_KNOWN)
        self._doubt_languages(columns, block.rows)
        if self._repairs:
            doubt_encodings(columns.texts, columns.bodies, columns.text_ends, states)
        texts = columns.texts.data
        rows = np.flatnonzero((states == READ) & (columns.languages[: block.rows] == NO_LANGUAGE))
        begins, ends, ours = columns.bodies[rows], columns.text_ends[rows], np.empty(len(rows), dtype=np.bool_)
        show_ours(columns.texts, begins, ends, ours)
        for row, begin, end in zip(rows[~ours].tolist(), begins[~ours].tolist(), ends[~ours].tolist(), strict=True):
            if language_beyond_ours(str(texts[begin : min(end, begin + _SAMPLE_BYTES)], "utf-8", "ignore")) is not None:
                states[row] = LEFT

    def _doubt_languages(self, columns: Any, rows: int) -> None:
        """Leave texts whose letters contradict the stated language to the plain code."""
        stated = np.flatnonzero((columns.states[:rows] == READ) & (columns.languages[:rows] != NO_LANGUAGE))
        if not len(stated):
            return
        counts = np.zeros((rows, 4), dtype=np.int32)
        count_letters(columns.texts, np.concatenate([[0], columns.text_ends[:rows]]), SAMPLE, counts)
        for row in stated.tolist():
            if is_contradicted(_NOT_GIVEN[columns.languages[row]], counts[row].tolist()):
                columns.states[row] = LEFT


def _with_ids(bare: Callable[[int], Document], ids: list[str]) -> Callable[[int], Document]:
    return lambda number: replace(bare(number), id=ids[number])


def _items(block: _ColumnBlock, rows: Ints) -> Iterator[Item]:
    for row in rows.tolist():
        item = block.item(row)
        if item is not None:
            yield item
