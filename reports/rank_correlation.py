"""Tests whether symmetry and transitivity rise and fall with precision and recall, as Lande (section 4) assumes."""

from __future__ import annotations

from collections.abc import Sequence

from scipy.stats import spearmanr


def rank_correlation(one: Sequence[float | None], other: Sequence[float | None]) -> float | None:
    """Return Spearman's rank correlation where both are known; None if it is undefined, or always perfect."""
    points = [(x, y) for x, y in zip(one, other, strict=True) if x is not None and y is not None]
    if len(points) < 3 or any(len(set(column)) == 1 for column in zip(*points, strict=True)):
        return None
    x, y = (list(column) for column in zip(*points, strict=True))
    return float(spearmanr(x, y).statistic)
