"""The routes put together into one ASGI application."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from fastapi import Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from infostream_dedup.errors import InfostreamError
from infostream_dedup.model.version import VERSION
from infostream_dedup.service.answer_models import ANSWERS, describe
from infostream_dedup.service.answers import NotModifiedError, refuse_unknown_parameters, roles_of
from infostream_dedup.service.guard import Guard, is_page
from infostream_dedup.service.logs import Metrics, free_frames, reason_of
from infostream_dedup.service.pages import frame, judging_pages, stream_pages
from infostream_dedup.service.pages.frame import problem_answer
from infostream_dedup.service.problems import ProblemError, problem_of, problem_of_value
from infostream_dedup.service.routes import batches, documents, groups, health, judgements
from infostream_dedup.service.running import RunningService
from infostream_dedup.service.settings import ServiceSettings
from infostream_dedup.service.tokens import Sessions, Tokens

# The first matching route answers: events before verdicts.
_ROUTERS: Final = (
    health.router, batches.events_router, batches.router, groups.exports_router, groups.router,
    documents.search_router, documents.router, judgements.router, judgements.jobs_router, judgements.reviews_router,
    frame.router, stream_pages.router, judging_pages.router,
)  # fmt: skip
_CODE_OF_STATUS: Final = {404: "not-found", 405: "method"}


def application(settings: ServiceSettings) -> Guard:
    """Make the service. It opens its store when the server announces its start (ASGI lifespan), or in ``alive``."""
    tokens = None if settings.token_file is None else Tokens(settings.token_file)
    metrics = Metrics()

    @asynccontextmanager
    async def alive(app: FastAPI) -> AsyncIterator[None]:
        app.state.running = service = RunningService.start(settings, metrics)
        try:
            yield
        finally:
            service.ended.set()
            await asyncio.to_thread(service.stop)

    app = routes()
    app.state.tokens, app.state.sessions = tokens, Sessions()
    app.router.lifespan_context = alive
    return Guard(app, settings, tokens, app.state.sessions, metrics)


def routes() -> FastAPI:
    """All routes, without a store: what ``openapi.json`` is made from."""
    app = FastAPI(
        title="infostream-dedup",
        version=VERSION,
        openapi_url="/v1/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        responses=ANSWERS,
        generate_unique_id_function=lambda route: route.name,
        dependencies=[Depends(refuse_unknown_parameters)],
    )
    for router in _ROUTERS:
        app.include_router(router)
    app.state.roles = roles_of(_ROUTERS)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _refused)
    app.add_exception_handler(NotModifiedError, _not_modified)
    describe(app)
    for kind in (ProblemError, InfostreamError, Exception):
        app.add_exception_handler(kind, _failed)
    return app


async def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)  # noqa: S101 - registered for it
    return problem_answer(request, problem_of_value(error.errors()[0]))


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101 - registered for it
    code = _CODE_OF_STATUS.get(error.status_code, "bad-request")
    answer = problem_answer(request, ProblemError(error.status_code, code))
    answer.headers.update(error.headers or {})
    if "allow" in answer.headers:  # that of one route; an address may have several
        path, roles = request.scope["path"], request.app.state.roles
        found = set[str]().union(*(methods for address, methods, _ in roles if address.match(path)))
        answer.headers["allow"] = ", ".join(sorted(found | ({"HEAD"} if is_page(path) and "GET" in found else set())))
    return answer


async def _failed(request: Request, error: Exception) -> Response:
    request.state.reason = reason_of(error)
    answer = problem_answer(request, problem_of(error))
    if not isinstance(error, ProblemError | InfostreamError):
        return answer  # raised again, and logged with its places
    free_frames(error)
    return answer


async def _not_modified(_: Request, error: Exception) -> Response:
    assert isinstance(error, NotModifiedError)  # noqa: S101 - registered for it
    return Response(status_code=304, headers={"etag": error.tag})
