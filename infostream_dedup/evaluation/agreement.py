"""Do symmetry and transitivity rise and fall with precision and recall, as Lande (section 4) supposes?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Agreement", "agreement", "rank_correlation"]

_FEWEST: Final = 3
"""Two points always correlate fully."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """Spearman rank correlations over k, -1 to 1; ``None`` where one is undefined."""

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

    The paper supposes S to go with precision and T with recall; the other two tell whether that is a matter of which.

    Args:
        symmetry: S of each k; ``None`` where undefined.
        transitivity: T of the same k.
        precision: of the same k.
        recall: of the same k.
    """
    return Agreement(
        rank_correlation(symmetry, precision),
        rank_correlation(symmetry, recall),
        rank_correlation(transitivity, precision),
        rank_correlation(transitivity, recall),
    )


def rank_correlation(one: Sequence[float | None], other: Sequence[float | None]) -> float | None:
    """Spearman's rank correlation, equal values sharing their mean rank.

    Args:
        one: values; ``None`` leaves the place out.
        other: as many values.

    Returns:
        -1 to 1; ``None`` with fewer than three places or when either side is constant.

    Example:
        >>> rank_correlation([0.2, 0.4, 0.9, None], [1, 5, 6, 7])
        1.0
    """
    places = [(x, y) for x, y in zip(one, other, strict=True) if x is not None and y is not None]
    if len(places) < _FEWEST:
        return None
    x, y = (_mean_ranks(column) for column in zip(*places, strict=True))
    x, y = x - x.mean(), y - y.mean()
    spread = float((x @ x) * (y @ y))
    return float(x @ y) / float(np.sqrt(spread)) if spread else None


def _mean_ranks(values: Sequence[float]) -> NDArray[np.float64]:
    """float64 (values,): ranks from 1, equal values share the mean of theirs."""
    _, place, times = np.unique(np.array(values, dtype=np.float64), return_inverse=True, return_counts=True)
    last = np.cumsum(times)
    return (last - (times - 1) / 2)[place]
