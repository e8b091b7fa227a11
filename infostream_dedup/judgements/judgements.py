"""Judgements on pairs: added one row at a time, undone by a further row, never changed."""

from __future__ import annotations

import sqlite3
import statistics
from dataclasses import asdict, dataclass
from typing import Any, Final

from infostream_dedup.errors import BadDataError
from infostream_dedup.judgements.desk import present_moment

_PACE_OF: Final = 20
"""The pace is the median of this many judgements."""

_CONTENT: Final = ("a", "b", "label", "repeats", "person")
_SHOWN: Final = (
    *("number", "a", "b", "label", "repeats", "person", "at", "seconds", "queue", "seen_verdict", "undoes"),
    "EXISTS (SELECT 1 FROM judgement AS undo WHERE undo.undoes = judgement.number) AS undone",
)
_MOST_SECONDS: Final = 3600.0
_MOST_NUMBER: Final = 1 << 62
_SWAPPED: Final = {"a": "b", "b": "a"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """One person's judgement on one pair.

    Attributes:
        a: id of one document.
        b: id of the other; the order does not matter.
        label: one of ``LABELS``; None skips the pair.
        repeats: which text repeats the other, ``a``, ``b`` or ``both``; None if not given.
        person: name of the person.
        key: identifies this judgement: the same key is stored only once.
        seconds: time for which the pair was on display.
        queue: where the pair came from.
        seen_verdict: whether the person had seen the stream's verdict.
        version_a: version of a that was judged; None if unknown.
        version_b: the same of b.
    """

    a: str
    b: str
    label: str | None
    person: str
    key: str
    repeats: str | None = None
    seconds: float = 0.0
    queue: str = "own"
    seen_verdict: bool = False
    version_a: int | None = None
    version_b: int | None = None


@dataclass(frozen=True, slots=True)
class Said:
    """Where a judgement is stored.

    Attributes:
        number: number of its row.
        added: whether it was added now; False if its key was stored already.
        a: id of one document.
        b: id of the other.
        queue: where the pair came from.
    """

    number: int
    added: bool
    a: str
    b: str
    queue: str


def ordered_pair(a: str, b: str) -> tuple[str, str]:
    """The ids of a pair, the smaller first."""
    if a == b:
        raise BadDataError("a and b are the same document", code="E_SELF_PAIR", source="judgement", field="b")
    return (a, b) if a < b else (b, a)


def add_judgement(connection: sqlite3.Connection, judgement: Judgement) -> Said:
    """Add a judgement; if its key was stored before, return the stored one instead."""
    a, b = ordered_pair(judgement.a, judgement.b)
    swapped = a != judgement.a
    repeats, versions = judgement.repeats, (judgement.version_a, judgement.version_b)
    if swapped:
        repeats, versions = _SWAPPED.get(repeats or "", repeats), versions[::-1]
    before = connection.execute(
        f"SELECT number, undoes, queue, {', '.join(_CONTENT)} FROM judgement WHERE key = ?",  # noqa: S608
        (judgement.key,),
    ).fetchone()
    if before is not None:
        number, undoes, queue, *content = before
        if undoes is not None or tuple(content) != (a, b, judgement.label, repeats, judgement.person):
            raise BadDataError("belongs to another judgement", code="E_KEY_CONFLICT", source="judgement", field="key")
        return Said(number, added=False, a=a, b=b, queue=queue)
    given = asdict(judgement) | {"a": a, "b": b, "repeats": repeats, "version_a": versions[0], "version_b": versions[1]}
    seconds = min(max(judgement.seconds, 0.0), _MOST_SECONDS)
    number = _insert(connection, given | {"at": present_moment(), "seconds": seconds})
    connection.execute("DELETE FROM reservation WHERE a = ? AND b = ? AND person = ?", (a, b, judgement.person))
    return Said(number, added=True, a=a, b=b, queue=judgement.queue)


def undo_judgement(connection: sqlite3.Connection, number: int, person: str, key: str) -> Said:
    """Undo a judgement by adding a row; a judgement undone before stays undone."""
    found = connection.execute(
        "SELECT a, b, queue FROM judgement WHERE number = ? AND person = ? AND undoes IS NULL", (number, person)
    ).fetchone()
    if found is None:
        raise BadDataError(
            "is not the number of one of your judgements", code="E_UNKNOWN_ID", source="judgement", field="number"
        )
    a, b, queue = found
    before = connection.execute("SELECT number FROM judgement WHERE undoes = ?", (number,)).fetchone()
    if before is not None:
        return Said(int(before[0]), added=False, a=a, b=b, queue=queue)
    if connection.execute("SELECT 1 FROM judgement WHERE key = ?", (key,)).fetchone() is not None:
        raise BadDataError("belongs to another judgement", code="E_KEY_CONFLICT", source="judgement", field="key")
    undo = {"a": a, "b": b, "person": person, "at": present_moment(), "queue": queue, "key": key, "undoes": number}
    return Said(_insert(connection, undo | {"seconds": 0.0, "seen_verdict": False}), added=True, a=a, b=b, queue=queue)


def progress_of(connection: sqlite3.Connection, person: str) -> dict[str, Any]:
    """The progress of a person.

    Returns:
        ``judged`` and ``passed`` (pairs), ``last`` (number of the latest judgement that was not undone; None
        without one), ``pace`` (median seconds of the last ones; None without one).
    """
    judged, passed, last = connection.execute(
        "SELECT count(label), count(*) - count(label), max(number) FROM v_judgement WHERE person = ?", (person,)
    ).fetchone()
    seconds = connection.execute(
        "SELECT seconds FROM judgement WHERE person = ? AND label IS NOT NULL AND seconds > 0"
        " ORDER BY number DESC LIMIT ?",
        (person, _PACE_OF),
    ).fetchall()
    pace = round(statistics.median(one for (one,) in seconds), 1) if seconds else None
    return {"judged": judged, "passed": passed, "last": last, "pace": pace}


def judgement_page(
    connection: sqlite3.Connection,
    *,
    person: str | None = None,
    label: str | None = None,
    before: int | None,
    limit: int,
) -> list[dict[str, Any]]:
    """Return a page of all rows, latest first: judgements, and rows that undo one.

    Args:
        person: only rows of this person; None for all.
        label: only rows with this label; None for all.
        before: only rows with smaller numbers; None for the first page.
    """
    conditions = ["number < ?"]
    named: list[Any] = [_MOST_NUMBER if before is None else before]
    for column, value in (("person", person), ("label", label)):
        if value is not None:
            conditions.append(f"{column} = ?")
            named.append(value)
    rows = _table(connection).rows_where(
        " AND ".join(conditions), named, order_by="number DESC", limit=limit, select=", ".join(_SHOWN)
    )
    return [row | {"seen_verdict": bool(row["seen_verdict"]), "undone": bool(row["undone"])} for row in rows]


def _insert(connection: sqlite3.Connection, row: dict[str, Any]) -> int:
    """Insert a row, inside a transaction, and return its number."""
    return int(_table(connection).insert(row).last_pk)


def _table(connection: sqlite3.Connection) -> Any:
    # Importing it takes a third of a second, and most commands have nothing to do with judgements.
    from sqlite_utils import Database

    return Database(connection, recursive_triggers=False, execute_plugins=False).table("judgement", pk="number")
