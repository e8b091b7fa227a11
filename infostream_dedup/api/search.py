"""``search``: documents of a store that are like a text."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from infostream_dedup.machine.progress import Progress
    from infostream_dedup.stream.search import Hit

__all__ = ["search"]


def search(
    store: str | Path,
    text: str,
    *,
    title: str = "",
    k_min: int | None = None,
    top: int = 20,
    across: bool = True,
    progress: Progress | None = None,
) -> list[Hit]:
    """Find the documents of a stream's window that are most like a text.

    Each call loads the store; for many searches keep a ``stream.search.Searcher`` open.

    Args:
        store: from ``ingest``; never written to.
        text: any text.
        title: its title.
        k_min: key terms that must meet in either direction; the stream's ``k_similar`` by default, fewer for a short
            text.
        top: most hits; 0 for all.
        across: also look among documents of other languages, by the text as the dictionaries translate it.
        progress: called with each step.

    Returns:
        Hits, the most alike first: by min and max of both counts, then the earliest.

    Raises:
        NoInputError: there is no store.
        BadDataError: the file is not a store.
    """
    from infostream_dedup.stream.search import Searcher

    with Searcher.open(store, progress=progress) as searcher:
        return searcher.search(text, title=title, k_min=k_min, top=top, across=across)
