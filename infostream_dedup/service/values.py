"""Values that clients send, as pydantic models: what does not fit becomes a problem that says what to do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import CoreSchema, core_schema

from infostream_dedup.service.problems import ProblemError

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
