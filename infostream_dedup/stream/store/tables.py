"""The tables that a batch writes: each column, and what its rows need for checksums, `verify` and `forget`, once.

A new column is entered in ``schema.sql`` and in its `Table`; a field of verdicts also in `VERDICT`.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from hashlib import blake2b
from operator import attrgetter
from typing import Any, Final, NamedTuple

import numpy as np
import orjson

from infostream_dedup.machine.arrays import INT32, INT64, blobs_of
from infostream_dedup.model.stream_records import GroupEvent, Remembered, StoryEvent, TranslatedFrom, Verdict

Row = tuple[Any, ...]
Column = Callable[[Sequence[Any]], Iterable[Any]]
"""Makes a column of the items of a batch; many at a time, because a row at a time takes twice as long."""


class TableEntry(NamedTuple):
    """A document that is about to be stored; ``checksum`` covers its rows in `PARTS`."""

    document: Remembered
    verdict: Verdict
    checksum: bytes


class NumberedRow(NamedTuple):
    """An event with its number in the stream."""

    number: int
    event: GroupEvent | StoryEvent


def _each(path: str) -> Column:
    return partial(map, attrgetter(path))


def _blobs(path: str, dtype: np.dtype[Any]) -> Column:
    get = attrgetter(path)
    return lambda items: blobs_of(list(map(get, items)), dtype)


def _json(path: str, plain: Callable[[Any], Any] = lambda value: value) -> Column:
    get = attrgetter(path)
    return lambda items: [None if (v := get(one)) is None else orjson.dumps(plain(v)).decode() for one in items]


def _fields(prefix: str, *names: str) -> dict[str, Column]:
    return {name: _each(prefix + name) for name in names}


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table that batches write."""

    name: str
    columns: Mapping[str, Column]  # how each column is made of the items; the key comes first
    key: int = 1  # number of columns of the key
    names_batch: bool = False  # whether there is a further column `batch`
    # what `forget` writes into columns, in SQL; `None` deletes the row, empty leaves it
    forgotten: Mapping[str, str] | None = field(default_factory=dict)

    def rows_of(self, items: Sequence[Any]) -> list[Row]:
        """Make rows; raises ValueError if a number does not fit its column."""
        return list(zip(*(make(items) for make in self.columns.values()), strict=True)) if items else []

    def insert(self, connection: sqlite3.Connection, rows: Sequence[Row], batch: int) -> None:
        """Insert rows that ``rows_of`` made."""
        # Most batches have nothing for most tables, and even a statement without rows takes as long as inserting one.
        if not rows:
            return
        names = (*self.columns, *(("batch",) if self.names_batch else ()))
        values = [(*row, batch) for row in rows] if self.names_batch else rows
        connection.executemany(insertion(self.name, names), values)

    def stored(self, connection: sqlite3.Connection, head: BatchHead) -> list[Row]:
        """Read back what a batch inserted, in the order of the key."""
        names = list(self.columns)
        # Not by the batch where ordinals are the key: there is no index of it.
        by_ordinal = names[0] == "ordinal"
        which = "ordinal >= ? AND ordinal < ?" if by_ordinal else "batch = ?"
        values = (head.first_ordinal, head.first_ordinal + head.documents) if by_ordinal else (head.sequence,)
        query = f"SELECT {', '.join(names)} FROM {self.name} WHERE {which} ORDER BY {', '.join(names[: self.key])}"  # noqa: S608
        return connection.execute(query, values).fetchall()

    def forget(self, connection: sqlite3.Connection, ordinal: int) -> None:
        """Remove the content of a document."""
        if self.forgotten is None:
            connection.execute(f"DELETE FROM {self.name} WHERE ordinal = ?", (ordinal,))  # noqa: S608 - our own table
        elif self.forgotten:
            changes = ", ".join(f"{column} = {value}" for column, value in self.forgotten.items())
            connection.execute(f"UPDATE {self.name} SET {changes} WHERE ordinal = ?", (ordinal,))  # noqa: S608


@cache
def insertion(table: str, columns: tuple[str, ...], rows: int = 1) -> str:
    """Return an INSERT statement with bound values; names come from this room only."""
    values = ", ".join([f"({', '.join('?' * len(columns))})"] * rows)
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES {values}"  # noqa: S608


