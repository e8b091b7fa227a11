"""The file of a desk, and the long jobs of a store, one at a time."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from sqlite3 import Connection
from typing import Any, Final, Self

import orjson

from infostream_dedup.errors import BadDataError, CannotCreateError, ConfigurationError, NoInputError, StoreBusyError
from infostream_dedup.machine.files import Closing, make_private_file
from infostream_dedup.machine.progress import restoring_advice
from infostream_dedup.machine.sqlite_cache import checksum_of
from infostream_dedup.stream.store.browsing import time_text
from infostream_dedup.stream.store.connection import begin_wal, connect, naming_failures, place_of, snapshot, writing
from infostream_dedup.stream.store.opening import copy_store
from infostream_dedup.stream.store.removal import wipe

# Tables of a desk. Times are UTC microseconds since 1970

APPLICATION_ID: Final = 0x4953444B  # marks an SQLite file as a desk: ``ISDK``

VERSION: Final = 1  # version of the schema, as ``PRAGMA user_version``

LABELS: Final = ("dup", "similar", "template", "translation", "different")
"""The labels that a person may give a pair, as in labels files. NULL is a skipped pair."""

_ONE_OF: Final = ", ".join(f"'{label}'" for label in LABELS)

# What each person says of each pair in the latest row that was not undone.
_LATEST: Final = """CREATE VIEW {name} AS
    SELECT said.* FROM judgement AS said
    WHERE said.undoes IS NULL{said} AND said.number = (
        SELECT max(number) FROM judgement AS own
        WHERE own.a = said.a AND own.b = said.b AND own.person = said.person AND own.undoes IS NULL{own}
            AND NOT EXISTS (SELECT 1 FROM judgement AS undo WHERE undo.undoes = own.number)
    )"""

TABLES: Final[tuple[str, ...]] = (
    # a is the smaller id. undoes: the judgement that this row undoes.
    f"""CREATE TABLE judgement (
        number INTEGER PRIMARY KEY CHECK (number >= 1),
        a TEXT NOT NULL CHECK (a <> ''),
        b TEXT NOT NULL CHECK (b > a),
        version_a INTEGER,
        version_b INTEGER,
        label TEXT CHECK (label IN ({_ONE_OF})),
        repeats TEXT CHECK (repeats IN ('a', 'b', 'both')),
        person TEXT NOT NULL CHECK (person <> ''),
        at INTEGER NOT NULL,
        seconds REAL NOT NULL CHECK (seconds >= 0),
        queue TEXT NOT NULL,
        seen_verdict INTEGER NOT NULL CHECK (seen_verdict IN (0, 1)),
        key TEXT NOT NULL UNIQUE CHECK (key <> ''),
        undoes INTEGER UNIQUE REFERENCES judgement (number),
        CHECK (undoes IS NULL OR (label IS NULL AND repeats IS NULL))
    ) STRICT""",
    "CREATE INDEX judgement_pair ON judgement (a, b, person)",
    "CREATE INDEX judgement_person ON judgement (person, number)",
    """CREATE TRIGGER judgement_stays BEFORE UPDATE ON judgement
    BEGIN SELECT RAISE(ABORT, 'judgements are never changed'); END""",
    """CREATE TRIGGER judgement_remains BEFORE DELETE ON judgement
    BEGIN SELECT RAISE(ABORT, 'judgements are never deleted'); END""",
    # What each person says now.
    _LATEST.format(name="v_judgement", said="", own=""),
    # What each person said without seeing the others' judgements.
    _LATEST.format(
        name="v_opinion", said=" AND said.queue <> 'disagreement'", own="\n            AND own.queue <> 'disagreement'"
    ),
    # Pairs that somebody asked to have judged, in the order of asking.
    """CREATE TABLE asked (
        number INTEGER PRIMARY KEY,
        queue TEXT NOT NULL,
        a TEXT NOT NULL,
        b TEXT NOT NULL CHECK (b > a),
        UNIQUE (queue, a, b)
    ) STRICT""",
    """CREATE TABLE reservation (
        a TEXT NOT NULL,
        b TEXT NOT NULL,
        person TEXT NOT NULL,
        queue TEXT NOT NULL,
        until INTEGER NOT NULL,
        PRIMARY KEY (a, b)
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX reservation_person ON reservation (person, queue, until)",
    """CREATE TABLE review (
        number INTEGER PRIMARY KEY,
        kind TEXT NOT NULL CHECK (kind IN ('template', 'alarm')),
        subject TEXT NOT NULL,
        decision TEXT,
        measure REAL,
        person TEXT NOT NULL,
        at INTEGER NOT NULL
    ) STRICT""",
    "CREATE INDEX review_subject ON review (kind, subject, number)",
    """CREATE TABLE job (
        number INTEGER PRIMARY KEY,
        kind TEXT NOT NULL,
        parameters TEXT NOT NULL CHECK (json_valid(parameters)),
        position TEXT NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'done', 'failed', 'stopped')),
        step TEXT NOT NULL DEFAULT '',
        done INTEGER NOT NULL DEFAULT 0,
        total INTEGER,
        stop INTEGER NOT NULL DEFAULT 0 CHECK (stop IN (0, 1)),
        message TEXT,
        result TEXT CHECK (result IS NULL OR json_valid(result)),
        person TEXT NOT NULL,
        began INTEGER NOT NULL,
        ended INTEGER
    ) STRICT""",
    "CREATE INDEX job_kind ON job (kind, state, number)",
)


