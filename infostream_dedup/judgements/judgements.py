"""Judgements on pairs: added one row at a time, undone by a further row, never changed."""

from __future__ import annotations

import hashlib
import sqlite3
import statistics
from collections.abc import Collection, Iterable
from collections.abc import Set as AbstractSet
from dataclasses import asdict, dataclass
from typing import Any, Final

import orjson

from infostream_dedup.errors import BadDataError
from infostream_dedup.judgements.desk import present_moment
from infostream_dedup.stream.store.browsing import time_text

_PACE_OF: Final = 20  # the pace is the median of this many judgements

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
    """One person's judgement on one pair."""

    a: str  # id of one document
    b: str  # id of the other; the order does not matter
    label: str | None  # one of `LABELS`; None skips the pair
    person: str  # name of the person
    key: str  # identifies this judgement: the same key is stored only once
    repeats: str | None = None  # which text repeats the other, `a`, `b` or `both`; None if not given
    seconds: float = 0.0  # time for which the pair was on display
    queue: str = "own"  # where the pair came from
    seen_verdict: bool = False  # whether the person had seen the stream's verdict
    version_a: int | None = None  # version of a that was judged; None if unknown
    version_b: int | None = None  # the same of b


@dataclass(frozen=True, slots=True)
class Said:
    """Where a judgement is stored."""

    number: int  # number of its row
    added: bool  # whether it was added now; False if its key was stored already
    a: str  # id of one document
    b: str  # id of the other
    queue: str  # where the pair came from


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
    """The progress of a person."""
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
    """Return a page of all rows, latest first: judgements, and rows that undo one."""
    conditions = ["number < ?"]
    named: list[Any] = [_MOST_NUMBER if before is None else before]
    for column, value in (("person", person), ("label", label)):
        if value is not None:
            conditions.append(f"{column} = ?")
            named.append(value)
    rows = _table(connection).rows_where(
        " AND ".join(conditions), named, order_by="number DESC", limit=limit, select=", ".join(_SHOWN)
    )
    return [
        row | {"at": time_text(row["at"]), "seen_verdict": bool(row["seen_verdict"]), "undone": bool(row["undone"])}
        for row in rows
    ]


def _insert(connection: sqlite3.Connection, row: dict[str, Any]) -> int:
    """Insert a row, inside a transaction, and return its number."""
    return int(_table(connection).insert(row).last_pk)


def _table(connection: sqlite3.Connection) -> Any:
    # Importing it takes a third of a second, and most commands have nothing to do with judgements.
    from sqlite_utils import Database

    return Database(connection, recursive_triggers=False, execute_plugins=False).table("judgement", pk="number")


# Reserve pairs for people: each pair goes to one person, except for a share that two people judge

SHARE_OF_TWO: Final = 0.1  # share of pairs that two people judge, so that their agreement is known

_MINUTES: Final = 10
_MICROSECONDS: Final = 1_000_000


def next_pairs(
    connection: sqlite3.Connection,
    candidates: Iterable[tuple[str, str]],
    *,
    person: str,
    queue: str,
    wanted: int,
    besides: AbstractSet[tuple[str, str]] = frozenset(),
    share_of_two: float = SHARE_OF_TWO,
) -> list[tuple[str, str]]:
    """Choose the next pairs of a person and reserve them for ten minutes.

    Pairs already reserved for this person come first, so that reopening a page shows the same pair. A pair that the
    person has judged or skipped is not shown again, nor one that somebody else has judged, unless two people are to
    judge it.
    """
    now = present_moment()
    until = now + _MINUTES * 60 * _MICROSECONDS
    # Those that end later were made before the clock was set back.
    connection.execute("DELETE FROM reservation WHERE until < ? OR until > ?", (now, until + _MICROSECONDS))
    mine = connection.execute(
        "SELECT a, b FROM reservation WHERE person = ? AND queue = ? ORDER BY until, a, b", (person, queue)
    ).fetchall()
    chosen = [(a, b) for a, b in mine if (a, b) not in besides and _open(connection, (a, b), person, share_of_two)]
    for pair in candidates:
        if len(chosen) >= wanted:
            break
        if pair in besides or pair in chosen or not _open(connection, pair, person, share_of_two):
            continue
        taken = connection.execute("SELECT person FROM reservation WHERE a = ? AND b = ?", pair).fetchone()
        if taken is None or taken[0] == person:
            chosen.append(pair)
    for place, pair in enumerate(chosen[:wanted]):
        connection.execute(
            "REPLACE INTO reservation (a, b, person, queue, until) VALUES (?, ?, ?, ?, ?)",
            (*pair, person, queue, until + place),
        )
    return chosen[:wanted]


def for_two(pair: tuple[str, str], share: float) -> bool:
    """Whether a pair is one of those that two people judge; always the same answer for the same pair."""
    digest = hashlib.sha256("\0".join(pair).encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:4], "big") < share * (1 << 32)


def _open(connection: sqlite3.Connection, pair: tuple[str, str], person: str, share_of_two: float) -> bool:
    said = dict(connection.execute("SELECT person, label FROM v_judgement WHERE a = ? AND b = ?", pair))
    if person in said:
        return False
    judges = sum(label is not None for label in said.values())
    return True if share_of_two > 1 else judges < (2 if for_two(pair, share_of_two) else 1)


# Decisions of people on templates and alarms: rows are only added, and the latest counts

DECISIONS: Final = {"template": ("accept", "refuse", "mute"), "alarm": ("known", "snoozed")}
"""The possible decisions on each kind; None undoes a decision."""


def add_review(
    connection: sqlite3.Connection,
    kind: str,
    subject: str,
    decision: str | None,
    *,
    person: str,
    measure: float | None = None,
) -> None:
    """Add a decision."""
    connection.execute(
        "INSERT INTO review (kind, subject, decision, measure, person, at) VALUES (?, ?, ?, ?, ?, ?)",
        (kind, subject, decision, measure, person, present_moment()),
    )


def present_reviews(connection: sqlite3.Connection, kind: str) -> dict[str, dict[str, Any]]:
    """Return the current decision on each subject, ``decision, measure, person, at``, without undone ones."""
    rows = connection.execute(
        "SELECT subject, decision, measure, person, at FROM review AS latest WHERE kind = ?1 AND decision IS NOT NULL"
        " AND number = (SELECT max(number) FROM review WHERE kind = ?1 AND subject = latest.subject)",
        (kind,),
    )
    return {
        subject: {"decision": decision, "measure": measure, "person": person, "at": time_text(at)}
        for subject, decision, measure, person, at in rows
    }


# Remove what a desk quotes from documents that the store has forgotten


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