SIGNATURE: Final = Table(
    name="signature",
    columns=_fields("", "ordinal", "text_hash", "opening_hash")
    | {
        "keys": _blobs("keys", INT32),
        "weights": _blobs("weights", INT64),
        "targets": _blobs("targets", INT32),
        "numbers": _blobs("numbers", INT64),
    },
    forgotten=None,
)
BODY: Final = Table(
    name="body",
    columns={
        "ordinal": _each("ordinal"),
        "packed": lambda kept: [zlib.compress(one.text.encode("utf-8", "surrogatepass")) for one in kept],
    },
    forgotten=None,
)
EVIDENCE: Final = Table(
    name="evidence",
    columns={"ordinal": _each("ordinal")} | _fields("evidence.", "keys", "weights", "record"),
    forgotten=None,
)
WORDING: Final = Table(
    name="wording", columns={"ordinal": _each("ordinal"), "triples": _each("evidence.triples")}, forgotten=None
)
PIVOT: Final = Table(
    name="pivot",
    columns=_fields("", "ordinal")
    | _fields("pivot.", "keys", "weights", "members", "canonical", "further", "word_order", "links"),
    forgotten=None,
)
FRAGMENTS: Final = Table(name="fragments", columns=_fields("", "ordinal", "lines"), forgotten=None)
PARTS: Final = (
    (SIGNATURE, "ordinal"), (BODY, "text"), (EVIDENCE, "evidence"), (WORDING, "evidence"), (PIVOT, "pivot"),
    (FRAGMENTS, "lines"),
)  # fmt: skip
"""What is kept of a document until it expires, under the checksum in its row, because it is deleted earlier than the
row; and the field of `Remembered` without which there is no row."""

DOCUMENT: Final = Table(
    name="document",
    names_batch=True,
    columns=_fields(
        "document.",
        *("ordinal", "version", "source", "language", "clock", "published", "epoch", "length", "content_hash", "title"),
        "url",
    )
    | {"signature_hash": _each("checksum")}
    | _fields("verdict.", "id", "status", "relation", "forward", "backward", "kind", "translation_of")
    | _fields("verdict.", "differs_by", "same_story_of")
    | {
        "differing": _json("verdict.differing"),
        "of_id": _each("verdict.of"),
        "group_id": _each("verdict.group"),
        "story_id": _each("verdict.story"),
        "terms": _json("verdict.terms"),
        "translation": _json("verdict.translation", TranslatedFrom.as_dict),
        # A classifier's probability is in table ``judgement``.
        "probability": lambda entries: [one.verdict.kind and one.verdict.probability for one in entries],
        "forgotten": lambda entries: [0] * len(entries),
    },
    forgotten=dict.fromkeys(("url", "terms", "translation", "differing"), "NULL")
    | {"title": "''", "forgotten": "1", "signature_hash": "zeroblob(8)"},
)
JUDGEMENT: Final = Table(
    name="judgement",
    columns=_fields("document.", "ordinal")
    | _fields("verdict.", "probability")
    | {"criteria": _json("verdict.criteria", dict)},
    forgotten=None,
)
EVENT: Final = Table(
    name="event",
    names_batch=True,
    columns=_fields("", "number")
    | _fields("event.", "ordinal", "kind", "other", "value")
    | {"group_id": _each("event.group")},
)
STORY_EVENT: Final = Table(
    name="story_event",
    names_batch=True,
    columns=_fields("", "number")
    | _fields("event.", "ordinal", "other", "begun", "kind")
    | {"story_id": _each("event.story")},
)
EPOCH, REPEATS, PIVOT_EPOCH = (
    Table(
        name=name,
        key=2,
        names_batch=True,
        columns=_fields("", "epoch", "language", "documents", "length")
        | {"terms": _blobs("terms", INT32), "df": _blobs("df", INT32)},
    )
    for name in ("epoch_frequency", "repeat_frequency", "pivot_frequency")
)
IN_BATCH: Final = (DOCUMENT, JUDGEMENT, EVENT, EPOCH, REPEATS, PIVOT_EPOCH, STORY_EVENT)
"""The tables under the checksum of a batch, in the order in which references allow to write them."""


