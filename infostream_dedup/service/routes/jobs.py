"""Long work in the background: sweeps, estimates, audits, training, comparisons."""

from __future__ import annotations

import asyncio
import sqlite3
from typing import Any, Final

from fastapi import APIRouter, Request
from starlette.responses import Response

from infostream_dedup.errors import StoreBusyError
from infostream_dedup.judgements.jobs import KINDS, add_job, job_shown, last_result, latest_jobs, stop_job
from infostream_dedup.service.answers import JsonResponse, needs
from infostream_dedup.service.bodies import object_body
from infostream_dedup.service.contract import body_of
from infostream_dedup.service.problems import ProblemError
from infostream_dedup.service.running import RunningService, caller_of, running
from infostream_dedup.stream.store import Store

__all__ = ["begin_job", "router"]

router = APIRouter(prefix="/v1", tags=["jobs"])

_MEMBERS: Final = ("kind", "documents", "judged", "preset", "methods")
_PRESETS: Final = ("duplicate", "story")
_LISTED: Final = 50
_MOST_DOCUMENTS: Final = 50_000
_MOST_NUMBER: Final = 1 << 62


@router.post(
    "/jobs", dependencies=[needs("analyst")], status_code=202, response_class=JsonResponse, openapi_extra=body_of("job")
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
    body = await object_body(request, known=_MEMBERS)
    kind, documents, judged = body.get("kind"), body.get("documents", 20_000), body.get("judged", False)
    if kind not in KINDS:
        raise ProblemError(422, "invalid", f"expected {', '.join(KINDS)}", field="kind")
    if type(documents) is not int or not 1 <= documents <= _MOST_DOCUMENTS:
        raise ProblemError(422, "invalid", "expected a number of documents", field="documents", limit=_MOST_DOCUMENTS)
    if not isinstance(judged, bool):
        raise ProblemError(422, "invalid", "expected true or false", field="judged")
    parameters = {"documents": documents, "judged": judged, **_learning(body)}
    number = await begin_job(running(request), kind, parameters, caller_of(request).name)
    return JsonResponse({"number": number, "state": "waiting"}, 202, {"location": f"/v1/jobs/{number}"})


@router.get("/methods", dependencies=[needs("reader")], response_class=JsonResponse)
async def show_methods(request: Request) -> Response:
    """The names of the methods that can be compared."""
    from infostream_dedup.lab.methods import methods

    del request
    return JsonResponse({"items": list(methods()), "next": None})


@router.get("/jobs", dependencies=[needs("analyst")], response_class=JsonResponse)
async def show_jobs(request: Request) -> Response:
    """The latest jobs, without results."""
    found = await running(request).desk.read(lambda desk: latest_jobs(desk, _LISTED))
    return JsonResponse({"items": found, "next": None})


@router.get("/jobs/{number}", dependencies=[needs("analyst")], response_class=JsonResponse)
async def show_job(request: Request, number: int) -> Response:
    """A job: its progress, and its result once it is done."""
    return JsonResponse(await _job(request, number))


@router.delete("/jobs/{number}", dependencies=[needs("analyst")], status_code=202, response_class=JsonResponse)
async def end_job_early(request: Request, number: int) -> Response:
    """Stop a job; one that has ended is left unchanged."""
    service = running(request)
    await _job(request, number)
    if await service.desk.write(lambda desk: stop_job(desk, number)):
        service.jobs.stop(number)
    return JsonResponse(await _job(request, number), 202)


@router.get("/sweep", dependencies=[needs("reader")], response_class=JsonResponse)
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


async def begin_job(service: RunningService, kind: str, parameters: dict[str, Any], person: str) -> int:
    """Put a job on the desk and start its process.

    Raises:
        ProblemError: ``job-running``, or ``texts-not-kept`` for a job that needs texts.
    """
    if kind != "sweep" and not await service.read(_keeps_texts):
        raise ProblemError(
            409, "texts-not-kept", "start the service with --keep-text: it keeps the texts of later documents"
        )
    position = await service.position()
    text = f"{position.batches}-{position.documents}-{position.forgotten}"

    def add(desk: sqlite3.Connection) -> int:
        return add_job(desk, kind, parameters, position=text, person=person)

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


def _learning(body: dict[str, Any]) -> dict[str, Any]:
    """Read the parameters of a training or a comparison from the request."""
    from infostream_dedup.lab.methods import methods as registered

    preset, methods = body.get("preset", "duplicate"), body.get("methods")
    if preset not in _PRESETS:
        raise ProblemError(422, "invalid", f"expected {', '.join(_PRESETS)}", field="preset")
    known = registered()
    if methods is not None and (
        not isinstance(methods, list) or not methods or any(one not in known for one in methods)
    ):
        raise ProblemError(422, "invalid", "expected names of methods, as GET /v1/methods gives them", field="methods")
    return {"preset": preset, "methods": methods}


async def _job(request: Request, number: int) -> dict[str, Any]:
    found = None
    if 0 < number < _MOST_NUMBER:
        found = await running(request).desk.read(lambda desk: job_shown(desk, number))
    if found is None:
        raise ProblemError(404, "not-found", "no job with this number")
    return found


def _keeps_texts(store: Store) -> bool:
    return store.connection.execute("SELECT 1 FROM body LIMIT 1").fetchone() is not None
