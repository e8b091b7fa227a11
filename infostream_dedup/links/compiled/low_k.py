"""Links, symmetry and transitivity for k so small that the links cannot be stored.

At k = 1 a month of news has 5 * 10^9 links. They are counted row by row as they are found, in both directions at once,
for all documents or for a sample of them; closed paths are sampled.
"""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from math import sqrt
from typing import Any, Final, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from infostream_dedup.links.compiled.kernels import low_k as kernels
from infostream_dedup.links.compiled.kernels.low_k import LINKS, RECIPROCAL, WALKS
from infostream_dedup.links.compiled.matching import SHARD_SIZE, Nodes, PostingIndex, collapse, ranked_rows
from infostream_dedup.links.compiled.term_rows import TermRows, term_rows
from infostream_dedup.links.measures import Measures, error_of_share
from infostream_dedup.links.similarity_matrix import check_input
from infostream_dedup.links.sweeping import SEED
from infostream_dedup.machine.arrays import Bools, Floats, Ints, Ragged, offsets_of
from infostream_dedup.machine.progress import Progress
from infostream_dedup.machine.threads import thread_count

# Links at small k from some of the documents: counting a whole month at k = 1 to 3 would take a minute.
#
# Each sampled document is asked in both directions, against all documents. Sums over the sample, scaled up, estimate
# the sums over the collection (Cochran 1977, sections 2.6 and 6.4: simple random sampling without replacement).

_ROWS_AT_ONCE: Final = 256


class DrawnPaths(NamedTuple):
    """Two-step paths drawn at random."""

    middles: Ints  # int64 (paths,), place of the document in the middle
    closed: Bools  # bool (paths,), whether the path is closed


_NO_PATHS: Final = DrawnPaths(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.bool_))


class Middles(NamedTuple):
    """Documents through which walks may be drawn, by place."""

    weights: NDArray[np.integer[Any]]  # (places,), number of such documents at each place
    outgoing: Ints  # int64 (places,), links from a document of the place
    incoming: Ints  # int64 (places,), links to it


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SampledRows:
    """Links of sampled documents, by the place of each; equal documents share a place."""

    documents: int  # number of documents in the collection
    places: Ints  # int64 (rows,), ascending, each once
    times: Ints  # int64 (rows,), sampled documents at each place
    outgoing: Ints  # int64 (rows, k), documents that a document of the place links to at k = 1, 2,
    incoming: Ints  # int64 (rows, k), documents that link to it
    returned: Ints  # int64 (rows, k), documents linked both ways

    def paths_through(self, k: int) -> Floats:
        """float64 (rows,): two-step paths over distinct documents with a document of each place in the middle."""
        return self.outgoing[:, k - 1].astype(np.float64) * self.incoming[:, k - 1] - self.returned[:, k - 1]

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
        sums, squares = (np.bincount(place, one, minlength=len(self.places)) for one in (deviations, deviations**2))
        # Documents at one place are sampled one by one.
        return max(float(((sums**2 - squares) / self.times).sum()) / (draws * (draws - 1)), 0.0)

    def _deviation(self, residuals: Floats) -> float:
        """Standard deviation over the sampled documents of values whose mean is 0."""
        return sqrt(float(self.times @ residuals**2) / max(int(self.times.sum()) - 1, 1))


def _count_sampled(
    placed: _Placed, sample: Ints, n: int, most: int, pool: ThreadPoolExecutor, progress: Progress | None
) -> SampledRows:
    """Count the links of some documents in both directions."""
    collection, place_of = placed.collection, placed.place_of
    places, times = np.unique(place_of[sample], return_counts=True)
    scratch = threading.local()

    def count(first: int) -> Ints:
        if not hasattr(scratch, "counters"):
            scratch.counters = counters_for(collection.holding.shard_size)
        rows = places[first : first + _ROWS_AT_ONCE]
        counts = np.zeros((3, len(rows), n + 1), dtype=np.int64)
        keys, targets = _chosen(collection.keys, rows), _chosen(collection.targets, rows)
        kernels.count_asked(collection._replace(keys=keys, targets=targets), rows, scratch.counters, *counts)
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


