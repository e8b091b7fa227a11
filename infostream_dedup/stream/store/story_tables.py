"""The current story of each group, maintained by the writer of batches."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing

from infostream_dedup.model.stream_records import GroupEvent, StoryEvent

__all__ = ["present_stories", "tell_stories", "told_again"]


def tell_stories(connection: sqlite3.Connection, events: Sequence[GroupEvent], stories: Sequence[StoryEvent]) -> None:
    """Update the tables ``story`` and ``telling`` after a batch.

    Args:
        connection: inside a transaction.
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
