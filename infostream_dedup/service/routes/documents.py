"""Documents, the log of verdicts, two documents side by side, and the search."""

from __future__ import annotations

from typing import Annotated, Any, Final, cast

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, Field, field_validator
from starlette.responses import Response

from infostream_dedup.errors import BadDataError
from infostream_dedup.judgements.judgements import forget_in_desk
from infostream_dedup.model.settings import Within
from infostream_dedup.model.stream_records import Status
from infostream_dedup.service import answer_models as forms
from infostream_dedup.service import answers
from infostream_dedup.service.pairs import comparison_of, pieces_shown, side_of, versions_of_pair
from infostream_dedup.service.problems import Body, ProblemError, checked, no_texts
from infostream_dedup.service.routes.groups import moment_of
from infostream_dedup.service.running import RunningService, running
from infostream_dedup.stream.store import Store, browsing

_Identical = Annotated[float | None, Field(ge=0.2, le=1, description="Share of the wording of the shorter text")]
_Days = Annotated[float | None, Field(gt=0, le=1e6, description="Most days between the two dates")]

router = APIRouter(prefix="/v1", tags=["documents"], route_class=answers.LiteralEndRoute)
_MOST_TERMS: Final = 255
_TOP: Final = 20
_FORGOTTEN_AT_ONCE: Final = 500


class DocumentsAsked(BaseModel):
    """Which documents a list has."""

    since: str | None = None
    until: str | None = None
    source: str | None = None
    status: Status | None = None
    lang: str | None = None
    after: str | None = None
    limit: int | None = None


@router.get("/documents", dependencies=answers.READER, response_model=forms.page_of(forms.DocumentRowInGroup))
async def show_documents(request: Request, asked: Annotated[DocumentsAsked, Query()]) -> Response:
    """The latest version of each document that a filter selects, in the order of the stream.

    ``since`` and ``until`` are days or moments of publication, or of arrival for documents without a date; forgotten
    documents are left out.
    """
    rows, (first,) = answers.rows_wanted(request, asked.limit), answers.keyset(asked.after, (int,)) or (-1,)
    chosen = browsing.DocumentFilter(
        language=asked.lang,
        source=asked.source,
        status=asked.status,
        since=moment_of(asked.since, "since"),
        until=moment_of(asked.until, "until"),
    )
    found = await running(request).read(lambda store: browsing.document_page(store.connection, chosen, first, rows + 1))
    return answers.JsonResponse(answers.listed(found, rows, lambda row: [row["ordinal"]]))


@router.delete("/documents", dependencies=answers.ADMIN, response_model=forms.ForgottenDocuments)
async def forget_source(request: Request, source: str, *, wipe: bool = False) -> Response:
    """Forget the content of all documents of a source; sent again, it continues. ``wipe`` as for one document."""
    found = await running(request).read(lambda store: store.ids_of_source(source))
    return answers.JsonResponse(await _forget(running(request), found, wipe=wipe))


@router.get("/documents/{id:path}/similar", dependencies=answers.READER, response_model=forms.page_of(forms.Hit))
async def show_similar(
    request: Request,
    id: str,  # noqa: A002
    *,
    across: bool = True,
    k: Annotated[int, Query(ge=1, le=_MOST_TERMS)] | None = None,
    top: int = _TOP,
    identical: _Identical = None,
    within: Within = "all",
    within_days: _Days = None,
) -> Response:
    """The stored documents that most resemble a stored one, without itself; see ``/v1/search``."""
    service = running(request)
    answers.rows_wanted(request, top, "top")
    try:
        policy = {"identical": identical, "within": within, "within_days": within_days}
        found = await service.searched.hits(id=id, across=across, k_min=k, top=top, **policy)
    except BadDataError as error:
        if error.code == "E_FORGOTTEN":
            raise ProblemError(410, "forgotten") from None
        if error.code != "E_UNKNOWN_ID":
            raise
        raise ProblemError(404, "not-found", "no document with this id") from None
    return answers.every(found)


@router.get("/documents/{id:path}", dependencies=answers.READER, response_model=forms.DocumentShown)
async def show_document(request: Request, id: str, version: int | None = None) -> Response:  # noqa: A002
    """A document with its verdict, key terms and current group, and its text if the store keeps texts."""
    found = await running(request).read(lambda store: _document(store, id, version))
    found = answers.existing(found, "no document with this id, or no such version")
    if found["forgotten"]:
        raise ProblemError(410, "forgotten")
    return answers.JsonResponse(found)


@router.delete("/documents/{id:path}", dependencies=answers.ADMIN, status_code=204, response_class=Response)
async def forget_document(request: Request, id: str, *, wipe: bool = False) -> Response:  # noqa: A002
    """Forget the content of all versions of a document; with ``wipe``, rewrite the files to remove all traces.

    Quotations on the desk are removed too.
    """
    service = running(request)
    if not await service.read(lambda store: store.known(id)):
        raise ProblemError(404, "not-found", "no document with this id")
    await _forget(service, [id], wipe=wipe)
    return Response(status_code=204)