def _chosen(terms: TermRows, rows: Ints) -> TermRows:
    chosen = Ragged(terms.indptr, terms.indices).rows(rows)
    return TermRows(chosen.indptr, chosen.values, terms.terms)


WALKS_DRAWN: Final = 100_000  # walks drawn at each k, for a standard error of transitivity of at most .0016


def sweep_unstored(
    keys: sp.csr_array,
    targets: sp.csr_array,
    *,
    n: int,
    most: int = 3,
    sample: Ints | None = None,
    walks: int = WALKS_DRAWN,
    seed: int = SEED,
    workers: int = 0,
    shard_size: int = SHARD_SIZE,
    progress: Progress | None = None,
) -> list[Measures]:
    """Measure links at each k from 1 to ``most``, not stored; T is sampled, and with ``sample`` everything is."""
    check_input(keys, targets, n=n)
    threads = thread_count(workers)
    placed = _Placed.of(term_rows(keys), term_rows(targets), collapse(keys, targets), shard_size, threads, sample)
    collection = placed.collection
    with ThreadPoolExecutor(threads) as pool:
        if sample is not None:
            found = _count_sampled(placed, sample, n, most, pool, progress)
            return _measure_sample(found, placed, most, walks, seed, pool)
        totals, outgoing, incoming = _count_links(collection, n, most, pool, progress)
        rows = []
        for k in range(1, most + 1):
            links, reciprocal, all_walks = totals[k]
            paths = all_walks - reciprocal
            drawn = _NO_PATHS
            if paths:
                middles = Middles(collection.weights, outgoing[k - 1], incoming[k - 1])
                drawn = _draw_paths(placed, k, middles, walks, seed, pool)
            rows.append(
                Measures.of(
                    k=k,
                    documents=keys.shape[0],
                    links=links,
                    reciprocal=reciprocal,
                    paths=paths,
                    closed=int(drawn.closed.sum()),
                    draws=len(drawn.closed),
                )
            )
    return rows


@dataclass(frozen=True, slots=True)
class _Placed:
    """The collection in the order of its index."""

    collection: kernels.PlacedCollection  # what is asked, and the lists that answer
    terms: kernels.PlacedTerms  # terms of all places
    place_of: Ints  # int64 (documents,), place of each document

    @classmethod
    def of(
        cls, keys: TermRows, targets: TermRows, nodes: Nodes, shard_size: int, threads: int, sample: Ints | None
    ) -> _Placed:
        """Index all documents; only sampled ones (if there is a sample) are used as queries."""
        index = PostingIndex.build(keys, targets, nodes.leaders, shard_size=shard_size, threads=threads)
        node_at = nodes.node_of[index.order]
        place_of_node = np.empty(len(nodes), dtype=np.int64)
        place_of_node[node_at] = np.arange(len(nodes))
        place_of = place_of_node[nodes.node_of]
        asked = np.arange(len(index)) if sample is None else np.unique(place_of[sample])
        weights = nodes.weights[node_at]
        collection = kernels.PlacedCollection(
            keys=_rows_at(asked, keys, index),
            targets=_rows_at(asked, targets, index),
            holding=index.lists,
            having=index.lists_of(keys, threads),
            weights=weights.astype(np.uint32),
            own=index.counts_within(weights, keys, targets),
        )
        return cls(collection, kernels.PlacedTerms(index.order, keys, targets), place_of)


def _rows_at(places: Ints, rows: TermRows, index: PostingIndex) -> TermRows:
    """Ranks of the terms of each place; the rows of other places than these are empty."""
    ranked = ranked_rows(rows, index.order[places], index.rank)
    sizes = np.zeros(len(index), dtype=np.int64)
    sizes[places] = np.diff(ranked.indptr)
    return ranked._replace(indptr=offsets_of(sizes))


