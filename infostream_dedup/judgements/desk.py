"""The file of a desk."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from infostream_dedup.errors import BadDataError, CannotCreateError, ConfigurationError, NoInputError
from infostream_dedup.judgements.schema import APPLICATION_ID, TABLES, VERSION
from infostream_dedup.judgements.seals import SEALS, add_checksum_function, fault_of
from infostream_dedup.machine.private_files import make_private_file
from infostream_dedup.machine.restoring import restoring_advice
from infostream_dedup.stream.store.connection import (
    begin_wal,
    connect,
    naming_failures,
    place_of,
    snapshot,
    writing,
)
from infostream_dedup.stream.store.copying import copy_file
from infostream_dedup.stream.store.forgetting import wipe

_BUSY_SECONDS: Final = 30.0


def desk_path(store: str | Path) -> Path:
    """Return the path of a store's desk: ``<store>.desk``, next to it."""
    place = Path(store).resolve()
    return place.with_name(f"{place.name}.desk")


def present_moment() -> int:
    """The current time in UTC microseconds since 1970."""
    return time.time_ns() // 1000


class Desk:
    """Judgements, reservations, reviews and jobs of one store. Use a desk in the thread that opened it.

    All of its rows are compared with their checksums when it is opened, before the first use after another process
    wrote to it, and before it is copied.

    Example:
        >>> with Desk.open(folder / "news.db.desk") as desk:                            # doctest: +SKIP
        ...     with desk.reading() as connection:
        ...         rows = present_judgements(connection)
    """

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection, self.path = connection, path
        self._seen = _state_of(connection)
        self.place = place_of(connection)

    @classmethod
    def open(cls, path: str | Path, *, create: bool = True) -> Self:
        """Open a desk, or create it."""
        place = Path(path).resolve()
        if not place.exists():
            if not create:
                raise NoInputError(f"{place}: there is no desk; 'serve' creates one when somebody judges a pair")
            try:
                make_private_file(place)
            except OSError as error:
                raise CannotCreateError(f"cannot create {place}: {error.strerror or error}") from error
        with _naming_damage(place):
            connection = connect(place, mode="rw", busy_seconds=_BUSY_SECONDS)
            try:
                _make_ready(connection, place)
                opened = cls(connection, place)
                with opened.reading():
                    opened.check()
            except BaseException:
                connection.close()
                raise
        return opened

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
        """One transaction, on disk when the block ends; a failure undoes all of it."""
        with _naming_damage(self.path), writing(self._connection, self.path):
            self._check_what_others_wrote()
            yield self._connection

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Read several times from one state."""
        with _naming_damage(self.path), snapshot(self._connection, self.path):
            self._check_what_others_wrote()
            yield self._connection

    def check(self) -> None:
        """Compare all rows with their checksums, inside a transaction."""
        _check_version(self._connection, self.path)
        fault = fault_of(self._connection, (*TABLES, *SEALS))
        if fault is not None:
            raise _damaged(fault, self.path)
        self._seen = _state_of(self._connection)

    def backup(self, target: str | Path) -> None:
        """Copy the desk while others write; the copy is written completely or not at all."""
        with self.reading():
            self.check()
            copy_file(self._connection, self.path, Path(target), application=APPLICATION_ID)

    def wipe(self) -> bool:
        """Rewrite the file without remnants of deleted data, and empty the log; return whether none is left."""
        with _naming_damage(self.path):
            return wipe(self._connection, self.path)

    def _check_what_others_wrote(self) -> None:
        # The number belongs to the transaction only once something has been read.
        self._connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
        if _state_of(self._connection) != self._seen:
            self.check()


def _make_ready(connection: sqlite3.Connection, path: Path) -> None:
    add_checksum_function(connection)
    # Let the file's triggers call the function, however this SQLite was compiled.
    connection.execute("PRAGMA trusted_schema = ON")
    if _is_empty(connection):
        with writing(connection, path):
            # Another process may have done so while this one waited.
            if _is_empty(connection):
                for statement in (*TABLES, *SEALS):
                    connection.execute(statement)
                connection.execute(f"PRAGMA application_id = {APPLICATION_ID:d}")
                connection.execute(f"PRAGMA user_version = {VERSION:d}")
    if _number(connection, "application_id") != APPLICATION_ID:
        raise BadDataError("not a desk: an SQLite file of another kind", code="E_STORE_FOREIGN", source=str(path))
    _check_version(connection, path)
    begin_wal(connection, path, busy_seconds=_BUSY_SECONDS)


def _check_version(connection: sqlite3.Connection, path: Path) -> None:
    version = _number(connection, "user_version")
    if version != VERSION:
        raise ConfigurationError(
            f"{path} has schema {version}, this program reads schema {VERSION}; use the program that made it, or move "
            "the file away: 'serve' then creates a new desk"
        )


def _is_empty(connection: sqlite3.Connection) -> bool:
    return connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone() is None


def _number(connection: sqlite3.Connection, pragma: str) -> int:
    return int(connection.execute(f"PRAGMA {pragma}").fetchone()[0])


def _state_of(connection: sqlite3.Connection) -> int:
    """A number that changes when another connection has written to the file."""
    return _number(connection, "data_version")


def _damaged(what: str, path: Path) -> BadDataError:
    return BadDataError(
        f"the desk is damaged: {what}; {restoring_advice(path, made_by='desk backup')}",
        code="E_DESK_DAMAGED",
        source=str(path),
    )


@contextmanager
def _naming_damage(path: Path) -> Iterator[None]:
    """``naming_failures`` for a desk, which is repaired differently from a store."""
    try:
        with naming_failures(path):
            yield
    except BadDataError as error:
        if error.code != "E_STORE_DAMAGED":
            raise
        raise _damaged(str(error.__cause__), path) from error