# Checksums of a desk: a row for each row of the other tables, written by triggers, compared when the desk is read.
#
# SQLite keeps no checksums, so a flipped bit inside a value would go unnoticed: a judgement would change, or belong
# to somebody else. The triggers call a function that only our connections have, so nobody else can add or change
# rows.

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


def fault_of(connection: Connection, schema: tuple[str, ...]) -> str | None:
    """Say what differs from what was written; return None if nothing does."""
    # SQLite's own check finds indexes that do not match their tables; the text of tables, views and triggers must be
    # that of the schema; each row must have its checksum, and each checksum its row.
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


_BUSY_SECONDS: Final = 30.0


def desk_path(store: str | Path) -> Path:
    """Return the path of a store's desk: ``<store>.desk``, next to it."""
    place = Path(store).resolve()
    return place.with_name(f"{place.name}.desk")


def present_moment() -> int:
    """The current time in UTC microseconds since 1970."""
    return time.time_ns() // 1000


class Desk(Closing):
    """Judgements, reservations, reviews and jobs of one store, with checksums. Use it in the thread that opened it."""

    def __init__(self, connection: Connection, path: Path) -> None:
        self._connection, self.path = connection, path
        self._seen = _state_of(connection)
        self.place = place_of(connection)

    @classmethod
    def open(cls, path: str | Path, *, create: bool = True) -> Self:
        """Open a desk, or create it."""
        place = Path(path).resolve()
        if not place.exists():
            if not create:
                raise NoInputError(f"{place}: there is no desk; 'serve' creates one when somebody judges a pair")
            try:
                make_private_file(place)
            except OSError as error:
                raise CannotCreateError(f"cannot create {place}: {error.strerror or error}") from error
        with _naming_damage(place):
            connection = connect(place, mode="rw", busy_seconds=_BUSY_SECONDS)
            try:
                _make_ready(connection, place)
                opened = cls(connection, place)
                with opened.reading():
                    opened.check()
            except BaseException:
                connection.close()
                raise
        return opened

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """One transaction, on disk when the block ends; a failure undoes all of it."""
        with _naming_damage(self.path), writing(self._connection, self.path):
            self._check_what_others_wrote()
            yield self._connection

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Read several times from one state."""
        with _naming_damage(self.path), snapshot(self._connection, self.path):
            self._check_what_others_wrote()
            yield self._connection

    def check(self) -> None:
        """Compare all rows with their checksums, inside a transaction."""
        _check_version(self._connection, self.path)
        fault = fault_of(self._connection, (*TABLES, *SEALS))
        if fault is not None:
            raise _damaged(fault, self.path)
        self._seen = _state_of(self._connection)

    def backup(self, target: str | Path) -> None:
        """Copy the desk while others write; the copy is written completely or not at all."""
        with self.reading():
            self.check()
            copy_store(self._connection, self.path, Path(target), application=APPLICATION_ID)

    def wipe(self) -> bool:
        """Rewrite the file without remnants of deleted data, and empty the log; return whether none is left."""
        with _naming_damage(self.path):
            return wipe(self._connection, self.path)

    def _check_what_others_wrote(self) -> None:
        # The number belongs to the transaction only once something has been read.
        self._connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
        if _state_of(self._connection) != self._seen:
            self.check()


def _make_ready(connection: Connection, path: Path) -> None:
    connection.create_function("row_checksum", -1, checksum_of, deterministic=True)
    # Let the file's triggers call the function, however this SQLite was compiled.
    connection.execute("PRAGMA trusted_schema = ON")
    if _is_empty(connection):
        with writing(connection, path):
            # Another process may have done so while this one waited.
            if _is_empty(connection):
                for statement in (*TABLES, *SEALS):
                    connection.execute(statement)
                connection.execute(f"PRAGMA application_id = {APPLICATION_ID:d}")
                connection.execute(f"PRAGMA user_version = {VERSION:d}")
    if _number(connection, "application_id") != APPLICATION_ID:
        raise BadDataError("not a desk: an SQLite file of another kind", code="E_STORE_FOREIGN", source=str(path))
    _check_version(connection, path)
    begin_wal(connection, path, busy_seconds=_BUSY_SECONDS)


def _check_version(connection: Connection, path: Path) -> None:
    version = _number(connection, "user_version")
    if version != VERSION:
        raise ConfigurationError(
            f"{path} has schema {version}, this program reads schema {VERSION}; use the program that made it, or move "
            "the file away: 'serve' then creates a new desk"
        )


def _is_empty(connection: Connection) -> bool:
    return connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone() is None


def _number(connection: Connection, pragma: str) -> int:
    return int(connection.execute(f"PRAGMA {pragma}").fetchone()[0])


def _state_of(connection: Connection) -> int:
    """A number that changes when another connection has written to the file."""
    return _number(connection, "data_version")


def _damaged(what: str, path: Path) -> BadDataError:
    return BadDataError(
        f"the desk is damaged: {what}; {restoring_advice(path, made_by='desk backup')}",
        code="E_DESK_DAMAGED",
        source=str(path),
    )


@contextmanager
def _naming_damage(path: Path) -> Iterator[None]:
    """``naming_failures`` for a desk, which is repaired differently from a store."""
    try:
        with naming_failures(path):
            yield
    except BadDataError as error:
        if error.code != "E_STORE_DAMAGED":
            raise
        raise _damaged(str(error.__cause__), path) from error


KINDS: Final = ("sweep", "estimate", "audit", "train", "compare")
"""``sweep``: S and T for every k. ``estimate``: also how good the links are. ``audit``: pairs to judge for an audit.

