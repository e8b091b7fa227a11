"""Decisions of people on templates and alarms: rows are only added, and the latest counts."""

from __future__ import annotations

import sqlite3
from typing import Any, Final

from infostream_dedup.judgements.desk import present_moment

__all__ = ["DECISIONS", "add_review", "present_reviews"]

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
        connection: inside a transaction of a desk.
        kind: ``template`` or ``alarm``.
        subject: id of the template's earliest document, or number of the alarm.
        decision: one of ``DECISIONS``, or None to undo the last one.
        person: who decides.
        measure: size of the subject at that time, such as the number of documents in the group of an alarm.
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
