"""Tests whether symmetry and transitivity rise and fall with precision and recall, as Lande (section 4) assumes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


_MIN_POINTS: Final = 3
"""Two points always correlate perfectly."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """Spearman rank correlations over k, -1 to 1; ``None`` if undefined."""

    symmetry_precision: float | None
    symmetry_recall: float | None
    transitivity_precision: float | None
    transitivity_recall: float | None


def agreement(
    symmetry: Sequence[float | None],
    transitivity: Sequence[float | None],
    precision: Sequence[float | None],
    recall: Sequence[float | None],
) -> Agreement:
    """Correlate S and T with precision and recall.

    The paper assumes that S follows precision and T follows recall; the other two correlations test whether the
    assignment matters.
    """
    return Agreement(
        rank_correlation(symmetry, precision),
        rank_correlation(symmetry, recall),
        rank_correlation(transitivity, precision),
        rank_correlation(transitivity, recall),
    )


def rank_correlation(one: Sequence[float | None], other: Sequence[float | None]) -> float | None:
    """Return Spearman's rank correlation; equal values share their mean rank."""
    points = [(x, y) for x, y in zip(one, other, strict=True) if x is not None and y is not None]
    if len(points) < _MIN_POINTS:
        return None
    x, y = (_mean_ranks(column) for column in zip(*points, strict=True))
    x, y = x - x.mean(), y - y.mean()
    spread = float((x @ x) * (y @ y))
    return float(x @ y) / float(np.sqrt(spread)) if spread else None


def _mean_ranks(values: Sequence[float]) -> NDArray[np.float64]:
    """Return float64 (values,), ranks from 1; equal values share their mean rank."""
    _, index, counts = np.unique(np.array(values, dtype=np.float64), return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - (counts - 1) / 2)[index]
