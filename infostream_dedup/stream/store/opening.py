"""Open a store by its path: check that it is one, complete, of a known version, and made with these settings."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import orjson

from infostream_dedup.errors import (
    BadDataError,
    CannotCreateError,
    CannotWriteError,
    ConfigurationError,
    InfostreamError,
    NoInputError,
)
from infostream_dedup.machine.private_files import make_private_file
from infostream_dedup.machine.restoring import restoring_advice
from infostream_dedup.model.version import VERSION
from infostream_dedup.stream.store.connection import begin_wal, connect, naming_failures, writing
from infostream_dedup.stream.store.copying import HEADER
from infostream_dedup.stream.store.schema import check_version, create_tables, is_empty
from infostream_dedup.stream.store.settings_checksum import check_settings, write_settings_checksum

BUSY_SECONDS: Final = 30.0
"""How long a writer waits for another writer."""

_LONGEST_ENDING: Final = ".desk-journal"
"""The log, the shared memory and the desk have shorter endings."""

_HEADER_BYTES: Final = 100


def open_store(
    path: Path,
    *,
    settings_digest: str | None,
    settings: Mapping[str, Any],
    create: bool,
    read_only: bool,
    busy_seconds: float,
) -> sqlite3.Connection:
    """Open or create a store; for arguments and errors see `Store.open`."""
    _check_place(path, create=create, read_only=read_only)
    if create and not read_only and not path.exists():
        _make_file(path)
    connection = connect(path, mode="ro" if read_only else "rwc" if create else "rw", busy_seconds=busy_seconds)
    try:
        with naming_failures(path):
            if read_only:
                _check_version(connection, path)
            else:
                _make_ready(connection, path, settings_digest, settings, create=create, busy_seconds=busy_seconds)
            _check_settings(connection, path, settings_digest, settings)
    except BaseException:
        connection.close()
        raise
    return connection


def _make_file(path: Path) -> None:
    """Make an empty file that only its owner can read: SQLite gives its log the same mode."""
    try:
        make_private_file(path)
    except OSError as error:
        raise CannotCreateError(f"cannot create {path}: {error.strerror or error}") from error


def settings_of(connection: sqlite3.Connection) -> dict[str, Any]:
    """Return the settings a store was created with."""
    settings: dict[str, Any] = orjson.loads(connection.execute("SELECT settings FROM store").fetchone()[0])
    return settings


def settings_at(path: Path) -> dict[str, Any] | None:
    """Return the settings that the store at a path was created with, or ``None`` if there is no store yet.

    A process that is killed while creating a store leaves an empty file; that is not a store yet.
    """
    path = path.resolve()
    if not path.exists():
        return None
    _check_place(path, create=False, read_only=True)
    connection = connect(path, mode="ro", busy_seconds=BUSY_SECONDS)
    try:
        with naming_failures(path):
            if is_empty(connection):
                return None
            check_version(connection, path)
            check_settings(connection, path)
            return settings_of(connection)
    finally:
        connection.close()


def _check_place(path: Path, *, create: bool, read_only: bool) -> None:
    try:
        if path.is_dir():
            raise CannotCreateError(f"{path} is a directory; a store is one file")
        if path.exists() and not path.is_file():
            raise CannotCreateError(f"{path} is a device or a pipe; a store is a regular file")
        if not path.exists():
            if not create:
                raise NoInputError(f"{path}: there is no store; 'ingest' creates one")
            if not path.parent.is_dir():
                raise CannotCreateError(f"cannot create {path}: there is no directory {path.parent}")
            _check_name(path)
        else:
            _check_length(path)
            if not read_only and not os.access(path, os.W_OK):
                raise CannotWriteError(f"{path}: the store is read-only")
    except OSError as error:
        raise NoInputError(f"{path}: {error.strerror or error}") from error


def _check_name(path: Path) -> None:
    """Refuse a name that leaves no room for the endings of the files beside the store, before anything is created."""
    size = len(os.fsencode(path.name))
    most = os.pathconf(path.parent, "PC_NAME_MAX") - len(_LONGEST_ENDING)
    if size > most:
        raise CannotCreateError(
            f"cannot create {path}: the name has {size} bytes, and with {most} at most there is room for the endings "
            "of the files beside it; give a shorter name"
        )


def _check_length(path: Path) -> None:
    """Refuse a file that is cut short; SQLite would notice only when reading the missing part.

    Not while a log exists, even an empty one: somebody has the store open, perhaps this process, and when a process
    closes a file, it gives up all its locks on that file, also those of SQLite. The next process to close the store
    would then delete the log under the feet of this one (SQLite, "How To Corrupt An SQLite Database File", 2.2).
    """
    if path.with_name(path.name + "-wal").exists():
        return
    with path.open("rb") as file:
        header = file.read(_HEADER_BYTES)
    if not header:
        return
    if not header.startswith(HEADER) or len(header) < _HEADER_BYTES:
        raise _foreign(path, "not an SQLite file")
    page = int.from_bytes(header[16:18], "big")
    # The value 1 means 65536.
    expected = int.from_bytes(header[28:32], "big") * (65536 if page == 1 else page)
    size = path.stat().st_size
    if size < expected:
        message = f"the file is cut short: {size:,} of {expected:,} bytes; {restoring_advice(path)}"
        raise BadDataError(message, code="E_STORE_DAMAGED", source=str(path))


def _check_version(connection: sqlite3.Connection, path: Path) -> None:
    if is_empty(connection):
        raise _foreign(path, "the file is empty")
    check_version(connection, path)


def _make_ready(
    connection: sqlite3.Connection,
    path: Path,
    settings_digest: str | None,
    settings: Mapping[str, Any],
    *,
    create: bool,
    busy_seconds: float,
) -> None:
    if is_empty(connection):
        if not create:
            raise _foreign(path, "the file is empty")
        if settings_digest is None:
            raise ValueError("a new store needs the digest of its settings")
        _make(connection, path, settings_digest, settings)
    else:
        check_version(connection, path)
    begin_wal(connection, path, busy_seconds=busy_seconds)


def _make(connection: sqlite3.Connection, path: Path, settings_digest: str, settings: Mapping[str, Any]) -> None:
    # Lets 'store expire' return space to the disk; possible only before the first table exists.
    connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
    with writing(connection, path):
        # Another process may have done so while we waited.
        if is_empty(connection):
            create_tables(connection)
            connection.execute(
                "INSERT INTO store (id, settings_digest, settings, made_by) VALUES (1, ?, ?, ?)",
                (settings_digest, orjson.dumps(dict(settings), option=orjson.OPT_SORT_KEYS).decode(), VERSION),
            )
            write_settings_checksum(connection)


def _check_settings(
    connection: sqlite3.Connection, path: Path, settings_digest: str | None, settings: Mapping[str, Any]
) -> None:
    check_settings(connection, path)
    digest = connection.execute("SELECT settings_digest FROM store").fetchone()[0]
    if settings_digest is None or settings_digest == digest:
        return
    stored = settings_of(connection)
    differing = [name for name in sorted({*stored, *settings}) if stored.get(name) != settings.get(name)]
    which = ", ".join(f"{name} {stored.get(name)!r}, now {settings.get(name)!r}" for name in differing)
    raise ConfigurationError(
        f"{path} was made with other settings ({which or 'dictionaries or version'}); verdicts would be inconsistent: "
        "use the old settings, or create a new store"
    )


def _foreign(path: Path, what: str) -> InfostreamError:
    return BadDataError(f"not a store: {what}", code="E_STORE_FOREIGN", source=str(path))
