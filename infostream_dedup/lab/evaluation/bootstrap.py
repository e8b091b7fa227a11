"""Estimate how much precision, recall and F1 would vary with other stories: a bootstrap over stories, not over pairs.

One wrong pair of stories may be a hundred pairs of documents, so pairs are not independent, and resampling them gives
intervals that are far too narrow. Instead, stories (families, or without families the documents connected by true
pairs) are drawn with replacement, and a pair counts as often as it would occur in the drawn collection: a pair within
story f counts w_f times, a pair between stories f and g counts w_f * w_g times, where w is how often each was drawn.
These are the product weights of the pigeonhole bootstrap (Owen, Annals of Applied Statistics 1(2), 2007; Owen &
Eckles, 6(3), 2012), which err towards wide intervals. As rows and columns are the same stories, it is also the vertex
bootstrap of networks (Snijders & Borgatti, Connections 22(2), 1999), without pairs of two copies of one story.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import scipy.sparse as sp

from infostream_dedup.lab.evaluation.pair_codes import both_of
from infostream_dedup.lab.evaluation.predictions import Predictions
from infostream_dedup.lab.evaluation.scores import Scores
from infostream_dedup.lab.evaluation.truth import FALSE, TRUE, Truth

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Interval", "Intervals", "intervals"]

Interval = tuple[float, float]
"""Lower and upper end of a 95 % interval, 0 to 1."""

_ENDS: Final = (0.025, 0.975)
_CHUNK: Final = 100


@dataclass(frozen=True, slots=True)
class Intervals:
    """95 % intervals at one step; ``None`` if the figure itself is undefined or there are fewer than two stories."""

    precision: Interval | None
    recall: Interval | None
    f1: Interval | None


@dataclass(frozen=True, slots=True)
class _Contributions:
    """What each story contributes to the counts.

    Attributes:
        positives: float64 (stories,), number of true pairs.
        tp: float64 (stories, steps), number of true pairs predicted at each step.
        fp_within: float64 (stories, steps), number of false pairs within a story predicted at each step.
        fp_between: for each step, float64 (stories, stories), number of false pairs between two stories that are
            predicted up to this step and no further.
    """

    positives: NDArray[np.float64]
    tp: NDArray[np.float64]
    fp_within: NDArray[np.float64]
    fp_between: list[sp.csr_array]


def intervals(
    predictions: Predictions,
    verdicts: NDArray[np.int8],
    truth: Truth,
    estimates: list[Scores],
    *,
    resamples: int = 1000,
    seed: int = 0,
) -> list[Intervals]:
    """Compute percentile intervals of precision, recall and F1 at every step.

    Args:
        predictions: pairs and the grades up to which they are predicted.
        verdicts: int8 (pairs,), ``truth.judge(predictions.codes)``.
        truth: provides the stories.
        estimates: scores of the collection itself; an interval that misses its estimate is widened to include it.
        resamples: number of collections drawn, at least 1.
        seed: random seed; it draws the same collections with any version of numpy.

    Returns:
        One for each of ``predictions.steps``. Resamples in which a figure is undefined are ignored for that figure.
    """
    stories = int(truth.stories.max(initial=-1)) + 1
    if stories < 2:
        return [Intervals(None, None, None)] * len(predictions.steps)
    parts = _count_contributions(predictions, verdicts, truth, stories)
    samples = [_count_pairs(parts, weights) for weights in _draw_stories(stories, resamples, seed)]
    tp, fp, positives = (np.concatenate(column, axis=1) for column in zip(*samples, strict=True))
    return [
        Intervals(
            _compute_interval(tp[step], tp[step] + fp[step], estimate.precision),
            _compute_interval(tp[step], positives[0], estimate.recall),
            _compute_interval(2 * tp[step], tp[step] + fp[step] + positives[0], estimate.f1),
        )
        for step, estimate in enumerate(estimates)
    ]


def _count_contributions(
    predictions: Predictions, verdicts: NDArray[np.int8], truth: Truth, stories: int
) -> _Contributions:
    steps = len(predictions.steps)
    counted = (verdicts != 0) & (predictions.grades > 0)
    a, b = both_of(predictions.codes[counted], truth.documents)
    one, other = truth.stories[a], truth.stories[b]
    grades, verdicts = predictions.grades[counted].astype(np.int64), verdicts[counted]
    true = verdicts == TRUE
    within = (verdicts == FALSE) & (one == other)
    between = (verdicts == FALSE) & (one != other)
    low, high = np.minimum(one, other)[between], np.maximum(one, other)[between]
    last = grades[between]
    return _Contributions(
        np.bincount(truth.stories[both_of(truth.positives, truth.documents)[0]], minlength=stories).astype(np.float64),
        _count_by_story(one[true], grades[true], stories, steps),
        _count_by_story(one[within], grades[within], stories, steps),
        [_count_table(low[last == step], high[last == step], stories) for step in range(1, steps + 1)],
    )


def _count_by_story(
    stories_of: NDArray[np.int64], grades: NDArray[np.int64], stories: int, steps: int
) -> NDArray[np.float64]:
    """Return float64 (stories, steps), number of pairs of each story with a grade of at least 1, at least 2, ..."""
    exactly = np.bincount(stories_of * (steps + 1) + grades, minlength=stories * (steps + 1))
    table = exactly.reshape(stories, steps + 1)
    return np.cumsum(table[:, ::-1], axis=1)[:, ::-1][:, 1:].astype(np.float64)


def _count_table(low: NDArray[np.int64], high: NDArray[np.int64], stories: int) -> sp.csr_array:
    return sp.csr_array(sp.coo_array((np.ones(len(low)), (low, high)), shape=(stories, stories)).tocsr())


def _draw_stories(stories: int, resamples: int, seed: int) -> Iterator[NDArray[np.float64]]:
    """Yield float64 (stories, resamples), how often each story was drawn; columns sum to the number of stories.

    Uses the raw output of the bit generator, the only part that numpy keeps unchanged across versions.
    """
    generator = np.random.PCG64(seed)
    for start in range(0, resamples, _CHUNK):
        columns = min(_CHUNK, resamples - start)
        drawn = (generator.random_raw(stories * columns) % np.uint64(stories)).astype(np.int64)
        cells = drawn * columns + np.repeat(np.arange(columns), stories)
        yield np.bincount(cells, minlength=stories * columns).reshape(stories, columns).astype(np.float64)


def _count_pairs(
    parts: _Contributions, weights: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return tp and fp (steps, resamples) and positives (1, resamples) of drawn collections.

    All counts are whole numbers, so the sums are exact.
    """
    between = np.stack([(weights * (table @ weights)).sum(axis=0) for table in parts.fp_between])
    fp = parts.fp_within.T @ weights + np.cumsum(between[::-1], axis=0)[::-1]
    return parts.tp.T @ weights, fp, (parts.positives @ weights)[None, :]


def _compute_interval(part: NDArray[np.float64], whole: NDArray[np.float64], estimate: float | None) -> Interval | None:
    defined = whole > 0
    if estimate is None or not defined.any():
        return None
    low, high = np.quantile(part[defined] / whole[defined], _ENDS).tolist()
    return min(low, estimate), max(high, estimate)
