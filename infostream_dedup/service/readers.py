"""Threads that read the store, each with its own connection."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final, TypeVar

from infostream_dedup.errors import CannotWriteError
from infostream_dedup.service.problems import ProblemError
from infostream_dedup.stream.store import Store

__all__ = ["Readers"]

Value = TypeVar("Value")
_STEPS: Final = 500_000
"""SQLite checks the clock after this many steps, some tens of milliseconds: each check waits for the other threads."""


class Readers:
    """Answers questions from the store, several at a time, each in one snapshot and within a time limit.

    Args:
        path: the store; opened by each thread when it is first needed.
        threads: how many.
        seconds: time limit of one question.
        most: maximum number of pending questions.
    """

    def __init__(self, path: Path, threads: int, seconds: float, most: int) -> None:
        self._path, self._seconds, self._most = path, seconds, most
        self._waiting = 0
        self._counting = threading.Lock()
        self._turns = threading.Lock()
        self._own = threading.local()
        self._threads = threads
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="reader")

    def ask(self, question: Callable[[Store], Value]) -> Future[Value]:
        """Submit a question; its answer describes a single state of the store.

        The future raises ProblemError ``too-slow`` when the time is up.

        Raises:
            ProblemError: ``queue-full``.
        """
        with self._counting:
            if self._waiting >= self._most:
                raise ProblemError(503, "queue-full", retry_after=2, limit=self._most)
            self._waiting += 1
        asked = self._pool.submit(self._answer, question)
        asked.add_done_callback(self._answered)
        return asked

    def open_all(self) -> None:
        """Open the connections now, so that no question has to wait for them."""
        for opened in self._in_each(self._opened):
            opened.result()

    def close(self) -> None:
        """Wait for the current questions, and close the connections, each in its own thread."""
        self._in_each(self._close_own)
        self._pool.shutdown(wait=True)

    def _answered(self, _: Future[Any]) -> None:
        with self._counting:
            self._waiting -= 1

    def _in_each(self, work: Callable[[], object]) -> list[Future[object]]:
        together = threading.Barrier(self._threads)

        def turn() -> object:
            # No thread takes a second turn before all have had theirs.
            together.wait()
            return work()

        # If turns of two kinds were mixed, some threads would wait for one kind, the others for the other, forever.
        with self._turns:
            return [self._pool.submit(turn) for _ in range(self._threads)]

    def _close_own(self) -> None:
        store = getattr(self._own, "store", None)
        if store is not None:
            # One after another: SQLite removes its log only if no other connection is open, not even a closing one.
            with self._counting:
                store.close()

    def _opened(self) -> Store:
        store: Store | None = getattr(self._own, "store", None)
        if store is None:
            store = self._own.store = Store.open(self._path, read_only=True)
        return store

    def _answer(self, question: Callable[[Store], Value]) -> Value:
        store = self._opened()
        end = time.monotonic() + self._seconds
        store.connection.set_progress_handler(lambda: time.monotonic() > end, _STEPS)
        try:
            with store.reading():
                return question(store)
        except (sqlite3.OperationalError, CannotWriteError) as error:
            if time.monotonic() > end:
                raise ProblemError(503, "too-slow", retry_after=1) from error
            raise
        finally:
            store.connection.set_progress_handler(None, 0)
