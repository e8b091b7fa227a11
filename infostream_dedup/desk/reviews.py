"""Decisions of people on templates and alarms: rows are only added, and the latest counts."""

from __future__ import annotations

import sqlite3
from typing import Any, Final

from infostream_dedup.desk.desk import present_moment

__all__ = ["DECISIONS", "add_review", "present_reviews"]

DECISIONS: Final = {"template": ("accept", "refuse"), "alarm": ("known", "snoozed")}
"""What may be decided of each kind; None takes a decision back."""


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
        decision: one of ``DECISIONS``, or None.
        person: who decides.
        measure: how large the subject was then, such as documents of the group of an alarm.
    """
    connection.execute(
        "INSERT INTO review (kind, subject, decision, measure, person, at) VALUES (?, ?, ?, ?, ?, ?)",
        (kind, subject, decision, measure, person, present_moment()),
    )


def present_reviews(connection: sqlite3.Connection, kind: str) -> dict[str, dict[str, Any]]:
    """Return the present decision of each subject: ``decision, measure, person, at``; those taken back are left out."""
    rows = connection.execute(
        "SELECT subject, decision, measure, person, at FROM review AS latest WHERE kind = ?1 AND decision IS NOT NULL"
        " AND number = (SELECT max(number) FROM review WHERE kind = ?1 AND subject = latest.subject)",
        (kind,),
    )
    return {
        subject: {"decision": decision, "measure": measure, "person": person, "at": at}
        for subject, decision, measure, person, at in rows
    }
