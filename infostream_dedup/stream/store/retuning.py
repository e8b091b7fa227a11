"""Changes of a running stream, recorded among its single values and in force from a stated document on.

They are new thresholds, and standing searches that begin or end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import orjson

if TYPE_CHECKING:
    import sqlite3

RETUNES: Final = "retunes"
"""Name of their row in table ``state``: ``[{"first": ordinal, "changes": {setting: value}}, ...]`` in order."""
WATCHES: Final = "watches"
"""The same of standing searches: ``[{"first": ordinal, "name": name, "search": {...} or null}, ...]``."""

Retune = Mapping[str, Any]


def changes_of(connection: sqlite3.Connection, name: str) -> list[dict[str, Any]]:
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


def add_change(connection: sqlite3.Connection, name: str, change: Mapping[str, Any]) -> None:
    """Record a change; call it inside a transaction that also updates the checksum."""
    found = orjson.dumps([*changes_of(connection, name), change]).decode()
    connection.execute("REPLACE INTO state (name, value) VALUES (?, ?)", (name, found))
