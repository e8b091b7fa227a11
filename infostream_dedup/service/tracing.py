"""Which request a line of the log belongs to: W3C ``traceparent`` in and out, and spans for OpenTelemetry."""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Self

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
