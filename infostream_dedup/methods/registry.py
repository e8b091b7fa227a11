"""All methods by name. A method registers itself: put a file into this folder and it is found."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable
from dataclasses import fields
from functools import cache
from importlib import import_module
from typing import Any, Final, TypeVar

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.methods.method import Method

__all__ = ["method", "method_class", "methods", "register"]

_ORDER: Final = (
    "md5",
    "tf",
    "tf-idf",
    "tf-ridf",
    "long-sent",
    "heavy-sent",
    "megashingles",
    "lex-rand",
    "log-shingles",
    "descr-words",
    "opt-freq",
    "decomposition",
    "three-plus-five",
    "three-plus-two",
    "i-match",
    "spotsigs",
    "low-idf-sig",
    "shingles",
    "dsc",
    "dsc-ss",
    "simhash",
    "minhash",
    "tf-idf-cosine",
    "key-terms-stem",
    "key-terms-morph",
    "key-terms-pivot",
    "checksum",
    "first-paragraph",
)
"""Order of methods in tables; methods not listed here follow by name."""

_REGISTERED: Final[dict[str, type[Method]]] = {}

_Class = TypeVar("_Class", bound=type[Method])


def register(name: str) -> Callable[[_Class], _Class]:
    """Make a class decorator that names a method and registers it.

    Raises:
        ValueError: the name is already taken.
    """

    def add(found: _Class) -> _Class:
        if name in _REGISTERED:
            raise ValueError(f"the method {name} is registered twice: {_REGISTERED[name]} and {found}")
        found.name = name
        _REGISTERED[name] = found
        return found

    return add


def methods() -> list[str]:
    """Return the names of all methods, in the order used for tables."""
    found = _load_all()
    known = [name for name in _ORDER if name in found]
    return [*known, *sorted(set(found) - set(known))]


def method_class(name: str) -> type[Method]:
    """Return the class of a method; its docstring names the parameters.

    Raises:
        ConfigurationError: the method is unknown.
    """
    found = _load_all()
    if name not in found:
        raise ConfigurationError(f"method is {name!r}; expected one of {', '.join(methods())}")
    return found[name]


def method(name: str, **parameters: Any) -> Method:
    """Create a method; parameters not given keep their defaults.

    Raises:
        ConfigurationError: the method or a parameter is unknown, or a value is out of its range.

    Example:
        >>> method("tf", words=5).as_dict()
        {'method': 'tf', 'words': 5, 'bits': 32}
    """
    chosen = method_class(name)
    known = [field.name for field in fields(chosen)]
    unknown = [parameter for parameter in parameters if parameter not in known]
    if unknown:
        raise ConfigurationError(f"{name} has no parameter {unknown[0]!r}; it has {', '.join(known) or 'none'}")
    return chosen(**parameters)


@cache
def _load_all() -> dict[str, type[Method]]:
    folder = import_module("infostream_dedup.methods")
    for module in sorted(found.name for found in pkgutil.iter_modules(folder.__path__)):
        import_module(f"infostream_dedup.methods.{module}")
    return dict(_REGISTERED)
