"""Judging pairs by keys, two documents side by side, what has been judged, and what is learned from it."""

from __future__ import annotations

import asyncio
import sqlite3
import uuid
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Any, Final
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from markupsafe import Markup, escape
from starlette.responses import RedirectResponse, Response

from infostream_dedup.judgements import judgements
from infostream_dedup.judgements.desk import LABELS, last_result, latest_jobs
from infostream_dedup.service.answers import ANALYST, READER, keyset, listed
from infostream_dedup.service.job_process import LEAST_PAIRS
from infostream_dedup.service.pages.frame import chart_of, form_of, page, words_for
from infostream_dedup.service.pairs import NUMBER, check_queue, is_queue, pair_shown, pair_verdict, pairs_for
from infostream_dedup.service.problems import ProblemError, checked
from infostream_dedup.service.routes import judgements as desk_routes
from infostream_dedup.service.running import RunningService, caller_of, running

_COLOURS: Final = 6
MOST_NUMBERS: Final = 40
"""If more numbers than this differ, only their count is shown: marking them all would make the text unreadable."""


def marked_sides(shown: dict[str, Any]) -> list[dict[str, Any]]:
    """Return both sides of a pair (see ``pair_shown``) with their texts as ``html``, None without texts."""
    sides = [shown["a"], shown["b"]]
    for side in sides:
        side["html"] = None if side["pieces"] is None else marked_text(side["pieces"], side["numbers"], shown["words"])
    return sides


def marked_text(pieces: Sequence[dict[str, Any]], numbers: Collection[str], words: Mapping[str, str]) -> Markup:
    """Mark the passages, translated words and given numbers of a text."""
    marked = set(numbers) if len(numbers) <= MOST_NUMBERS else set()
    seen: set[int] = set()
    parts = []
    for piece in pieces:
        # The number of a passage is shown where it begins, not after every word that differs inside it.
        parts.append(_marked(piece, marked, words, numbered=piece["passage"] not in seen))
        seen.add(piece["passage"])
    return Markup().join(parts)


_ENDS: Final = 30  # letters of each end of a passage that a narrow screen shows


def _marked(piece: dict[str, Any], marked: set[str], words: Mapping[str, str], *, numbered: bool) -> Markup:
    text = piece["text"]
    if piece["passage"] and not piece["word"] and len(text) > 2 * _ENDS:
        # A narrow screen shows only the ends of what both texts have.
        begin, end = text.find(" ", _ENDS), text.rfind(" ", 0, -_ENDS)
        middle = Markup('<span class="middle">{}</span>').format(_with_numbers(text[begin:end], marked))
        html = _with_numbers(text[:begin], marked) + middle + _with_numbers(text[end:], marked)
        html = html if 0 < begin < end else _with_numbers(text, marked)
    else:
        html = _with_numbers(text, marked)
    if piece["word"]:
        html = Markup('<span class="word" title="{}">{}</span>').format(words[str(piece["word"])], html)
    if piece["repeated"]:
        html = Markup('<span class="repeated">{}</span>').format(html)
    if not piece["passage"]:
        return html
    if numbered:
        html = Markup("<sup>{}</sup>{}").format(piece["passage"], html)
    shown = Markup('<mark class="p{} passage" data-passage="{}" tabindex="-1">{}</mark>')
    return shown.format((piece["passage"] - 1) % _COLOURS + 1, piece["passage"], html)


def _with_numbers(text: str, marked: set[str]) -> Markup:
    return Markup().join(
        Markup('<b class="number">{}</b>').format(part) if number % 2 else escape(part)
        for number, part in enumerate(_split(text, marked))
    )


def _split(text: str, marked: set[str]) -> list[str]:
    """Text and the marked numbers in turn, starting with text."""
    if not marked:
        return [text]
    parts, end = [], 0
    for found in NUMBER.finditer(text):
        if found.group() in marked:
            parts += [text[end : found.start()], found.group()]
            end = found.end()
    return [*parts, text[end:]]


router = APIRouter(include_in_schema=False)


@router.get("/compare", dependencies=READER)
async def compare(request: Request, a: str = "", b: str = "") -> Response:
    """The two texts, the earlier document on the left; two boxes where they are not named."""
    if not (a and b):
        return page(request, "compare", sides=[], given=(a, b))
    service = running(request)
    shown = await _shown(service, await service.read(lambda store: pair_shown(store, a, b)))
    pieces = [side["pieces"] for side in shown["sides"]]
    repeated = any(piece["repeated"] for own in pieces for piece in own or ())
    return page(request, "compare", kept=None not in pieces, repeated=repeated, **shown)


_IN_HAND: Final = 100
CHOICES: Final = (
    ("dup", "dup", None, "1"),
    ("dup-b", "dup", "b", "Q"),
    ("dup-a", "dup", "a", "W"),
    ("dup-both", "dup", "both", "E"),
    ("similar", "similar", None, "2"),
    ("template", "template", None, "3"),
    ("translation", "translation", None, "4"),
    ("different", "different", None, "5"),
    ("pass", None, None, "0"),
)
"""Name, label, which document repeats which, and the key shown on the button."""

