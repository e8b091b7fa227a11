"""The current groups of two or more documents and their stories, maintained by the writer of batches.

The views ``v_members`` and ``v_groups`` give the same result, but follow all merges in every query.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Sequence
from contextlib import closing
from typing import Final

from infostream_dedup.model.stream_records import GroupEvent, Remembered, StoryEvent, Verdict

_ENTER: Final = (
    "INSERT INTO membership (ordinal, group_id, source, language)"
    " SELECT ordinal, ?, source, language FROM document WHERE"
)
_ALONE: Final = (
    " id = ? AND group_id = ? AND ordinal < ? AND NOT EXISTS"
    " (SELECT 1 FROM membership WHERE membership.ordinal = document.ordinal)"
)
"""A document before an ordinal that forms a group alone: no other document can be in the group named after it."""
_COUNT: Final = (
    "REPLACE INTO grouping (group_id, earliest, documents, sources, languages, first, last, alarm)"
    " SELECT membership.group_id, min(ordinal), count(*), count(DISTINCT membership.source),"
    " count(DISTINCT membership.language), min(coalesce(published, nullif(clock, 0))),"
    " max(coalesce(published, nullif(clock, 0))), max(?)"
    " FROM membership JOIN document USING (ordinal) WHERE membership.group_id = ? GROUP BY membership.group_id"
    " HAVING count(*) > 1"
)
_ADD: Final = (
    "UPDATE grouping SET documents = documents + 1,"
    " sources = sources + (:source IS NOT NULL AND NOT EXISTS (SELECT 1 FROM membership"
    " WHERE membership.group_id = :group AND membership.source = :source)),"
    " languages = languages + NOT EXISTS (SELECT 1 FROM membership"
    " WHERE membership.group_id = :group AND membership.language = :language),"
    " first = coalesce(min(first, :time), first, :time), last = coalesce(max(last, :time), last, :time)"
    " WHERE group_id = :group"
)


def group_documents(
    connection: sqlite3.Connection,
    remembered: Sequence[Remembered],
    verdicts: Sequence[Verdict],
    events: Sequence[GroupEvent],
) -> None:
    """Update the tables ``grouping`` and ``membership`` after a batch.

    Joining a group costs the same however large the group is; a merge costs time in proportion to its documents.

    Args:
        events: events of groups, in order.
    """
    merges: dict[int, list[GroupEvent]] = defaultdict(list)
    for event in events:
        if event.kind == "merge":
            merges[event.ordinal].append(event)
    for one, verdict in zip(remembered, verdicts, strict=True):
        for event in merges.get(one.ordinal, ()):
            _merge(connection, event)
        if verdict.group != one.id or one.version:
            _join(connection, one, verdict.group)
    for event in events:
        if event.kind == "alarm":
            connection.execute("UPDATE grouping SET alarm = 1 WHERE group_id = ?", (event.group,))


def _join(connection: sqlite3.Connection, one: Remembered, group: str) -> None:
    """Add a document to a group, unless the group has no other document."""
    run, time = connection.execute, one.clock or None if one.published is None else one.published
    values = {"group": group, "source": one.source, "language": one.language, "time": time}
    added = run(_ADD, values).rowcount
    if not added and not run(_ENTER + _ALONE, (group, group, group, one.ordinal)).rowcount:
        return
    run(f"{_ENTER} ordinal = ?", (group, one.ordinal))
    if not added:
        run(_COUNT, (_alarm(connection, group), group))


def _merge(connection: sqlite3.Connection, event: GroupEvent) -> None:
    run, stays, other, alarm = connection.execute, event.group, event.other, _alarm(connection, event.group)
    # The document that caused it is in the group that remains, and joins it below.
    run(_ENTER + _ALONE, (stays, other, other, event.ordinal + 1))
    run(_ENTER + _ALONE, (stays, stays, stays, event.ordinal))
    run("UPDATE membership SET group_id = ? WHERE group_id = ?", (stays, other))
    run("DELETE FROM grouping WHERE group_id = ?", (other,))
    run(_COUNT, (alarm, stays))


def _alarm(connection: sqlite3.Connection, group: str) -> int:
    query = "SELECT EXISTS (SELECT 1 FROM event WHERE kind = 'alarm' AND group_id = ?)"
    return int(connection.execute(query, (group,)).fetchone()[0])


def tell_stories(connection: sqlite3.Connection, events: Sequence[GroupEvent], stories: Sequence[StoryEvent]) -> None:
    """Update the tables ``story`` and ``telling`` after a batch.

    Args:
        events: events of groups, in order.
        stories: events of stories, in order; a document's events of groups come before its events of stories.
    """
    if not stories and (not events or connection.execute("SELECT 1 FROM story LIMIT 1").fetchone() is None):
        return
    happened: list[GroupEvent | StoryEvent] = [*events, *stories]
    for event in sorted(happened, key=lambda one: one.ordinal):
        if isinstance(event, StoryEvent):
            _unite(connection, event)
        elif event.kind == "expiry":
            connection.execute("UPDATE telling SET alive = 0 WHERE group_id = ?", (event.group,))
        elif event.kind == "merge":
            connection.execute("DELETE FROM telling WHERE group_id = ?", (event.other,))


def present_stories(connection: sqlite3.Connection) -> tuple[tuple[str, str, int], ...]:
    """Return each group of the window that has a story: its name, its story, the story's earliest ordinal."""
    rows = connection.execute(
        "SELECT group_id, story_id, begun FROM telling JOIN story USING (story_id) WHERE alive = 1 ORDER BY group_id"
    )
    return tuple(rows)


def told_again(connection: sqlite3.Connection) -> set[tuple[str, str, int]]:
    """Compute the correct content of table ``telling`` from all events: group, story, whether the group is alive."""
    groups, stories = (
        connection.execute(f"SELECT {columns} FROM {table} ORDER BY number").fetchall()  # noqa: S608
        for table, columns in (
            ("event", "ordinal, kind, group_id, other, value"),
            ("story_event", "ordinal, story_id, other, begun"),
        )
    )
    with closing(sqlite3.connect(":memory:")) as fresh:
        fresh.execute("CREATE TABLE story (story_id TEXT PRIMARY KEY, begun INTEGER)")
        fresh.execute("CREATE TABLE telling (group_id TEXT PRIMARY KEY, story_id TEXT, alive INTEGER DEFAULT 1)")
        tell_stories(fresh, [GroupEvent(*row) for row in groups], [StoryEvent(*row) for row in stories])
        return set(fresh.execute("SELECT group_id, story_id, alive FROM telling"))


def _unite(connection: sqlite3.Connection, event: StoryEvent) -> None:
    run = connection.execute
    if run("SELECT 1 FROM story WHERE story_id = ?", (event.story,)).fetchone() is None:
        # Until now it formed a group alone.
        run("INSERT INTO story (story_id, begun) VALUES (?, ?)", (event.story, event.begun))
        run("REPLACE INTO telling (group_id, story_id) VALUES (?, ?)", (event.story, event.story))
    if run("DELETE FROM story WHERE story_id = ?", (event.other,)).rowcount:
        run("UPDATE telling SET story_id = ? WHERE story_id = ?", (event.story, event.other))
    else:
        run("REPLACE INTO telling (group_id, story_id) VALUES (?, ?)", (event.other, event.story))
