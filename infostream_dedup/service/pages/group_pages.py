"""Groups: a list on the left, the chosen group on the right."""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import urlencode

import orjson
from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from infostream_dedup.service.answers import listed, needs
from infostream_dedup.service.first_published import in_order
from infostream_dedup.service.pages.frame import page
from infostream_dedup.service.pages.timelines import timeline
from infostream_dedup.service.routes.groups import group_place
from infostream_dedup.service.running import running
from infostream_dedup.stream.store import Store
from infostream_dedup.stream.store.browsing import (
    GroupFilter,
    group_page,
    group_with_members,
    story_of_group,
    surviving_group,
)
from infostream_dedup.stream.store.restoring import position_of

__all__ = ["router"]

router = APIRouter(include_in_schema=False)

_ROWS: Final = 40
_MEMBERS: Final = 200


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
    where = group_place(after, by_date=by_date)

    def question(store: Store) -> tuple[list[dict[str, Any]], dict[str, Any] | None, str | None, bool, str | None]:
        connection = store.connection
        rows = group_page(connection, chosen, by_date=by_date, after=where, limit=_ROWS + 1)
        wanted = id or (str(rows[0]["group"]) if rows else None)
        found = None if wanted is None else group_with_members(connection, wanted)
        moved = surviving_group(connection, wanted) if found is None and wanted is not None else None
        its_story = None if found is None else story_of_group(connection, found["group"])
        return rows, found, moved, position_of(connection).documents == 0, its_story

    rows, group, moved, empty, story = await running(request).read(question)
    if moved is not None:
        # Without the host, which a proxy may serve under another scheme.
        query = {name: value for name, value in request.query_params.items() if name != "id"} | {"id": moved}
        return RedirectResponse(f"/groups?{urlencode(query)}", 307)
    several = listed(rows, _ROWS, lambda row: [(row["last"] or "") if by_date else row["documents"], row["ordinal"]])
    members = [] if group is None else in_order(group["members"])
    return page(
        request,
        "groups",
        status=404 if id is not None and group is None else 200,
        rows=several["items"],
        next=several["next"],
        group=group,
        members=members[:_MEMBERS],
        timeline=timeline(members),
        filters={"order": order, "lang": lang, "source": source, "q": q},
        wanted=id,
        story=story,
        empty=empty,
        example=orjson.dumps({"documents": [{"id": "a", "text": "…"}]}).decode(),
    )
