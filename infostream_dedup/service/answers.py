"""JSON answers, pages of lists, the state of the store as an entity tag, and routes with a word after an id."""

from __future__ import annotations

import asyncio
import base64
import binascii
import contextlib
import re
import zlib
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, TypeVar
from urllib.parse import unquote_to_bytes

import orjson
from fastapi import APIRouter, Depends, Request
from fastapi.dependencies.utils import get_flat_params
from fastapi.params import Cookie, Header, Path
from fastapi.routing import APIRoute
from starlette.responses import JSONResponse, Response
from starlette.routing import Match
from starlette.types import Scope

from infostream_dedup.documents.json_files import doubled_name
from infostream_dedup.service.problems import Model, ProblemError, checked
from infostream_dedup.service.running import caller_of, running

Value = TypeVar("Value")
_LONGEST_NAME: Final = 100
_MOST_NUMBER: Final = 1 << 62


class JsonResponse(JSONResponse):
    """JSON with the keys in the order in which they were given."""

    def render(self, content: Any) -> bytes:
        """Encode the answer."""
        return orjson.dumps(content)


class _Needs:
    def __init__(self, role: str) -> None:
        self.role = role

    async def __call__(self, request: Request) -> None:
        caller_of(request).check(self.role)


READER, ANALYST, WRITER, ADMIN = ([Depends(_Needs(role))] for role in ("reader", "analyst", "writer", "admin"))
"""The ``dependencies`` of routes for callers with the rights of a role."""


async def refuse_unknown_parameters(request: Request) -> None:
    """Refuse what a route of programs does not read: a misspelt filter would select everything, one of two is lost."""
    route = request.scope.get("route")
    if isinstance(route, APIRoute) and route.path.startswith("/v1/"):
        if id(route) not in _PARAMETERS:
            flat = get_flat_params(route.dependant)
            _PARAMETERS[id(route)] = tuple(
                one.alias for one in flat if not isinstance(one.field_info, Cookie | Header | Path)
            )
        known = _PARAMETERS[id(route)]
        seen: set[str] = set()
        for name, _ in request.query_params.multi_items():
            if name not in known or name in seen:
                advice = f"this address reads {', '.join(known) or 'no parameters'}, each once; leave out the rest"
                raise ProblemError(422, "invalid", advice, field=name[:_LONGEST_NAME])
            seen.add(name)


_PARAMETERS: Final[dict[int, tuple[str, ...]]] = {}
"""By the identity of a route: routes live as long as the process, and cannot be hashed."""


def roles_of(routers: Iterable[APIRouter]) -> list[tuple[re.Pattern[str], set[str], str | None]]:
    """Address, methods and role of each route, in the order in which they are asked; ``None`` if open to anybody."""
    routes = [route for router in routers for route in router.routes if isinstance(route, APIRoute)]
    return [(route.path_regex, route.methods or set(), _role_of(route)) for route in routes]


def _role_of(route: APIRoute) -> str | None:
    asked = (one.dependency for one in route.dependencies)
    return next((one.role for one in asked if isinstance(one, _Needs)), None)


def rows_wanted(request: Request, limit: int | None, field: str = "limit") -> int:
    """Return the number of rows of a page."""
    limits = running(request).settings.limits
    if limit is None:
        return limits.page
    if limit < 1:
        raise ProblemError(422, "invalid", "ask for one row or more", field=field)
    if limit > limits.rows:
        advice = "ask for fewer rows" + ", and continue with 'next'" * (field == "limit")
        raise ProblemError(422, "invalid", advice, field=field, limit=limits.rows)
    return limit


def keyset(after: str | None, kinds: Sequence[type]) -> list[Any] | None:
    """Decode where the last page ended."""
    if after is None:
        return None
    try:
        values = orjson.loads(base64.urlsafe_b64decode(after.encode("ascii") + b"=="))
    except (ValueError, UnicodeEncodeError, binascii.Error):
        values = None
    fits = isinstance(values, list) and [type(value) for value in values] == list(kinds)
    if not fits or any(isinstance(value, int) and abs(value) > _MOST_NUMBER for value in values):
        raise ProblemError(422, "invalid", "send the 'next' of the previous page unchanged", field="after")
    return list(values)


def listed(rows: Sequence[Any], limit: int, place_of: Callable[[Any], list[Any]]) -> dict[str, Any]:
    """Make the answer from a list that was queried with one more row than the page holds."""
    more = len(rows) > limit
    items = list(rows[:limit])
    place = base64.urlsafe_b64encode(orjson.dumps(place_of(items[-1]))).rstrip(b"=").decode() if more else None
    return {"items": items, "next": place}


