"""Signing in with a token, and the files of the pages."""

from __future__ import annotations

import functools
from importlib import resources
from typing import Final

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from infostream_dedup.service.pages.frame import form_of, page
from infostream_dedup.service.problems import ProblemError
from infostream_dedup.service.running import running
from infostream_dedup.service.settings import client_address
from infostream_dedup.service.tokens import SESSION_COOKIE, Sessions, Tokens

router = APIRouter(include_in_schema=False)

FILES: Final = {
    "app.css": "text/css",
    "app.js": "text/javascript",
    "explore.js": "text/javascript",
    "jobs.js": "text/javascript",
    "judge.js": "text/javascript",
    "keys.js": "text/javascript",
    "now.js": "text/javascript",
    "icon.svg": "image/svg+xml",
}
"""Name and type of each file of the pages."""


@router.get("/static/{name}")
async def static(name: str) -> Response:
    """A file of the pages; only the listed ones are served."""
    if name not in FILES:
        raise ProblemError(404, "not-found")
    return Response(_data(name), media_type=f"{FILES[name]}; charset=utf-8", headers={"cache-control": "max-age=300"})


@functools.cache
def _data(name: str) -> bytes:
    return (resources.files("infostream_dedup.service") / "static" / name).read_bytes()


@router.get("/sign-in")
async def show_entrance(request: Request) -> Response:
    """Show the form for the token."""
    return page(request, "sign_in", wrong=False)


@router.post("/sign-in")
async def sign_in(request: Request) -> Response:
    """Start a session for the owner of the token."""
    tokens: Tokens | None = request.app.state.tokens
    sessions: Sessions = request.app.state.sessions
    fields = await form_of(request)
    peer = request.client.host if request.client is not None else ""
    forwarded = request.headers.getlist("x-forwarded-for")
    address = client_address(peer, forwarded, running(request).settings.proxies)
    if not sessions.may_try(address):
        raise ProblemError(429, "too-many", retry_after=60)
    caller = None if tokens is None else tokens.caller(fields.get("token", [""])[0].strip())
    if caller is None:
        sessions.failed(address)
        return page(request, "sign_in", status=401, wrong=True)
    response = RedirectResponse("/", 303)
    secure = request.headers.get("x-forwarded-proto") == "https"
    response.set_cookie(SESSION_COOKIE, sessions.begin(caller), httponly=True, samesite="strict", secure=secure)
    return response


@router.post("/sign-out")
async def sign_out(request: Request) -> Response:
    """End the session."""
    sessions: Sessions = request.app.state.sessions
    sessions.end(request.cookies.get(SESSION_COOKIE, ""))
    response = RedirectResponse("/sign-in", 303)
    response.delete_cookie(SESSION_COOKIE)
    return response
