"""Why a classifier decided as it did: what each criterion said, in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from infostream_dedup.criteria.classifier import Classifier
from infostream_dedup.criteria.criterion import CRITERIA

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Reason", "in_words", "reasons"]

_SHOWN: Final = 0.005
_MOST: Final = 5


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
    return CRITERIA[name].say(value)
