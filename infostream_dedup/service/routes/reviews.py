"""Templates and alarms, with people's decisions about them."""

from __future__ import annotations

from typing import Annotated, Any, Final

from fastapi import APIRouter, Request
from starlette.responses import Response

from infostream_dedup.judgements.judgements import DECISIONS, add_review, present_reviews
from infostream_dedup.service.answer_models import AlarmRow, Stats, TemplateRow, body_of, page_of
from infostream_dedup.service.answers import JsonResponse, needs, read_body
from infostream_dedup.service.figures import activity_now, health_now, templates_now
from infostream_dedup.service.problems import Body, ListedValue, ProblemError
from infostream_dedup.service.running import RunningService, caller_of, running
from infostream_dedup.stream.store.overview import alarm_rows

router = APIRouter(prefix="/v1", tags=["reviews"])

_ROWS: Final = 200
_GROWTH: Final = 1.5  # a snoozed alarm comes back once its group has grown by this factor


class TemplateDecision(Body):
    """What somebody decided about a template."""

    decision: Annotated[str | None, ListedValue((*DECISIONS["template"], None))]


class AlarmDecision(Body):
    """What somebody decided about an alarm."""

    decision: Annotated[str | None, ListedValue((*DECISIONS["alarm"], None))]


@router.get("/stats", dependencies=[needs("reader")], response_model=Stats)
async def show_stats(request: Request) -> Response:
    """The last hour of the stream compared with the hours before, silent sources, and the last five closed epochs.

    ``epochs`` has S, T, links, the share of duplicates and alarms of each, of all and of its ten largest sources.
    While batches arrive, the figures may be up to five seconds old.
    """
    service = running(request)
    epochs = [one.as_dict() for one in await health_now(service)]
    return JsonResponse({**await activity_now(service), "epochs": epochs})


@router.get("/templates", dependencies=[needs("reader")], response_model=page_of(TemplateRow))
async def show_templates(request: Request) -> Response:
    """Recurring templates of sources among the latest 100,000 documents, with the decision about each."""
    return JsonResponse({"items": await templates_shown(running(request)), "next": None})


@router.put(
    "/templates/{id:path}",
    dependencies=[needs("analyst")],
    status_code=204,
    response_class=Response,
    openapi_extra=body_of(TemplateDecision, {"decision": "accept"}),
)
async def decide_template(request: Request, id: str) -> Response:  # noqa: A002
    """Accept, refuse or mute a template: ``{"decision": "accept" | "refuse" | "mute" | null}``; null withdraws it.

    The page Now leaves out what fills a muted template; verdicts do not change.
    """
    said = await read_body(request, TemplateDecision)
    await decide(running(request), "template", id, said.decision, caller_of(request).name)
    return Response(status_code=204)


@router.get("/alarms", dependencies=[needs("reader")], response_model=page_of(AlarmRow))
async def show_alarms(request: Request) -> Response:
    """Alarms, the latest first: groups that stopped growing because they are chains.

    ``state`` is ``open``, ``known`` or ``snoozed``; a snoozed alarm opens again once its group has grown by half.
    """
    return JsonResponse({"items": await alarms_shown(running(request)), "next": None})


@router.put(
    "/alarms/{number}",
    dependencies=[needs("analyst")],
    status_code=204,
    response_class=Response,
    openapi_extra=body_of(AlarmDecision, {"decision": "known"}),
)
async def decide_alarm(request: Request, number: int) -> Response:
    """Mark an alarm as known, or snooze it: ``{"decision": "known" | "snoozed" | null}``."""
    said = await read_body(request, AlarmDecision)
    await decide(running(request), "alarm", str(number), said.decision, caller_of(request).name)
    return Response(status_code=204)


async def templates_shown(service: RunningService) -> list[dict[str, Any]]:
    """The rows of ``templates``, each with ``decision``, ``by`` and ``at``."""
    rows = await templates_now(service)
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
    return await service.desk.read(lambda desk: present_reviews(desk, kind))


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
    await service.desk.write(lambda desk: add_review(desk, kind, subject, decision, person=person, measure=measure))
