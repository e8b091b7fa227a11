"""Remove what a desk quotes from a document that the store has forgotten."""

from __future__ import annotations

import sqlite3
from typing import Any

import orjson

__all__ = ["forget_in_desk"]


def forget_in_desk(connection: sqlite3.Connection, document: str) -> int:
    """Remove what job results quote from a document, and requests to judge it.

    Results quote titles, sources and terms of example pairs; pairs with the document are removed. Judgements and
    decisions stay: they name the document but say nothing about its content. ``Desk.wipe`` removes the remnants.

    Args:
        connection: inside a transaction of a desk.
        document: its id.

    Returns:
        Number of rows that were changed or removed.
    """
    # Not every caller rewrites the file: deleted content is at least overwritten with zeros.
    connection.execute("PRAGMA secure_delete = ON")
    changed = 0
    for number, packed in connection.execute("SELECT number, result FROM job WHERE result IS NOT NULL").fetchall():
        result = orjson.loads(packed)
        left = _without(result, document)
        if left != result:
            connection.execute("UPDATE job SET result = ? WHERE number = ?", (orjson.dumps(left).decode(), number))
            changed += 1
    for table in ("asked", "reservation"):
        gone = connection.execute(f"DELETE FROM {table} WHERE ? IN (a, b)", (document,))  # noqa: S608 - our names
        changed += gone.rowcount
    return changed


def _without(value: Any, document: str) -> Any:
    """The value without rows that name the document."""
    if isinstance(value, dict):
        return {name: _without(one, document) for name, one in value.items()}
    if isinstance(value, list):
        return [_without(one, document) for one in value if not _names(one, document)]
    return value


def _names(row: Any, document: str) -> bool:
    """Whether a row is about a pair with the document."""
    if isinstance(row, dict):
        return document in (row.get("a"), row.get("b"))
    return isinstance(row, list) and len(row) == 2 and document in row
