"""Documents and the log of verdicts."""

from __future__ import annotations

from typing import Any, Final

from fastapi import APIRouter, Request
from starlette.responses import Response

from infostream_dedup.errors import BadDataError
from infostream_dedup.judgements.forgetting import forget_in_desk
from infostream_dedup.service.answers import JsonResponse, keyset, listed, needs, rows_wanted, unchanged
from infostream_dedup.service.literal_ends import LiteralEndRoute
from infostream_dedup.service.problems import ProblemError
from infostream_dedup.service.running import running
from infostream_dedup.stream.store import Store
from infostream_dedup.stream.store.browsing import document_versions, key_terms_of, verdict_log

__all__ = ["router"]

router = APIRouter(prefix="/v1", tags=["documents"], route_class=LiteralEndRoute)

_MOST_TERMS: Final = 255


@router.get("/documents/{id:path}/similar", dependencies=[needs("reader")], response_class=JsonResponse)
async def show_similar(
    request: Request,
    id: str,  # noqa: A002
    *,
    across: bool = True,
    k: int | None = None,
    top: int = 20,
) -> Response:
    """The stored documents that most resemble a stored one, without itself; see ``/v1/search``."""
    service = running(request)
    if k is not None and not 1 <= k <= _MOST_TERMS:
        raise ProblemError(422, "invalid", "expected a number from 1 to 255", field="k")
    if not 1 <= top <= service.settings.limits.rows:
        raise ProblemError(422, "invalid", "expected a number of rows", field="top", limit=service.settings.limits.rows)
    try:
        found = await service.searched.hits(id=id, across=across, k_min=k, top=top)
    except BadDataError as error:
        if error.code == "E_FORGOTTEN":
            raise ProblemError(410, "forgotten") from None
        if error.code != "E_UNKNOWN_ID":
            raise
        raise ProblemError(404, "not-found", "no document with this id") from None
    return JsonResponse({"items": found, "next": None})


@router.get("/documents/{id:path}", dependencies=[needs("reader")], response_class=JsonResponse)
async def show_document(request: Request, id: str, version: int | None = None) -> Response:  # noqa: A002
    """A document with its verdict, key terms and current group, and its text if the store keeps texts."""
    found = await running(request).read(lambda store: _document(store, id, version))
    if found is None:
        raise ProblemError(404, "not-found", "no document with this id, or no such version")
    if found["forgotten"]:
        raise ProblemError(410, "forgotten")
    return JsonResponse(found)


@router.delete("/documents/{id:path}", dependencies=[needs("admin")], status_code=204, response_class=Response)
async def forget_document(request: Request, id: str, *, wipe: bool = False) -> Response:  # noqa: A002
    """Forget the content of all versions of a document; with ``wipe``, rewrite the files to remove all traces.

    Quotations on the desk are removed too.
    """
    service = running(request)
    if not await service.read(lambda store: store.known(id)):
        raise ProblemError(404, "not-found", "no document with this id")

    def forget(stream: Any) -> None:
        stream.store.forget(id)
        if wipe:
            stream.store.wipe()

    await service.work(forget)
    if service.desk.path.exists():
        await service.desk.write(lambda desk: forget_in_desk(desk, {id}))
        if wipe:
            await service.desk.wipe()
    return Response(status_code=204)


@router.get(
    "/verdicts",
    dependencies=[needs("reader")],
    response_class=JsonResponse,
    responses={304: {"description": "The store has not changed since the entity tag"}},
)
async def show_verdicts(request: Request, after: str | None = None, limit: int | None = None) -> Response:
    """Verdicts in the order of the stream."""
    rows = rows_wanted(request, limit)
    place = keyset(after, (int,))
    answer = JsonResponse(None)
    await unchanged(request, answer)
    first = -1 if place is None else place[0]
    found = await running(request).read(lambda store: verdict_log(store.connection, first, rows + 1))
    answer.body = answer.render(listed(found, rows, lambda row: [row["ordinal"]]))
    answer.headers["content-length"] = str(len(answer.body))
    return answer


def _document(store: Store, id: str, version: int | None) -> dict[str, Any] | None:  # noqa: A002
    versions = document_versions(store.connection, id)
    if version is not None:
        versions = [one for one in versions if one["version"] == version]
    if not versions:
        return None
    found = versions[-1]
    ordinal = found["ordinal"]
    return {**found, "key_terms": key_terms_of(store.connection, ordinal), "text": store.text(ordinal)}
