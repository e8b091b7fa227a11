"""Read documents column by column, which keeps restarts fast."""

from __future__ import annotations

import struct
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from sqlite3 import Connection
from typing import Any, Final, Protocol

import numpy as np
import orjson

from infostream_dedup.machine.arrays import INT32, INT64, UINT32, Ints, Ragged, offsets_of
from infostream_dedup.machine.platform import collector_paused
from infostream_dedup.machine.threads import run_ahead
from infostream_dedup.model.document import Language
from infostream_dedup.model.stream_records import Remembered

# Remembered documents as columns: creating a million objects would take longer than reading them


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceTable:
    """Evidence of the same documents; empty rows if key terms decide."""

    keys: Ragged  # key terms after the first n
    weights: Ragged  # their weights
    records: Ragged  # packed evidence as 32-bit words
    urls: Sequence[str | None]  # address of each document


@dataclass(frozen=True, slots=True, kw_only=True)
class PivotTable:
    """Terms of these documents in the pivot language, as ``KeptPivot``; empty rows if languages are kept separate."""

    keys: Ragged
    weights: Ragged
    members: Ragged
    canonical: Ragged
    further: Ragged
    order: Ragged
    links: Ragged


@dataclass(frozen=True, slots=True, kw_only=True)
class RememberedTable:
    """Documents in order, in columns as the fields of `Remembered`; empty where forgotten or without a signature."""

    ordinals: Ints
    ids: Sequence[str]
    versions: Ints
    sources: Sequence[str | None]
    clocks: Ints
    published: Sequence[int | None]
    languages: Sequence[Language]
    text_hashes: Sequence[bytes]
    opening_hashes: Sequence[bytes]
    epochs: Ints
    lengths: Ints
    keys: Ragged  # keys, weights, targets, numbers: one row for each document
    weights: Ragged
    targets: Ragged
    numbers: Ragged
    statuses: Sequence[str]  # status of each document's verdict
    repeats: Ints  # int64, 1 if the verdict is `Verdict.repeats`, otherwise 0
    leaves: Ints  # int64, 0 if the verdict is `Verdict.stands_for_kept`, otherwise 1
    groups: Sequence[str]  # id of each document's current group, after all merges
    evidence: EvidenceTable  # what preset `judged` keeps
    pivot: PivotTable  # what a stream that looks across languages keeps

    def __len__(self) -> int:
        return len(self.ordinals)

    def __iter__(self) -> Iterator[Remembered]:
        """Iterate over the documents, as `row` returns them."""
        return map(self.row, range(len(self)))

    def known(self) -> Ints:
        """Indices of the documents that were not forgotten: such a one still has a length, but no terms."""
        return np.flatnonzero((self.targets.sizes > 0) | (self.lengths == 0))

    def row(self, number: int) -> Remembered:
        """Return one document by its index, without title, text and content hash, which the engine never needs."""
        whole: dict[str, Any] = {name: int(getattr(self, f"{name}s")[number]) for name in _WHOLE}
        rows: dict[str, Any] = {name: getattr(self, name).row(number).astype(np.int64) for name in _RAGGED}
        return Remembered(
            id=self.ids[number],
            source=self.sources[number],
            published=self.published[number],
            language=self.languages[number],
            content_hash=b"",
            text_hash=self.text_hashes[number],
            opening_hash=self.opening_hashes[number],
            title="",
            text=None,
            **whole,
            **rows,
        )


_WHOLE: Final = ("ordinal", "version", "clock", "epoch", "length")
_RAGGED: Final = ("keys", "weights", "targets", "numbers")

REPEATS: Final = (
    "(status IN ('exact', 'duplicate') OR coalesce(relation, '') IN ('template', 'updated')"
    " OR coalesce(kind, '') IN ('template', 'updated'))"
)
"""``Verdict.repeats`` in SQL: 0 or 1 for a row of table ``document``."""

_LEAVES: Final = (
    "(status IN ('exact', 'duplicate')"
    " AND NOT (of_id = group_id AND (status = 'exact' OR coalesce(relation, '') = 'equal')))"
)
"""The opposite of ``Verdict.stands_for_kept``, as the verdict was given."""

_ROWS_AT_ONCE: Final = 1000
"""Few enough that their pages stay in a cache, enough that passing them from thread to thread costs nothing."""


