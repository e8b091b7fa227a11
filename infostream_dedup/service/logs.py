"""Lines of JSON on standard error, never with a text, a title, a token or a query; and figures for Prometheus."""

from __future__ import annotations

import sqlite3
import sys
import traceback
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import orjson

from infostream_dedup.errors import InfostreamError, MissingExtraError

try:
    from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest
except ImportError:
    raise MissingExtraError("prometheus_client", "service", "the service") from None

from infostream_dedup.service.problems import ProblemError

if TYPE_CHECKING:
    from infostream_dedup.stream.health import EpochHealth

_PLACES: Final = 8


def log(what: str, *, level: str = "info", **members: Any) -> None:
    """Write the line of a request, a batch, or something that no request caused."""
    line = {"time": datetime.now(UTC).isoformat(timespec="milliseconds"), "level": level, "what": what, **members}
    sys.stderr.write(orjson.dumps(line).decode() + "\n")
    sys.stderr.flush()


def failure_of(error: BaseException) -> dict[str, Any]:
    """Describe what failed and where, the innermost place last."""
    frames = traceback.extract_tb(error.__traceback__)[-_PLACES:]
    message = str(error) if isinstance(error, sqlite3.Error | OSError) else None
    return {
        "failure": type(error).__name__,
        "message": message,
        "places": [f"{Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in frames],
    }


def free_frames(error: BaseException | None) -> None:
    """Let go of what the frames of an answered failure hold, such as whole bodies."""
    # Frames, futures and exceptions hold each other. The collector finds such a circle only much later, because it
    # counts objects, not bytes.
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        traceback.clear_frames(error.__traceback__)
        error.__traceback__ = None
        error = error.__cause__ or error.__context__


def reason_of(error: BaseException) -> str:
    """Say what an operator has to know about a failure that no request caused."""
    return str(error) if isinstance(error, InfostreamError | ProblemError) else type(error).__name__


# Figures for Prometheus. No id, term or source is ever a label

_BATCH_SECONDS = (0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)


class Metrics:
    """All figures of one service."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        # Memory, processor time and open files, under the names that Prometheus gives them everywhere.
        ProcessCollector(registry=self.registry)
        self.documents = self._counter("documents_total", "Documents that got a verdict", "status")
        self.batches = self._counter("batches_total", "Batches answered", "result")
        self.quarantined = self._counter("quarantined_total", "Documents set aside", "code")
        self.requests = self._counter("requests_total", "Requests answered", "route", "status")
        self.judgements = self._counter("judgements_total", "Pairs judged by people", "label")
        self.failures = Counter("failures", "Failures of the service itself", namespace=_NAME, registry=self.registry)
        self.batch_seconds = Histogram(
            "batch_seconds",
            "Time to decide and store a batch",
            namespace=_NAME,
            registry=self.registry,
            buckets=_BATCH_SECONDS,
        )
        self.request_seconds = Histogram(
            "request_seconds", "Time to answer", ["route"], namespace=_NAME, registry=self.registry
        )
        self.queue = self._gauge("queue_batches", "Batches waiting for the writer")
        self.stored = self._gauge("stored_documents", "Documents in the store")
        self.window = self._gauge("window_documents", "Documents with which new ones are compared")
        self.groups = self._gauge("groups", "Groups of two or more documents")
        self.open_alarms = self._gauge("open_alarms", "Alarms that nobody has marked as known or snoozed, at most 200")
        self.silent_sources = self._gauge("silent_sources", "Sources silent for three times their longest pause")
        self.epoch = self._gauge("epoch", "The last closed epoch: S, T, links, share of duplicates", "measure")
        self.epoch_alarms = self._gauge(
            "epoch_alarms", "Measures of that epoch that left those of the epochs before", "measure", "of"
        )
        self.store_bytes = self._gauge("store_bytes", "Size of the store")
        self.log_bytes = self._gauge("wal_bytes", "Size of the store's log")
        self.desk_bytes = self._gauge("desk_bytes", "Size of the desk")
        self.free_bytes = self._gauge("free_bytes", "Free space next to the store")
        self.restore_seconds = self._gauge("restore_seconds", "Time to open the store")
        self.last_batch = self._gauge(
            "last_batch_timestamp_seconds", "When the last batch was stored; until then, when the service was started"
        )
        # With 0, every start would look as if no batch had come since 1970.
        self.last_batch.set_to_current_time()
        self.streams = self._gauge("sse_streams", "Open streams of events")
        self.loop_lag = self._gauge("loop_lag_seconds", "Delay of the event loop")

    def answered(self, route: str, status: int, seconds: float) -> None:
        """Count a request."""
        self.requests.labels(route, str(status)).inc()
        self.request_seconds.labels(route).observe(seconds)

    def page(self) -> bytes:
        """All figures in Prometheus' text format."""
        return generate_latest(self.registry)

    def _counter(self, name: str, what: str, *labels: str) -> Counter:
        return Counter(name, what, labels, namespace=_NAME, registry=self.registry)

    def _gauge(self, name: str, what: str, *labels: str) -> Gauge:
        return Gauge(name, what, labels, namespace=_NAME, registry=self.registry)

    def see_epoch(self, rows: Sequence[EpochHealth]) -> None:
        """Show the rows of the last closed epoch; sources are counted, not named."""
        from infostream_dedup.stream.health import MEASURES, TOPICS

        self.epoch.clear()
        self.epoch_alarms.clear()
        for name, value in rows[0].as_dict().items():
            if isinstance(value, int | float):
                self.epoch.labels("number" if name == "epoch" else name).set(value)
        for name in (*MEASURES, TOPICS):
            self.epoch_alarms.labels(name, "stream").set(name in rows[0].alarms)
            self.epoch_alarms.labels(name, "sources").set(sum(name in one.alarms for one in rows[1:]))


_NAME = "infostream_dedup"
