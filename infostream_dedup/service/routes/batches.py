"""Batches: incoming documents, the verdicts on them, checks, and the live stream of verdicts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import orjson
from fastapi import APIRouter, Request
from starlette.responses import Response, StreamingResponse

from infostream_dedup.model.thresholds import Thresholds
from infostream_dedup.service.answers import JsonResponse, needs, read_body
from infostream_dedup.service.batches import (
    GivenBatch,
    GivenDocuments,
    GivenThresholds,
    built_documents,
    decided_batch,
    refuse_many,
)
from infostream_dedup.service.contract import body_of, file_of
from infostream_dedup.service.figures import count_soon
from infostream_dedup.service.logs import log_batch
from infostream_dedup.service.problems import ProblemError
from infostream_dedup.service.running import RunningService, caller_of, running
from infostream_dedup.service.tokens import LOCAL
from infostream_dedup.stream.retuning import retune as retune_store
from infostream_dedup.stream.settings import StreamSettings
from infostream_dedup.stream.store.browsing import group_events, verdict_log
from infostream_dedup.stream.store.restoring import Position, position_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.types import Receive, Scope, Send

    from infostream_dedup.stream.store import Store

router = APIRouter(prefix="/v1", tags=["batches"])


@router.post(
    "/batches",
    dependencies=[needs("writer")],
    response_class=JsonResponse,
    openapi_extra=body_of(GivenBatch, lines=True),
)
async def take_batch(request: Request) -> Response:
    """Decide a batch of documents in their order; it is on disk before the answer is sent.

    The body is ``{"batch_id": string?, "on_error": "fail" | "skip", "on_conflict": "item" | "error" | "version",
    "documents": [...]}``, or JSON Lines, one document a line. A batch sent again with the same id and content gets the
    stored verdicts and ``replayed: true``, so a client that got no answer simply sends the batch again. A known id with
    other content is an error; with ``version``, or with ``item`` if the document has a field ``item`` as those of
    ``collect`` have, it is a correction: another version of the document.
    """
    service = running(request)
    caller = caller_of(request).name
    waiting = service.batches_of.get(caller, 0)
    if waiting >= service.settings.limits.batches_at_once:
        raise ProblemError(429, "too-many", "wait for the answers to earlier batches", retry_after=1)
    # Before it is unpacked: the limit also bounds memory.
    service.batches_of[caller] = waiting + 1
    try:
        batch = await read_body(request, GivenBatch)
        refuse_many(batch.documents, service.settings.limits.documents)
        answer = await service.work(lambda stream: decided_batch(stream, batch))
    finally:
        service.batches_of[caller] -= 1
    _count(service, answer)
    service.tell()
    count_soon(service)
    return JsonResponse({key: value for key, value in answer.items() if key != "seconds"})


@router.get("/batches/{batch_id:path}", dependencies=[needs("reader")], response_class=JsonResponse)
async def show_batch(request: Request, batch_id: str) -> Response:
    """The verdicts of a batch that was stored."""
    stored, fields = await running(request).read(lambda store: (store.batch(batch_id), _fields(store)))
    if stored is None:
        raise ProblemError(404, "not-found", "no batch with this id was stored; it may be sent again")
    return JsonResponse({"batch_id": batch_id, "verdicts": [verdict.as_dict(fields) for verdict in stored.verdicts]})


def _fields(store: Store) -> tuple[str, ...]:
    return StreamSettings.of(store.settings).verdict_fields


def _count(service: RunningService, answer: dict[str, Any]) -> None:
    metrics = service.metrics
    metrics.batches.labels("replayed" if answer["replayed"] else "stored").inc()
    metrics.batch_seconds.observe(answer["seconds"])
    if not answer["replayed"]:
        for verdict in answer["verdicts"]:
            metrics.documents.labels(verdict["status"]).inc()
    for one in answer["quarantined"]:
        metrics.quarantined.labels(one["code"]).inc()
    log_batch(
        documents=len(answer["verdicts"]),
        quarantined=len(answer["quarantined"]),
        replayed=answer["replayed"],
        ms=round(answer["seconds"] * 1000, 1),
    )


@router.post(
    "/thresholds", dependencies=[needs("admin")], response_class=JsonResponse, openapi_extra=body_of(GivenThresholds)
)
async def retune(request: Request) -> Response:
    """Judge documents by new thresholds from the next one on, or from ``first`` on; no earlier verdict changes.

    The body has the tables of a file that ``sweep --write-config`` wrote: ``{"thresholds": {"morph": {"k": 7}},
    "judged": {...}, "measured": {"n": 12, "score": "count", "target": "text", "complete": true}}``.
    """
    service = running(request)
    asked = await read_body(request, GivenThresholds)
    tables = {"thresholds": asked.thresholds, "judged": asked.judged, "measured": asked.measured}
    thresholds = Thresholds.of(tables, "the request")
    found = await service.work(lambda stream: retune_store(stream.store, thresholds, first=asked.first))
    service.tell()
    return JsonResponse(found.as_dict())


@router.post(
    "/check", dependencies=[needs("reader")], response_class=JsonResponse, openapi_extra=body_of(GivenDocuments)
)
async def check(request: Request) -> Response:
    """The verdicts that at most 100 documents would get now, in their order; nothing is stored.

    The body is ``{"on_conflict": "item" | "error" | "version", "documents": [...]}``, as of a batch. The
    first question takes as long as restoring the window.
    """
    service = running(request)
    asked = await read_body(request, GivenDocuments)
    refuse_many(asked.documents, service.settings.limits.checked)
    built_documents(asked.documents, skip=False)
    # While the store is being opened, there is nothing to compare with.
    await service.position()
    return JsonResponse({"verdicts": await service.checker.verdicts(asked.documents, asked.on_conflict)})


events_router = APIRouter(prefix="/v1", tags=["events"])
_ROWS: Final = 200
_DIGITS: Final = 18
_MOST_ORDINAL: Final = 1 << 62
_COMMENT_SECONDS: Final = 15.0
_OTHERS_SECONDS: Final = 2.0
"""Time after which to look again whether another process has written to the store."""


@events_router.get(
    "/verdicts/events", dependencies=[needs("reader")], response_class=Response, responses=file_of("text/event-stream")
)
async def follow_verdicts(request: Request, after: int | None = None) -> Response:
    """All verdicts from a given place on, then each new one as it is stored.

    The id of an event ``verdict`` is the document's ordinal. A client that reconnects with ``Last-Event-ID`` continues
    after it; by default the stream begins with the next verdict. What a document does to groups comes before its
    verdict: ``merge``, ``expiry``, ``alarm``, and ``limit`` (a source exceeds its loss limit). After ``restored`` the
    store has gone back to a backup: documents from ``documents`` on are gone, and their ordinals are given again.
    """
    service = running(request)
    last = request.headers.get("last-event-id", "")
    if last.isascii() and last.isdigit() and len(last) < _DIGITS:
        place = int(last)
    elif after is not None:
        place = min(max(after, -1), _MOST_ORDINAL)
    else:
        place = (await service.position()).documents - 1
    # Nothing is awaited between check and count, so that no burst of clients exceeds the limit.
    limits, caller = service.settings.limits, caller_of(request)
    # Without tokens, everybody is the same caller.
    most = limits.streams if caller is LOCAL else limits.streams_of_caller
    if service.streams >= limits.streams or service.streams_of.get(caller.name, 0) >= most:
        raise ProblemError(429, "too-many", "close another stream of events first", retry_after=5)
    return _CountedStream(service, place, caller.name)


class _CountedStream(StreamingResponse):
    """Counts as an open stream from its creation until it ends."""

    def __init__(self, service: RunningService, place: int, caller: str) -> None:
        # Otherwise nginx would hold events back until kilobytes have come together.
        headers = {"x-accel-buffering": "no"}
        super().__init__(_events(service, place), media_type="text/event-stream", headers=headers)
        self._service, self._caller = service, caller
        self._count(1)

    def _count(self, more: int) -> None:
        streams = self._service.streams_of
        streams[self._caller] = streams.get(self._caller, 0) + more
        self._service.streams += more

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._count(-1)


async def _events(service: RunningService, place: int) -> AsyncIterator[bytes]:
    silent, restored = 0.0, (await service.position()).restored
    yield b": verdicts\n\n"
    while not service.ended.is_set():
        lines, last, now = await service.read(lambda store, place=place: _lines_after(store, place))  # type: ignore[misc]
        if now.restored != restored:
            # What was sent may no longer be true, and ordinals may begin again.
            restored, place = now.restored, min(place, now.documents - 1)
            yield b"event: restored\ndata: %s\n\n" % orjson.dumps({"documents": now.documents})
            continue
        if lines:
            place, silent = last, 0.0
            yield b"".join(lines)
            continue
        await service.news(_OTHERS_SECONDS)
        silent += _OTHERS_SECONDS
        if silent >= _COMMENT_SECONDS:
            silent = 0.0
            yield b": nothing new\n\n"


def _lines_after(store: Store, place: int) -> tuple[list[bytes], int, Position]:
    """The next events after a document, the last document that they cover, and the position of the store."""
    position = position_of(store.connection)
    rows = verdict_log(store.connection, place, _ROWS)
    if not rows:
        return [], place, position
    last: int = rows[-1]["ordinal"]
    verdicts = [(row["ordinal"], 1, b"id: %d\nevent: verdict\n" % row["ordinal"], row) for row in rows]
    # Without an id: a client that reconnects between them and their verdict gets them again.
    changes = [
        (row["ordinal"], 0, b"event: %s\n" % row["kind"].encode(), row)
        for row in group_events(store.connection, rows[0]["ordinal"], last)
    ]
    placed = sorted([*verdicts, *changes], key=lambda one: one[:2])
    return [b"%sdata: %s\n\n" % (head, orjson.dumps(row)) for _, _, head, row in placed], last, position
