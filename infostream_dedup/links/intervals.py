"""Intervals of S and T: what they would be over other documents of the same kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import scipy.sparse as sp

from infostream_dedup.links.similarity_matrix import SimilarityMatrix, at_least, pattern_of
from infostream_dedup.links.sweeping import closed_from

if TYPE_CHECKING:
    from collections.abc import Iterable

    from infostream_dedup.links.measures import Measures

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
        last = reverse @ arriving - returned
        paths = arriving * out - returned + first + last
        # Closed through each j: links j -> l for which some i links both.
        both = (reverse.astype(np.int32) @ pattern.astype(np.int32)).multiply(pattern)
        through = np.asarray(both.sum(axis=1), dtype=np.float64).ravel()
        closed = closed_from(links) + closed_from(sp.csr_array(reverse)) + through
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
