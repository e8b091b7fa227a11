"""All methods by name: a file in this folder, or a class in one of its files, registers itself and is found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeVar

from infostream_dedup.lab.methods.method import Method
from infostream_dedup.machine.registry import Registry
from infostream_dedup.model.notation import make_from_notation, make_with_parameters

if TYPE_CHECKING:
    from collections.abc import Callable

POOL_METHODS: Final = tuple(
    "md5 tf tf-idf tf-ridf long-sent heavy-sent megashingles lex-rand log-shingles descr-words opt-freq".split()
)
"""A0 to A10."""

_ORDER: Final = (
    *POOL_METHODS,
    *(
        "decomposition three-plus-five three-plus-two i-match spotsigs low-idf-sig shingles dsc dsc-ss "
        "simhash minhash tf-idf-cosine key-terms-stem key-terms-morph key-terms-pivot checksum "
        "first-paragraph pair-model"
    ).split(),
)
"""Order of methods in tables; methods not listed here follow by name."""

METHODS: Final[Registry[type[Method]]] = Registry("infostream_dedup.lab.methods", "method")

_Class = TypeVar("_Class", bound=type[Method])


def register(name: str) -> Callable[[_Class], _Class]:
    """Make a class decorator that names a method and registers it."""

    def name_class(found: _Class) -> _Class:
        found.name = name
        METHODS.add(name, found, order=_ORDER.index(name) if name in _ORDER else len(_ORDER))
        return found

    return name_class


def methods() -> list[str]:
    """Return the names of all methods, in the order used for tables."""
    return list(METHODS)


def method_class(name: str) -> type[Method]:
    """Return the class of a method; its docstring names the parameters."""
    return METHODS.get_known(name)


def method(name: str, **parameters: Any) -> Method:
    """Create a method; parameters not given keep their defaults."""
    return make_with_parameters(name, method_class(name), parameters)


def written(notation: str) -> Method:
    """Return the method that a notation describes."""
    return make_from_notation(notation, method_class)
