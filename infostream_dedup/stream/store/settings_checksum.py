"""A checksum of a store's single values: settings, what has expired, the state's small values, withheld frequencies."""

from __future__ import annotations

import sqlite3
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

import orjson

from infostream_dedup.errors import BadDataError
from infostream_dedup.machine.restoring import restoring_advice
from infostream_dedup.stream.store.connection import snapshot

_NAME: Final = "checksum"
"""Name of its row in table ``state``."""


def write_settings_checksum(connection: sqlite3.Connection) -> None:
    """Update the checksum, at the end of every transaction that changes one of these tables."""
    connection.execute("REPLACE INTO state (name, value) VALUES (?, ?)", (_NAME, _text(_checksum(connection))))


def settings_are_as_written(connection: sqlite3.Connection) -> bool:
    """Whether settings and state are intact; call it inside a transaction."""
    kept = connection.execute("SELECT value FROM state WHERE name = ?", (_NAME,)).fetchone()
    return kept is not None and bool(kept[0] == _text(_checksum(connection)))


def check_settings(connection: sqlite3.Connection, path: Path) -> None:
    """Refuse a store whose settings or state are damaged."""
    with snapshot(connection, path):
        if not settings_are_as_written(connection):
            message = "the store is damaged (settings or state do not match their checksum)"
            raise BadDataError(f"{message}; {restoring_advice(path)}", code="E_STORE_DAMAGED", source=str(path))


def state_of(connection: sqlite3.Connection) -> dict[str, Any]:
    """Return the small values that the last batch wrote."""
    rows = connection.execute("SELECT name, value FROM state WHERE name <> ?", (_NAME,))
    return {name: orjson.loads(value) for name, value in rows}


def _checksum(connection: sqlite3.Connection) -> str:
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
