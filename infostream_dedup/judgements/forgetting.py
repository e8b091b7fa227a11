"""Remove what a desk quotes from documents that the store has forgotten."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection
from typing import Any

import orjson


def forget_in_desk(connection: sqlite3.Connection, documents: Collection[str]) -> int:
    """Remove what job results quote from documents, and requests to judge them.

    Results quote titles, sources and terms of example pairs; pairs with one of them are removed. Judgements and
    decisions stay: they name documents but say nothing about their content. ``Desk.wipe`` removes the remnants.
    """
    # Not every caller rewrites the file: deleted content is at least overwritten with zeros.
    connection.execute("PRAGMA secure_delete = ON")
    changed = 0
    for number, packed in connection.execute("SELECT number, result FROM job WHERE result IS NOT NULL").fetchall():
        result = orjson.loads(packed)
        left = _without(result, documents)
        if left != result:
            connection.execute("UPDATE job SET result = ? WHERE number = ?", (orjson.dumps(left).decode(), number))
            changed += 1
    for table in ("asked", "reservation"):
        for document in documents:
            gone = connection.execute(f"DELETE FROM {table} WHERE ? IN (a, b)", (document,))  # noqa: S608 - our names
            changed += gone.rowcount
    return changed


def _without(value: Any, documents: Collection[str]) -> Any:
    """The value without rows that name one of the documents."""
    if isinstance(value, dict):
        return {name: _without(one, documents) for name, one in value.items()}
    if isinstance(value, list):
        return [_without(one, documents) for one in value if not _names(one, documents)]
    return value


def _names(row: Any, documents: Collection[str]) -> bool:
    """Whether a row is about a pair with one of the documents."""
    pair = [row.get("a"), row.get("b")] if isinstance(row, dict) else row
    return isinstance(pair, list) and len(pair) == 2 and any(isinstance(one, str) and one in documents for one in pair)
