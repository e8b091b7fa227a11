"""Many rows of Arrow tables, dicts in memory or records of any reader at a time: their texts stay in columns."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import chain, islice
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from infostream_dedup.documents import documents
from infostream_dedup.documents.column_names import ColumnNames, batch_records, without_nanoseconds
from infostream_dedup.documents.kernels.json_lines import ID, LEFT, LOCAL, OTHER_DATE, READ, SOURCE, URL, UTC_KNOWN
from infostream_dedup.documents.kernels.table_rows import TableColumns, join_texts, read_dates
from infostream_dedup.documents.records import Item, Place, Record
from infostream_dedup.documents.table_files import LIST, list_records, python_values
from infostream_dedup.machine.arrays import Bools, Ints, Uint8s, Uint64s
from infostream_dedup.machine.kernels import BLOCK
from infostream_dedup.model import OUR_LANGUAGES, Document

NAMES: Final = {ID: "id", SOURCE: "source", URL: "url"}
_TEXTS: Final = ("id", "text", "title", "lang", "source", "url")
ROOM: Final = BLOCK + 2
_NOWHERE: Final = Place("<block>")

Cells: TypeAlias = tuple["Uint8s", "Ints"]
"""Bytes of a column of strings, followed by ``ROOM`` readable bytes; and int64 (rows + 1,), bounds of each."""


class TableBlock:
    """Rows whose ids, sources and addresses are strings (``values``, by number of the field); none is in doubt."""

    __slots__ = ()
    values: dict[int, list[str | None]]
    before: int

    def numbers(self, rows: Ints) -> Uint64s:
        """Number of each row, from 1."""
        return (rows + (self.before + 1)).astype(np.uint64)

    def strings(self, rows: Ints, field: int) -> list[str | None]:
        """Ids, sources or addresses of rows."""
        values = self.values[field]
        return [values[row] for row in rows.tolist()]

    def urls(self, rows: Ints, _bare: Callable[[int], Document]) -> list[str | None]:
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

    def date(self, row: int) -> object:
        """The value of ``published``."""
        return self.batch.column("published")[row].as_py()

    def without_text(self, rows: Ints, builder: documents.DocumentBuilder) -> Callable[[int], Document]:
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
    # The plain code refuses a number outside 64 bits, as uint64 can be, and names its row.
    values[ID] = [None if one is None or (isinstance(one, int) and one >> 63 > 0) else str(one) for one in values[ID]]
    if not all(documents.plain_fields([*values[SOURCE], *values[URL]])):
        return None
    languages = [*map(documents.language_number, _values(batch, "lang"))]
    states = [
        READ if language >= 0 and text and plain else LEFT
        for language, text, plain in zip(
            languages, _given(batch.column("text")).tolist(), documents.plain_ids(values[ID]), strict=True
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
        _is_text(field.type)
        or (types.is_null(field.type) and field.name not in ("id", "text"))
        or (types.is_integer(field.type) and field.name == "id")
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

    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def _is_simple(kind: Any, of_dates: bool) -> bool:
    import pyarrow.types as types

    if types.is_list(kind) or types.is_large_list(kind):
        return _is_simple(kind.value_type, False)
    numbers = types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind) or types.is_null(kind)
    return bool(_is_text(kind) or numbers or (of_dates and types.is_timestamp(kind)))


def _values(batch: Any, name: str) -> list[Any]:
    """Strings of a column, all of them None if there is no such column."""
    return batch.column(name).to_pylist() if name in batch.schema.names else [None] * int(batch.num_rows)


def _given(column: Any) -> Bools:
    found: Bools = column.is_valid().to_numpy(zero_copy_only=False)
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


def _dates(batch: Any) -> Ints | None:
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


def joined_columns(states: Uint8s, languages: Uint8s, dates: Ints, titles: Cells | None, texts: Cells) -> TableColumns:
    """Join the titles, if there are any, and the texts of rows."""
    rows = len(states)
    titles = titles or (np.zeros(ROOM, dtype=np.uint8), np.zeros(rows + 1, dtype=np.int64))
    size = int(texts[1][-1] + titles[1][-1]) + rows + ROOM
    columns = TableColumns(
        states=states,
        languages=languages,
        dates=dates,
        sizes=np.zeros((rows, 3), dtype=np.int64),
        hashes=np.zeros(rows, dtype=np.uint64),
        texts=np.empty(size, dtype=np.uint8) if titles[1][-1] else texts[0],
        text_ends=np.empty(rows, dtype=np.int64),
        bodies=np.zeros(rows, dtype=np.int64),
    )
    join_texts(*titles, *texts, columns)
    return columns


# Dicts in memory, and records that other readers make one by one

TOGETHER: Final = 1000
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_OPTIONAL_TEXTS: Final = ("title", "lang", "source", "url")
_OPTIONAL: Final = frozenset((str, type(None)))
_UNCHANGED: Final = _OPTIONAL | {int, bool}
_TYPES: Final = {
    "id": frozenset((str, int)),
    "text": frozenset((str,)),
    **dict.fromkeys(_OPTIONAL_TEXTS, _OPTIONAL),
    "published": _OPTIONAL | {datetime, date, int, float},
}
"""Fields that are read in columns, and the types that most dicts have there."""

_PLAIN_LANGUAGES: Final = frozenset((None, "", *OUR_LANGUAGES))


class KeptDicts(NamedTuple):
    """Dicts of a block that follow one another."""

    dicts: list[dict[str, Any]]
    places: list[Place]
    renamed: bool = False  # whether the dicts had other names

    def place(self, number: int) -> Place:
        """Place of a dict."""
        return self.places[number]

    def record(self, number: int) -> dict[str, Any] | None:
        """A dict, if its document has the same fields; ``None`` if names or types are changed."""
        given = self.dicts[number]
        return None if self.renamed or not _UNCHANGED.issuperset(map(type, given.values())) else given


@dataclass(frozen=True, slots=True)
class ListBlock(TableBlock):
    """Dicts that were read together."""

    source: str  # name of the list
    dicts: list[Any]  # what was given, dicts or not; under our names
    before: int  # number of values that precede them
    columns: TableColumns  # content of the dicts
    values: dict[int, list[str | None]]
    plain: bool  # whether ``DocumentBuilder.plainly`` takes all that are read, but for their dates

    @property
    def rows(self) -> int:
        """Number of dicts."""
        return len(self.dicts)

    def item(self, row: int) -> Item | None:
        """Return a dict as the plain code reads it."""
        return next(list_records(self.dicts[row : row + 1], self.before + row + 1))

    def kept(self, rows: Ints) -> KeptDicts:
        """Dicts, for later."""
        return KeptDicts(self.dicts[int(rows[0]) : int(rows[-1]) + 1], [*self.places(rows)])

    def places(self, rows: Ints) -> Iterator[Place]:
        """Return the places of dicts."""
        return (Place(self.source, self.before + row + 1) for row in rows.tolist())

    def date(self, row: int) -> object:
        """The value of ``published``."""
        return python_values({"": self.dicts[row]["published"]})[""]

    def without_text(self, rows: Ints, builder: documents.DocumentBuilder) -> Callable[[int], Document]:
        """Return a function that creates document i of the dicts, with ``text`` empty."""
        return _bare(self.dicts, int(rows[0]), builder, plain=self.plain)


def _bare(
    dicts: list[Any], first: int, builder: documents.DocumentBuilder, *, plain: bool
) -> Callable[[int], Document]:
    def made(number: int) -> Document:
        values = {**python_values(dicts[first + number]), "text": ""}
        if plain and values.get("published") is None:
            return builder.plainly(values, None)
        return builder.build(Record(values, _NOWHERE))

    return made


@dataclass(frozen=True, slots=True)
class RecordBlock(ListBlock):
    """Records of one source that were made one by one."""

    items: list[Item]
    renamed: bool  # whether the dicts had other names

    def item(self, row: int) -> Item:
        """Return a record."""
        return self.items[row]

    def kept(self, rows: Ints) -> KeptDicts:
        """Records, for later."""
        return KeptDicts(self.dicts[int(rows[0]) : int(rows[-1]) + 1], [*self.places(rows)], self.renamed)

    def places(self, rows: Ints) -> Iterator[Place]:
        """Return the places of records."""
        return (one.place for one in map(self.items.__getitem__, rows.tolist()) if isinstance(one, Record))

    def numbers(self, rows: Ints) -> Uint64s:
        """Number of the line of each record, from 1."""
        return np.array([place.line or 0 for place in self.places(rows)], dtype=np.uint64)

    def without_text(self, rows: Ints, builder: documents.DocumentBuilder) -> Callable[[int], Document]:
        """Return a function that creates document i of the records, with ``text`` empty; it keeps no text."""
        some = slice(int(rows[0]), int(rows[-1]) + 1)
        bare = _bare([{**one, "text": ""} for one in self.dicts[some]], 0, builder, plain=self.plain)
        if not self.renamed:
            return bare
        layouts: dict[tuple[str, ...], tuple[str, ...]] = {}
        given = [tuple(one.values) for one in self.items[some] if isinstance(one, Record)]
        theirs = [layouts.setdefault(names, names) for names in given]

        def made(number: int) -> Document:
            document = bare(number)
            assert isinstance(document.extra, documents.OtherFields)  # noqa: S101 - the builder makes them
            document.extra.theirs = theirs[number]
            return document

        return made


def list_blocks(values: Iterable[Any]) -> Iterator[ListBlock]:
    """Yield dicts many at a time."""
    rest, before = iter(values), 0
    while some := list(islice(rest, TOGETHER)):
        yield ListBlock(LIST, some, before, *_columns_of(some, ids=True))
        before += len(some)


def record_block(items: list[Item], names: ColumnNames, *, ids: bool) -> RecordBlock:
    """Read records of a source together; without ``ids``, those that lack an id are read too."""
    # A document from memory has a time of its own; neither it nor a fault is read in columns.
    dicts = [names.renamed(one.values) if isinstance(one, Record) and one.time is None else None for one in items]
    return RecordBlock(items[0].source, dicts, 0, *_columns_of(dicts, ids=ids), items, bool(names))


def _columns_of(values: list[Any], *, ids: bool) -> tuple[TableColumns, dict[int, list[str | None]], bool]:
    """Columns, ids, sources and addresses of dicts, and whether these are plain."""
    usual, fields, plain = _usual(values, ids=ids)
    fields["id"] = [one if type(one) is not int else str(one) if one in documents.INT64 else "" for one in fields["id"]]
    own = {field: fields[name] for field, name in NAMES.items()}
    languages = [*map(documents.language_number, fields["lang"])]
    texts, of_texts = _encoded(fields["text"])
    titles, of_titles = _encoded(fields["title"])
    known = documents.plain_ids(own[ID] if ids else ["-" if one is None else one for one in own[ID]])
    right = zip(usual, known, documents.plain_fields(own[SOURCE]), documents.plain_fields(own[URL]), strict=True)
    states = [READ if all(row) and language >= 0 else LEFT for row, language in zip(right, languages, strict=True)]
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
    return columns, own, plain


def _usual(values: list[Any], *, ids: bool) -> tuple[list[bool], dict[str, list[Any]], bool]:
    """Which values are usual dicts, the fields of these, and whether they are plain."""
    if set(map(type, values)) == {dict} and set(map(type, chain.from_iterable(values))) == {str}:
        fields = {name: [one.get(name) for one in values] for name in _TYPES}
        if all(_TYPES[name].issuperset(map(type, column)) for name, column in fields.items()):
            return [True] * len(values), fields, _PLAIN_LANGUAGES.issuperset(fields["lang"])
    usual = [_is_usual(one, ids=ids) for one in values]
    dicts = [one if right else {} for one, right in zip(values, usual, strict=True)]
    fields = {name: [one.get(name) for one in dicts] for name in _TYPES}
    for name in _OPTIONAL_TEXTS:
        fields[name] = [None if documents.is_nan(one) else one for one in fields[name]]
    return usual, fields, False


def _is_usual(value: Any, *, ids: bool) -> bool:
    """Whether a value is a dict whose fields have the types that most have; the plain code judges all others."""
    if type(value) is not dict or any(type(name) is not str for name in value):
        return False
    fields = {name: value.get(name) for name in _TYPES}
    if fields["id"] is None and not ids:
        fields["id"] = ""
    return all(
        type(one) in _TYPES[name]
        or (name in _OPTIONAL_TEXTS and documents.is_nan(one))
        or (name == "published" and isinstance(one, date))
        for name, one in fields.items()
    )


def _encoded(values: Sequence[str | None]) -> tuple[Cells, Bools]:
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
    data = np.frombuffer(bytearray().join([*cells, bytes(ROOM)]), dtype=np.uint8)
    return (data, np.cumsum([0, *map(len, cells)], dtype=np.int64)), valid
