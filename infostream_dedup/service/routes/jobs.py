"""Long work in the background: sweeps, estimates, audits, training, comparisons."""

from __future__ import annotations

import asyncio
import sqlite3
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Request
from pydantic import Field, field_validator
from starlette.responses import Response

from infostream_dedup.errors import StoreBusyError
from infostream_dedup.judgements.desk import KINDS, add_job, job_shown, last_result, latest_jobs, stop_job
from infostream_dedup.service.answer_models import JobRow, JobShown, JobStarted, body_of, page_of
from infostream_dedup.service.answers import JsonResponse, needs, read_body
from infostream_dedup.service.problems import Body, ListedValue, ProblemError
from infostream_dedup.service.running import RunningService, caller_of, running
from infostream_dedup.stream.store import Store

router = APIRouter(prefix="/v1", tags=["jobs"])

_LISTED: Final = 50
_MOST_DOCUMENTS: Final = 50_000
_MOST_NUMBER: Final = 1 << 62


class GivenJob(Body):
    """A job as it was asked for."""

    kind: Annotated[str, ListedValue(KINDS)]
    documents: Annotated[int, Field(ge=1, le=_MOST_DOCUMENTS)] = 20_000
    judged: bool = False
    preset: Literal["duplicate", "story"] = "duplicate"
    methods: Annotated[list[str], Field(min_length=1)] | None = None

    @field_validator("methods")
    @classmethod
    def _are_known(cls, given: list[str] | None) -> list[str] | None:
        from infostream_dedup.lab.methods import methods as registered

        known = registered()
        if given is not None and any(one not in known for one in given):
            raise ValueError("expected names of methods, as GET /v1/methods gives them")
        return given


@router.post(
    "/jobs",
    dependencies=[needs("analyst")],
    status_code=202,
    response_model=JobStarted,
    openapi_extra=body_of(GivenJob, {"kind": "sweep"}),
)
async def start_job(request: Request) -> Response:
    """Start a job; one runs at a time.

    The body is ``{"kind": "sweep" | "estimate" | "audit" | "train" | "compare", "documents"?: int, "judged"?: bool,
    "preset"?: "duplicate" | "story", "methods"?: [string]}``. A sweep measures S and T of the whole store at every k.
    An estimate also says how good the links are, and an audit asks for the pairs to judge (queue ``audit``) or, with
    ``judged``, reads the judgements back; both look at the texts of the latest ``documents``, 20,000 by default.
    Training learns a classifier for a ``preset`` from the judgements. A comparison runs ``methods``, by default all
    that can run, over the latest ``documents`` and the judged ones, and evaluates them by people's judgements.
    """
    number = await begin_job(running(request), await read_body(request, GivenJob), caller_of(request).name)
    return JsonResponse({"number": number, "state": "waiting"}, 202, {"location": f"/v1/jobs/{number}"})


@router.get("/methods", dependencies=[needs("reader")], response_model=page_of(str))
async def show_methods(request: Request) -> Response:
    """The names of the methods that can be compared."""
    from infostream_dedup.lab.methods import methods

    del request
    return JsonResponse({"items": list(methods()), "next": None})


@router.get("/jobs", dependencies=[needs("analyst")], response_model=page_of(JobRow))
async def show_jobs(request: Request) -> Response:
    """The latest jobs, without results."""
    found = await running(request).desk.read(lambda desk: latest_jobs(desk, _LISTED))
    return JsonResponse({"items": found, "next": None})


@router.get("/jobs/{number}", dependencies=[needs("analyst")], response_model=JobShown)
async def show_job(request: Request, number: int) -> Response:
    """A job: its progress, and its result once it is done."""
    return JsonResponse(await _job(request, number))


@router.delete("/jobs/{number}", dependencies=[needs("analyst")], status_code=202, response_model=JobShown)
async def end_job_early(request: Request, number: int) -> Response:
    """Stop a job; one that has ended is left unchanged."""
    service = running(request)
    await _job(request, number)
    if await service.desk.write(lambda desk: stop_job(desk, number)):
        service.jobs.stop(number)
    return JsonResponse(await _job(request, number), 202)


@router.get("/sweep", dependencies=[needs("reader")], response_model=JobShown)
async def show_sweep(request: Request, kind: str = "sweep") -> Response:
    """The result of the last sweep or estimate, with the position of the store that it describes (``position``)."""
    if kind not in ("sweep", "estimate"):
        raise ProblemError(422, "invalid", "expected sweep or estimate", field="kind")
    found = await running(request).desk.read(lambda desk: last_result(desk, kind))
    if found is None:
        raise ProblemError(404, "not-found", "nothing has been counted yet; start with POST /v1/jobs")
    return JsonResponse(found)


@router.get("/jobs/{number}/model", dependencies=[needs("analyst")])
async def give_model(request: Request, number: int) -> Response:
    """The classifier from a training, as the file that ``classify`` and ``ingest --model`` read."""
    job = await _job(request, number)
    if job["kind"] != "train" or not (job["result"] or {}).get("model"):
        raise ProblemError(404, "not-found", "this job did not produce a model")
    name = f'attachment; filename="model-{number}.json"'
    return Response(job["result"]["model"], media_type="application/json", headers={"content-disposition": name})


async def begin_job(service: RunningService, job: GivenJob, person: str) -> int:
    """Put a job on the desk and start its process."""
    if job.kind != "sweep" and not await service.read(_keeps_texts):
        raise ProblemError(
            409, "texts-not-kept", "start the service with --keep-text: it keeps the texts of later documents"
        )
    position = await service.position()

    def add(desk: sqlite3.Connection) -> int:
        return add_job(desk, job.kind, job.model_dump(exclude={"kind"}), position=position.tag, person=person)

    try:
        lock = await asyncio.to_thread(service.jobs.claim)
    except StoreBusyError:
        raise _busy() from None
    try:
        number = await service.desk.write(add)
        service.jobs.run(number, lock)
    except StoreBusyError:
        raise _busy() from None
    finally:
        lock.release()
    return number


def _busy() -> ProblemError:
    return ProblemError(409, "job-running", "wait for it, or stop it", retry_after=5)


async def _job(request: Request, number: int) -> dict[str, Any]:
    found = None
    if 0 < number < _MOST_NUMBER:
        found = await running(request).desk.read(lambda desk: job_shown(desk, number))
    if found is None:
        raise ProblemError(404, "not-found", "no job with this number")
    return found


def _keeps_texts(store: Store) -> bool:
    return store.connection.execute("SELECT 1 FROM body LIMIT 1").fetchone() is not None
