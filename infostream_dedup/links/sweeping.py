"""Symmetry and transitivity at every threshold of one similarity matrix, by sparse products.

A path is i -> j -> k with i, j, k pairwise distinct; it is closed if i -> k. Closed paths are counted, or sampled with
a standard error. All matrices of links are csr with an empty diagonal and sorted indices without repetition; only their
pattern counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.links.measures import EXACT_FROM, Measures
from infostream_dedup.links.similarity_matrix import SimilarityMatrix, at_least, pattern_of
from infostream_dedup.machine.progress import Progress
from infostream_dedup.machine.scratch import row_blocks

PATH_BUDGET: Final = 300_000_000
"""Maximum number of two-step walks followed exactly: the product takes 1 to 17 ns each, at most about 5 s in all."""

SAMPLES: Final = 1_000_000  # paths drawn above the budget, for a standard error of at most .0005
SEED: Final = 20090301  # seed of the draws: the month of the source paper's collection
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
        closed = int(closed_paths(links)[0].sum())
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


def closed_paths(links: sp.csr_array) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Count the closed paths from and to each document: sums of (A·A)∘A, in row blocks of bounded memory."""
    steps = sp.csr_array((np.ones(links.nnz, dtype=np.int32), links.indices, links.indptr), shape=links.shape)
    pattern, begun, ended = pattern_of(links), *np.zeros((2, links.shape[0]), dtype=np.int64)
    walks = np.asarray(steps @ np.diff(links.indptr).astype(np.int64), dtype=np.int64)
    for block in row_blocks(walks, _BLOCK_WALKS):
        closed = (steps[block] @ steps).multiply(pattern[block])
        begun[block] = closed.sum(axis=1, dtype=np.int64)
        ended += closed.sum(axis=0, dtype=np.int64)
    return begun, ended


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


# Intervals of S and T: what they would be over other documents of the same kind

MOST_WALKS: Final = 20_000_000
"""With more two-step walks, intervals are narrow, and finding them takes longer than S and T."""

FEWEST: Final = 10
"""Of fewer links (for S) or paths (for T) no interval is given: resampling cannot show what they did not meet."""

_Z: Final = 1.96


class Interval(NamedTuple):
    """95 % intervals; ``None`` where there are too few links or paths, or too many to look at."""

    symmetry_low: float | None = None
    symmetry_high: float | None = None
    transitivity_low: float | None = None
    transitivity_high: float | None = None


NO_INTERVAL: Final = Interval()


def intervals(matrix: SimilarityMatrix | None, rows: Iterable[Measures]) -> dict[int, Interval]:
    """The 95 % intervals of each row that has a k, from resampling the documents.

    A resample draws every document 0, 1 or more times (Poisson, mean 1). To first order, the variance of a ratio C / P
    is the sum of (C_i - C / P * P_i)^2 / P^2 over documents, where C_i and P_i count what document i is a part of.
    """
    found: dict[int, Interval] = {}
    if matrix is None:
        return found
    links = matrix.counts
    for row in sorted((one for one in rows if one.k is not None and one.k >= matrix.k_min), key=lambda one: one.k or 0):
        links = at_least(links, row.k or 0)
        if has_interval(row):
            found[row.k or 0] = _interval(links, row)
    return found


def has_interval(row: Measures) -> bool:
    """Whether the walks of a row are few enough and all counted."""
    return row.paths + row.reciprocal <= MOST_WALKS and not row.sampled and row.symmetry_error is None


def _interval(links: sp.csr_array, row: Measures) -> Interval:
    pattern = pattern_of(links)
    reverse = pattern.T.tocsr()
    out = np.diff(pattern.indptr).astype(np.float64)
    arriving = np.diff(reverse.indptr).astype(np.float64)
    returned = np.asarray(pattern.multiply(reverse).sum(axis=1), dtype=np.float64).ravel()
    s: tuple[float | None, float | None] = (None, None)
    if row.links >= FEWEST:
        s = _bounds(row.reciprocal, row.links, 2 * returned, out + arriving)
    t: tuple[float | None, float | None] = (None, None)
    if row.transitivity is not None and row.closed is not None and row.paths >= FEWEST:
        # A document is the start, the middle or the end of a path.
        first = pattern @ out - returned
        paths = arriving * out - returned + first + (reverse @ arriving - returned)
        # Closed through each j: links j -> l for which some i links both.
        both = (reverse.astype(np.int32) @ pattern.astype(np.int32)).multiply(pattern)
        through = np.asarray(both.sum(axis=1), dtype=np.float64).ravel()
        closed = np.sum([*closed_paths(links), through], axis=0)
        t = _bounds(row.closed, row.paths, closed, paths)
    return Interval(*s, *t)


def _bounds(
    part: int,
    whole: int,
    of_part: np.ndarray[tuple[int], np.dtype[np.float64]],
    of_whole: np.ndarray[tuple[int], np.dtype[np.float64]],
) -> tuple[float, float]:
    """The interval of part / whole, inside 0 and 1; never narrower than the rule of three allows at 0 and 1."""
    share = part / whole
    error = float(np.sqrt(((of_part - share * of_whole) ** 2).sum())) / whole
    if error == 0:
        # All documents agree: at most 3 of as many others would differ (Hanley and Lippman-Hand, 1983).
        error = min(1.0, 3 / int(np.count_nonzero(of_whole))) / _Z
    return round(max(0.0, share - _Z * error), 6), round(min(1.0, share + _Z * error), 6)
