"""Failures as ``application/problem+json`` (RFC 9457), each with a stable code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final, TypeVar

import orjson
from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import CoreSchema, core_schema

from infostream_dedup import errors

PROBLEM_TYPE: Final = "application/problem+json"

CODES: Final = {
    "bad-request": "The request cannot be understood",
    "json": "The body is not JSON in UTF-8",
    "host": "The request names a host that this service does not serve",
    "token": "The request needs a valid token",
    "role": "The token does not allow this",
    "cross-site": "The request comes from another site",
    "not-found": "There is nothing at this address",
    "method": "The address does not support this method",
    "forgotten": "The document was forgotten",
    "body-timeout": "The body did not arrive in time",
    "batch-conflict": "The batch id already exists with different content",
    "id-conflict": "A document id already exists with different content",
    "key-conflict": "The idempotency key was already used with different content",
    "job-running": "Another job is running",
    "texts-not-kept": "The texts were not kept",
    "too-large": "The request is too large",
    "content-type": "The body must be JSON",
    "invalid": "A value is not valid",
    "headers-too-large": "The headers are too large",
    "too-many": "Too many requests",
    "internal": "The service failed; the batch, if any, was not stored",
    "queue-full": "Too many requests are waiting",
    "store-busy": "Another process writes to the store",
    "store-moved": "The store was moved, deleted or replaced; the service ends",
    "store-restored": "The store went back to a backup and is being read again",
    "starting": "The service is not ready yet",
    "too-slow": "The answer takes too long; narrow the question",
    "read-only": "This service does not write",
    "disk-full": "The disk is full, or may not be written",
}
"""Title of each code."""

_STATUS: Final = {
    "E_BATCH_CONFLICT": (409, "batch-conflict"),
    "E_ID_CONFLICT": (409, "id-conflict"),
    "E_KEY_CONFLICT": (409, "key-conflict"),
    "E_SOURCE": (404, "not-found"),
    "E_JSON": (400, "json"),
    # The fault is not in the request.
    "E_STORE_DAMAGED": (500, "internal"),
    "E_STORE_FOREIGN": (500, "internal"),
    "E_STORE_NEWER": (500, "internal"),
    "E_DESK_DAMAGED": (500, "internal"),
    "E_PACKAGE": (500, "internal"),
}


class ProblemError(Exception):
    """A failure that is reported to the client."""

    def __init__(
        self, status: int, code: str, detail: str = "", *, retry_after: int | None = None, **members: Any
    ) -> None:
        super().__init__(detail or CODES[code])
        self.status, self.code, self.detail, self.retry_after = status, code, detail, retry_after
        self.members = members

    def body(self) -> bytes:
        """The problem in JSON."""
        detail = {"detail": self.detail} if self.detail else {}
        known = {"type": f"/problems/{self.code}", "title": CODES[self.code], "status": self.status, "code": self.code}
        return orjson.dumps({**known, **detail, **{name: one for name, one in self.members.items() if one is not None}})

    def headers(self) -> dict[str, str]:
        """Headers other than the content type."""
        return {} if self.retry_after is None else {"retry-after": str(self.retry_after)}


def no_texts() -> ProblemError:
    """The problem of a question that needs texts, to a store that does not keep them."""
    return ProblemError(
        409, "texts-not-kept", "start the service with --keep-text: it keeps the texts of later documents"
    )


def detail_of(error: errors.BadDataError) -> str:
    """Say what was expected, without quoting what was sent, and without advice about options of the command line."""
    if error.code == "E_ID_CONFLICT":
        return "give it another id, or send on_conflict=version if it is a correction"
    _, separator, expected = error.message.partition("expected ")
    return f"expected {expected.partition(';')[0]}" if separator else "see the field" if error.field else ""


def problem_of(error: Exception) -> ProblemError:
    """Turn any failure into a problem; unexpected ones become ``internal``, without details."""
    if isinstance(error, ProblemError):
        return error
    if isinstance(error, errors.BadDataError):
        status, code = _STATUS.get(error.code, (HTTPStatus.UNPROCESSABLE_ENTITY, "invalid"))
        number = None if error.line is None else error.line - 1
        return ProblemError(int(status), code, detail_of(error), reason=error.code, field=error.field, document=number)
    if isinstance(error, errors.StoreMovedError):
        return ProblemError(503, "store-moved", retry_after=30)
    if isinstance(error, errors.StoreBusyError):
        return ProblemError(503, "store-busy", retry_after=1)
    if isinstance(error, errors.CannotWriteError | errors.CannotCreateError):
        advice = "the store or its desk cannot be written; free some space, or allow writing, and send this again"
        return ProblemError(507, "disk-full", advice)
    if isinstance(error, errors.ConfigurationError | errors.NoInputError):
        return ProblemError(422, "invalid", str(error))
    return ProblemError(500, "internal")


# Values that clients send, as pydantic models


Model = TypeVar("Model", bound=BaseModel)

_LONGEST_FIELD: Final = 100
_LIMITS: Final = ("le", "max_length")


class Body(BaseModel):
    """A JSON object with known members only, whose values are not converted."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


@dataclass(frozen=True)
class ListedValue:
    """Restricts a member to values that another module lists."""

    values: Sequence[str | None]

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> CoreSchema:
        """Return a schema that pydantic checks and describes like ``Literal``."""
        return core_schema.literal_schema(list(self.values))


def checked(model: type[Model], value: Any) -> Model:
    """Read a value as a model; ProblemError ``invalid`` if it does not fit."""
    if not isinstance(value, dict):
        raise ProblemError(422, "invalid", "send an object")
    try:
        return model.model_validate(value)
    except ValidationError as error:
        known = ", ".join(model.model_fields)
        raise problem_of_value(error.errors(include_url=False, include_input=False)[0], known) from None


def problem_of_value(error: Mapping[str, Any], known: str = "") -> ProblemError:
    """Turn pydantic's first error into a problem; its messages quote no input."""
    kind, limits = error["type"], error.get("ctx", {})
    # What follows the name is a place inside its value; queries begin with the word "query".
    place = [part for part in error["loc"] if isinstance(part, str)]
    field = place[1] if place[0] in ("query", "path") and len(place) > 1 else place[0]
    if kind == "extra_forbidden":
        advice = f"an object has {known}; leave out the rest"
    elif kind == "missing":
        advice = "expected a value; this field is required"
    else:
        advice = error["msg"].removeprefix("Value error, ").replace("Input should be", "expected")
    limit = next((limits[name] for name in _LIMITS if name in limits), None)
    return ProblemError(422, "invalid", advice, field=field[:_LONGEST_FIELD], limit=limit)
