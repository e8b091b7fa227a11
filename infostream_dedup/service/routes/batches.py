"""Batches: incoming documents, and the verdicts on them."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from infostream_dedup.service.answers import JsonResponse, needs
from infostream_dedup.service.batch_decisions import BATCH_MEMBERS, checked_batch, decided_batch
from infostream_dedup.service.bodies import object_body
from infostream_dedup.service.contract import body_of
from infostream_dedup.service.figures import count_soon
from infostream_dedup.service.logs import log_batch
from infostream_dedup.service.problems import ProblemError
from infostream_dedup.service.running import RunningService, caller_of, running
from infostream_dedup.stream.settings import StreamSettings
from infostream_dedup.stream.store import Store

__all__ = ["router"]

router = APIRouter(prefix="/v1", tags=["batches"])


@router.post(
    "/batches", dependencies=[needs("writer")], response_class=JsonResponse, openapi_extra=body_of("batch", lines=True)
)
async def take_batch(request: Request) -> Response:
    """Decide a batch of documents in their order; it is on disk before the answer is sent.

    The body is ``{"batch_id": string?, "on_error": "fail" | "skip", "on_conflict": "error" | "version", "documents":
    [...]}``, or JSON Lines, one document a line. A batch sent again with the same id and content gets the stored
    verdicts and ``replayed: true``, so a client that got no answer simply sends the batch again. A known id with other
    content is an error; with ``version`` it is a correction: another version of the document.
    """
    service = running(request)
    caller = caller_of(request).name
    waiting = service.batches_of.get(caller, 0)
    if waiting >= service.settings.limits.batches_at_once:
        raise ProblemError(429, "too-many", "wait for the answers to earlier batches", retry_after=1)
    # Before it is unpacked: the limit also bounds memory.
    service.batches_of[caller] = waiting + 1
    try:
        body = await object_body(request, known=BATCH_MEMBERS)
        batch = checked_batch(body, service.settings.limits.documents)
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
