"""Connections to a store, and SQLite's errors translated for the user."""

from __future__ import annotations

import os
import sqlite3
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, NamedTuple, cast
from urllib.parse import quote

from infostream_dedup.errors import (
    BadDataError,
    CannotCreateError,
    CannotWriteError,
    ConfigurationError,
    InfostreamError,
    StoreBusyError,
    StoreMovedError,
    UsageError,
)
from infostream_dedup.machine.progress import restoring_advice

_OLDEST_SQLITE: Final = (3, 37, 0)  # first version with STRICT tables
_CACHE_KIB: Final = 16 * 1024
_CACHE_OF_READER_KIB: Final = 8 * 1024
_WAL_BYTES_KEPT: Final = 64 * 1024 * 1024
_LOG_HEAD: Final = 0x377F0683  # first bytes of a log, whose last bit tells the order of bytes in its checksums
_LOG_HEAD_BYTES: Final = 32
_FRAME_HEAD_BYTES: Final = 24
_INDEX_BYTES: Final = 132
"""Of the index of a log, what tells how far it was written and copied into the database: WalIndexHdr, WalCkptInfo."""
_MOST_OPEN_FILES: Final = 65_536
_PAUSE: Final = 0.02


class _Noted(NamedTuple):
    """The files after a transaction; the database changes only when SQLite copies a log into it."""

    copied: bytes  # what SQLite changes before it copies
    size: int
    changed: int  # nanoseconds
    log_size: int


class FilePlace:
    """Which file a path named when it was opened, which log lay beside it, and whether only SQLite wrote there."""

    def __init__(self, path: Path) -> None:
        self._path, self._log = path, path.with_name(path.name + "-wal")
        self._files = {path: _file_of(_status(path))}
        self._index: int | None = None
        self._noted: _Noted | None = None

    def add_name(self, name: Path) -> None:
        """Watch a symbolic link that led here."""
        self._files[name] = self._files[self._path]

    def is_elsewhere(self) -> bool:
        """Whether the path names another file, or none."""
        return _file_of(_status(self._path)) != self._files[self._path]

    def add_log(self) -> None:
        """Watch the log too, once SQLite has opened it; it exists as long as somebody has the file open."""
        index = self._path.with_name(self._path.name + "-shm")
        for log in (self._log, index):
            self._files[log] = _file_of(_status(log))
        self._index = _descriptor_of(self._files[index])
        self.note()

    def check(self) -> None:
        """Refuse to go on with files that were deleted, moved, replaced, cut or overwritten."""
        # SQLite would write to what nobody finds, or mix its pages with those of another file.
        found = {path: _status(path) for path in self._files}
        for path, file in self._files.items():
            if _file_of(found[path]) != file:
                raise _moved(path)
        noted, index = self._noted, self._read_index()
        database, log = found[self._path], found.get(self._log)
        if index is None or database is None or log is None:
            return
        # The index is read after the files: SQLite tells there that it is going to copy, or begin anew, before it does.
        if noted is not None and _copied(index) == noted.copied:
            if database.st_size < noted.size or database.st_mtime_ns != noted.changed:
                raise _moved(self._path)
            if log.st_size < noted.log_size:
                raise _moved(self._log)
        while not self._is_log_of(index):
            before, index = index, self._read_index()
            if index is None or before == index:  # no other process began the log anew meanwhile
                raise _moved(self._log)

    def note(self) -> None:
        """Note the files after a transaction."""
        index = self._read_index()
        database, log = _status(self._path), _status(self._log)
        if index is None or database is None or log is None or index[96:100] != index[128:132]:  # a copy is under way
            self._noted = None
        else:
            self._noted = _Noted(_copied(index), database.st_size, database.st_mtime_ns, log.st_size)

    def _read_index(self) -> bytes | None:
        if self._index is None:
            return None
        try:
            index = os.pread(self._index, _INDEX_BYTES, 0)
        except OSError:  # SQLite has closed it
            return None
        return index if len(index) == _INDEX_BYTES else None

    def _is_log_of(self, index: bytes) -> bool:
        """Whether the log has the last frame that its index tells of."""
        page, frames, *sums = struct.unpack_from("=HI4xII", index, 14)
        if not frames:
            return True
        try:
            # SQLite has locks on the other two files, which closing them would end.
            log = os.open(self._log, os.O_RDONLY)
        except FileNotFoundError:  # deleted this moment
            return False
        begin = _LOG_HEAD_BYTES + (frames - 1) * (_FRAME_HEAD_BYTES + (65_536 if page == 1 else page))
        try:
            head, frame = os.pread(log, _LOG_HEAD_BYTES, 0), os.pread(log, _FRAME_HEAD_BYTES, begin)
        finally:
            os.close(log)
        salts = index[32:40]
        is_head = int.from_bytes(head[:4], "big") | 1 == _LOG_HEAD and head[16:24] == salts
        return is_head and frame[8:] == salts + struct.pack(">II", *sums)


