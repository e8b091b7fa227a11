"""Two documents side by side: what they share, and the numbers in which they differ."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Request
from starlette.responses import Response

from infostream_dedup.service.answers import needs
from infostream_dedup.service.pages.frame import page
from infostream_dedup.service.pages.marking import marked_sides
from infostream_dedup.service.pair_view import pair_shown
from infostream_dedup.service.running import running

__all__ = ["router"]

router = APIRouter(include_in_schema=False)


@router.get("/compare", dependencies=[needs("reader")])
async def compare(request: Request, a: str, b: str) -> Response:
    """The two texts, the earlier document on the left."""
    shown = await running(request).read(lambda store: pair_shown(store, a, b))
    sides = await asyncio.to_thread(marked_sides, shown)
    return page(
        request,
        "compare",
        sides=sides,
        kept=sides[0]["pieces"] is not None and sides[1]["pieces"] is not None,
        passages=shown["passages"],
        shared_terms=shown["shared_terms"],
    )