_BY_NAME: Final[Mapping[str, tuple[str | None, str | None]]] = {name: (one, two) for name, one, two, _ in CHOICES}


@router.get("/judge", dependencies=ANALYST)
async def judge(
    request: Request, queue: str = "boundary", a: str | None = None, b: str | None = None, *, reveal: bool = False
) -> Response:
    """The next pair of a queue, or a named pair."""
    check_queue(queue)
    service, person = running(request), caller_of(request).name
    pair = await _pair(request, queue, a, b)
    verdict = None
    if reveal and pair is not None:
        verdict = await service.read(lambda store: pair_verdict(store, pair["a"]["id"], pair["b"]["id"]))
    progress = await service.desk.read(lambda desk: judgements.progress_of(desk, person))
    return page(
        request,
        "judge",
        queue=queue,
        queues=[*judgements.QUEUES, *([queue] if queue not in judgements.QUEUES else [])],
        progress=progress,
        verdict=verdict,
        **await _shown(service, pair),
    )


@router.get("/judge/pair", dependencies=ANALYST)
async def judge_pair(
    request: Request,
    queue: str = "boundary",
    a: str | None = None,
    b: str | None = None,
    besides: Annotated[list[str], Query(max_length=_IN_HAND)] = [],  # noqa: B006 - read only
) -> Response:
    """The part of the page that changes: a named pair, or the next one that is not ``besides``, ids by twos."""
    check_queue(queue)
    in_hand = frozenset(
        judgements.ordered_pair(one, other)
        for one, other in zip(besides[::2], besides[1::2], strict=False)
        if one != other
    )
    pair = await _pair(request, queue, a, b, in_hand)
    return page(request, "judge_pair", queue=queue, verdict=None, **await _shown(running(request), pair))


@router.get("/judge/verdict", dependencies=ANALYST)
async def judge_verdict(request: Request, a: str, b: str) -> Response:
    """The stream's verdict on a pair, as a line of text."""
    verdict = await running(request).read(lambda store: pair_verdict(store, a, b))
    return page(request, "judge_verdict", verdict=verdict)


@router.post("/judge", dependencies=ANALYST)
async def judge_by_form(request: Request) -> Response:
    """A judgement without JavaScript: save it, and show the next pair."""
    fields = {name: values[0] for name, values in (await form_of(request)).items()}
    if fields.get("choice") not in _BY_NAME:
        raise ProblemError(422, "invalid", "expected a choice", field="choice")
    label, repeats = _BY_NAME[fields["choice"]]
    body: dict[str, Any] = {name: fields.get(name) for name in ("a", "b")} | {"label": label, "repeats": repeats}
    body |= {"queue": fields.get("queue", "own"), "seen_verdict": "seen" in fields}
    await desk_routes.store_judgement(
        running(request),
        desk_routes.judgement_from(
            checked(desk_routes.GivenJudgement, body), caller_of(request).name, fields.get("key")
        ),
    )
    query = {"queue": fields.get("back") or fields.get("queue", "boundary")}
    return RedirectResponse(f"/judge?{urlencode(query)}", 303)


@router.post("/judge/undo/{number}", dependencies=ANALYST)
async def undo_by_form(request: Request, number: int) -> Response:
    """Undo without JavaScript: withdraw the judgement, and show its pair again."""
    said = await desk_routes.undone(running(request), caller_of(request).name, number, uuid.uuid4().hex)
    query = {"queue": said["queue"] if is_queue(said["queue"]) else "boundary", "a": said["a"], "b": said["b"]}
    return RedirectResponse(f"/judge?{urlencode(query)}", 303)


async def _pair(
    request: Request, queue: str, a: str | None, b: str | None, in_hand: frozenset[tuple[str, str]] = frozenset()
) -> dict[str, Any] | None:
    service, person = running(request), caller_of(request).name
    if a is not None and b is not None:
        one, other = a, b
        return await service.read(lambda store: pair_shown(store, one, other))
    found = await pairs_for(service, person, queue, 1, in_hand)
    return found[0] if found else None


async def _shown(service: RunningService, pair: dict[str, Any] | None) -> dict[str, Any]:
    if pair is None:
        return {"sides": None, "passages": 0, "shared_terms": [], "key": "", "choices": CHOICES}
    kept = {name: pair[name] for name in ("passages", "shared_terms")}
    sides = await asyncio.to_thread(marked_sides, pair)
    # Of these versions, which need not be the latest.
    titles = await service.read(lambda store: [side["title"] or store.beginning(side["ordinal"]) for side in sides])
    sides = [side | {"title": title} for side, title in zip(sides, titles, strict=True)]
    return kept | {"sides": sides, "key": uuid.uuid4().hex, "choices": CHOICES}


_ROWS: Final = 50
_DISAGREED: Final = 50
_PERSONS: Final = "SELECT DISTINCT person FROM judgement ORDER BY person"