class _Column(Protocol):
    """A column, read in pieces that SQLite joins: an object for each value would double the time."""

    sql: str  # aggregates of its cells; ``{0}`` stands for the value of a document

    def extend(self, cells: Iterator[Any]) -> None: ...

    def extend_empty(self, documents: int) -> None: ...

    def finish(self) -> Any: ...


class _Values:
    sql = "json_group_array({0})"

    def __init__(self) -> None:
        self._values: list[Any] = []

    def extend(self, cells: Iterator[Any]) -> None:
        self._values += orjson.loads(next(cells))

    def extend_empty(self, documents: int) -> None:
        self._values += [None] * documents

    def finish(self) -> list[Any]:
        return self._values


class _Repeated(_Values):
    """Texts; equal ones are shared: a million copies of a source's name would outweigh everything else."""

    def __init__(self) -> None:
        super().__init__()
        self._seen: dict[Any, Any] = {}

    def extend(self, cells: Iterator[Any]) -> None:
        values = orjson.loads(next(cells))
        self._values += map(self._seen.setdefault, values, values)


class _Numbers(_Values):
    def extend(self, cells: Iterator[Any]) -> None:
        self._values.append(np.array(orjson.loads(next(cells)), dtype=np.int64))

    def extend_empty(self, documents: int) -> None:
        self._values.append(np.zeros(documents, dtype=np.int64))

    def finish(self) -> Any:
        return np.concatenate([np.zeros(0, dtype=np.int64), *self._values])


_BLOBS: Final = "CAST(group_concat({0}, '') AS BLOB), json_group_array(coalesce(length({0}), 0))"
"""SQLite concatenates only texts, but casts between blobs and texts leave all bytes as they are."""


