"""Searches the store as it was a moment ago, in a thread of its own."""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

from infostream_dedup.store import Store
from infostream_dedup.store.restoring import Position, position_of
from infostream_dedup.stream.search import Searcher

__all__ = ["SearchThread"]

_FRESH_SECONDS: Final = 2.0


class SearchThread:
    """Holds a searcher, and reopens it when the store has changed.

    Args:
        path: the store.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="search")
        self._searcher: Searcher | None = None
        self._position: Position | None = None
        self._looked = 0.0

    async def hits(self, **asked: Any) -> list[dict[str, Any]]:
        """Find the documents that resemble a text; for the arguments see ``Searcher.search``."""
        return await asyncio.wrap_future(self._pool.submit(self._hits, asked))

    def close(self) -> None:
        """Wait for the search at hand, and close the store."""
        self._pool.submit(self._close)
        self._pool.shutdown(wait=True)

    def _hits(self, asked: dict[str, Any]) -> list[dict[str, Any]]:
        return [hit.as_dict() for hit in self._fresh().search(**asked)]

    def _fresh(self) -> Searcher:
        if self._searcher is not None and time.monotonic() - self._looked < _FRESH_SECONDS:
            return self._searcher
        with Store.open(self._path, read_only=True) as store:
            position = position_of(store.connection)
        if self._searcher is None or position != self._position:
            self._close()
            self._searcher, self._position = Searcher.open(self._path), position
        self._looked = time.monotonic()
        return self._searcher

    def _close(self) -> None:
        searcher, self._searcher = self._searcher, None
        if searcher is not None:
            with searcher:
                pass
