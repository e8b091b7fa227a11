"""What the desk keeps: judgements and the pairs to judge, jobs, and decisions on templates and alarms."""

from __future__ import annotations

import asyncio
import sqlite3
from dataclasses import replace
from typing import Annotated, Any, Final, Literal

import orjson
from fastapi import APIRouter, Request
from pydantic import Field, WithJsonSchema, field_validator
from starlette.responses import Response

from infostream_dedup.errors import BadDataError, StoreBusyError
from infostream_dedup.judgements import judgements
from infostream_dedup.judgements.desk import KINDS, LABELS, add_job, job_shown, last_result, latest_jobs, stop_job
from infostream_dedup.service import answer_models as forms
from infostream_dedup.service import answers
from infostream_dedup.service.figures import figure_now, health_now
from infostream_dedup.service.pairs import check_queue, pair_verdict, pairs_for
from infostream_dedup.service.problems import Body, ListedValue, ProblemError, no_texts
from infostream_dedup.service.routes.groups import csv_rows, file_answer
from infostream_dedup.service.running import RunningService, caller_of, running
from infostream_dedup.stream.store import Store
from infostream_dedup.stream.store.overview import alarm_rows

router = APIRouter(prefix="/v1", tags=["desk"], dependencies=answers.ANALYST)
_MOST = 5


@router.get(
    "/pairs/next",
    response_model=forms.page_of(forms.PairToJudge),
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
    return answers.every([dict(one) for one in found])


@router.get("/pairs/verdict", response_model=forms.PairVerdict)
async def show_pair_verdict(request: Request, a: str, b: str) -> Response:
    """The stream's verdict on a pair."""
    found: Any = await running(request).read(lambda store: pair_verdict(store, a, b))
    return answers.JsonResponse(found)


_LONGEST_KEY: Final = 200
_LONGEST_ID: Final = 2_000
_DISAGREED: Final = 200
_OWN_QUEUE: Final = "own"
_COLUMNS: Final = ("a", "b", "label", "judges", "repeats")
_PAIR: Final = {
    **{name: {"type": "string", "minLength": 1} for name in ("a", "b")},
    "label": {"enum": [*LABELS, None]},
    "repeats": {"enum": [*judgements.REPEATS]},
}

Id = Annotated[str, Field(min_length=1, max_length=_LONGEST_ID)]


class GivenJudgement(Body):
    """A judgement as it was sent."""

    a: Id
    b: Id
    label: Annotated[str | None, ListedValue((*LABELS, None))]
    repeats: Annotated[str | None, ListedValue(judgements.REPEATS)] = None
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
    status_code=201,
    response_model=forms.Judged,
    openapi_extra=forms.body_of(GivenJudgement, {"a": "4711", "b": "4712", "label": "dup"}) | forms.KEYED,
)
async def judge(request: Request) -> Response:
    """Add a judgement; it is on disk before the answer is sent, and nothing is ever overwritten.

    The body is ``{"a", "b", "label": "dup" | "similar" | "template" | "translation" | "different" | null, "repeats"?:
    "a" | "b" | "both", "seconds"?, "queue"?, "seen_verdict"?}``; null skips the pair. The header
    ``Idempotency-Key`` identifies the request: if sent again with the same key, it is stored once, so a client that got
    no answer simply repeats it.
    """
    said = await answers.read_body(request, GivenJudgement)
    judgement = judgement_from(said, caller_of(request).name, request.headers.get("idempotency-key"))
    return answers.JsonResponse(await store_judgement(running(request), judgement), 201)


@router.post(
    "/judgements/import",
    response_model=forms.Imported,
    openapi_extra=forms.body_of(GivenLabels, {"documents": [{"a": "4711", "b": "4712", "label": "dup"}]}, lines=True),
)
async def take_labels(request: Request) -> Response:
    """Import a labels file as JSON Lines, or as ``{"documents": [...]}`` with its rows.

    Rows with a label become judgements of the caller; rows without one become the queue ``audit``.
    """
    rows = (await answers.read_body(request, GivenLabels)).documents
    person = caller_of(request).name
    judged, asked = await running(request).desk.write(lambda desk: judgements.import_labels(desk, rows, person=person))
    return answers.JsonResponse({"judgements": judged, "asked": asked})


