"""Open a store by its path: check that it is one, complete, of a known version, and made with these settings."""

from __future__ import annotations

import errno
import os
import sqlite3
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from hashlib import blake2b
from pathlib import Path
from sqlite3 import Connection
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
from infostream_dedup.machine.files import held_part, make_private_file, remove_stale_parts, remove_with_journals
from infostream_dedup.machine.platform import sync_path
from infostream_dedup.machine.progress import restoring_advice
from infostream_dedup.model.version import VERSION
from infostream_dedup.stream.store.connection import begin_wal, connect, naming_failures, snapshot, writing

RETUNES: Final = "retunes"
"""Name of their row in table ``state``: ``[{"first": ordinal, "changes": {setting: value}}, ...]`` in order."""
WATCHES: Final = "watches"
"""The same of standing searches: ``[{"first": ordinal, "name": name, "search": {...} or null}, ...]``."""

Retune = Mapping[str, Any]


def changes_of(connection: Connection, name: str) -> list[dict[str, Any]]:
    """All changes of one kind, in order."""
    row = connection.execute("SELECT value FROM state WHERE name = ?", (name,)).fetchone()
    return [] if row is None else list(orjson.loads(row[0]))


def in_force(settings: Mapping[str, Any], retunes: Sequence[Retune], ordinal: int) -> dict[str, Any]:
    """The settings by which a document is judged."""
    found = dict(settings)
    for one in retunes:
        if one["first"] <= ordinal:
            found |= one["changes"]
    return found


def next_change(retunes: Sequence[Retune], ordinal: int) -> int | None:
    """The first later document from which on other thresholds hold."""
    return min((one["first"] for one in retunes if one["first"] > ordinal), default=None)


def add_change(connection: Connection, name: str, change: Mapping[str, Any]) -> None:
    """Record a change; call it inside a transaction that also updates the checksum."""
    found = orjson.dumps([*changes_of(connection, name), change]).decode()
    connection.execute("REPLACE INTO state (name, value) VALUES (?, ?)", (name, found))


# The schema of a store: `schema.sql`, the only version there is

APPLICATION_ID: Final = 0x49534444  # marks an SQLite file as one of our stores: ``ISDD``
SCHEMA_VERSION: Final = 1  # ``PRAGMA user_version`` of a store


def create_tables(connection: Connection) -> None:
    """Create all tables and views in an empty file, inside the caller's transaction."""
    for statement in Path(__file__).with_name("schema.sql").read_text("utf-8").split(";\n"):
        connection.execute(statement)
    octets = ((bytes([value]), value) for value in range(256))
    connection.executemany("INSERT INTO octet (octet, value) VALUES (?, ?)", octets)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID:d}")
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION:d}")


def is_empty(connection: Connection) -> bool:
    """Whether nothing has been written to the file yet."""
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    return not tables and not _pragma(connection, "application_id")


def check_version(connection: Connection, path: Path) -> None:
    """Refuse a file of another program (E_STORE_FOREIGN), and a store with another schema (E_STORE_NEWER)."""
    if _pragma(connection, "application_id") != APPLICATION_ID:
        message = "not a store: an SQLite file of another program"
        raise BadDataError(message, code="E_STORE_FOREIGN", source=str(path))
    version = _pragma(connection, "user_version")
    if version != SCHEMA_VERSION:
        raise BadDataError(
            f"the store has schema {version}, this program reads schema {SCHEMA_VERSION}; use the program "
            "that made it, or ingest the documents into a new store: infostream-dedup ingest DOCS --store NEW",
            code="E_STORE_NEWER",
            source=str(path),
        )


@contextmanager
def writing_rows(connection: Connection, path: Path) -> Iterator[None]:
    """Run one transaction (`writing`) on a store that still has our schema."""
    with writing(connection, path):
        check_version(connection, path)
        yield


def _pragma(connection: Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])


# A checksum of a store's single values: settings, what has expired, the state's small values, withheld frequencies

_NAME: Final = "checksum"  # name of its row in table ``state``


def write_settings_checksum(connection: Connection) -> None:
    """Update the checksum, at the end of every transaction that changes one of these tables."""
    connection.execute("REPLACE INTO state (name, value) VALUES (?, ?)", (_NAME, _text(_checksum(connection))))


def settings_are_as_written(connection: Connection) -> bool:
    """Whether settings and state are intact; call it inside a transaction."""
    kept = connection.execute("SELECT value FROM state WHERE name = ?", (_NAME,)).fetchone()
    return kept is not None and bool(kept[0] == _text(_checksum(connection)))


