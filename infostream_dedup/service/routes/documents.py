"""Documents, the log of verdicts, two documents side by side, and the search."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final

from fastapi import APIRouter, Query, Request
from pydantic import Field, field_validator
from starlette.responses import Response

from infostream_dedup.errors import BadDataError
from infostream_dedup.judgements.judgements import forget_in_desk
from infostream_dedup.service.answers import (
    JsonResponse,
    LiteralEndRoute,
    keyset,
    listed,
    needs,
    read_body,
    rows_wanted,
    unchanged,
)
from infostream_dedup.service.contract import body_of
from infostream_dedup.service.pairs import comparison_of, pieces_shown, versions_of_pair
from infostream_dedup.service.problems import ProblemError
from infostream_dedup.service.running import running
from infostream_dedup.service.values import Body, checked
from infostream_dedup.stream.store.browsing import document_versions, key_terms_of, verdict_log

if TYPE_CHECKING:
    from infostream_dedup.stream.store import Store

router = APIRouter(prefix="/v1", tags=["documents"], route_class=LiteralEndRoute)
_MOST_TERMS: Final = 255
_TOP: Final = 20


@router.get("/documents/{id:path}/similar", dependencies=[needs("reader")], response_class=JsonResponse)
async def show_similar(
    request: Request,
    id: str,  # noqa: A002
    *,
    across: bool = True,
    k: Annotated[int, Query(ge=1, le=_MOST_TERMS)] | None = None,
    top: int = _TOP,
) -> Response:
    """The stored documents that most resemble a stored one, without itself; see ``/v1/search``."""
    service = running(request)
    rows_wanted(request, top, "top")
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


@router.get("/compare", dependencies=[needs("reader")], response_class=JsonResponse)
async def compare(request: Request, a: str, b: str) -> Response:
    """The passages that two documents share, their coverage, and the key terms of both.

    Pieces of a text that are ``repeated`` are lines that were not compared: many documents have them, or they are calls
    to subscribe.

    For documents in two languages, ``met`` has the nouns and names that translate each other, with their places. Of one
    document twice, its last two versions are compared.
    """
    return JsonResponse(await running(request).read(lambda store: compared(store, a, b)))


def compared(store: Store, a: str, b: str) -> dict[str, Any]:
    """Compare two documents of a store."""
    sides = [_side(store, found) for found in versions_of_pair(store, a, b)]
    found = comparison_of(sides, sides[0]["text"], sides[1]["text"])
    for side, pieces in zip(sides, pieces_shown(store, sides, [side["text"] for side in sides], found), strict=True):
        side["pieces"] = pieces
        del side["text"], side["ordinal"]
    return {"a": sides[0], "b": sides[1], **found.as_dict()}


def _side(store: Store, found: dict[str, Any]) -> dict[str, Any]:
    if found["forgotten"]:
        raise ProblemError(410, "forgotten")
    text = store.text(found["ordinal"])
    if text is None:
        raise ProblemError(
            409, "texts-not-kept", "start the service with --keep-text: it keeps the texts of later documents"
        )
    kept = {
        name: found[name] for name in ("id", "version", "title", "source", "language", "published", "group", "ordinal")
    }
    return {**kept, "key_terms": key_terms_of(store.connection, found["ordinal"]), "text": text}


search_router = APIRouter(prefix="/v1", tags=["search"])


class SearchQuestion(Body):
    """A text to search for."""

    text: Annotated[str, Field(min_length=1)]
    title: str = ""
    across: bool = True
    k_min: Annotated[int, Field(ge=1, le=_MOST_TERMS)] | None = None
    top: Annotated[int, Field(ge=1)] = _TOP

    @field_validator("text")
    @classmethod
    def _has_words(cls, text: str) -> str:
        if not text.strip():
            raise ValueError("expected a text")
        return text


@search_router.post(
    "/search", dependencies=[needs("reader")], response_class=JsonResponse, openapi_extra=body_of(SearchQuestion)
)
async def search(request: Request) -> Response:
    """The stored documents that most resemble a text.

    The body is ``{"text": string, "title": string?, "across": bool?, "k_min": int?, "top": int?}``.
    """
    return JsonResponse(await _found(request, await read_body(request, SearchQuestion)))


@search_router.get("/search", dependencies=[needs("reader")], response_class=JsonResponse)
async def search_by_link(request: Request, q: str, *, across: bool = True, top: int = _TOP) -> Response:
    """Search for a short text in the address."""
    return JsonResponse(await _found(request, checked(SearchQuestion, {"text": q, "across": across, "top": top})))


async def _found(request: Request, asked: SearchQuestion) -> dict[str, Any]:
    most = running(request).settings.limits.text_bytes
    rows_wanted(request, asked.top, "top")
    for field, text in (("text", asked.text), ("title", asked.title)):
        if len(text.encode("utf-8", "replace")) > most:
            raise ProblemError(413, "too-large", f"search for a shorter {field}", field=field, limit=most)
    return {"items": await running(request).searched.hits(**asked.model_dump()), "next": None}