@router.post("/judgements/{number}/undo", status_code=201, response_model=forms.Undone, openapi_extra=forms.KEYED)
async def take_back(request: Request, number: int) -> Response:
    """Withdraw one's own judgement by adding a row. If sent again, it is stored once."""
    key = _key(request.headers.get("idempotency-key"))
    return answers.JsonResponse(await undone(running(request), caller_of(request).name, number, key), 201)


@router.get("/judgements", response_class=Response, responses=forms.file_of("application/x-ndjson", "text/csv"))
async def give_labels(request: Request, format: str = "jsonl", who: str | None = None) -> Response:  # noqa: A002
    """All pairs judged, as the labels file that ``evaluate``, ``train``, ``compare`` and ``audit`` read.

    Each person's latest judgement counts; then the majority, or whatever settled the pair. Pairs without a majority
    have the label null. ``who`` gives one person's labels, ``format`` is ``jsonl`` or ``csv``.
    """
    if format not in ("jsonl", "csv"):
        raise ProblemError(422, "invalid", "expected jsonl or csv", field="format")
    rows = await running(request).desk.read(lambda desk: list(judgements.label_rows(desk, who=who)))
    if format == "jsonl":
        return file_answer("labels", format, b"".join(orjson.dumps(row) + b"\n" for row in rows))
    return file_answer("labels", format, csv_rows([_COLUMNS, *([row.get(name) for name in _COLUMNS] for row in rows)]))


@router.get("/judgements/log", response_model=forms.page_of(forms.JudgementRow))
async def show_judgements(
    request: Request,
    person: str | None = None,
    label: str | None = None,
    after: str | None = None,
    limit: int | None = None,
) -> Response:
    """All judgements and undone ones, the latest first."""
    rows = answers.rows_wanted(request, limit)
    (before,) = answers.keyset(after, (int,)) or (None,)
    found = await running(request).desk.read(
        lambda desk: judgements.judgement_page(desk, person=person, label=label, before=before, limit=rows + 1)
    )
    return answers.JsonResponse(answers.listed(found, rows, lambda row: [row["number"]]))


@router.get("/agreement", response_model=forms.Agreement)
async def show_agreement(request: Request) -> Response:
    """Whether people who judged the same pairs agree (kappa), and the pairs on which they disagree."""
    found = await running(request).desk.read(
        lambda desk: judgements.agreement_of(desk) | {"disagreements": judgements.disagreements(desk, _DISAGREED)}
    )
    return answers.JsonResponse(found)


def judgement_from(said: GivenJudgement, person: str, key: str | None) -> judgements.Judgement:
    """Return a person's judgement; ProblemError ``invalid`` if its key or its queue cannot be used."""
    if said.queue != _OWN_QUEUE:
        check_queue(said.queue)
    given = said.model_dump() | {"repeats": said.repeats if said.label else None}
    return judgements.Judgement(**given, person=person, key=_key(key))


async def store_judgement(service: RunningService, judgement: judgements.Judgement) -> dict[str, Any]:
    """Store a judgement, and report its author's progress."""

    def known(store: Store) -> tuple[int | None, int | None]:
        versions = [store.known(name) for name in (judgement.a, judgement.b)]
        if not all(versions):
            raise ProblemError(404, "not-found", "no document with this id", field="b" if versions[0] else "a")
        return versions[0][-1].version, versions[1][-1].version

    version_a, version_b = await service.read(known)

    def add(desk: sqlite3.Connection) -> dict[str, Any]:
        said = judgements.add_judgement(desk, replace(judgement, version_a=version_a, version_b=version_b))
        return {"number": said.number, "added": said.added, **judgements.progress_of(desk, judgement.person)}

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
        said = judgements.undo_judgement(desk, number, person, key)
        shown = {name: getattr(said, name) for name in ("number", "a", "b", "queue")}
        return shown | judgements.progress_of(desk, person)

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


# Long work in the background: sweeps, estimates, audits, training, comparisons


jobs_router = APIRouter(prefix="/v1", tags=["jobs"])

_JOBS_LISTED: Final = 50
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


