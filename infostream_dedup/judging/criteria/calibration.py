"""Platt's sigmoid, which turns decision values into probabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.judging.criteria.classifier import Calibration

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["calibrate"]

_STEPS: Final = 100
_RIDGE: Final = 1e-12
_CLOSE: Final = 1e-9
_SHORTEST: Final = 1e-10


def calibrate(values: NDArray[np.float64], repeats: NDArray[np.bool_]) -> Calibration:
    """Fit the sigmoid by Newton's method with a line search.

    H.-T. Lin, C.-J. Lin, R. Weng: A note on Platt's probabilistic outputs for support vector machines, Machine Learning
    68, 2007. The targets are smoothed, so that separable values do not give probabilities of 0 and 1.

    Args:
        values: float64 (vectors,), decision values of vectors the plane was not trained on.
        repeats: bool (vectors,), the judgement.

    Example:
        >>> found = calibrate(np.array([-2.0, -1.0, 1.0, 2.0]), np.array([False, False, True, True]))
        >>> found.probabilities(np.array([0.0])).round(3).tolist()
        [0.5]
    """
    yes, no = int(repeats.sum()), int((~repeats).sum())
    targets = np.where(repeats, (yes + 1) / (yes + 2), 1 / (no + 2))
    slope, offset = 0.0, float(np.log((no + 1) / (yes + 1)))
    loss = _loss(values, targets, slope, offset)
    for _ in range(_STEPS):
        step = _step(values, targets, slope, offset)
        if step is None:
            break
        length = 1.0
        while length >= _SHORTEST:
            tried = slope + length * step[0], offset + length * step[1]
            reached = _loss(values, targets, *tried)
            if reached < loss:
                break
            length /= 2
        else:
            break
        (slope, offset), loss = tried, reached
    return Calibration(slope, offset)


def _loss(values: NDArray[np.float64], targets: NDArray[np.float64], slope: float, offset: float) -> float:
    exponents = slope * values + offset
    return float((targets * exponents + np.logaddexp(0, -exponents)).sum())


def _step(
    values: NDArray[np.float64], targets: NDArray[np.float64], slope: float, offset: float
) -> tuple[float, float] | None:
    """Return Newton's step, or ``None`` if the gradient is close to zero."""
    probabilities = Calibration(slope, offset).probabilities(values)
    gradient = targets - probabilities
    toward_slope, toward_offset = float((values * gradient).sum()), float(gradient.sum())
    if max(abs(toward_slope), abs(toward_offset)) < _CLOSE * len(values):
        return None
    curvature = probabilities * (1 - probabilities)
    a = float((values * values * curvature).sum()) + _RIDGE
    b = float((values * curvature).sum())
    c = float(curvature.sum()) + _RIDGE
    determinant = a * c - b * b
    return (
        -(c * toward_slope - b * toward_offset) / determinant,
        -(a * toward_offset - b * toward_slope) / determinant,
    )
