"""The hyperplane: a linear support vector machine that starts from what is known before (a prior).

It minimises |w - w0|² / 2 + C mean max(0, 1 - y w·x)² in the primal by Newton's method, whose steps are exact on every
piece of this function (O. Chapelle: Training a support vector machine in the primal, Neural Computation 19, 2007). With
w0 = 0 this is the usual machine with squared hinge loss. Ready-made solvers have no w0.

The mean is weighted: each class counts by the root of its size. If one pair in seventy repeats, a plain mean calls
every doubtful pair "original", so that labels make the prior worse; equal classes would link too much.

The margin is not the final goal. So the plane is moved, no farther than needed, to where F1 is greatest on the training
pairs, if there are ten of each class and F1 gains half a point: a smaller gain is not worth leaving the prior.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.judging.criteria.classifier import Plane
from infostream_dedup.judging.criteria.criterion import CRITERIA

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["fit_plane", "prior_plane"]

_COST: Final = 2.0
"""C. It multiplies the mean loss, not the sum, so that thousands of labels of one collection adapt the prior but do not
replace it: the result remains useful for other collections."""

_FEWEST: Final = 8
_FEWEST_OF_A_CLASS: Final = 10
_WORTH_MOVING: Final = 0.005
_BIAS_PENALTY: Final = 0.01
_ROUNDS: Final = 200
_CLOSE: Final = 1e-10
_SHORTEST: Final = 1e-7
_DIGITS: Final = 10


def prior_plane(criteria: Sequence[str], weights: Mapping[str, float]) -> Plane:
    """Return the plane of a classifier that has learned nothing.

    Args:
        criteria: names of ``CRITERIA``.
        weights: weight of each criterion; 0 if missing.
    """
    typical = [CRITERIA[name].typical for name in criteria]
    return Plane(
        np.array([one.mean for one in typical], dtype=np.float64),
        np.array([one.scale for one in typical], dtype=np.float64),
        np.array([weights.get(name, 0.0) for name in criteria], dtype=np.float64),
        0.0,
    )


def fit_plane(vectors: NDArray[np.float64], repeats: NDArray[np.bool_], prior: Plane) -> Plane:
    """Learn the plane that separates repeats from originals; figures are rounded to 10 digits.

    Args:
        vectors: float64 (vectors, criteria).
        repeats: bool (vectors,).
        prior: where to start, and how criteria are standardised; without vectors it is the result.
    """
    columns = np.column_stack((prior.standardised(vectors), np.ones(len(vectors))))
    signs = np.where(repeats, 1.0, -1.0)
    start = np.append(prior.weights, prior.bias)
    penalty = np.append(np.ones(len(prior.weights)), _BIAS_PENALTY)

    costs = _COST * min(len(vectors) / _FEWEST, 1.0) * _shares(repeats)

    def loss(at: NDArray[np.float64]) -> float:
        missing = np.maximum(0.0, 1.0 - signs * (columns @ at))
        return float((penalty * (at - start) ** 2).sum() / 2 + (costs * missing**2).sum())

    found = start
    for _ in range(_ROUNDS):
        missing = 1.0 - signs * (columns @ found)
        active = missing > 0
        weighted = columns[active] * costs[active, None]
        slope = penalty * (found - start) - 2 * weighted.T @ (signs * missing)[active]
        step = np.linalg.solve(np.diag(penalty) + 2 * weighted.T @ columns[active], slope)
        size, reached = 1.0, loss(found)
        while size > _SHORTEST and loss(found - size * step) > reached:
            size /= 2
        if size <= _SHORTEST:
            break
        found = found - size * step
        if np.abs(size * step).max() < _CLOSE:
            break
    found[-1] -= _shift(columns @ found, repeats)
    rounded = _round_figures(found)
    return Plane(prior.means, prior.scales, rounded[:-1], float(rounded[-1]))


def _shift(values: NDArray[np.float64], repeats: NDArray[np.bool_]) -> float:
    """Return the threshold of the greatest F1: the nearest to 0 among equals, half way to the next value.

    0 if no threshold is better by half a point, or if either class has fewer than ten vectors.
    """
    if min(int(repeats.sum()), int((~repeats).sum())) < _FEWEST_OF_A_CLASS:
        return 0.0
    order = np.argsort(-values, kind="stable")
    ranked, hits = values[order], np.cumsum(repeats[order])
    # Equal values are found together.
    last = np.append(ranked[1:] < ranked[:-1], True)
    f1 = np.where(last, 2 * hits / (np.arange(1, len(ranked) + 1) + hits[-1]), -1.0)
    now = 2 * int((repeats & (values > 0)).sum()) / (int(hits[-1]) + int((values > 0).sum()))
    if f1.max() < now + _WORTH_MOVING:
        return 0.0
    between = (ranked + np.append(ranked[1:], ranked[-1] - 2.0)) / 2
    best = between[f1 == f1.max()]
    return float(best[np.argmin(np.abs(best))])


def _shares(repeats: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the share of each vector in the mean, float64 (vectors,): together a class has the root of its size."""
    sizes = np.where(repeats, repeats.sum(), (~repeats).sum())
    weights = 1 / np.sqrt(sizes)
    return np.asarray(weights / weights.sum() if len(weights) else weights, dtype=np.float64)


def _round_figures(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.array([float(f"{value:.{_DIGITS}g}") for value in values.tolist()], dtype=np.float64)
