"""Decisions of people on templates and alarms: rows are only added, and the latest counts."""

from __future__ import annotations

import sqlite3
from typing import Any, Final

from infostream_dedup.judgements.desk import present_moment

DECISIONS: Final = {"template": ("accept", "refuse"), "alarm": ("known", "snoozed")}
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
    """Add a decision.

    Args:
        decision: one of ``DECISIONS``, or None to undo the last one.
    """
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
        subject: {"decision": decision, "measure": measure, "person": person, "at": at}
        for subject, decision, measure, person, at in rows
    }
