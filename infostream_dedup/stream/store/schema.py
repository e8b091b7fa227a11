"""The schema of a store: ``schema.sql``, the only version there is."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from infostream_dedup.errors import BadDataError
from infostream_dedup.stream.store.connection import writing

APPLICATION_ID: Final = 0x49534444
"""Marks an SQLite file as one of our stores: ``ISDD``."""

VERSION: Final = 1
"""``PRAGMA user_version`` of a store."""


def create_tables(connection: sqlite3.Connection) -> None:
    """Create all tables and views in an empty file, inside the caller's transaction."""
    for statement in Path(__file__).with_name("schema.sql").read_text("utf-8").split(";\n"):
        connection.execute(statement)
    octets = ((bytes([value]), value) for value in range(256))
    connection.executemany("INSERT INTO octet (octet, value) VALUES (?, ?)", octets)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID:d}")
    connection.execute(f"PRAGMA user_version = {VERSION:d}")


def is_empty(connection: sqlite3.Connection) -> bool:
    """Whether nothing has been written to the file yet."""
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    return not tables and not _pragma(connection, "application_id")


def check_version(connection: sqlite3.Connection, path: Path) -> None:
    """Refuse a file of another program (E_STORE_FOREIGN), and a store with another schema (E_STORE_NEWER)."""
    if _pragma(connection, "application_id") != APPLICATION_ID:
        message = "not a store: an SQLite file of another program"
        raise BadDataError(message, code="E_STORE_FOREIGN", source=str(path))
    version = _pragma(connection, "user_version")
    if version != VERSION:
        raise BadDataError(
            f"the store has schema {version}, this program reads schema {VERSION}; use the program that made it, or "
            "ingest the documents into a new store: infostream-dedup ingest DOCS --store NEW",
            code="E_STORE_NEWER",
            source=str(path),
        )


@contextmanager
def writing_rows(connection: sqlite3.Connection, path: Path) -> Iterator[None]:
    """Run one transaction (`writing`) on a store that still has our schema."""
    with writing(connection, path):
        check_version(connection, path)
        yield


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])
