"""Evaluates preset ``judged`` on a collection: from judged pairs and labels to scores at every probability."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.batch.judged_pairing import LEAST_PROBABILITY
from infostream_dedup.batch.judging import JudgedCollection
from infostream_dedup.batch.linking import SHARE_THRESHOLDS
from infostream_dedup.batch.translations import Between, find_translations
from infostream_dedup.evaluation.pair_codes import codes_of
from infostream_dedup.evaluation.predictions import Predictions
from infostream_dedup.evaluation.protocol import Evaluation, evaluate
from infostream_dedup.evaluation.truth import Truth
from infostream_dedup.links.between_languages import LEAST_SHARE

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["evaluate_judged", "judged_predictions", "predicted_translations"]


def evaluate_judged(
    collection: JudgedCollection,
    truth: Truth,
    *,
    lang: str | None = None,
    between: Between = "nothing-better",
    resamples: int = 1000,
    engine: str = "auto",
) -> Evaluation:
    """Evaluate the pairs that preset ``judged`` lists.

    Args:
        collection: the documents.
        truth: which pairs are true and false.
        lang: as for ``truth``. If only pairs of two languages count (``ru-uk``), the steps are those of
            ``predicted_translations``, otherwise those of ``judged_predictions``. Recommended is what ``pairs`` lists
            by default.
        between: rule for translations.
        resamples: number of collections drawn for the intervals.
        engine: as in ``link``.
    """
    if lang is not None and "-" in lang:
        predictions = predicted_translations(collection, between=between, engine=engine)
        return evaluate(predictions, truth, recommended=LEAST_SHARE, resamples=resamples)
    predictions = judged_predictions(collection, between=between if lang is None else None, engine=engine)
    return evaluate(predictions, truth, recommended=LEAST_PROBABILITY, resamples=resamples)


def judged_predictions(
    collection: JudgedCollection, *, between: Between | None = "nothing-better", engine: str = "auto"
) -> Predictions:
    """Return the pairs at each probability of .05, .10 to 1.

    Translations have no probability and are among the pairs at every step; they are left out if ``between`` is None.
    """
    a, b = collection.candidates(engine=engine)
    codes, grades = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.uint8)]
    for judged in collection.judged(a, b):
        found = _grades(judged.probability, SHARE_THRESHOLDS)
        codes.append(codes_of(judged.a[found > 0], judged.b[found > 0], len(collection.collection)))
        grades.append(found[found > 0])
    if between is not None:
        translated = predicted_translations(collection, between=between, engine=engine)
        codes.append(translated.codes)
        grades.append(np.full(len(translated.codes), len(SHARE_THRESHOLDS), dtype=np.uint8))
    return _predictions(np.concatenate(codes), np.concatenate(grades), SHARE_THRESHOLDS, "probability")


def predicted_translations(
    collection: JudgedCollection, *, between: Between = "nothing-better", engine: str = "auto"
) -> Predictions:
    """Return the pairs of two languages at each share of .40, .45 to 1 in both directions."""
    steps = tuple(step for step in SHARE_THRESHOLDS if step >= LEAST_SHARE)
    found = find_translations(collection, between=between, engine=engine)
    if found is None:
        return _predictions(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.uint8), steps, "share")
    codes = codes_of(found.a, found.b, len(collection.collection))
    return _predictions(codes, _grades(found.shares.min(axis=1), steps), steps, "share")


def _grades(values: NDArray[np.float64], steps: tuple[float, ...]) -> NDArray[np.uint8]:
    """Number of steps that each value reaches: uint8, of the same shape."""
    return np.searchsorted(np.array(steps), values, side="right").astype(np.uint8)


def _predictions(
    codes: NDArray[np.int64], grades: NDArray[np.uint8], steps: tuple[float, ...], name: str
) -> Predictions:
    order = np.argsort(codes)
    return Predictions(codes[order], grades[order], steps, name)
