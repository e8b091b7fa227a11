"""``/v1/docs``: the description of the routes for people, made from ``openapi.json``; nothing comes from outside."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request
from markupsafe import Markup
from starlette.responses import RedirectResponse, Response

from infostream_dedup.service.answers import needs
from infostream_dedup.service.pages.frame import page

if TYPE_CHECKING:
    from collections.abc import Mapping

router = APIRouter(include_in_schema=False)


@router.get("/v1", dependencies=[needs("reader")])
async def show_beginning() -> Response:
    """Lead to the description."""
    return RedirectResponse("/v1/docs", 303)


@router.get("/v1/docs", dependencies=[needs("reader")])
async def show_routes(request: Request) -> Response:
    """Show all routes with their parameters, an example, and the forms of bodies and answers."""
    about = request.app.openapi()
    parts: dict[str, list[dict[str, Any]]] = {}
    for path, methods in about["paths"].items():
        for method, route in methods.items():
            parts.setdefault(route["tags"][0], []).append(_route(method.upper(), path, route, str(request.base_url)))
    forms = [
        (name, [(field, _type(one), one.get("description", "")) for field, one in form["properties"].items()])
        for name, form in sorted(about["components"]["schemas"].items())
        if "properties" in form
    ]
    return page(request, "docs", about=about, parts=list(parts.items()), forms=forms)


def _route(method: str, path: str, route: Mapping[str, Any], address: str) -> dict[str, Any]:
    body = route.get("requestBody", {}).get("content", {}).get("application/json")
    curl = f"curl {address.rstrip('/')}{path} -H 'Authorization: Bearer TOKEN'"
    curl += "" if method == "GET" or body else f" -X {method}"
    if body is not None:
        example = json.dumps(body["example"], ensure_ascii=False)
        curl += f" {'-X PUT ' if method == 'PUT' else ''}-H 'Content-Type: application/json' -d '{example}'"
    answers = [
        (code, Markup(" | ").join(_type(form.get("schema", {})) for form in answer["content"].values()))
        for code, answer in route["responses"].items()
        if "content" in answer and code.startswith("2")
    ]
    if body is not None:
        answers.insert(0, ("body", _type(body["schema"])))
    parameters = [one | {"type": _type(one["schema"])} for one in route.get("parameters", ())]
    given = {"method": method, "path": path, "curl": curl, "answers": answers, "parameters": parameters}
    told = [_marked(part) for part in route["description"].split("\n\n")]
    return {**route, **given, "id": route["operationId"], "told": told}


def _marked(text: str) -> Markup:
    """Text with its `code` marked as such."""
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if number % 2 else part for number, part in enumerate(text.split("`"))
    )


def _type(schema: Mapping[str, Any]) -> Markup:
    """A type in a few words, with links to forms."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return Markup('<a href="#form-{0}">{0}</a>').format(name)
    if "anyOf" in schema:
        return Markup(" | ").join(_type(one) for one in schema["anyOf"])
    if "enum" in schema or "const" in schema:
        values = schema["enum"] if "enum" in schema else [schema["const"]]
        return Markup(", ").join(Markup("<code>{}</code>").format(json.dumps(one)) for one in values)
    if schema.get("type") == "array":
        return Markup("list of {}").format(_type(schema.get("items", {})))
    kind = schema.get("format") or schema.get("type") or "anything"
    return Markup.escape(kind if isinstance(kind, str) else " | ".join(kind))
