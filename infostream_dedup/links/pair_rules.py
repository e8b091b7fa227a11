"""Rules for when a link counts in a decision about a pair: fewer terms for short documents, one direction or both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.errors import ConfigurationError

if TYPE_CHECKING:
    import scipy.sparse as sp
    from numpy.typing import NDArray


RELATIONS: Final = (None, "contained", "contains", "equal")
"""Relation of a pair: 1 if the first document is linked to the second, plus 2 if the second is to the first."""

_LEAST_NEED = 3
"""Fewer shared terms than this say nothing about a pair, however short its documents are."""


def need(
    k: int, sizes_a: NDArray[np.int64], sizes_b: NDArray[np.int64], *, n: int, short: str = "scaled"
) -> NDArray[np.int64]:
    """Key terms that must be shared for a pair to be linked at k.

    With n' = min(size of a, size of b): k if n' >= n, else max(min(3, k), ceil(k n' / n)). At k = 6 of 12 this is "half
    of the shorter document's key terms, at least three".

    Args:
        sizes_a: int64 (pairs,), key terms of the first document of each pair, 0 to n.
        sizes_b: int64 (pairs,), key terms of the second document.

    Returns:
        int64 (pairs,). If it exceeds n', the pair is never linked.

    Example:
        >>> need(6, np.array([12, 8, 4]), np.array([12, 12, 12]), n=12).tolist()
        [6, 4, 3]
    """
    shorter = np.minimum(np.asarray(sizes_a, dtype=np.int64), np.asarray(sizes_b, dtype=np.int64))
    if short == "strict":
        return np.full(shorter.shape, k, dtype=np.int64)
    scaled = np.maximum(min(_LEAST_NEED, k), -(-k * shorter // n))
    return np.where(shorter >= n, k, scaled)


def relation_of(forward: int, backward: int, least: int) -> str | None:
    """Return the relation of a pair that needs at least so many shared key terms in a direction; ``None`` for no link.

    Example:
        >>> relation_of(7, 5, 6), relation_of(7, 6, 6), relation_of(5, 5, 6)
        ('contained', 'equal', None)
    """
    return RELATIONS[int(forward >= least) + 2 * int(backward >= least)]


def count_grades(counts: sp.csr_array, sizes: NDArray[np.int64], *, n: int, short: str = "scaled") -> sp.csr_array:
    """Compute the largest k at which each link still counts in a decision about its pair.

    Link a -> b counts at k exactly if its count is at least ``need(k)``; as ``need`` never falls when k rises, one
    number describes every k.

    Args:
        counts: uint8 (documents, documents), row asks, column answers.
        sizes: int64 (documents,), key terms of each document, 0 to n.
    """
    table = _grade_table(n, short)
    if short == "strict" or sizes.min(initial=n) >= n:
        # The size of the shorter document makes no difference.
        return _same_pattern(counts, table[n][np.minimum(counts.data, n)])
    small = np.minimum(sizes, n).astype(np.uint8)
    shorter = np.minimum(np.repeat(small, np.diff(counts.indptr)), small[counts.indices])
    return _same_pattern(counts, table[shorter, np.minimum(counts.data, n)])


def reached(matched: NDArray[np.int64], own: NDArray[np.int64], threshold: float) -> NDArray[np.bool_]:
    """Whether each matched weight is at least a share of the weight of all key terms: bool (links,).

    Args:
        matched: int64 (links,), matched weights.
        own: int64 (links,), weights of all key terms, at least ``matched``.

    Example:
        >>> reached(np.array([55, 54]), np.array([100, 100]), 0.55).tolist()
        [True, False]
    """
    # A quotient is rounded as the threshold was, so equal shares are equal; 0.55 * 100 is more than 55.
    return np.asarray(matched / np.maximum(own, 1) >= threshold, dtype=np.bool_)


def share_grades(
    counts: sp.csr_array,
    matched: sp.csr_array,
    own_weights: NDArray[np.int64],
    *,
    thresholds: Sequence[float],
    min_terms: int,
) -> sp.csr_array:
    """Count the thresholds that each link's share of matched weight reaches.

    Link a -> b counts at threshold t exactly if its matched weight is at least t times the weight of all key terms of
    a, and at least ``min_terms`` terms are shared.

    Args:
        counts: uint8 (documents, documents), row asks, column answers.
        matched: int64 of the same pattern, weight of the shared key terms in units of 1e-9.
        own_weights: int64 (documents,), weight of all key terms of a document in the same units.
        thresholds: ascending, each above 0 to 1; at most 255.
    """
    own = np.repeat(own_weights, np.diff(counts.indptr))
    grades = np.zeros(counts.nnz, dtype=np.uint8)
    for threshold in thresholds:
        grades += reached(matched.data, own, threshold)
    grades[counts.data < min_terms] = 0
    return _same_pattern(counts, grades)


def pair_grades(grades: sp.csr_array, rule: str) -> sp.csr_array:
    """Grades of unordered pairs.

    Args:
        grades: uint8 (documents, documents) of directed links.

    Returns:
        uint8 (documents, documents), above the diagonal only, sorted indices, no explicit zeros.
    """
    if rule not in ("both", "either"):
        raise ConfigurationError(f"rule is {rule!r}; expected both or either")
    import scipy.sparse as sp

    forward = sp.triu(grades, k=1, format="csr")
    backward = sp.triu(grades.T, k=1, format="csr")
    pairs = sp.csr_array(forward.minimum(backward) if rule == "both" else forward.maximum(backward))
    pairs.eliminate_zeros()
    pairs.sort_indices()
    return pairs


def _grade_table(n: int, short: str) -> NDArray[np.uint8]:
    """Tabulate the largest k whose need is met: uint8 (n + 1, n + 1), by shorter size and shared terms."""
    sizes = np.arange(n + 1)
    table = np.zeros((n + 1, n + 1), dtype=np.uint8)
    for k in range(1, n + 1):
        table[need(k, sizes, sizes, n=n, short=short)[:, None] <= sizes[None, :]] = k
    return table


def _same_pattern(matrix: sp.csr_array, data: NDArray[np.uint8]) -> sp.csr_array:
    import scipy.sparse as sp

    return sp.csr_array((data, matrix.indices, matrix.indptr), shape=matrix.shape)
