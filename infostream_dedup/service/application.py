"""The routes put together into one ASGI application."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from infostream_dedup.errors import InfostreamError
from infostream_dedup.model.version import VERSION
from infostream_dedup.service.answers import NotModifiedError
from infostream_dedup.service.contract import ANSWERS, describe_problems
from infostream_dedup.service.guard import Guard, is_page
from infostream_dedup.service.logs import reason_of
from infostream_dedup.service.metrics import Metrics
from infostream_dedup.service.pages import (
    compare_page,
    entrance,
    explore_page,
    group_pages,
    judge_page,
    labels_page,
    learning_pages,
    now_page,
    provenance_page,
    review_pages,
    search_page,
    settings_page,
    story_pages,
)
from infostream_dedup.service.pages.problem_page import problem_answer
from infostream_dedup.service.problems import ProblemError, problem_of
from infostream_dedup.service.routes import (
    batches,
    checks,
    comparison,
    documents,
    events,
    exports,
    groups,
    health,
    jobs,
    judgements,
    pairs,
    reviews,
    search,
    stories,
)
from infostream_dedup.service.running import RunningService
from infostream_dedup.service.sessions import Sessions
from infostream_dedup.service.settings import ServiceSettings
from infostream_dedup.service.tokens import read_tokens

__all__ = ["application", "routes"]

_PAGES: Final = (
    entrance,
    now_page,
    provenance_page,
    group_pages,
    story_pages,
    compare_page,
    judge_page,
    labels_page,
    learning_pages,
    explore_page,
    search_page,
    review_pages,
    settings_page,
)
_ROUTES: Final = (
    health,
    batches,
    checks,
    events,
    exports,
    documents,
    groups,
    stories,
    comparison,
    search,
    pairs,
    judgements,
    jobs,
    reviews,
)
_CODE_OF_STATUS: Final = {404: "not-found", 405: "method"}


def application(settings: ServiceSettings) -> Guard:
    """Make the service. It opens its store when the server announces its start (ASGI lifespan), or in ``alive``.

    Raises:
        NoInputError, BadDataError, ConfigurationError: the token file cannot be used.
    """
    tokens = None if settings.token_file is None else read_tokens(settings.token_file)
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
    )
    # Events before documents and verdicts: the first matching route answers.
    for part in (*_ROUTES, *_PAGES):
        app.include_router(part.router)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _refused)
    app.add_exception_handler(NotModifiedError, _not_modified)
    describe_problems(app)
    for kind in (ProblemError, InfostreamError, Exception):
        app.add_exception_handler(kind, _failed)
    return app


async def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)  # noqa: S101 - registered for it
    place = error.errors()[0]["loc"]
    return problem_answer(request, ProblemError(422, "invalid", field=str(place[-1])))


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101 - registered for it
    code = _CODE_OF_STATUS.get(error.status_code, "bad-request")
    answer = problem_answer(request, ProblemError(error.status_code, code))
    # Such as the methods that the address does support.
    answer.headers.update(error.headers or {})
    if answer.headers.get("allow") == "GET" and is_page(request.scope["path"]):
        answer.headers["allow"] = "GET, HEAD"
    return answer


async def _failed(request: Request, error: Exception) -> Response:
    request.state.reason = reason_of(error)
    return problem_answer(request, problem_of(error))


async def _not_modified(_: Request, error: Exception) -> Response:
    assert isinstance(error, NotModifiedError)  # noqa: S101 - registered for it
    return Response(status_code=304, headers={"etag": error.tag})