def _copied(index: bytes) -> bytes:
    """Which log an index is of, how many frames of it were copied into the database, and are to be copied."""
    return index[32:40] + index[96:100] + index[128:132]


def _descriptor_of(file: tuple[int, int] | None) -> int | None:
    """SQLite's own descriptor of a file: one of ours could not be closed without ending SQLite's locks."""
    if not hasattr(os, "pread"):  # on Windows an open store cannot be overwritten
        return None
    for number in range(3, _MOST_OPEN_FILES):
        with suppress(OSError):
            if _file_of(os.fstat(number)) == file:
                return number
    return None


def _moved(path: Path) -> StoreMovedError:
    return StoreMovedError(
        f"{path}: the file was moved, deleted, replaced, cut or overwritten while it was open; nothing more was "
        "stored: put it back, or go back to a backup with 'store restore', and run the same command again"
    )


class PlacedConnection(sqlite3.Connection):
    """A connection that knows which file it opened."""

    place: FilePlace | None = None

    def close(self) -> None:
        """Close the file; if its path names another one now, what the log has goes into the file that was opened."""
        # SQLite would leave the log where it is, and mix its pages into the other file when that is opened.
        if self.place is not None and self.place.is_elsewhere():
            with suppress(sqlite3.Error):
                self.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        super().close()


def place_of(connection: sqlite3.Connection) -> FilePlace:
    """The file that `connect` opened."""
    return cast("FilePlace", cast("PlacedConnection", connection).place)


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except OSError:
        return None


def _file_of(status: os.stat_result | None) -> tuple[int, int] | None:
    return None if status is None else (status.st_dev, status.st_ino)


def connect(path: Path, *, mode: str, busy_seconds: float) -> sqlite3.Connection:
    """Open an SQLite file. The connection never begins a transaction implicitly."""
    if sqlite3.sqlite_version_info < _OLDEST_SQLITE:
        needed = ".".join(map(str, _OLDEST_SQLITE))
        raise ConfigurationError(f"this Python has SQLite {sqlite3.sqlite_version}; stores need {needed} or newer")
    with naming_failures(path):
        before = FilePlace(path)
        connection = _open_file(path, mode, busy_seconds)
        connection.place = before
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA synchronous = FULL")
        # On macOS, only so does the drive empty its cache; elsewhere it changes nothing.
        connection.execute("PRAGMA fullfsync = ON")
        connection.execute("PRAGMA checkpoint_fullfsync = ON")
        connection.execute("PRAGMA recursive_triggers = OFF")
        # A service has several readers, each with pages of its own; the system caches the file as well.
        cache = _CACHE_OF_READER_KIB if mode == "ro" else _CACHE_KIB
        connection.execute(f"PRAGMA cache_size = -{cache:d}")
        connection.execute(f"PRAGMA journal_size_limit = {_WAL_BYTES_KEPT:d}")
        return connection


def _open_file(path: Path, mode: str, busy_seconds: float) -> PlacedConnection:
    if mode == "ro" and os.access(path, os.W_OK) and os.access(path.parent, os.W_OK):
        # A read-only connection would leave the log and the shared memory beside the file.
        connection = _plain(path, "mode=rw", busy_seconds)
        connection.execute("PRAGMA query_only = ON")
    else:
        connection = _plain(path, f"mode={mode}", busy_seconds)
    try:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.OperationalError:
        connection.close()
        # In a read-only folder SQLite cannot create its shared memory beside the file. Nobody else can write there
        # either, so the file may be read as it is, unless a log beside it holds the latest batches.
        log = path.with_name(path.name + "-wal")
        if mode != "ro" or os.access(path.parent, os.W_OK) or (log.exists() and log.stat().st_size):
            raise
        return _plain(path, "mode=ro&immutable=1", busy_seconds)
    except BaseException:
        connection.close()
        raise
    return connection


def _plain(path: Path, query: str, busy_seconds: float) -> PlacedConnection:
    # On restart a worker thread reads while this one waits, so the connection is never used concurrently.
    return sqlite3.connect(
        f"file:{quote(str(path))}?{query}",
        uri=True,
        timeout=busy_seconds,
        isolation_level=None,
        check_same_thread=False,
        factory=PlacedConnection,
    )


