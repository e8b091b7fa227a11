"""The schema's versions: each step takes a store from one to the next.

sqlite-utils applies the steps and records them in the table ``_sqlite_migrations``; ``user_version`` is their number.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from infostream_dedup.errors import BadDataError
from infostream_dedup.stream.store.connection import connect, writing
from infostream_dedup.stream.store.copying import copy_store
from infostream_dedup.stream.store.group_tables import FILL_GROUPS, GROUPS
from infostream_dedup.stream.store.schema import (
    ACROSS,
    APPLICATION_ID,
    DATED_GROUPS,
    EVIDENCE,
    JUDGEMENT,
    REPEATS,
    TABLES,
    TERM,
    VIEWS,
)
from infostream_dedup.stream.store.search_index import SEARCH_INDEX
from infostream_dedup.stream.store.settings_checksum import write_settings_checksum
from infostream_dedup.stream.store.term_index import TERM_INDEX, index_terms

__all__ = ["STEPS", "apply_steps", "is_empty", "migrate", "newest_version", "version_of", "writing_rows"]

Step = Callable[[sqlite3.Connection], None]

_WORD: Final = re.compile("'[^']*'")
_WORD_LIST: Final = re.compile(rf"CHECK \((\w+) IN\s+\(({_WORD.pattern}(?:, {_WORD.pattern})*)\)\)")
"""A check that allows some words only; group 1 is the column, group 2 the words."""


def _first_schema(connection: sqlite3.Connection) -> None:
    for statement in (*TABLES, *VIEWS):
        connection.execute(statement)
    rows = ((bytes([value]), value) for value in range(256))
    connection.executemany("INSERT INTO octet (octet, value) VALUES (?, ?)", rows)


def _judgements(connection: sqlite3.Connection) -> None:
    connection.execute(JUDGEMENT)


def _dated_groups(connection: sqlite3.Connection) -> None:
    connection.execute("DROP VIEW v_groups")
    connection.execute(DATED_GROUPS)


def _repeats(connection: sqlite3.Connection) -> None:
    for statement in REPEATS:
        connection.execute(statement)


def _evidence(connection: sqlite3.Connection) -> None:
    for statement in EVIDENCE:
        connection.execute(statement)


def _other_languages(connection: sqlite3.Connection) -> None:
    """Allow language ``other``, in the way that SQLite documents for constraints ("ALTER TABLE", section 8).

    The rows stay unchanged, so a large store is not copied.
    """
    before, after = "CHECK (language IN ('ru', 'uk', 'en'))", "CHECK (language IN ('ru', 'uk', 'en', 'other'))"
    _rewrite_tables(connection, lambda sql: sql.replace(before, after))


def _compared_checks(connection: sqlite3.Connection) -> None:
    """Compare with each allowed word: for ``IN``, SQLite builds a table of the words whenever it checks a row.

    The checks accept what they accepted. A row of table ``document`` takes half the time.
    """
    _rewrite_tables(connection, lambda sql: _WORD_LIST.sub(_compared, sql))


def _compared(found: re.Match[str]) -> str:
    column, words = found[1], _WORD.findall(found[2])
    return f"CHECK ({' OR '.join(f'{column} = {word}' for word in words)})"


def _rewrite_tables(connection: sqlite3.Connection, rewritten: Callable[[str], str]) -> None:
    """Change the text of tables so that their rows still fit it."""
    schema = connection.execute("PRAGMA schema_version").fetchone()[0]
    tables = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'").fetchall()
    connection.execute("PRAGMA writable_schema = ON")
    connection.executemany(
        "UPDATE sqlite_master SET sql = ? WHERE type = 'table' AND name = ?",
        [(rewritten(sql), name) for name, sql in tables if rewritten(sql) != sql],
    )
    connection.execute(f"PRAGMA schema_version = {schema + 1:d}")
    connection.execute("PRAGMA writable_schema = OFF")


def _across(connection: sqlite3.Connection) -> None:
    for statement in ACROSS:
        connection.execute(statement)


def _groups(connection: sqlite3.Connection) -> None:
    for statement in (*GROUPS, *FILL_GROUPS):
        connection.execute(statement)


def _search_index(connection: sqlite3.Connection) -> None:
    # It is filled batch by batch, so that a large store does not have to wait for it.
    connection.execute(SEARCH_INDEX)


def _term_index(connection: sqlite3.Connection) -> None:
    """Replace SQLite's index of all terms, which cannot be dropped without its table."""
    connection.execute("CREATE TEMP TABLE kept AS SELECT number, term FROM term ORDER BY number")
    terms: int = connection.execute("SELECT coalesce(max(number) + 1, 0) FROM term").fetchone()[0]
    connection.execute("DROP TABLE term")
    connection.execute(TERM)
    connection.execute("INSERT INTO term (number, term) SELECT number, term FROM temp.kept ORDER BY rowid")
    connection.execute("DROP TABLE temp.kept")
    connection.execute(TERM_INDEX)
    index_terms(connection, terms)


