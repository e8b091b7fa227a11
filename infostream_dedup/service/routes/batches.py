"""Batches, over HTTP or from a queue: incoming documents, the verdicts on them, checks, the live stream of verdicts."""

from __future__ import annotations

import asyncio
import time
import unicodedata
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, ExitStack
from typing import Annotated, Any, Final, Literal, NamedTuple, cast
from urllib.parse import quote

import orjson
from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, Field, WithJsonSchema, field_validator
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from infostream_dedup.documents.block_reading import block_of_placed, block_of_values
from infostream_dedup.documents.column_names import FIELDS
from infostream_dedup.documents.documents import DocumentBuilder
from infostream_dedup.documents.records import Place, Record
from infostream_dedup.errors import BadDataError
from infostream_dedup.model import Document, DocumentBlock
from infostream_dedup.model.settings import Thresholds
from infostream_dedup.service import answer_models as forms
from infostream_dedup.service import answers
from infostream_dedup.service.figures import count_soon
from infostream_dedup.service.logs import log, reason_of
from infostream_dedup.service.problems import Body, ProblemError, checked, detail_of, problem_of
from infostream_dedup.service.running import LaterBatch, RunningService, caller_of, running
from infostream_dedup.service.tokens import LOCAL, TakenRoom
from infostream_dedup.stream.deduplicator import Deduplicator, OnConflict, built_documents
from infostream_dedup.stream.preparation import batch_hash, content_hashes
from infostream_dedup.stream.retuning import retune as retune_store
from infostream_dedup.stream.settings import StreamSettings
from infostream_dedup.stream.store import Store
from infostream_dedup.stream.store.browsing import group_events, verdict_log
from infostream_dedup.stream.store.restoring import Position, position_of

_SOURCE: Final = "<batch>"


class CheckedDocuments(NamedTuple):
    """The documents of a batch."""

    good: DocumentBlock
    numbers: Sequence[int]  # number of each of these, from 1
    bad: list[BadDataError]  # errors of the others


def checked_documents(items: Sequence[Any], *, skip: bool) -> CheckedDocuments:
    """Check the documents of a batch; the first bad one is raised, or all are set aside."""
    builder = DocumentBuilder()

    def build(item: Any, number: int) -> Document:
        place = Place(_SOURCE, number)
        if isinstance(item, ProblemError):
            raise place.error("E_JSON", f"expected JSON, {item.detail}")
        if not isinstance(item, dict):
            raise place.error("E_TYPE", "expected an object")
        return builder.build(Record(item, place))

    try:
        return CheckedDocuments(block_of_values(items, build), range(1, len(items) + 1), [])
    except BadDataError:
        if not skip:
            raise
    good, bad = built_documents(items, build)
    placed = [(document, Place(_SOURCE, number)) for number, document in good]
    return CheckedDocuments(block_of_placed(placed), [number for number, _ in good], bad)


def _set_aside(error: BadDataError) -> dict[str, Any]:
    """A document that could not be decided, as a row of the answer."""
    told = error.message if error.code == "E_ID_CONFLICT" else detail_of(error)
    return {"index": (error.line or 1) - 1, "code": error.code, "field": error.field, "detail": told}


_LONGEST_NAME: Final = 200
_NAMED: Final = 20
_USED: Final = frozenset((*FIELDS, "item", "extra"))
"""Members of documents; of the others, the answer says that they are not used."""

_DOCUMENT: Final = {
    "type": "object",
    "required": ["id", "text"],
    "properties": {
        "id": {"type": ["string", "integer"], "description": "a number stands for its digits"},
        **{name: {"type": "string"} for name in ("text", "title", "source", "url")},
        "lang": {"type": "string", "description": "any code of ISO 639; found in the text if missing"},
        "published": {"type": "string", "description": "ISO 8601; a day, month or year is enough"},
        "item": {"type": "string", "description": "the item of which this is a version"},
        "extra": {"description": "anything; comes back in the document's verdict and is not stored"},
    },
}
"""Described here, and checked by ``DocumentBuilder`` like the records of a file."""

