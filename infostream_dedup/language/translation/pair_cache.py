"""The cache of pairs of equivalents: making them from the tables takes half a second, reading them a tenth of it.

One SQLite file, ``pairs.sqlite``, beside the cache of forms, with a row for each direction. Its content belongs to a
fingerprint of all tables and rules; under another one it counts as empty and is replaced. A file that is damaged,
locked or not writable costs time, but never fails the job or changes an answer.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final, NamedTuple

import orjson

from infostream_dedup.language.morphology import cache_file
from infostream_dedup.language.translation.imported_tables import imported_tables
from infostream_dedup.machine.sqlite_cache import DamagedCacheError, SqliteCache, cache_folder

RULES: Final = "1"
"""Version of ``word_pairs``; increase it whenever a pair changes, because the files are keyed by it."""

_SCHEMA_VERSION: Final = 1
_CHECKSUM_BYTES: Final = 16
_TABLES: Final = {"pairs": "(direction TEXT PRIMARY KEY, packed BLOB NOT NULL, checksum BLOB NOT NULL) WITHOUT ROWID"}

_Pairs = Mapping[str, tuple["Equivalent", ...]]


class Equivalent(NamedTuple):
    """A word of the target language with its confidence, 0 to 1."""

    term: str
    confidence: float


class PairCache:
    """The cache file, for the tables as they are now; see ``machine.sqlite_cache`` for failures."""

    def __init__(self) -> None:
        self._file = _file(cache_folder() / "pairs.sqlite", _fingerprint())

    def pairs(self, source: str, target: str) -> dict[str, tuple[Equivalent, ...]] | None:
        """Return equivalents by source term, in the order in which they were stored; ``None`` if there are none."""
        direction = f"{source}-{target}"

        def read(connection: sqlite3.Connection) -> Any:
            row = connection.execute("SELECT packed, checksum FROM pairs WHERE direction = ?", (direction,)).fetchone()
            if row is None:
                return None
            if _checksum(direction, row[0]) != row[1]:
                raise DamagedCacheError(f"pairs {direction} do not match their checksum")
            return orjson.loads(row[0])

        found = self._file.read(read, None)
        if found is None:
            return None
        return {term: tuple(map(Equivalent._make, every)) for term, every in found.items()}

    def remember(self, source: str, target: str, pairs: _Pairs) -> None:
        """Store the equivalents of one direction."""
        direction = f"{source}-{target}"
        packed = orjson.dumps({term: list(map(tuple, every)) for term, every in pairs.items()})
        row = (direction, packed, _checksum(direction, packed))
        self._file.write({"INSERT OR REPLACE INTO pairs VALUES (?, ?, ?)": [row]})


@cache
def _file(path: Path, mark: str) -> SqliteCache:
    # One for all directions, so that an unusable file causes only one warning.
    return SqliteCache(path, mark, "pairs", _SCHEMA_VERSION, _TABLES)


def _checksum(direction: str, packed: bytes) -> bytes:
    return blake2b(direction.encode() + b"\0" + packed, digest_size=_CHECKSUM_BYTES).digest()


def _fingerprint() -> str:
    """Return a checksum of all tables, imported ones included, and of the rules that make terms and pairs of them."""
    digest = blake2b(f"{cache_file.fingerprint()} {RULES}".encode(), digest_size=16)
    for path in imported_tables():
        digest.update(f"\0{path.name}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()
