"""Exact totals of links and paths, over all cores, also for 10^8 links.

A block of documents, their links, and the links of the documents they lead to determine every path that starts in the
block. So the totals of a collection are the sum of those of its blocks, however it is cut; one block may hold it all.

Nodes are first put into single-linkage order, so that the links of a node are close together and a row is a few 64-bit
words; closed paths are then counted a word at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeVar

import numpy as np
import scipy.sparse as sp

from infostream_dedup.links.compiled.earlier import linkage_order
from infostream_dedup.links.compiled.kernels import low_k as kernels
from infostream_dedup.links.compiled.kernels.rows import LinkArrays, NodeArrays, PackedRows, count_columns, transposed
from infostream_dedup.links.compiled.term_rows import row_parts
from infostream_dedup.links.measures import EXACT_FROM, KTotals, LinkTotals, Measures
from infostream_dedup.links.similarity_matrix import SimilarityMatrix
from infostream_dedup.links.sweeping import sweep_by_products
from infostream_dedup.machine.arrays import Bools, Int32s, Ints, Uint8s, offsets_of
from infostream_dedup.machine.progress import Progress
from infostream_dedup.machine.threads import ThreadPool, thread_count

_Result = TypeVar("_Result")
_ORDER_LEVELS: Final = 4
_TILED_FROM: Final = 4
"""Rows of a group of 64 that must have a word to make it a tile, which takes 512 bytes; 2 to 8 are equally fast."""


@dataclass(frozen=True, slots=True)
class LinkBlock:
    """Links between nodes, some of them the block's own."""

    # uint8 (nodes, nodes), sorted indices, empty diagonal. The rows of own nodes and of the nodes they lead to must be
    # complete; other rows may be left empty
    counts: sp.csr_array
    # int64 (nodes,), documents of each node, at least 1; `None` if nodes are single documents
    weights: Ints | None = None
    # uint8 (nodes,), count of the links between the documents of one node; `None` for zeros
    inside: Uint8s | None = None
    own: Bools | None = None  # bool (nodes,), the nodes whose links and paths are counted; `None` for all


def block_totals(
    block: LinkBlock, ks: Iterable[int], *, closed: bool = True, workers: int = 0, progress: Progress | None = None
) -> LinkTotals:
    """Count the links and paths that start in a block's own nodes."""
    ascending = sorted(set(ks))
    if not ascending:
        return LinkTotals(_documents(block), {})
    by_k = {}
    size = thread_count(workers)
    with ThreadPool(size) as pool:
        threads = _Threads(pool, size)
        links, back, nodes = _in_linkage_order(block, ascending, threads)
        sums = _sum_rows(links, back, nodes, max(ascending), threads)
        # The transpose is as large as the links; free it before they are packed.
        del back
        for done, k in enumerate(ascending, start=1):
            linked, reciprocal, walks, in_nodes = sums[k]
            kernels.drop_below(k, links)
            paths = walks - reciprocal
            found = None
            if closed:
                symmetric = linked == reciprocal and nodes.own == len(nodes.weights)
                found = in_nodes + _count_closed(links, nodes, threads, symmetric=symmetric) if paths else 0
            by_k[k] = KTotals(linked, reciprocal, paths, found)
            if progress is not None:
                progress("measuring", done, len(ascending))
    return LinkTotals(_documents(block), by_k)


def _documents(block: LinkBlock) -> int:
    own = np.ones(block.counts.shape[0], dtype=np.bool_) if block.own is None else block.own
    return int(own.sum() if block.weights is None else block.weights[own].sum())


class _Threads(NamedTuple):
    """Threads that share the rows."""

    pool: ThreadPool  # the threads
    size: int  # number of threads

    def map(self, run: Callable[[slice], _Result], work: Ints) -> Iterator[_Result]:
        """Run a function on slices of similar work."""
        return self.pool.map(run, row_parts(work, self.size))


