"""Stories: groups in several languages that tell one story."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from infostream_dedup.service.answers import JsonResponse, keyset, listed, needs, rows_wanted
from infostream_dedup.service.problems import ProblemError
from infostream_dedup.service.running import running
from infostream_dedup.stream.store.browsing import story_page, story_shown

__all__ = ["router"]

router = APIRouter(prefix="/v1", tags=["groups"])


@router.get("/stories", dependencies=[needs("reader")], response_class=JsonResponse)
async def show_stories(request: Request, after: str | None = None, limit: int | None = None) -> Response:
    """The current stories, the latest first."""
    rows = rows_wanted(request, limit)
    place = keyset(after, (int,))
    before = None if place is None else place[0]
    found = await running(request).read(lambda store: story_page(store.connection, before=before, limit=rows + 1))
    return JsonResponse(listed(found, rows, lambda row: [row["begun"]]))


@router.get("/stories/{id:path}", dependencies=[needs("reader")], response_class=JsonResponse)
async def show_story(request: Request, id: str) -> Response:  # noqa: A002
    """A story with its documents by language, and the words they share."""
    found = await running(request).read(lambda store: story_shown(store.connection, id))
    if found is None:
        raise ProblemError(404, "not-found", "no story with this id")
    return JsonResponse(found)
