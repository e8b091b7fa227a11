"""The checks between the network and the routes: host, token, other sites, sizes, times, headers, log, traces."""

from __future__ import annotations

import asyncio
import re
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, MutableMapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final, Self
from urllib.parse import urlsplit

from fastapi import FastAPI, Request

from infostream_dedup.service.logs import Metrics, failure_of, free_frames, log
from infostream_dedup.service.pages.frame import problem_answer
from infostream_dedup.service.problems import ProblemError, problem_of
from infostream_dedup.service.running import RunningService
from infostream_dedup.service.settings import ServiceSettings
from infostream_dedup.service.tokens import LOCAL, SESSION_COOKIE, Caller, Rates, Room, Sessions, TakenRoom, Tokens

_PARENT: Final = re.compile(rb"(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?")


@dataclass(frozen=True, slots=True)
class Trace:
    """A request within a trace, which the client began or this service."""

    trace: str
    request: str
    parent: str | None
    flags: str

    @classmethod
    def of(cls, headers: Iterable[tuple[bytes, bytes]]) -> Self:
        """Continue the trace of a request, or begin one."""
        given = next((value for name, value in headers if name.lower() == b"traceparent"), b"")
        found, request = _PARENT.fullmatch(given.strip()), secrets.token_hex(8)
        if found is None:
            return cls(secrets.token_hex(16), request, None, "01")
        trace, parent, flags = (part.decode() for part in found.groups())
        return cls(trace, request, parent, flags)

    def told(self) -> dict[str, str]:
        """What the line of the request says of it."""
        return {"request": self.request, "trace": self.trace}

    def headers(self) -> list[tuple[bytes, bytes]]:
        """Headers of the answer."""
        parent = f"00-{self.trace}-{self.request}-{self.flags}"
        return [(b"traceparent", parent.encode()), (b"x-request-id", self.request.encode())]

    def export(self, name: str, seconds: float, status: int) -> None:
        """Hand the request to OpenTelemetry, where its API is installed and a provider is set up."""
        try:
            from opentelemetry import trace as api
        except ImportError:
            return
        context = None
        if self.parent is not None:
            flags = api.TraceFlags(int(self.flags, 16))
            remote = api.SpanContext(int(self.trace, 16), int(self.parent, 16), is_remote=True, trace_flags=flags)
            context = api.set_span_in_context(api.NonRecordingSpan(remote))
        end = time.time_ns()
        attributes: dict[str, str | int] = {
            "http.response.status_code": status,
            "infostream_dedup.request": self.request,
        }
        tracer = api.get_tracer("infostream_dedup")
        began = end - int(seconds * 1e9)
        span = tracer.start_span(name, context, kind=api.SpanKind.SERVER, attributes=attributes, start_time=began)
        span.end(end)


Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

