"""Links that unrelated documents would have by chance."""

from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from infostream_dedup.links.entries import column_counts

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["chance_links", "chance_links_across", "chance_links_within", "expected_chance_links"]

_BLOCK = 100_000


def expected_chance_links(probabilities: NDArray[np.float64], documents: int) -> NDArray[np.float64]:
    """Expected number of links at each k if documents contained terms independently of each other.

    The number of key terms of document i that another document contains is then a sum of independent hits; its
    distribution (Poisson-binomial) is computed exactly by adding one key term at a time. No matrix is needed.

    The sums of fixed ranges of 100,000 documents are added without rounding in between, so that whoever computes these
    sums, in whatever order, gets the same total.

    Args:
        probabilities: float64 (documents, n), for each key term the share of the other documents that contain it, 0 to
            1; 0 or NaN where a document has fewer than n key terms.
        documents: size N of the collection: each document asks N - 1 others.

    Returns:
        float64 (n + 1,): at index k the expected number of links at k; index 0 holds all N (N - 1) pairs.

    Example:
        >>> expected_chance_links(np.array([[0.5, 0.5], [1.0, 0.0]]), 2).tolist()
        [2.0, 1.75, 0.25]
    """
    n = probabilities.shape[1]
    sums = [np.zeros(n + 1, dtype=np.float64)]
    for start in range(0, len(probabilities), _BLOCK):
        hits = _hit_distribution(np.nan_to_num(probabilities[start : start + _BLOCK], nan=0.0))
        sums.append(np.cumsum(hits.sum(axis=0)[::-1])[::-1])
    at_least_k = np.array([fsum(column) for column in zip(*sums, strict=True)], dtype=np.float64)
    return at_least_k * max(documents - 1, 0)


def chance_links(keys: sp.csr_array, targets: sp.csr_array, n: int) -> NDArray[np.float64]:
    """Links expected by chance at each k among the documents of a collection.

    Args:
        keys: (documents, terms), at most n in a row.
        targets: (documents, terms).
        n: maximum number of key terms of a document.

    Returns:
        float64 (n + 1,), as ``expected_chance_links`` returns it.
    """
    documents = keys.shape[0]
    # A document contains its own key terms, but does not ask itself.
    share = np.maximum(column_counts(targets) - 1, 0) / max(documents - 1, 1)
    return expected_chance_links(_probabilities(keys, share, n), documents)


def chance_links_across(
    keys: sp.csr_array, targets: sp.csr_array, n: int, labels: NDArray[np.generic]
) -> NDArray[np.float64]:
    """Links expected by chance at each k from documents of one label to those of all others.

    Args:
        keys: as in ``chance_links``.
        targets: as in ``chance_links``.
        n: as in ``chance_links``.
        labels: (documents,).
    """
    expected = np.zeros(n + 1, dtype=np.float64)
    for label in np.unique(labels):
        asking, asked = np.flatnonzero(labels == label), np.flatnonzero(labels != label)
        share = column_counts(targets[asked]) / max(len(asked), 1)
        expected += expected_chance_links(_probabilities(keys[asking], share, n), len(asked) + 1)
    return expected


def chance_links_within(
    keys: sp.csr_array, targets: sp.csr_array, n: int, labels: NDArray[np.generic]
) -> NDArray[np.float64]:
    """Links expected by chance at each k between documents of the same label; arguments as ``chance_links_across``."""
    expected = np.zeros(n + 1, dtype=np.float64)
    for label in np.unique(labels):
        chosen = np.flatnonzero(labels == label)
        expected += chance_links(keys[chosen], targets[chosen], n)
    return expected


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


def _probabilities(keys: sp.csr_array, share: NDArray[np.float64], n: int) -> NDArray[np.float64]:
    """Share of the documents asked that contain each key term: float64 (documents, n), padded with 0."""
    row = np.repeat(np.arange(keys.shape[0]), np.diff(keys.indptr))
    table = np.zeros((keys.shape[0], n), dtype=np.float64)
    table[row, np.arange(keys.nnz) - keys.indptr[row]] = share[keys.indices]
    return table