_FIRST: Final = {
    "id": 4711,
    "title": "Port of Odesa reopens",
    "text": "The port of Odesa reopened on Tuesday after a storm.",
    "source": "example.org",
    "published": "2026-03-01T10:30:00Z",
    "extra": {"desk": "economy"},
}
DOCUMENTS_EXAMPLE: Final = {"documents": [_FIRST]}
BATCH_EXAMPLE: Final = {"batch_id": "2026-03-01/1", **DOCUMENTS_EXAMPLE}


class GivenDocuments(Body):
    """Documents as they were sent, not yet checked, and what to do with a known id and other content."""

    on_conflict: OnConflict = "item"
    documents: Annotated[list[Any], WithJsonSchema({"type": "array", "items": _DOCUMENT})]


class GivenThresholds(Body):
    """The tables of a file of thresholds, and the first document that is judged by them."""

    thresholds: dict[str, Any]
    judged: dict[str, Any] = Field(default_factory=dict)
    measured: dict[str, Any]
    first: Annotated[int, Field(ge=0)] | None = None


class GivenBatch(GivenDocuments):
    """A batch as it was sent; without an id, its content identifies it."""

    batch_id: Annotated[str, Field(min_length=1, max_length=_LONGEST_NAME)] | None = None
    on_error: Literal["fail", "skip"] = "fail"

    @field_validator("batch_id")
    @classmethod
    def _is_short(cls, name: str | None) -> str | None:
        if name is not None and len(name.encode()) > _LONGEST_NAME:
            raise ValueError("a batch id is a string of 1 to 200 bytes")
        if any(unicodedata.category(one) == "Cc" for one in name or ""):
            raise ValueError("a batch id has no control characters")
        return name


def ignored_members(documents: Sequence[Any]) -> list[str]:
    """The names of members that no document needs; the answer tells them, so that a misspelt one is noticed."""
    return sorted({name for one in documents if isinstance(one, dict) for name in one} - _USED)[:_NAMED]


def with_extra(verdicts: Sequence[dict[str, Any]], documents: Sequence[Any]) -> list[dict[str, Any]]:
    """Give back what a client attached to its documents, in the same order."""
    return [
        verdict | {"extra": one["extra"]} if isinstance(one, dict) and "extra" in one else verdict
        for verdict, one in zip(verdicts, documents, strict=True)
    ]


def refuse_many(documents: Sequence[Any], most: int) -> None:
    """Refuse more documents than a request may have; ProblemError ``too-large``."""
    if len(documents) > most:
        raise ProblemError(413, "too-large", "send fewer documents at once", field="documents", limit=most)


def name_of(batch: GivenBatch) -> tuple[str, bytes]:
    """The id of a batch, by default that of its content, and a digest of its content; BadDataError as on deciding."""
    digest = batch_hash(content_hashes(checked_documents(batch.documents, skip=batch.on_error == "skip").good))
    return batch.batch_id or digest.hex(), digest


def decided_batch(stream: Deduplicator, batch: GivenBatch) -> dict[str, Any]:
    """Decide a batch in the writer's thread; it is on disk when this returns."""
    begin, store = time.perf_counter(), cast("Store", stream.store)
    good, numbers, bad = checked_documents(batch.documents, skip=batch.on_error == "skip")
    before = position_of(store.connection).batches
    verdicts = stream.process(good, batch_id=batch.batch_id, on_conflict=batch.on_conflict, on_error=batch.on_error)
    for error in verdicts.quarantined:
        error.line = numbers[(error.line or 1) - 1]
    aside = {error.line or 0: error for error in (*bad, *verdicts.quarantined)}
    hashes = {} if batch.batch_id else dict(zip(numbers, content_hashes(good), strict=True))
    numbers = [one for one in numbers if one not in aside]
    position = store.position
    return {
        "batch_id": batch.batch_id or batch_hash([*map(hashes.__getitem__, numbers)]).hex(),
        "replayed": position.batches == before,
        "position": {"batches": position.batches, "documents": position.documents},
        "verdicts": with_extra(
            [verdict.as_dict(stream.settings.verdict_fields) for verdict in verdicts],
            [batch.documents[number - 1] for number in numbers],
        ),
        "quarantined": [_set_aside(aside[line]) for line in sorted(aside)],
        "ignored": ignored_members(batch.documents),
        "seconds": time.perf_counter() - begin,
    }


