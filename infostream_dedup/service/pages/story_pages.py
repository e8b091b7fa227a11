"""Stories: one column for each language, and the words that matched."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, Request
from starlette.responses import Response

from infostream_dedup.service.answers import keyset, listed, needs
from infostream_dedup.service.pages.frame import page
from infostream_dedup.service.pages.timelines import timeline
from infostream_dedup.service.running import running
from infostream_dedup.stream.store.browsing import story_page, story_shown

__all__ = ["router"]

router = APIRouter(include_in_schema=False)

_ROWS: Final = 40


@router.get("/stories", dependencies=[needs("reader")])
async def stories(request: Request, after: str | None = None) -> Response:
    """The present stories."""
    place = keyset(after, (int,))
    before = None if place is None else place[0]
    rows = await running(request).read(lambda store: story_page(store.connection, before=before, limit=_ROWS + 1))
    several = listed(rows, _ROWS, lambda row: [row["begun"]])
    return page(request, "stories", rows=several["items"], next=several["next"])


@router.get("/stories/{id:path}", dependencies=[needs("reader")])
async def story(request: Request, id: str) -> Response:  # noqa: A002
    """One story."""
    found = await running(request).read(lambda store: story_shown(store.connection, id))
    if found is None:
        return page(request, "story", status=404, story=None, titles={}, timeline=None)
    members = [one for column in found["columns"] for one in column["documents"]]
    members.sort(key=lambda one: (one["published"] or "", one["ordinal"]))
    titles = {one["id"]: one["title"] for one in members}
    return page(request, "story", story=found, titles=titles, timeline=timeline(members))
