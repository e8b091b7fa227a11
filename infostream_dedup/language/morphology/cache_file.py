"""The file that caches the analyses of forms between runs.

One SQLite file, ``forms.sqlite``, in the folder ``INFOSTREAM_DEDUP_CACHE`` or otherwise in the user's cache folder. Its
content belongs to a fingerprint of everything that determines the answers; under another fingerprint it counts as empty
and is replaced. It is a pure cache: a file that is damaged, locked or not writable costs time, but never fails the job
or changes an answer. Each form and each table of frequencies has a checksum; a damaged file is replaced.
"""

from __future__ import annotations

import sqlite3
import threading
import weakref
from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import blake2b
from importlib.metadata import version
from itertools import repeat
from pathlib import Path
from typing import Final, NamedTuple
from zlib import crc32

import orjson

from infostream_dedup.language.lexicon.frequency import frequencies_file
from infostream_dedup.language.lexicon.tables import dictionaries_folder
from infostream_dedup.language.lexicon.word_lists import NAMES_FILE
from infostream_dedup.language.morphology.analyzer import RULES
from infostream_dedup.language.morphology.readings import RULES as ENGLISH_RULES
from infostream_dedup.machine.files import seal_of
from infostream_dedup.machine.sqlite_cache import DamagedCacheError, SqliteCache, cache_folder, checksum_of
from infostream_dedup.model import OUR_LANGUAGES

_PACKAGES: Final = ("pymorphy3", "pymorphy3-dicts-ru", "pymorphy3-dicts-uk", "snowballstemmer", "PyStemmer")
_CHUNK: Final = 50_000
_MOST_WAITING: Final = 500  # number of rows that wait in memory, in all, until they are stored
_LOOK_UP: Final = (
    "SELECT term, strict, checksum FROM json_each(?) AS asked LEFT JOIN form ON language = ? AND form.key = asked.value"
)
"""Rows come in the order of the array, unsorted; in any other order, checksums would not match the keys."""
_ALL: Final = (
    "SELECT CAST(group_concat(key || char(0) || coalesce(term, 'None') || char(0) || strict, char(10)) AS BLOB),"
    " group_concat(term IS NOT NULL, ''), group_concat(checksum) FROM form WHERE language = ?"
)
"""A few long strings are read in less than half of the time of many short ones."""

_Row = tuple[str | None, int | None, int | None]  # term, whether the strict rule accepts it, checksum
_UNKNOWN_CHECKED: Final = (None, None, None)
FormRow = tuple[str | None, int | None]
"""A looked-up form: its term, and 1 if the strict rule also accepts it, otherwise 0.

The term is ``None`` for a form that is not a term; both are ``None`` for an unknown form.
"""

UNKNOWN_ROW: Final[FormRow] = (None, None)


class FormLines(NamedTuple):
    """Rows of many forms."""

    # of each in UTF-8: key (the digit of a shape, then the form), zero byte, term, zero byte, `strict`, line break
    lines: bytes
    has_term: bytes  # for each `1`, or `0` for a form that is not a term


NO_ROWS: Final = FormLines(b"", b"")
_SCHEMA_VERSION: Final = 2
_TABLES: Final = {
    "form": "(language TEXT NOT NULL, key TEXT NOT NULL, term TEXT, strict INTEGER NOT NULL, checksum INTEGER NOT NULL,"
    " PRIMARY KEY (language, key)) WITHOUT ROWID",
    "frequency": "(language TEXT NOT NULL, kind TEXT NOT NULL, term TEXT NOT NULL, share REAL NOT NULL,"
    " PRIMARY KEY (language, kind, term)) WITHOUT ROWID",
    "frequency_checksum": "(language TEXT NOT NULL, kind TEXT NOT NULL, checksum INTEGER NOT NULL,"
    " PRIMARY KEY (language, kind)) WITHOUT ROWID",
}


