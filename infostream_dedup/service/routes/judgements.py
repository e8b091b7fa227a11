"""Pairs to judge, and people's judgements: added, withdrawn, exported as labels files."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from typing import Annotated, Any, Final

import orjson
from fastapi import APIRouter, Request
from pydantic import Field, WithJsonSchema
from starlette.responses import Response

from infostream_dedup.errors import BadDataError
from infostream_dedup.judgements.candidates import REPEATS, agreement_of, disagreements, import_labels, label_rows
from infostream_dedup.judgements.desk import LABELS
from infostream_dedup.judgements.judgements import Judgement, add_judgement, judgement_page, progress_of, undo_judgement
from infostream_dedup.service.answer_models import (
    KEYED,
    Agreement,
    Imported,
    Judged,
    JudgementRow,
    PairToJudge,
    PairVerdict,
    Undone,
    body_of,
    file_of,
    page_of,
)
from infostream_dedup.service.answers import JsonResponse, keyset, listed, needs, read_body, rows_wanted
from infostream_dedup.service.pairs import check_queue, pair_verdict, pairs_for
from infostream_dedup.service.problems import Body, ListedValue, ProblemError
from infostream_dedup.service.routes.groups import csv_rows
from infostream_dedup.service.running import RunningService, caller_of, running
from infostream_dedup.stream.store import Store

router = APIRouter(prefix="/v1", tags=["desk"])
_MOST = 5


@router.get(
    "/pairs/next",
    dependencies=[needs("analyst")],
    response_model=page_of(PairToJudge),
    responses={204: {"description": "Nothing is left to judge"}},
)
async def show_next_pairs(request: Request, queue: str = "boundary", n: int = 1) -> Response:
    """The next pairs of a queue, without the verdict of the stream; reserved for the caller for ten minutes.

    Queues are ``boundary``, ``model``, ``translation``, ``random``, ``audit``, ``disagreement`` and ``group:ID``. 204
    means that nothing is left to judge.
    """
    check_queue(queue)
    if not 1 <= n <= _MOST:
        raise ProblemError(422, "invalid", "expected a number of pairs", field="n", limit=_MOST)
    found = await pairs_for(running(request), caller_of(request).name, queue, n)
    if not found:
        return Response(status_code=204)
    return JsonResponse({"items": [dict(one) for one in found], "next": None})


@router.get("/pairs/verdict", dependencies=[needs("analyst")], response_model=PairVerdict)
async def show_pair_verdict(request: Request, a: str, b: str) -> Response:
    """The stream's verdict on a pair."""
    found: Any = await running(request).read(lambda store: pair_verdict(store, a, b))
    return JsonResponse(found)


_LONGEST_KEY: Final = 200
_LONGEST_ID: Final = 2_000
_DISAGREED: Final = 200
_OWN_QUEUE: Final = "own"
_COLUMNS: Final = ("a", "b", "label", "judges", "repeats")
_PAIR: Final = {
    **{name: {"type": "string", "minLength": 1} for name in ("a", "b")},
    "label": {"enum": [*LABELS, None]},
    "repeats": {"enum": [*REPEATS]},
}

Id = Annotated[str, Field(min_length=1, max_length=_LONGEST_ID)]


class GivenJudgement(Body):
    """A judgement as it was sent."""

    a: Id
    b: Id
    label: Annotated[str | None, ListedValue((*LABELS, None))]
    repeats: Annotated[str | None, ListedValue(REPEATS)] = None
    seconds: Annotated[float, Field(ge=0, le=1e9)] = 0.0
    queue: Annotated[str, Field(max_length=_LONGEST_ID)] = _OWN_QUEUE
    seen_verdict: bool = False


class GivenLabels(Body):
    """Rows of a labels file, which the desk checks."""

    documents: Annotated[
        list[dict[str, Any]], WithJsonSchema({"type": "array", "items": {"type": "object", "properties": _PAIR}})
    ]


@router.post(
    "/judgements",
    dependencies=[needs("analyst")],
    status_code=201,
    response_model=Judged,
    openapi_extra=body_of(GivenJudgement, {"a": "4711", "b": "4712", "label": "dup"}) | KEYED,
)
async def judge(request: Request) -> Response:
    """Add a judgement; it is on disk before the answer is sent, and nothing is ever overwritten.

    The body is ``{"a", "b", "label": "dup" | "similar" | "template" | "translation" | "different" | null, "repeats"?:
    "a" | "b" | "both", "seconds"?, "queue"?, "seen_verdict"?}``; null skips the pair. The header
    ``Idempotency-Key`` identifies the request: if sent again with the same key, it is stored once, so a client that got
    no answer simply repeats it.
    """
    said = await read_body(request, GivenJudgement)
    judgement = judgement_from(said, caller_of(request).name, request.headers.get("idempotency-key"))
    return JsonResponse(await store_judgement(running(request), judgement), 201)


@router.post(
    "/judgements/import",
    dependencies=[needs("analyst")],
    response_model=Imported,
    openapi_extra=body_of(GivenLabels, {"documents": [{"a": "4711", "b": "4712", "label": "dup"}]}, lines=True),
)
async def take_labels(request: Request) -> Response:
    """Import a labels file as JSON Lines, or as ``{"documents": [...]}`` with its rows.

    Rows with a label become judgements of the caller; rows without one become the queue ``audit``.
    """
    rows = (await read_body(request, GivenLabels)).documents
    person = caller_of(request).name
    judged, asked = await running(request).desk.write(lambda desk: import_labels(desk, rows, person=person))
    return JsonResponse({"judgements": judged, "asked": asked})


