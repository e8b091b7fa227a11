"""The groups of a store's window, each with its representative document."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from itertools import islice
from typing import Any

from infostream_dedup.stream.engine import StreamEngine
from infostream_dedup.stream.settings import StreamSettings
from infostream_dedup.stream.store import Store


def representatives(
    store: Store, connection: sqlite3.Connection, *, best: str, source_ranks: Sequence[str], top: int
) -> list[dict[str, Any]]:
    """Return rows ``group, total, best, source, title`` of groups of several documents, the largest first.

    ``total`` counts all documents the group ever had; ``best`` is one of those in the window. Groups that have left the
    window are omitted.
    """
    chosen = StreamSettings.of(store.settings).but(best=best, source_ranks=tuple(source_ranks))
    engine = StreamEngine.restore(chosen, store.load(), wording=store.wording)
    groups = connection.execute("SELECT group_id, documents FROM v_groups ORDER BY documents DESC, ordinal")
    found = ((group, total, engine.best_of(group)) for group, total in groups.fetchall())
    rows = []
    for group, total, name in islice((one for one in found if one[2] is not None), top or None):
        source, title = connection.execute(
            "SELECT source, title FROM document WHERE id = ? ORDER BY version DESC", (name,)
        ).fetchone()
        rows.append({"group": group, "total": total, "best": name, "source": source, "title": title})
    return rows
