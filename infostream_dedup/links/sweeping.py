"""Symmetry and transitivity at every threshold of one similarity matrix, by sparse products.

A path is i -> j -> k with i, j, k pairwise distinct; it is closed if i -> k. Closed paths are counted, or sampled with
a standard error. All matrices of links are csr with an empty diagonal and sorted indices without repetition; only their
pattern counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import scipy.sparse as sp

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.links.measures import EXACT_FROM, Interval, LinkWalks, Measures, has_interval
from infostream_dedup.links.similarity_matrix import SimilarityMatrix, at_least
from infostream_dedup.machine.arrays import Ints
from infostream_dedup.machine.progress import Progress

PATH_BUDGET: Final = 300_000_000
"""Maximum number of two-step walks followed exactly: the product takes 1 to 17 ns each, at most about 5 s in all."""

SAMPLES: Final = 1_000_000  # paths drawn above the budget, for a standard error of at most .0005
SEED: Final = 20090301  # seed of the draws: the month of the source paper's collection
_MOST_THRESHOLDS = 255


def sweep_by_products(
    matrix: SimilarityMatrix,
    ks: Iterable[int],
    *,
    progress: Progress | None = None,
    exact_from: int | None = EXACT_FROM,
    path_budget: int = PATH_BUDGET,
    samples: int = SAMPLES,
    seed: int = SEED,
) -> list[Measures]:
    """Measure the links at each distinct k, ascending, by sparse products."""
    ascending = matrix.stored_ks(ks)
    effort = _Effort(path_budget, samples, seed, exact_from)
    rows = []
    for row in _sweep(matrix.counts, ascending, effort, between_groups=matrix.between_groups):
        rows.append(row)
        if progress is not None:
            progress("measuring", len(rows), len(ascending))
    return rows


def sweep_shares(shares: sp.csr_array, thresholds: Iterable[float], *, between_groups: bool = False) -> list[Measures]:
    """Measure the links at each distinct threshold of the matched share of weight, ascending."""
    ascending = sorted(set(thresholds))
    if len(ascending) > _MOST_THRESHOLDS:
        raise ConfigurationError(f"there are {len(ascending)} thresholds; expected at most {_MOST_THRESHOLDS}")
    effort = _Effort(PATH_BUDGET, SAMPLES, SEED)
    rows = _sweep(_grades(shares, ascending), range(1, len(ascending) + 1), effort, between_groups=between_groups)
    return [replace(row, k=None, threshold=threshold) for threshold, row in zip(ascending, rows, strict=True)]


@dataclass(frozen=True, slots=True)
class _Effort:
    path_budget: int
    samples: int
    seed: int
    exact_from: int | None = None


def _grades(shares: sp.csr_array, ascending: Sequence[float]) -> sp.csr_array:
    """Count the thresholds that each share reaches, as uint8: an eighth of the memory of the shares."""
    grades = np.zeros(shares.nnz, dtype=np.uint8)
    for threshold in ascending:
        grades += shares.data >= threshold
    return sp.csr_array((grades, shares.indices, shares.indptr), shape=shares.shape)


def _sweep(counts: sp.csr_array, steps: Sequence[int], effort: _Effort, *, between_groups: bool) -> Iterator[Measures]:
    if not steps:
        return
    links, reverse = counts, counts.T.tocsr()
    for k in steps:
        # Links only disappear as k rises, so each step filters what the previous one left.
        links, reverse = at_least(links, k), at_least(reverse, k)
        yield _measure(k, links, reverse, effort, between_groups=between_groups)


def _measure(k: int, links: sp.csr_array, reverse: sp.csr_array, effort: _Effort, *, between_groups: bool) -> Measures:
    walks = LinkWalks.of(links.indptr, links.indices)
    returned, _ = walks.counted(paths=False)
    by_middle = walks.paths(returned)
    exact = walks.number <= effort.path_budget or (effort.exact_from is not None and k >= effort.exact_from)
    if exact or between_groups or not by_middle.any():
        return walks.measures(k, between_groups=between_groups)[0]
    closed = sampled_closed(links, reverse, by_middle, samples=effort.samples, seed=effort.seed)
    return Measures.of(
        k=k, documents=links.shape[0], links=int(links.nnz), reciprocal=int(returned.sum()),
        paths=int(by_middle.sum()), closed=closed, draws=effort.samples,
    )  # fmt: skip


def sampled_closed(
    links: sp.csr_array, reverse: sp.csr_array, paths: Ints, *, samples: int = SAMPLES, seed: int = SEED
) -> int:
    """Draw paths uniformly with replacement and count the closed ones."""
    first, _, third = drawn_paths(links, reverse, paths, samples=samples, seed=seed)
    return int(np.count_nonzero(links[first, third]))


def drawn_paths(
    links: sp.csr_array, reverse: sp.csr_array, paths: Ints, *, samples: int, seed: int
) -> tuple[Ints, Ints, Ints]:
    """Draw paths uniformly with replacement."""
    # The middle j is drawn in proportion to its paths, then i and k among its neighbours, repeatedly while i = k: every
    # path is equally likely, and at least half of the draws are paths.
    random = np.random.default_rng(seed)
    up_to = np.cumsum(paths)
    middle = np.searchsorted(up_to, random.integers(up_to[-1], size=samples), side="right")
    first = np.empty(samples, dtype=np.int64)
    third = np.empty(samples, dtype=np.int64)
    undrawn = np.arange(samples)
    while len(undrawn):
        first[undrawn] = _drawn(reverse, middle[undrawn], random)
        third[undrawn] = _drawn(links, middle[undrawn], random)
        undrawn = undrawn[first[undrawn] == third[undrawn]]
    return first, middle, third


def _drawn(matrix: sp.csr_array, rows: Ints, random: np.random.Generator) -> Ints:
    """Draw one entry of each row uniformly, and return its column."""
    start = matrix.indptr[rows].astype(np.int64)
    place = start + random.integers(matrix.indptr[rows + 1] - start)
    return np.asarray(matrix.indices[place], dtype=np.int64)


def intervals(matrix: SimilarityMatrix | None, rows: Iterable[Measures]) -> dict[int, Interval]:
    """The 95 % intervals of each row that has a k."""
    found: dict[int, Interval] = {}
    if matrix is None:
        return found
    links = matrix.counts
    for row in sorted((one for one in rows if one.k is not None and one.k >= matrix.k_min), key=lambda one: one.k or 0):
        links = at_least(links, row.k or 0)
        if has_interval(row):
            walks = LinkWalks.of(links.indptr, links.indices)
            found[row.k or 0] = walks.measures(row.k or 0, between_groups=matrix.between_groups)[1]
    return found
