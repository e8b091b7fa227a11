"""Searches the whole store in its current state, in a separate thread."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from infostream_dedup.service.problems import ProblemError
from infostream_dedup.stream.search import Searcher

__all__ = ["SearchThread"]


class SearchThread:
    """Holds a searcher, which opens the store at the first search.

    Args:
        path: the store.
        most: maximum number of pending searches.
    """

    def __init__(self, path: Path, most: int) -> None:
        self._path, self._most = path, most
        self._waiting = 0
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="search")
        self._searcher: Searcher | None = None

    async def hits(self, **asked: Any) -> list[dict[str, Any]]:
        """Find the documents that resemble a text; for the arguments see ``Searcher.search``.

        Raises:
            ProblemError: ``queue-full``.
        """
        if self._waiting > self._most:
            raise ProblemError(503, "queue-full", retry_after=2, limit=self._most)
        self._waiting += 1
        try:
            return await asyncio.wrap_future(self._pool.submit(self._hits, asked))
        finally:
            self._waiting -= 1

    def close(self) -> None:
        """Wait for the current search, and close the store."""
        self._pool.submit(self._close)
        self._pool.shutdown(wait=True)

    def _hits(self, asked: dict[str, Any]) -> list[dict[str, Any]]:
        if self._searcher is None:
            self._searcher = Searcher.open(self._path, everything=True)
        return [hit.as_dict() for hit in self._searcher.search(**asked)]

    def _close(self) -> None:
        searcher, self._searcher = self._searcher, None
        if searcher is not None:
            with searcher:
                pass
