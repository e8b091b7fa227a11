"""Where else has this text appeared?"""

from __future__ import annotations

from typing import Any, Final

from fastapi import APIRouter, Request
from starlette.responses import Response

from infostream_dedup.service.answers import needs
from infostream_dedup.service.pages.frame import page
from infostream_dedup.service.running import running

__all__ = ["router"]

router = APIRouter(include_in_schema=False)

_TOP: Final = 40
_LONGEST: Final = 7_000
"""An address has at most 65,534 bytes, and a character takes up to nine of them."""


@router.get("/search", dependencies=[needs("reader")])
async def search(request: Request, q: str = "") -> Response:
    """A text box, and the hits."""
    service = running(request)
    text = q.strip()[: service.settings.limits.text_bytes // 4]
    hits: list[dict[str, Any]] | None = await service.searched.hits(text=text, top=_TOP) if text else None
    return page(request, "search", text=text, hits=hits, longest=_LONGEST)
