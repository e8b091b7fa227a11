"""Estimates duplicates without labels: a mixture of two classes, fitted by EM.

A candidate pair is compared in six fields, each of which falls into one of eight levels. The pairs are modelled as a
mixture of two classes within which the fields are independent: pairs of the same text, possibly reworded, and all
others (Fellegi and Sunter, JASA 64, 1969; fitted by EM: Winkler, ASA Survey Research Methods, 1988). The result is a
table of m and u, the shares of each level in the two classes, and a probability for every pair.

If a collection has only one topic, or is a stream, the two classes that fit best are topics, not texts. A fit is
therefore used only if ``duplicate_scores`` finds no sign of that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from infostream_dedup.judging.evidence.kernels.comparing import COLUMNS

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "CUTS",
    "FIELDS",
    "LEVELS",
    "MixtureFit",
    "are_refilled",
    "are_worded",
    "fit_mixture",
    "levels_of",
    "patterns_of",
]

FIELDS: Final = ("wording", "numbers", "names", "opening_most", "opening_least", "share30")
"""Square root of wording (larger direction); numbers (larger); names (smaller); the lead in the other text (larger,
smaller); weight of 30 key terms in the other text (smaller)."""

CUTS: Final = (0.12, 0.25, 0.40, 0.55, 0.70, 0.85)

LEVELS: Final = len(CUTS) + 2
"""Level 0 means that a field cannot be compared; levels 1 to 7 are separated by the cuts."""

_ROUNDS: Final = 80
_ADDED: Final = 0.5
"""Added to the count of each level."""
_FEWEST: Final = 2
"""Minimum number of numbers or names that each document needs for this field to be compared."""
_WORDED: Final = 1 + CUTS.index(0.55) + 1
"""First level of wording with three tenths shared: the field is a square root."""
_OTHER_NUMBERS: Final = 1 + CUTS.index(0.40)
"""Last level of numbers with less than two fifths shared."""
_STEEPEST: Final = 30.0
_LEAST_START: Final = 0.02


@dataclass(frozen=True, slots=True)
class MixtureFit:
    """The two fitted classes.

    Attributes:
        prior: share of the copy class.
        m: float64 (fields, levels), share of each level in the copy class.
        u: float64 (fields, levels), share of each level among other pairs.
    """

    prior: float
    m: NDArray[np.float64]
    u: NDArray[np.float64]

    def probabilities(self, levels: NDArray[np.int8]) -> NDArray[np.float64]:
        """Probability of the copy class: float64 (pairs,).

        Args:
            levels: int8 (pairs, fields).
        """
        z = np.full(len(levels), np.log(self.prior + 1e-9) - np.log(1.0 - self.prior + 1e-9))
        weights = np.log(self.m) - np.log(self.u)
        for place in range(len(FIELDS)):
            z += weights[place][levels[:, place]]
        return np.asarray(1.0 / (1.0 + np.exp(-np.clip(z, -_STEEPEST, _STEEPEST))))

    @property
    def unworded(self) -> float:
        """Share of the copy class on the lowest level of wording: "copies" that share none."""
        return float(self.m[0, 1])

    def as_dict(self) -> dict[str, Any]:
        """Return the prior, and m and u of each level of each field; the first level is "not comparable"."""
        return {
            "prior": round(self.prior, 6),
            "cuts": list(CUTS),
            "fields": {
                field: {"m": np.round(self.m[place], 6).tolist(), "u": np.round(self.u[place], 6).tolist()}
                for place, field in enumerate(FIELDS)
            },
        }


def levels_of(evidence: NDArray[np.float64]) -> NDArray[np.int8]:
    """Levels of pairs: int8 (pairs, fields).

    Args:
        evidence: float64 (pairs, COLUMNS).
    """

    def both(name: str) -> NDArray[np.float64]:
        return evidence[:, [COLUMNS.index(f"{name}_forward"), COLUMNS.index(f"{name}_backward")]]

    def known(values: NDArray[np.float64], least: str) -> NDArray[np.float64]:
        return np.where(evidence[:, COLUMNS.index(least)] >= _FEWEST, values, -1.0)

    opening = both("opening")
    values = (
        np.sqrt(both("wording").max(axis=1)),
        known(both("numbers").max(axis=1), "numbers_least"),
        known(both("names").min(axis=1), "names_least"),
        opening.max(axis=1),
        opening.min(axis=1),
        both("share30").min(axis=1),
    )
    edges = np.array([0.0, *CUTS])
    return np.stack([np.searchsorted(edges, np.round(one, 9), side="right") for one in values], axis=1).astype(np.int8)


def are_refilled(levels: NDArray[np.int8]) -> NDArray[np.bool_]:
    """Whether pairs look like one template filled in twice, with common wording but other numbers: bool (pairs,).

    Args:
        levels: int8 (pairs, fields).
    """
    numbers = levels[:, FIELDS.index("numbers")]
    return are_worded(levels) & (numbers > 0) & (numbers <= _OTHER_NUMBERS)


def are_worded(levels: NDArray[np.int8]) -> NDArray[np.bool_]:
    """Whether pairs have three tenths of their wording in common: bool (pairs,).

    Args:
        levels: int8 (pairs, fields).
    """
    return np.asarray(levels[:, FIELDS.index("wording")] >= _WORDED, dtype=np.bool_)


def patterns_of(levels: NDArray[np.int8]) -> tuple[NDArray[np.int8], NDArray[np.int64]]:
    """Distinct rows of levels, and the index of each pair's row: int8 (patterns, fields), int64 (pairs,)."""
    codes = levels.astype(np.int64) @ (LEVELS ** np.arange(len(FIELDS)))
    _, first, which = np.unique(codes, return_index=True, return_inverse=True)
    return levels[first], which.astype(np.int64)


def fit_mixture(
    patterns: NDArray[np.int8],
    weights: NDArray[np.float64],
    start: NDArray[np.float64],
    *,
    rounds: int = _ROUNDS,
) -> MixtureFit:
    """Fit the two classes.

    Args:
        patterns: int8 (patterns, fields), distinct rows of levels.
        weights: float64 (patterns,), number of pairs with each pattern.
        start: float64 (patterns,), initial mean probability of the pairs with each pattern, 0 to 1.
        rounds: rounds of EM, at least 1.
    """
    held = _incidence(patterns)
    everything = weights @ held
    probability = np.clip(start, _LEAST_START, 1.0 - _LEAST_START)
    for _ in range(rounds):
        fit = _maximised(held, weights, everything, probability)
        probability = fit.probabilities(patterns)
    return _maximised(held, weights, everything, probability)


def _maximised(
    held: NDArray[np.float64],
    weights: NDArray[np.float64],
    everything: NDArray[np.float64],
    probability: NDArray[np.float64],
) -> MixtureFit:
    shape = (len(FIELDS), LEVELS)
    inside = (weights * probability) @ held
    m, u = inside.reshape(shape) + _ADDED, (everything - inside).reshape(shape) + _ADDED
    prior = float((weights * probability).sum() / weights.sum())
    return MixtureFit(prior, m / m.sum(axis=1, keepdims=True), u / u.sum(axis=1, keepdims=True))


def _incidence(patterns: NDArray[np.int8]) -> NDArray[np.float64]:
    """float64 (patterns, fields * levels), 1 if a pattern has the level."""
    held = np.zeros((len(patterns), len(FIELDS) * LEVELS), dtype=np.float64)
    held[np.arange(len(patterns))[:, None], patterns + LEVELS * np.arange(len(FIELDS))] = 1.0
    return held
