"""Threshold k: S and T as k moves, what the links at each k are worth, pairs at exactly k."""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import parse_qs

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from infostream_dedup.judgements.jobs import last_result, latest_jobs
from infostream_dedup.service.answers import needs
from infostream_dedup.service.pages.charts import chart_of
from infostream_dedup.service.pages.frame import page, words_for
from infostream_dedup.service.problems import ProblemError
from infostream_dedup.service.routes.jobs import begin_job
from infostream_dedup.service.running import caller_of, running

__all__ = ["router"]

router = APIRouter(include_in_schema=False)

_DOCUMENTS: Final = 20_000
_KINDS: Final = ("sweep", "estimate", "audit", "audit-judged")


@router.get("/explore", dependencies=[needs("reader")])
async def explore(request: Request, k: int | None = None) -> Response:
    """The last result, the current job, and one k in detail."""
    service = running(request)

    def question(desk: Any) -> tuple[Any, Any, Any, Any]:
        sweep, estimate, audit = (last_result(desk, kind) for kind in ("sweep", "estimate", "audit"))
        return sweep, estimate, audit, latest_jobs(desk, 1)

    sweep, estimate, audit, jobs = await service.desk.read(question)
    result = max((job for job in (sweep, estimate) if job), key=lambda job: job["number"], default=None)
    position = await service.position()
    present = f"{position.batches}-{position.documents}-{position.forgotten}"
    shown = None if result is None else result["result"]
    rows = [] if shown is None else shown["rows"]
    ks = [row["k"] for row in rows]
    chosen = k if k in ks else (shown or {}).get("recommended_k") or (ks[len(ks) // 2] if ks else None)
    return page(
        request,
        "explore",
        result=shown,
        of=result,
        stale=result is not None and result["position"] != present,
        rows=rows,
        k=chosen,
        row=next((row for row in rows if row["k"] == chosen), None),
        examples=[] if shown is None else shown["examples"].get(str(chosen), []),
        chart=chart_of(rows, chosen) if rows else None,
        reason="" if shown is None else shown["reason"][words_for(request).language],
        job=jobs[0] if jobs and jobs[0]["state"] != "done" else None,
        audit=None if audit is None else audit["result"],
    )


@router.post("/explore", dependencies=[needs("analyst")])
async def begin(request: Request) -> Response:
    """Start a count from a form."""
    fields = {name: values[0] for name, values in parse_qs((await request.body()).decode("utf-8", "replace")).items()}
    kind = fields.get("kind", "")
    if kind not in _KINDS:
        raise ProblemError(422, "invalid", "expected a kind", field="kind")
    judged = kind == "audit-judged"
    parameters = {"documents": _DOCUMENTS, "judged": judged}
    try:
        await begin_job(running(request), "audit" if judged else kind, parameters, caller_of(request).name)
    except ProblemError as problem:
        # The page shows the job that is running.
        if problem.code != "job-running":
            raise
    return RedirectResponse("/explore", 303)
