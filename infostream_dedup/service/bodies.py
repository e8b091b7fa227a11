"""Bodies of requests: JSON, JSON Lines, compressed or not."""

from __future__ import annotations

import asyncio
import zlib
from typing import Any

import orjson
from fastapi import Request

from infostream_dedup.documents.json_files import doubled_name
from infostream_dedup.service.problems import ProblemError
from infostream_dedup.service.running import running
from infostream_dedup.service.values import Model, checked


async def read_body(request: Request, model: type[Model]) -> Model:
    """Read the body as a model; ProblemError ``json``, ``too-large`` or ``invalid``."""
    return checked(model, await json_body(request))


async def json_body(request: Request) -> Any:
    """Read any JSON, or a batch as JSON Lines, which becomes ``{"documents": [...]}``."""
    # In a thread, so that nobody has to wait while megabytes are parsed.
    body = await request.body()
    unpacked = await asyncio.to_thread(_unpacked, body, request)
    request.scope["state"]["room"].take(len(unpacked))
    return await asyncio.to_thread(_read, unpacked, request)


def _read(unpacked: bytes, request: Request) -> Any:
    if not request.headers.get("content-type", "").startswith("application/x-ndjson"):
        return _parsed(unpacked)
    return {"documents": [_parsed(line) for line in unpacked.splitlines() if line.strip()]}


def _parsed(body: bytes) -> Any:
    try:
        value = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        # The library's message says what is wrong and where; it never quotes the text.
        raise ProblemError(400, "json", str(error)[:200]) from None
    inner = value.get("documents") if isinstance(value, dict) else None
    doubled = doubled_name(body, inner if isinstance(inner, list) else [value])
    if doubled is not None:
        raise ProblemError(400, "json", f"the name {doubled!r} comes twice in one object; leave one of them")
    return value


def _unpacked(body: bytes, request: Request) -> bytes:
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
    if not unpacker.eof:
        raise ProblemError(400, "bad-request", "the body ends in the middle")
    return unpacked
