"""The live stream of verdicts, by server-sent events."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Final

import orjson
from fastapi import APIRouter, Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from infostream_dedup.service.answers import needs
from infostream_dedup.service.contract import file_of
from infostream_dedup.service.problems import ProblemError
from infostream_dedup.service.running import RunningService, running
from infostream_dedup.stream.store import Store
from infostream_dedup.stream.store.browsing import group_events, verdict_log

__all__ = ["router"]

router = APIRouter(prefix="/v1", tags=["events"])

_ROWS: Final = 200
_DIGITS: Final = 18
_MOST_ORDINAL: Final = 1 << 62
_COMMENT_SECONDS: Final = 15.0
_OTHERS_SECONDS: Final = 2.0
"""Time after which to look again whether another process has written to the store."""


@router.get(
    "/verdicts/events", dependencies=[needs("reader")], response_class=Response, responses=file_of("text/event-stream")
)
async def follow_verdicts(request: Request, after: int | None = None) -> Response:
    """All verdicts from a given place on, then each new one as it is stored.

    The id of an event ``verdict`` is the document's ordinal. A client that reconnects with ``Last-Event-ID`` continues
    after it; by default the stream begins with the next verdict. What a document does to groups comes before its
    verdict: ``merge``, ``expiry``, ``alarm``, and ``limit`` (a source exceeds its loss limit).
    """
    service = running(request)
    last = request.headers.get("last-event-id", "")
    if last.isascii() and last.isdigit() and len(last) < _DIGITS:
        place = int(last)
    elif after is not None:
        place = min(max(after, -1), _MOST_ORDINAL)
    else:
        place = (await service.position()).documents - 1
    # Nothing is awaited between check and count, so that no burst of clients exceeds the limit.
    if service.streams >= service.settings.limits.streams:
        raise ProblemError(429, "too-many", "close another stream of events first", retry_after=5)
    return _CountedStream(service, place)


class _CountedStream(StreamingResponse):
    """Counts as an open stream from its creation until it ends."""

    def __init__(self, service: RunningService, place: int) -> None:
        # Otherwise nginx would hold events back until kilobytes have come together.
        headers = {"x-accel-buffering": "no"}
        super().__init__(_events(service, place), media_type="text/event-stream", headers=headers)
        self._service = service
        service.streams += 1

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._service.streams -= 1


async def _events(service: RunningService, place: int) -> AsyncIterator[bytes]:
    silent = 0.0
    yield b": verdicts\n\n"
    while not service.ended.is_set():
        lines, last = await service.read(lambda store, place=place: _lines_after(store, place))  # type: ignore[misc]
        if lines:
            place, silent = last, 0.0
            yield b"".join(lines)
            continue
        await service.news(_OTHERS_SECONDS)
        silent += _OTHERS_SECONDS
        if silent >= _COMMENT_SECONDS:
            silent = 0.0
            yield b": nothing new\n\n"


def _lines_after(store: Store, place: int) -> tuple[list[bytes], int]:
    """The next events after a document, and the last document that they cover."""
    rows = verdict_log(store.connection, place, _ROWS)
    if not rows:
        return [], place
    last: int = rows[-1]["ordinal"]
    verdicts = [(row["ordinal"], 1, b"id: %d\nevent: verdict\n" % row["ordinal"], row) for row in rows]
    # Without an id: a client that reconnects between them and their verdict gets them again.
    changes = [
        (row["ordinal"], 0, b"event: %s\n" % row["kind"].encode(), row)
        for row in group_events(store.connection, rows[0]["ordinal"], last)
    ]
    placed = sorted([*verdicts, *changes], key=lambda one: one[:2])
    return [b"%sdata: %s\n\n" % (head, orjson.dumps(row)) for _, _, head, row in placed], last
