"""The threads that write and read the store, search it and hold the desk; and the state that all routes share."""

from __future__ import annotations

import asyncio
import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from infostream_dedup.errors import CannotWriteError, StoreMovedError
from infostream_dedup.judgements import Desk, desk_path
from infostream_dedup.service.checker import Checker
from infostream_dedup.service.job_process import JobRunner
from infostream_dedup.service.logs import Metrics, log
from infostream_dedup.service.problems import ProblemError
from infostream_dedup.stream.deduplicator import Deduplicator
from infostream_dedup.stream.search import Searcher
from infostream_dedup.stream.settings import StreamSettings
from infostream_dedup.stream.store import Store
from infostream_dedup.stream.store.connection import FilePlace, place_of
from infostream_dedup.stream.store.opening import settings_at
from infostream_dedup.stream.store.restoring import Position, position_of

if TYPE_CHECKING:
    from starlette.requests import Request

    from infostream_dedup.service.settings import ServiceSettings
    from infostream_dedup.service.tokens import Caller
    from infostream_dedup.stream.health import EpochHealth


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
            while (work := self._queue.get()) is not _STOP:
                work[1].set_exception(ProblemError(503, "starting", "the store cannot be opened", retry_after=30))
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


def _run_one(work: Callable[[Deduplicator], Any], future: Future[Any], stream: Deduplicator) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        future.set_result(work(stream))
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
        return await self._run(lambda: self._ask(Desk.reading, question))

    async def write(self, work: Question[Value]) -> Value:
        """Run one transaction. It is on disk when this returns, and is finished even if the client disconnects."""
        return await self._run(lambda: self._ask(Desk.writing, work))

    def _ask(
        self, transaction: Callable[[Desk], AbstractContextManager[sqlite3.Connection]], question: Question[Value]
    ) -> Value:
        with transaction(self._opened()) as connection:
            return question(connection)

    @property
    def place(self) -> FilePlace | None:
        """Which file is open."""
        return None if self._desk is None else self._desk.place

    async def wipe(self) -> bool:
        """Rewrite the file without remnants of deleted data; return whether none is left."""
        return await self._run(lambda: self._opened().wipe())

    def close(self) -> None:
        """Wait for the current work, and close the file."""
        self._pool.submit(self._close)
        self._pool.shutdown(wait=True)

    async def _run(self, work: Callable[[], Value]) -> Value:
        return await asyncio.shield(asyncio.wrap_future(self._pool.submit(work)))

    def _opened(self) -> Desk:
        if self._desk is None:
            self._desk = Desk.open(self.path)
        return self._desk

    def _close(self) -> None:
        if self._desk is not None:
            self._desk.close()


@dataclass(frozen=True, slots=True)
class Figure:
    """Figures that were counted over the latest documents."""

    position: Position
    begun: float
    value: Any


@dataclass(slots=True)
class LaterBatch:
    """An asynchronous batch that is not on disk."""

    documents: int
    digest: bytes  # of its content
    task: asyncio.Task[None] | None = None
    problem: ProblemError | None = None  # why it failed


