"""What is happening now: new verdicts, the last hour compared with the usual one, alarms, silent sources."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, Request
from starlette.responses import Response

from infostream_dedup.service.answers import needs
from infostream_dedup.service.figures import activity_now
from infostream_dedup.service.pages.frame import page
from infostream_dedup.service.routes.reviews import alarms_shown
from infostream_dedup.service.running import running
from infostream_dedup.stream.store.overview import latest_verdicts

__all__ = ["router"]

router = APIRouter(include_in_schema=False)

_ROWS: Final = 40
_ALARMS: Final = 5


@router.get("/", dependencies=[needs("reader")])
async def now(request: Request) -> Response:
    """The latest verdicts and what is out of the ordinary."""
    service = running(request)
    state = await activity_now(service)
    rows = await service.read(lambda store: latest_verdicts(store.connection, _ROWS))
    alarms = [alarm for alarm in await alarms_shown(service) if alarm["state"] == "open"]
    return page(
        request,
        "now",
        state=state,
        rows=rows,
        alarms=alarms[:_ALARMS],
        alarm_count=len(alarms),
        after=rows[0]["ordinal"] if rows else -1,
    )