router = APIRouter(prefix="/v1", tags=["batches"], route_class=answers.LiteralEndRoute)
_UNKNOWN: Final = "no batch with this id was stored; it may be sent again"
_FAILED: Final = 1_000  # failed asynchronous batches whose problems are kept


class BatchQuestion(BaseModel):
    """What a batch in JSON Lines has in the address, as there is no other place; also for other bodies."""

    batch_id: str | None = None
    on_error: Literal["fail", "skip"] | None = None
    on_conflict: OnConflict | None = None
    wait: bool = True

    def completed(self, body: Any) -> Any:
        """A body with what the address says."""
        if not isinstance(body, dict):
            return body
        given = self.model_dump(exclude={"wait"}, exclude_none=True)
        other = next((name for name, value in given.items() if name in body and body[name] != value), None)
        if other is not None:
            raise ProblemError(422, "invalid", "address and body differ; give it once", field=other)
        return body | given


@router.post(
    "/batches",
    dependencies=answers.WRITER,
    response_model=forms.BatchDecided,
    responses={202: {"model": forms.BatchStatus, "description": "The batch waits; ask for its status"}},
    openapi_extra=forms.body_of(GivenBatch, BATCH_EXAMPLE, lines=True),
)
async def take_batch(request: Request, asked: Annotated[BatchQuestion, Query()]) -> Response:
    """Decide a batch of documents in their order; it is on disk before the answer is sent.

    The body is ``{"batch_id": string?, "on_error": "fail" | "skip", "on_conflict": "item" | "error" | "version",
    "documents": [...]}``, or JSON Lines, one document a line, with ``batch_id`` and the others in the address. A batch
    sent again with the same id and content gets the stored verdicts and ``replayed: true``, so a client that got no
    answer simply sends the batch again. A known id with other content is an error; with ``version``, or with ``item``
    if the document has a field ``item`` as those of ``collect`` have, it is a correction: another version of the
    document. ``ignored`` names members that the service does not use; ``extra`` comes back in the verdict.

    With ``wait=false``, the answer is 202 at once, and the batch is decided later: it is on disk once its status is
    ``stored``. A service that ends before forgets it, and the client sends it again.
    """
    return await _taken(request, asked.completed, wait=asked.wait)


@router.post(
    "/documents",
    dependencies=answers.WRITER,
    response_model=forms.BatchDecided,
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {
                    "schema": {"anyOf": [forms.DOCUMENT, {"type": "array", "items": forms.DOCUMENT}]},
                    "example": DOCUMENTS_EXAMPLE["documents"][0],
                },
                "application/x-ndjson": {"schema": {"type": "string"}},
            },
        },
        "parameters": [{"name": "Idempotency-Key", "in": "header", "schema": {"type": "string"}}],
    },
)
async def take_documents(
    request: Request, on_error: Literal["fail", "skip"] = "fail", on_conflict: OnConflict = "item"
) -> Response:
    """Decide one document, or a few in a list or JSON Lines; each is on disk before the answer is sent.

    The header ``Idempotency-Key`` is the batch id: with it, the same documents sent again change nothing.
    """
    lines = request.headers.get("content-type", "").startswith("application/x-ndjson")
    options = {"on_error": on_error, "on_conflict": on_conflict, "batch_id": request.headers.get("idempotency-key")}

    def completed(body: Any) -> Any:
        documents = body["documents"] if lines else body if isinstance(body, list) else [body]
        return {"documents": documents, **options}

    return await _taken(request, completed, wait=True)


async def _taken(request: Request, completed: Callable[[Any], Any], *, wait: bool) -> Response:
    service = running(request)
    caller = caller_of(request).name
    waiting = service.batches_of.get(caller, 0)
    if waiting >= service.settings.limits.batches_at_once:
        raise ProblemError(429, "too-many", "wait for the answers to earlier batches", retry_after=1)
    # Before the body is unpacked: the limit also bounds memory.
    service.batches_of[caller] = waiting + 1
    with ExitStack() as held:
        held.callback(_give_back, service, caller)
        batch = checked(GivenBatch, completed(await answers.json_body(request)))
        refuse_many(batch.documents, service.settings.limits.documents)
        if wait:
            return answers.JsonResponse(
                _answered(service, await service.work(lambda stream: decided_batch(stream, batch)))
            )
        name, digest = await asyncio.to_thread(name_of, batch)
        place = quote(name, safe="")
        known = service.later.get(name)
        if known is None or known.problem is not None:
            own: TakenRoom = request.scope["state"]["room"]
            size = own.size
            own.take(0)
            held.enter_context(own.another()).take(size)
            work = service.submit(lambda stream: decided_batch(stream, batch.model_copy(update={"batch_id": name})))
            known = LaterBatch(len(batch.documents), digest)
            service.later[name] = known
            known.task = asyncio.ensure_future(_decided_later(service, name, work, held.pop_all()))
        elif known.digest != digest:
            raise ProblemError(409, "batch-conflict")
        return answers.JsonResponse(_status(name, known), 202, {"location": f"/v1/batches/{place}/status"})


