"""The cache of the ladder, which keeps the answers of slow rungs between runs.

One SQLite file, ``translations.sqlite``, beside the cache of forms. Its content belongs to a fingerprint of everything
that decides the answers: under another one it is replaced. It is a pure cache: a file that is corrupt, locked or not
writable costs time, never the job.
"""

from __future__ import annotations

import json
import logging
import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Final, TypeVar

from infostream_dedup.model import Language
from infostream_dedup.morphology import cache_file
from infostream_dedup.morphology.english_lemmas import RULES as ENGLISH_RULES
from infostream_dedup.translation.imported_tables import imported_tables
from infostream_dedup.translation.model_files import best_models
from infostream_dedup.translation.rung import RUNGS, Translation

__all__ = ["RULES", "AnswerCache", "answer_cache"]

RULES: Final = 2
"""Version of the rungs; raise it whenever an answer changes: the file is keyed by it."""

_Answers = tuple[Translation, ...]
_Value = TypeVar("_Value")
_log = logging.getLogger(__name__)

_CHUNK: Final = 50_000
_BUSY_SECONDS: Final = 10.0
_SCHEMA_VERSION: Final = 1
_FIELDS: Final = 3
_TABLES: Final = {
    "fingerprint": "(value TEXT NOT NULL)",
    "answer": "(pair TEXT NOT NULL, term TEXT NOT NULL, equivalents TEXT NOT NULL, PRIMARY KEY (pair, term))"
    " WITHOUT ROWID",
}


class AnswerCache:
    """The file; several processes may use one at a time.

    After the first fault it is left alone for the rest of the process, with one warning in the log.

    Args:
        path: the file; made with its folder when first written.
        mark: fingerprint of the answers this process gives.
    """

    name = "cache"

    def __init__(self, path: Path, mark: str) -> None:
        self.path = path
        self._mark = mark
        self._usable = True

    def translate(self, terms: Sequence[str], source: Language, target: Language) -> list[_Answers]:
        """What is remembered of each term; empty too where it is remembered that there is no answer."""
        known = self.answers(terms, source, target)
        return [known.get(term, ()) for term in terms]

    def answers(self, terms: Sequence[str], source: Language, target: Language) -> dict[str, _Answers]:
        """Remembered answers by term; an unknown term is absent, one without equivalents has an empty tuple."""
        pair = f"{source}-{target}"

        def read(connection: sqlite3.Connection) -> dict[str, _Answers]:
            found: dict[str, _Answers] = {}
            for start in range(0, len(terms), _CHUNK):
                chunk = sorted(terms[start : start + _CHUNK])
                rows = connection.execute(
                    "SELECT term, equivalents FROM answer WHERE pair = ? AND term IN (SELECT value FROM json_each(?))",
                    (pair, json.dumps(chunk, ensure_ascii=False)),
                )
                for term, equivalents in rows:
                    found[term] = _parsed(equivalents)
            return found

        return self._read(read, {}) if terms else {}

    def remember(self, answers: Mapping[str, _Answers], source: Language, target: Language) -> None:
        """Store answers in one transaction."""
        pair = f"{source}-{target}"
        rows = [(pair, term, _written(answers[term])) for term in sorted(answers)]
        if not rows or not self._usable:
            return
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self._opened("IMMEDIATE") as connection:
                if not self._is_ours(connection):
                    self._begin_anew(connection)
                connection.executemany("INSERT OR REPLACE INTO answer VALUES (?, ?, ?)", rows)
        except (sqlite3.Error, OSError) as error:
            self._give_up(error)

    def _read(self, read: Callable[[sqlite3.Connection], _Value], nothing: _Value) -> _Value:
        if not self._usable or not self.path.exists():
            return nothing
        try:
            with self._opened("") as connection:
                return read(connection) if self._is_ours(connection) else nothing
        except (sqlite3.Error, ValueError) as error:
            self._give_up(error)
            return nothing

    @contextmanager
    def _opened(self, kind: str) -> Iterator[sqlite3.Connection]:
        """A connection inside one transaction: kept if the block ends well, else undone."""
        with closing(sqlite3.connect(self.path, timeout=_BUSY_SECONDS, isolation_level=None)) as connection:
            connection.execute(f"BEGIN {kind}")
            try:
                yield connection
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")

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

    def _give_up(self, error: Exception) -> None:
        self._usable = False
        _log.warning(
            "%s: the cache of translations cannot be used (%s); going on without it; delete the file or set"
            " INFOSTREAM_DEDUP_CACHE to a folder that can be written",
            self.path,
            error,
        )


def _written(answers: _Answers) -> str:
    """Format equivalents as text: ``_FIELDS`` fields each, separated by tabs, which terms never contain."""
    return "\t".join(f"{one.term}\t{one.rung}\t{one.confidence!r}" for one in answers)


def _parsed(text: str) -> _Answers:
    if not text:
        return ()
    cells = text.split("\t")
    if len(cells) == _FIELDS:
        return (Translation(cells[0], cells[1], float(cells[2])),)
    fields = zip(cells[::3], cells[1::3], cells[2::3], strict=True)
    return tuple(Translation(term, rung, float(confidence)) for term, rung, confidence in fields)


def answer_cache() -> AnswerCache:
    """Open the cache file in ``INFOSTREAM_DEDUP_CACHE`` or in the user's cache folder."""
    from platformdirs import user_cache_dir

    folder = os.environ.get("INFOSTREAM_DEDUP_CACHE") or user_cache_dir("infostream-dedup")
    return AnswerCache(Path(folder) / "translations.sqlite", _fingerprint())


def _fingerprint() -> str:
    """Return a checksum of all tables, rules, rungs, imported tables and translation models."""
    digest = blake2b(f"{cache_file.fingerprint()} {RULES} {ENGLISH_RULES}".encode(), digest_size=16)
    digest.update(" ".join(RUNGS).encode())
    for path in imported_tables():
        digest.update(f"\0{path.name}\0".encode())
        digest.update(path.read_bytes())
    for pair, model in sorted(best_models().items()):
        digest.update(f"\0{pair} {model.version} {model.folder}".encode())
    return digest.hexdigest()
