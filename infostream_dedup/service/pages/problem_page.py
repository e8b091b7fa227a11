"""Failures: a page for people, ``application/problem+json`` for programs."""

from __future__ import annotations

from typing import Final

from fastapi import Request
from starlette.responses import RedirectResponse, Response

from infostream_dedup.service.pages.frame import page
from infostream_dedup.service.problems import CODES, PROBLEM_TYPE, ProblemError

__all__ = ["problem_answer"]

_BODY_LEFT: Final = (408, 413)


def problem_answer(request: Request, problem: ProblemError) -> Response:
    """Answer a request that failed; people who have not signed in are redirected to do so. The log gets the problem."""
    request.state.problem = problem
    answer = _page(request, problem) if _is_from_person(request) else _json(problem)
    answer.headers.update(problem.headers())
    if problem.status in _BODY_LEFT:
        # Otherwise the rest of the body would be read as the next request.
        answer.headers["connection"] = "close"
    return answer


def _is_from_person(request: Request) -> bool:
    return "text/html" in request.headers.get("accept", "") and not request.scope["path"].startswith("/v1/")


def _page(request: Request, problem: ProblemError) -> Response:
    if problem.status == 401:
        return RedirectResponse("/sign-in", 303)
    detail = problem.detail or CODES[problem.code]
    return page(request, "problem", status=problem.status, code=problem.code, detail=detail)


def _json(problem: ProblemError) -> Response:
    return Response(problem.body(), problem.status, media_type=PROBLEM_TYPE)
