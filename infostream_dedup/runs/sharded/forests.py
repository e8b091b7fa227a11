"""Maximum spanning forests: the fewest links that determine which nodes are connected at every k.

The forest of several forests is the forest of all their links. Each task therefore reduces its links to at most one
per node, and the forests are merged.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from infostream_dedup.arrays import offsets_of
from infostream_dedup.links.compiled.kernels.link_arrays import LinkArrays
from infostream_dedup.runs.sharded.collapse import NodeTable
from infostream_dedup.runs.sharded.kernels.forests import join_edges, span_rows
from infostream_dedup.runs.sharded.layout import Layout
from infostream_dedup.runs.sharded.linking import LINKS

if TYPE_CHECKING:
    from numpy.typing import NDArray


FOREST: Final = Layout("forest", (), {"a": "i4", "b": "i4", "counts": "u1"})
"""Edges of a forest: two nodes and the largest count at which they are connected."""

_ORDER_LEVELS: Final = 4
_MOST: Final = 255


def span_links(batches: Iterable[pa.RecordBatch], nodes: int) -> Iterator[pa.RecordBatch]:
    """The forest of links in either direction.

    Args:
        batches: of LINKS; read several times.
    """
    rows = [(row, offsets_of(row["sizes"])) for row in LINKS.rows(batches)]
    parents, edges = np.arange(nodes, dtype=np.int32), np.empty((nodes, 3), dtype=np.int32)
    held = np.zeros(_MOST + 1, dtype=np.bool_)
    for row, _ in rows:
        held[row["counts"]] = True
    written = 0
    for level in np.flatnonzero(held)[::-1].tolist():
        for row, indptr in rows:
            links = LinkArrays(indptr, row["columns"], row["counts"])
            written = span_rows(row["first"], links, level, parents, edges, written)
    yield forest_row(edges[:written])


def forest_row(edges: NDArray[np.int32]) -> pa.RecordBatch:
    """A row of FOREST from int32 (edges, 3): both ends and the count."""
    return FOREST.row(a=edges[:, 0], b=edges[:, 1], counts=edges[:, 2])


def merge_forests(batches: Iterable[pa.RecordBatch], nodes: int) -> Iterator[pa.RecordBatch]:
    """The forest of several forests: a single row of FOREST."""
    a, b, counts = _edges(batches)
    order = np.argsort(counts, kind="stable")[::-1]
    kept = np.empty(len(a), dtype=np.int64)
    size = join_edges(a, b, order.astype(np.int64), np.arange(nodes, dtype=np.int32), kept)
    chosen = kept[:size]
    yield FOREST.row(a=a[chosen], b=b[chosen], counts=counts[chosen])


def group_leaders_of(forest: Iterable[pa.RecordBatch], nodes: int, k: int) -> NDArray[np.int64]:
    """The smallest node to which each node is connected at k: int64 (nodes,)."""
    a, b, counts = _edges(forest)
    chosen = counts >= k
    return _smallest(a[chosen], b[chosen], nodes)


def group_sizes_of(forest: Iterable[pa.RecordBatch], nodes: NodeTable, k: int) -> NDArray[np.int64]:
    """Documents in each group at k, single ones included: int64 (groups,), in no particular order.

    Args:
        nodes: the nodes; documents of one node are a group if they are linked to each other.
    """
    leader = group_leaders_of(forest, len(nodes), k)
    documents = np.bincount(leader, weights=nodes.weights, minlength=len(nodes)).astype(np.int64)
    alone = (np.bincount(leader, minlength=len(nodes)) == 1) & (nodes.inside < k)
    singles = np.ones(int(documents[alone].sum()), dtype=np.int64)
    return np.concatenate([documents[(documents > 0) & ~alone], singles])


def linkage_order(forest: Iterable[pa.RecordBatch], nodes: int) -> NDArray[np.int64]:
    """Nodes in single-linkage order, so that linked ones are adjacent: int64 (nodes,)."""
    a, b, counts = _edges(forest)
    levels = np.unique(counts)
    step = max(1, -(-len(levels) // _ORDER_LEVELS))
    labels = [_smallest(a[counts >= level], b[counts >= level], nodes) for level in levels[::step][::-1].tolist()]
    return np.lexsort(labels).astype(np.int64) if labels else np.arange(nodes, dtype=np.int64)


def _edges(batches: Iterable[pa.RecordBatch]) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.uint8]]:
    rows = list(FOREST.rows(batches))
    if not rows:
        nothing = np.zeros(0, dtype=np.int32)
        return nothing, nothing, np.zeros(0, dtype=np.uint8)
    a, b, counts = (np.concatenate([row[name] for row in rows]) for name in ("a", "b", "counts"))
    return a, b, counts


def _smallest(a: NDArray[np.int32], b: NDArray[np.int32], nodes: int) -> NDArray[np.int64]:
    graph = sp.csr_array((np.ones(len(a), dtype=np.int8), (a, b)), shape=(nodes, nodes))
    _, labels = connected_components(graph, directed=False)
    _, first, group = np.unique(labels, return_index=True, return_inverse=True)
    return np.asarray(first[group], dtype=np.int64)
