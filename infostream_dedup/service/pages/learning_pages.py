"""Threshold k, a classifier trained on judgements, and methods measured by them."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from infostream_dedup.judgements.candidates import label_rows
from infostream_dedup.judgements.desk import last_result, latest_jobs
from infostream_dedup.service.answers import needs
from infostream_dedup.service.job_process import LEAST_PAIRS
from infostream_dedup.service.pages.frame import chart_of, form_of, page, titles_of, words_for
from infostream_dedup.service.problems import ProblemError, checked
from infostream_dedup.service.routes.jobs import GivenJob, begin_job
from infostream_dedup.service.running import RunningService, caller_of, running

router = APIRouter(include_in_schema=False)
_DOCUMENTS: Final = 20_000
_KINDS: Final = ("sweep", "estimate", "audit")


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
    shown = None if result is None else result["result"]
    rows = [] if shown is None else shown["rows"]
    ks = [row["k"] for row in rows]
    chosen = k if k in ks else (shown or {}).get("recommended_k") or (ks[len(ks) // 2] if ks else None)
    return page(
        request,
        "explore",
        result=shown,
        of=result,
        stale=result is not None and result["position"] != position.tag,
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
    kind = (await form_of(request)).get("kind", [""])[0]
    judged = kind == "audit-judged"
    if not judged and kind not in _KINDS:
        raise ProblemError(422, "invalid", "expected a kind", field="kind")
    await _begin(request, {"kind": "audit" if judged else kind, "documents": _DOCUMENTS, "judged": judged})
    return RedirectResponse("/explore", 303)


_COMPARED: Final = 5_000
_CONFUSED: Final = 40
_DISPUTED: Final = 40
_BAR: Final = 160


@router.get("/model", dependencies=[needs("analyst")])
async def model(request: Request) -> Response:
    """What the judgements teach: weights of the criteria, quality on unseen stories, whether more labels would help."""
    service = running(request)
    of, job, counts = await _of_desk(service, "train")
    result = None if of is None else of["result"]
    learned = None if result is None or "missing" in result else result
    judged = sum(number for label, number in counts.items() if label != "translation")
    confused = [] if learned is None else learned["confused"][:_CONFUSED]
    return page(
        request,
        "model",
        of=of,
        job=job,
        result=learned,
        counts=counts,
        missing=max(LEAST_PAIRS - judged, 0),
        repeats=counts["dup"],
        others=judged - counts["dup"],
        weights=_bars([] if learned is None else learned["weights"]),
        curve=_curve([] if learned is None else learned["curve"]),
        confused=confused,
        confused_count=0 if learned is None else len(learned["confused"]),
        titles=await _titles(service, confused),
    )


@router.get("/methods", dependencies=[needs("analyst")])
async def methods(request: Request) -> Response:
    """The methods of the literature, evaluated by people's judgements."""
    from infostream_dedup.lab.methods import methods as registered

    service = running(request)
    of, job, counts = await _of_desk(service, "compare")
    result = None if of is None else of["result"]
    disputed = [] if result is None else result["disputed"][:_DISPUTED]
    chosen = [] if of is None else of["parameters"].get("methods") or []
    return page(
        request,
        "methods",
        of=of,
        job=job,
        result=result,
        counts=counts,
        known=registered(),
        chosen=chosen,
        disputed=disputed,
        titles=await _titles(service, disputed),
        best=_best(result),
    )


@router.post("/model", dependencies=[needs("analyst")])
async def begin_training(request: Request) -> Response:
    """Start a training from a form."""
    preset = (await form_of(request)).get("preset", ["duplicate"])[0]
    await _begin(request, {"kind": "train", "preset": preset})
    return RedirectResponse("/model", 303)


@router.post("/methods", dependencies=[needs("analyst")])
async def begin_comparison(request: Request) -> Response:
    """Start a comparison from a form; if no method is chosen, all that can run are compared."""
    wanted = (await form_of(request)).get("method")
    await _begin(request, {"kind": "compare", "documents": _COMPARED, "methods": wanted})
    return RedirectResponse("/methods", 303)


async def _begin(request: Request, asked: dict[str, Any]) -> None:
    try:
        await begin_job(running(request), checked(GivenJob, asked), caller_of(request).name)
    except ProblemError as problem:
        # The page shows the job that is running.
        if problem.code != "job-running":
            raise


async def _of_desk(service: RunningService, kind: str) -> tuple[Any, Any, Counter[str]]:
    """The last result of a kind, the current job, and the number of pairs with each label."""

    def question(desk: Any) -> tuple[Any, Any, Counter[str]]:
        jobs = latest_jobs(desk, 1)
        job = jobs[0] if jobs and jobs[0]["state"] != "done" else None
        counts = Counter(str(row["label"]) for row in label_rows(desk) if row["label"] is not None)
        return last_result(desk, kind), job, counts

    return await service.desk.read(question)


def _bars(weights: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows of weights with the sizes of their bars, in pixels to the left and to the right of the middle."""
    most = max((abs(row["weight"]) for row in weights), default=0.0) or 1.0
    rows = []
    for row in weights:
        width = round(abs(row["weight"]) / most * _BAR / 2, 1)
        rows.append({**row, "width": width, "x": _BAR / 2 - (width if row["weight"] < 0 else 0)})
    return rows


def _curve(points: list[dict[str, Any]]) -> dict[str, Any]:
    """The learning curve, and whether more labels are worth it: what the last doubling gained."""
    if len(points) < 2:
        return {"points": points, "gain": None, "noise": None}
    before, last = points[-2:]
    return {
        "points": points,
        "gain": round(last["f1"] - before["f1"], 3),
        "noise": round((last["f1_high"] - last["f1_low"]) / 2, 3),
    }


def _best(result: dict[str, Any] | None) -> str | None:
    """The method with the greatest F1."""
    rows = [] if result is None else [row for row in result["rows"] if row["f1"] is not None]
    return max(rows, key=lambda row: row["f1"])["method"] if rows else None


async def _titles(service: RunningService, pairs: list[dict[str, Any]]) -> dict[str, str]:
    ids = {name for pair in pairs for name in (pair["a"], pair["b"])}
    return await service.read(lambda store: titles_of(store, ids)) if ids else {}
