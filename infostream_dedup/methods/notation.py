"""A method and its parameters in one word: ``three-plus-two:n=3``, ``shingles:w=5:measure=containment``.

Example:
    >>> written("three-plus-two:n=3").as_dict()["n"]
    3
    >>> written("lex-rand").as_dict()["method"]
    'lex-rand'
"""

from __future__ import annotations

from typing import Any

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.methods.method import Method
from infostream_dedup.methods.registry import method

__all__ = ["written"]


def written(notation: str) -> Method:
    """Return the method that a notation describes.

    Args:
        notation: a name, then ``:parameter=value`` for each parameter that differs from its default.

    Raises:
        ConfigurationError: the method or a parameter is unknown, a value is out of its range, or a part has no ``=``.
    """
    name, *parts = notation.split(":")
    parameters: dict[str, Any] = {}
    for part in parts:
        parameter, equals, value = part.partition("=")
        if not (parameter and equals):
            raise ConfigurationError(f"{notation!r}: {part!r} is not a parameter; expected {name}:parameter=value")
        parameters[parameter] = _parse_value(value)
    return method(name, **parameters)


def _parse_value(text: str) -> bool | int | float | str:
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
