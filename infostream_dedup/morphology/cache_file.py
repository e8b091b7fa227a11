"""The file that remembers between runs what the dictionaries make of forms.

One SQLite file, ``forms.sqlite``, in the folder ``INFOSTREAM_DEDUP_CACHE`` or else the user's cache folder. Its content
belongs to a fingerprint of everything that decides the answers; under another fingerprint it counts as empty and is
replaced. It is a pure cache: a file that is damaged, locked or not writable costs time, never the job, and never
changes an answer: each form has a checksum, and so has each table of frequencies; a damaged file is replaced.
"""

from __future__ import annotations

import logging
import os
import sqlite3
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import cache
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path
from typing import Final, TypeVar

import orjson

from infostream_dedup.lexicon.folder import dictionaries_folder
from infostream_dedup.machine.cache_damage import DamagedCacheError, checksum_of, is_damage, remove_cache
from infostream_dedup.machine.private_files import make_private_file, make_private_folder
from infostream_dedup.morphology.analyzer import RULES
from infostream_dedup.morphology.english_lemmas import RULES as ENGLISH_RULES

__all__ = ["CacheFile", "cache_file", "fingerprint"]

_Value = TypeVar("_Value")
_Nothing = TypeVar("_Nothing")
_log = logging.getLogger(__name__)

_PACKAGES: Final = (
    "pymorphy3",
    "pymorphy3-dicts-ru",
    "pymorphy3-dicts-uk",
    "wordfreq",
    "names-translator",
    "snowballstemmer",
)
_CHUNK: Final = 50_000
_BUSY_SECONDS: Final = 10.0
_PAGES_KILOBYTES: Final = 32_000
"""Of the file that are kept in memory; two megabytes, SQLite's own choice, hold a tenth of a month's forms."""

_LOOK_UP: Final = (
    "SELECT term, strict, checksum FROM json_each(?) AS asked LEFT JOIN form ON language = ? AND form.key = asked.value"
    " ORDER BY asked.key"
)
_SCHEMA_VERSION: Final = 2
_TABLES: Final = {
    "fingerprint": "(value TEXT NOT NULL)",
    "form": "(language TEXT NOT NULL, key TEXT NOT NULL, term TEXT, strict INTEGER NOT NULL, checksum INTEGER NOT NULL,"
    " PRIMARY KEY (language, key)) WITHOUT ROWID",
    "frequency": "(language TEXT NOT NULL, kind TEXT NOT NULL, term TEXT NOT NULL, share REAL NOT NULL,"
    " PRIMARY KEY (language, kind, term)) WITHOUT ROWID",
    "frequency_checksum": "(language TEXT NOT NULL, kind TEXT NOT NULL, checksum INTEGER NOT NULL,"
    " PRIMARY KEY (language, kind)) WITHOUT ROWID",
}