@router.post(
    "/judgements/{number}/undo",
    dependencies=[needs("analyst")],
    status_code=201,
    response_model=Undone,
    openapi_extra=KEYED,
)
async def take_back(request: Request, number: int) -> Response:
    """Withdraw one's own judgement by adding a row. If sent again, it is stored once."""
    key = _key(request.headers.get("idempotency-key"))
    return JsonResponse(await undone(running(request), caller_of(request).name, number, key), 201)


@router.get(
    "/judgements",
    dependencies=[needs("analyst")],
    response_class=Response,
    responses=file_of("application/x-ndjson", "text/csv"),
)
async def give_labels(request: Request, format: str = "jsonl", who: str | None = None) -> Response:  # noqa: A002
    """All pairs judged, as the labels file that ``evaluate``, ``train``, ``compare`` and ``audit`` read.

    Each person's latest judgement counts; then the majority, or whatever settled the pair. Pairs without a majority
    have the label null. ``who`` gives one person's labels, ``format`` is ``jsonl`` or ``csv``.
    """
    if format not in ("jsonl", "csv"):
        raise ProblemError(422, "invalid", "expected jsonl or csv", field="format")
    rows = await running(request).desk.read(lambda desk: list(label_rows(desk, who=who)))
    name = f'attachment; filename="labels.{format}"'
    if format == "jsonl":
        body = b"".join(orjson.dumps(row) + b"\n" for row in rows)
        return Response(body, media_type="application/x-ndjson", headers={"content-disposition": name})
    return Response(
        csv_rows([_COLUMNS, *([row.get(name) for name in _COLUMNS] for row in rows)]),
        media_type="text/csv; charset=utf-8",
        headers={"content-disposition": name},
    )


@router.get("/judgements/log", dependencies=[needs("analyst")], response_model=page_of(JudgementRow))
async def show_judgements(
    request: Request,
    person: str | None = None,
    label: str | None = None,
    after: str | None = None,
    limit: int | None = None,
) -> Response:
    """All judgements and undone ones, the latest first."""
    rows = rows_wanted(request, limit)
    place = keyset(after, (int,))
    before = None if place is None else place[0]
    found = await running(request).desk.read(
        lambda desk: judgement_page(desk, person=person, label=label, before=before, limit=rows + 1)
    )
    return JsonResponse(listed(found, rows, lambda row: [row["number"]]))


@router.get("/agreement", dependencies=[needs("analyst")], response_model=Agreement)
async def show_agreement(request: Request) -> Response:
    """Whether people who judged the same pairs agree (kappa), and the pairs on which they disagree."""
    found = await running(request).desk.read(
        lambda desk: agreement_of(desk) | {"disagreements": disagreements(desk, _DISAGREED)}
    )
    return JsonResponse(found)


def judgement_from(said: GivenJudgement, person: str, key: str | None) -> Judgement:
    """Return a person's judgement; ProblemError ``invalid`` if its key or its queue cannot be used."""
    if said.queue != _OWN_QUEUE:
        check_queue(said.queue)
    given = said.model_dump() | {"repeats": said.repeats if said.label else None}
    return Judgement(**given, person=person, key=_key(key))


async def store_judgement(service: RunningService, judgement: Judgement) -> dict[str, Any]:
    """Store a judgement, and report its author's progress."""

    def known(store: Store) -> tuple[int | None, int | None]:
        versions = [store.known(name) for name in (judgement.a, judgement.b)]
        if not all(versions):
            raise ProblemError(404, "not-found", "no document with this id", field="b" if versions[0] else "a")
        return versions[0][-1].version, versions[1][-1].version

    version_a, version_b = await service.read(known)

    def add(desk: sqlite3.Connection) -> dict[str, Any]:
        said = add_judgement(desk, replace(judgement, version_a=version_a, version_b=version_b))
        return {"number": said.number, "added": said.added, **progress_of(desk, judgement.person)}

    answer = await service.desk.write(add)
    if answer["added"]:
        service.metrics.judgements.labels(judgement.label or "passed").inc()
    return answer


async def undone(service: RunningService, person: str, number: int, key: str) -> dict[str, Any]:
    """Withdraw a judgement, and report its author's progress."""
    missing = ProblemError(404, "not-found", "you have no judgement with this number")
    if not 0 < number < 1 << 62:
        raise missing

    def undo(desk: sqlite3.Connection) -> dict[str, Any]:
        said = undo_judgement(desk, number, person, key)
        return {"number": said.number, "a": said.a, "b": said.b, "queue": said.queue, **progress_of(desk, person)}

    try:
        return await service.desk.write(undo)
    except BadDataError as error:
        if error.code != "E_UNKNOWN_ID":
            raise
        raise missing from None


def _key(given: str | None) -> str:
    if given is None or not 1 <= len(given) <= _LONGEST_KEY or not given.isprintable():
        raise ProblemError(422, "invalid", "send the header Idempotency-Key, such as a UUID", field="idempotency-key")
    return given
