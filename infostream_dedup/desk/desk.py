"""The file of a desk."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from infostream_dedup.desk.schema import APPLICATION_ID, TABLES, VERSION
from infostream_dedup.errors import BadDataError, CannotCreateError, ConfigurationError, NoInputError
from infostream_dedup.machine.private_files import make_private_file
from infostream_dedup.store.connection import begin_wal, connect, naming_failures, snapshot, writing
from infostream_dedup.store.copying import copy_file

__all__ = ["Desk", "desk_path", "present_moment"]

_BUSY_SECONDS: Final = 30.0


def desk_path(store: str | Path) -> Path:
    """Where the desk of a store is: ``<store>.desk`` beside it."""
    place = Path(store).resolve()
    return place.with_name(f"{place.name}.desk")


def present_moment() -> int:
    """The time of the clock on the wall, UTC microseconds since 1970."""
    return time.time_ns() // 1000


class Desk:
    """Judgements, reservations, reviews and jobs of one store. Use a desk in the thread that opened it.

    Example:
        >>> with Desk.open(folder / "news.db.desk") as desk:                            # doctest: +SKIP
        ...     with desk.reading() as connection:
        ...         rows = present_judgements(connection)
    """

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection, self.path = connection, path

    @classmethod
    def open(cls, path: str | Path, *, create: bool = True) -> Self:
        """Open a desk, or make it.

        Args:
            path: file of the desk, as ``desk_path`` gives it.
            create: make it if it does not exist.

        Raises:
            NoInputError: there is none and ``create`` is off.
            BadDataError: the file is not a desk.
            ConfigurationError: a newer version of this program wrote it.
            CannotCreateError, CannotWriteError: the file or its folder cannot be written.
            StoreBusyError: another process was writing all the time.
        """
        place = Path(path).resolve()
        if not place.exists():
            if not create:
                raise NoInputError(f"{place}: there is no desk; 'serve' makes one when somebody judges a pair")
            try:
                make_private_file(place)
            except OSError as error:
                raise CannotCreateError(f"cannot create {place}: {error.strerror or error}") from error
        connection = connect(place, mode="rw", busy_seconds=_BUSY_SECONDS)
        try:
            with naming_failures(place):
                _make_ready(connection, place)
        except BaseException:
            connection.close()
            raise
        return cls(connection, place)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction, on disk when the block ends; a failure undoes all of it.

        Raises:
            StoreBusyError, CannotWriteError, BadDataError: nothing of the block was stored.
        """
        with writing(self._connection, self.path):
            yield self._connection

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Several reads of one state."""
        with snapshot(self._connection, self.path):
            yield self._connection

    def backup(self, target: str | Path) -> None:
        """Copy the desk while others write; the copy appears whole or not at all.

        Raises:
            CannotCreateError, CannotWriteError, BadDataError: see ``copy_file``.
        """
        copy_file(self._connection, self.path, Path(target), application=APPLICATION_ID)


def _make_ready(connection: sqlite3.Connection, path: Path) -> None:
    if _is_empty(connection):
        with writing(connection, path):
            # Another process may have done it while this one waited.
            if _is_empty(connection):
                for statement in TABLES:
                    connection.execute(statement)
                connection.execute(f"PRAGMA application_id = {APPLICATION_ID:d}")
                connection.execute(f"PRAGMA user_version = {VERSION:d}")
    (found,) = connection.execute("PRAGMA application_id").fetchone()
    if found != APPLICATION_ID:
        raise BadDataError("not a desk: an SQLite file of another kind", code="E_STORE_FOREIGN", source=str(path))
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > VERSION:
        raise ConfigurationError(f"{path} has schema {version}, this program reads {VERSION}; use a newer version")
    begin_wal(connection, path, busy_seconds=_BUSY_SECONDS)


def _is_empty(connection: sqlite3.Connection) -> bool:
    return connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone() is None
