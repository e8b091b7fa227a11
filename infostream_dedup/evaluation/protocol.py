"""The labelled protocol on one set of predictions: a row for every step, the best one, the recommended one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.evaluation.bootstrap import Intervals, intervals
from infostream_dedup.evaluation.predictions import Predictions
from infostream_dedup.evaluation.scores import Scores, scores
from infostream_dedup.evaluation.truth import Truth

if TYPE_CHECKING:
    from infostream_dedup.corpus import ReadingReport

__all__ = ["REFUSAL_K", "Evaluation", "StepScores", "evaluate"]

REFUSAL_K: Final = 6
"""A refusal to recommend is judged as this k, the paper's own."""

_SAME_STEP = 1e-9


@dataclass(frozen=True, slots=True)
class StepScores:
    """Figures at one step of the threshold.

    Attributes:
        step: the k or threshold.
        step_name: which of the two.
        scores: counts, precision, recall, F1.
        intervals: 95 % intervals of the last three.
        refused: this row stands for a refusal to recommend.
    """

    step: float
    step_name: str
    scores: Scores
    intervals: Intervals
    refused: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Plain values under the names of the command ``evaluate``; ``low`` and ``high`` bound F1."""
        low, high = self.intervals.f1 or (None, None)
        row: dict[str, Any] = {
            self.step_name: self.step,
            "tp": self.scores.tp,
            "fp": self.scores.fp,
            "fn": self.scores.fn,
            "precision": self.scores.precision,
            "recall": self.scores.recall,
            "f1": self.scores.f1,
            "low": low,
            "high": high,
        }
        return row | {"refused": True} if self.refused else row


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What an evaluation found.

    Attributes:
        rows: one for each step, ascending.
        best: the row of the highest F1, of equal ones the first; ``None`` when F1 is defined nowhere.
        recommended: the row of the recommended step.
        report: what was read; None where no documents were.
    """

    rows: list[StepScores]
    best: StepScores | None
    recommended: StepScores
    report: ReadingReport | None = None

    @property
    def share_of_best(self) -> float | None:
        """F1 of the recommended row over F1 of the best, 0 to 1; ``None`` where it is undefined."""
        best = self.best.scores.f1 if self.best is not None else None
        mine = self.recommended.scores.f1
        return mine / best if best and mine is not None else None

    def as_dict(self) -> dict[str, Any]:
        """Plain values as the command ``evaluate`` prints them."""
        return {
            "rows": [row.as_dict() for row in self.rows],
            "best": self.best.as_dict() if self.best is not None else {},
            "recommended": self.recommended.as_dict(),
        }


def evaluate(
    predictions: Predictions, truth: Truth, *, recommended: float | None, resamples: int = 1000, seed: int = 0
) -> Evaluation:
    """Judge predictions by the truth.

    Args:
        predictions: pairs of the same collection.
        truth: what is true of its pairs.
        recommended: the step that was recommended without labels; ``None`` for a refusal, judged as k = 6 or the
            nearest k there is.
        resamples: collections drawn for the intervals, at least 1.
        seed: of that drawing.

    Raises:
        ConfigurationError: the recommended step is not among the steps, or a refusal where steps are no k.
    """
    verdicts = truth.judge(predictions.codes)
    found = scores(predictions, verdicts, len(truth.positives))
    bounds = intervals(predictions, verdicts, truth, found, resamples=resamples, seed=seed)
    rows = [
        StepScores(step, predictions.step_name, score, bound)
        for step, score, bound in zip(predictions.steps, found, bounds, strict=True)
    ]
    return Evaluation(rows, _best(rows), _recommended(rows, recommended))


def _best(rows: list[StepScores]) -> StepScores | None:
    defined = [row for row in rows if row.scores.f1 is not None]
    return max(defined, key=lambda row: row.scores.f1 or 0.0, default=None)


def _recommended(rows: list[StepScores], step: float | None) -> StepScores:
    if step is None:
        if rows[0].step_name != "k":
            raise ConfigurationError(f"a refusal is judged as a k, but the steps are a {rows[0].step_name}; name one")
        return replace(min(rows, key=lambda row: abs(row.step - REFUSAL_K)), refused=True)
    for row in rows:
        if abs(row.step - step) < _SAME_STEP:
            return row
    known = ", ".join(f"{row.step:g}" for row in rows)
    name = rows[0].step_name
    raise ConfigurationError(f"the recommended {name} is {step:g}, which was not evaluated; known are {known}")
