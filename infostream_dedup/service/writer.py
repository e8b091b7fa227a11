"""The one thread that writes to the store, and its queue."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, Final, TypeVar

from infostream_dedup.errors import InfostreamError
from infostream_dedup.service.problems import ProblemError
from infostream_dedup.stream.deduplicator import Deduplicator

__all__ = ["Writer"]

Value = TypeVar("Value")
_Work = tuple[Callable[[Deduplicator], Any], "Future[Any]"]
_STOP: Final = None


class Writer:
    """Runs everything that needs the stream's engine, one after another, in a separate thread.

    Args:
        open_stream: opens the stream; called in the thread.
        queued: maximum number of pending pieces of work.

    Attributes:
        restore_seconds: how long it took to open the stream; None until then.
        failure: why the stream could not be opened; None if it could.
    """

    def __init__(self, open_stream: Callable[[], Deduplicator], queued: int) -> None:
        self._open_stream = open_stream
        self._queue: queue.Queue[_Work | None] = queue.Queue(maxsize=queued)
        self._ready = threading.Event()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="writer", daemon=True)
        self.restore_seconds: float | None = None
        self.failure: Exception | None = None

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
        """Put a piece of work into the queue.

        Raises:
            ProblemError: ``queue-full`` or ``starting``.
        """
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
        self._ready.set()
        with stream:
            while (work := self._queue.get()) is not _STOP:
                _run_one(*work, stream)

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
