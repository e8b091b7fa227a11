"""Links that unrelated documents would have by chance."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["expected_chance_links"]

_BLOCK = 100_000


def expected_chance_links(probabilities: NDArray[np.float64], documents: int) -> NDArray[np.float64]:
    """Expected number of links at each k if terms stood in documents independently of each other.

    The key terms of document i that another document holds are then a sum of independent hits; its distribution
    (Poisson-binomial) is exact by adding one key term at a time. No matrix is needed.

    Args:
        probabilities: float64 (documents, n), for each key term the share of the other documents that hold it, 0 to 1;
            0 or NaN where a document has fewer than n key terms.
        documents: size N of the collection: each document asks N - 1 others.

    Returns:
        float64 (n + 1,): at index k the expected number of links at k; index 0 holds all N (N - 1) pairs.

    Example:
        >>> expected_chance_links(np.array([[0.5, 0.5], [1.0, 0.0]]), 2).tolist()
        [2.0, 1.75, 0.25]
    """
    n = probabilities.shape[1]
    at_least_k = np.zeros(n + 1, dtype=np.float64)
    for start in range(0, len(probabilities), _BLOCK):
        hits = _hit_distribution(np.nan_to_num(probabilities[start : start + _BLOCK], nan=0.0))
        at_least_k += np.cumsum(hits.sum(axis=0)[::-1])[::-1]
    return at_least_k * max(documents - 1, 0)


def _hit_distribution(probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """Probability of exactly 0..n hits: float64 (rows, n + 1)."""
    rows, n = probabilities.shape
    exactly = np.zeros((rows, n + 1), dtype=np.float64)
    exactly[:, 0] = 1.0
    for term in range(n):
        hit = probabilities[:, term, None]
        one_more = exactly[:, : term + 1] * hit
        exactly[:, : term + 1] *= 1.0 - hit
        exactly[:, 1 : term + 2] += one_more
    return exactly
