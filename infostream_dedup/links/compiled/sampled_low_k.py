"""Links at small k from some of the documents: counting a whole month at k = 1 to 3 would take a minute.

Each sampled document is asked in both directions, against all documents. Sums over the sample, scaled up, estimate the
sums over the collection (Cochran 1977, sections 2.6 and 6.4: simple random sampling without replacement).
"""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from math import sqrt
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from infostream_dedup.arrays import offsets_of
from infostream_dedup.links.compiled.kernels.both_directions import Counters, PlacedCollection, count_asked
from infostream_dedup.links.measures import Measures, error_of_share
from infostream_dedup.machine.progress import Progress

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray


_ROWS_AT_ONCE: Final = 256


class DrawnPaths(NamedTuple):
    """Two-step paths drawn at random.

    Attributes:
        middles: int64 (paths,), place of the document in the middle.
        closed: bool (paths,), whether the path is closed.
    """

    middles: NDArray[np.int64]
    closed: NDArray[np.bool_]

    @classmethod
    def none(cls) -> DrawnPaths:
        """No paths."""
        return cls(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.bool_))


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SampledRows:
    """Links of sampled documents, by the place of each; equal documents share a place.

    Attributes:
        documents: number of documents in the collection.
        places: int64 (rows,), ascending, each once.
        times: int64 (rows,), sampled documents at each place.
        outgoing: int64 (rows, k), documents that a document of the place links to at k = 1, 2, ...
        incoming: int64 (rows, k), documents that link to it.
        returned: int64 (rows, k), documents linked both ways.
    """

    documents: int
    places: NDArray[np.int64]
    times: NDArray[np.int64]
    outgoing: NDArray[np.int64]
    incoming: NDArray[np.int64]
    returned: NDArray[np.int64]

    def paths_through(self, k: int) -> NDArray[np.float64]:
        """float64 (rows,): two-step paths over distinct documents with a document of each place in the middle."""
        at = k - 1
        return self.outgoing[:, at].astype(np.float64) * self.incoming[:, at] - self.returned[:, at]

    def measures(self, k: int, drawn: DrawnPaths) -> Measures:
        """Estimates at one k, with their standard errors."""
        size = int(self.times.sum())
        scale, left = self.documents / size, 1 - size / self.documents
        out, both = self.outgoing[:, k - 1].astype(np.float64), self.returned[:, k - 1].astype(np.float64)
        links, reciprocal = float(self.times @ out), float(self.times @ both)
        paths = float(self.times @ self.paths_through(k))
        row = Measures.of(
            k=k,
            documents=self.documents,
            links=round(scale * links),
            reciprocal=round(scale * reciprocal),
            paths=round(scale * paths),
            closed=int(drawn.closed.sum()),
            draws=len(drawn.closed),
        )
        spread = self._deviation(out - links / size) * sqrt(left / size)
        symmetry = reciprocal / links if links else None
        if row.transitivity is not None:
            drawing = error_of_share(row.transitivity, len(drawn.closed))
            row = replace(row, transitivity_error=sqrt(drawing**2 + left * self._variance_of_middles(drawn)))
        return replace(
            row,
            symmetry=symmetry,
            symmetry_error=None
            if symmetry is None
            else self._deviation(both - symmetry * out) * sqrt(left / size) / (links / size),
            links_error=self.documents * spread,
            sampled=True,
        )

    def _variance_of_middles(self, drawn: DrawnPaths) -> float:
        """Variance of the transitivity because other documents might have been in the middle, with replacement.

        It is the sum of squares of (share of the paths through a middle) * (its own transitivity - that of all). Two
        draws have the same middle with the probability of its squared share, so the mean product of their deviations
        over all pairs of draws, 0 for different middles, estimates the sum without bias.
        """
        draws = len(drawn.closed)
        if draws < 2:
            return 0.0
        place = np.searchsorted(self.places, drawn.middles)
        deviations = drawn.closed - drawn.closed.mean()
        sums, squares = (
            np.bincount(place, values, minlength=len(self.places)) for values in (deviations, deviations**2)
        )
        # Documents at one place are sampled one by one.
        return max(float(((sums**2 - squares) / self.times).sum()) / (draws * (draws - 1)), 0.0)

    def _deviation(self, residuals: NDArray[np.float64]) -> float:
        """Standard deviation over the sampled documents of values whose mean is 0."""
        return sqrt(float(self.times @ residuals**2) / max(int(self.times.sum()) - 1, 1))


def count_sampled(
    collection: PlacedCollection,
    place_of: NDArray[np.int64],
    sample: NDArray[np.int64],
    *,
    n: int,
    most: int,
    counters: Callable[[], Counters],
    pool: ThreadPoolExecutor,
    progress: Progress | None = None,
) -> SampledRows:
    """Count the links of some documents in both directions.

    Args:
        place_of: int64 (documents,), place of each document.
    """
    places, times = np.unique(place_of[sample], return_counts=True)
    scratch = threading.local()

    def count(first: int) -> NDArray[np.int64]:
        if not hasattr(scratch, "counters"):
            scratch.counters = counters()
        rows = places[first : first + _ROWS_AT_ONCE]
        counts = np.zeros((3, len(rows), n + 1), dtype=np.int64)
        count_asked(len(rows), _asking(collection, rows), rows, scratch.counters, *counts)
        return counts

    parts = []
    for number, part in enumerate(pool.map(count, range(0, len(places), _ROWS_AT_ONCE))):
        parts.append(part)
        if progress is not None:
            progress("counting links", min((number + 1) * _ROWS_AT_ONCE, len(places)), len(places))
    by_count = np.concatenate(parts, axis=1)
    at_least = np.cumsum(by_count[:, :, ::-1], axis=2)[:, :, ::-1][:, :, 1 : most + 1]
    # Equal documents are linked to each other at each k up to the count of their own terms.
    beside = np.where(
        collection.own[places, None] >= np.arange(1, most + 1), collection.weights[places, None].astype(np.int64) - 1, 0
    )
    outgoing, incoming, returned = at_least + beside
    return SampledRows(
        documents=len(place_of),
        places=places,
        times=times.astype(np.int64),
        outgoing=outgoing,
        incoming=incoming,
        returned=returned,
    )


def _asking(collection: PlacedCollection, rows: NDArray[np.int64]) -> PlacedCollection:
    """The collection with only some rows' own terms."""
    key_indptr, key_ranks = _rows_of(collection.key_indptr, collection.key_ranks, rows)
    target_indptr, target_ranks = _rows_of(collection.target_indptr, collection.target_ranks, rows)
    return collection._replace(
        key_indptr=key_indptr, key_ranks=key_ranks, target_indptr=target_indptr, target_ranks=target_ranks
    )


def _rows_of(
    indptr: NDArray[np.int64], values: NDArray[np.uint32], rows: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
    chosen = offsets_of(indptr[rows + 1] - indptr[rows])
    picked = [values[indptr[row] : indptr[row + 1]] for row in rows.tolist()]
    return chosen, np.concatenate(picked)
