"""Long jobs of a store, one at a time: request, progress and result."""

from __future__ import annotations

import sqlite3
from typing import Any, Final

import orjson

from infostream_dedup.errors import StoreBusyError
from infostream_dedup.judgements.desk import present_moment
from infostream_dedup.stream.store.browsing import time_text

KINDS: Final = ("sweep", "estimate", "audit", "train", "compare")
"""``sweep``: S and T for every k. ``estimate``: also how good the links are. ``audit``: pairs to judge for an audit.

``train``: a classifier from the judgements. ``compare``: methods evaluated by the judgements.
"""

_COLUMNS: Final = (
    *("number", "kind", "parameters", "position", "state", "step", "done", "total", "message", "person", "began"),
    "ended",
)
_OPEN: Final = "('waiting', 'running')"


def add_job(
    connection: sqlite3.Connection, kind: str, parameters: dict[str, Any], *, position: str, person: str
) -> int:
    """Request a job and return its number."""
    if is_job_open(connection):
        raise StoreBusyError("another job is running; wait for it, or stop it")
    added = connection.execute(
        "INSERT INTO job (kind, parameters, position, state, person, began) VALUES (?, ?, ?, 'waiting', ?, ?)",
        (kind, orjson.dumps(parameters).decode(), position, person, present_moment()),
    )
    return int(added.lastrowid or 0)


def is_job_open(connection: sqlite3.Connection) -> bool:
    """Whether a job is not done yet."""
    return connection.execute(f"SELECT 1 FROM job WHERE state IN {_OPEN}").fetchone() is not None  # noqa: S608


def report_step(connection: sqlite3.Connection, number: int, step: str, done: int, total: int | None) -> bool:
    """Record the progress of a job; return whether it should stop."""
    connection.execute(
        f"UPDATE job SET state = 'running', step = ?, done = ?, total = ? WHERE number = ? AND state IN {_OPEN}",  # noqa: S608
        (step, done, total, number),
    )
    found = connection.execute("SELECT stop, state FROM job WHERE number = ?", (number,)).fetchone()
    return found is None or bool(found[0]) or found[1] != "running"


def end_job(
    connection: sqlite3.Connection, number: int, state: str, *, message: str | None = None, result: Any = None
) -> None:
    """End an open job; a job that has ended does not change."""
    packed = None if result is None else orjson.dumps(result).decode()
    connection.execute(
        f"UPDATE job SET state = ?, message = ?, result = ?, ended = ? WHERE number = ? AND state IN {_OPEN}",  # noqa: S608
        (state, message, packed, present_moment(), number),
    )


def stop_job(connection: sqlite3.Connection, number: int) -> bool:
    """Ask a job to stop; return whether there is such a job and it has not ended."""
    changed = connection.execute(f"UPDATE job SET stop = 1 WHERE number = ? AND state IN {_OPEN}", (number,))  # noqa: S608
    return changed.rowcount > 0


def end_orphans(connection: sqlite3.Connection) -> None:
    """End the jobs of services that no longer run."""
    connection.execute(
        f"UPDATE job SET state = 'failed', message = 'the service ended', ended = ? WHERE state IN {_OPEN}",  # noqa: S608
        (present_moment(),),
    )


def job_shown(connection: sqlite3.Connection, number: int) -> dict[str, Any] | None:
    """Return a job with its result; None if there is no such job."""
    row = connection.execute(
        f"SELECT {', '.join(_COLUMNS)}, result FROM job WHERE number = ?",  # noqa: S608
        (number,),
    ).fetchone()
    return None if row is None else _job(row[:-1]) | {"result": None if row[-1] is None else orjson.loads(row[-1])}


def latest_jobs(connection: sqlite3.Connection, limit: int) -> list[dict[str, Any]]:
    """Return the latest jobs, latest first, without their results."""
    rows = connection.execute(f"SELECT {', '.join(_COLUMNS)} FROM job ORDER BY number DESC LIMIT ?", (limit,))  # noqa: S608
    return [_job(row) for row in rows]


def last_result(connection: sqlite3.Connection, kind: str) -> dict[str, Any] | None:
    """Return the latest completed job of a kind, with its result."""
    found = connection.execute(
        "SELECT number FROM job WHERE kind = ? AND state = 'done' ORDER BY number DESC LIMIT 1", (kind,)
    ).fetchone()
    return None if found is None else job_shown(connection, found[0])


def _job(row: tuple[Any, ...]) -> dict[str, Any]:
    shown = dict(zip(_COLUMNS, row, strict=True))
    times = {name: time_text(shown[name]) for name in ("began", "ended")}
    return shown | times | {"parameters": orjson.loads(shown["parameters"])}
