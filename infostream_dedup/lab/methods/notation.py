"""A method and its parameters in one word: ``three-plus-two:n=3``, ``shingles:w=5:measure=containment``.

Example:
    >>> written("three-plus-two:n=3").as_dict()["n"]
    3
    >>> written("lex-rand").as_dict()["method"]
    'lex-rand'
"""

from __future__ import annotations

from infostream_dedup.lab.methods.method import Method
from infostream_dedup.lab.methods.registry import method_class
from infostream_dedup.model.notation import make_from_notation

__all__ = ["written"]


def written(notation: str) -> Method:
    """Return the method that a notation describes.

    Args:
        notation: a name, then ``:parameter=value`` for each parameter that differs from its default.

    Raises:
        ConfigurationError: the method or a parameter is unknown, a value is out of range, or a part has no ``=``.
    """
    return make_from_notation(notation, method_class)
