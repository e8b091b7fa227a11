"""The durable state of a stream in one SQLite file."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain, count
from operator import attrgetter
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
import orjson

from infostream_dedup.errors import BadDataError, StoreBusyError
from infostream_dedup.machine.arrays import INT64
from infostream_dedup.machine.files import Closing
from infostream_dedup.model.stream_records import (
    Batch,
    CountedEvidence,
    Decided,
    GroupEvent,
    Remembered,
    StoryEvent,
    Verdict,
)
from infostream_dedup.stream.store import opening, search_index, tables
from infostream_dedup.stream.store.connection import naming_failures, place_of
from infostream_dedup.stream.store.reader import StoreReader
from infostream_dedup.stream.store.removal import Expired, Forgotten, expire, forget, wipe
from infostream_dedup.stream.store.restoring import Loaded, Position, group_documents, load, position_of, tell_stories

# Writing one batch into the tables of a store, inside a transaction

_BATCH: Final = tables.insertion("batch", (*tables.BatchHead._fields, "checksum"))
_TERMS_AT_ONCE: Final = 50  # a statement for each takes twice as long
_TERM, _TERMS = (tables.insertion("term", ("number", "term"), rows) for rows in (1, _TERMS_AT_ONCE))
_COUNT: Final = tables.insertion("evidence_frequency", ("epoch", "part", "counts", "checksum"))


def write_batch(connection: sqlite3.Connection, position: Position, batch: Batch) -> Position:
    """Write everything in a batch except its state."""
    decided = batch.decided
    remembered, verdicts, new_terms = decided.remembered, decided.verdicts, list(decided.new_terms)
    _check(position, remembered, verdicts, len(new_terms))
    head = tables.BatchHead(
        sequence=position.batches,
        batch_id=batch.id,
        content_hash=batch.hash,
        first_ordinal=position.documents,
        documents=len(decided.remembered),
        answers=None if batch.answers is None else np.array(batch.answers, dtype=INT64).tobytes(),
        first_term=position.terms,
        terms=len(decided.new_terms),
        oldest=decided.oldest,
    )
    parts = [
        table.rows_of([one for one in remembered if getattr(one, needed) is not None]) for table, needed in tables.PARTS
    ]
    entries = list(map(tables.TableEntry, remembered, verdicts, _checksums(remembered, parts)))
    rows = [table.rows_of(items) for table, items in _items(connection, decided, entries)]
    _run(connection, _BATCH, [(*head, tables.batch_checksum(head, new_terms, rows))])
    numbered = list(enumerate(new_terms, start=head.first_term))
    whole = len(numbered) - len(numbered) % _TERMS_AT_ONCE
    values = chain.from_iterable(numbered[:whole])
    _run(connection, _TERMS, list(zip(*[values] * (2 * _TERMS_AT_ONCE), strict=True)))
    _run(connection, _TERM, numbered[whole:])
    for table, inserted in zip((*tables.IN_BATCH, *(table for table, _ in tables.PARTS)), (*rows, *parts), strict=True):
        table.insert(connection, inserted, head.sequence)
    _run(connection, "DELETE FROM withheld_pivot WHERE epoch = ?", [(one.epoch,) for one in decided.pivot])
    for withheld in ("withheld_frequency", "withheld_repeats"):
        _run(connection, f"DELETE FROM {withheld} WHERE epoch = ?", [(one.epoch,) for one in decided.closed])  # noqa: S608
    if decided.evidence:
        _count_evidence(connection, decided.evidence)
    group_documents(connection, remembered, verdicts, decided.events)
    tell_stories(connection, decided.events, decided.stories)
    if decided.closed:
        search_index.index_closed_epochs(connection)
    terms = position.terms + len(new_terms)
    search_index.index_terms(connection, terms)
    return position._replace(batches=position.batches + 1, documents=position.documents + len(remembered), terms=terms)


def _items(
    connection: sqlite3.Connection, decided: Decided, entries: Sequence[tables.TableEntry]
) -> list[tuple[tables.Table, Sequence[Any]]]:
    closed, repeated, pivot = (
        sorted(one, key=attrgetter("epoch", "language")) for one in (decided.closed, decided.repeated, decided.pivot)
    )
    of = {
        tables.DOCUMENT.name: entries,
        tables.JUDGEMENT.name: [
            one for one in entries if one.verdict.probability is not None and one.verdict.criteria is not None
        ],
        tables.EVENT.name: _numbered(connection, tables.EVENT, decided.events),
        tables.EPOCH.name: closed,
        tables.REPEATS.name: repeated,
        tables.PIVOT_EPOCH.name: pivot,
        tables.STORY_EVENT.name: _numbered(connection, tables.STORY_EVENT, decided.stories),
    }
    return [(table, of[table.name]) for table in tables.IN_BATCH]


def _numbered(
    connection: sqlite3.Connection, table: tables.Table, events: Sequence[GroupEvent] | Sequence[StoryEvent]
) -> list[tables.NumberedRow]:
    if not events:
        return []
    query = f"SELECT coalesce(max(number) + 1, 0) FROM {table.name}"  # noqa: S608
    return list(map(tables.NumberedRow, count(connection.execute(query).fetchone()[0]), events))


def _checksums(remembered: Sequence[Remembered], parts: Sequence[Sequence[tables.Row]]) -> list[bytes]:
    columns: list[Sequence[bytes | None]] = []
    for (table, _), rows in zip(tables.PARTS, parts, strict=True):
        if len(rows) < len(remembered):
            held, missing = {row[0]: row for row in rows}, (None,) * len(table.columns)
            rows = [held.get(one.ordinal, missing) for one in remembered]
        columns += list(zip(*rows, strict=True))[1:]
    return tables.signature_hashes([one.ordinal for one in remembered], columns)


def _count_evidence(connection: sqlite3.Connection, counted: Sequence[CountedEvidence]) -> None:
    last = connection.execute("SELECT part FROM evidence_frequency ORDER BY epoch DESC, part DESC LIMIT 1").fetchone()
    part = last[0] if last else 0
    for one in counted:
        if one.closed:
            connection.execute("DELETE FROM evidence_frequency")
        part = 0 if one.closed else part + 1
        connection.execute(_COUNT, (one.epoch, part, one.counts, tables.part_checksum(one.counts, one.epoch)))


def _run(connection: sqlite3.Connection, statement: str, rows: Sequence[tables.Row]) -> None:
    # Most batches have nothing for most tables, and even a statement without rows takes as long as inserting one.
    if rows:
        connection.executemany(statement, rows)


def _check(position: Position, remembered: Sequence[Remembered], verdicts: Sequence[Verdict], new_terms: int) -> None:
    if len(remembered) != len(verdicts):
        raise ValueError(f"{len(verdicts)} verdicts for {len(remembered)} documents")
    terms = position.terms + new_terms
    for ordinal, (one, verdict) in enumerate(zip(remembered, verdicts, strict=True), start=position.documents):
        if one.ordinal != ordinal or one.id != verdict.id:
            raise ValueError(f"document {one.id!r} has ordinal {one.ordinal} and the verdict of {verdict.id!r}")
        if len(one.targets) and one.targets[-1] >= terms:
            raise ValueError(f"document {one.id!r} has term {one.targets[-1]}; the store knows {terms}")


class StoreChangedError(StoreBusyError):
    """Another process has written since the state was loaded; load again and repeat the batch."""


class Store(Closing, StoreReader):
    """Documents, signatures, frequencies, groups and verdicts of a stream. Each batch is one transaction.

    Everything is on disk before `append` returns. A store keeps the settings it was created with. Several processes
    may read and write: writers take turns; readers see only complete batches and block nobody.

    Example:
        >>> with Store.open(folder / "stream.db", settings_digest="abc") as store:      # doctest: +SKIP
        ...     store.append(Batch("batch-1", b"hash", decided))
        ...     store.batch("batch-1").verdicts
    """

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        super().__init__(connection, path)
        self._position = position_of(connection)
        self._is_current = False
        # The values of the state, as given and as written.
        self._written: dict[str, tuple[Any, str]] = {}

    @classmethod
    def open(
        cls,
        path: str | Path,
        *,
        settings_digest: str | None = None,
        settings: Mapping[str, Any] | None = None,
        create: bool = True,
        read_only: bool = False,
        busy_seconds: float = opening.BUSY_SECONDS,
    ) -> Self:
        """Open a store, or create it."""
        place = Path(path).resolve()
        connection = opening.open_store(
            place,
            settings_digest=settings_digest,
            settings=settings,
            create=create and not read_only,
            read_only=read_only,
            busy_seconds=busy_seconds,
        )
        try:
            if (named := Path(path).absolute()) != place:
                place_of(connection).add_name(named)
            with naming_failures(place):
                return cls(connection, place)
        except BaseException:
            connection.close()
            raise

    def close(self) -> None:
        """Close the file. The last process to close it removes the log."""
        self._connection.close()

    @property
    def position(self) -> Position:
        """Position of the store when this object last loaded or appended."""
        return self._position

    def changed(self) -> bool:
        """Whether another process has written since this object last loaded or appended."""
        with naming_failures(self.path):
            return not self._confirm_position()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Keep other writers out while a batch is processed; `append` inside the block becomes part of it."""
        # A failure of the block undoes everything. Inside the block nobody else can write, so `changed` is final: if it
        # is true, load what is new (``load(since=store.position)``) before processing the batch.
        with naming_failures(self.path):
            nested = self._connection.in_transaction
        if nested:
            yield
            return
        position, written = self._position, dict(self._written)
        try:
            with opening.writing_rows(self._connection, self.path):
                yield
        except BaseException:
            self._position, self._written = position, written
            raise
        finally:
            self._is_current = False

    def load(self, *, since: Position | None = None) -> Loaded:
        """Load the state an engine needs to continue."""
        with self.reading():
            opening.check_settings(self._connection, self.path)
            loaded = load(self._connection, since=since)
        self._position = loaded.position
        self._written = {name: (value, _json(value)) for name, value in loaded.state.items()}
        return loaded

    def append(self, batch: Batch) -> None:
        """Store one batch, completely or not at all. It is on disk when this returns."""
        # Ordinals of its documents and numbers of its terms continue those of the store. Names missing from its state
        # keep their values.
        with self.transaction():
            if not self._is_current and not self._confirm_position():
                raise StoreChangedError(f"{self.path}: another process has written since; run the same command again")
            self._position = write_batch(self._connection, self._position, batch)
            if self._write_state(batch.decided.state) or batch.decided.closed or batch.decided.pivot:
                opening.write_settings_checksum(self._connection)

    def _confirm_position(self) -> bool:
        """Whether the store is where this object left it; asked once in a transaction, which keeps others out."""
        is_as_left = position_of(self._connection) == self._position
        self._is_current = is_as_left and self._connection.in_transaction
        return is_as_left

    def _write_state(self, state: Mapping[str, Any]) -> bool:
        changed = []
        for name, value in state.items():
            before, written = self._written.get(name, (None, None))
            if value is not before or written is None:
                text = _json(value)
                self._written[name] = value, text
                if text != written:
                    changed.append((name, text))
        if changed:
            self._connection.executemany("REPLACE INTO state (name, value) VALUES (?, ?)", changed)
        return bool(changed)

    def backup(self, target: str | Path, *, mode: int | None = None) -> None:
        """Copy the store while others write."""
        opening.copy_store(self._connection, self.path, Path(target), mode=mode)

    def expire(self) -> Expired:
        """Delete signatures and texts of documents that are in neither the window nor the open epoch."""
        return expire(self._connection, self.path)

    def index(self) -> tuple[int, int]:
        """Rebuild damaged rows of the indexes of epochs and terms, add missing ones; if interrupted, call it again."""
        with self.reading() as connection:
            damaged = [row for row, fault in search_index.index_faults(connection) if fault is not None]
            blocks = [first for first, fault in search_index.term_index_faults(connection) if fault is not None]
        for row in damaged:
            with self.transaction():
                search_index.rebuild_index(self._connection, [row.first])
        for first in blocks:
            with self.transaction():
                search_index.rebuild_term_block(self._connection, first)
        with self.transaction():
            added = search_index.index_closed_epochs(self._connection)
        return added, sum(row.documents for row in damaged)

    def forget(self, *ids: str) -> list[Forgotten]:
        """Remove the content of all versions of documents; `wipe` removes the remnants from the file."""
        return forget(self._connection, self.path, ids)

    def ids_of_source(self, source: str) -> list[str]:
        """Return the ids of the documents of a source, in the order of the stream, also of those already forgotten."""
        rows = self._connection.execute("SELECT id FROM document WHERE source = ? ORDER BY ordinal", (source,))
        found = list(dict.fromkeys(name for (name,) in rows))
        if not found:
            message = f"the store has no document of source {source!r}"
            raise BadDataError(message, code="E_SOURCE", source=str(self.path))
        return found

    def wipe(self) -> bool:
        """Rewrite the file without remnants of deleted data; return whether none is left."""
        return wipe(self._connection, self.path)


def _json(value: Any) -> str:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()