def _give_back(service: RunningService, caller: str) -> None:
    service.batches_of[caller] -= 1


async def _decided_later(
    service: RunningService, name: str, work: Future[dict[str, Any]], held: AbstractContextManager[Any]
) -> None:
    with held:
        try:
            _answered(service, await asyncio.wrap_future(work))
            del service.later[name]
        except Exception as error:  # the status of the batch says it
            service.later[name].problem = problem_of(error)
            log("later", level="warning", code=problem_of(error).code, reason=reason_of(error))
    failed = [one for one, batch in service.later.items() if batch.problem is not None]
    for one in failed[:-_FAILED]:
        del service.later[one]


def _answered(service: RunningService, answer: dict[str, Any]) -> dict[str, Any]:
    _count(service, answer)
    service.tell()
    count_soon(service)
    return {key: value for key, value in answer.items() if key != "seconds"}


def _status(name: str, batch: LaterBatch) -> dict[str, Any]:
    problem = None if batch.problem is None else orjson.loads(batch.problem.body())
    state = "waiting" if problem is None else "failed"
    return {"batch_id": name, "state": state, "documents": batch.documents, "problem": problem}


@router.get("/batches/{batch_id:path}/status", dependencies=answers.READER, response_model=forms.BatchStatus)
async def show_batch_status(request: Request, batch_id: str) -> Response:
    """Whether an asynchronous batch is ``waiting``, ``stored`` on disk, or ``failed``, and why."""
    service = running(request)
    waiting = service.later.get(batch_id)
    if waiting is not None:
        return answers.JsonResponse(_status(batch_id, waiting))
    stored = answers.existing(await service.read(lambda store: store.batch(batch_id)), _UNKNOWN)
    known = {"batch_id": batch_id, "state": "stored", "documents": len(stored.verdicts), "problem": None}
    return answers.JsonResponse(known)


@router.get("/batches/{batch_id:path}", dependencies=answers.READER, response_model=forms.BatchStored)
async def show_batch(request: Request, batch_id: str) -> Response:
    """The verdicts of a batch that was stored."""
    stored, settings = await running(request).read(lambda store: (store.batch(batch_id), store.settings))
    verdicts, fields = answers.existing(stored, _UNKNOWN).verdicts, StreamSettings.of(settings).verdict_fields
    return answers.JsonResponse({"batch_id": batch_id, "verdicts": [verdict.as_dict(fields) for verdict in verdicts]})


_THRESHOLDS: Final = {
    "thresholds": {"morph": {"k": 7}},
    "measured": {"n": 12, "score": "count", "target": "text", "complete": True},
}


def _count(service: RunningService, answer: dict[str, Any]) -> None:
    metrics = service.metrics
    metrics.batches.labels("replayed" if answer["replayed"] else "stored").inc()
    metrics.batch_seconds.observe(answer["seconds"])
    if not answer["replayed"]:
        for verdict in answer["verdicts"]:
            metrics.documents.labels(verdict["status"]).inc()
    for one in answer["quarantined"]:
        metrics.quarantined.labels(one["code"]).inc()
    log(
        "batch",
        documents=len(answer["verdicts"]),
        quarantined=len(answer["quarantined"]),
        replayed=answer["replayed"],
        ms=round(answer["seconds"] * 1000, 1),
    )


