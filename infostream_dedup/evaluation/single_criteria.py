"""How far one criterion alone tells duplicates from the rest: what the whole vector has to surpass."""

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
"""A pair is found when both directions are at most the threshold, or when one of them is."""


@dataclass(frozen=True, slots=True)
class CriterionScore:
    """The best that one criterion does on judged pairs, its threshold being chosen on these very pairs.

    Attributes:
        name: of ``CRITERIA``.
        rule: of ``RULES``.
        threshold: pairs at or below are called duplicates; NaN where none is.
        tp: duplicates found.
        fp: other pairs found.
        fn: duplicates not found.
    """

    name: str
    rule: str
    threshold: float
    tp: int
    fp: int
    fn: int

    @property
    def precision(self) -> float:
        """Share tp / (tp + fp), 0 to 1; 0 where nothing is found."""
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
    """Every criterion at its best threshold and rule, by F1.

    Args:
        models: of the collection.
        i: int64 (pairs,), ordinals of judged pairs.
        j: int64 (pairs,), ordinals.
        positive: bool (pairs,), the pair is a duplicate.
        criteria: names of ``CRITERIA``; by default all that do not combine others.
        authority: float64 (documents,); unknown by default, and then ``source`` finds nothing.

    Returns:
        One for each criterion, in the order given; rule ``both`` where both rules do equally well.
    """
    known = np.full(len(models), np.nan) if authority is None else authority
    names = criteria or [name for name, one in CRITERIA.items() if not one.combined]
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
    """One value for each unordered pair: the larger difference (``both``) or the smaller one (``either``).

    Differences with a sign (times, counts, authority) count by their size. NaN stays NaN.
    """
    one, other = np.abs(forward), np.abs(backward)
    return np.maximum(one, other) if rule == "both" else np.minimum(one, other)


def best_threshold(values: NDArray[np.float64], positive: NDArray[np.bool_]) -> tuple[float, int, int, int]:
    """The threshold of the highest F1; of several the smallest.

    Args:
        values: float64 (pairs,); a pair is found where its value is at most the threshold, never where it is NaN.
        positive: bool (pairs,).

    Returns:
        Threshold (NaN if no threshold finds a duplicate), tp, fp, fn.

    Example:
        >>> best_threshold(np.array([0.1, 0.2, 0.3, 0.9]), np.array([True, False, True, False]))
        (0.3, 2, 1, 0)
    """
    duplicates = int(positive.sum())
    told = np.flatnonzero(~np.isnan(values))
    order = told[np.argsort(values[told], kind="stable")]
    ascending = values[order]
    tp = np.cumsum(positive[order])
    found = np.arange(1, len(order) + 1)
    f1 = 2 * tp / (found + max(duplicates, 1))
    # A threshold takes all pairs of one value or none.
    f1[:-1][ascending[1:] == ascending[:-1]] = -1
    if not len(f1) or f1.max() <= 0:
        return float("nan"), 0, 0, duplicates
    best = int(np.argmax(f1))
    return float(ascending[best]), int(tp[best]), int(found[best] - tp[best]), duplicates - int(tp[best])
