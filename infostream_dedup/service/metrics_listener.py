"""The figures for Prometheus at an address of their own, where they need no token.

No figure contains an id, term, source or text, so anyone who can reach that address may read them all.
"""

from __future__ import annotations

from typing import Final

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from infostream_dedup.service.logs import log_request, reason_of
from infostream_dedup.service.routes.health import figures_of
from infostream_dedup.service.running import RunningService

__all__ = ["metrics_application"]

_PATH: Final = "/metrics"


def metrics_application(service: RunningService) -> Starlette:
    """Return an application that answers ``GET /metrics`` alone."""

    async def answer(_: Request) -> Response:
        try:
            return await figures_of(service)
        except Exception as error:  # Prometheus gets an answer, and the log the reason
            log_request(level="error", method="GET", route=_PATH, status=503, reason=reason_of(error))
            return PlainTextResponse("the figures cannot be read now; the log of the service says why\n", 503)

    return Starlette(routes=[Route(_PATH, answer)])
