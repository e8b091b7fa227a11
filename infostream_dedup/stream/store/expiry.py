"""Deletion of data that no later verdict needs."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from infostream_dedup.stream.store.connection import naming_failures, snapshot
from infostream_dedup.stream.store.restoring import first_ordinal_needed
from infostream_dedup.stream.store.schema import writing_rows
from infostream_dedup.stream.store.search_index import rebuild_index
from infostream_dedup.stream.store.settings_checksum import write_settings_checksum
from infostream_dedup.stream.store.tables import PARTS, SIGNATURE

_ORDINALS_AT_ONCE: Final = 20_000


@dataclass(frozen=True, slots=True)
class Expired:
    """Result of `expire`.

    Attributes:
        documents: number of signatures deleted by this call.
        below: all signatures with smaller ordinals have been deleted.
        freed: bytes returned to the disk.
    """

    documents: int
    below: int
    freed: int


def expire(connection: sqlite3.Connection, path: Path) -> Expired:
    """Delete signatures, evidence and texts of documents in neither the window nor the open epoch.

    Their index entries are deleted too. Verdicts, ids, titles, groups, events and frequencies are kept, so no verdict
    changes; only a sweep over the past and a search in it need the signatures. The work is divided into short
    transactions, so that writers need not wait long.
    """
    with snapshot(connection, path):
        below = first_ordinal_needed(connection)
        first = connection.execute("SELECT expired_below FROM store").fetchone()[0]
        pages = _pages(connection)
    deleted = 0
    for begin in range(first, below, _ORDINALS_AT_ONCE):
        end = min(begin + _ORDINALS_AT_ONCE, below)
        with writing_rows(connection, path):
            for table, _ in PARTS:
                query = f"DELETE FROM {table.name} WHERE ordinal >= ? AND ordinal < ?"  # noqa: S608 - our own table
                gone = connection.execute(query, (begin, end)).rowcount
                deleted += gone if table is SIGNATURE else 0
            connection.execute("DELETE FROM search_index WHERE first + documents <= ?", (end,))
            rebuild_index(connection, [end - 1])
            connection.execute("UPDATE store SET expired_below = max(expired_below, ?)", (end,))
            write_settings_checksum(connection)
    with naming_failures(path):
        # The pragma frees one page a step and returns no columns; `execute` makes one step only, `executescript` all.
        connection.executescript("PRAGMA incremental_vacuum")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        size = connection.execute("PRAGMA page_size").fetchone()[0]
        return Expired(deleted, max(first, below), max(0, pages - _pages(connection)) * size)


def _pages(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA page_count").fetchone()[0])