``train``: a classifier from the judgements. ``compare``: methods evaluated by the judgements.
"""

_COLUMNS: Final = tuple(name for name in COLUMNS["job"] if name not in ("stop", "result"))
_OPEN: Final = "('waiting', 'running')"


def add_job(connection: Connection, kind: str, parameters: dict[str, Any], *, position: str, person: str) -> int:
    """Request a job and return its number."""
    if is_job_open(connection):
        raise StoreBusyError("another job is running; wait for it, or stop it")
    added = connection.execute(
        "INSERT INTO job (kind, parameters, position, state, person, began) VALUES (?, ?, ?, 'waiting', ?, ?)",
        (kind, orjson.dumps(parameters).decode(), position, person, present_moment()),
    )
    return int(added.lastrowid or 0)


def is_job_open(connection: Connection) -> bool:
    """Whether a job is not done yet."""
    return connection.execute(f"SELECT 1 FROM job WHERE state IN {_OPEN}").fetchone() is not None  # noqa: S608


def report_step(connection: Connection, number: int, step: str, done: int, total: int | None) -> bool:
    """Record the progress of a job; return whether it should stop."""
    connection.execute(
        f"UPDATE job SET state = 'running', step = ?, done = ?, total = ? WHERE number = ? AND state IN {_OPEN}",  # noqa: S608
        (step, done, total, number),
    )
    found = connection.execute("SELECT stop, state FROM job WHERE number = ?", (number,)).fetchone()
    return found is None or bool(found[0]) or found[1] != "running"


def end_job(connection: Connection, number: int, state: str, *, message: str | None = None, result: Any = None) -> None:
    """End an open job; a job that has ended does not change."""
    packed = None if result is None else orjson.dumps(result).decode()
    connection.execute(
        f"UPDATE job SET state = ?, message = ?, result = ?, ended = ? WHERE number = ? AND state IN {_OPEN}",  # noqa: S608
        (state, message, packed, present_moment(), number),
    )


def stop_job(connection: Connection, number: int) -> bool:
    """Ask a job to stop; return whether there is such a job and it has not ended."""
    changed = connection.execute(f"UPDATE job SET stop = 1 WHERE number = ? AND state IN {_OPEN}", (number,))  # noqa: S608
    return changed.rowcount > 0


def end_orphans(connection: Connection) -> None:
    """End the jobs of services that no longer run."""
    connection.execute(
        f"UPDATE job SET state = 'failed', message = 'the service ended', ended = ? WHERE state IN {_OPEN}",  # noqa: S608
        (present_moment(),),
    )


def job_shown(connection: Connection, number: int) -> dict[str, Any] | None:
    """Return a job with its result; None if there is no such job."""
    row = connection.execute(
        f"SELECT {', '.join(_COLUMNS)}, result FROM job WHERE number = ?",  # noqa: S608
        (number,),
    ).fetchone()
    return None if row is None else _job(row[:-1]) | {"result": None if row[-1] is None else orjson.loads(row[-1])}


def latest_jobs(connection: Connection, limit: int) -> list[dict[str, Any]]:
    """Return the latest jobs, latest first, without their results."""
    rows = connection.execute(f"SELECT {', '.join(_COLUMNS)} FROM job ORDER BY number DESC LIMIT ?", (limit,))  # noqa: S608
    return [_job(row) for row in rows]


def last_result(connection: Connection, kind: str) -> dict[str, Any] | None:
    """Return the latest completed job of a kind, with its result."""
    found = connection.execute(
        "SELECT number FROM job WHERE kind = ? AND state = 'done' ORDER BY number DESC LIMIT 1", (kind,)
    ).fetchone()
    return None if found is None else job_shown(connection, found[0])


def _job(row: tuple[Any, ...]) -> dict[str, Any]:
    shown = dict(zip(_COLUMNS, row, strict=True))
    times = {name: time_text(shown[name]) for name in ("began", "ended")}
    return shown | times | {"parameters": orjson.loads(shown["parameters"])}
