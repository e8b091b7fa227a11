"""Templates, alarms and sources: what an editor on duty reviews."""

from __future__ import annotations

from urllib.parse import parse_qs

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from infostream_dedup.service.answers import needs
from infostream_dedup.service.figures import activity_now, drifts_now, reprints_now
from infostream_dedup.service.pages.frame import page
from infostream_dedup.service.problems import ProblemError
from infostream_dedup.service.routes.reviews import alarms_shown, decide, templates_shown
from infostream_dedup.service.running import caller_of, running

__all__ = ["router"]

router = APIRouter(include_in_schema=False)


@router.get("/templates", dependencies=[needs("reader")])
async def show_templates(request: Request) -> Response:
    """Recurring forms of sources."""
    return page(request, "templates", rows=await templates_shown(running(request)))


@router.get("/alarms", dependencies=[needs("reader")])
async def show_alarms(request: Request) -> Response:
    """Groups that became chains, copies that drift, and sources that went silent."""
    service = running(request)
    rows = await alarms_shown(service)
    state = await activity_now(service)
    order = {"open": 0, "snoozed": 1, "known": 2}
    return page(
        request,
        "alarms",
        rows=sorted(rows, key=lambda row: order[row["state"]]),
        silent=state["silent"],
        drifts=await drifts_now(service),
    )


@router.get("/sources", dependencies=[needs("reader")])
async def show_sources(request: Request) -> Response:
    """What each source publishes first, and from whom it takes the rest."""
    return page(request, "sources", rows=await reprints_now(running(request)))


@router.post("/templates", dependencies=[needs("analyst")])
async def decide_template(request: Request) -> Response:
    """Record a decision about a template from a form."""
    return await _decided(request, "template")


@router.post("/alarms", dependencies=[needs("analyst")])
async def decide_alarm(request: Request) -> Response:
    """Record a decision about an alarm from a form."""
    return await _decided(request, "alarm")


async def _decided(request: Request, kind: str) -> Response:
    fields = {name: values[0] for name, values in parse_qs((await request.body()).decode("utf-8", "replace")).items()}
    if "subject" not in fields or "decision" not in fields:
        raise ProblemError(422, "invalid", "expected a subject and a decision", field="decision")
    decision = None if fields["decision"] == "open" else fields["decision"]
    await decide(running(request), kind, fields["subject"], decision, caller_of(request).name)
    return RedirectResponse(f"/{kind}s", 303)
