"""Queries for people browsing stories: groups in several languages that tell one story."""

from __future__ import annotations

import sqlite3
from typing import Any, Final

import orjson

from infostream_dedup.stream.store.browsing import group_with_members
from infostream_dedup.stream.store.summary import time_text

__all__ = ["story_of_group", "story_page", "story_shown"]

_GROUPS_SHOWN: Final = 60
_MEETINGS: Final = 20


def story_page(connection: sqlite3.Connection, *, before: int | None, limit: int) -> list[dict[str, Any]]:
    """Return rows ``story, title, groups, documents, languages, first, begun``, the latest begun first.

    Args:
        connection: open connection to the store.
        before: only stories that begin with a document before this ordinal; None for the first page.
        limit: number of stories.
    """
    heads = connection.execute(
        "SELECT story_id, begun FROM story WHERE ?1 IS NULL OR begun < ?1 ORDER BY begun DESC LIMIT ?2", (before, limit)
    ).fetchall()
    rows = []
    for story, begun in heads:
        title, published = connection.execute(
            "SELECT title, published FROM document WHERE ordinal = ?", (begun,)
        ).fetchone()
        groups, documents = connection.execute(
            "SELECT count(*), sum(coalesce(grouping.documents, 1)) FROM telling LEFT JOIN grouping USING (group_id)"
            " WHERE story_id = ?",
            (story,),
        ).fetchone()
        languages = connection.execute(
            "SELECT DISTINCT language FROM document WHERE version = 0 AND id IN"
            " (SELECT group_id FROM telling WHERE story_id = ?) ORDER BY language",
            (story,),
        )
        rows.append(
            {
                "story": story,
                "title": title,
                "groups": groups,
                "documents": documents,
                "languages": [language for (language,) in languages],
                "first": time_text(published),
                "begun": begun,
            }
        )
    return rows


def story_shown(connection: sqlite3.Connection, story: str) -> dict[str, Any] | None:
    """Return a story with its documents by language, in the order of publication, and the words that matched.

    Returns:
        ``story``, ``documents``, ``columns`` (rows ``language, documents``), ``meetings`` (rows ``id, of,
        share_forward, share_backward, met``: which document is a translation of which, and by which pairs of words);
        None if there is no such story.
    """
    if connection.execute("SELECT 1 FROM story WHERE story_id = ?", (story,)).fetchone() is None:
        return None
    groups = connection.execute(
        "SELECT group_id FROM telling WHERE story_id = ? ORDER BY group_id LIMIT ?", (story, _GROUPS_SHOWN)
    ).fetchall()
    members: list[dict[str, Any]] = []
    for (group,) in groups:
        found = group_with_members(connection, group)
        if found is not None:
            members += [{**member, "group": group} for member in found["members"] if not member["forgotten"]]
    members.sort(key=lambda one: (one["published"] or one["arrived"] or "", one["ordinal"]))
    languages = dict.fromkeys(member["language"] for member in members)
    return {
        "story": story,
        "documents": len(members),
        "columns": [
            {"language": language, "documents": [one for one in members if one["language"] == language]}
            for language in languages
        ],
        "meetings": _meetings(connection, [member["ordinal"] for member in members]),
    }


def story_of_group(connection: sqlite3.Connection, group: str) -> str | None:
    """Return the current story of a group; None if it has none."""
    found = connection.execute("SELECT story_id FROM telling WHERE group_id = ?", (group,)).fetchone()
    return None if found is None else str(found[0])


def _meetings(connection: sqlite3.Connection, ordinals: list[int]) -> list[dict[str, Any]]:
    rows = []
    for ordinal in ordinals:
        name, of, translation = connection.execute(
            "SELECT id, translation_of, translation FROM document WHERE ordinal = ?", (ordinal,)
        ).fetchone()
        if of is not None and translation is not None:
            rows.append({"id": name, "of": of, **orjson.loads(translation)})
    rows.sort(key=lambda row: (-min(row["share_forward"], row["share_backward"]), row["id"]))
    return rows[:_MEETINGS]
