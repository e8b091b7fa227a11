"""A store in a few figures."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from infostream_dedup.stream.store.restoring import first_ordinal_needed, open_epoch

_BEGINNING: Final = datetime(1970, 1, 1, tzinfo=UTC)


def time_text(microseconds: int | None) -> str | None:
    """Format a time of the store as ISO 8601."""
    if microseconds is None:
        return None
    # Not strftime: on Linux, it writes the year 1 with one digit.
    moment = _BEGINNING + timedelta(microseconds=microseconds)
    return f"{moment.replace(tzinfo=None).isoformat(timespec='seconds')}Z"


def day_of(microseconds: int) -> str:
    """Format the UTC day of a time of the store."""
    return (_BEGINNING + timedelta(microseconds=microseconds)).date().isoformat()


def summary(connection: sqlite3.Connection, path: Path) -> list[dict[str, Any]]:
    """Return rows ``what, value``: sizes, and counts of documents, statuses, languages, sources, groups and so on."""
    rows: list[tuple[str, Any]] = [("store", str(path))]
    for name, table in (("batches", "batch"), ("documents", "document"), ("terms", "term")):
        rows.append((name, _one(connection, f"SELECT count(*) FROM {table}")))  # noqa: S608
    # A stream's clock is 0 until the first document with a date.
    first, last = connection.execute("SELECT min(nullif(clock, 0)), max(nullif(clock, 0)) FROM document").fetchone()
    rows += [("first", time_text(first)), ("last", time_text(last))]
    for column in ("status", "relation", "language"):
        rows += connection.execute(
            f"SELECT '{column} ' || {column}, count(*) FROM document WHERE {column} IS NOT NULL"  # noqa: S608
            f" GROUP BY {column} ORDER BY count(*) DESC, {column}"
        ).fetchall()
    rows.append(("sources", _one(connection, "SELECT count(DISTINCT source) FROM document")))
    rows.append(("groups of several", _one(connection, "SELECT count(*) FROM v_groups")))
    rows += connection.execute("SELECT 'event ' || kind, count(*) FROM event GROUP BY kind ORDER BY kind").fetchall()
    rows.append(("open epoch", open_epoch(connection)))
    rows.append(("signatures", _one(connection, "SELECT count(*) FROM signature")))
    rows.append(("signatures needed from ordinal", first_ordinal_needed(connection)))
    rows.append(("texts", _one(connection, "SELECT count(*) FROM body")))
    rows.append(("forgotten", _one(connection, "SELECT count(*) FROM document WHERE forgotten = 1")))
    rows += [("schema", _one(connection, "PRAGMA user_version")), ("bytes", path.stat().st_size)]
    log = path.with_name(path.name + "-wal")
    rows.append(("bytes in the log", log.stat().st_size if log.exists() else 0))
    return [{"what": what, "value": value} for what, value in rows]


def _one(connection: sqlite3.Connection, query: str) -> Any:
    return connection.execute(query).fetchone()[0]
