"""Learns the pair model: logistic regression by Newton's method, with the same bytes on every run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.judging.evidence.pair_model import FEATURES, PairModel, features_of

if TYPE_CHECKING:
    from numpy.typing import NDArray


MOST_PAIRS: Final = 2500  # maximum number of pairs of each class that one set contributes

_PENALTY: Final = 3e-5
_ROUNDS: Final = 100
_SEED: Final = 7
_DECIMALS: Final = 6


@dataclass(frozen=True, slots=True)
class TrainingSet:
    """Judged pairs of one set: evidence, whether both are of one story, and weights (.5 for each class)."""

    name: str
    evidence: NDArray[np.float64]
    same: NDArray[np.bool_]
    weights: NDArray[np.float64]


def pair_weights(
    families_a: NDArray[np.int64], families_b: NDArray[np.int64], same: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Weight of each pair: pairs of two families share the square root of their number; each class weighs .5."""
    low, high = np.minimum(families_a, families_b), np.maximum(families_a, families_b)
    _, which, sizes = np.unique(np.stack([low, high]), axis=1, return_inverse=True, return_counts=True)
    weights: NDArray[np.float64] = 1.0 / np.sqrt(sizes[which.ravel()])
    for kind in (same, ~same):
        if kind.any():
            weights[kind] *= 0.5 / weights[kind].sum()
    return weights


def draw(same: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Choose the pairs to learn from, at most ``MOST_PAIRS`` of each class, the same on every run; int64, ascending."""
    chosen = []
    for number, kind in enumerate((same, ~same)):
        order = np.random.default_rng(_SEED + number).permutation(np.flatnonzero(kind))
        chosen.append(order[:MOST_PAIRS])
    return np.sort(np.concatenate(chosen)).astype(np.int64)


def learn(sets: Sequence[TrainingSet], *, penalty: float = _PENALTY) -> PairModel:
    """Learn the model from sets of equal weight."""
    features = np.concatenate([features_of(one.evidence) for one in sets])
    same = np.concatenate([one.same for one in sets])
    weights = np.concatenate([one.weights for one in sets])
    found = _newton(features, same.astype(np.float64), weights / weights.sum(), penalty)
    rounded = np.round(found, _DECIMALS).tolist()
    return PairModel(rounded[0], dict(zip(FEATURES, rounded[1:], strict=True)))


def _newton(
    features: NDArray[np.float64], same: NDArray[np.float64], weights: NDArray[np.float64], penalty: float
) -> NDArray[np.float64]:
    """Intercept and coefficients that minimise the penalised log loss: float64 (features + 1,)."""
    columns = np.column_stack([np.ones(len(features)), features])
    ridge = np.full(columns.shape[1], 2 * penalty)
    ridge[0] = 0.0

    def loss(at: NDArray[np.float64]) -> float:
        z = columns @ at
        return float((weights * (np.logaddexp(0.0, z) - same * z)).sum() + 0.5 * (ridge * at * at).sum())

    at = np.zeros(columns.shape[1])
    for _ in range(_ROUNDS):
        p = 1.0 / (1.0 + np.exp(-np.clip(columns @ at, -35.0, 35.0)))
        slope = columns.T @ (weights * (p - same)) + ridge * at
        bend = (columns * (weights * p * (1.0 - p))[:, None]).T @ columns + np.diag(ridge)
        step = np.linalg.solve(bend, slope)
        size = 1.0
        while loss(at - size * step) > loss(at) and size > 1e-6:
            size /= 2.0
        at = at - size * step
        if float(np.abs(size * step).max()) < 1e-11:
            break
    return at