@cache
def fingerprint() -> str:
    """32 hexadecimal digits that change with every package, dictionary or rule that decides a term."""
    digest = blake2b(f"rules {RULES} {ENGLISH_RULES}".encode(), digest_size=16)
    for package in _PACKAGES:
        digest.update(f"\0{package} {version(package)}".encode())
    folder = dictionaries_folder()
    for path in sorted((*folder.glob("*.tsv"), *folder.glob("*.txt"))):
        digest.update(f"\0{path.name}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


class CacheFile:
    """The file; several processes may use one at a time.

    A damaged file is replaced once, with a warning in the log. After any other fault, or further damage, the file is
    left alone for the rest of the process, with a warning too.

    Args:
        path: the file; made with its folder when first written.
        mark: fingerprint of the answers this process gives.
    """

    def __init__(self, path: Path, mark: str) -> None:
        self.path = path
        self._mark = mark
        self._usable = True
        self._replaced = False
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._close: Callable[[], object] = lambda: None
        self._opened_as: tuple[int, int, int] | None = None

    def answers(self, language: str, keys: Sequence[str]) -> dict[str, tuple[str, bool] | None]:
        """Remembered answers for forms: key to (term, strict), or to ``None`` for no term; unknown keys are absent."""
        # In the order of the file: neighbours lie on one page.
        ordered = sorted(keys)
        return {
            key: None if term is None else (term, bool(strict))
            for key, (term, strict) in zip(ordered, self.rows(language, ordered), strict=True)
            if strict is not None
        }

    def rows(self, language: str, keys: Sequence[str]) -> list[tuple[str | None, int | None]]:
        """Look up keys; return a row for each: the term, and whether the strict rule accepts it.

        Args:
            language: language of the forms.
            keys: fastest in code point order, the order of the file.

        Returns:
            (term, 0 or 1), (``None``, 0) for a form that is not a term, (``None``, ``None``) for an unknown one.
        """
        chunks = [(start, orjson.dumps(keys[start : start + _CHUNK]).decode()) for start in range(0, len(keys), _CHUNK)]

        def read(connection: sqlite3.Connection) -> list[tuple[str | None, int | None]]:
            found: list[tuple[str | None, int | None]] = []
            for start, asked in chunks:
                for key, row in zip(keys[start:], connection.execute(_LOOK_UP, (asked, language)), strict=False):
                    found.append(_checked(language, key, *row))
            return found

        return self._read(read, None) or [(None, None)] * len(keys)

    def remember(self, language: str, answers: Mapping[str, tuple[str, bool] | None]) -> None:
        """Store answers in one transaction."""
        rows = sorted(
            (language, key, answer[0] if answer else None, int(answer[1]) if answer else 0)
            for key, answer in answers.items()
        )
        checked = [(*row, checksum_of(*row)) for row in rows]
        self._write({"INSERT OR REPLACE INTO form VALUES (?, ?, ?, ?, ?)": checked})

    def frequencies(self, language: str, kind: str) -> dict[str, float]:
        """Remembered term frequencies; empty if none were stored."""

        def read(connection: sqlite3.Connection) -> dict[str, float]:
            asked = (language, kind)
            found = dict(connection.execute("SELECT term, share FROM frequency WHERE language = ? AND kind = ?", asked))
            written = connection.execute(
                "SELECT checksum FROM frequency_checksum WHERE language = ? AND kind = ?", asked
            ).fetchall()
            if not found and not written:
                return {}
            if written != [(_checksum_of_shares(language, kind, found),)]:
                raise DamagedCacheError(f"frequencies {language} {kind} are not what was written")
            return dict(sorted(found.items()))

        return self._read(read, {})

    def remember_frequencies(self, language: str, kind: str, shares: Mapping[str, float]) -> None:
        """Store the term frequencies of one language and kind in one transaction."""
        checksum = _checksum_of_shares(language, kind, shares)
        self._write(
            {
                "DELETE FROM frequency WHERE language = ? AND kind = ?": [(language, kind)],
                "INSERT INTO frequency VALUES (?, ?, ?, ?)": [(language, kind, *item) for item in shares.items()],
                "INSERT OR REPLACE INTO frequency_checksum VALUES (?, ?, ?)": [(language, kind, checksum)],
            }
        )

    def _read(self, read: Callable[[sqlite3.Connection], _Value], nothing: _Nothing) -> _Value | _Nothing:
        if not self._usable:
            return nothing
        try:
            with self._lock:
                connection = self._opened()
                if connection is None:
                    return nothing
                with _transaction(connection, ""):
                    return read(connection) if self._is_ours(connection) else nothing
        except (sqlite3.Error, DamagedCacheError, ValueError, TypeError) as error:
            self._replace_or_give_up(error)
            return nothing

    def _opened(self) -> sqlite3.Connection | None:
        """A connection for reading, kept: a stream asks for a few forms with every document."""
        try:
            status = self.path.stat()
        except OSError:
            return None
        if self._opened_as != (status.st_dev, status.st_ino, os.getpid()):
            self._close()
            # Used by one thread at a time.
            connection = sqlite3.connect(self.path, timeout=_BUSY_SECONDS, check_same_thread=False)
            connection.execute(f"PRAGMA cache_size = -{_PAGES_KILOBYTES}")
            self._close = weakref.finalize(self, connection.close)
            self._connection = connection
            self._opened_as = (status.st_dev, status.st_ino, os.getpid())
        return self._connection

    def _write(self, statements: Mapping[str, Sequence[tuple[object, ...]]], *, again: bool = True) -> None:
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
                    self._begin_anew(connection)
                for statement, rows in statements.items():
                    connection.executemany(statement, rows)
        except (sqlite3.Error, OSError) as error:
            self._replace_or_give_up(error)
            if again:
                self._write(statements, again=False)

    def _is_ours(self, connection: sqlite3.Connection) -> bool:
        if connection.execute("PRAGMA user_version").fetchone() != (_SCHEMA_VERSION,):
            return False
        return connection.execute("SELECT value FROM fingerprint").fetchall() == [(self._mark,)]

    def _begin_anew(self, connection: sqlite3.Connection) -> None:
        for table, columns in _TABLES.items():
            connection.execute(f"DROP TABLE IF EXISTS {table}")
            connection.execute(f"CREATE TABLE {table} {columns}")
        connection.execute("INSERT INTO fingerprint VALUES (?)", (self._mark,))
        connection.execute(f"PRAGMA user_version = {_SCHEMA_VERSION}")

    def _replace_or_give_up(self, error: Exception) -> None:
        self._close()
        self._opened_as = None
        if is_damage(error) and not self._replaced:
            self._replaced = True
            try:
                remove_cache(self.path)
            except OSError as refused:
                error = refused
            else:
                _log.warning("%s: the cache of terms is damaged (%s); it is made again", self.path, error)
                return
        self._usable = False
        advice = "set INFOSTREAM_DEDUP_CACHE to a folder that can be written"
        _log.warning("%s: the cache of terms cannot be used (%s); going on without it; %s", self.path, error, advice)


@contextmanager
def _transaction(connection: sqlite3.Connection, kind: str) -> Iterator[None]:
    """One transaction: kept if the block ends well, else undone."""
    connection.isolation_level = None
    connection.execute(f"BEGIN {kind}")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        # A full disk makes SQLite roll back by itself; a second time would hide why.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _checked(
    language: str, key: str, term: str | None, strict: int | None, checksum: int | None
) -> tuple[str | None, int | None]:
    """A row of the file without its checksum; an unknown form has none."""
    if checksum is None and strict is None and term is None:
        return None, None
    if checksum != checksum_of(language, key, term, strict):
        raise DamagedCacheError(f"form {key[1:]!r} is not what was written")
    return term, strict


def _checksum_of_shares(language: str, kind: str, shares: Mapping[str, float]) -> int:
    if not all(isinstance(share, float) and 0 < share <= 1 for share in shares.values()):
        raise DamagedCacheError(f"a frequency of {language} {kind} is out of its range")
    return checksum_of(language, kind, *(f"{term} {shares[term]!r}" for term in sorted(shares)))


@cache
def cache_file() -> CacheFile:
    """The cache file of this user, or of ``INFOSTREAM_DEDUP_CACHE``."""
    from platformdirs import user_cache_dir

    folder = os.environ.get("INFOSTREAM_DEDUP_CACHE") or user_cache_dir("infostream-dedup")
    return CacheFile(Path(folder) / "forms.sqlite", fingerprint())
