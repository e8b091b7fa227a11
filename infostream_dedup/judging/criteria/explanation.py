"""Explanations of a classifier's decisions: the contribution of each criterion, in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from infostream_dedup.judging.criteria.classifier import Classifier
from infostream_dedup.judging.criteria.criterion import CRITERIA

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Reason", "in_words", "reasons"]

_SHOWN: Final = 0.005
_MOST: Final = 5


@dataclass(frozen=True, slots=True)
class Reason:
    """Contribution of one criterion to the decision on i against j.

    Attributes:
        criterion: name of the criterion.
        value: its value, ``None`` if unknown.
        contribution: what it adds to the decision value; positive means "i repeats j".
        says: the value in words.
    """

    criterion: str
    value: float | None
    contribution: float
    says: str

    @property
    def verdict(self) -> str:
        """``for``, ``against`` or ``neither`` (a negligible contribution)."""
        if abs(self.contribution) < _SHOWN:
            return "neither"
        return "for" if self.contribution > 0 else "against"

    def as_dict(self) -> dict[str, Any]:
        """Return plain values for a row of output."""
        # Adding 0 turns minus zero into zero.
        value = None if self.value is None else round(self.value, 6) + 0.0
        return {
            "criterion": self.criterion,
            "value": value,
            "contribution": round(self.contribution, 6) + 0.0,
            "says": self.says,
            "verdict": self.verdict,
        }


def reasons(classifier: Classifier, vector: NDArray[np.float64], *, later: bool = True) -> list[Reason]:
    """Explain the decision on one directed pair by criteria, the greatest contribution first.

    The contributions and the bias of the plane add up to the decision value.

    Args:
        classifier: the classifier.
        vector: float64 (criteria,), from ``Classifier.vectors``.
        later: whether i is the later document of the pair.
    """
    plane = classifier.later if later else classifier.earlier
    contributions = plane.contributions(vector[None, :])[0].tolist()
    found = [
        Reason(name, None if np.isnan(value) else value, contribution, _says(name, value))
        for name, value, contribution in zip(classifier.criteria, vector.tolist(), contributions, strict=True)
    ]
    return sorted(found, key=lambda reason: (-abs(reason.contribution), reason.criterion))


def in_words(found: list[Reason]) -> str:
    """Put the reasons with the greatest contributions into one line.

    Example:
        >>> in_words([Reason("numbers", 1.0, -1.2, "numbers differ"), Reason("site", 1.0, 0.3, "two sites")])
        'numbers differ: against (-1.20); two sites: for (+0.30)'
    """
    listed = [reason for reason in found if reason.verdict != "neither"][:_MOST]
    return "; ".join(f"{reason.says}: {reason.verdict} ({reason.contribution:+.2f})" for reason in listed)


def _says(name: str, value: float) -> str:
    if np.isnan(value):
        return f"{name.replace('_', ' ')} unknown"
    return CRITERIA[name].say(value)
