"""Groups and stories, and whole lists as files."""

from __future__ import annotations

import csv
import io
from collections.abc import AsyncIterator, Iterator, Sequence
from datetime import UTC, datetime
from typing import Annotated, Any, Final, Literal
from urllib.parse import quote

import orjson
from fastapi import APIRouter, Query, Request
from pydantic import BaseModel
from starlette.responses import RedirectResponse, Response, StreamingResponse

from infostream_dedup.api.watch import hit_rows, watch_rows
from infostream_dedup.documents.outputs import guarded
from infostream_dedup.errors import BadDataError
from infostream_dedup.service import answer_models as forms
from infostream_dedup.service import answers
from infostream_dedup.service.figures import as_given, figure_now
from infostream_dedup.service.problems import ProblemError, no_texts
from infostream_dedup.service.running import RunningService, running
from infostream_dedup.stream.store import Store, browsing
from infostream_dedup.stream.store.stories import coverage_of, documents_of, story_page, story_rows, story_shown

router = APIRouter(prefix="/v1", tags=["groups"], route_class=answers.LiteralEndRoute, dependencies=answers.READER)
_MICROSECONDS: Final = 1_000_000
_TRACED: Final = 200
_MOST_DOCUMENTS: Final = 1 << 62


class GroupQuestion(BaseModel):
    """Which groups a list or a file has, and in which order; empty strings do not restrict it."""

    order: Literal["size", "last"] = "size"
    lang: Literal["", "ru", "uk", "en"] = ""
    source: str = ""
    since: str | None = None
    until: str | None = None
    min: int = 2
    alarm: bool = False
    q: str = ""

    def chosen(self) -> browsing.GroupFilter:
        """The filter of the store; ProblemError ``invalid`` for what is not a date."""
        return browsing.GroupFilter(
            language=self.lang or None,
            source=self.source or None,
            since=moment_of(self.since, "since"),
            until=moment_of(self.until, "until"),
            least=min(max(2, self.min), _MOST_DOCUMENTS),
            alarm=self.alarm,
            words=self.q or None,
        )


class GroupsAsked(GroupQuestion):
    """A page of the list of groups."""

    after: str | None = None
    limit: int | None = None


@router.get("/groups", response_model=forms.page_of(forms.GroupRow))
async def show_groups(request: Request, asked: Annotated[GroupsAsked, Query()]) -> Response:
    """The current groups of at least two documents, the largest or the latest first."""
    rows, by_date, chosen = answers.rows_wanted(request, asked.limit), asked.order == "last", asked.chosen()
    begin = group_place(asked.after, by_date=by_date)
    found = await running(request).read(
        lambda store: browsing.group_page(store.connection, chosen, by_date=by_date, after=begin, limit=rows + 1)
    )
    return answers.JsonResponse(
        answers.listed(found, rows, lambda row: [(row["last"] or "") if by_date else row["documents"], row["ordinal"]])
    )


@router.get("/groups/{id:path}/provenance", response_model=forms.Provenance)
async def show_provenance(request: Request, id: str) -> Response:  # noqa: A002
    """Who published a group first, and what each copy kept, cut, added and changed."""
    found = await running(request).read(lambda store: traced_group(store, id))
    return answers.JsonResponse(answers.existing(found, "no group with this id"))


@router.get(
    "/groups/{id:path}",
    response_model=forms.GroupShown,
    responses={308: {"description": "The group was merged into another"}},
)
async def show_group(request: Request, id: str) -> Response:  # noqa: A002
    """A group with its documents in the order of publication, and its history."""

    def question(store: Store) -> tuple[dict[str, Any] | None, str | None]:
        found = browsing.group_with_members(store.connection, id)
        return found, None if found is not None else browsing.surviving_group(store.connection, id)

    found, survivor = await running(request).read(question)
    if found is None and survivor not in (None, id):
        return RedirectResponse(f"/v1/groups/{quote(survivor, safe='')}", status_code=308)
    return answers.JsonResponse(answers.existing(found, "no group with this id"))


@router.get("/sources", response_model=forms.page_of(forms.SourceRow))
async def show_sources(request: Request) -> Response:
    """What each source published among the latest 20,000 documents, how much of it repeats others, and which ones."""
    return answers.every(await figure_now(running(request), "reprints"))


