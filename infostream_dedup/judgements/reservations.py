"""Reserve pairs for people: each pair goes to one person, except for a share that two people judge."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from typing import Final

from infostream_dedup.judgements.desk import present_moment

SHARE_OF_TWO: Final = 0.1
"""Share of pairs that two people judge, so that their agreement is known."""

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

    Args:
        share_of_two: share of pairs that two people judge, 0 to 1; 2 or more for queues in which earlier judgements of
            others do not matter.
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
    if share_of_two > 1:
        return True
    return judges < (2 if for_two(pair, share_of_two) else 1)