class _Rows:
    sql = _BLOBS

    def __init__(self, dtype: np.dtype[Any]) -> None:
        self._dtype = dtype
        # Mostly grows in place; joining parts at the end would need twice the memory.
        self._values = bytearray()
        self._sizes = _Numbers()

    def extend(self, cells: Iterator[Any]) -> None:
        self._values += next(cells) or b""
        self._sizes.extend(cells)

    def extend_empty(self, documents: int) -> None:
        self._sizes.extend_empty(documents)

    def finish(self) -> Ragged:
        indptr = offsets_of(self._sizes.finish() // self._dtype.itemsize)
        return Ragged(indptr, np.frombuffer(self._values, dtype=self._dtype))


class _Hashes(_Values):
    sql = _BLOBS

    def extend(self, cells: Iterator[Any]) -> None:
        blob, sizes = next(cells) or b"", orjson.loads(next(cells))
        even = sizes.count(sizes[0]) == len(sizes)
        layout = f"{sizes[0]}s" * len(sizes) if even else "".join([f"{size}s" for size in sizes])
        self._values += struct.unpack(layout, blob)

    def extend_empty(self, documents: int) -> None:
        self._values += [b""] * documents


_Columns = tuple[tuple[str, str, Callable[[], _Column]], ...]

_COLUMNS: Final[_Columns] = (
    ("ordinals", "document.ordinal", _Numbers),
    ("ids", "id", _Values),
    ("versions", "version", _Numbers),
    ("sources", "source", _Repeated),
    ("clocks", "clock", _Numbers),
    ("published", "published", _Values),
    ("languages", "language", _Repeated),
    ("text_hashes", "text_hash", _Hashes),
    ("opening_hashes", "opening_hash", _Hashes),
    ("epochs", "epoch", _Numbers),
    ("lengths", "length", _Numbers),
    ("keys", "signature.keys", lambda: _Rows(INT32)),
    ("weights", "signature.weights", lambda: _Rows(INT64)),
    ("targets", "targets", lambda: _Rows(INT32)),
    ("numbers", "numbers", lambda: _Rows(INT64)),
    ("statuses", "status", _Repeated),
    ("repeats", REPEATS, _Numbers),
    ("leaves", _LEAVES, _Numbers),
    # Most documents are alone in their group, so its name need not be read twice.
    ("groups", "nullif(group_id, id)", _Values),
)

_EVIDENCE_COLUMNS: Final[_Columns] = (
    ("keys", "evidence.keys", lambda: _Rows(INT32)),
    ("weights", "evidence.weights", lambda: _Rows(INT64)),
    ("records", "record", lambda: _Rows(UINT32)),
    ("urls", "url", _Values),
)

_PIVOT_COLUMNS: Final[_Columns] = (
    ("keys", "pivot.keys", lambda: _Rows(INT32)),
    ("weights", "pivot.weights", lambda: _Rows(INT64)),
    ("members", "members", lambda: _Rows(INT64)),
    ("canonical", "canonical", lambda: _Rows(INT32)),
    ("further", "further", lambda: _Rows(INT32)),
    ("order", "word_order", lambda: _Rows(INT32)),
    ("links", "links", lambda: _Rows(INT64)),
)

_PARTS: Final = {"signature": _COLUMNS, "evidence": _EVIDENCE_COLUMNS, "pivot": _PIVOT_COLUMNS}
"""Tables with a row for some documents, and the columns that they complete."""


def table_of(connection: Connection, first: int, end: int, only: Collection[str] | None = None) -> RememberedTable:
    """Read the columns ``only`` of documents from `first` to `end` (exclusive), many of them on another thread."""
    with collector_paused():
        found = _read(connection, first, end, only)
    table = found["signature"]
    table["evidence"] = EvidenceTable(**found["evidence"])
    table["pivot"] = PivotTable(**found["pivot"])
    if only is None:
        groups = [id if group is None else group for id, group in zip(table["ids"], table["groups"], strict=True)]  # noqa: A001
        table["groups"] = _groups_now(connection, groups, table["ordinals"])
    return RememberedTable(**table)


def _read(connection: Connection, first: int, end: int, only: Collection[str] | None) -> dict[str, dict[str, Any]]:
    read = [part for part in _PARTS if part == "signature" or _has_rows(connection, part, first, end)]
    built = {part: {name: kind() for name, _, kind in named} for part, named in _PARTS.items()}
    wanted = [
        (built[part][name], expression)
        for part in read
        for name, expression, _ in _PARTS[part]
        if only is None or name in only or name == "ordinals"
    ]
    query = _query(read, [column.sql.format(expression) for column, expression in wanted])
    pieces = _pieces(connection, query, first, end)
    for piece in run_ahead(pieces) if end - first > _ROWS_AT_ONCE else pieces:
        cells = iter(piece)
        for column, _ in wanted:
            column.extend(cells)
    documents, filled = len(built["signature"]["ordinals"].finish()), [column for column, _ in wanted]
    for column in (one for named in built.values() for one in named.values() if one not in filled):
        column.extend_empty(documents)
    return {part: {name: column.finish() for name, column in named.items()} for part, named in built.items()}


def _pieces(connection: Connection, query: str, first: int, end: int) -> Iterator[tuple[Any, ...]]:
    begin = _next_ordinal(connection, first)
    while begin is not None and begin < end:
        until = begin + _ROWS_AT_ONCE
        yield connection.execute(query, (begin, min(until, end))).fetchone()
        begin = _next_ordinal(connection, until)


def _query(parts: list[str], aggregates: list[str]) -> str:
    joins = " ".join(f"LEFT JOIN {part} ON {part}.ordinal = document.ordinal" for part in parts)
    # Without another index, rows come in the order of their ordinals.
    documents = f"document NOT INDEXED {joins} WHERE document.ordinal >= ? AND document.ordinal < ?"
    return f"SELECT {', '.join(aggregates)} FROM {documents}"  # noqa: S608


def _next_ordinal(connection: Connection, least: int) -> int | None:
    ordinal: int | None = connection.execute(
        "SELECT min(ordinal) FROM document WHERE ordinal >= ?", (least,)
    ).fetchone()[0]
    return ordinal


def _has_rows(connection: Connection, part: str, first: int, end: int) -> bool:
    asked = f"SELECT EXISTS (SELECT 1 FROM {part} WHERE ordinal >= ? AND ordinal < ?)"  # noqa: S608
    return bool(connection.execute(asked, (first, end)).fetchone()[0])


def _groups_now(connection: Connection, groups: list[str], ordinals: Ints) -> list[str]:
    merges: dict[str, list[tuple[int, int, str]]] = {}
    for number, ordinal, other, group in connection.execute(
        "SELECT number, ordinal, other, group_id FROM event WHERE kind = 'merge' ORDER BY number"
    ):
        merges.setdefault(other, []).append((number, ordinal, group))

    def now(group: str, since: int) -> str:
        last = -1
        while later := [one for one in merges.get(group, ()) if one[0] > last and one[1] >= since]:
            last, _, group = later[0]
        return group

    return list(map(now, groups, ordinals.tolist())) if merges else groups