def every(items: Sequence[Any]) -> JsonResponse:
    """Answer with a list that has no further page."""
    return JsonResponse({"items": items, "next": None})


def existing(found: Value | None, otherwise: str = "") -> Value:
    """Return what was found; ProblemError ``not-found`` for None."""
    if found is None:
        raise ProblemError(404, "not-found", otherwise)
    return found


async def unchanged(request: Request, response: Response) -> None:
    """Name the state of the store in the answer; a client that knows this state already gets 304."""
    position = await running(request).position()
    tag = f'"{position.tag}"'
    response.headers["etag"] = tag
    # A proxy that compresses answers makes weak tags of them.
    known = {one.strip().removeprefix("W/") for one in request.headers.get("if-none-match", "").split(",")}
    if known & {tag, "*"}:
        raise NotModifiedError(tag)


class NotModifiedError(Exception):
    """The client knows the current state of the store."""

    def __init__(self, tag: str) -> None:
        super().__init__(tag)
        self.tag = tag


class LiteralEndRoute(APIRoute):
    """A route such as ``/documents/{id:path}/similar``, whose last slash must be sent as a slash."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Match as usual, unless the last segment is part of the id."""
        _, after_id, word = self.path.rpartition("}/")
        last = unquote_to_bytes(scope["raw_path"].rpartition(b"/")[2])
        return super().matches(scope) if not after_id or last == word.encode() else (Match.NONE, {})


# Bodies of requests: JSON, JSON Lines, compressed or not


async def read_body(request: Request, model: type[Model]) -> Model:
    """Read the body as a model; ProblemError ``json``, ``too-large`` or ``invalid``."""
    return checked(model, await json_body(request))


async def json_body(request: Request) -> Any:
    """Read any JSON, or a batch as JSON Lines, which becomes ``{"documents": [...]}``."""
    room = request.scope["state"]["room"]
    # In a thread, so that nobody has to wait while megabytes are parsed.
    unpacked = await asyncio.to_thread(_unpacked, room.taken_body(), request)
    room.take(len(unpacked))
    async with room.parsing if len(unpacked) > _SHORT else contextlib.nullcontext():
        return await asyncio.to_thread(_read, unpacked, request)


def _read(unpacked: bytes | bytearray, request: Request) -> Any:
    most = running(request).settings.limits.values
    if _marks(unpacked) > most and _marks(_STRING.sub(b"", unpacked)) > most:
        raise ProblemError(413, "too-large", "send fewer values in one request", limit=most)
    if not request.headers.get("content-type", "").startswith("application/x-ndjson"):
        return _parsed(unpacked)
    lines: Sequence[bytes | bytearray] = unpacked.splitlines()
    skip = request.query_params.get("on_error") == "skip"
    return {"documents": [_parsed_line(one, line, skip=skip) for line, one in enumerate(lines, 1) if one.strip()]}


_SHORT: Final = 64 * 1024
_STRING: Final = re.compile(rb'"(?:[^"\\]++|\\.)*"?', re.DOTALL)


def _marks(body: bytes | bytearray) -> int:
    return body.count(b",") + body.count(b"[") + body.count(b"{")


def _parsed(body: bytes | bytearray) -> Any:
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        # The library's message says what is wrong and where; it never quotes the text.
        raise ProblemError(400, "json", str(error)[:200]) from None
    doubled = doubled_name(body, value)
    if doubled is not None:
        raise ProblemError(400, "json", f"the name {doubled!r} comes twice in one object; leave one of them")
    return value


def _parsed_line(line: bytes | bytearray, number: int, *, skip: bool) -> Any:
    """A document; if the batch sets bad ones aside, the problem of a line stands for what it has."""
    try:
        return _parsed(line)
    except ProblemError as problem:
        said = ProblemError(400, "json", f"line {number}: {problem.detail.replace('line 1 ', '')}")
        if skip:
            return said
        raise said from None


def _unpacked(body: bytearray, request: Request) -> bytes | bytearray:
    coding = request.headers.get("content-encoding", "identity").lower()
    if coding == "identity":
        return body
    if coding != "gzip":
        raise ProblemError(415, "content-type", "send it as it is, or compressed by gzip")
    limits = running(request).settings.limits
    most = min(limits.unpacked_bytes, limits.gzip_ratio * len(body))
    unpacker = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    try:
        unpacked = unpacker.decompress(body, most + 1)
    except zlib.error:
        raise ProblemError(400, "bad-request", "the body is damaged, or not compressed by gzip") from None
    if len(unpacked) > most:
        raise ProblemError(413, "too-large", "send fewer documents at once", limit=most)
    if not unpacker.eof or unpacker.unused_data:
        raise ProblemError(400, "bad-request", "the body ends in the middle, or goes on after its end")
    return unpacked
