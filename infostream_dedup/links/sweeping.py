"""Symmetry and transitivity at every threshold of one similarity matrix, by sparse products.

A path is i -> j -> k with i, j, k pairwise distinct; it is closed if i -> k. Closed paths are counted, or sampled with
a standard error. All matrices of links are csr with an empty diagonal and sorted indices without repetition; only their
pattern counts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np
import scipy.sparse as sp

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.links.measures import EXACT_FROM, Measures
from infostream_dedup.links.similarity_matrix import SimilarityMatrix, at_least, pattern_of
from infostream_dedup.machine.scratch import row_blocks

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from infostream_dedup.machine.progress import Progress


PATH_BUDGET: Final = 300_000_000
"""Maximum number of two-step walks followed exactly: the product takes 1 to 17 ns each, at most about 5 s in all."""

SAMPLES: Final = 1_000_000
"""Paths drawn above the budget, for a standard error of at most .0005."""

SEED: Final = 20090301
"""Seed of the draws: the month of the source paper's collection."""

_BLOCK_LINKS = 4_000_000
_BLOCK_WALKS = 8_000_000
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


def _sweep(
    counts: sp.csr_array, ascending: Sequence[int], effort: _Effort, *, between_groups: bool
) -> Iterator[Measures]:
    if not ascending:
        return
    links, reverse = counts, counts.T.tocsr()
    for k in ascending:
        # Links only disappear as k rises, so each step filters what the previous one left.
        links, reverse = at_least(links, k), at_least(reverse, k)
        yield _measure(k, links, reverse, effort, between_groups=between_groups)


def _measure(k: int, links: sp.csr_array, reverse: sp.csr_array, effort: _Effort, *, between_groups: bool) -> Measures:
    returned = reciprocated(links, reverse)
    by_middle = paths_by_middle(links, reverse, returned)
    reciprocal, paths = int(returned.sum()), int(by_middle.sum())
    closed = draws = None
    if paths == 0 and not between_groups:
        closed = 0
    elif not between_groups and (
        paths + reciprocal <= effort.path_budget or (effort.exact_from is not None and k >= effort.exact_from)
    ):
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


def reciprocated(links: sp.csr_array, reverse: sp.csr_array) -> NDArray[np.int64]:
    """Count the reciprocated links of each document."""
    found = np.zeros(links.shape[0], dtype=np.int64)
    work = np.diff(links.indptr) + np.diff(reverse.indptr)
    for block in row_blocks(work, _BLOCK_LINKS):
        mutual = pattern_of(links[block]).multiply(pattern_of(reverse[block]))
        found[block] = np.diff(mutual.tocsr().indptr)
    return found


def paths_by_middle(links: sp.csr_array, reverse: sp.csr_array, returned: NDArray[np.int64]) -> NDArray[np.int64]:
    """Count the paths through each document: in(j) * out(j), minus those that return to their start."""
    arriving = np.diff(reverse.indptr).astype(np.int64)
    return np.asarray(arriving * np.diff(links.indptr) - returned, dtype=np.int64)


def closed_from(links: sp.csr_array) -> NDArray[np.int64]:
    """Count the closed paths from each document: row sums of (A·A)∘A, in row blocks of bounded memory."""
    steps = sp.csr_array((np.ones(links.nnz, dtype=np.int32), links.indices, links.indptr), shape=links.shape)
    pattern, closed = pattern_of(links), np.zeros(links.shape[0], dtype=np.int64)
    walks = np.asarray(steps @ np.diff(links.indptr).astype(np.int64), dtype=np.int64)
    for block in row_blocks(walks, _BLOCK_WALKS):
        closed[block] = (steps[block] @ steps).multiply(pattern[block]).sum(axis=1, dtype=np.int64)
    return closed


def sampled_closed(
    links: sp.csr_array, reverse: sp.csr_array, paths: NDArray[np.int64], *, samples: int = SAMPLES, seed: int = SEED
) -> int:
    """Draw paths uniformly with replacement and count the closed ones."""
    first, _, third = drawn_paths(links, reverse, paths, samples=samples, seed=seed)
    return int(np.count_nonzero(_holds(links, first, third)))


def drawn_paths(
    links: sp.csr_array, reverse: sp.csr_array, paths: NDArray[np.int64], *, samples: int, seed: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Draw paths uniformly with replacement.

    The middle j is drawn in proportion to its paths, then i and k among its neighbours, repeatedly while i = k: every
    path is equally likely, and at least half of the draws are paths.
    """
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


def _drawn(matrix: sp.csr_array, rows: NDArray[np.int64], random: np.random.Generator) -> NDArray[np.int64]:
    """Draw one entry of each row uniformly, and return its column."""
    start = matrix.indptr[rows].astype(np.int64)
    place = start + random.integers(matrix.indptr[rows + 1] - start)
    return np.asarray(matrix.indices[place], dtype=np.int64)


def _holds(matrix: sp.csr_array, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether each (row, column) is stored: one binary search per entry, all at once."""
    low = matrix.indptr[rows].astype(np.int64)
    high = matrix.indptr[rows + 1].astype(np.int64)
    end = high.copy()
    searching = np.flatnonzero(low < high)
    while len(searching):
        half = (low[searching] + high[searching]) // 2
        beyond = matrix.indices[half] < columns[searching]
        low[searching[beyond]] = half[beyond] + 1
        high[searching[~beyond]] = half[~beyond]
        searching = searching[low[searching] < high[searching]]
    found = low < end
    found[found] = matrix.indices[low[found]] == columns[found]
    return found