@router.post(
    "/thresholds",
    dependencies=answers.ADMIN,
    response_model=forms.Retuned,
    openapi_extra=forms.body_of(GivenThresholds, _THRESHOLDS),
)
async def retune(request: Request) -> Response:
    """Judge documents by new thresholds from the next one on, or from ``first`` on; no earlier verdict changes.

    The body has the tables of a file that ``sweep --write-config`` wrote: ``{"thresholds": {"morph": {"k": 7}},
    "judged": {...}, "measured": {"n": 12, "score": "count", "target": "text", "complete": true}}``.
    """
    service = running(request)
    asked = await answers.read_body(request, GivenThresholds)
    tables = {"thresholds": asked.thresholds, "judged": asked.judged, "measured": asked.measured}
    thresholds = Thresholds.of(tables, "the request")
    found = await service.work(lambda stream: retune_store(stream.store, thresholds, first=asked.first))
    service.tell()
    return answers.JsonResponse(found.as_dict())


@router.post(
    "/check",
    dependencies=answers.READER,
    response_model=forms.Verdicts,
    openapi_extra=forms.body_of(GivenDocuments, DOCUMENTS_EXAMPLE),
)
async def check(request: Request) -> Response:
    """The verdicts that at most 100 documents would get now, in their order; nothing is stored.

    The body is ``{"on_conflict": "item" | "error" | "version", "documents": [...]}``, as of a batch. The
    first question takes as long as restoring the window.
    """
    service = running(request)
    asked = await answers.read_body(request, GivenDocuments)
    refuse_many(asked.documents, service.settings.limits.checked)
    checked_documents(asked.documents, skip=False)
    service.check_place()
    # While the store is being opened, there is nothing to compare with.
    await service.position()
    verdicts = await service.checker.verdicts(asked.documents, asked.on_conflict)
    answer = {"verdicts": with_extra(verdicts, asked.documents), "ignored": ignored_members(asked.documents)}
    return answers.JsonResponse(answer)


events_router = APIRouter(prefix="/v1", tags=["events"], dependencies=answers.READER)
_ROWS: Final = 200
_DIGITS: Final = 18
_MOST_ORDINAL: Final = 1 << 62
_COMMENT_SECONDS: Final = 15.0
_OTHERS_SECONDS: Final = 2.0  # time after which to look again whether another process has written to the store


@events_router.get("/verdicts/events", response_class=Response, responses=forms.file_of("text/event-stream"))
async def follow_verdicts(request: Request, after: int | None = None) -> Response:
    """All verdicts from a given place on, then each new one as it is stored.

    The id of an event ``verdict`` is the document's ordinal. A client that reconnects with ``Last-Event-ID`` continues
    after it; by default the stream begins with the next verdict, and an event ``begin`` has the id before it. What a
    document does to groups comes before its verdict: ``merge``, ``expiry``, ``alarm``, and ``limit`` (a source exceeds
    its loss limit). After ``restored`` the store has gone back to a backup: documents from ``documents`` on are gone,
    and their ordinals are given again.
    """
    service = running(request)
    last = request.headers.get("last-event-id", "")
    place = None if after is None else min(max(after, -1), _MOST_ORDINAL)
    if last == "-1" or (last.isascii() and last.isdigit() and len(last) < _DIGITS):
        place = int(last)
    await service.position()  # a store that cannot be read yet is said before the stream begins
    # Nothing is awaited between check and count, so that no burst of clients exceeds the limit.
    limits, caller = service.settings.limits, caller_of(request)
    # Without tokens, everybody is the same caller.
    most = limits.streams if caller is LOCAL else limits.streams_of_caller
    if service.streams >= limits.streams or service.streams_of.get(caller.name, 0) >= most:
        raise ProblemError(429, "too-many", "close another stream of events first", retry_after=5)
    return _CountedStream(service, place, caller.name)


class _CountedStream(StreamingResponse):
    """Counts as an open stream from its creation until it ends."""

    def __init__(self, service: RunningService, place: int | None, caller: str) -> None:
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


async def _events(service: RunningService, asked: int | None) -> AsyncIterator[bytes]:
    silent, begun = 0.0, await service.position()
    place = begun.documents - 1 if asked is None else asked
    # Who has seen more than there is has not heard that the store went back.
    restored = begun.restored if place < begun.documents else None
    yield b": verdicts\n\n"
    if asked is None and not service.ended.is_set():
        # Otherwise a client that loses the connection before the first verdict would miss what came meanwhile.
        yield b'id: %d\nevent: begin\ndata: {"after":%d}\n\n' % (place, place)
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
