"""Groups: a list on the left, the chosen group on the right."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

import orjson
from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from infostream_dedup.service.answers import keyset, listed, needs
from infostream_dedup.service.pages.frame import page
from infostream_dedup.service.running import running
from infostream_dedup.store import Store
from infostream_dedup.store.browsing import GroupFilter, GroupPlace, group_page, group_with_members, surviving_group
from infostream_dedup.store.restoring import position_of

__all__ = ["router"]

router = APIRouter(include_in_schema=False)

_ROWS: Final = 40
_MEMBERS: Final = 200
_WIDTH: Final = 600
_ROW_HEIGHT: Final = 22


@router.get("/", dependencies=[needs("reader")])
async def begin() -> Response:
    """Where a reader begins."""
    return RedirectResponse("/groups", 307)


@router.get("/groups", dependencies=[needs("reader")])
async def groups(
    request: Request,
    *,
    order: str = "size",
    lang: str = "",
    source: str = "",
    q: str = "",
    after: str | None = None,
    id: str | None = None,  # noqa: A002 - of the chosen group
) -> Response:
    """The present groups."""
    by_date = order == "last"
    chosen = GroupFilter(language=lang or None, source=source or None, words=q or None)
    place = keyset(after, (str if by_date else int, int))

    def question(store: Store) -> tuple[list[dict[str, Any]], dict[str, Any] | None, str | None, bool]:
        connection = store.connection
        where = None if place is None else GroupPlace(*place)
        rows = group_page(connection, chosen, by_date=by_date, after=where, limit=_ROWS + 1)
        wanted = id or (str(rows[0]["group"]) if rows else None)
        found = None if wanted is None else group_with_members(connection, wanted)
        moved = surviving_group(connection, wanted) if found is None and wanted is not None else None
        return rows, found, moved, position_of(connection).documents == 0

    rows, group, moved, empty = await running(request).read(question)
    if moved is not None:
        return RedirectResponse(str(request.url.include_query_params(id=moved)), 307)
    several = listed(rows, _ROWS, lambda row: [(row["last"] or "") if by_date else row["documents"], row["ordinal"]])
    return page(
        request,
        "groups",
        status=404 if id is not None and group is None else 200,
        rows=several["items"],
        next=several["next"],
        group=group,
        members=[] if group is None else group["members"][:_MEMBERS],
        timeline=None if group is None else _timeline(group["members"]),
        filters={"order": order, "lang": lang, "source": source, "q": q},
        wanted=id,
        empty=empty,
        example=orjson.dumps({"documents": [{"id": "a", "text": "…"}]}).decode(),
    )


def _timeline(members: list[dict[str, Any]]) -> dict[str, Any] | None:
    """Where the dots of a picture are: a row for each source, in the order of their first documents.

    None if fewer than two documents have dates of their own.
    """
    dated = [(datetime.fromisoformat(one["published"]).timestamp(), one) for one in members if one["published"]]
    if len(dated) < 2:
        return None
    begin, end = dated[0][0], max(time for time, _ in dated)
    rows: dict[str, list[dict[str, Any]]] = {}
    for time, member in dated:
        share = (time - begin) / (end - begin) if end > begin else 0.0
        dot = {"x": round(10 + share * (_WIDTH - 20), 1), "status": member["status"], "title": member["title"]}
        rows.setdefault(member["source"] or "", []).append(dot)
    return {
        "rows": [
            {"source": source, "y": number * _ROW_HEIGHT + _ROW_HEIGHT // 2, "dots": dots}
            for number, (source, dots) in enumerate(rows.items())
        ],
        "width": _WIDTH,
        "height": len(rows) * _ROW_HEIGHT,
        "first": dated[0][1]["published"],
        "last": max(dated, key=lambda one: one[0])[1]["published"],
    }
