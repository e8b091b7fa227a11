"""Who was first, and what each copy kept, cut, added and changed."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from infostream_dedup.service.answers import needs
from infostream_dedup.service.literal_ends import LiteralEndRoute
from infostream_dedup.service.pages.frame import page
from infostream_dedup.service.problems import ProblemError
from infostream_dedup.service.routes.groups import traced_group
from infostream_dedup.service.running import running
from infostream_dedup.stream.store import Store
from infostream_dedup.stream.store.browsing import document_versions

__all__ = ["router"]

router = APIRouter(include_in_schema=False, route_class=LiteralEndRoute)


@router.get("/groups/{id:path}/provenance", dependencies=[needs("reader")])
async def show_provenance(request: Request, id: str) -> Response:  # noqa: A002
    """The copies of a group next to its first document."""

    def question(store: Store) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
        found = traced_group(store, id)
        if found is None:
            return None, None
        return found, document_versions(store.connection, found["first"])[-1]

    try:
        found, first = await running(request).read(question)
    except ProblemError as problem:
        if problem.code != "texts-not-kept":
            raise
        return page(request, "provenance", status=409, group=id, first=None, first_by="", copies=[], kept=False)
    if found is None:
        raise ProblemError(404, "not-found")
    return page(
        request, "provenance", group=id, first=first, first_by=found["first_by"], copies=found["copies"], kept=True
    )