async def _forget(service: RunningService, ids: list[str], *, wipe: bool) -> dict[str, Any]:
    count, clean = 0, None
    # Batches need not wait for a whole source.
    for begin in range(0, len(ids), _FORGOTTEN_AT_ONCE):
        some = ids[begin : begin + _FORGOTTEN_AT_ONCE]
        done = await service.work(lambda stream, some=some: cast("Store", stream.store).forget(*some))  # type: ignore[misc]
        count += sum(one.versions > 0 for one in done)
        if service.desk.path.exists():
            await service.desk.write(lambda desk, some=some: forget_in_desk(desk, set(some)))  # type: ignore[misc]
    if wipe:
        clean = await service.work(lambda stream: cast("Store", stream.store).wipe())
        if service.desk.path.exists():
            clean &= await service.desk.wipe()
    return {"documents": count, "clean": clean}


@router.get(
    "/verdicts",
    dependencies=answers.READER,
    response_model=forms.page_of(forms.LoggedVerdict),
    responses={304: {"description": "The store has not changed since the entity tag"}},
)
async def show_verdicts(request: Request, after: str | None = None, limit: int | None = None) -> Response:
    """Verdicts in the order of the stream."""
    rows = answers.rows_wanted(request, limit)
    (first,) = answers.keyset(after, (int,)) or (-1,)
    answer = answers.JsonResponse(None)
    await answers.unchanged(request, answer)
    found = await running(request).read(lambda store: browsing.verdict_log(store.connection, first, rows + 1))
    answer.body = answer.render(answers.listed(found, rows, lambda row: [row["ordinal"]]))
    answer.headers["content-length"] = str(len(answer.body))
    return answer


def _document(store: Store, id: str, version: int | None) -> dict[str, Any] | None:  # noqa: A002
    versions = browsing.document_versions(store.connection, id)
    if version is not None:
        versions = [one for one in versions if one["version"] == version]
    if not versions:
        return None
    found, ordinal = versions[-1], versions[-1]["ordinal"]
    return {**found, "key_terms": browsing.key_terms_of(store.connection, ordinal), "text": store.text(ordinal)}


@router.get("/compare", dependencies=answers.READER, response_model=forms.Comparison)
async def compare(request: Request, a: str, b: str) -> Response:
    """The passages that two documents share, their coverage, and the key terms of both.

    Pieces of a text that are ``repeated`` are lines that were not compared: many documents have them, or they are calls
    to subscribe.

    For documents in two languages, ``met`` has the nouns and names that translate each other, with their places. Of one
    document twice, its last two versions are compared.
    """
    return answers.JsonResponse(await running(request).read(lambda store: compared(store, a, b)))


def compared(store: Store, a: str, b: str) -> dict[str, Any]:
    """Compare two documents of a store."""
    sides = [_side(store, found) for found in versions_of_pair(store, a, b)]
    found = comparison_of(sides, sides[0]["text"], sides[1]["text"])
    for side, pieces in zip(sides, pieces_shown(store, sides, [side["text"] for side in sides], found), strict=True):
        side["pieces"] = pieces
        del side["text"], side["ordinal"]
    return {"a": sides[0], "b": sides[1], **found.as_dict()}


def _side(store: Store, found: dict[str, Any]) -> dict[str, Any]:
    side = side_of(store, found)
    text = store.text(side["ordinal"])
    if text is None:
        raise no_texts()
    return {name: value for name, value in side.items() if name != "url"} | {"text": text}


search_router = APIRouter(prefix="/v1", tags=["search"], dependencies=answers.READER)


_QUESTION: Final = {"text": "The port of Odesa reopened on Tuesday", "top": 5}


class SearchQuestion(Body):
    """A text to search for."""

    text: Annotated[str, Field(min_length=1)]
    title: str = ""
    across: bool = True
    k_min: Annotated[int, Field(ge=1, le=_MOST_TERMS)] | None = None
    top: Annotated[int, Field(ge=1)] = _TOP
    identical: _Identical = None
    within: Within = "all"
    within_days: _Days = None

    @field_validator("text")
    @classmethod
    def _has_words(cls, text: str) -> str:
        if not text.strip():
            raise ValueError("expected a text")
        return text


@search_router.post(
    "/search", response_model=forms.page_of(forms.Hit), openapi_extra=forms.body_of(SearchQuestion, _QUESTION)
)
async def search(request: Request) -> Response:
    """The stored documents that most resemble a text.

    The body is ``{"text": string, "title": string?, "across": bool?, "k_min": int?, "top": int?, "identical": number?,
    "within": "source" | "outlets" | "all"?, "within_days": number?}``; the last two need a text that is the id or the
    address of a stored document.
    """
    return await _found(request, await answers.read_body(request, SearchQuestion))


@search_router.get("/search", response_model=forms.page_of(forms.Hit))
async def search_by_link(
    request: Request,
    q: str,
    *,
    across: bool = True,
    top: int = _TOP,
    identical: _Identical = None,
    within: Within = "all",
    within_days: _Days = None,
) -> Response:
    """Search for a short text in the address."""
    asked = {"text": q, "across": across, "top": top}
    asked |= {"identical": identical, "within": within, "within_days": within_days}
    return await _found(request, checked(SearchQuestion, asked))


async def _found(request: Request, asked: SearchQuestion) -> Response:
    most = running(request).settings.limits.text_bytes
    answers.rows_wanted(request, asked.top, "top")
    for field, text in (("text", asked.text), ("title", asked.title)):
        if len(text.encode("utf-8", "replace")) > most:
            raise ProblemError(413, "too-large", f"search for a shorter {field}", field=field, limit=most)
    return answers.every(await running(request).searched.hits(**asked.model_dump()))