def _in_linkage_order(block: LinkBlock, ks: list[int], threads: _Threads) -> tuple[LinkArrays, LinkArrays, NodeArrays]:
    """The links, own rows first, their transpose and the nodes: linked ones, above all at high k, are neighbours."""
    counts, size = block.counts, block.counts.shape[0]
    indptr, columns = counts.indptr.astype(np.int64, copy=False), counts.indices.astype(np.int32, copy=False)
    links = LinkArrays(indptr, columns, counts.data)
    # A few of the ks, descending, the smallest among them.
    order = linkage_order(links, ks[:: -(-len(ks) // _ORDER_LEVELS)][::-1], threads.size)
    own = size
    if block.own is not None:
        order = order[np.argsort(~block.own[order], kind="stable")]
        own = int(block.own.sum())
    place = np.empty(size, dtype=np.int32)
    place[order] = np.arange(size)
    back = _transposed(links, order, place, threads)
    same = np.arange(size, dtype=np.int64)
    weights = np.ones(size, dtype=np.int64) if block.weights is None else block.weights[order]
    inside = np.zeros(size, dtype=np.uint8) if block.inside is None else block.inside[order]
    return _transposed(back, same, same.astype(np.int32), threads), back, NodeArrays(weights, inside, own)


def _transposed(links: LinkArrays, order: Ints, place: Int32s, threads: _Threads) -> LinkArrays:
    """The transpose, with rows and columns renumbered: ``order`` has the row at each place, ``place`` the inverse."""
    size, rows = len(links.columns), len(order)
    # Each part has a counter for every row; they must not take more memory than the links.
    parts = max(1, min(threads.size, size // (2 * max(rows, 1))))
    before = np.cumsum(np.diff(links.indptr)[order])
    cuts = [0, *np.searchsorted(before, np.arange(1, parts) * (size // parts)).tolist(), rows]
    counts = np.zeros((parts, rows), dtype=np.int64)

    def count(part: int) -> None:
        count_columns(links, order[cuts[part] : cuts[part + 1]], place, counts[part])

    def move(part: int) -> None:
        transposed(links, order[cuts[part] : cuts[part + 1]], cuts[part], place, cursors[part], moved)

    list(threads.pool.map(count, range(parts)))
    indptr = offsets_of(counts.sum(axis=0))
    cursors = np.cumsum(counts, axis=0) - counts + indptr[:-1]
    moved = LinkArrays(indptr, np.empty(size, dtype=np.int32), np.empty(size, dtype=np.uint8))
    list(threads.pool.map(move, range(parts)))
    return moved


def _sum_rows(links: LinkArrays, back: LinkArrays, nodes: NodeArrays, most: int, threads: _Threads) -> list[list[int]]:
    """By k from 0 to ``most``: links, reciprocal links, walks, and closed paths with two ends in one node."""
    levels = max(most, int(links.counts.max(initial=0))) + 1

    def total(rows: slice) -> Ints:
        totals = np.zeros((levels, 4, 2), dtype=np.int64)
        kernels.total_rows(rows.start, rows.stop, links, back, nodes, totals)
        return totals

    sums = [[0] * 4 for _ in range(levels)]
    work = np.diff(links.indptr) + np.diff(back.indptr) + 1
    for part in threads.map(total, work):
        for k, numbers in enumerate(part.tolist()):
            for number in (kernels.LINKS, kernels.RECIPROCAL, kernels.WALKS, kernels.CLOSED):
                upper, lower = numbers[number]
                sums[k][number] += (upper << 32) + lower
    return sums


def _count_closed(links: LinkArrays, nodes: NodeArrays, threads: _Threads, *, symmetric: bool) -> int:
    """Closed paths from own rows over three nodes; three of a symmetric relation make six and are counted once."""
    size = int(links.indptr[-1])
    packed = PackedRows(
        np.zeros(len(links.indptr), dtype=np.int64), np.empty(size, dtype=np.uint32), np.empty(size, dtype=np.uint64)
    )
    kernels.pack_rows(links, symmetric, packed)
    tiles = _tiles(packed)
    chosen = nodes.weights > 1
    padded = np.zeros(len(chosen) // 64 * 64 + 64, dtype=np.bool_)
    padded[: len(chosen)] = chosen
    weighted = kernels.WeightedNodes(
        nodes.weights, np.packbits(padded, bitorder="little").view("<u8").astype(np.uint64)
    )

    def close(rows: slice) -> tuple[int, int]:
        totals = np.zeros(2, dtype=np.int64)
        row_words = np.zeros(len(weighted.heavy), dtype=np.uint64)
        kernels.close_paths(rows.start, rows.stop, packed, tiles, weighted, row_words, totals)
        return int(totals[0]), int(totals[1])

    work = np.diff(links.indptr)[: nodes.own] ** 2 + 1
    total = sum((upper << 32) + lower for upper, lower in threads.map(close, work))
    return 6 * total if symmetric else total


def _tiles(packed: PackedRows) -> kernels.Tiles:
    """Take the words that many neighbouring rows have out of the rows."""
    groups = -(-(len(packed.indptr) - 1) // 64)
    rows, met = np.zeros(groups, dtype=np.int64), np.empty(groups, dtype=np.uint32)
    indptr = np.zeros(groups + 1, dtype=np.int64)
    kernels.count_tiles(packed, _TILED_FROM, rows, met, indptr)
    size = int(indptr[-1])
    tiles = kernels.Tiles(indptr, np.empty(size, dtype=np.uint32), np.zeros((size, 64), dtype=np.uint64))
    kernels.move_to_tiles(packed, _TILED_FROM, rows, met, tiles)
    return tiles


# Symmetry and transitivity at every k of one similarity matrix, exact from `EXACT_FROM` upwards


def sweep_counts(matrix: SimilarityMatrix, ks: Iterable[int], *, progress: Progress | None = None) -> list[Measures]:
    """Measure the links at each distinct k, ascending."""
    ascending = matrix.stored_ks(ks)
    low = sweep_by_products(matrix, [k for k in ascending if k < EXACT_FROM])
    exact = [k for k in ascending if k >= EXACT_FROM]
    totals = block_totals(LinkBlock(matrix.counts), exact, closed=not matrix.between_groups, progress=progress)
    return [*low, *totals.measures()]