@dataclass(slots=True, kw_only=True)
class RunningService:
    """A service from its start to its end."""

    settings: ServiceSettings  # what the service was started with
    metrics: Metrics  # figures for Prometheus
    writer: Writer | None  # None if the service is read-only
    readers: Readers  # the threads that read the store
    searched: SearchThread  # the thread that searches the store
    checker: Checker  # the process that says which verdicts documents would get
    desk: DeskThread  # the thread that reads and writes judgements
    jobs: JobRunner  # runs long work in the background
    # set when the service stops, so that open streams end by themselves
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    loading: bool = False  # whether data for the first answers is still being loaded
    streams: int = 0  # number of open streams of events
    streams_of: dict[str, int] = field(default_factory=dict)  # number of them by caller
    batches_of: dict[str, int] = field(default_factory=dict)  # number of batches that wait for an answer, by caller
    # asynchronous batches that wait, and the latest that failed, by batch id
    later: dict[str, LaterBatch] = field(default_factory=dict)
    figures: dict[str, Figure] = field(default_factory=dict)  # figures over the latest documents by name
    # measured epochs by number, and by what may change them: documents forgotten, thresholds and backups
    epochs: dict[tuple[int, int, int, int], list[EpochHealth]] = field(default_factory=dict)
    # by name, the count in progress or the last one
    counts: dict[str, asyncio.Future[Figure]] = field(default_factory=dict)
    # the latest few sets of candidate pairs, by queue and position of the store
    choices: dict[tuple[str, Position], list[tuple[str, str]]] = field(default_factory=dict)
    rereading: bool = False  # whether the stream is being read again after the store went back to a backup
    failure: StoreMovedError | None = None  # why the service ends by itself
    _place: FilePlace | None = None
    _restored: int | None = None
    _batches: int | None = None
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    @classmethod
    def start(cls, settings: ServiceSettings, metrics: Metrics) -> RunningService:
        """Open the store; the stream is restored in the background."""
        limits = settings.limits
        readers = Readers(settings.store, limits.readers, limits.query_seconds, limits.questions)
        searched = SearchThread(settings.store, limits.searches)
        desk = DeskThread(desk_path(settings.store))
        jobs = JobRunner(settings.store, desk.path)
        jobs.begin()
        writer = place = None
        if settings.read_only:
            with Store.open(settings.store, read_only=True) as store:
                place = place_of(store.connection)
        else:
            writer = Writer(lambda: _warmed(open_stream(settings.store, settings.stream)), limits.queued)
            writer.start()
        return cls(
            settings=settings,
            metrics=metrics,
            writer=writer,
            readers=readers,
            searched=searched,
            checker=Checker(settings.store, limits.checks),
            desk=desk,
            jobs=jobs,
            _place=place,
        )

    def stop(self) -> None:
        """Finish the current batch, and close everything. This waits, so call it in a thread."""
        if self.writer is not None:
            self.writer.stop()
        self.jobs.close()
        self.checker.close()
        self.searched.close()
        self.desk.close()
        self.readers.close()

    async def read(self, question: Callable[[Store], Value]) -> Value:
        """Put a question to the store."""
        if self.writer is not None and not self.writer.ready:
            raise ProblemError(503, "starting", retry_after=2)
        return await asyncio.wrap_future(self.readers.ask(question))

    async def work(self, work: Callable[[Deduplicator], Value]) -> Value:
        """Let the writer do a piece of work, and wait for it."""
        return await asyncio.shield(asyncio.wrap_future(self.submit(work)))

    def submit(self, work: Callable[[Deduplicator], Value]) -> Future[Value]:
        """Let the writer do a piece of work when it has time."""
        if self.writer is None:
            raise ProblemError(403, "read-only", "send it to the service that writes this store")
        if self.rereading:
            raise ProblemError(503, "store-restored", retry_after=2)
        return self.writer.submit(work)

    async def position(self) -> Position:
        """Position of the store."""
        return await self.read(lambda store: position_of(store.connection))

    def check_place(self) -> None:
        """Refuse to go on if the store or the desk was moved, deleted or replaced (StoreMovedError)."""
        if self.failure is None:
            for place in (self._place if self.writer is None else self.writer.place, self.desk.place):
                if place is not None:
                    try:
                        place.check()
                    except StoreMovedError as error:
                        self.failure = error.with_traceback(None)
        if self.failure is not None:
            raise self.failure.with_traceback(None)

    async def see_restored(self) -> None:
        """Read the stream again if the store has gone back to a backup, and tell everybody."""
        position = await self.position()
        before, self._restored = self._restored, position.restored
        if before in (None, position.restored):
            return
        log("restored", level="warning", batches=position.batches, documents=position.documents)
        self.rereading = True
        try:
            if self.writer is not None:
                await asyncio.wrap_future(self.writer.submit(_warmed))
        finally:
            self.rereading = False
        self.tell()

    def see_batches(self, stored: int) -> None:
        """Note how many batches the store has: another process may write to it."""
        if self._batches is not None and stored > self._batches and self.writer is None:
            self.metrics.last_batch.set_to_current_time()
        self._batches = stored

    def tell(self) -> None:
        """Wake everybody who waits for a new batch."""
        self.metrics.last_batch.set(time.time())
        self._news.set()
        self._news = asyncio.Event()

    async def news(self, seconds: float) -> None:
        """Wait until a batch has been stored, the service ends or the time is up."""
        waits = [asyncio.ensure_future(one.wait()) for one in (self._news, self.ended)]
        try:
            await asyncio.wait(waits, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()


def running(request: Request) -> RunningService:
    """The service that received a request."""
    found: RunningService = request.app.state.running
    return found


def caller_of(request: Request) -> Caller:
    """Who sent a request."""
    found: Caller = request.scope["state"]["caller"]
    return found


def open_stream(path: Path, given: Mapping[str, Any]) -> Deduplicator:
    """Open the stream of a store with some settings; what is wrong with them, or with the store, is refused."""
    stored = settings_at(path)
    if stored is not None:
        StreamSettings.of(stored).refuse_other(str(path), preset=given.get("preset"), across=given.get("across"))
    return Deduplicator.open(path, StreamSettings.of({**(stored or {}), **given}))


def _warmed(stream: Deduplicator) -> Deduplicator:
    """Restore the window and load dictionaries before the first batch arrives."""
    stream.best_of("")
    return stream
