"""The parts of ``openapi.json`` other than routes and parameters: bodies, problems, files."""

from __future__ import annotations

from typing import Any, Final

from fastapi import FastAPI

from infostream_dedup.judgements.jobs import KINDS
from infostream_dedup.judgements.schema import LABELS
from infostream_dedup.service.problems import CODES, PROBLEM_TYPE

__all__ = ["ANSWERS", "KEYED", "body_of", "describe_problems", "file_of"]

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
    return {
        "description": description,
        "content": {PROBLEM_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }


ANSWERS: Final[dict[int | str, dict[str, Any]]] = {
    "4XX": _problem("The request cannot be answered; `code` says why"),
    "503": _problem("Not now: try again after the seconds in `Retry-After`"),
    "507": _problem("The disk is full; nothing was stored"),
}
"""Answers that any route may give."""

_STRING: Final = {"type": "string"}
_PAIR: Final = {
    "a": {"type": "string", "minLength": 1},
    "b": {"type": "string", "minLength": 1},
    "label": {"enum": [*LABELS, None]},
    "repeats": {"enum": ["a", "b", "both", None]},
}
_CONFLICT: Final = {"enum": ["error", "version"]}
_DOCUMENT: Final = {
    "type": "object",
    "required": ["id", "text"],
    "properties": {
        **dict.fromkeys(("id", "text", "title", "source", "url"), _STRING),
        "lang": {"enum": ["ru", "uk", "en"]},
        "published": {"type": "string", "description": "ISO 8601; a day, month or year is enough"},
    },
}


def _object(required: list[str], **properties: Any) -> dict[str, Any]:
    return {"type": "object", "required": required, "properties": properties, "additionalProperties": False}


def _decision(*known: str) -> dict[str, Any]:
    return _object(["decision"], decision={"enum": [*known, None]})


_BODIES: Final[dict[str, dict[str, Any]]] = {
    "batch": _object(
        ["documents"],
        batch_id={"type": "string", "minLength": 1, "maxLength": 200},
        on_error={"enum": ["fail", "skip"]},
        on_conflict=_CONFLICT,
        documents={"type": "array", "items": _DOCUMENT},
    ),
    "check": _object(
        ["documents"],
        on_conflict=_CONFLICT,
        documents={"type": "array", "items": _DOCUMENT, "maxItems": 100},
    ),
    "search": _object(
        ["text"],
        text={"type": "string", "minLength": 1},
        title=_STRING,
        across={"type": "boolean"},
        k_min={"type": "integer", "minimum": 1, "maximum": 255},
        top={"type": "integer", "minimum": 1, "maximum": 200},
    ),
    "judgement": _object(
        ["a", "b", "label"],
        **_PAIR,
        seconds={"type": "number", "minimum": 0},
        queue=_STRING,
        seen_verdict={"type": "boolean"},
    ),
    "labels": _object(["documents"], documents={"type": "array", "items": {"type": "object", "properties": _PAIR}}),
    "job": _object(
        ["kind"],
        kind={"enum": list(KINDS)},
        documents={"type": "integer", "minimum": 1, "maximum": 50_000},
        judged={"type": "boolean"},
        preset={"enum": ["duplicate", "story"]},
        methods={"type": "array", "items": _STRING, "minItems": 1},
    ),
    "template": _decision("accept", "refuse"),
    "alarm": _decision("known", "snoozed"),
}
"""Schema of each body by name."""


KEYED: Final = {
    "parameters": [{"name": "Idempotency-Key", "in": "header", "required": True, "schema": {**_STRING, "minLength": 1}}]
}
"""The header that makes a repeated request to a route take effect only once."""


def body_of(name: str, *, lines: bool = False) -> dict[str, Any]:
    """The description of a route's body.

    Args:
        name: one of ``_BODIES``.
        lines: whether JSON Lines are accepted too.
    """
    content: dict[str, Any] = {"application/json": {"schema": _BODIES[name]}}
    if lines:
        content["application/x-ndjson"] = {"schema": _STRING}
    return {"requestBody": {"required": True, "content": content}}


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
