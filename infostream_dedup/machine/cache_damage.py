"""Caches in SQLite files: which faults mean damage, and how a damaged file makes room."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Final
from zlib import crc32

__all__ = ["DamagedCacheError", "checksum_of", "is_damage", "remove_cache"]

_SURROUNDINGS: Final = frozenset(
    (
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_NOMEM,
        sqlite3.SQLITE_PROTOCOL,
        sqlite3.SQLITE_INTERRUPT,
        sqlite3.SQLITE_AUTH,
    )
)
"""Errors of the disk, of other processes, of rights: the file itself may be sound."""


class DamagedCacheError(Exception):
    """A row of a cache is not what was written."""


def checksum_of(*values: object) -> int:
    """Checksum of a row's values, from 0 to 2^32 - 1: finds every flipped bit."""
    return crc32("\0".join(map(str, values)).encode("utf-8", "surrogatepass"))


def is_damage(error: Exception) -> bool:
    """Whether an error says that a cache's file is damaged, or no cache at all."""
    if isinstance(error, sqlite3.Error):
        code: int | None = getattr(error, "sqlite_errorcode", None)
        # Without a code it is Python that could not read a value.
        return code is None or code & 0xFF not in _SURROUNDINGS
    return isinstance(error, DamagedCacheError | ValueError | TypeError)


def remove_cache(path: Path) -> None:
    """Delete a cache's file and what SQLite keeps beside it, the journal first: it must never meet a new file.

    Raises:
        OSError: it cannot be deleted.
    """
    for name in (f"{path.name}-journal", f"{path.name}-wal", f"{path.name}-shm", path.name):
        path.with_name(name).unlink(missing_ok=True)