class BatchHead(NamedTuple):
    """A row of table ``batch`` without its checksum."""

    sequence: int
    batch_id: str
    content_hash: bytes
    first_ordinal: int
    documents: int
    answers: bytes | None
    first_term: int
    terms: int
    oldest: int


def batch_checksum(head: BatchHead, terms: Sequence[str], rows: Sequence[Sequence[Row]]) -> bytes:
    """Return the checksum of all that a batch adds (head, new terms, rows of `IN_BATCH`): SQLite keeps none."""
    return blake2b(orjson.dumps([tuple(head), terms, *rows], default=bytes.hex), digest_size=16).digest()


def stored_checksum(connection: sqlite3.Connection, sequence: int) -> bytes:
    """Return the checksum of a batch as the tables have it."""
    query = f"SELECT {', '.join(BatchHead._fields)} FROM batch WHERE sequence = ?"  # noqa: S608
    head = BatchHead(*connection.execute(query, (sequence,)).fetchone())
    terms = connection.execute(
        "SELECT term FROM term WHERE number >= ? AND number < ? ORDER BY number",
        (head.first_term, head.first_term + head.terms),
    )
    return batch_checksum(head, [term for (term,) in terms], [table.stored(connection, head) for table in IN_BATCH])


def signature_hashes(ordinals: Sequence[int], columns: Sequence[Sequence[bytes | None]]) -> list[bytes]:
    """Return the checksums of documents' rows in `PARTS`, without their ordinals; all ``None`` for a missing row."""
    sizes = [[None if value is None else len(value) for value in column] for column in columns]
    rows = zip(zip(ordinals, *sizes, strict=True), zip(*columns, strict=True), strict=True)
    return [blake2b(b"".join((orjson.dumps(one), *filter(None, row))), digest_size=8).digest() for one, row in rows]


def part_checksum(packed: bytes, *numbers: int) -> bytes:
    """Return the checksum of a row of which the rest is numbers: of evidence counts, or of an index."""
    hashed = blake2b(b"".join(number.to_bytes(8, "little") for number in numbers), digest_size=16)
    hashed.update(packed)
    return hashed.digest()


def _translation(stored: str) -> TranslatedFrom:
    values = orjson.loads(stored)
    met = tuple((one["word"], one["pivot"], one["their_word"], one["rung"]) for one in values["met"])
    differing = tuple(map(tuple, values["differing"])) if "differing" in values else None
    return TranslatedFrom(**values | {"met": met, "differing": differing})


VERDICT: Final[Mapping[str, tuple[str, Callable[[str], Any] | None]]] = {
    **{name: (name, None) for name in ("id", "status", "relation", "forward", "backward", "kind", "translation_of")},
    **{name: (name, None) for name in ("differs_by", "same_story_of")},
    "revision_of": ("CASE WHEN document.version > 0 THEN document.id END", None),
    "differing": ("differing", lambda stored: tuple(map(tuple, orjson.loads(stored)))),
    "of": ("of_id", None),
    "group": ("group_id", None),
    "story": ("story_id", None),
    "probability": ("coalesce(document.probability, judgement.probability)", None),
    "terms": ("terms", lambda stored: tuple(orjson.loads(stored))),
    "criteria": ("criteria", lambda stored: tuple(orjson.loads(stored).items())),
    "translation": ("translation", _translation),
    "watches": (
        "(SELECT json_group_array(group_id) FROM event WHERE kind = 'watch' AND event.ordinal = document.ordinal)",
        lambda stored: tuple(orjson.loads(stored)) or None,
    ),
}
"""Each field of `Verdict`: its SQL in a join of ``document`` and ``judgement``, and how its value is read."""

VERDICT_SQL: Final = ", ".join(sql for sql, _ in VERDICT.values())


def verdict_of_row(row: Sequence[Any]) -> Verdict:
    """Make a verdict of the values of `VERDICT_SQL`."""
    return Verdict(
        **{
            name: read(value) if read is not None and value is not None else value
            for (name, (_, read)), value in zip(VERDICT.items(), row, strict=True)
        }
    )