def group_place(after: str | None, *, by_date: bool) -> browsing.GroupPlace | None:
    """Where a list of groups continues."""
    place = answers.keyset(after, (str if by_date else int, int))
    if place is None:
        return None
    if by_date and place[0]:
        moment_of(place[0], "after")
    return browsing.GroupPlace(*place)


def traced_group(store: Store, id: str) -> dict[str, Any] | None:  # noqa: A002
    """Trace the copies of a group; None if no group of at least two documents has this id."""
    from infostream_dedup.judging.passages.provenance import provenance

    found = browsing.group_with_members(store.connection, id)
    if found is None or found["documents"] < 2:
        return None
    members = [member for member in found["members"] if not member["forgotten"]][:_TRACED]
    published = {member["id"]: member["published"] for member in members}
    try:
        documents = [as_given(store.kept(member["ordinal"])) for member in members]
    except BadDataError:
        raise no_texts() from None
    traced = provenance(documents)
    return {
        "group": id,
        "first": traced.first.id,
        "first_by": traced.first_by,
        "copies": [{**copy.as_dict(id, traced), "published": published[copy.document.id]} for copy in traced.copies],
    }


def moment_of(given: str | None, field: str) -> int | None:
    """Microseconds since 1970 of a date in an address; ProblemError ``invalid``."""
    if given is None:
        return None
    try:
        time = datetime.fromisoformat(given)
    except ValueError:
        advice = "expected a date such as 2026-11-21 or 2026-11-21T10:05Z" + "; send + as %2B" * (" " in given)
        raise ProblemError(422, "invalid", advice, field=field) from None
    return int((time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp() * _MICROSECONDS)


@router.get("/stories", response_model=forms.page_of(forms.StoryRow))
async def show_stories(
    request: Request,
    after: str | None = None,
    limit: int | None = None,
    by: Literal["", "size", "outlets", "origins", "spread"] = "",
    since: str | None = None,
) -> Response:
    """The current stories, the latest first; with ``by`` only the greatest, with a document since then."""
    rows = answers.rows_wanted(request, limit)
    moment = moment_of(since, "since")
    if by and after is not None:
        raise ProblemError(422, "invalid", "with by, there is no further page", field="after")
    if by:
        told = await running(request).read(lambda store: story_rows(store.connection, by=by, since=moment, top=rows))
        return answers.every(told)
    if moment is not None:
        raise ProblemError(422, "invalid", "since needs an order: size, outlets, origins or spread", field="by")
    (before,) = answers.keyset(after, (int,)) or (None,)
    found = await running(request).read(lambda store: story_page(store.connection, before=before, limit=rows + 1))
    return answers.JsonResponse(answers.listed(found, rows, lambda row: [row["begun"]]))


@router.get("/stories/{id:path}/coverage", response_model=forms.Coverage)
async def show_coverage(request: Request, id: str) -> Response:  # noqa: A002
    """Who covers a story, and how many independent origins stand behind them; also by the id of a document."""

    def covered(store: Store) -> dict[str, Any] | None:
        documents = documents_of(store.connection, [id])
        return coverage_of(store, documents) if documents else None

    return answers.JsonResponse(answers.existing(await running(request).read(covered), "no story with this id"))


@router.get("/stories/{id:path}", response_model=forms.StoryShown)
async def show_story(request: Request, id: str) -> Response:  # noqa: A002
    """A story with its documents by language, and the words they share."""
    found = await running(request).read(lambda store: story_shown(store.connection, id))
    return answers.JsonResponse(answers.existing(found, "no story with this id"))


@router.get("/watches", response_class=answers.JsonResponse)
async def show_watches(request: Request) -> Response:
    """The standing searches, with the number of their hits."""
    return answers.every(await running(request).read(watch_rows))


@router.get("/watches/{name}", response_class=answers.JsonResponse)
async def show_watch(request: Request, name: str, after: int = -1, limit: int | None = None) -> Response:
    """The documents that a standing search found, the latest first; with ``after`` (ordinal) those that followed."""
    rows, place = answers.rows_wanted(request, limit), max(-1, min(after, _LAST))
    found = await running(request).read(lambda store: hit_rows(store.connection, name, after=place, top=rows))
    return answers.every(answers.existing(found, "no search ever had this name"))


exports_router = APIRouter(prefix="/v1/export", tags=["exports"], dependencies=answers.READER)
Form = Literal["jsonl", "csv"]
_TYPES: Final = {"jsonl": "application/x-ndjson", "csv": "text/csv; charset=utf-8", "json": "application/json"}
_PAGE: Final = 1_000
_LAST: Final = (1 << 63) - 1  # SQLite has no greater ordinals
_GROUPS: Final = (*("group", "title", "documents", "sources", "languages", "first", "last", "alarm", "source", "url"),)
_VERDICTS: Final = (
    *("ordinal", "id", "version", "title", "source", "url", "language", "published", "arrived", "status", "of"),
    *("group_then", "relation", "forward", "backward", "terms", "kind", "probability", "translation_of", "story_then"),
)


@exports_router.get(
    "/groups.{form}", response_class=Response, responses=forms.file_of("application/x-ndjson", "text/csv")
)
async def give_groups(request: Request, form: Form, asked: Annotated[GroupQuestion, Query()]) -> Response:
    """All current groups that a filter selects, in the order of the list, from a single state of the store.

    The filter is that of ``/v1/groups``. ``source`` and ``url`` are those of the group's earliest document. The last
    line of JSON Lines is ``{"count": ...}``; if it is missing, the file is incomplete. In CSV, cells that a
    spreadsheet would run as a formula begin with an apostrophe.
    """
    chosen, by_date = asked.chosen(), asked.order == "last"
    parts = await running(request).read(lambda store: list(_group_lines(store, chosen, form, by_date=by_date)))
    return file_answer("groups", form, b"".join(parts))


@exports_router.get(
    "/verdicts.{form}", response_class=Response, responses=forms.file_of("application/x-ndjson", "text/csv")
)
async def give_verdicts(request: Request, form: Form, after: int = -1) -> Response:
    """All verdicts after an ordinal, in the order of the stream, up to the last document at the time of the request.

    The last line of JSON Lines is ``{"count": ...}``.
    """
    service = running(request)
    end = (await service.position()).documents
    return file_answer("verdicts", form, _verdict_lines(service, max(after, -1), end, form))


def file_answer(name: str, form: str, body: bytes | str | AsyncIterator[bytes]) -> Response:
    """Answer with a file, whole or part by part."""
    headers = {"content-disposition": f'attachment; filename="{name}.{form}"'}
    if isinstance(body, bytes | str):
        return Response(body, media_type=_TYPES[form], headers=headers)
    return StreamingResponse(body, media_type=_TYPES[form], headers=headers)


def csv_rows(rows: Sequence[Sequence[Any]]) -> bytes:
    """Lines of CSV; lists as JSON, text guarded against formulas."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([_cell(value) for value in row] for row in rows)
    return out.getvalue().encode()


def _group_lines(store: Store, chosen: browsing.GroupFilter, form: Form, *, by_date: bool) -> Iterator[bytes]:
    place, count = None, 0
    if form == "csv":
        yield csv_rows([_GROUPS])
    while rows := browsing.group_page(store.connection, chosen, by_date=by_date, after=place, limit=_PAGE):
        last = rows[-1]
        place = browsing.GroupPlace((last["last"] or "") if by_date else last["documents"], last["ordinal"])
        count += len(rows)
        yield _rendered(rows, _GROUPS, form)
    if form == "jsonl":
        yield orjson.dumps({"count": count}) + b"\n"


async def _verdict_lines(service: RunningService, after: int, end: int, form: Form) -> AsyncIterator[bytes]:
    place, count = after, 0
    if form == "csv":
        yield csv_rows([_VERDICTS])
    while place < end - 1:
        wanted = min(_PAGE, end - 1 - place)
        rows = await service.read(lambda store, at=place, top=wanted: browsing.verdict_log(store.connection, at, top))  # type: ignore[misc]
        place += wanted
        count += len(rows)
        yield _rendered(rows, _VERDICTS, form)
    if form == "jsonl":
        yield orjson.dumps({"count": count}) + b"\n"


def _rendered(rows: Sequence[dict[str, Any]], columns: Sequence[str], form: Form) -> bytes:
    if form == "csv":
        return csv_rows([[row[name] for name in columns] for row in rows])
    return b"".join(orjson.dumps({name: row[name] for name in columns}) + b"\n" for row in rows)


def _cell(value: Any) -> Any:
    if isinstance(value, list):
        return guarded(" ".join(map(str, value)))
    return guarded(value) if isinstance(value, str) else value
