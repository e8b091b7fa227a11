"""The sentence features by name, and in one word with their parameters: ``low-idf-sig:n=500:c=2``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any, Final

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.passages.exact import Exact
from infostream_dedup.passages.feature import SentenceFeature
from infostream_dedup.passages.i_match import IMatch
from infostream_dedup.passages.low_idf_sig import LowIdfSig
from infostream_dedup.passages.shingles import Shingles
from infostream_dedup.passages.spotsigs import SpotSigs

__all__ = ["FEATURES", "sentence_feature"]

FEATURES: Final[dict[str, Callable[..., SentenceFeature]]] = {
    "low-idf-sig": LowIdfSig,
    "spotsigs": SpotSigs,
    "i-match": IMatch,
    "shingles": Shingles,
    "exact": Exact,
}


def sentence_feature(notation: str) -> SentenceFeature:
    """The feature that a word names.

    Args:
        notation: a name, then ``:parameter=value`` for each parameter that is not to keep its default; several words
            are separated by commas.

    Raises:
        ConfigurationError: there is no such feature or parameter, or a value is no number or out of its range.

    Example:
        >>> sentence_feature("low-idf-sig:n=10:skip=the,an").skip
        ('the', 'an')
    """
    name, *parts = notation.split(":")
    if name not in FEATURES:
        raise ConfigurationError(f"feature is {name!r}; expected one of {', '.join(FEATURES)}")
    default: Any = FEATURES[name]()
    # The threshold is an option of its own: `tau`.
    known = {field.name: getattr(default, field.name) for field in fields(default) if field.name != "tau"}
    given: dict[str, Any] = {}
    for part in parts:
        parameter, _, value = part.partition("=")
        if parameter not in known:
            some = ", ".join(known) or "none"
            raise ConfigurationError(f"{notation!r}: {parameter!r} is no parameter of {name}; it has {some}")
        given[parameter] = _value(parameter, type(known[parameter]), value)
    return FEATURES[name](**given)


def _value(parameter: str, kind: type, text: str) -> Any:
    """A value of the type that the parameter has by default."""
    if kind is tuple:
        return tuple(filter(None, text.split(",")))
    try:
        return kind(text)
    except ValueError:
        what = "a whole number" if kind is int else "a number"
        raise ConfigurationError(f"{parameter} is {text!r}; expected {what}") from None
