"""Whole lists as files: everything that a filter selects, as JSON Lines or CSV."""

from __future__ import annotations

import csv
import functools
import io
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any, Final, Literal

import orjson
from fastapi import APIRouter, Request
from starlette.responses import Response, StreamingResponse

from infostream_dedup.documents.formulas import guarded
from infostream_dedup.service.answers import needs
from infostream_dedup.service.contract import file_of
from infostream_dedup.service.routes.groups import group_filter
from infostream_dedup.service.running import RunningService, running
from infostream_dedup.stream.store import Store
from infostream_dedup.stream.store.browsing import GroupFilter, GroupPlace, group_page, verdict_log

__all__ = ["csv_rows", "router"]

router = APIRouter(prefix="/v1/export", tags=["exports"])

Form = Literal["jsonl", "csv"]

_TYPES: Final = {"jsonl": "application/x-ndjson", "csv": "text/csv; charset=utf-8"}
_PAGE: Final = 1_000
_GROUPS: Final = (*("group", "title", "documents", "sources", "languages", "first", "last", "alarm", "source", "url"),)
_VERDICTS: Final = (
    *("ordinal", "id", "version", "title", "source", "url", "language", "published", "arrived", "status", "of"),
    *("group_then", "relation", "forward", "backward", "terms", "kind", "probability", "translation_of", "story_then"),
)


@router.get(
    "/groups.{form}",
    dependencies=[needs("reader")],
    response_class=Response,
    responses=file_of("application/x-ndjson", "text/csv"),
)
async def give_groups(
    request: Request,
    form: Form,
    *,
    order: Literal["size", "last"] = "size",
    lang: Literal["", "ru", "uk", "en"] = "",
    source: str = "",
    since: str | None = None,
    until: str | None = None,
    min: int = 2,  # noqa: A002 - a name of the interface
    alarm: bool = False,
    q: str = "",
) -> Response:
    """All current groups that a filter selects, in the order of the list, from a single state of the store.

    The filter is that of ``/v1/groups``. ``source`` and ``url`` are those of the group's earliest document. The last
    line of JSON Lines is ``{"count": ...}``; if it is missing, the file is incomplete. In CSV, cells that a
    spreadsheet would run as a formula begin with an apostrophe.
    """
    chosen = group_filter(
        lang=lang or None, source=source or None, since=since, until=until, least=min, alarm=alarm, words=q or None
    )
    parts = await running(request).read(lambda store: list(_groups(store, chosen, form, by_date=order == "last")))
    return Response(b"".join(parts), media_type=_TYPES[form], headers=_named("groups", form))


@router.get(
    "/verdicts.{form}",
    dependencies=[needs("reader")],
    response_class=Response,
    responses=file_of("application/x-ndjson", "text/csv"),
)
async def give_verdicts(request: Request, form: Form, after: int = -1) -> Response:
    """All verdicts after an ordinal, in the order of the stream, up to the last document at the time of the request.

    The last line of JSON Lines is ``{"count": ...}``.
    """
    service = running(request)
    end = (await service.position()).documents
    return StreamingResponse(
        _verdicts(service, max(after, -1), end, form), media_type=_TYPES[form], headers=_named("verdicts", form)
    )


def csv_rows(rows: Sequence[Sequence[Any]]) -> bytes:
    """Lines of CSV; lists as JSON, text guarded against formulas."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([_cell(value) for value in row] for row in rows)
    return out.getvalue().encode()


def _groups(store: Store, chosen: GroupFilter, form: Form, *, by_date: bool) -> Iterator[bytes]:
    place, count = None, 0
    if form == "csv":
        yield csv_rows([_GROUPS])
    while rows := group_page(store.connection, chosen, by_date=by_date, after=place, limit=_PAGE):
        last = rows[-1]
        place = GroupPlace((last["last"] or "") if by_date else last["documents"], last["ordinal"])
        count += len(rows)
        yield _rendered(rows, _GROUPS, form)
    if form == "jsonl":
        yield orjson.dumps({"count": count}) + b"\n"


async def _verdicts(service: RunningService, after: int, end: int, form: Form) -> AsyncIterator[bytes]:
    place, count = after, 0
    if form == "csv":
        yield csv_rows([_VERDICTS])
    while place < end - 1:
        wanted = min(_PAGE, end - 1 - place)
        question = functools.partial(_log, first=place, limit=wanted)
        rows = await service.read(question)
        place += wanted
        count += len(rows)
        yield _rendered(rows, _VERDICTS, form)
    if form == "jsonl":
        yield orjson.dumps({"count": count}) + b"\n"


def _log(store: Store, *, first: int, limit: int) -> list[dict[str, Any]]:
    return verdict_log(store.connection, first, limit)


def _rendered(rows: Sequence[dict[str, Any]], columns: Sequence[str], form: Form) -> bytes:
    if form == "csv":
        return csv_rows([[row[name] for name in columns] for row in rows])
    return b"".join(orjson.dumps({name: row[name] for name in columns}) + b"\n" for row in rows)


def _cell(value: Any) -> Any:
    if isinstance(value, list):
        return guarded(" ".join(map(str, value)))
    return guarded(value) if isinstance(value, str) else value


def _named(name: str, form: Form) -> dict[str, str]:
    return {"content-disposition": f'attachment; filename="{name}.{form}"'}
