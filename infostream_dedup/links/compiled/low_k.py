"""Links, symmetry and transitivity for k so small that the links cannot be stored.

At k = 1 a month of news has 5 * 10^9 links. They are counted row by row as they are found, in both directions at once,
for all documents or for a sample of them; closed paths are sampled.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import scipy.sparse as sp

from infostream_dedup.arrays import offsets_of
from infostream_dedup.links.compiled.collapse import Nodes, collapse
from infostream_dedup.links.compiled.kernels.both_directions import Counters, PlacedCollection, total_chunk
from infostream_dedup.links.compiled.kernels.link_totals import LINKS, RECIPROCAL, WALKS
from infostream_dedup.links.compiled.kernels.sampled_walks import (
    CLOSED,
    RETURNED,
    Neighbours,
    PlacedTerms,
    Walks,
    close_walks,
)
from infostream_dedup.links.compiled.posting_index import SHARD_SIZE, PostingIndex, ranked_rows
from infostream_dedup.links.compiled.sampled_low_k import DrawnPaths, SampledRows, count_sampled
from infostream_dedup.links.compiled.term_rows import TermRows, term_rows
from infostream_dedup.links.measures import Measures
from infostream_dedup.links.similarity_matrix import check_input
from infostream_dedup.links.sweeping import SEED
from infostream_dedup.machine.progress import Progress
from infostream_dedup.machine.threads import thread_count

if TYPE_CHECKING:
    from numpy.typing import NDArray


WALKS_DRAWN: Final = 100_000
"""Walks drawn at each k, for a standard error of transitivity of at most .0016."""

_ROWS_AT_ONCE = 256


def sweep_unstored(
    keys: sp.csr_array,
    targets: sp.csr_array,
    *,
    n: int,
    most: int = 3,
    sample: NDArray[np.int64] | None = None,
    walks: int = WALKS_DRAWN,
    seed: int = SEED,
    workers: int = 0,
    shard_size: int = SHARD_SIZE,
    progress: Progress | None = None,
) -> list[Measures]:
    """Measure the links at k = 1 to ``most`` without storing them.

    Args:
        sample: int64, ordinals of the documents whose links are counted, from ``sampling.drawn_documents``; ``None``
            for all.
        walks: two-step walks to draw at each k; those that return to their start are discarded.
        seed: same seed, same draws; each k starts from it.
        workers: threads; 0 for all cores this process may use. They do not change the result.

    Returns:
        One row for each k, ascending. ``closed`` and ``transitivity`` are sampled; everything else is exact without
        ``sample``.
    """
    check_input(keys, targets, n=n)
    threads = thread_count(workers)
    placed = _Placed.of(term_rows(keys), term_rows(targets), collapse(keys, targets), shard_size, threads, sample)
    collection = placed.collection
    with ThreadPoolExecutor(threads) as pool:
        if sample is not None:
            found = count_sampled(
                collection,
                placed.place_of,
                sample,
                n=n,
                most=most,
                counters=lambda: _counters(collection),
                pool=pool,
                progress=progress,
            )
            return _measure_sample(found, placed, most, walks, seed, pool)
        totals, outgoing, incoming = _count_links(collection, n, most, pool, progress)
        rows = []
        for k in range(1, most + 1):
            links, reciprocal, all_walks = totals[k]
            paths = all_walks - reciprocal
            drawn = DrawnPaths.none()
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
    """The collection in the order of its index.

    Attributes:
        collection: what is asked, and the lists that answer.
        terms: terms of all places.
        place_of: int64 (documents,), place of each document.
    """

    collection: PlacedCollection
    terms: PlacedTerms
    place_of: NDArray[np.int64]

    @classmethod
    def of(
        cls,
        keys: TermRows,
        targets: TermRows,
        nodes: Nodes,
        shard_size: int,
        threads: int,
        sample: NDArray[np.int64] | None,
    ) -> _Placed:
        """Index all documents; only sampled ones (if there is a sample) are used as queries."""
        index = PostingIndex.build(keys, targets, nodes.leaders, shard_size=shard_size, threads=threads)
        key_starts, key_postings = index.lists_of(keys, threads)
        node_at = nodes.node_of[index.order]
        place_of_node = np.empty(len(nodes), dtype=np.int64)
        place_of_node[node_at] = np.arange(len(nodes))
        place_of = place_of_node[nodes.node_of]
        asked = np.arange(len(index)) if sample is None else np.unique(place_of[sample])
        key_indptr, key_ranks = _rows_at(asked, keys, index)
        target_indptr, target_ranks = _rows_at(asked, targets, index)
        weights = nodes.weights[node_at]
        collection = PlacedCollection(
            key_indptr=key_indptr,
            key_ranks=key_ranks,
            target_indptr=target_indptr,
            target_ranks=target_ranks,
            target_starts=index.starts,
            target_postings=index.postings,
            key_starts=key_starts,
            key_postings=key_postings,
            shard_size=index.shard_size,
            weights=weights.astype(np.uint32),
            own=index.counts_within(weights, keys, targets),
        )
        return cls(collection, PlacedTerms(index.order, keys, targets), place_of)


def _rows_at(
    places: NDArray[np.int64], rows: TermRows, index: PostingIndex
) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
    """Start of the row of each place, and ranks of its terms; the rows of other places than these are empty."""
    indptr, ranks = ranked_rows(rows, index.order[places], index.rank)
    sizes = np.zeros(len(index), dtype=np.int64)
    sizes[places] = np.diff(indptr)
    return offsets_of(sizes), ranks


class Middles(NamedTuple):
    """Documents through which walks may be drawn, by place.

    Attributes:
        weights: (places,), number of such documents at each place.
        outgoing: int64 (places,), links from a document of the place.
        incoming: int64 (places,), links to it.
    """

    weights: NDArray[np.integer[Any]]
    outgoing: NDArray[np.int64]
    incoming: NDArray[np.int64]


def _measure_sample(
    found: SampledRows, placed: _Placed, most: int, walks: int, seed: int, pool: ThreadPoolExecutor
) -> list[Measures]:
    rows = []
    for k in range(1, most + 1):
        drawn = DrawnPaths.none()
        if found.times @ found.paths_through(k):
            by_place = np.zeros((3, len(placed.collection.weights)), dtype=np.int64)
            by_place[:, found.places] = found.times, found.outgoing[:, k - 1], found.incoming[:, k - 1]
            drawn = _draw_paths(placed, k, Middles(*by_place), walks, seed, pool)
        rows.append(found.measures(k, drawn))
    return rows


def _counters(collection: PlacedCollection) -> Counters:
    size = collection.shard_size
    return Counters(
        np.zeros(size, np.uint8), np.zeros(size, np.uint8), np.empty(size + 1, np.uint32), np.empty(size + 1, np.uint32)
    )


def _count_links(
    collection: PlacedCollection, n: int, most: int, pool: ThreadPoolExecutor, progress: Progress | None
) -> tuple[list[tuple[int, int, int]], NDArray[np.int64], NDArray[np.int64]]:
    """By k: links, reciprocal links, walks; and by k - 1 and place, the links from a document and those to it."""
    places = len(collection.weights)
    outgoing, incoming = np.zeros((2, most, places), dtype=np.int64)
    scratch = threading.local()

    def total(first: int) -> NDArray[np.int64]:
        if not hasattr(scratch, "counters"):
            scratch.counters = _counters(collection)
        part = np.zeros((n + 1, 4, 2), dtype=np.int64)
        last = min(first + _ROWS_AT_ONCE, places)
        total_chunk(first, last, collection, scratch.counters, part, outgoing, incoming)
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
            scratch.counters = _counters(placed.collection)
            scratch.lists = Neighbours(
                np.empty((2, len(up_to)), dtype=np.uint32),
                np.empty((2, len(up_to)), dtype=np.int64),
                np.empty(2, dtype=np.int64),
            )
        drawn = Walks(middles[part], arrivals[part], departures[part])
        close_walks(drawn, k, placed.collection, placed.terms, scratch.counters, scratch.lists, outcomes[part])

    list(pool.map(close, _parts(len(middles))))
    paths = outcomes != RETURNED
    return DrawnPaths(middles[paths], outcomes[paths] == CLOSED)


def _parts(size: int) -> Iterator[slice]:
    for first in range(0, size, _ROWS_AT_ONCE):
        yield slice(first, min(first + _ROWS_AT_ONCE, size))
