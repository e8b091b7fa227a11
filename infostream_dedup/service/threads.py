"""The threads that write and read the store, search it, and hold the desk."""

from __future__ import annotations

import asyncio
import queue
import sqlite3
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final, TypeVar

from infostream_dedup.errors import CannotWriteError, InfostreamError, StoreMovedError
from infostream_dedup.judgements import Desk
from infostream_dedup.service.problems import ProblemError
from infostream_dedup.stream.deduplicator import Deduplicator
from infostream_dedup.stream.search import Searcher
from infostream_dedup.stream.store import Store
from infostream_dedup.stream.store.connection import FilePlace, place_of

Value = TypeVar("Value")
_Work = tuple[Callable[[Deduplicator], Any], "Future[Any]"]
_STOP: Final = None


class Writer:
    """Runs everything that needs the stream's engine, one after another, in a separate thread."""

    def __init__(self, open_stream: Callable[[], Deduplicator], queued: int) -> None:
        self._open_stream = open_stream
        self._queue: queue.Queue[_Work | None] = queue.Queue(maxsize=queued)
        self._ready = threading.Event()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="writer", daemon=True)
        self.restore_seconds: float | None = None
        self.failure: Exception | None = None
        self.place: FilePlace | None = None

    def start(self) -> None:
        """Start opening the stream."""
        self._thread.start()

    def stop(self) -> None:
        """Finish the current piece of work, refuse the pending ones, and close the stream."""
        self._stopped.set()
        while True:
            try:
                waiting = self._queue.get_nowait()
            except queue.Empty:
                break
            if waiting is not None:
                waiting[1].set_exception(ProblemError(503, "starting", "the service is stopping", retry_after=5))
        self._queue.put(_STOP)
        self._thread.join()

    def wait(self) -> None:
        """Wait until the stream is open, or cannot be opened."""
        self._ready.wait()

    @property
    def ready(self) -> bool:
        """Whether the stream is open."""
        return self._ready.is_set() and self.failure is None and not self._stopped.is_set()

    @property
    def waiting(self) -> int:
        """Number of pending pieces of work."""
        return self._queue.qsize()

    def submit(self, work: Callable[[Deduplicator], Value]) -> Future[Value]:
        """Put a piece of work into the queue."""
        if isinstance(self.failure, StoreMovedError):
            raise self.failure.with_traceback(None)
        if self._stopped.is_set() or self.failure is not None:
            raise ProblemError(503, "starting", retry_after=5)
        future: Future[Value] = Future()
        try:
            self._queue.put_nowait((work, future))
        except queue.Full:
            raise ProblemError(503, "queue-full", retry_after=2, limit=self._queue.maxsize) from None
        return future

    def _run(self) -> None:
        begin = time.perf_counter()
        try:
            stream = self._open_stream()
        except Exception as error:  # reported by /ready and by every request, which the thread must outlive
            self.failure = error
            self._ready.set()
            self._refuse_all()
            return
        self.restore_seconds = time.perf_counter() - begin
        if isinstance(stream.store, Store):
            self.place = place_of(stream.store.connection)
        self._ready.set()
        with stream:
            while (work := self._queue.get()) is not _STOP:
                _run_one(*work, stream)
                failed = None if work[1].cancelled() else work[1].exception()
                if isinstance(failed, StoreMovedError):
                    self.failure = failed

    def _refuse_all(self) -> None:
        while (work := self._queue.get()) is not _STOP:
            work[1].set_exception(ProblemError(503, "starting", "the store cannot be opened", retry_after=30))


def _run_one(work: Callable[[Deduplicator], Any], future: Future[Any], stream: Deduplicator) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        future.set_result(work(stream))
    except (InfostreamError, ProblemError) as error:
        future.set_exception(error)
    except Exception as error:  # a failure in one answer must not end the thread
        future.set_exception(error)


_STEPS: Final = 500_000
"""SQLite checks the clock after this many steps, some tens of milliseconds: each check waits for the other threads."""


class Readers:
    """Answers questions from the store, several at a time, each in one snapshot and within a time limit."""

    def __init__(self, path: Path, threads: int, seconds: float, most: int) -> None:
        self._path, self._seconds, self._most = path, seconds, most
        self._waiting = 0
        self._counting = threading.Lock()
        self._turns = threading.Lock()
        self._own = threading.local()
        self._threads = threads
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="reader")

    def ask(self, question: Callable[[Store], Value]) -> Future[Value]:
        """Submit a question; its answer describes a single state of the store."""
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


class SearchThread:
    """Holds a searcher, which opens the store at the first search."""

    def __init__(self, path: Path, most: int) -> None:
        self._path, self._most = path, most
        self._waiting = 0
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="search")
        self._searcher: Searcher | None = None

    async def hits(self, **asked: Any) -> list[dict[str, Any]]:
        """Find the documents that resemble a text; for the arguments see ``Searcher.search``."""
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
            searcher.close()


Question = Callable[[sqlite3.Connection], Value]


class DeskThread:
    """Gives access to the desk of a store, which is created when it is first needed."""

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

    @property
    def place(self) -> FilePlace | None:
        """Which file is open."""
        return None if self._desk is None else self._desk.place

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