@cache
def fingerprint() -> str:
    """Return 32 hexadecimal digits that change with every package, dictionary or rule that determines a term."""
    digest = blake2b(f"rules {RULES} {ENGLISH_RULES}".encode(), digest_size=16)
    for package, number in package_versions().items():
        digest.update(f"\0{package} {number}".encode())
    for table in (*map(frequencies_file, OUR_LANGUAGES), NAMES_FILE):
        digest.update(f"\0{table.name} {seal_of(table)}".encode())
    folder = dictionaries_folder()
    for path in sorted((*folder.glob("*.tsv"), *folder.glob("*.txt"))):
        if path.name == "agencies.tsv":  # it only marks texts
            continue
        digest.update(f"\0{path.name}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def package_versions() -> dict[str, str]:
    """Return the versions of the packages whose dictionaries and rules determine a term."""
    return {package: version(package) for package in _PACKAGES}


class _Waiting:
    """Rows, by language and key, that are not in the file yet."""

    def __init__(self, file: SqliteCache) -> None:
        self._file = file
        self._lock = threading.Lock()
        self.rows: dict[tuple[str, str], FormRow] = {}

    def add(self, language: str, rows: Mapping[str, FormRow]) -> None:
        with self._lock:
            self.rows.update(((language, key), row) for key, row in rows.items())

    def write(self) -> None:
        with self._lock:
            every, self.rows = sorted((*of, *row) for of, row in self.rows.items()), {}
        checked = [(*row, checksum_of(*row)) for row in every]
        if checked:
            self._file.write({"INSERT OR REPLACE INTO form VALUES (?, ?, ?, ?, ?)": checked})


class CacheFile:
    """The cache file, made when it is first written; ``mark``: fingerprint of the answers that this process gives."""

    def __init__(self, path: Path, mark: str) -> None:
        self.path = path
        self._file = SqliteCache(path, mark, "terms", _SCHEMA_VERSION, _TABLES)
        self._waiting = _Waiting(self._file)
        # Also when the process ends.
        weakref.finalize(self, self._waiting.write)

    def rows(self, language: str, keys: Sequence[str]) -> list[FormRow]:
        """Look up keys; return a row for each."""
        chunks = [(start, orjson.dumps(keys[start : start + _CHUNK]).decode()) for start in range(0, len(keys), _CHUNK)]

        def read(connection: sqlite3.Connection) -> list[FormRow]:
            found: list[FormRow] = []
            for start, asked in chunks:
                rows = connection.execute(_LOOK_UP, (asked, language)).fetchall()
                _check(language, keys[start : start + _CHUNK], rows)
                found += [(term, strict) for term, strict, _ in rows]
            return found

        rows = self._file.read(read, None) or [UNKNOWN_ROW] * len(keys)
        waiting = self._waiting.rows
        if waiting:
            rows = [waiting.get((language, key), row) for key, row in zip(keys, rows, strict=True)]
        return rows

    def count(self, language: str) -> int:
        """Number of rows of a language in the file."""
        asked = "SELECT count(*) FROM form WHERE language = ?"
        return self._file.read(lambda connection: int(connection.execute(asked, (language,)).fetchone()[0]), 0)

    def every_row(self, language: str) -> FormLines:
        """Return all rows of a language that are in the file; about 1 second per million."""

        def read(connection: sqlite3.Connection) -> FormLines:
            lines, has_term, sums = connection.execute(_ALL, (language,)).fetchone()
            if lines is None:
                return NO_ROWS
            found = FormLines(lines + b"\n", has_term.encode())
            compare(language, found.lines, list(map(int, sums.split(","))))
            return found

        return self._file.read(read, NO_ROWS)

    def remember(self, language: str, rows: Mapping[str, FormRow], *, at_once: bool = True) -> None:
        """Store the row of each key in one transaction."""
        self._waiting.add(language, rows)
        if at_once or len(self._waiting.rows) >= _MOST_WAITING:
            self._waiting.write()

    def frequencies(self, language: str, kind: str) -> dict[str, float]:
        """Return cached term frequencies; empty if none were stored."""

        def read(connection: sqlite3.Connection) -> dict[str, float]:
            asked = (language, kind)
            found = dict(connection.execute("SELECT term, share FROM frequency WHERE language = ? AND kind = ?", asked))
            written = connection.execute(
                "SELECT checksum FROM frequency_checksum WHERE language = ? AND kind = ?", asked
            ).fetchall()
            if not found and not written:
                return {}
            if written != [(_checksum_of_shares(language, kind, found),)]:
                raise DamagedCacheError(f"frequencies {language} {kind} do not match their checksum")
            return dict(sorted(found.items()))

        return self._file.read(read, {})

    def remember_frequencies(self, language: str, kind: str, shares: Mapping[str, float]) -> None:
        """Store the term frequencies of one language and kind in one transaction."""
        checksum = _checksum_of_shares(language, kind, shares)
        self._file.write(
            {
                "DELETE FROM frequency WHERE language = ? AND kind = ?": [(language, kind)],
                "INSERT INTO frequency VALUES (?, ?, ?, ?)": [(language, kind, *item) for item in shares.items()],
                "INSERT OR REPLACE INTO frequency_checksum VALUES (?, ?, ?)": [(language, kind, checksum)],
            }
        )


def _check(language: str, keys: Sequence[str], rows: Sequence[_Row]) -> None:
    """Compare rows of the file with their checksums; an unknown form has none."""
    known = [(key, *row) for key, row in zip(keys, rows, strict=True) if row != _UNKNOWN_CHECKED]
    if known:
        lines = "".join([f"{key}\0{term}\0{strict}\n" for key, term, strict, _ in known])
        compare(language, lines.encode("utf-8", "surrogatepass"), [row[-1] for row in known])


def compare(of: str, rows: bytes, sums: Sequence[int | None]) -> None:
    """Compare lines with their checksums, as ``checksum_of`` computes them, in a third of the time."""
    *lines, _ = rows.split(b"\n")
    # A damaged value may contain a line break.
    if list(map(crc32, lines, repeat(crc32(f"{of}\0".encode())))) != sums:
        raise DamagedCacheError(f"a row of {of} does not match its checksum")


def _checksum_of_shares(language: str, kind: str, shares: Mapping[str, float]) -> int:
    if not all(isinstance(share, float) and 0 < share <= 1 for share in shares.values()):
        raise DamagedCacheError(f"a frequency of {language} {kind} is out of range")
    return checksum_of(language, kind, *(f"{term} {shares[term]!r}" for term in sorted(shares)))


@cache
def cache_file() -> CacheFile:
    """Return the cache file of this user, or of ``INFOSTREAM_DEDUP_CACHE``."""
    return CacheFile(cache_folder() / "forms.sqlite", fingerprint())