_OPEN: Final = ("/health", "/ready", "/sign-in")
_FILES: Final = "/static/"
_QUESTIONS: Final = ("/v1/search", "/v1/check")
"""Read-only requests sent by POST because their text may be too long for a URL."""
_CHANGING: Final = ("POST", "PUT", "PATCH", "DELETE")
_BODY_TYPES: Final = ("application/json", "application/x-ndjson")
_FORM_TYPE: Final = "application/x-www-form-urlencoded"
_POLICY: Final = (
    b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
    b"base-uri 'none'; frame-ancestors 'none'"
)
_SECURITY: Final = (
    (b"content-security-policy", _POLICY),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
_FAILED: Final = (HTTPStatus.INTERNAL_SERVER_ERROR, HTTPStatus.INSUFFICIENT_STORAGE)
_MEGABYTE: Final = 1024 * 1024


class Guard:
    """An ASGI application around another one: lets only permitted, small and fast requests through."""

    def __init__(
        self,
        application: FastAPI,
        settings: ServiceSettings,
        tokens: Tokens | None,
        sessions: Sessions,
        metrics: Metrics,
    ) -> None:
        self._application, self._settings, self._metrics = application, settings, metrics
        self._tokens, self._sessions = tokens, sessions
        self._limits = settings.limits
        self._rates = Rates(settings.limits.reads_per_second)
        # Without tokens, everybody is the same caller.
        of_caller = settings.limits.held_bytes_of_caller if tokens is not None else settings.limits.held_bytes
        self._room = Room(settings.limits.held_bytes, of_caller, settings.limits.small_bytes)

    @asynccontextmanager
    async def alive(self) -> AsyncIterator[RunningService]:
        """Open the store, and close it at the end; for servers that do not announce their start."""
        async with self._application.router.lifespan_context(self._application):
            yield self._application.state.running

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it to the application."""
        if scope["type"] == "lifespan":
            await self._application(scope, receive, send)
        elif scope["type"] == "http":
            await self._answer(scope, receive, send)
        else:
            # No route uses web sockets.
            await send({"type": "websocket.close", "code": 1008})

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        begin = time.perf_counter()
        method = scope["method"]
        outgoing = _Outgoing(
            send, self._limits.silent_seconds, open_cache=scope["path"].startswith(_FILES), bodiless=method == "HEAD"
        )
        if method == "HEAD" and is_page(scope["path"]):
            # Programs that watch whether a site is up ask so.
            scope["method"] = "GET"
        taken = 0
        trace = scope.setdefault("state", {})["trace"] = Trace.of(scope["headers"])
        outgoing.also = trace.headers()
        try:
            headers = _headers(scope, self._limits.header_bytes)
            if headers.get("host", "").lower() not in self._settings.known_hosts:
                raise ProblemError(400, "host", "use a host name given with --hosts")
            _check_site(scope, headers)
            caller = self._caller(scope, headers)
            scope.setdefault("state", {})["caller"] = caller
            if _is_read(scope):
                self._rates.check(caller.name)
            with self._room.taken(caller.name) as room:
                scope["state"]["room"] = room
                body = bytearray()
                if scope["method"] in _CHANGING:
                    outgoing.body_is_left = "transfer-encoding" in headers or headers.get("content-length", "0") != "0"
                    if self._is_wanted(scope, caller):
                        body = await self._body(scope["path"], headers, receive, room)
                        outgoing.body_is_left = False
                taken = len(body)
                room.body, body = body, bytearray()
                await self._application(scope, _replay(room, receive), outgoing)
        except Exception as error:  # whatever happens, the client gets a problem, not a traceback
            # Not bound to a name: its traceback would keep this frame alive, and with it a half-read connection.
            await outgoing.problem(_problem_of(error), scope, receive)
            free_frames(error)
        seconds = time.perf_counter() - begin
        route = getattr(scope.get("route"), "path", None) or "none"
        trace.export(f"{method} {route}", seconds, outgoing.status)
        self._metrics.answered(route, outgoing.status, seconds)
        if outgoing.status == HTTPStatus.INTERNAL_SERVER_ERROR:
            self._metrics.failures.inc()
        if scope["path"] not in _OPEN:
            log(
                "request",
                level="error" if outgoing.status in _FAILED else "info",
                method=method,
                route=route,
                status=outgoing.status,
                **scope["state"]["trace"].told(),
                ms=round(seconds * 1000, 1),
                bytes_in=taken,
                bytes_out=outgoing.sent,
                caller=getattr(scope.get("state", {}).get("caller"), "name", None),
                **_problem_told(scope),
            )

    def _caller(self, scope: Scope, headers: dict[str, str]) -> Caller:
        if self._tokens is None:
            return LOCAL
        path = scope["path"]
        if path in _OPEN or path.startswith(_FILES):
            return Caller("anyone", "reader")
        scheme, _, token = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            caller = self._tokens.caller(token.strip())
        else:
            # Of several cookies of one name, the first counts.
            cookies = dict(one.strip().partition("=")[::2] for one in headers.get("cookie", "").split(";")[::-1])
            caller = self._sessions.caller(cookies.get(SESSION_COOKIE, ""))
            # Whoever has lost a token has lost the sessions that it began.
            caller = caller if caller is not None and self._tokens.holds(caller) else None
        if caller is None:
            raise ProblemError(401, "token", "send the header 'Authorization: Bearer TOKEN', or sign in at /sign-in")
        return caller

    def _is_wanted(self, scope: Scope, caller: Caller) -> bool:
        """Whether a route wants the body; refuses what the caller's role does not allow. The routes ask again."""
        for address, methods, role in self._application.state.roles:
            if scope["method"] in methods and address.match(scope["path"]):
                if role is not None:
                    caller.check(role)
                return True
        return False

    async def _body(self, path: str, headers: dict[str, str], receive: Receive, room: TakenRoom) -> bytearray:
        form = is_page(path)
        # Forms are short, and anybody may send the form of /sign-in.
        most = self._limits.form_bytes if form else self._limits.body_bytes
        announced = headers.get("content-length", "0")
        # If the number has more digits than any length, the bytes that arrive are counted instead.
        length = int(announced) if announced.isascii() and announced.isdigit() and len(announced) < 19 else 0
        if length > most:
            raise _too_large(most)
        if length or "transfer-encoding" in headers:
            given = headers.get("content-type", "").partition(";")[0].strip().lower()
            if given not in ((_FORM_TYPE,) if form else _BODY_TYPES):
                raise ProblemError(415, "content-type", "send application/json")
            room.take_arrived(0, length, most)
        seconds = self._limits.body_seconds + self._limits.body_seconds_per_megabyte * length / _MEGABYTE
        async with room.arriving(seconds):
            return await _received(receive, most, lambda size: room.take_arrived(size, length, most))


class _Outgoing:
    """Sends an answer with the headers common to all; gives up on a client that does not read it."""

    def __init__(self, send: Send, seconds: float, *, open_cache: bool, bodiless: bool) -> None:
        self._send, self._seconds, self._open_cache, self._bodiless = send, seconds, open_cache, bodiless
        self.status = 0
        self.sent = 0
        self.body_is_left = False
        self.also: list[tuple[bytes, bytes]] = []  # headers of this answer alone

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            own = [*self.also, *([(b"cache-control", b"no-store")] if not self._open_cache else [])]
            given = {name for name, _ in message.get("headers", ())}
            if self.body_is_left:
                # Otherwise the rest of the body would be read as the next request.
                own.append((b"connection", b"close"))
            extra = [(name, value) for name, value in (*_SECURITY, *own) if name not in given]
            message = {**message, "headers": [*message.get("headers", ()), *extra]}
        elif self._bodiless:
            message = {**message, "body": b""}
        else:
            self.sent += len(message.get("body", b""))
        async with asyncio.timeout(self._seconds):
            await self._send(message)

    async def problem(self, problem: ProblemError, scope: Scope, receive: Receive) -> None:
        """Send a problem, unless an answer has begun."""
        if self.status:
            return
        scope.setdefault("state", {})
        await problem_answer(Request(scope), problem)(scope, receive, self)


def _problem_of(error: Exception) -> ProblemError:
    problem = problem_of(error)
    if problem.code == "internal":
        log("request", level="error", **failure_of(error))
    return problem


def _problem_told(scope: Scope) -> dict[str, str]:
    """What the log says about a request that failed; the reason only if the request is not to blame."""
    state = scope.get("state", {})
    if "problem" not in state:
        return {}
    code, status = state["problem"]
    told = {"code": code}
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR and "reason" in state:
        told["reason"] = state["reason"]
    return told


def _headers(scope: Scope, most: int) -> dict[str, str]:
    raw: Iterable[tuple[bytes, bytes]] = scope["headers"]
    if sum(len(name) + len(value) for name, value in raw) > most:
        raise ProblemError(431, "headers-too-large", limit=most)
    if sum(name.lower() == b"host" for name, _ in raw) > 1:
        raise ProblemError(400, "host", "name one host")
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in raw}


