"""Precision, recall and F1 of predicted pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.lab.evaluation.predictions import Predictions
from infostream_dedup.lab.evaluation.truth import FALSE, TRUE

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Scores", "scores"]


@dataclass(frozen=True, slots=True)
class Scores:
    """Agreement of predicted pairs with the truth.

    Attributes:
        tp: number of true pairs that are predicted.
        fp: number of false pairs that are predicted.
        fn: number of true pairs that are not predicted.
        linked: number of pairs that are predicted, those among them that are not counted included.
    """

    tp: int
    fp: int
    fn: int
    linked: int

    @property
    def judged(self) -> int:
        """Number of predicted pairs that are true or false, tp + fp: the pairs on which precision is computed."""
        return self.tp + self.fp

    @property
    def precision(self) -> float | None:
        """Share tp / (tp + fp), 0 to 1; ``None`` if no counted pair is predicted."""
        return _ratio(self.tp, self.judged)

    @property
    def recall(self) -> float | None:
        """Share tp / (tp + fn), 0 to 1; ``None`` if no pair is true."""
        return _ratio(self.tp, self.tp + self.fn)

    @property
    def f1(self) -> float | None:
        """Harmonic mean of both, 2 tp / (2 tp + fp + fn), 0 to 1; ``None`` if no pair is true or predicted."""
        return _ratio(2 * self.tp, 2 * self.tp + self.fp + self.fn)


def scores(
    predictions: Predictions, verdicts: NDArray[np.int8], positives: int, in_scope: NDArray[np.bool_]
) -> list[Scores]:
    """Score every step of the threshold.

    Args:
        predictions: pairs and the grades up to which they are predicted.
        verdicts: int8 (pairs,), ``Truth.judge(predictions.codes)``.
        positives: total number of true pairs.
        in_scope: bool (pairs,), ``Truth.in_scope(predictions.codes)``.

    Returns:
        One for each of ``predictions.steps``.
    """
    steps = len(predictions.steps)
    tp = _count_at_least(predictions.grades[verdicts == TRUE], steps).tolist()
    fp = _count_at_least(predictions.grades[verdicts == FALSE], steps).tolist()
    linked = _count_at_least(predictions.grades[in_scope], steps).tolist()
    return [Scores(true, false, positives - true, every) for true, false, every in zip(tp, fp, linked, strict=True)]


def _count_at_least(grades: NDArray[np.uint8], steps: int) -> NDArray[np.int64]:
    """Return int64 (steps,), the number of grades that are at least 1, at least 2, ..."""
    return np.cumsum(np.bincount(grades, minlength=steps + 1)[::-1])[::-1][1:]


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None
