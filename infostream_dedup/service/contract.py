"""The parts of ``openapi.json`` other than routes and parameters: bodies, problems, files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from infostream_dedup.service.problems import CODES, PROBLEM_TYPE

if TYPE_CHECKING:
    from fastapi import FastAPI
    from pydantic import BaseModel

_PROBLEM: Final = {
    "type": "object",
    "required": ["type", "title", "status", "code"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "code": {"type": "string", "enum": list(CODES)},
        "detail": {"type": "string"},
        "reason": {"type": "string", "description": "code of bad data, such as E_TYPE"},
        "field": {"type": "string"},
        "document": {"type": "integer", "description": "position in the batch, from 0"},
        "limit": {"type": "integer"},
    },
}


def _problem(description: str) -> dict[str, Any]:
    return {"description": description, "content": {PROBLEM_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}}


ANSWERS: Final[dict[int | str, dict[str, Any]]] = {
    "4XX": _problem("The request cannot be answered; `code` says why"),
    "503": _problem("Not now: try again after the seconds in `Retry-After`"),
    "507": _problem("The disk is full; nothing was stored"),
}
"""Answers that any route may give."""

_STRING: Final = {"type": "string"}

KEYED: Final = {
    "parameters": [{"name": "Idempotency-Key", "in": "header", "required": True, "schema": {**_STRING, "minLength": 1}}]
}
"""The header that makes a repeated request to a route take effect only once."""

DOCUMENT: Final = {"$ref": "#/components/schemas/Document"}

_BODIES: Final[dict[str, dict[str, Any]]] = {}


def body_of(model: type[BaseModel], example: dict[str, Any], *, lines: bool = False) -> dict[str, Any]:
    """The description of a route's body; with ``lines``, JSON Lines are accepted too."""
    described = _untitled(model.model_json_schema())
    documents = described["properties"].get("documents")
    if documents is not None and "published" in documents.get("items", {}).get("properties", {}):
        _BODIES["Document"] = documents["items"]
        documents["items"] = DOCUMENT
    _BODIES[model.__name__] = described
    schema = {"$ref": f"#/components/schemas/{model.__name__}"}
    content: dict[str, Any] = {"application/json": {"schema": schema, "example": example}}
    if lines:
        content["application/x-ndjson"] = {"schema": _STRING}
    return {"requestBody": {"required": True, "content": content}}


def _untitled(schema: Any) -> Any:
    """A schema without the titles that pydantic makes of names, and without descriptions of classes."""
    if isinstance(schema, list):
        return [_untitled(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        name: _untitled(one)
        for name, one in schema.items()
        if not (name == "title" and isinstance(one, str)) and not (name == "description" and "properties" in schema)
    }


def file_of(*types: str) -> dict[int | str, dict[str, Any]]:
    """The answer of a route that returns text of one of several types."""
    return {200: {"description": "The file", "content": {kind: {"schema": _STRING} for kind in types}}}


_OPEN: Final = ("/health", "/ready")


def describe(app: FastAPI) -> None:
    """Add bodies, problems and tokens to the description of an application."""
    plain = app.openapi

    def described() -> dict[str, Any]:
        if app.openapi_schema is not None:
            return app.openapi_schema
        description = plain()
        description["servers"] = [{"url": "http://127.0.0.1:8600"}]
        known = description.setdefault("components", {})
        known["schemas"] = _untitled(known.get("schemas", {})) | _BODIES | {"Problem": _PROBLEM}
        known["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        for path, methods in description["paths"].items():
            for route in methods.values():
                route["description"] = route["description"].replace("``", "`")
                route["summary"] = (
                    route["description"].replace("`", "").partition(".")[0].partition("; ")[0].partition("\n")[0]
                )
                route["security"] = [] if path in _OPEN else [{"token": []}]
        return description

    app.openapi = described  # type: ignore[method-assign]  # FastAPI's own way to extend it
