"""The hyperplane: a linear support vector machine on standardised criteria (scikit-learn, extra ``learn``)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.criteria.classifier import Plane
from infostream_dedup.errors import MissingExtraError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["fit_plane", "learner_version"]

_COST: Final = 1.0
_TOLERANCE: Final = 1e-8
_ITERATIONS: Final = 100_000
# The solver penalises the bias like a weight; a large constant feature makes the penalty negligible.
_BIAS_FEATURE: Final = 10.0
_DIGITS: Final = 10


def fit_plane(vectors: NDArray[np.float64], repeats: NDArray[np.bool_]) -> Plane:
    """Learn the plane that tells repeats from originals.

    Criteria are standardised by mean and standard deviation of the known values; an unknown value (NaN) counts as the
    mean. C = 1, no class weights, squared hinge loss, solved in the primal, which draws no random numbers. All figures
    are rounded to 10 digits.

    Args:
        vectors: float64 (vectors, criteria).
        repeats: bool (vectors,), with both values present.

    Raises:
        MissingExtraError: scikit-learn is not installed.
    """
    try:
        from sklearn.svm import LinearSVC
    except ImportError:
        raise MissingExtraError("scikit-learn", "learn", "training a classifier") from None

    known = ~np.isnan(vectors)
    counts = np.maximum(known.sum(axis=0), 1)
    means = np.where(known, vectors, 0).sum(axis=0) / counts
    deviations = np.where(known, vectors - means, 0)
    scales = np.sqrt((deviations**2).sum(axis=0) / counts)
    # A constant differs from its mean only by rounding errors, which must not be scaled up.
    scales[scales <= 1e-9 * np.maximum(np.abs(means), 1)] = 1
    # Where both directions cancel out, rounding errors remain.
    means[np.abs(means) <= 1e-12 * scales] = 0
    means, scales = _rounded(means), _rounded(scales)
    standardised = np.where(known, (vectors - means) / scales, 0)
    machine = LinearSVC(C=_COST, dual=False, tol=_TOLERANCE, max_iter=_ITERATIONS, intercept_scaling=_BIAS_FEATURE).fit(
        standardised, repeats
    )
    return Plane(means, scales, _rounded(machine.coef_[0]), float(_rounded(machine.intercept_)[0]))


def learner_version() -> str:
    """Return the version of scikit-learn."""
    from importlib.metadata import version

    return version("scikit-learn")


def _rounded(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.array([float(f"{value:.{_DIGITS}g}") for value in np.asarray(values).tolist()], dtype=np.float64)
