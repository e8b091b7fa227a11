"""The one thread that reads and writes the desk."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from infostream_dedup.judgements import Desk

__all__ = ["DeskThread"]

Value = TypeVar("Value")
Question = Callable[[sqlite3.Connection], Value]


class DeskThread:
    """Gives access to the desk of a store, which is created when it is first needed.

    Args:
        path: the desk's file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="desk")
        self._desk: Desk | None = None

    async def read(self, question: Question[Value]) -> Value:
        """Ask the desk; the answer describes a single state."""
        return await self._run(self._read, question)

    async def write(self, work: Question[Value]) -> Value:
        """Run one transaction. It is on disk when this returns, and is finished even if the client disconnects."""
        return await self._run(self._write, work)

    async def wipe(self) -> bool:
        """Rewrite the file without remnants of deleted data; return whether none is left."""
        return await asyncio.shield(asyncio.wrap_future(self._pool.submit(self._wipe)))

    def close(self) -> None:
        """Wait for the current work, and close the file."""
        self._pool.submit(self._close)
        self._pool.shutdown(wait=True)

    async def _run(self, how: Callable[[Question[Value]], Value], what: Question[Value]) -> Value:
        return await asyncio.shield(asyncio.wrap_future(self._pool.submit(how, what)))

    def _opened(self) -> Desk:
        if self._desk is None:
            self._desk = Desk.open(self.path)
        return self._desk

    def _read(self, question: Question[Value]) -> Value:
        with self._opened().reading() as connection:
            return question(connection)

    def _write(self, work: Question[Value]) -> Value:
        with self._opened().writing() as connection:
            return work(connection)

    def _wipe(self) -> bool:
        return self._opened().wipe()

    def _close(self) -> None:
        if self._desk is not None:
            self._desk.close()
