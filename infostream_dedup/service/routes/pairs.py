"""Pairs to judge."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from infostream_dedup.service.answers import JsonResponse, needs
from infostream_dedup.service.pair_choice import check_queue, pairs_for
from infostream_dedup.service.pair_view import pair_verdict
from infostream_dedup.service.problems import ProblemError
from infostream_dedup.service.running import caller_of, running

__all__ = ["router"]

router = APIRouter(prefix="/v1", tags=["desk"])

_MOST = 5


@router.get(
    "/pairs/next",
    dependencies=[needs("analyst")],
    response_class=JsonResponse,
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


@router.get("/pairs/verdict", dependencies=[needs("analyst")], response_class=JsonResponse)
async def show_pair_verdict(request: Request, a: str, b: str) -> Response:
    """The stream's verdict on a pair."""
    found: Any = await running(request).read(lambda store: pair_verdict(store, a, b))
    return JsonResponse(found)
