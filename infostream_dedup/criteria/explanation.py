"""Why a classifier decided as it did: what each criterion said, in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from infostream_dedup.criteria.classifier import Classifier

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Reason", "in_words", "reasons"]

_SAME: Final = 0.1
_OTHER: Final = 0.6
_SHOWN: Final = 0.005
_MOST: Final = 5
_DAY: Final = 24.0


@dataclass(frozen=True, slots=True)
class Reason:
    """What one criterion said of i against j.

    Attributes:
        criterion: name.
        value: of the criterion, ``None`` where it cannot be told.
        contribution: to the decision value; positive speaks for "i repeats j".
        says: the value in words.
    """

    criterion: str
    value: float | None
    contribution: float
    says: str

    @property
    def verdict(self) -> str:
        """``for``, ``against`` or ``neither``; next to nothing is neither."""
        if abs(self.contribution) < _SHOWN:
            return "neither"
        return "for" if self.contribution > 0 else "against"

    def as_dict(self) -> dict[str, Any]:
        """For a row of output."""
        # Adding 0 turns minus zero into zero.
        value = None if self.value is None else round(self.value, 6) + 0.0
        return {
            "criterion": self.criterion,
            "value": value,
            "contribution": round(self.contribution, 6) + 0.0,
            "says": self.says,
            "verdict": self.verdict,
        }


def reasons(classifier: Classifier, vector: NDArray[np.float64]) -> list[Reason]:
    """What each criterion said of one directed pair, the weightiest first.

    The contributions and the bias of the plane add up to the decision value.

    Args:
        classifier: that decides.
        vector: float64 (criteria,), from ``Classifier.vectors``.
    """
    contributions = classifier.plane.contributions(vector[None, :])[0].tolist()
    found = [
        Reason(name, None if np.isnan(value) else value, contribution, _says(name, value))
        for name, value, contribution in zip(classifier.criteria, vector.tolist(), contributions, strict=True)
    ]
    return sorted(found, key=lambda reason: (-abs(reason.contribution), reason.criterion))


def in_words(found: list[Reason], *, most: int = _MOST) -> str:
    """The weightiest reasons in one line.

    Example:
        >>> in_words([Reason("numbers", 1.0, -1.2, "numbers differ"), Reason("site", 1.0, 0.3, "two sites")])
        'numbers differ: against (-1.20); two sites: for (+0.30)'
    """
    told = [reason for reason in found if reason.verdict != "neither"][:most]
    return "; ".join(f"{reason.says}: {reason.verdict} ({reason.contribution:+.2f})" for reason in told)


def _says(name: str, value: float) -> str:
    if np.isnan(value):
        return f"{name.replace('_', ' ')} unknown"
    return _WORDS[name](value)


def _share(what: str, verb: str) -> Callable[[float], str]:
    def say(value: float) -> str:
        if value <= _SAME:
            return f"same {what}"
        return f"{what} {verb}" if value >= _OTHER else f"{what} {verb} in part"

    return say


def _more(what: str) -> Callable[[float], str]:
    def say(value: float) -> str:
        if value == 0:
            return f"as many {what}"
        return f"{'more' if value > 0 else 'fewer'} {what}"

    return say


def _signed(less: str, equal: str, more: str) -> Callable[[float], str]:
    return lambda value: equal if value == 0 else more if value > 0 else less


def _apart(value: float) -> str:
    hours = float(np.expm1(value))
    return f"{hours / _DAY:.0f} days apart" if hours >= 2 * _DAY else f"{hours:.0f} hours apart"


_WORDS: Final[Mapping[str, Callable[[float], str]]] = MappingProxyType(
    {
        "words": _share("words", "differ"),
        "title": _share("title", "differs"),
        "sentences": _share("sentences", "differ"),
        "paragraphs": _share("paragraphs", "differ"),
        "numbers": _share("numbers", "differ"),
        "number_order": _share("order of numbers", "differs"),
        "images": _more("pictures"),
        "links": _more("links"),
        "time": _signed("published earlier", "published at one time", "published later"),
        "time_apart": _apart,
        "source": _signed("source of less authority", "sources of equal authority", "source of more authority"),
        "site": lambda value: "two sites" if value else "one site",
        "edition": lambda value: f"another edition of one site, {_apart(value)}" if value else "no other edition",
        "key_terms": _share("key terms", "differ"),
    }
)
