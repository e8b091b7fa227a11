"""Batches: the documents that come in, and the verdicts on them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, cast

from fastapi import APIRouter, Request
from starlette.responses import Response

from infostream_dedup.errors import BadDataError
from infostream_dedup.model import Document
from infostream_dedup.model.stream_records import Verdict
from infostream_dedup.service.answers import JsonResponse, needs
from infostream_dedup.service.batch_documents import built_documents, without_conflicts
from infostream_dedup.service.bodies import object_body
from infostream_dedup.service.logs import log_batch
from infostream_dedup.service.problems import ProblemError
from infostream_dedup.service.running import RunningService, caller_of, running
from infostream_dedup.store import Store
from infostream_dedup.store.restoring import position_of
from infostream_dedup.stream.deduplicator import Deduplicator
from infostream_dedup.stream.settings import StreamSettings

__all__ = ["router"]

router = APIRouter(prefix="/v1", tags=["batches"])

_MEMBERS = ("batch_id", "on_error", "documents")
_LONGEST_NAME = 200


@router.post("/batches", dependencies=[needs("writer")], response_class=JsonResponse)
async def take_batch(request: Request) -> Response:
    """Decide a batch of documents in their order. It is on disk before the answer.

    The body is ``{"batch_id": string?, "on_error": "fail" | "skip", "documents": [...]}``, or JSON Lines, one document
    a line. A batch that comes again with the same id and content gets the stored verdicts and ``replayed: true``; so a
    client that got no answer sends the same batch again.
    """
    service = running(request)
    body = await object_body(request, known=_MEMBERS)
    name, skip, items = _checked(body, service.settings.limits.documents)
    caller = caller_of(request).name
    waiting = service.batches_of.get(caller, 0)
    if waiting >= service.settings.limits.batches_at_once:
        raise ProblemError(429, "too-many", "wait for the answers of the batches before", retry_after=1)
    service.batches_of[caller] = waiting + 1
    try:
        answer = await service.work(lambda stream: _decided(stream, name, items, skip=skip))
    finally:
        service.batches_of[caller] -= 1
    _count(service, answer)
    service.tell()
    return JsonResponse({key: value for key, value in answer.items() if key != "seconds"})


@router.get("/batches/{batch_id:path}", dependencies=[needs("reader")], response_class=JsonResponse)
async def show_batch(request: Request, batch_id: str) -> Response:
    """The verdicts of a batch that was stored."""
    stored, fields = await running(request).read(lambda store: (store.batch(batch_id), _fields(store)))
    if stored is None:
        raise ProblemError(404, "not-found", "no batch with this id was stored; it may be sent again")
    return JsonResponse({"batch_id": batch_id, "verdicts": [_row(verdict, fields) for verdict in stored.verdicts]})


def _fields(store: Store) -> tuple[str, ...]:
    return StreamSettings.of_store(store.settings).verdict_fields


def _checked(body: dict[str, Any], most: int) -> tuple[str | None, bool, list[Any]]:
    name, on_error, items = body.get("batch_id"), body.get("on_error", "fail"), body.get("documents")
    if name is not None and (not isinstance(name, str) or not 1 <= len(name.encode()) <= _LONGEST_NAME):
        raise ProblemError(422, "invalid", "a batch id is a string of 1 to 200 bytes", field="batch_id")
    if on_error not in ("fail", "skip"):
        raise ProblemError(422, "invalid", "expected fail or skip", field="on_error")
    if not isinstance(items, list):
        raise ProblemError(422, "invalid", "expected an array of documents", field="documents")
    if len(items) > most:
        raise ProblemError(413, "too-large", "send fewer documents at once", field="documents", limit=most)
    return name, on_error == "skip", items


def _decided(stream: Deduplicator, name: str | None, items: Sequence[Any], *, skip: bool) -> dict[str, Any]:
    """Decide a batch in the writer's thread."""
    begin = time.perf_counter()
    store = cast("Store", stream.store)
    placed, aside = built_documents(items, skip=skip)
    if skip:
        placed, conflicts = without_conflicts(placed, store)
        aside = sorted([*aside, *conflicts], key=lambda one: one.index)
    before = position_of(store.connection).batches
    verdicts = _processed(stream, [document for _, document in placed], [index for index, _ in placed], name)
    position = store.position
    return {
        "batch_id": name,
        "replayed": position.batches == before,
        "position": {"batches": position.batches, "documents": position.documents},
        "verdicts": [_row(verdict, stream.settings.verdict_fields) for verdict in verdicts],
        "quarantined": [one.as_dict() for one in aside],
        "seconds": time.perf_counter() - begin,
    }


def _processed(
    stream: Deduplicator, documents: list[Document], places: list[int], name: str | None
) -> Sequence[Verdict]:
    try:
        return stream.process(documents, batch_id=name)
    except BadDataError as error:
        if error.line is not None:
            error.line = places[error.line - 1] + 1
        raise


def _row(verdict: Verdict, fields: Sequence[str]) -> dict[str, Any]:
    return verdict.as_dict(fields)


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
