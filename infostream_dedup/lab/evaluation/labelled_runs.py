"""One method against labels: pairs, intervals, groups."""

from __future__ import annotations

import numpy as np

from infostream_dedup.lab.evaluation.groups import GROUP_MEASURES, group_scores
from infostream_dedup.lab.evaluation.method_runs import MethodRun
from infostream_dedup.lab.evaluation.pair_codes import both_of
from infostream_dedup.lab.evaluation.predictions import Predictions
from infostream_dedup.lab.evaluation.protocol import evaluate
from infostream_dedup.lab.evaluation.truth import Truth, number_components

__all__ = ["judged_by_labels"]


def judged_by_labels(run: MethodRun, truth: Truth, *, resamples: int = 1000) -> dict[str, float | int | None]:
    """Compute precision, recall and F1 of one method with 95 % intervals, by the rules of ``evaluate``.

    Args:
        run: result of the method.
        truth: truth of the same collection.
        resamples: number of collections drawn for the intervals.

    Returns:
        ``precision``, ``recall``, ``f1``, ``tp``, ``fp``, ``fn``, ``linked`` and ``judged`` pairs, the ends of the
        intervals (``low`` and ``high`` bound F1), and the measures of the groups that its pairs connect, which are
        ``None`` in an open world (``group_scores``).
    """
    predictions = Predictions(run.codes, np.ones(len(run.codes), dtype=np.uint8), (1,), "k")
    row = evaluate(predictions, truth, recommended=1, resamples=resamples).rows[0]
    figures: dict[str, float | int | None] = {
        "precision": row.scores.precision,
        "recall": row.scores.recall,
        "f1": row.scores.f1,
        "tp": row.scores.tp,
        "fp": row.scores.fp,
        "fn": row.scores.fn,
        "linked": row.scores.linked,
        "judged": row.scores.judged,
    }
    bounds = row.intervals
    for prefix, interval in (("", bounds.f1), ("precision_", bounds.precision), ("recall_", bounds.recall)):
        figures[f"{prefix}low"], figures[f"{prefix}high"] = interval or (None, None)
    groups = group_scores(number_components(truth.documents, *both_of(run.codes, truth.documents)), truth)
    measures = dict.fromkeys(GROUP_MEASURES) if groups is None else groups.as_dict()
    return figures | measures