@jobs_router.post(
    "/jobs",
    dependencies=answers.ANALYST,
    status_code=202,
    response_model=forms.JobStarted,
    openapi_extra=forms.body_of(GivenJob, {"kind": "sweep"}),
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
    number = await begin_job(running(request), await answers.read_body(request, GivenJob), caller_of(request).name)
    return answers.JsonResponse({"number": number, "state": "waiting"}, 202, {"location": f"/v1/jobs/{number}"})


@jobs_router.get("/methods", dependencies=answers.READER, response_model=forms.page_of(str))
async def show_methods(request: Request) -> Response:
    """The names of the methods that can be compared."""
    from infostream_dedup.lab.methods import methods

    del request
    return answers.every(list(methods()))


@jobs_router.get("/jobs", dependencies=answers.ANALYST, response_model=forms.page_of(forms.JobRow))
async def show_jobs(request: Request) -> Response:
    """The latest jobs, without results."""
    return answers.every(await running(request).desk.read(lambda desk: latest_jobs(desk, _JOBS_LISTED)))


@jobs_router.get("/jobs/{number}", dependencies=answers.ANALYST, response_model=forms.JobShown)
async def show_job(request: Request, number: int) -> Response:
    """A job: its progress, and its result once it is done."""
    return answers.JsonResponse(await _job(request, number))


@jobs_router.delete("/jobs/{number}", dependencies=answers.ANALYST, status_code=202, response_model=forms.JobShown)
async def end_job_early(request: Request, number: int) -> Response:
    """Stop a job; one that has ended is left unchanged."""
    service = running(request)
    await _job(request, number)
    if await service.desk.write(lambda desk: stop_job(desk, number)):
        service.jobs.stop(number)
    return answers.JsonResponse(await _job(request, number), 202)


@jobs_router.get("/sweep", dependencies=answers.READER, response_model=forms.JobShown)
async def show_sweep(request: Request, kind: str = "sweep") -> Response:
    """The result of the last sweep or estimate, with the position of the store that it describes (``position``)."""
    if kind not in ("sweep", "estimate"):
        raise ProblemError(422, "invalid", "expected sweep or estimate", field="kind")
    found = await running(request).desk.read(lambda desk: last_result(desk, kind))
    return answers.JsonResponse(answers.existing(found, "nothing has been counted yet; start with POST /v1/jobs"))


@jobs_router.get("/jobs/{number}/model", dependencies=answers.ANALYST)
async def give_model(request: Request, number: int) -> Response:
    """The classifier from a training, as the file that ``classify`` and ``ingest --model`` read."""
    job = await _job(request, number)
    if job["kind"] != "train" or not (job["result"] or {}).get("model"):
        raise ProblemError(404, "not-found", "this job did not produce a model")
    return file_answer(f"model-{number}", "json", job["result"]["model"])


async def begin_job(service: RunningService, job: GivenJob, person: str) -> int:
    """Put a job on the desk and start its process."""
    if job.kind != "sweep" and not await service.read(Store.keeps_texts):
        raise no_texts()
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
    return answers.existing(found, "no job with this number")


# Templates and alarms, with people's decisions about them


reviews_router = APIRouter(prefix="/v1", tags=["reviews"])

_ROWS: Final = 200
_GROWTH: Final = 1.5  # a snoozed alarm comes back once its group has grown by this factor


class TemplateDecision(Body):
    """What somebody decided about a template."""

    decision: Annotated[str | None, ListedValue((*judgements.DECISIONS["template"], None))]


class AlarmDecision(Body):
    """What somebody decided about an alarm."""

    decision: Annotated[str | None, ListedValue((*judgements.DECISIONS["alarm"], None))]


@reviews_router.get("/stats", dependencies=answers.READER, response_model=forms.Stats)
async def show_stats(request: Request) -> Response:
    """The last hour of the stream compared with the hours before, silent sources, and the last five closed epochs.

    ``epochs`` has S, T, links, the share of duplicates and alarms of each, of all and of its ten largest sources.
    While batches arrive, the figures may be up to five seconds old.
    """
    service = running(request)
    epochs = [one.as_dict() for one in await health_now(service)]
    return answers.JsonResponse({**await figure_now(service, "activity"), "epochs": epochs})


@reviews_router.get("/templates", dependencies=answers.READER, response_model=forms.page_of(forms.TemplateRow))
async def show_templates(request: Request) -> Response:
    """Recurring templates of sources among the latest 100,000 documents, with the decision about each."""
    return answers.every(await templates_shown(running(request)))


@reviews_router.put(
    "/templates/{id:path}",
    dependencies=answers.ANALYST,
    status_code=204,
    response_class=Response,
    openapi_extra=forms.body_of(TemplateDecision, {"decision": "accept"}),
)
async def decide_template(request: Request, id: str) -> Response:  # noqa: A002
    """Accept, refuse or mute a template: ``{"decision": "accept" | "refuse" | "mute" | null}``; null withdraws it.

    The page Now leaves out what fills a muted template; verdicts do not change.
    """
    said = await answers.read_body(request, TemplateDecision)
    await decide(running(request), "template", id, said.decision, caller_of(request).name)
    return Response(status_code=204)


@reviews_router.get("/alarms", dependencies=answers.READER, response_model=forms.page_of(forms.AlarmRow))
async def show_alarms(request: Request) -> Response:
    """Alarms, the latest first: groups that stopped growing because they are chains.

    ``state`` is ``open``, ``known`` or ``snoozed``; a snoozed alarm opens again once its group has grown by half.
    """
    return answers.every(await alarms_shown(running(request)))


@reviews_router.put(
    "/alarms/{number}",
    dependencies=answers.ANALYST,
    status_code=204,
    response_class=Response,
    openapi_extra=forms.body_of(AlarmDecision, {"decision": "known"}),
)
async def decide_alarm(request: Request, number: int) -> Response:
    """Mark an alarm as known, or snooze it: ``{"decision": "known" | "snoozed" | null}``."""
    said = await answers.read_body(request, AlarmDecision)
    await decide(running(request), "alarm", str(number), said.decision, caller_of(request).name)
    return Response(status_code=204)


async def templates_shown(service: RunningService) -> list[dict[str, Any]]:
    """The rows of ``templates``, each with ``decision``, ``by`` and ``at``."""
    rows = await figure_now(service, "templates")
    said = await _decisions(service, "template")
    none: dict[str, Any] = {"decision": None, "person": None, "at": None}
    return [
        {**row, "decision": one["decision"], "by": one["person"], "at": one["at"]}
        for row in rows
        for one in (said.get(row["template"], none),)
    ]


async def muted_forms(service: RunningService) -> list[tuple[str | None, list[str]]]:
    """Source and words of the templates that somebody muted."""
    said = await _decisions(service, "template")
    rows = await templates_shown(service) if any(one["decision"] == "mute" for one in said.values()) else []
    return [(row["source"], row["words"]) for row in rows if row["decision"] == "mute" and row["words"]]


async def alarms_shown(service: RunningService) -> list[dict[str, Any]]:
    """The rows of ``alarm_rows``, each with ``state`` and ``by``."""
    rows = await service.read(lambda store: alarm_rows(store.connection, _ROWS))
    said = await _decisions(service, "alarm")
    found = []
    for row in rows:
        one = said.get(str(row["number"]))
        state = "open" if one is None else one["decision"]
        if one is not None and state == "snoozed" and row["documents"] >= _GROWTH * (one["measure"] or 1):
            state = "open"
        found.append({**row, "state": state, "by": None if one is None else one["person"]})
    return found


async def _decisions(service: RunningService, kind: str) -> dict[str, dict[str, Any]]:
    """Return the decisions on a kind of subjects. Reading them does not create a desk."""
    if not service.desk.path.exists():
        return {}
    return await service.desk.read(lambda desk: judgements.present_reviews(desk, kind))


async def decide(service: RunningService, kind: str, subject: str, decision: str | None, person: str) -> None:
    """Store a checked decision on the desk; ProblemError ``not-found`` if the subject is unknown."""
    measure = None
    if kind == "alarm":
        known = {str(row["number"]): row for row in await alarms_shown(service)}
        measure = known[subject]["documents"] if subject in known else None
    else:
        known = {row["template"]: row for row in await templates_shown(service)}
    if subject not in known:
        raise ProblemError(404, "not-found")
    await service.desk.write(
        lambda desk: judgements.add_review(desk, kind, subject, decision, person=person, measure=measure)
    )