def check_settings(connection: Connection, path: Path) -> None:
    """Refuse a store whose settings or state are damaged."""
    with snapshot(connection, path):
        if not settings_are_as_written(connection):
            message = "the store is damaged (settings or state do not match their checksum)"
            raise BadDataError(f"{message}; {restoring_advice(path)}", code="E_STORE_DAMAGED", source=str(path))


def state_of(connection: Connection) -> dict[str, Any]:
    """Return the small values that the last batch wrote."""
    rows = connection.execute("SELECT name, value FROM state WHERE name <> ?", (_NAME,))
    return {name: orjson.loads(value) for name, value in rows}


def _checksum(connection: Connection) -> str:
    digest = blake2b(digest_size=16)
    settings = connection.execute("SELECT settings_digest, settings, made_by, expired_below FROM store")
    state = connection.execute("SELECT name, value FROM state WHERE name <> ? ORDER BY name", (_NAME,))
    withheld = [
        row
        for table in ("withheld_frequency", "withheld_repeats", "withheld_pivot")
        for row in connection.execute(f"SELECT epoch, language, terms, df FROM {table} ORDER BY epoch, language")  # noqa: S608
    ]
    for row in (*settings, *state, *withheld):
        for value in row:
            part = value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass")
            digest.update(len(part).to_bytes(8, "little") + part)
    return digest.hexdigest()


def _text(checksum: str) -> str:
    return f'"{checksum}"'


# Copies of a store, made while others write to it; and the files beside it

PAGES_AT_ONCE: Final = 4096
HEADER: Final = b"SQLite format 3\0"
_APPLICATION_ID: Final = slice(68, 72)
_HEADER_BYTES: Final = 100


def copy_store(
    connection: Connection, path: Path, target: Path, *, mode: int | None = None, application: int = APPLICATION_ID
) -> None:
    """Copy a store, or another of our SQLite files, by the online backup. Once complete, the copy gets its name."""
    # The copy has no log beside it, so it can be opened even in a read-only folder.
    target = target.resolve()
    _check_target(path, target, application)
    remove_stale_parts(target.parent)
    try:
        if mode is None:
            mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o600
        with held_part(target.parent) as part, naming_failures(target):
            copy_into(connection, path, part, "the copy is inconsistent ({}); 'store verify' gives details")
            part.chmod(mode)
            sync_path(part)
            part.replace(target)
            sync_path(target.parent)
    except OSError as error:
        raise CannotCreateError(f"cannot create {target}: {error.strerror or error}") from error


def copy_into(connection: Connection, path: Path, part: Path, fault: str) -> None:
    """Copy a file of SQLite into an empty one without a log; BadDataError with the text of a fault if it is damaged."""
    with closing(sqlite3.connect(part, isolation_level=None)) as copy:
        # Without its own snapshot, the backup would start over whenever somebody writes.
        with snapshot(connection, path):
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            # The callback lets Python handle a signal between two pieces.
            try:
                connection.backup(copy, pages=PAGES_AT_ONCE, progress=lambda *_: None)
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode == sqlite3.SQLITE_FULL:  # which is never said of the file that is read
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)) from error
                raise
        copy.execute("PRAGMA journal_mode = DELETE")
        faults = [row[0] for row in copy.execute("PRAGMA quick_check(1)")]
    if faults != ["ok"]:
        raise BadDataError(fault.format(faults[0]), code="E_STORE_DAMAGED", source=str(path))


def _check_target(path: Path, target: Path, application: int) -> None:
    if target.is_dir():
        raise CannotCreateError(f"cannot create {target}: it is a directory")
    if not target.exists():
        return
    if target.samefile(path):
        raise CannotCreateError(f"{target} is the store itself; give the copy another name")
    with target.open("rb") as file:
        header = file.read(_HEADER_BYTES)
    ours = header.startswith(HEADER) and header[_APPLICATION_ID] == application.to_bytes(4, "big")
    if header and not ours:
        raise CannotCreateError(f"{target} is not a copy of a store and would be lost; give the copy another name")


def copies_beside(store: Path) -> list[Path]:
    """Return the copies next to a store that running backups are making."""
    return sorted(store.resolve().parent.glob(".infostream-dedup-*.part"))


