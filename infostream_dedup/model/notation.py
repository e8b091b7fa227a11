"""Notation for an object and its parameters in one word: ``three-plus-two:n=3``, ``low-idf-sig:n=500:skip=the,an``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from typing import Any, TypeVar

from infostream_dedup.errors import ConfigurationError

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
