"""Symmetry and transitivity at every threshold of one similarity matrix."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from math import sqrt
from typing import Any

import numpy as np
import scipy.sparse as sp

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.links.entries import at_least
from infostream_dedup.links.similarity_matrix import SimilarityMatrix
from infostream_dedup.links.transitivity import (
    PATH_BUDGET,
    SAMPLES,
    SEED,
    closed_from,
    paths_by_middle,
    reciprocated,
    sampled_closed,
)

__all__ = ["Measures", "sweep_counts", "sweep_shares"]

_MOST_THRESHOLDS = 255


@dataclass(frozen=True, slots=True)
class Measures:
    """Symmetry and transitivity at one threshold, with the counts they stand on.

    Attributes:
        k: key terms that must meet; ``None`` in a sweep of shares.
        threshold: share of weight that must be met; ``None`` in a sweep of counts.
        documents: number of documents.
        links: directed links M.
        reciprocal: links that are returned, R; a reciprocal pair counts twice.
        paths: two-step paths i -> j -> k over distinct documents; always exact.
        closed: paths with i -> k; where ``sampled`` the estimate, rounded; ``None`` for links between groups.
        symmetry: R / M; ``None`` without links.
        transitivity: closed / paths; ``None`` without paths, and for links between groups (languages): those of two
            groups are bipartite, so that no path could be closed whatever the quality.
        sampled: whether ``closed`` and ``transitivity`` are estimates.
        transitivity_error: standard error of a sampled ``transitivity``; ``None`` where it is exact.
    """

    k: int | None
    threshold: float | None
    documents: int
    links: int
    reciprocal: int
    paths: int
    closed: int | None
    symmetry: float | None
    transitivity: float | None
    sampled: bool
    transitivity_error: float | None

    def as_dict(self) -> dict[str, Any]:
        """A row of plain values: column ``k``, or ``threshold`` instead in a sweep of shares."""
        row = asdict(self)
        del row["threshold" if self.threshold is None else "k"]
        return row


def sweep_counts(
    matrix: SimilarityMatrix,
    ks: Iterable[int],
    *,
    path_budget: int = PATH_BUDGET,
    samples: int = SAMPLES,
    seed: int = SEED,
    exact_from: int | None = None,
) -> list[Measures]:
    """Measure the links at each k.

    Args:
        matrix: of counts; it is read, not changed.
        ks: each at least ``matrix.k_min``.
        path_budget: transitivity is exact up to this many two-step walks (paths, and walks that come back), sampled
            above.
        samples: paths to draw.
        seed: of the draws; each k draws anew from it, so that a row does not depend on which others were asked for.
        exact_from: transitivity is exact from this k on, whatever it takes; ``None`` for no such k.

    Returns:
        One row for each distinct k, ascending.

    Raises:
        ConfigurationError: a k is below ``matrix.k_min``.
    """
    ascending = sorted(set(ks))
    if ascending and ascending[0] < matrix.k_min:
        raise ConfigurationError(
            f"k is {ascending[0]}, but this matrix holds counts from {matrix.k_min} on; match with k_min {ascending[0]}"
        )
    effort = _Effort(path_budget, samples, seed, exact_from)
    rows = _swept(matrix.counts, ascending, effort, between_groups=matrix.between_groups)
    return [replace(row, k=k) for k, row in zip(ascending, rows, strict=True)]


def sweep_shares(
    shares: sp.csr_array,
    thresholds: Iterable[float],
    *,
    between_groups: bool = False,
    path_budget: int = PATH_BUDGET,
    samples: int = SAMPLES,
    seed: int = SEED,
) -> list[Measures]:
    """Measure the links at each threshold of the share of weight that was met.

    Args:
        shares: float64 (documents, documents) of ``SimilarityMatrix.shares``.
        thresholds: each above 0 to 1, at most 255 of them.
        between_groups: whether the shares are of links between groups only, as ``SimilarityMatrix.between_groups``.
        path_budget: as in ``sweep_counts``.
        samples: as in ``sweep_counts``.
        seed: as in ``sweep_counts``.

    Returns:
        One row for each distinct threshold, ascending.

    Raises:
        ConfigurationError: more than 255 thresholds.
    """
    ascending = sorted(set(thresholds))
    if len(ascending) > _MOST_THRESHOLDS:
        raise ConfigurationError(f"there are {len(ascending)} thresholds; expected at most {_MOST_THRESHOLDS}")
    effort = _Effort(path_budget, samples, seed)
    rows = _swept(_grades(shares, ascending), range(1, len(ascending) + 1), effort, between_groups=between_groups)
    return [replace(row, threshold=threshold) for threshold, row in zip(ascending, rows, strict=True)]


@dataclass(frozen=True, slots=True)
class _Effort:
    path_budget: int
    samples: int
    seed: int
    exact_from: int | None = None

    def exactly(self, walks: int, k: int) -> bool:
        """Whether transitivity is to be exact at this k."""
        return walks <= self.path_budget or (self.exact_from is not None and k >= self.exact_from)


def _grades(shares: sp.csr_array, ascending: Sequence[float]) -> sp.csr_array:
    """How many thresholds each share reaches, as uint8: an eighth of the memory that shares would take to sweep."""
    grades = np.zeros(shares.nnz, dtype=np.uint8)
    for threshold in ascending:
        grades += shares.data >= threshold
    return sp.csr_array((grades, shares.indices, shares.indptr), shape=shares.shape)


def _swept(
    counts: sp.csr_array, ascending: Sequence[int], effort: _Effort, *, between_groups: bool
) -> Iterator[Measures]:
    links, reverse = counts, counts.T.tocsr()
    for k in ascending:
        # Links only ever fall away, so each step filters what the step before it left.
        links, reverse = at_least(links, k), at_least(reverse, k)
        yield _measured(k, links, reverse, effort, between_groups=between_groups)


def _measured(k: int, links: sp.csr_array, reverse: sp.csr_array, effort: _Effort, *, between_groups: bool) -> Measures:
    returned = reciprocated(links, reverse)
    by_middle = paths_by_middle(links, reverse, returned)
    reciprocal, paths = int(returned.sum()), int(by_middle.sum())
    closed: int | None = None
    transitivity = error = None
    if paths == 0 and not between_groups:
        closed = 0
    elif not between_groups and effort.exactly(paths + reciprocal, k):
        closed = int(closed_from(links).sum())
        transitivity = closed / paths
    elif not between_groups:
        hits = sampled_closed(links, reverse, by_middle, samples=effort.samples, seed=effort.seed)
        transitivity = hits / effort.samples
        closed = round(transitivity * paths)
        error = sqrt(transitivity * (1 - transitivity) / effort.samples)
    return Measures(
        k=None,
        threshold=None,
        documents=int(links.shape[0]),
        links=int(links.nnz),
        reciprocal=reciprocal,
        paths=paths,
        closed=closed,
        symmetry=reciprocal / links.nnz if links.nnz else None,
        transitivity=transitivity,
        sampled=error is not None,
        transitivity_error=error,
    )