STEPS: Final[list[tuple[str, Step]]] = [
    ("first_schema", _first_schema),
    ("judgements", _judgements),
    ("dated_groups", _dated_groups),
    ("repeats", _repeats),
    ("evidence", _evidence),
    ("other_languages", _other_languages),
    ("across", _across),
    ("groups", _groups),
    ("search_index", _search_index),
    ("settings_checksum", write_settings_checksum),
    ("compared_checks", _compared_checks),
    ("term_index", _term_index),
]
"""Name and function of every step, oldest first. Steps are added, never changed."""


def newest_version() -> int:
    """Return the schema version this program writes."""
    return len(STEPS)


def is_empty(connection: sqlite3.Connection) -> bool:
    """Whether the file is still empty."""
    return bool(
        _pragma(connection, "application_id") == 0
        and connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0
    )


def version_of(connection: sqlite3.Connection, path: Path) -> int:
    """Return the schema version of a store.

    Raises:
        BadDataError: the file belongs to another program, or to a newer version of this one.
    """
    if _pragma(connection, "application_id") != APPLICATION_ID:
        message = "not a store: an SQLite file of another program"
        raise BadDataError(message, code="E_STORE_FOREIGN", source=str(path))
    version = _pragma(connection, "user_version")
    if not 1 <= version <= newest_version():
        message = f"the store has schema {version}, this program knows up to {newest_version()}; use a newer version"
        raise BadDataError(message, code="E_STORE_NEWER", source=str(path))
    return version


@contextmanager
def writing_rows(connection: sqlite3.Connection, path: Path) -> Iterator[None]:
    """Run one transaction (`writing`) that adds to a store or removes from it.

    Raises:
        BadDataError: since the store was opened, a newer version of this program has migrated it.
        CannotWriteError, StoreBusyError: see `writing`; nothing of the block was stored.
    """
    with writing(connection, path):
        version_of(connection, path)
        yield


def migrate(connection: sqlite3.Connection, path: Path) -> Path | None:
    """Bring a store to the newest schema, all steps in one transaction.

    The copy is made inside the transaction: it has all batches of older programs, and never the new schema, even if
    several processes migrate at once.

    Returns:
        Path of the copy of the old store, which is made first; ``None`` if the store was new enough.

    Raises:
        BadDataError: see `version_of`.
        CannotWriteError, CannotCreateError, StoreBusyError: copying or writing failed; the store is unchanged.
    """
    if version_of(connection, path) == newest_version():
        return None
    with writing(connection, path):
        version = version_of(connection, path)
        if version == newest_version():
            # Another process has done so while we waited.
            return None
        copy = path.with_name(f"{path.name}.schema-{version}")
        # SQLite does not copy from a connection that is writing.
        with closing(connect(path, mode="ro", busy_seconds=0)) as reader:
            copy_store(reader, path, copy)
        apply_steps(connection)
    return copy


def apply_steps(connection: sqlite3.Connection) -> None:
    """Apply the steps that a store, or an empty file, still lacks, inside the caller's transaction."""
    # Importing it takes longer than a batch, and only new and old stores need it.
    from sqlite_utils import Database
    from sqlite_utils.migrations import Migrations

    migrations = Migrations("infostream_dedup")
    for name, step in STEPS:
        migrations(name=name)(_on_connection(step))
    migrations.apply(Database(connection, recursive_triggers=False, execute_plugins=False))
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID:d}")
    connection.execute(f"PRAGMA user_version = {newest_version():d}")


def _on_connection(step: Step) -> Callable[..., None]:
    def run(database: object) -> None:
        step(database.conn)  # type: ignore[attr-defined]  # sqlite-utils is not typed

    return run


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])
