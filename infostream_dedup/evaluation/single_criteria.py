"""How well a single criterion separates duplicates from other pairs: the baseline for the whole vector."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.criteria.criterion import CRITERIA
from infostream_dedup.criteria.differences import differences
from infostream_dedup.criteria.document_models import DocumentModels

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["RULES", "CriterionScore", "best_threshold", "pair_values", "single_criteria"]

RULES: Final = ("both", "either")
"""A pair is found if both directions are at most the threshold, or if either is."""


@dataclass(frozen=True, slots=True)
class CriterionScore:
    """The best result of one criterion on judged pairs, with the threshold chosen on these same pairs.

    Attributes:
        name: name of the criterion, one of ``CRITERIA``.
        rule: one of ``RULES``.
        threshold: maximum value of a duplicate; NaN if no threshold finds one.
        tp: number of duplicates found.
        fp: number of other pairs found.
        fn: number of duplicates not found.
    """

    name: str
    rule: str
    threshold: float
    tp: int
    fp: int
    fn: int

    @property
    def precision(self) -> float:
        """Share tp / (tp + fp), 0 to 1; 0 if nothing is found."""
        return self.tp / max(self.tp + self.fp, 1)

    @property
    def recall(self) -> float:
        """Share tp / (tp + fn), 0 to 1; 0 without duplicates."""
        return self.tp / max(self.tp + self.fn, 1)

    @property
    def f1(self) -> float:
        """Harmonic mean of both, 0 to 1."""
        return 2 * self.tp / max(2 * self.tp + self.fp + self.fn, 1)


def single_criteria(
    models: DocumentModels,
    i: NDArray[np.int64],
    j: NDArray[np.int64],
    positive: NDArray[np.bool_],
    *,
    criteria: Sequence[str] | None = None,
    authority: NDArray[np.float64] | None = None,
) -> list[CriterionScore]:
    """Evaluate each criterion at the threshold and rule with the highest F1.

    Args:
        models: document models of the collection.
        i: int64 (pairs,), ordinals of the first documents of judged pairs.
        j: int64 (pairs,), ordinals of the second documents.
        positive: bool (pairs,), whether the pair is a duplicate.
        criteria: names of ``CRITERIA``; by default all that do not combine others.
        authority: float64 (documents,); by default unknown, so that ``source`` finds nothing.

    Returns:
        One for each criterion, in the order given; with rule ``both`` if the two rules do equally well.
    """
    names = criteria or [name for name, one in CRITERIA.items() if not one.combined]
    known = None if authority is None else (authority[i], authority[j])
    forward, backward = differences(models, i, j, names, known)
    found = []
    for column, name in enumerate(names):
        by_rule = []
        for rule in RULES:
            values = pair_values(forward[:, column], backward[:, column], rule)
            by_rule.append(CriterionScore(name, rule, *best_threshold(values, positive)))
        found.append(max(by_rule, key=lambda score: score.f1))
    return found


def pair_values(forward: NDArray[np.float64], backward: NDArray[np.float64], rule: str) -> NDArray[np.float64]:
    """Return one value for each unordered pair: the larger difference (``both``) or the smaller one (``either``).

    Signed differences (times, counts, authority) count by their absolute value. NaN stays NaN.
    """
    one, other = np.abs(forward), np.abs(backward)
    return np.maximum(one, other) if rule == "both" else np.minimum(one, other)


def best_threshold(values: NDArray[np.float64], positive: NDArray[np.bool_]) -> tuple[float, int, int, int]:
    """Return the threshold with the highest F1, the smallest if there are several.

    Args:
        values: float64 (pairs,); a pair is found if its value is at most the threshold, and never if it is NaN.
        positive: bool (pairs,), whether the pair is a duplicate.

    Returns:
        Threshold (NaN if no threshold finds a duplicate), tp, fp, fn.

    Example:
        >>> best_threshold(np.array([0.1, 0.2, 0.3, 0.9]), np.array([True, False, True, False]))
        (0.3, 2, 1, 0)
    """
    duplicates = int(positive.sum())
    known = np.flatnonzero(~np.isnan(values))
    order = known[np.argsort(values[known], kind="stable")]
    ascending = values[order]
    tp = np.cumsum(positive[order])
    found = np.arange(1, len(order) + 1)
    f1 = 2 * tp / (found + max(duplicates, 1))
    # A threshold finds all pairs of the same value or none of them.
    f1[:-1][ascending[1:] == ascending[:-1]] = -1
    if not len(f1) or f1.max() <= 0:
        return float("nan"), 0, 0, duplicates
    best = int(np.argmax(f1))
    return float(ascending[best]), int(tp[best]), int(found[best] - tp[best]), duplicates - int(tp[best])