def set_mode(store: Path, mode: int) -> None:
    """Change who may read and write a store and the files that SQLite keeps beside it."""
    store = store.resolve()
    try:
        for ending in ("", "-wal", "-shm"):
            path = store.with_name(store.name + ending)
            if path.exists():
                path.chmod(mode)
    except OSError as error:
        raise CannotWriteError(f"{store}: the mode cannot be changed: {error.strerror}") from error


BUSY_SECONDS: Final = 30.0  # how long a writer waits for another writer
_LONGEST_ENDING: Final = ".desk-journal"  # the log, the shared memory and the desk have shorter endings


def open_store(
    path: Path,
    *,
    settings_digest: str | None = None,
    settings: Mapping[str, Any] | None = None,
    create: bool = False,
    read_only: bool = False,
    busy_seconds: float = BUSY_SECONDS,
) -> Connection:
    """Open or create a store; for arguments and errors see `Store.open`."""
    settings = settings or {}
    _check_place(path, create=create, read_only=read_only)
    if made := create and not path.exists():
        try:
            make_private_file(path)
        except OSError as error:
            raise CannotCreateError(f"cannot create {path}: {error.strerror or error}") from error
    connection = connect(path, mode="ro" if read_only else "rwc" if create else "rw", busy_seconds=busy_seconds)
    try:
        with naming_failures(path):
            if not is_empty(connection):
                check_version(connection, path)
            elif not create:
                raise _foreign(path, "the file is empty")
            elif settings_digest is None:
                raise ValueError("a new store needs the digest of its settings")
            else:
                _make(connection, path, settings_digest, settings)
            if not read_only:
                begin_wal(connection, path, busy_seconds=busy_seconds)
            _check_settings(connection, path, settings_digest, settings)
    except BaseException:
        with closing(connection), suppress(sqlite3.Error):
            made = made and is_empty(connection)  # as on a full disk
        if made:
            remove_with_journals(path)
        raise
    return connection


def first_settings_of(connection: Connection) -> dict[str, Any]:
    """Return the settings a store was created with."""
    settings: dict[str, Any] = orjson.loads(connection.execute("SELECT settings FROM store").fetchone()[0])
    return settings


def settings_of(connection: Connection) -> dict[str, Any]:
    """Return the settings by which the next document will be judged."""
    (ordinal,) = connection.execute("SELECT coalesce(max(ordinal) + 1, 0) FROM document").fetchone()
    return in_force(first_settings_of(connection), changes_of(connection, RETUNES), ordinal)


def settings_at(path: Path) -> dict[str, Any] | None:
    """The settings that the store at a path was made with; ``None`` if there is none yet, or only an empty file."""
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
            return first_settings_of(connection)
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
            # A service that ended because its store was moved is started again; all documents would be new to it.
            if (log := path.with_name(f"{path.name}-wal")).exists():
                raise NoInputError(f"{path} is gone, but not its log: put it back, or delete {log} to begin anew")
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
    # While another process makes the store, the header is there first, and a journal until the last page is.
    made = path.with_name(path.name + "-journal").exists() or path.stat().st_size >= expected
    if size < expected and not made:
        message = f"the file is cut short: {size:,} of {expected:,} bytes; {restoring_advice(path)}"
        raise BadDataError(message, code="E_STORE_DAMAGED", source=str(path))


def _make(connection: Connection, path: Path, settings_digest: str, settings: Mapping[str, Any]) -> None:
    # Both are possible only before the first table exists. A batch writes megabytes, page by page: with pages of 4 KiB,
    # COMMIT takes twice as long. Larger ones would slow down a single document.
    connection.execute("PRAGMA page_size = 16384")
    # Lets 'store expire' return space to the disk.
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
    connection: Connection, path: Path, settings_digest: str | None, settings: Mapping[str, Any]
) -> None:
    check_settings(connection, path)
    digest = connection.execute("SELECT settings_digest FROM store").fetchone()[0]
    if settings_digest is None or settings_digest == digest:
        return
    stored = first_settings_of(connection)
    differing = [name for name in sorted({*stored, *settings}) if stored.get(name) != settings.get(name)]
    which = ", ".join(f"{name} {stored.get(name)!r}, now {settings.get(name)!r}" for name in differing)
    raise ConfigurationError(
        f"{path} was made with other settings ({which or 'dictionaries or version'}); verdicts would be inconsistent: "
        "use the old settings, or create a new store"
    )


def _foreign(path: Path, what: str) -> InfostreamError:
    return BadDataError(f"not a store: {what}", code="E_STORE_FOREIGN", source=str(path))