@router.get("/labels", dependencies=ANALYST)
async def labels(request: Request, person: str = "", label: str = "", after: str | None = None) -> Response:
    """Judgements, the latest first, and how far two judges agree on the same pairs."""
    if label and label not in LABELS:
        raise ProblemError(422, "invalid", "expected a label", field="label")
    (before,) = keyset(after, (int,)) or (None,)

    def question(desk: sqlite3.Connection) -> dict[str, Any]:
        rows = judgements.judgement_page(
            desk, person=person or None, label=label or None, before=before, limit=_ROWS + 1
        )
        return {
            "several": listed(rows, _ROWS, lambda row: [row["number"]]),
            "agreement": judgements.agreement_of(desk),
            "disagreed": judgements.disagreements(desk, _DISAGREED),
            # Pairs, as in the file and on the page of the model: not every person's judgement.
            "counts": Counter(row["label"] for row in judgements.label_rows(desk) if row["label"] is not None),
            "persons": [name for (name,) in desk.execute(_PERSONS)],
        }

    service = running(request)
    found = await service.desk.read(question)
    rows = found["several"]["items"]
    return page(
        request,
        "labels",
        rows=rows,
        next=found["several"]["next"],
        titles=await _titles(service, [*rows, *found["disagreed"]]),
        known=LABELS,
        filters={"person": person, "label": label},
        **{name: found[name] for name in ("agreement", "disagreed", "counts", "persons")},
    )


# Threshold k, a classifier trained on judgements, and methods measured by them


_DOCUMENTS: Final = 20_000
_COUNTS: Final = ("sweep", "estimate", "audit")


@router.get("/explore", dependencies=READER)
async def explore(request: Request, k: int | None = None) -> Response:
    """The last result, the current job, and one k in detail."""
    service = running(request)

    def question(desk: Any) -> tuple[Any, ...]:
        return *(last_result(desk, kind) for kind in _COUNTS), latest_jobs(desk, 1)

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


@router.post("/explore", dependencies=ANALYST)
async def begin(request: Request) -> Response:
    """Start a count from a form."""
    kind = (await form_of(request)).get("kind", [""])[0]
    judged = kind == "audit-judged"
    if not judged and kind not in _COUNTS:
        raise ProblemError(422, "invalid", "expected a kind", field="kind")
    await _begin(request, {"kind": "audit" if judged else kind, "documents": _DOCUMENTS, "judged": judged})
    return RedirectResponse("/explore", 303)


_COMPARED: Final = 5_000
_CONFUSED: Final = 40
_DISPUTED: Final = 40
_BAR: Final = 160


@router.get("/model", dependencies=ANALYST)
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


@router.get("/methods", dependencies=ANALYST)
async def methods(request: Request) -> Response:
    """The methods of the literature, evaluated by people's judgements."""
    from infostream_dedup.lab.methods import methods as registered

    service = running(request)
    of, job, counts = await _of_desk(service, "compare")
    result = None if of is None else of["result"]
    disputed = [] if result is None else result["disputed"][:_DISPUTED]
    chosen = [] if of is None else of["parameters"].get("methods") or []
    measured = (row for row in (result or {"rows": ()})["rows"] if row["f1"] is not None)
    best = max(measured, key=lambda row: row["f1"], default=None)
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
        best=best["method"] if best else None,
    )


@router.post("/model", dependencies=ANALYST)
async def begin_training(request: Request) -> Response:
    """Start a training from a form."""
    preset = (await form_of(request)).get("preset", ["duplicate"])[0]
    await _begin(request, {"kind": "train", "preset": preset})
    return RedirectResponse("/model", 303)


@router.post("/methods", dependencies=ANALYST)
async def begin_comparison(request: Request) -> Response:
    """Start a comparison from a form; if no method is chosen, all that can run are compared."""
    wanted = (await form_of(request)).get("method")
    await _begin(request, {"kind": "compare", "documents": _COMPARED, "methods": wanted})
    return RedirectResponse("/methods", 303)


async def _begin(request: Request, asked: dict[str, Any]) -> None:
    try:
        await desk_routes.begin_job(running(request), checked(desk_routes.GivenJob, asked), caller_of(request).name)
    except ProblemError as problem:
        # The page shows the job that is running.
        if problem.code != "job-running":
            raise


async def _of_desk(service: RunningService, kind: str) -> tuple[Any, Any, Counter[str]]:
    """The last result of a kind, the current job, and the number of pairs with each label."""

    def question(desk: Any) -> tuple[Any, Any, Counter[str]]:
        jobs = latest_jobs(desk, 1)
        job = jobs[0] if jobs and jobs[0]["state"] != "done" else None
        counts = Counter(str(row["label"]) for row in judgements.label_rows(desk) if row["label"] is not None)
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


async def _titles(service: RunningService, pairs: list[dict[str, Any]]) -> dict[str, str]:
    """Return the heading of the latest version of each document, by id; empty if the store does not know it."""
    ids = {name for pair in pairs for name in (pair["a"], pair["b"])}
    return await service.read(lambda store: {name: store.heading(name) for name in ids}) if ids else {}
