"""Judging pairs by keys: two texts, one key for each judgement, undo."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Mapping
from typing import Annotated, Any, Final
from urllib.parse import parse_qs, urlencode

from fastapi import APIRouter, Query, Request
from starlette.responses import RedirectResponse, Response

from infostream_dedup.judgements.candidates import QUEUES
from infostream_dedup.judgements.judgements import ordered_pair, progress_of
from infostream_dedup.service.answers import needs
from infostream_dedup.service.pages.frame import page
from infostream_dedup.service.pages.marking import marked_sides
from infostream_dedup.service.pair_choice import check_queue, pairs_for
from infostream_dedup.service.pair_view import pair_shown, pair_verdict
from infostream_dedup.service.problems import ProblemError
from infostream_dedup.service.routes.judgements import judgement_from, store_judgement, undone
from infostream_dedup.service.running import caller_of, running

__all__ = ["router"]

router = APIRouter(include_in_schema=False)

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


@router.get("/judge", dependencies=[needs("analyst")])
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
    progress = await service.desk.read(lambda desk: progress_of(desk, person))
    return page(
        request,
        "judge",
        queue=queue,
        queues=[*QUEUES, *([queue] if queue not in QUEUES else [])],
        progress=progress,
        verdict=verdict,
        **await _shown(pair),
    )


@router.get("/judge/pair", dependencies=[needs("analyst")])
async def judge_pair(
    request: Request,
    queue: str = "boundary",
    a: str | None = None,
    b: str | None = None,
    besides: Annotated[list[str], Query(max_length=_IN_HAND)] = [],  # noqa: B006 - read only
) -> Response:
    """The part of the page that changes: a named pair, or the next one that the page does not have yet.

    ``besides`` has two ids for each pair that the page already has.
    """
    check_queue(queue)
    in_hand = frozenset(
        ordered_pair(one, other) for one, other in zip(besides[::2], besides[1::2], strict=False) if one != other
    )
    pair = await _pair(request, queue, a, b, in_hand)
    return page(request, "judge_pair", queue=queue, verdict=None, **await _shown(pair))


@router.get("/judge/verdict", dependencies=[needs("analyst")])
async def judge_verdict(request: Request, a: str, b: str) -> Response:
    """The stream's verdict on a pair, as a line of text."""
    verdict = await running(request).read(lambda store: pair_verdict(store, a, b))
    return page(request, "judge_verdict", verdict=verdict)


@router.post("/judge", dependencies=[needs("analyst")])
async def judge_by_form(request: Request) -> Response:
    """A judgement without JavaScript: save it, and show the next pair."""
    fields = {name: values[0] for name, values in parse_qs((await request.body()).decode("utf-8", "replace")).items()}
    if fields.get("choice") not in _BY_NAME:
        raise ProblemError(422, "invalid", "expected a choice", field="choice")
    label, repeats = _BY_NAME[fields["choice"]]
    body: dict[str, Any] = {name: fields.get(name) for name in ("a", "b")} | {"label": label, "repeats": repeats}
    body |= {"queue": fields.get("queue", "own"), "seen_verdict": "seen" in fields}
    await store_judgement(running(request), judgement_from(body, caller_of(request).name, fields.get("key")))
    query = {"queue": fields.get("back") or fields.get("queue", "boundary")}
    return RedirectResponse(f"/judge?{urlencode(query)}", 303)


@router.post("/judge/undo/{number}", dependencies=[needs("analyst")])
async def undo_by_form(request: Request, number: int) -> Response:
    """Undo without JavaScript: withdraw the judgement, and show its pair again."""
    said = await undone(running(request), caller_of(request).name, number, uuid.uuid4().hex)
    query = {"queue": said["queue"] if _is_queue(said["queue"]) else "boundary", "a": said["a"], "b": said["b"]}
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


async def _shown(pair: dict[str, Any] | None) -> dict[str, Any]:
    if pair is None:
        return {"sides": None, "passages": 0, "shared_terms": [], "key": "", "choices": CHOICES}
    sides = await asyncio.to_thread(marked_sides, pair)
    return {
        "sides": sides,
        "passages": pair["passages"],
        "shared_terms": pair["shared_terms"],
        "key": uuid.uuid4().hex,
        "choices": CHOICES,
    }


def _is_queue(name: str) -> bool:
    try:
        check_queue(name)
    except ProblemError:
        return False
    return True
