"""How far precision, recall and F1 would move with other stories: bootstrap over stories, not over pairs.

One wrong pair of stories can be a hundred pairs of documents, so pairs are not independent, and resampling them gives
intervals that are far too narrow. Here stories (families; without families the documents that true pairs join) are
drawn with replacement, and a pair counts as often as it would stand in the drawn collection: a pair inside story f
counts w_f times, a pair of two stories f and g counts w_f * w_g times, w being how often each was drawn. These are the
product weights of the pigeonhole bootstrap (Owen, Annals of Applied Statistics 1(2), 2007; Owen & Eckles, 6(3), 2012),
which err towards wide intervals. As rows and columns are the same stories, it is also the vertex bootstrap of networks
(Snijders & Borgatti, Connections 22(2), 1999), without pairs of two copies of one story.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import scipy.sparse as sp

from infostream_dedup.evaluation.pair_codes import both_of
from infostream_dedup.evaluation.predictions import Predictions
from infostream_dedup.evaluation.scores import Scores
from infostream_dedup.evaluation.truth import FALSE, TRUE, Truth

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Interval", "Intervals", "intervals"]

Interval = tuple[float, float]
"""Low and high end of a 95 % interval, 0 to 1."""

_ENDS: Final = (0.025, 0.975)
_CHUNK: Final = 100


@dataclass(frozen=True, slots=True)
class Intervals:
    """95 % intervals of one step; ``None`` where the figure itself is undefined or there are fewer than two stories."""

    precision: Interval | None
    recall: Interval | None
    f1: Interval | None


@dataclass(frozen=True, slots=True)
class _Contributions:
    """What each story adds to the counts.

    Attributes:
        positives: float64 (stories,), true pairs.
        tp: float64 (stories, steps), true pairs predicted at each step.
        fp_within: float64 (stories, steps), false pairs of one story predicted at each step.
        fp_between: for each step, (stories, stories), false pairs of two stories predicted up to just this step.
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
    """Percentile intervals of precision, recall and F1 at every step.

    Args:
        predictions: pairs and the grades up to which they are predicted.
        verdicts: int8 (pairs,), ``truth.judge(predictions.codes)``.
        truth: gives the stories.
        estimates: scores of the collection itself. Where the percentiles miss one, the interval is widened to hold it.
        resamples: collections drawn, at least 1.
        seed: the same seed draws the same collections, whatever the version of numpy.

    Returns:
        One for each of ``predictions.steps``. Resamples in which a figure is undefined do not count for it.
    """
    stories = int(truth.stories.max(initial=-1)) + 1
    if stories < 2:
        return [Intervals(None, None, None)] * len(predictions.steps)
    parts = _contributions(predictions, verdicts, truth, stories)
    drawn = [_counts(parts, weights) for weights in _draws(stories, resamples, seed)]
    tp, fp, positives = (np.concatenate(column, axis=1) for column in zip(*drawn, strict=True))
    return [
        Intervals(
            _interval(tp[step], tp[step] + fp[step], estimate.precision),
            _interval(tp[step], positives[0], estimate.recall),
            _interval(2 * tp[step], tp[step] + fp[step] + positives[0], estimate.f1),
        )
        for step, estimate in enumerate(estimates)
    ]


def _contributions(predictions: Predictions, verdicts: NDArray[np.int8], truth: Truth, stories: int) -> _Contributions:
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
        _by_story(one[true], grades[true], stories, steps),
        _by_story(one[within], grades[within], stories, steps),
        [_table(low[last == step], high[last == step], stories) for step in range(1, steps + 1)],
    )


def _by_story(
    stories_of: NDArray[np.int64], grades: NDArray[np.int64], stories: int, steps: int
) -> NDArray[np.float64]:
    """float64 (stories, steps): pairs of each story with a grade of at least 1, at least 2, ..."""
    exactly = np.bincount(stories_of * (steps + 1) + grades, minlength=stories * (steps + 1))
    table = exactly.reshape(stories, steps + 1)
    return np.cumsum(table[:, ::-1], axis=1)[:, ::-1][:, 1:].astype(np.float64)


def _table(low: NDArray[np.int64], high: NDArray[np.int64], stories: int) -> sp.csr_array:
    return sp.csr_array(sp.coo_array((np.ones(len(low)), (low, high)), shape=(stories, stories)).tocsr())


def _draws(stories: int, resamples: int, seed: int) -> Iterator[NDArray[np.float64]]:
    """float64 (stories, some resamples): how often each story was drawn; each column sums to the number of stories.

    Raw output of the bit generator, because numpy keeps only that unchanged for all its versions.
    """
    generator = np.random.PCG64(seed)
    for start in range(0, resamples, _CHUNK):
        columns = min(_CHUNK, resamples - start)
        drawn = (generator.random_raw(stories * columns) % np.uint64(stories)).astype(np.int64)
        place = drawn * columns + np.repeat(np.arange(columns), stories)
        yield np.bincount(place, minlength=stories * columns).reshape(stories, columns).astype(np.float64)


def _counts(
    parts: _Contributions, weights: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Counts tp and fp (steps, resamples), positives (1, resamples) of drawn collections: whole, so sums are exact."""
    between = np.stack([(weights * (table @ weights)).sum(axis=0) for table in parts.fp_between])
    fp = parts.fp_within.T @ weights + np.cumsum(between[::-1], axis=0)[::-1]
    return parts.tp.T @ weights, fp, (parts.positives @ weights)[None, :]


def _interval(part: NDArray[np.float64], whole: NDArray[np.float64], estimate: float | None) -> Interval | None:
    defined = whole > 0
    if estimate is None or not defined.any():
        return None
    low, high = np.quantile(part[defined] / whole[defined], _ENDS).tolist()
    return min(low, estimate), max(high, estimate)
