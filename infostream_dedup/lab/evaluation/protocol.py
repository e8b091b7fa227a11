"""The labelled protocol on one set of predictions: a row for each step, the best row, the recommended row."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.lab.evaluation.bootstrap import Intervals, intervals
from infostream_dedup.lab.evaluation.groups import GroupScores
from infostream_dedup.lab.evaluation.predictions import Predictions
from infostream_dedup.lab.evaluation.scores import Scores, scores
from infostream_dedup.lab.evaluation.truth import Truth
from infostream_dedup.model.tabular import Tabular

if TYPE_CHECKING:
    from infostream_dedup.documents import ReadingReport

__all__ = ["REFUSAL_K", "Evaluation", "StepScores", "evaluate"]

REFUSAL_K: Final = 6
"""The k at which a refusal to recommend is evaluated: the paper's own."""

_SAME_STEP = 1e-9


@dataclass(frozen=True, slots=True)
class StepScores:
    """Figures at one step of the threshold.

    Attributes:
        step: value of k or of the threshold.
        step_name: ``k`` or ``threshold``.
        scores: counts, precision, recall, F1.
        intervals: 95 % intervals of precision, recall and F1.
        refused: whether the row represents a refusal to recommend.
    """

    step: float
    step_name: str
    scores: Scores
    intervals: Intervals
    refused: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Return the values under the names that ``evaluate`` prints.

        ``low`` and ``high`` bound F1; of the ``linked`` pairs, ``judged`` are true or false.
        """
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
            "linked": self.scores.linked,
            "judged": self.scores.judged,
        }
        return row | {"refused": True} if self.refused else row

    def without_step(self) -> dict[str, Any]:
        """Return the same values of a method that has no threshold."""
        return {name: value for name, value in self.as_dict().items() if name != self.step_name}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Evaluation(Tabular):
    """Result of an evaluation.

    Attributes:
        rows: one row for each step, ascending.
        best: first row with the highest F1; ``None`` if F1 is above 0 nowhere.
        recommended: row of the recommended step.
        judged: scores of the pairs of preset ``judged``; ``None`` if it did not run.
        groups: scores of the groups that this preset makes; ``None`` as in ``group_scores``, or if it did not run.
        semantic: whether the preset asked the sentence encoder.
        notes: remarks for the reader of the numbers.
        report: what was read; ``None`` if no documents were read.
    """

    rows: list[StepScores]
    best: StepScores | None
    recommended: StepScores
    judged: StepScores | None = None
    groups: GroupScores | None = None
    semantic: bool = False
    notes: list[str] = field(default_factory=list)
    report: ReadingReport | None = None

    @property
    def share_of_best(self) -> float | None:
        """F1 of the recommended row divided by F1 of the best, 0 to 1; ``None`` if undefined."""
        best = self.best.scores.f1 if self.best is not None else None
        mine = self.recommended.scores.f1
        return mine / best if best and mine is not None else None

    def as_dict(self) -> dict[str, Any]:
        """Return the values as ``evaluate`` prints them."""
        return {
            "rows": [row.as_dict() for row in self.rows],
            "best": self.best.as_dict() if self.best is not None else {},
            "recommended": self.recommended.as_dict(),
            "judged": None if self.judged is None else self.judged.without_step(),
            "groups": None if self.groups is None else self.groups.as_dict(),
            **({"semantic": True} if self.semantic else {}),
        }

    def as_rows(self) -> list[dict[str, Any]]:
        """The rows, as plain dicts."""
        return [row.as_dict() for row in self.rows]


def evaluate(
    predictions: Predictions, truth: Truth, *, recommended: float | None, resamples: int = 1000, seed: int = 0
) -> Evaluation:
    """Evaluate predictions against the truth.

    Args:
        predictions: predicted pairs of a collection.
        truth: truth of the same collection.
        recommended: step recommended without labels; ``None`` for a refusal, which is evaluated at k = 6 or the
            nearest k available.
        resamples: number of collections drawn for the intervals, at least 1.
        seed: random seed of the intervals.

    Raises:
        ConfigurationError: the recommended step is not among the steps, or it is a refusal and the steps are not k.
    """
    verdicts = truth.judge(predictions.codes)
    found = scores(predictions, verdicts, len(truth.positives), truth.in_scope(predictions.codes))
    bounds = intervals(predictions, verdicts, truth, found, resamples=resamples, seed=seed)
    rows = [
        StepScores(step, predictions.step_name, score, bound)
        for step, score, bound in zip(predictions.steps, found, bounds, strict=True)
    ]
    return Evaluation(rows=rows, best=_find_best(rows), recommended=_find_recommended(rows, recommended))


def _find_best(rows: list[StepScores]) -> StepScores | None:
    # Where nothing is true, F1 is 0 at every step, and none is better than another.
    above = [row for row in rows if row.scores.f1]
    return max(above, key=lambda row: row.scores.f1 or 0.0, default=None)


def _find_recommended(rows: list[StepScores], step: float | None) -> StepScores:
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