def begin_wal(connection: sqlite3.Connection, path: Path, *, busy_seconds: float) -> None:
    """Turn on the write-ahead log; the file remembers it."""
    deadline = time.monotonic() + busy_seconds
    with naming_failures(path):
        while True:
            try:
                mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
                break
            except sqlite3.OperationalError as error:
                # SQLite does not wait here.
                if _kind(error) != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                    raise
                time.sleep(_PAUSE)
        if mode != "wal":
            raise CannotWriteError(f"{path}: no write-ahead log here ({mode}); keep the store on a local disk")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        place_of(connection).add_log()


@contextmanager
def writing(connection: sqlite3.Connection, path: Path) -> Iterator[None]:
    """Run one transaction. It locks out other writers at its start, so that none can make it fail halfway.

    It fails if the path no longer names the file, also if that happens during COMMIT: who acknowledges then would lie.
    """
    place = place_of(connection)
    with naming_failures(path):
        connection.execute("BEGIN IMMEDIATE")
        try:
            place.check()
            yield
            place.check()
            connection.execute("COMMIT")
        except BaseException:
            _roll_back(connection)
            raise
        place.check()
        place.note()


@contextmanager
def snapshot(connection: sqlite3.Connection, path: Path) -> Iterator[sqlite3.Connection]:
    """Let several reads see one state; inside a transaction they are part of it. Yields the connection."""
    with naming_failures(path):
        if connection.in_transaction:
            yield connection
            return
        connection.execute("BEGIN")
        try:
            yield connection
        finally:
            _roll_back(connection)


def _roll_back(connection: sqlite3.Connection) -> None:
    # SQLite has already rolled back if the disk was full.
    if connection.in_transaction:
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")


class _NamingFailures:
    """What ``naming_failures`` returns; a generator would take several times as long, a dozen times a batch."""

    __slots__ = ("_path",)

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, UnicodeDecodeError):
            # Neither stored text nor SQLite's own messages are UTF-8 once the text of the schema is damaged.
            raise _damaged(error, self._path) from error
        if isinstance(error, sqlite3.ProgrammingError) and "closed database" in str(error):
            raise UsageError(f"{self._path}: the store has been closed; open it again") from error
        if isinstance(error, sqlite3.Error):
            named = _translate_error(error, self._path)
            if named is not None:
                raise named from error


def naming_failures(path: Path) -> _NamingFailures:
    """Translate SQLite's errors in a ``with`` block into ours."""
    return _NamingFailures(path)


def _kind(error: sqlite3.Error) -> int | None:
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF


def _damaged(error: Exception, path: Path) -> BadDataError:
    message = f"the store is damaged ({error}); 'store verify' says where; {restoring_advice(path)}"
    return BadDataError(message, code="E_STORE_DAMAGED", source=str(path))


def _advice_on_device(error: sqlite3.Error) -> str:
    if error.sqlite_errorname == "SQLITE_IOERR_GETTEMPPATH":
        return "no folder for temporary files can be written: name one in TMPDIR, or mount one at /tmp"
    return "check the disk, its free space and limits, and run the same command again"


def _translate_error(error: sqlite3.Error, path: Path) -> InfostreamError | None:
    nothing = "nothing of it was stored"
    match _kind(error):
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return StoreBusyError(f"{path}: another process is writing; run the same command again later")
        case sqlite3.SQLITE_FULL:
            left = "no space left, there or in the temporary folder"
            return CannotWriteError(f"{path}: {left}; {nothing}; free some space and run the same command again")
        case sqlite3.SQLITE_IOERR:
            advice = _advice_on_device(error)
            return CannotWriteError(f"{path}: input or output failed ({error.sqlite_errorname}); {nothing}; {advice}")
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM:
            return CannotWriteError(f"{path}: the store or its folder is read-only")
        case sqlite3.SQLITE_CANTOPEN:
            return CannotCreateError(f"{path}: cannot be opened, or files next to it cannot be created")
        case sqlite3.SQLITE_CORRUPT:
            return _damaged(error, path)
        case None if "decode to UTF-8" in str(error):
            return _damaged(error, path)
        case sqlite3.SQLITE_ERROR if "unsupported file format" in str(error):
            # No SQLite version ever wrote such a number in the file's header.
            return _damaged(error, path)
        case sqlite3.SQLITE_NOTADB:
            return BadDataError("not a store: not an SQLite file", code="E_STORE_FOREIGN", source=str(path))
        case _:
            return None
