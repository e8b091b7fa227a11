"""Limits of parameters, written as annotations of fields and checked when a record is created.

Example:
    >>> Range(1, 255).check("n", 12)
    12
    >>> Range(0.5, 30.0).check("days", 31)
    Traceback (most recent call last):
    infostream_dedup.errors.ConfigurationError: days is 31; expected a number from 0.5 to 30
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from functools import cache
from importlib import import_module
from numbers import Integral, Real
from os import PathLike
from typing import Any, TypeVar, cast, get_args, get_type_hints

from infostream_dedup.errors import ConfigurationError


@dataclass(frozen=True, slots=True)
class Range:
    """A number between two bounds; a whole number if the bounds are ``int``."""

    low: float  # smallest value
    high: float = math.inf  # largest value; infinite by default
    above: bool = False  # excludes ``low`` itself

    def check(self, name: str, value: Any) -> Any:
        """Return the value, as a number of Python; raise ``ConfigurationError`` unless it is within the bounds."""
        value = own_number(value)
        whole = isinstance(self.low, int) and (isinstance(self.high, int) or self.high == math.inf)
        kind = int if whole else int | float
        if isinstance(value, bool) or not isinstance(value, kind) or not self._holds(value):
            expected = "a whole number" if whole else "a number"
            raise ConfigurationError(f"{name} is {value!r}; expected {expected} {self._bounds()}")
        return value

    def _holds(self, value: float) -> bool:
        return self.low < value <= self.high if self.above else self.low <= value <= self.high

    def _bounds(self) -> str:
        low, high = (f"{bound:g}" if isinstance(bound, float) else str(bound) for bound in (self.low, self.high))
        if self.high == math.inf:
            return f"above {low}" if self.above else f"of at least {low}"
        return f"above {low} to {high}" if self.above else f"from {low} to {high}"


class OneOf:
    """One of several values."""

    def __init__(self, *values: Any) -> None:
        self.values = values

    def check(self, name: str, value: Any) -> None:
        """Raise ``ConfigurationError`` unless the value is one of them."""
        if isinstance(value, bool) or value not in self.values:
            raise ConfigurationError(f"{name} is {value!r}; expected one of {', '.join(map(str, self.values))}")


READS, ALIKE, OUTPUT = "What it reads", "What counts as similar", "Output"
LARGE, EXPERT = "Large collections", "Expert"  # titles of the groups of options in the help of a command


@dataclass(frozen=True, slots=True)
class Option:
    """How the command line offers a field; a field without one is a keyword of Python only."""

    help: str  # what it is for; range and default are added
    group: str = ALIKE  # its title in the help
    flag: str | None = None  # its long name; by default the name of the field
    default: str | None = None  # the default in words, for fields whose default is ``None``
    metavar: str | None = None  # what stands for its value in the help
    many: bool = False  # whether it may be given several times


def record_named(name: str) -> type:
    """The class that ``package.module:Class`` names."""
    module, _, inner = name.partition(":")
    return cast("type", getattr(import_module(module), inner))


@cache
def limits_of(kind: type) -> Mapping[str, Range | OneOf]:
    """Return the limit of each field of a data class that is annotated with one, in the order of the fields."""
    hints = get_type_hints(kind, include_extras=True)
    annotated = ((field.name, getattr(hints[field.name], "__metadata__", ())) for field in fields(kind))
    return {name: limit for name, found in annotated for limit in found if isinstance(limit, Range | OneOf)}


def check_limits(record: object) -> None:
    """Check every field of a data class that has a limit or a boolean default.

    ``None`` passes if the field's type allows it. Numbers of other libraries, such as ``numpy.int64``, are replaced by
    those of Python, because they end up in JSON, checksums and databases.
    """
    kind: Any = type(record)
    optional = _optional(kind)
    for name in _fields(kind):
        value = getattr(record, name)
        if type(value) is not type(own := own_number(value)):
            object.__setattr__(record, name, own)
    for name, limit in limits_of(kind).items():
        value = getattr(record, name)
        if value is not None or name not in optional:
            limit.check(name, value)
    for name in _switches(kind):
        if not isinstance(getattr(record, name), bool):
            raise ConfigurationError(f"{name} is {getattr(record, name)!r}; expected true or false")


def check_path(name: str, value: object) -> None:
    """Check an argument that names a file, and is not the rows themselves."""
    if not isinstance(value, str | PathLike):
        raise ConfigurationError(f"{name} is of type {type(value).__name__}; give the path of a file that holds them")


def check_record(name: str, value: object, kind: type) -> None:
    """Check an argument that takes several options as one record, or ``None``; a dict is none."""
    if value is not None and not isinstance(value, kind):
        raise ConfigurationError(
            f"{name} is of type {type(value).__name__}; give a record {kind.__name__}(...), or the options by name"
        )


def check_texts(**given: object) -> None:
    """Check arguments that are text."""
    for name, value in given.items():
        if not isinstance(value, str):
            raise ConfigurationError(f"{name} is of type {type(value).__name__}; expected a text")
        if surrogate := next((one for one in value if "\ud800" <= one <= "\udfff"), None):
            raise ConfigurationError(f"{name} has a lone surrogate {surrogate!a}; expected Unicode text")


def check_moment(name: str, value: object) -> None:
    """Check an argument that is a moment with a time zone, or ``None``."""
    if value is not None and (not isinstance(value, datetime) or value.utcoffset() is None):
        raise ConfigurationError(f"{name} is {value!r}; expected a datetime with a time zone")


def own_number(value: Any) -> Any:
    """Return a number of another library as one of Python; anything else unchanged."""
    if type(value) in (int, float, bool) or not isinstance(value, Real):
        return value
    return operator.index(value) if isinstance(value, Integral) else float(value)


@cache
def _fields(kind: type) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


@cache
def _optional(kind: type) -> frozenset[str]:
    return frozenset(name for name, hint in get_type_hints(kind).items() if type(None) in get_args(hint))


@cache
def _switches(kind: type) -> Iterable[str]:
    return tuple(field.name for field in fields(kind) if isinstance(field.default, bool))


# An object and its parameters in one word: three-plus-two:n=3, low-idf-sig:n=500:skip=the,an


_Made = TypeVar("_Made")


def make_from_notation(
    notation: str, find: Callable[[str], Callable[..., _Made]], *, reserved: tuple[str, ...] = ()
) -> _Made:
    """Create the object that a notation describes, of the data class that ``find`` gives for its name.

    A parameter that differs from its default is ``:parameter=value``; commas separate items of a list; fields that are
    ``reserved`` cannot be given.
    """
    name, *parts = notation.split(":")
    kind = find(name)
    defaults = {field.name: field.default for field in fields(kind)}  # type: ignore[arg-type]
    parameters: dict[str, Any] = {}
    for part in parts:
        parameter, equals, value = part.partition("=")
        if not (parameter and equals):
            raise ConfigurationError(f"{notation!r}: {part!r} is not a parameter; expected {name}:parameter=value")
        parameters[parameter] = _value(value, defaults.get(parameter))
    return make_with_parameters(name, kind, parameters, reserved=reserved)


def make_with_parameters(
    name: str, kind: Callable[..., _Made], parameters: Mapping[str, Any], *, reserved: tuple[str, ...] = ()
) -> _Made:
    """Create an instance of a data class with some parameters; the others keep their defaults."""
    known = [field.name for field in fields(kind) if field.name not in reserved]  # type: ignore[arg-type]
    unknown = [parameter for parameter in parameters if parameter not in known]
    if unknown:
        raise ConfigurationError(f"{name} has no parameter {unknown[0]!r}; it has {', '.join(known) or 'none'}")
    return kind(**parameters)


def _value(text: str, default: Any) -> Any:
    if isinstance(default, tuple):
        return tuple(filter(None, text.split(",")))
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


# Several names, as people give them. A string is a sequence too, but of letters


def names_in(given: str | Iterable[str]) -> tuple[str, ...]:
    """Return the names in a sequence, or in one string with commas between them, as on the command line.

    Example:
        >>> names_in("copy, retold"), names_in(["copy", "retold"]), names_in("copy")
        (('copy', 'retold'), ('copy', 'retold'), ('copy',))
    """
    return tuple(name.strip() for name in given.split(",")) if isinstance(given, str) else tuple(given)


def one_or_several(given: str | Iterable[str]) -> tuple[str, ...]:
    """Return one name or several that may themselves contain commas, such as names of sources.

    Example:
        >>> one_or_several("Reuters, Kyiv"), one_or_several(["a.ua", "b.ua"])
        (('Reuters, Kyiv',), ('a.ua', 'b.ua'))
    """
    return (given,) if isinstance(given, str) else tuple(given)
