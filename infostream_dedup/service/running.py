"""The state that all routes of a running service share."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from infostream_dedup.errors import StoreMovedError
from infostream_dedup.judgements import desk_path
from infostream_dedup.service.checker import Checker
from infostream_dedup.service.job_runner import JobRunner
from infostream_dedup.service.logs import Metrics, log_event
from infostream_dedup.service.problems import ProblemError
from infostream_dedup.service.threads import DeskThread, Readers, SearchThread, Writer
from infostream_dedup.stream.deduplicator import Deduplicator
from infostream_dedup.stream.settings import StreamSettings
from infostream_dedup.stream.store import Store
from infostream_dedup.stream.store.connection import FilePlace, place_of
from infostream_dedup.stream.store.opening import settings_at
from infostream_dedup.stream.store.restoring import Position, position_of

if TYPE_CHECKING:
    from starlette.requests import Request

    from infostream_dedup.runs.batch.stream_health import EpochHealth
    from infostream_dedup.service.settings import ServiceSettings
    from infostream_dedup.service.tokens import Caller

Value = TypeVar("Value")


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
            writer = Writer(lambda: _opened(settings.store, settings.stream), limits.queued)
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
        return await self.read(lambda store: _position(store))

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
        log_event("restored", batches=position.batches, documents=position.documents)
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


def _position(store: Store) -> Position:
    return position_of(store.connection)


def _opened(path: Path, given: dict[str, object]) -> Deduplicator:
    stored = settings_at(path)
    settings = StreamSettings.of(given) if stored is None else StreamSettings.of({**stored, **given})
    return _warmed(Deduplicator.open(path, settings))


def _warmed(stream: Deduplicator) -> Deduplicator:
    """Restore the window and load dictionaries before the first batch arrives."""
    stream.best_of("")
    return stream
