"""Which verdicts would documents get if they arrived now?"""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from infostream_dedup.service.answers import JsonResponse, needs
from infostream_dedup.service.batch_decisions import checked_conflict
from infostream_dedup.service.batch_documents import built_documents
from infostream_dedup.service.bodies import object_body
from infostream_dedup.service.contract import body_of
from infostream_dedup.service.problems import ProblemError
from infostream_dedup.service.running import running

__all__ = ["router"]

router = APIRouter(prefix="/v1", tags=["batches"])


@router.post("/check", dependencies=[needs("reader")], response_class=JsonResponse, openapi_extra=body_of("check"))
async def check(request: Request) -> Response:
    """The verdicts that at most 100 documents would get now, in their order; nothing is stored.

    The body is ``{"on_conflict": "error" | "version", "documents": [...]}``, as of a batch. The
    first question takes as long as restoring the window.
    """
    service = running(request)
    body = await object_body(request, known=("on_conflict", "documents"))
    items, on_conflict = body.get("documents"), checked_conflict(body)
    most = service.settings.limits.checked
    if not isinstance(items, list):
        raise ProblemError(422, "invalid", "expected an array of documents", field="documents")
    if len(items) > most:
        raise ProblemError(413, "too-large", "ask for fewer documents at once", field="documents", limit=most)
    built_documents(items, skip=False)
    # While the store is being opened, there is nothing to compare with.
    await service.position()
    return JsonResponse({"verdicts": await service.checker.verdicts(items, on_conflict)})
