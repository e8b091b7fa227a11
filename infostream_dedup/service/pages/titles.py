"""Titles of documents that pages name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from infostream_dedup.stream.store import Store

__all__ = ["titles_of"]


def titles_of(store: Store, ids: Iterable[str]) -> dict[str, str]:
    """Return the title of the latest version of each document, by id; empty if the store does not know it."""
    found = {}
    for name in ids:
        row = store.connection.execute(
            "SELECT title FROM document WHERE id = ? ORDER BY version DESC LIMIT 1", (name,)
        ).fetchone()
        found[name] = "" if row is None else row[0]
    return found
