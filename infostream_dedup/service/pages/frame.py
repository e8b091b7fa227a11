"""What all pages share: templates, language, dates, titles; and failures, as a page or in JSON."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qs, quote, urlencode

from fastapi import Request
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.responses import HTMLResponse, RedirectResponse, Response

from infostream_dedup.service.first_published import date_given
from infostream_dedup.service.language import PAGE_LANGUAGES, PageWords, chosen_language, words_of
from infostream_dedup.service.problems import CODES, PROBLEM_TYPE, ProblemError
from infostream_dedup.service.tokens import LOCAL
from infostream_dedup.stream.store.summary import time_text

if TYPE_CHECKING:
    from infostream_dedup.stream.store import Store


_YEAR_SECONDS: Final = 365 * 24 * 3600
_COOKIE: Final = "ui"
_MENU: Final = (
    ("now", "/", "reader"),
    ("groups", "/groups", "reader"),
    ("stories", "/stories", "reader"),
    ("search", "/search", "reader"),
    ("judge", "/judge", "analyst"),
    ("labels", "/labels", "analyst"),
    ("model", "/model", "analyst"),
    ("explore", "/explore", "reader"),
    ("methods", "/methods", "analyst"),
    ("templates", "/templates", "reader"),
    ("sources", "/sources", "reader"),
    ("alarms", "/alarms", "reader"),
    ("settings", "/settings", "reader"),
)
"""Name of a page, its address, and who may see it."""


def page(request: Request, template: str, *, status: int = 200, **values: Any) -> Response:
    """Render a page in the language of the request."""
    words = words_for(request)
    caller = request.scope["state"].get("caller")
    html = _templates().get_template(f"{template}.html").render(
        t=words,
        here=functools.partial(_here, request),
        languages=PAGE_LANGUAGES,
        may_judge=caller is not None and caller.may("analyst"),
        signed_in=caller not in (None, LOCAL) and template != "sign_in",
        template=template,
        menu=[(name, address) for name, address, role in _MENU if caller is not None and caller.may(role)],
        **values,
    )  # fmt: skip
    response = HTMLResponse(html, status)
    asked = request.query_params.get(_COOKIE)
    if asked in PAGE_LANGUAGES:
        response.set_cookie(_COOKIE, asked, max_age=_YEAR_SECONDS, httponly=True, samesite="strict")
    return response


async def form_of(request: Request) -> dict[str, list[str]]:
    """The values of each field of a form."""
    return parse_qs((await request.body()).decode("utf-8", "replace"))


def load_templates() -> None:
    """Compile the templates of all pages; otherwise each is compiled when it is first shown."""
    environment = _templates()
    for name in environment.list_templates():
        environment.get_template(name)


def words_for(request: Request) -> PageWords:
    """The words of the language of a request."""
    kept, accepted = request.cookies.get(_COOKIE), request.headers.get("accept-language", "")
    return words_of(chosen_language(request.query_params.get(_COOKIE), kept, accepted))


@functools.cache
def _templates() -> Environment:
    environment = Environment(
        loader=PackageLoader("infostream_dedup.service"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["moment"] = _moment
    environment.filters["percent"] = lambda share: f"{share:.0%}"
    environment.filters["figure"] = lambda value, words: _decimal(value, 2, words)
    environment.filters["decimal"] = lambda value, words: _decimal(value, 1, words)
    environment.filters["clock"] = lambda micros, words: _moment(time_text(micros), words)
    return environment


def _here(request: Request, **changed: str | None) -> str:
    """The address of this page with some parameters changed; None removes one."""
    parameters = {name: value for name, value in request.query_params.items() if name != _COOKIE}
    parameters |= {name: value for name, value in changed.items() if value is not None}
    kept = {name: value for name, value in parameters.items() if value and changed.get(name, value) is not None}
    # One slash: two would lead to another site.
    path = "/" + quote(request.scope["path"].lstrip("/\\"), safe="/")
    return f"{path}?{urlencode(kept)}" if kept else path


def _moment(time: str | None, words: PageWords) -> Markup | str:
    """A moment, which JavaScript shows in the reader's time zone; the same function for every page."""
    if time is None:
        return words("no_date")
    given = date_given(time)
    if given is not None:
        # Most of these were given as days, months or years; anything more exact would be invented.
        return Markup('<time datetime="{}">{}</time>').format(given, given)
    return Markup('<time datetime="{}">{} UTC</time>').format(time, time[:16].replace("T", " "))


def _decimal(value: float | None, digits: int, words: PageWords) -> str:
    """A number with the language's decimal separator and a real minus sign; a dash for None."""
    if value is None:
        return "–"
    text = f"{value:.{digits}f}".replace("-", "−")
    return text if words.language == "en" else text.replace(".", ",")


def titles_of(store: Store, ids: Iterable[str]) -> dict[str, str]:
    """Return the title of the latest version of each document, by id; empty if the store does not know it."""
    found = {}
    for name in ids:
        row = store.connection.execute(
            "SELECT title FROM document WHERE id = ? ORDER BY version DESC LIMIT 1", (name,)
        ).fetchone()
        found[name] = "" if row is None else row[0]
    return found


def problem_answer(request: Request, problem: ProblemError) -> Response:
    """Answer a request that failed; people who have not signed in are redirected to do so. The log gets the problem."""
    # Not the problem itself: with its traceback it would hold the body, and the body's request the problem.
    request.state.problem = problem.code, problem.status
    answer = _problem_page(request, problem) if _is_from_person(request) else _json(problem)
    answer.headers.update(problem.headers())
    return answer


def _is_from_person(request: Request) -> bool:
    return "text/html" in request.headers.get("accept", "") and not request.scope["path"].startswith("/v1/")


def _problem_page(request: Request, problem: ProblemError) -> Response:
    if problem.status == 401:
        return RedirectResponse("/sign-in", 303)
    detail = problem.detail or CODES[problem.code]
    return page(request, "problem", status=problem.status, code=problem.code, detail=detail)


def _json(problem: ProblemError) -> Response:
    return Response(problem.body(), problem.status, media_type=PROBLEM_TYPE)
