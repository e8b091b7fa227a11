"""Two documents side by side: what they share, and the numbers in which they differ."""

from __future__ import annotations

import re
from typing import Any, Final

from fastapi import APIRouter, Request
from markupsafe import Markup, escape
from starlette.responses import Response

from infostream_dedup.service.answers import needs
from infostream_dedup.service.pages.frame import page
from infostream_dedup.service.problems import ProblemError
from infostream_dedup.service.routes.comparison import compared
from infostream_dedup.service.running import running

__all__ = ["router"]

router = APIRouter(include_in_schema=False)

_COLOURS: Final = 6
_NUMBER: Final = re.compile(r"\d+(?:[.,:]\d+)*")


@router.get("/compare", dependencies=[needs("reader")])
async def compare(request: Request, a: str, b: str) -> Response:
    """The two texts."""
    try:
        found = await running(request).read(lambda store: compared(store, a, b))
    except ProblemError as problem:
        if problem.code != "texts-not-kept":
            raise
        return page(request, "compare", status=409, sides=None, passages=0)
    sides = [found["a"], found["b"]]
    numbers = [{number for piece in side["pieces"] for number in _NUMBER.findall(piece["text"])} for side in sides]
    for side, other in zip(sides, reversed(numbers), strict=True):
        side["html"] = Markup().join(_marked(piece, other) for piece in side["pieces"])
    for side, coverage in zip(sides, (found["coverage_a"], found["coverage_b"]), strict=True):
        side["coverage"] = coverage
    return page(request, "compare", sides=sides, passages=len(found["spans"]))


def _marked(piece: dict[str, Any], others: set[str]) -> Markup:
    html = Markup().join(
        escape(part) if number % 2 == 0 or part in others else Markup('<b class="number">{}</b>').format(part)
        for number, part in enumerate(_split(piece["text"]))
    )
    if not piece["passage"]:
        return html
    shown = Markup('<mark class="p{} passage" data-passage="{}" tabindex="-1"><sup>{}</sup>{}</mark>')
    return shown.format((piece["passage"] - 1) % _COLOURS + 1, piece["passage"], piece["passage"], html)


def _split(text: str) -> list[str]:
    """Text and numbers in turn, beginning with text."""
    parts, end = [], 0
    for found in _NUMBER.finditer(text):
        parts += [text[end : found.start()], found.group()]
        end = found.end()
    return [*parts, text[end:]]
