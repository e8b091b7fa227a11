"""Where else has this text appeared?"""

from __future__ import annotations

from typing import Any, Final

from fastapi import APIRouter, Request
from starlette.responses import Response

from infostream_dedup.service.answers import JsonResponse, needs
from infostream_dedup.service.bodies import object_body
from infostream_dedup.service.contract import body_of
from infostream_dedup.service.problems import ProblemError
from infostream_dedup.service.running import RunningService, running

__all__ = ["router"]

router = APIRouter(prefix="/v1", tags=["search"])

_MEMBERS: Final = ("text", "title", "across", "k_min", "top")
_TOP: Final = 20


@router.post("/search", dependencies=[needs("reader")], response_class=JsonResponse, openapi_extra=body_of("search"))
async def search(request: Request) -> Response:
    """The stored documents that most resemble a text.

    The body is ``{"text": string, "title": string?, "across": bool?, "k_min": int?, "top": int?}``.
    """
    service = running(request)
    body = await object_body(request, known=_MEMBERS)
    return JsonResponse(await _found(service, _checked(body, service)))


@router.get("/search", dependencies=[needs("reader")], response_class=JsonResponse)
async def search_by_link(request: Request, q: str, *, across: bool = True, top: int = _TOP) -> Response:
    """Search for a short text in the address."""
    service = running(request)
    return JsonResponse(await _found(service, _checked({"text": q, "across": across, "top": top}, service)))


async def _found(service: RunningService, asked: dict[str, Any]) -> dict[str, Any]:
    return {"items": await service.searched.hits(**asked), "next": None}


def _checked(body: dict[str, Any], service: RunningService) -> dict[str, Any]:
    limits = service.settings.limits
    text, title, across = body.get("text"), body.get("title", ""), body.get("across", True)
    k_min, top = body.get("k_min"), body.get("top", _TOP)
    if not isinstance(text, str) or not text.strip():
        raise ProblemError(422, "invalid", "expected a text", field="text")
    if len(text.encode("utf-8", "replace")) > limits.text_bytes:
        raise ProblemError(413, "too-large", "search for a shorter text", field="text", limit=limits.text_bytes)
    if not isinstance(title, str):
        raise ProblemError(422, "invalid", "expected a string", field="title")
    if len(title.encode("utf-8", "replace")) > limits.text_bytes:
        raise ProblemError(413, "too-large", "search for a shorter title", field="title", limit=limits.text_bytes)
    if not isinstance(across, bool):
        raise ProblemError(422, "invalid", "expected true or false", field="across")
    if k_min is not None and (type(k_min) is not int or not 1 <= k_min <= 255):
        raise ProblemError(422, "invalid", "expected a number from 1 to 255", field="k_min")
    if type(top) is not int or not 1 <= top <= limits.rows:
        raise ProblemError(422, "invalid", "expected a number of rows", field="top", limit=limits.rows)
    return {"text": text, "title": title, "across": across, "k_min": k_min, "top": top}