def is_page(path: str) -> bool:
    """Whether an address belongs to pages, their files and forms, or operators, and not to programs."""
    return not path.startswith("/v1/")


def _is_read(scope: Scope) -> bool:
    """Whether a request counts as a read: questions do; what is open to anybody must not use up what others may ask."""
    path = scope["path"]
    if scope["method"] == "POST":
        return path in _QUESTIONS
    return scope["method"] == "GET" and path not in _OPEN and not path.startswith(_FILES)


def _check_site(scope: Scope, headers: dict[str, str]) -> None:
    if scope["method"] not in _CHANGING:
        return
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    if site not in (None, "same-origin", "none"):
        raise ProblemError(403, "cross-site")
    if origin is not None and _host_of(origin) != headers.get("host", "").lower():
        raise ProblemError(403, "cross-site")


def _host_of(origin: str) -> str | None:
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:  # unbalanced brackets
        return None


async def _received(receive: Receive, most: int, take: Callable[[int], None]) -> bytearray:
    """Read a body into one buffer: never are its parts there a second time."""
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ProblemError(400, "bad-request", "the connection ended before the body did")
        part = message.get("body", b"")
        if len(body) + len(part) > most:
            raise _too_large(most)
        body += part
        take(len(body))
        if not message.get("more_body", False):
            return body


def _too_large(most: int) -> ProblemError:
    return ProblemError(413, "too-large", "send less in one request", limit=most)


def _replay(room: TakenRoom, receive: Receive) -> Receive:
    """Pass on the body that a room holds, if a route asks; afterwards report when the client disconnects."""
    handed = False

    async def replayed() -> Message:
        nonlocal handed
        if not handed:
            handed = True
            return {"type": "http.request", "body": bytes(room.body), "more_body": False}
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                return message

    return replayed
