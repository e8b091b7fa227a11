"""What all pages share: templates, language, dates, titles; and failures, as a page or in JSON."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from datetime import datetime
from importlib import resources
from typing import Any, Final, Literal
from urllib.parse import parse_qs, quote, urlencode

import orjson
from fastapi import APIRouter, Request
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.responses import HTMLResponse, RedirectResponse, Response

from infostream_dedup.service.figures import certain_first, date_given
from infostream_dedup.service.problems import CODES, PROBLEM_TYPE, ProblemError
from infostream_dedup.service.running import running
from infostream_dedup.service.settings import client_address
from infostream_dedup.service.tokens import LOCAL, SESSION_COOKIE, Caller, Sessions, Tokens
from infostream_dedup.stream.store.browsing import SLOTS

# The texts of the pages in Ukrainian, Russian and English

PluralForm = Literal["one", "few", "many", "other"]


def plural_form(number: int, language: str) -> PluralForm:
    """Return the form: ``one`` or ``other`` in English, ``one``, ``few`` or ``many`` in Russian and Ukrainian."""
    if language == "en":
        return "one" if number == 1 else "other"
    if number % 10 == 1 and number % 100 != 11:
        return "one"
    if 2 <= number % 10 <= 4 and not 12 <= number % 100 <= 14:
        return "few"
    return "many"


PAGE_LANGUAGES: Final = {"uk": "Українська", "ru": "Русский", "en": "English"}
"""The name of each language in that language."""


class PageWords:
    """The words of one language."""

    def __init__(self, language: str, words: dict[str, Any]) -> None:
        self.language, self._words = language, words

    def __call__(self, key: str, number: int | None = None, **values: object) -> str:
        """Return the text of a key, in the form that fits a number, with values filled in."""
        found = self._words[key]
        if isinstance(found, dict):
            found = found[plural_form(number or 0, self.language)]
        return str(found).format(number=number, **values)

    def keys(self) -> dict[str, Any]:
        """All texts by key."""
        return dict(self._words)


@functools.cache
def words_of(language: str) -> PageWords:
    """The texts of a language, read once."""
    data = (resources.files("infostream_dedup.service") / "locale" / f"{language}.json").read_bytes()
    return PageWords(language, orjson.loads(data))


def chosen_language(asked: str | None, kept: str | None, accepted: str) -> str:
    """The language of a page."""
    for language in (asked, kept, *(part.split(";")[0].split("-")[0].strip() for part in accepted.split(","))):
        if language in PAGE_LANGUAGES:
            return language
    return "en"


_YEAR_SECONDS: Final = 365 * 24 * 3600

_COOKIE: Final = "ui"
_THEME: Final = "theme"
_THEMES: Final = ("light", "dark")

_MENU: Final = {
    "watch": (
        ("now", "/", "reader"),
        ("groups", "/groups", "reader"),
        ("stories", "/stories", "reader"),
        ("search", "/search", "reader"),
        ("sources", "/sources", "reader"),
        ("watches", "/watches", "reader"),
        ("alarms", "/alarms", "reader"),
    ),
    "judge": (("judge", "/judge", "analyst"), ("labels", "/labels", "analyst"), ("model", "/model", "analyst")),
    "study": (
        ("explore", "/explore", "reader"),
        ("methods", "/methods", "analyst"),
        ("templates", "/templates", "reader"),
        ("settings", "/settings", "reader"),
    ),
}
"""Name of a page, its address, and who may see it, by what people do there."""


def _menu(caller: Caller | None) -> list[tuple[str, list[tuple[str, str]]]]:
    seen = {
        part: [(name, address) for name, address, role in entries if caller is not None and caller.may(role)]
        for part, entries in _MENU.items()
    }
    return [(part, entries) for part, entries in seen.items() if entries]


def page(request: Request, template: str, *, status: int = 200, **values: Any) -> Response:
    """Render a page in the language of the request."""
    words = words_for(request)
    caller = request.scope["state"].get("caller")
    # Light or dark as chosen by hand; None for what the device prefers.
    chosen = request.query_params.get(_THEME) or request.cookies.get(_THEME)
    asked, theme = request.query_params, (chosen if chosen in _THEMES else None)
    html = _templates().get_template(f"{template}.html").render(
        t=words,
        here=functools.partial(_here, request), address=request.url.netloc,
        languages=PAGE_LANGUAGES,
        may_judge=caller is not None and caller.may("analyst"),
        signed_in=caller not in (None, LOCAL) and template != "sign_in",
        template=template,
        theme=theme,
        menu=_menu(caller),
        **values,
    )  # fmt: skip
    response = HTMLResponse(html, status)
    for cookie, known in ((_COOKIE, tuple(PAGE_LANGUAGES)), (_THEME, _THEMES)):
        if asked.get(cookie) in known:
            response.set_cookie(cookie, asked[cookie], max_age=_YEAR_SECONDS, httponly=True, samesite="strict")
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
    environment.filters["document"] = lambda name: f"/documents/{quote(name, safe='')}"
    environment.filters["percent"] = lambda share: f"{share:.0%}"
    environment.filters["figure"] = lambda value, words: _decimal(value, 2, words)
    environment.filters["decimal"] = lambda value, words: _decimal(value, 1, words)
    return environment


def _here(request: Request, **changed: str | None) -> str:
    """The address of this page with some parameters changed; None removes one."""
    parameters = {name: value for name, value in request.query_params.items() if name not in (_COOKIE, _THEME)}
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


def problem_answer(request: Request, problem: ProblemError) -> Response:
    """Answer a request that failed; people who have not signed in are redirected to do so. The log gets the problem."""
    # Not the problem itself: with its traceback it would hold the body, and the body's request the problem.
    request.state.problem = problem.code, problem.status
    if "text/html" not in request.headers.get("accept", "") or request.scope["path"].startswith("/v1/"):
        answer = Response(problem.body(), problem.status, media_type=PROBLEM_TYPE)
    elif problem.status == 401:
        here = _here(request) if request.method == "GET" else "/"
        answer = RedirectResponse(f"/sign-in?{urlencode({'to': here})}" if here != "/" else "/sign-in", 303)
    else:
        detail = problem.detail or CODES[problem.code]
        answer = page(request, "problem", status=problem.status, code=problem.code, detail=detail)
    answer.headers.update(problem.headers())
    return answer


# Signing in with a token, and the files of the pages

router = APIRouter(include_in_schema=False)

FILES: Final = {
    "app.css": "text/css", "app.js": "text/javascript", "jobs.js": "text/javascript", "judge.js": "text/javascript",
    "keys.js": "text/javascript", "now.js": "text/javascript", "icon.svg": "image/svg+xml",
}  # fmt: skip
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
async def show_entrance(request: Request, to: str = "/") -> Response:
    """Show the form for the token."""
    return page(request, "sign_in", wrong=False, to=_own_address(to))


def _own_address(given: str) -> str:
    """An address of this site, to which to return; anything else leads to the first page."""
    # Browsers drop tabs and line ends, and take a backslash for a slash: two would lead to another site.
    safe = given.startswith("/") and given.isprintable() and not given.startswith(("//", "/\\"))
    return quote(given, safe="/?&=%:+,-._~") if safe else "/"


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
    to = _own_address(fields.get("to", ["/"])[0])
    caller = None if tokens is None else tokens.caller(fields.get("token", [""])[0].strip())
    if caller is None:
        sessions.failed(address)
        return page(request, "sign_in", status=401, wrong=True, to=to)
    response = RedirectResponse(to, 303)
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


# Drawings: the chart of a sweep, and who published when


_WIDTH: Final = 640
_HEIGHT: Final = 240
_LEFT: Final = 40
_BOTTOM: Final = 28
_TOP: Final = 12


def chart_of(rows: Sequence[dict[str, Any]], chosen: int | None) -> dict[str, Any]:
    """Compute the position of everything in the chart."""
    plot, height = _WIDTH - _LEFT - 8, _HEIGHT - _TOP - _BOTTOM
    step = plot / max(len(rows), 1)
    place = {row["k"]: round(_LEFT + (number + 0.5) * step, 1) for number, row in enumerate(rows)}
    most = max((math.log10(row["links"] + 1) for row in rows), default=0.0) or 1.0
    bars = []
    for row in rows:
        tall = round(math.log10(row["links"] + 1) / most * height, 1)
        bar = {"x": round(place[row["k"]] - step * 0.3, 1), "y": round(_TOP + height - tall, 1), "height": tall}
        bars.append({**row, **bar, "width": round(step * 0.6, 1), "middle": place[row["k"]]})
    lines = {}
    for name in ("symmetry", "transitivity", "precision"):
        marks = [
            {"x": place[row["k"]], "y": round(_TOP + (1 - row[name]) * height, 1), "k": row["k"], "value": row[name]}
            for row in rows
            if row.get(name) is not None
        ]
        if marks:
            lines[name] = {"points": " ".join(f"{mark['x']},{mark['y']}" for mark in marks), "marks": marks}
    grid = [{"y": round(_TOP + (1 - share) * height, 1), "share": share} for share in (0, 0.25, 0.5, 0.75, 1)]
    box = {"width": _WIDTH, "height": _HEIGHT, "left": _LEFT, "top": _TOP, "bottom": _TOP + height}
    return box | {"bars": bars, "grid": grid, "lines": lines, "chosen": None if chosen is None else place.get(chosen)}


_ROW_WIDTH: Final = 600
_MARGIN: Final = 10
_A_DAY: Final = "2026-01-31"  # a month or a year, which is shorter, cannot be placed on a timeline of days


def timeline(members: list[dict[str, Any]]) -> dict[str, Any] | None:
    """Compute the positions of the dots: a row for each source, in the order of their first documents."""
    placed = [one for one in members if one["published"] and len(date_given(one["published"]) or _A_DAY) >= len(_A_DAY)]
    dated = [(datetime.fromisoformat(one["published"]).timestamp(), one) for one in placed]
    if len(dated) < 2:
        return None
    begin, end = min(time for time, _ in dated), max(time for time, _ in dated)
    first, known = members[0], certain_first(members)
    rows: dict[str, list[dict[str, Any]]] = {}
    for time, member in dated:
        share = (time - begin) / (end - begin) if end > begin else 0.0
        place = round(100 * (_MARGIN + share * (_ROW_WIDTH - 2 * _MARGIN)) / _ROW_WIDTH, 1)
        dot = {"x": place, "status": member["status"], "title": member["title"], "first": known and member is first}
        rows.setdefault(member["source"] or "", []).append(dot)
    return {
        "rows": [{"source": source, "dots": dots} for source, dots in rows.items()],
        "first": min(dated, key=lambda one: one[0])[1]["published"],
        "last": max(dated, key=lambda one: one[0])[1]["published"],
    }


def bars(counts: Sequence[float], height: float) -> list[dict[str, float]]:
    """Place bars of width 2, 3 apart, the highest as high as the drawing."""
    most = max(counts, default=0) or 1
    tall = [round(height * count / most, 1) for count in counts]
    return [{"x": 3 * number, "y": height - one, "height": one} for number, one in enumerate(tall) if one]


def story_bars(documents: Sequence[dict[str, Any]], height: float) -> list[dict[str, float]]:
    """The bars of a story: how many documents in each part of its time."""
    times = [one["time"] for one in documents if one["time"] is not None]
    counts = [0] * SLOTS
    for one in times:
        counts[(one - min(times)) * (SLOTS - 1) // max(max(times) - min(times), 1)] += 1
    return bars(counts, height)
