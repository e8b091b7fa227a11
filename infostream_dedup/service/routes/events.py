"""The stream of verdicts as it comes, by server-sent events."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, Final

import orjson
from fastapi import APIRouter, Request
from starlette.responses import Response, StreamingResponse

from infostream_dedup.service.answers import needs
from infostream_dedup.service.problems import ProblemError
from infostream_dedup.service.running import RunningService, running
from infostream_dedup.store.browsing import verdict_log

__all__ = ["router"]

router = APIRouter(prefix="/v1", tags=["events"])

_ROWS: Final = 200
_COMMENT_SECONDS: Final = 15.0
_OTHERS_SECONDS: Final = 2.0
"""Another process may write to the store: look again after this time."""


@router.get("/verdicts/events", dependencies=[needs("reader")])
async def follow_verdicts(request: Request, after: int | None = None) -> Response:
    """Every verdict from a place on, then each new one as it is stored.

    The id of an event is the document's ordinal. A client that comes again with ``Last-Event-ID`` goes on after it; by
    default the stream begins with what comes next.
    """
    service = running(request)
    if service.streams >= service.settings.limits.streams:
        raise ProblemError(429, "too-many", "close another stream of events first", retry_after=5)
    last = request.headers.get("last-event-id", "")
    if last.isascii() and last.isdigit():
        place = int(last)
    elif after is not None:
        place = after
    else:
        place = (await service.position()).documents - 1
    return StreamingResponse(_events(service, place), media_type="text/event-stream")


async def _events(service: RunningService, place: int) -> AsyncIterator[bytes]:
    service.streams += 1
    silent = 0.0
    try:
        yield b": verdicts\n\n"
        while not service.ended.is_set():
            rows = await service.read(lambda store, place=place: verdict_log(store.connection, place, _ROWS))  # type: ignore[misc]
            if rows:
                place, silent = rows[-1]["ordinal"], 0.0
                yield b"".join(map(_event, rows))
                continue
            await service.news(_OTHERS_SECONDS)
            silent += _OTHERS_SECONDS
            if silent >= _COMMENT_SECONDS:
                silent = 0.0
                yield b": nothing new\n\n"
    finally:
        service.streams -= 1


def _event(row: dict[str, Any]) -> bytes:
    return b"id: %d\nevent: verdict\ndata: %s\n\n" % (row["ordinal"], orjson.dumps(row))