def _measure_sample(
    found: SampledRows, placed: _Placed, most: int, walks: int, seed: int, pool: ThreadPoolExecutor
) -> list[Measures]:
    rows = []
    for k in range(1, most + 1):
        drawn = _NO_PATHS
        if found.times @ found.paths_through(k):
            by_place = np.zeros((3, len(placed.collection.weights)), dtype=np.int64)
            by_place[:, found.places] = found.times, found.outgoing[:, k - 1], found.incoming[:, k - 1]
            drawn = _draw_paths(placed, k, Middles(*by_place), walks, seed, pool)
        rows.append(found.measures(k, drawn))
    return rows


def counters_for(size: int) -> kernels.Counters:
    """Counters for shards of this many places."""
    forward, backward = (kernels.HitCounts(np.zeros(size, np.uint8), np.empty(size + 1, np.uint32)) for _ in range(2))
    return kernels.Counters(forward, backward)


def _count_links(
    collection: kernels.PlacedCollection, n: int, most: int, pool: ThreadPoolExecutor, progress: Progress | None
) -> tuple[list[tuple[int, int, int]], Ints, Ints]:
    """By k: links, reciprocal links, walks; and by k - 1 and place, the links from a document and those to it."""
    places = len(collection.weights)
    outgoing, incoming = np.zeros((2, most, places), dtype=np.int64)
    scratch = threading.local()

    def total(first: int) -> Ints:
        if not hasattr(scratch, "counters"):
            scratch.counters = counters_for(collection.holding.shard_size)
        part = np.zeros((n + 1, 4, 2), dtype=np.int64)
        last = min(first + _ROWS_AT_ONCE, places)
        kernels.total_chunk(first, last, collection, scratch.counters, part, outgoing, incoming)
        return part

    documents = np.cumsum(collection.weights, dtype=np.int64)
    sums = [[0] * 4 for _ in range(n + 1)]
    for block, part in enumerate(pool.map(total, range(0, places, _ROWS_AT_ONCE))):
        for k, numbers in enumerate(part.tolist()):
            for number, (upper, lower) in enumerate(numbers):
                sums[k][number] += (upper << 32) + lower
        if progress is not None:
            last = min((block + 1) * _ROWS_AT_ONCE, places) - 1
            progress("counting links", int(documents[last]), int(documents[-1]))
    return [(row[LINKS], row[RECIPROCAL], row[WALKS]) for row in sums], outgoing, incoming


def _draw_paths(
    placed: _Placed, k: int, through: Middles, walks: int, seed: int, pool: ThreadPoolExecutor
) -> DrawnPaths:
    """Draw walks uniformly; keep those with distinct ends.

    The middle is drawn by the number of walks through it, then one link to it and one from it. The walks that do not
    return to their start are uniform among the paths.
    """
    random = np.random.default_rng(seed)
    walks_at = through.weights * (through.outgoing.astype(np.float64) * through.incoming)
    up_to = np.cumsum(walks_at)
    middles = np.sort(np.searchsorted(up_to, random.random(walks) * up_to[-1], side="right"))
    # A draw may be rounded up to the end.
    middles = np.minimum(middles, np.flatnonzero(walks_at)[-1])
    arrivals = random.integers(through.incoming[middles])
    departures = random.integers(through.outgoing[middles])
    scratch = threading.local()
    outcomes = np.empty(len(middles), dtype=np.uint8)

    def close(part: slice) -> None:
        if not hasattr(scratch, "counters"):
            scratch.counters = counters_for(placed.collection.holding.shard_size)
            scratch.lists = kernels.Neighbours(
                np.empty((2, len(up_to)), dtype=np.uint32),
                np.empty((2, len(up_to)), dtype=np.int64),
                np.empty(2, dtype=np.int64),
            )
        drawn = kernels.Walks(middles[part], arrivals[part], departures[part])
        kernels.close_walks(drawn, k, placed.collection, placed.terms, scratch.counters, scratch.lists, outcomes[part])

    list(pool.map(close, (slice(first, first + _ROWS_AT_ONCE) for first in range(0, walks, _ROWS_AT_ONCE))))
    paths = outcomes != kernels.RETURNED
    return DrawnPaths(middles[paths], outcomes[paths] == kernels.CLOSES)
