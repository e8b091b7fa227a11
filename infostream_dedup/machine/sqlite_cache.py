"""Caches in SQLite files: a failure costs time, but never stops the job or gives a wrong answer.

The content of a file belongs to a fingerprint of everything that determines the answers; under another fingerprint it
counts as empty and is replaced. Rows carry checksums; a damaged file is replaced.
"""

from __future__ import annotations

import logging
import os
import sqlite3
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final, TypeVar
from zlib import crc32

from infostream_dedup.machine.files import make_private_file, make_private_folder, remove_with_journals

_Value = TypeVar("_Value")
_Nothing = TypeVar("_Nothing")
_log = logging.getLogger(__name__)
_BUSY_SECONDS: Final = 10.0
_PAGES_KILOBYTES: Final = 32_000
"""Size of the page cache; two megabytes, SQLite's default, hold a tenth of a month's forms."""

_SURROUNDINGS: Final = frozenset(
    getattr(sqlite3, f"SQLITE_{name}")
    for name in "BUSY LOCKED PERM READONLY IOERR FULL CANTOPEN NOMEM PROTOCOL INTERRUPT AUTH".split()
)
"""Errors of the disk, other processes or permissions: the file itself may be intact."""


class DamagedCacheError(Exception):
    """A row of a cache differs from what was written."""


def checksum_of(*values: object) -> int:
    """Checksum of a row's values, from 0 to 2^32 - 1: finds every flipped bit."""
    return crc32("\0".join(map(str, values)).encode("utf-8", "surrogatepass"))


def is_damage(error: Exception) -> bool:
    """Whether an error says that a cache file is damaged, or is not a cache at all."""
    if isinstance(error, sqlite3.Error):
        code: int | None = getattr(error, "sqlite_errorcode", None)
        # Without a code, Python itself could not read a value.
        return code is None or code & 0xFF not in _SURROUNDINGS
    return isinstance(error, DamagedCacheError | ValueError | TypeError)


class SqliteCache:
    """A cache in one file; several processes may use it at a time.

    A damaged file is replaced once, with a warning in the log. After any other fault, or further damage, the file is
    left alone for the rest of the process, with a warning too.

    ``path``: the file; it is created, with its folder, on the first write; ``fingerprint``: fingerprint of everything
    that determines the answers; ``content``: what is in the cache, for warnings: ``terms``; ``version``: version of the
    tables; ``tables``: names of the tables to their columns in SQL.
    """

    def __init__(self, path: Path, fingerprint: str, content: str, version: int, tables: Mapping[str, str]) -> None:
        self.path = path
        self._fingerprint = fingerprint
        self._content = content
        self._version = version
        self._tables = {"fingerprint": "(value TEXT NOT NULL)", **tables}
        self._usable = True
        self._replaced = False
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._close: Callable[[], object] = lambda: None
        self._opened_as: tuple[int, int, int] | None = None
        # The version of the file's data that has our fingerprint.
        self._known_as_ours: int | None = None

    def read(self, read: Callable[[sqlite3.Connection], _Value], nothing: _Nothing) -> _Value | _Nothing:
        """Call ``read`` in a transaction."""
        if not self._usable:
            return nothing
        try:
            with self._lock:
                connection = self._open()
                if connection is None:
                    return nothing
                with _transaction(connection, ""):
                    return read(connection) if self._is_still_ours(connection) else nothing
        except (sqlite3.Error, DamagedCacheError, ValueError, TypeError) as error:
            self._replace_or_give_up(error)
            return nothing

    def write(self, statements: Mapping[str, Sequence[tuple[object, ...]]], *, again: bool = True) -> None:
        """Execute statements in one transaction, each for all of its rows."""
        if not self._usable:
            return
        try:
            make_private_folder(self.path.parent)
            make_private_file(self.path)
            with (
                closing(sqlite3.connect(self.path, timeout=_BUSY_SECONDS)) as connection,
                _transaction(connection, "IMMEDIATE"),
            ):
                if not self._is_ours(connection):
                    self._start_over(connection)
                for statement, rows in statements.items():
                    connection.executemany(statement, rows)
        except (sqlite3.Error, OSError) as error:
            self._replace_or_give_up(error)
            if again:
                self.write(statements, again=False)

    def _open(self) -> sqlite3.Connection | None:
        """Open a connection for reading and keep it: a stream asks for a few rows with every document."""
        try:
            status = self.path.stat()
        except OSError:
            return None
        if self._opened_as != (status.st_dev, status.st_ino, os.getpid()):
            self._close()
            # Used by one thread at a time.
            connection = sqlite3.connect(self.path, timeout=_BUSY_SECONDS, check_same_thread=False)
            # First of all: a damaged file already fails at the next line.
            self._close = weakref.finalize(self, connection.close)
            connection.execute(f"PRAGMA cache_size = -{_PAGES_KILOBYTES}")
            self._connection, self._known_as_ours = connection, None
            self._opened_as = (status.st_dev, status.st_ino, os.getpid())
        return self._connection

    def _is_still_ours(self, connection: sqlite3.Connection) -> bool:
        """Whether the open file is still valid; rechecked only after a write."""
        (written,) = connection.execute("PRAGMA data_version").fetchone()
        if written != self._known_as_ours:
            self._known_as_ours = written if self._is_ours(connection) else None
        return self._known_as_ours is not None

    def _is_ours(self, connection: sqlite3.Connection) -> bool:
        if connection.execute("PRAGMA user_version").fetchone() != (self._version,):
            return False
        return connection.execute("SELECT value FROM fingerprint").fetchall() == [(self._fingerprint,)]

    def _start_over(self, connection: sqlite3.Connection) -> None:
        for table, columns in self._tables.items():
            connection.execute(f"DROP TABLE IF EXISTS {table}")
            connection.execute(f"CREATE TABLE {table} {columns}")
        connection.execute("INSERT INTO fingerprint VALUES (?)", (self._fingerprint,))
        connection.execute(f"PRAGMA user_version = {self._version}")

    def _replace_or_give_up(self, error: Exception) -> None:
        self._close()
        self._opened_as = None
        if is_damage(error) and not self._replaced:
            self._replaced = True
            try:
                remove_with_journals(self.path)
            except OSError as refused:
                error = refused
            else:
                _log.warning("%s: the cache of %s is damaged (%s); it is rebuilt", self.path, self._content, error)
                return
        self._usable = False
        _log.warning(
            "%s: the cache of %s cannot be used (%s); continuing without it; set "
            "INFOSTREAM_DEDUP_CACHE to a writable folder",
            *(self.path, self._content, error),
        )


@contextmanager
def _transaction(connection: sqlite3.Connection, kind: str) -> Iterator[None]:
    """Begin a transaction; commit on success, roll back on error."""
    connection.isolation_level = None
    connection.execute(f"BEGIN {kind}")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        # On a full disk SQLite rolls back by itself; rolling back again would hide the cause.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def cache_folder() -> Path:
    """``INFOSTREAM_DEDUP_CACHE``, or the user's cache folder."""
    from platformdirs import user_cache_dir

    return Path(os.environ.get("INFOSTREAM_DEDUP_CACHE") or user_cache_dir("infostream-dedup"))
