"""Symmetry and transitivity at every k of one counts matrix, exact and over all cores, also for 10^8 links.

Same numbers as ``sweep_counts``. Documents are put into single-linkage order first, so that the links of a document lie
close together and a row is a few 64-bit words; closed paths are then counted a word at a time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.links.kernels.closed_paths import close_paths, close_weighted_paths, drop_below, pack_rows
from infostream_dedup.links.kernels.link_totals import CLOSED, LINKS, RECIPROCAL, WALKS, total_rows
from infostream_dedup.links.kernels.linkage_order import join_linked, relabelled, transposed
from infostream_dedup.links.row_blocks import row_blocks
from infostream_dedup.links.similarity_matrix import SimilarityMatrix
from infostream_dedup.links.sweep import Measures
from infostream_dedup.machine.first_use import FirstUse
from infostream_dedup.machine.progress import Progress
from infostream_dedup.machine.threads import thread_count

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["fast_sweep", "fast_sweep_nodes"]

_ORDER_LEVELS = 4
_BLOCKS = 256
_LEAST_WORK = 1 << 18
"""Steps over links in a block: enough that handing it to a thread costs little beside it."""


def fast_sweep(
    matrix: SimilarityMatrix, ks: Iterable[int], *, workers: int = 0, progress: Progress | None = None
) -> list[Measures]:
    """Measure the links at each k; transitivity is always exact.

    Args:
        matrix: of counts; it is read, not changed.
        ks: each at least ``matrix.k_min``.
        workers: threads; 0 for as many as the process may use. They do not change the result.
        progress: told of each k done.

    Returns:
        One row for each distinct k, ascending.

    Raises:
        ConfigurationError: a k is below ``matrix.k_min``.
    """
    ascending = sorted(set(ks))
    if ascending and ascending[0] < matrix.k_min:
        raise ConfigurationError(
            f"k is {ascending[0]}; this matrix holds counts from {matrix.k_min} on: "
            f"match again with k_min {ascending[0]}"
        )
    ones = np.ones(matrix.documents, dtype=np.int64)
    nothing = np.zeros(matrix.documents, dtype=np.uint8)
    return _swept(matrix.counts, ones, nothing, ascending, workers, progress, closed=not matrix.between_groups)


def fast_sweep_nodes(
    counts: sp.csr_array,
    weights: NDArray[np.int64],
    own: NDArray[np.uint8],
    ks: Iterable[int],
    *,
    workers: int = 0,
    progress: Progress | None = None,
) -> list[Measures]:
    """Measure the links between documents, given links between nodes of equal documents.

    The numbers are those of the documents' own matrix, which may be far too large to be written out.

    Args:
        counts: uint8 (nodes, nodes), sorted indices, empty diagonal; links of all counts that ``ks`` ask for.
        weights: int64 (nodes,), documents of each node, at least 1.
        own: uint8 (nodes,), count of the links between the documents of one node.
        ks: each at least 1.
        workers: as in ``fast_sweep``.
        progress: as in ``fast_sweep``.

    Returns:
        One row for each distinct k, ascending.
    """
    return _swept(counts, weights, own, sorted(set(ks)), workers, progress, closed=True)


@dataclass(frozen=True, slots=True)
class _Graph:
    """Links by row, in linkage order, with what each node stands for."""

    indptr: NDArray[np.int64]
    columns: NDArray[np.int32]
    counts: NDArray[np.uint8]
    weights: NDArray[np.int64]
    own: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.weights)

    def degrees(self) -> NDArray[np.int64]:
        return np.diff(self.indptr)


def _swept(
    counts: sp.csr_array,
    weights: NDArray[np.int64],
    own: NDArray[np.uint8],
    ks: list[int],
    workers: int,
    progress: Progress | None,
    *,
    closed: bool,
) -> list[Measures]:
    if not ks:
        return []
    _FIRST_USE.prepare(progress)
    plain = _Graph(
        counts.indptr.astype(np.int64, copy=False),
        counts.indices.astype(np.int32, copy=False),
        counts.data,
        weights,
        own,
    )
    graph, back = _in_linkage_order(plain, ks)
    documents = int(weights.sum())
    with ThreadPoolExecutor(thread_count(workers)) as pool:
        totals = _totals(graph, back, max(ks), pool)
        del back
        rows = []
        for done, k in enumerate(ks, start=1):
            links, reciprocal, walks, inside = totals[k]
            drop_below(k, graph.indptr, graph.columns, graph.counts)
            paths = walks - reciprocal
            found = None
            if closed:
                found = inside + _closed(graph, pool, symmetric=links == reciprocal) if paths else 0
            rows.append(_measures(k, documents, links, reciprocal, paths, found))
            if progress is not None:
                progress("measuring", done, len(ks))
    return rows


def _measures(k: int, documents: int, links: int, reciprocal: int, paths: int, closed: int | None) -> Measures:
    symmetry = reciprocal / links if links else None
    transitivity = closed / paths if paths and closed is not None else None
    return Measures(k, None, documents, links, reciprocal, paths, closed, symmetry, transitivity, False, None)


def _in_linkage_order(graph: _Graph, ks: list[int]) -> tuple[_Graph, _Graph]:
    """The graph and its transpose with nodes renumbered so that linked ones, above all at high k, are neighbours."""
    size = len(graph)
    parents = np.arange(size, dtype=np.int32)
    labels = []
    high = 256
    for low in _levels(ks):
        labels.append(np.empty(size, dtype=np.int32))
        join_linked(graph.indptr, graph.columns, graph.counts, low, high, parents, labels[-1])
        high = low
    order = np.lexsort(labels).astype(np.int64, copy=False)
    place = np.empty(size, dtype=np.int32)
    relabelled(order, place)
    back = _transposed(graph, order, place)
    same = np.arange(size, dtype=np.int64)
    renumbered = _transposed(back, same, same.astype(np.int32))
    weights, own = graph.weights[order], graph.own[order]
    return (
        _Graph(renumbered.indptr, renumbered.columns, renumbered.counts, weights, own),
        _Graph(back.indptr, back.columns, back.counts, weights, own),
    )


def _levels(ks: list[int]) -> list[int]:
    """A few of the ks, descending, the smallest among them."""
    step = -(-len(ks) // _ORDER_LEVELS)
    return ks[::step][::-1]


def _transposed(graph: _Graph, order: NDArray[np.int64], place: NDArray[np.int32]) -> _Graph:
    indptr = np.zeros(len(graph) + 1, dtype=np.int64)
    columns = np.empty(len(graph.columns), dtype=np.int32)
    counts = np.empty(len(graph.columns), dtype=np.uint8)
    transposed(graph.indptr, graph.columns, graph.counts, order, place, indptr, columns, counts)
    return _Graph(indptr, columns, counts, graph.weights, graph.own)


def _totals(graph: _Graph, back: _Graph, most: int, pool: ThreadPoolExecutor) -> list[list[int]]:
    """By k from 0 to ``most``: links, reciprocal links, walks, and closed paths that stay in a node somewhere."""
    levels = max(most, int(graph.counts.max(initial=0))) + 1

    def total(block: slice) -> NDArray[np.int64]:
        totals = np.zeros((levels, 4, 2), dtype=np.int64)
        total_rows(
            block.start,
            block.stop,
            graph.indptr,
            graph.columns,
            graph.counts,
            back.indptr,
            back.columns,
            back.counts,
            graph.weights,
            graph.own,
            totals,
        )
        return totals

    sums = [[0] * 4 for _ in range(levels)]
    for part in pool.map(total, _blocks(graph.degrees() + back.degrees() + 1)):
        for k, numbers in enumerate(part.tolist()):
            for number in (LINKS, RECIPROCAL, WALKS, CLOSED):
                upper, lower = numbers[number]
                sums[k][number] += (upper << 32) + lower
    return sums


def _closed(graph: _Graph, pool: ThreadPoolExecutor, *, symmetric: bool) -> int:
    """Closed paths over three different nodes.

    In a symmetric relation three linked nodes make six closed paths: they are counted once, in ascending order.
    """
    indptr = np.zeros(len(graph) + 1, dtype=np.int64)
    numbers = np.empty(int(graph.indptr[-1]), dtype=np.uint32)
    words = np.empty(int(graph.indptr[-1]), dtype=np.uint64)
    pack_rows(graph.indptr, graph.columns, symmetric, indptr, numbers, words)
    heavy = _bits(graph.weights > 1)
    weighted = bool(heavy.any())

    def close(block: slice) -> tuple[int, int]:
        totals = np.zeros(2, dtype=np.int64)
        row_words = np.zeros(len(heavy), dtype=np.uint64)
        first, last = block.start, block.stop
        if weighted:
            close_weighted_paths(first, last, indptr, numbers, words, row_words, heavy, graph.weights, totals)
        else:
            close_paths(first, last, indptr, numbers, words, row_words, totals)
        return int(totals[0]), int(totals[1])

    total = sum((upper << 32) + lower for upper, lower in pool.map(close, _blocks(graph.degrees() ** 2 + 1)))
    return 6 * total if symmetric else total


def _bits(chosen: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Bit b of word w says whether 64 w + b is chosen."""
    padded = np.zeros(len(chosen) // 64 * 64 + 64, dtype=np.bool_)
    padded[: len(chosen)] = chosen
    return np.packbits(padded, bitorder="little").view("<u8").astype(np.uint64)


def _blocks(work: NDArray[np.int64]) -> Iterator[slice]:
    """Rows in blocks of similar work: large components come first, equal numbers of rows would leave cores idle."""
    return row_blocks(work, max(_LEAST_WORK, int(work.sum()) // _BLOCKS))


def _toy() -> None:
    links = sp.csr_array(np.array([[0, 1, 1], [0, 0, 1], [0, 0, 0]], dtype=np.uint8))
    for weights in (np.array([1, 1, 1]), np.array([2, 1, 1])):
        fast_sweep_nodes(links, weights, np.zeros(3, dtype=np.uint8), [1], workers=1)


_FIRST_USE = FirstUse(_toy)
