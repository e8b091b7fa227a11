"""Symmetry and transitivity at every threshold of one similarity matrix, by sparse products."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.links.entries import at_least
from infostream_dedup.links.measures import EXACT_FROM, Measures
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
from infostream_dedup.machine.progress import Progress

__all__ = ["sweep_counts", "sweep_shares"]

_MOST_THRESHOLDS = 255


def sweep_counts(
    matrix: SimilarityMatrix,
    ks: Iterable[int],
    *,
    progress: Progress | None = None,
    exact_from: int | None = EXACT_FROM,
    path_budget: int = PATH_BUDGET,
    samples: int = SAMPLES,
    seed: int = SEED,
) -> list[Measures]:
    """Measure the links at each k, as in ``backend.SweepCounts``.

    Args:
        matrix: counts; not changed.
        ks: each at least ``matrix.k_min``.
        progress: called with the number of thresholds done.
        exact_from: transitivity is exact from this k upwards, however long it takes; ``None`` for no such k.
        path_budget: below ``exact_from``, transitivity is exact up to this many two-step walks (paths, and walks that
            return to their start) and sampled above.
        samples: paths to draw.
        seed: seed of the draws; each k starts from it, so that a row does not depend on which others were requested.

    Returns:
        One row for each distinct k, ascending.

    Raises:
        ConfigurationError: a k is below ``matrix.k_min``.
    """
    ascending = matrix.stored_ks(ks)
    effort = _Effort(path_budget, samples, seed, exact_from)
    rows = []
    for row in _sweep(matrix.counts, ascending, effort, between_groups=matrix.between_groups):
        rows.append(row)
        if progress is not None:
            progress("measuring", len(rows), len(ascending))
    return rows


def sweep_shares(
    shares: sp.csr_array,
    thresholds: Iterable[float],
    *,
    between_groups: bool = False,
    path_budget: int = PATH_BUDGET,
    samples: int = SAMPLES,
    seed: int = SEED,
) -> list[Measures]:
    """Measure the links at each threshold of the matched share of weight.

    Args:
        shares: float64 (documents, documents), from ``SimilarityMatrix.shares``.
        thresholds: each above 0 to 1, at most 255 of them.
        between_groups: whether only links between groups are left, as in ``SimilarityMatrix.between_groups``.
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
    rows = _sweep(_grades(shares, ascending), range(1, len(ascending) + 1), effort, between_groups=between_groups)
    return [replace(row, k=None, threshold=threshold) for threshold, row in zip(ascending, rows, strict=True)]


@dataclass(frozen=True, slots=True)
class _Effort:
    path_budget: int
    samples: int
    seed: int
    exact_from: int | None = None

    def is_exact(self, walks: int, k: int) -> bool:
        """Whether transitivity is to be exact at this k."""
        return walks <= self.path_budget or (self.exact_from is not None and k >= self.exact_from)


def _grades(shares: sp.csr_array, ascending: Sequence[float]) -> sp.csr_array:
    """Number of thresholds each share reaches, as uint8: an eighth of the memory of the shares."""
    grades = np.zeros(shares.nnz, dtype=np.uint8)
    for threshold in ascending:
        grades += shares.data >= threshold
    return sp.csr_array((grades, shares.indices, shares.indptr), shape=shares.shape)


def _sweep(
    counts: sp.csr_array, ascending: Sequence[int], effort: _Effort, *, between_groups: bool
) -> Iterator[Measures]:
    if not ascending:
        return
    links, reverse = counts, counts.T.tocsr()
    for k in ascending:
        # Links only ever fall away as k rises, so each step filters what the previous one left.
        links, reverse = at_least(links, k), at_least(reverse, k)
        yield _measure(k, links, reverse, effort, between_groups=between_groups)


def _measure(k: int, links: sp.csr_array, reverse: sp.csr_array, effort: _Effort, *, between_groups: bool) -> Measures:
    returned = reciprocated(links, reverse)
    by_middle = paths_by_middle(links, reverse, returned)
    reciprocal, paths = int(returned.sum()), int(by_middle.sum())
    closed = draws = None
    if paths == 0 and not between_groups:
        closed = 0
    elif not between_groups and effort.is_exact(paths + reciprocal, k):
        closed = int(closed_from(links).sum())
    elif not between_groups:
        closed = sampled_closed(links, reverse, by_middle, samples=effort.samples, seed=effort.seed)
        draws = effort.samples
    return Measures.of(
        k=k,
        documents=int(links.shape[0]),
        links=int(links.nnz),
        reciprocal=reciprocal,
        paths=paths,
        closed=closed,
        draws=draws,
    )
