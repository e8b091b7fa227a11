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


def body_of(model: type[BaseModel], *, lines: bool = False) -> dict[str, Any]:
    """The description of a route's body; with ``lines``, JSON Lines are accepted too."""
    content: dict[str, Any] = {"application/json": {"schema": _untitled(model.model_json_schema())}}
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


def describe_problems(app: FastAPI) -> None:
    """Add the schema of a problem to the description of an application."""
    plain = app.openapi

    def described() -> dict[str, Any]:
        description = plain()
        description.setdefault("components", {}).setdefault("schemas", {})["Problem"] = _PROBLEM
        return description

    app.openapi = described  # type: ignore[method-assign]  # FastAPI's own way to extend it
