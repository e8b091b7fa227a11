"""Checksums of a desk: a row for each row of the other tables, written by triggers, compared when the desk is read.

SQLite keeps no checksums, so a flipped bit inside a value would go unnoticed: a judgement would change, or belong to
somebody else. The triggers call a function that only our connections have, so nobody else can add or change rows.
"""

from __future__ import annotations

import sqlite3
from typing import Final

from infostream_dedup.machine.sqlite_cache import checksum_of

COLUMNS: Final[dict[str, tuple[str, ...]]] = {
    "judgement": (
        *("number", "a", "b", "version_a", "version_b", "label", "repeats", "person", "at", "seconds", "queue"),
        *("seen_verdict", "key", "undoes"),
    ),
    "asked": ("number", "queue", "a", "b"),
    "reservation": ("a", "b", "person", "queue", "until"),
    "review": ("number", "kind", "subject", "decision", "measure", "person", "at"),
    "job": (
        *("number", "kind", "parameters", "position", "state", "step", "done", "total", "stop", "message", "result"),
        *("person", "began", "ended"),
    ),
}
"""Columns of each table that a checksum covers: all of them."""


def _name(table: str, row: str) -> str:
    """Return SQL for the name of a table's row."""
    if table == "reservation":
        return f"length({row}.a) || ' ' || {row}.a || ' ' || {row}.b"
    return f"CAST({row}.number AS TEXT)"


def _checksum(table: str, row: str) -> str:
    """Return SQL for the checksum of a row."""
    return f"row_checksum('{table}', {', '.join(f'{row}.{column}' for column in COLUMNS[table])})"


def _triggers(table: str) -> list[str]:
    seal = f"REPLACE INTO seal VALUES ('{table}', {_name(table, 'NEW')}, {_checksum(table, 'NEW')})"  # noqa: S608
    unseal = f"DELETE FROM seal WHERE relation = '{table}' AND name = {_name(table, 'OLD')}"  # noqa: S608
    return [
        f"CREATE TRIGGER {table}_sealed AFTER INSERT ON {table}\n    BEGIN {seal}; END",
        f"CREATE TRIGGER {table}_sealed_anew AFTER UPDATE ON {table}\n    BEGIN {unseal}; {seal}; END",
        f"CREATE TRIGGER {table}_unsealed AFTER DELETE ON {table}\n    BEGIN {unseal}; END",
    ]


SEALS: Final[tuple[str, ...]] = (
    """CREATE TABLE seal (
        relation TEXT NOT NULL,
        name TEXT NOT NULL,
        checksum INTEGER NOT NULL,
        PRIMARY KEY (relation, name)
    ) STRICT, WITHOUT ROWID""",
    *(trigger for table in COLUMNS for trigger in _triggers(table)),
)
"""Table ``seal`` and the triggers that fill it."""


def add_checksum_function(connection: sqlite3.Connection) -> None:
    """Enable a connection to write to a desk and to compare its checksums."""
    connection.create_function("row_checksum", -1, checksum_of, deterministic=True)


def fault_of(connection: sqlite3.Connection, schema: tuple[str, ...]) -> str | None:
    """Say what differs from what was written; return None if nothing does.

    SQLite's own check finds indexes that do not match their tables; the text of tables, views and triggers must be that
    of the schema; each row must have its checksum, and each checksum its row.
    """
    held = sorted(sql for (sql,) in connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL"))
    if held != sorted(schema):
        return "its tables differ from those that were created"
    (found,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    if found != "ok":
        return str(found)
    rows = 0
    for table in COLUMNS:
        name = _name(table, table)
        try:
            wrong = connection.execute(
                f"SELECT {name} FROM {table} LEFT JOIN seal ON relation = '{table}' AND name = {name}"  # noqa: S608
                f" WHERE checksum IS NOT {_checksum(table, table)} LIMIT 1"
            ).fetchone()
        except sqlite3.OperationalError as error:
            if "user-defined function" not in str(error):
                raise
            # The function was not reached: Python could not read a value.
            return f"a row of table {table} holds text that is not UTF-8"
        if wrong is not None:
            return f"row {wrong[0]!r} of table {table} does not match its checksum"
        rows += connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608
    (seals,) = connection.execute("SELECT count(*) FROM seal").fetchone()
    return None if seals == rows else f"{abs(seals - rows)} rows are missing"
