"""The durable state of a stream in one SQLite file."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import orjson

from infostream_dedup.errors import StoreBusyError
from infostream_dedup.model.stream_records import Batch
from infostream_dedup.stream.store.connection import naming_failures
from infostream_dedup.stream.store.copying import copy_store
from infostream_dedup.stream.store.expiry import Expired, expire
from infostream_dedup.stream.store.forgetting import Forgotten, forget, ids_of_source, wipe
from infostream_dedup.stream.store.opening import BUSY_SECONDS, open_store
from infostream_dedup.stream.store.reader import StoreReader
from infostream_dedup.stream.store.restoring import Loaded, Position, load, position_of
from infostream_dedup.stream.store.schema import writing_rows
from infostream_dedup.stream.store.search_index import damaged_rows, index_closed_epochs, rebuild_index
from infostream_dedup.stream.store.settings_checksum import check_settings, write_settings_checksum
from infostream_dedup.stream.store.term_index import rebuild_term_block, term_index_faults
from infostream_dedup.stream.store.writer import write_batch


class StoreChangedError(StoreBusyError):
    """Another process has written since the state was loaded; load again and repeat the batch."""


class Store(StoreReader):
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
        busy_seconds: float = BUSY_SECONDS,
    ) -> Self:
        """Open a store, or create it.

        Args:
            settings_digest: checksum of all settings that decide verdicts; required for a new store, compared with an
                existing one. ``None`` opens any store.
        """
        place = Path(path).resolve()
        connection = open_store(
            place,
            settings_digest=settings_digest,
            settings=settings or {},
            create=create and not read_only,
            read_only=read_only,
            busy_seconds=busy_seconds,
        )
        try:
            with naming_failures(place):
                return cls(connection, place)
        except BaseException:
            connection.close()
            raise

    def close(self) -> None:
        """Close the file. The last process to close it removes the log."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

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
        """Keep other writers out while a batch is processed; `append` inside the block becomes part of it.

        A failure of the block undoes everything. Inside the block nobody else can write, so `changed` is final: if it
        is true, load what is new (``load(since=store.position)``) before processing the batch.
        """
        with naming_failures(self.path):
            nested = self._connection.in_transaction
        if nested:
            yield
            return
        position, written = self._position, dict(self._written)
        try:
            with writing_rows(self._connection, self.path):
                yield
        except BaseException:
            self._position, self._written = position, written
            raise
        finally:
            self._is_current = False

    def load(self, *, since: Position | None = None) -> Loaded:
        """Load the state an engine needs to continue.

        Args:
            since: load only later documents, terms and events; ``None`` loads everything. Small parts (frequencies,
                state, clock) are always loaded whole. If a document has been forgotten since, load everything.
        """
        with self.reading():
            check_settings(self._connection, self.path)
            loaded = load(self._connection, since=since)
        self._position = loaded.position
        self._written = {name: (value, _json(value)) for name, value in loaded.state.items()}
        return loaded

    def append(self, batch: Batch) -> None:
        """Store one batch, completely or not at all. It is on disk when this returns.

        Ordinals of its documents and numbers of its terms continue those of the store. Names missing from its state
        keep their values.
        """
        with self.transaction():
            if not self._is_current and not self._confirm_position():
                raise StoreChangedError(f"{self.path}: another process has written since; run the same command again")
            self._position = write_batch(self._connection, self._position, batch)
            if self._write_state(batch.decided.state) or batch.decided.closed or batch.decided.pivot:
                write_settings_checksum(self._connection)

    def _confirm_position(self) -> bool:
        """Whether the store is where this object left it; asked once in a transaction, which keeps others out."""
        is_as_left = position_of(self._connection) == self._position
        self._is_current = is_as_left and self._connection.in_transaction
        return is_as_left

    def _write_state(self, state: Mapping[str, Any]) -> bool:
        """Write the values that have changed; return whether there are any."""
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
        copy_store(self._connection, self.path, Path(target), mode=mode)

    def expire(self) -> Expired:
        """Delete signatures and texts of documents that are in neither the window nor the open epoch."""
        return expire(self._connection, self.path)

    def index(self) -> tuple[int, int]:
        """Update the indexes of closed epochs and of terms: rebuild damaged rows, add missing ones.

        Only damage makes this necessary. Its transactions are short; if it is interrupted, the next call continues.
        """
        with self.reading() as connection:
            damaged = damaged_rows(connection)
            blocks = [first for first, fault in term_index_faults(connection) if fault is not None]
        for row in damaged:
            with self.transaction():
                rebuild_index(self._connection, [row.first])
        for first in blocks:
            with self.transaction():
                rebuild_term_block(self._connection, first)
        with self.transaction():
            added = index_closed_epochs(self._connection)
        return added, sum(row.documents for row in damaged)

    def forget(self, *ids: str) -> list[Forgotten]:
        """Remove the content of all versions of documents; `wipe` removes the remnants from the file."""
        return forget(self._connection, self.path, ids)

    def ids_of_source(self, source: str) -> list[str]:
        """Return the ids of all documents of a source, in the order of the stream."""
        return ids_of_source(self._connection, self.path, source)

    def wipe(self) -> bool:
        """Rewrite the file without remnants of deleted data; return whether none is left."""
        return wipe(self._connection, self.path)


def _json(value: Any) -> str:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()
