"""Symmetry and transitivity by blocks of rows: each block counts the links and paths that start in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from infostream_dedup.arrays import offsets_of, places_of
from infostream_dedup.links.compiled.kernels.rows import LinkArrays
from infostream_dedup.links.compiled.totals import LinkBlock, block_totals
from infostream_dedup.links.measures import KTotals, LinkTotals
from infostream_dedup.links.pair_rules import grades_at
from infostream_dedup.links.similarity_matrix import SimilarityMatrix
from infostream_dedup.runs.sharded.kernels.rows import join_edges, span_mutual, span_rows
from infostream_dedup.runs.sharded.linking import DEGREES, LINKS, NodeTable
from infostream_dedup.runs.sharded.work_folder import Layout

if TYPE_CHECKING:
    import pyarrow as pa


# Maximum spanning forests: the fewest links that determine which nodes are connected at every k.
#
# The forest of several forests is the forest of all their links. Each task therefore reduces its links to at most one
# per node, and the forests are merged.

FOREST: Final = Layout("forest", (), {"a": "i4", "b": "i4", "counts": "u1"})
"""Edges of a forest: two nodes and the largest count at which they are connected."""

_ORDER_LEVELS: Final = 4
_MOST: Final = 255


def span_links(batches: Iterable[pa.RecordBatch], nodes: int) -> Iterator[pa.RecordBatch]:
    """The forest of links in either direction."""
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
    chosen = kept[: join_edges(a, b, order.astype(np.int64), np.arange(nodes, dtype=np.int32), kept)]
    yield FOREST.row(a=a[chosen], b=b[chosen], counts=counts[chosen])


def group_leaders_of(forest: Iterable[pa.RecordBatch], nodes: int, k: int) -> NDArray[np.int64]:
    """The smallest node to which each node is connected at k: int64 (nodes,)."""
    a, b, counts = _edges(forest)
    chosen = counts >= k
    return _smallest(a[chosen], b[chosen], nodes)


def group_sizes_of(forest: Iterable[pa.RecordBatch], nodes: NodeTable, k: int) -> NDArray[np.int64]:
    """Documents in each group at k, single ones included: int64 (groups,), in no particular order."""
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


TOTALS: Final = Layout("totals", ("documents",), {"ks": "i8", "upper": "u8", "lower": "u8"})
"""Integer sums of a block at each k: links, reciprocal links, paths and closed paths for each k, as upper and lower
halves of 64 bits, since 2^64 paths are within reach."""

_FIELDS: Final = ("links", "reciprocal", "paths", "closed")

_UNKNOWN: Final = 2**64 - 1
"""Upper half that marks a number as not counted."""


@dataclass(frozen=True, slots=True)
class BlockRows:
    """Rows of links, complete."""

    nodes: NDArray[np.int64]  # int64 (rows,), node of each row, ascending
    indptr: NDArray[np.int64]  # int64 (rows + 1,), bounds of the rows
    columns: NDArray[np.int32]  # int32 (links,), nodes, ascending in a row
    counts: NDArray[np.uint8]  # uint8 (links,)

    @classmethod
    def joined(cls, parts: Sequence[BlockRows]) -> BlockRows:
        """Merge the rows of several parts in ascending order, keeping each node once."""
        nodes = np.concatenate([np.zeros(0, np.int64), *(part.nodes for part in parts)])
        indptr = offsets_of(np.concatenate([np.zeros(0, np.int64), *(np.diff(part.indptr) for part in parts)]))
        columns = np.concatenate([np.zeros(0, np.int32), *(part.columns for part in parts)])
        counts = np.concatenate([np.zeros(0, np.uint8), *(part.counts for part in parts)])
        order = np.unique(nodes, return_index=True)[1]
        return cls(nodes, indptr, columns, counts).taken(order)

    def taken(self, rows: NDArray[np.int64]) -> BlockRows:
        """Select some rows."""
        sizes = np.diff(self.indptr)[rows]
        indptr = offsets_of(sizes)
        place = places_of(self.indptr[:-1][rows], sizes)
        return BlockRows(self.nodes[rows], indptr, self.columns[place], self.counts[place])


class LinkTable:
    """All links of a collection, mapped from files or in memory.

    ``batches``: of LINKS, one row for the nodes of each chunk.
    """

    def __init__(self, batches: Iterable[pa.RecordBatch]) -> None:
        self._rows = sorted(LINKS.rows(batches), key=lambda row: (row["first"], row["nodes"]))
        self._firsts = np.array([row["first"] for row in self._rows], dtype=np.int64)

    def __len__(self) -> int:
        return sum(len(row["columns"]) for row in self._rows)

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return sum(int(row["nodes"]) for row in self._rows)

    def sizes(self) -> NDArray[np.int64]:
        """int64 (nodes,): links of each node."""
        return np.concatenate([np.zeros(0, np.int64), *(row["sizes"].astype(np.int64) for row in self._rows)])

    def whole(self) -> BlockRows:
        """All rows."""
        return (
            BlockRows.joined([_rows_of(row) for row in self._rows]) if len(self._rows) != 1 else _rows_of(self._rows[0])
        )

    def chunks(self) -> Iterator[BlockRows]:
        """All rows, chunk by chunk."""
        for row in self._rows:
            yield _rows_of(row)

    def rows(self, nodes: NDArray[np.int64]) -> BlockRows:
        """The rows of some nodes, which ascend."""
        bounds = np.searchsorted(nodes, np.append(self._firsts, np.iinfo(np.int64).max))
        parts = []
        for row, begin, end in zip(self._rows, bounds, bounds[1:], strict=False):
            if end > begin:
                parts.append(_rows_of(row).taken(nodes[begin:end] - row["first"]))
        return BlockRows.joined(parts)

    def block(self, own: NDArray[np.int64]) -> BlockRows:
        """The rows of some nodes (ascending) and of all nodes to which they link."""
        rows = self.rows(own)
        ends = np.setdiff1d(np.unique(rows.columns).astype(np.int64), own, assume_unique=True)
        return BlockRows.joined([rows, self.rows(ends)])


def _rows_of(row: dict[str, Any]) -> BlockRows:
    nodes = np.arange(row["first"], row["first"] + row["nodes"], dtype=np.int64)
    return BlockRows(nodes, offsets_of(row["sizes"]), row["columns"], row["counts"])


def write_out(
    rows: BlockRows, nodes: NodeTable, k: int, *, n: int, scaled: bool, labels: NDArray[np.uint8] | None, same: bool
) -> SimilarityMatrix:
    """All links at k and above, document by document."""
    if scaled:
        rows = _graded(rows, nodes, n)
    kept = rows.counts >= k
    if labels is not None:
        kept &= (labels[_row_nodes(rows)] == labels[rows.columns]) == same
    rows = _kept(rows, kept)
    size, documents = len(nodes), nodes.documents
    a, b = rows.nodes.repeat(np.diff(rows.indptr)), rows.columns
    within = np.flatnonzero(nodes.inside >= k)
    a, b = np.append(a, within), np.append(b, within)
    counts = np.append(rows.counts, nodes.inside[within])
    between = sp.csr_array((counts, (a, b)), shape=(size, size))
    ones = np.ones(documents, dtype=np.uint8)
    members = sp.csr_array((ones, (np.arange(documents), nodes.node_of)), shape=(documents, size))
    links = sp.coo_array(members @ between @ members.T)
    others = links.row != links.col
    found = sp.csr_array((links.data[others], (links.row[others], links.col[others])), shape=links.shape)
    found.sort_indices()
    return SimilarityMatrix(found, n=n, k_min=k)


def _graded(rows: BlockRows, nodes: NodeTable, n: int) -> BlockRows:
    shorter = np.minimum(nodes.sizes[_row_nodes(rows)], nodes.sizes[rows.columns])
    return replace(rows, counts=grades_at(shorter, rows.counts, n=n))


def count_block(
    own: NDArray[np.int64],
    rows: BlockRows,
    nodes: NodeTable,
    ks: Sequence[int],
    *,
    labels: NDArray[np.uint8] | None = None,
    same: bool = True,
    scaled: bool = False,
    workers: int = 1,
) -> tuple[LinkTotals, pa.RecordBatch]:
    """Count the links and paths that start in some nodes, and span a forest over their returned links.

    own: int64, the nodes, ascending.
    scaled: links of short documents count at the k whose need(k) they meet; ``nodes`` are ``graded`` then.
    """
    if scaled:
        rows = _graded(rows, nodes, ks[-1])
    if labels is not None:
        rows = _kept(rows, (labels[_row_nodes(rows)] == labels[rows.columns]) == same)
    used = np.zeros(len(nodes), dtype=np.bool_)
    used[own] = used[rows.nodes] = used[rows.columns] = True
    local = np.flatnonzero(used)
    number = np.cumsum(used, dtype=np.int32) - np.int32(1)
    sizes = np.zeros(len(local), dtype=np.int64)
    sizes[number[rows.nodes]] = np.diff(rows.indptr)
    # Rows and numbers both ascend, so the links need not be moved.
    indptr = offsets_of(sizes)
    columns = rows.columns if len(local) == len(nodes) else number[rows.columns]
    # scipy needs bounds of the same integer type as the columns, and would copy all columns to widen them.
    bounds = indptr.astype(np.int32) if len(columns) < 2**31 else indptr
    counts = sp.csr_array((rows.counts, columns, bounds), shape=(len(local), len(local)))
    chosen = np.zeros(len(local), dtype=np.bool_)
    chosen[number[own]] = True
    weights = nodes.weights[local]
    block = LinkBlock(
        counts,
        weights if int(weights.max(initial=1)) > 1 else None,
        nodes.inside[local],
        None if len(own) == len(local) else chosen,
    )
    totals = block_totals(block, ks, closed=labels is None or same, workers=workers)
    forest = _mutual_forest(indptr, columns, rows.counts, number[own])
    forest[:, :2] = local[forest[:, :2]]
    return totals, forest_row(forest)


def _mutual_forest(
    indptr: NDArray[np.int64], columns: NDArray[np.int32], counts: NDArray[np.uint8], own: NDArray[np.int32]
) -> NDArray[np.int32]:
    size, written = len(indptr) - 1, 0
    parents, edges = np.arange(size, dtype=np.int32), np.empty((size, 3), dtype=np.int32)
    for level in np.unique(counts)[::-1].tolist() if len(counts) else []:
        written = span_mutual(LinkArrays(indptr, columns, counts), own, level, parents, edges, written)
    return edges[:written]


def _row_nodes(rows: BlockRows) -> NDArray[np.int64]:
    return np.repeat(rows.nodes, np.diff(rows.indptr))


def _kept(rows: BlockRows, kept: NDArray[np.bool_]) -> BlockRows:
    indptr = offsets_of(kept)[rows.indptr]
    return BlockRows(rows.nodes, indptr, rows.columns[kept], rows.counts[kept])


def low_totals(batches: Iterable[pa.RecordBatch], nodes: NodeTable, most: int) -> LinkTotals:
    """Links, reciprocal links and paths at k = 1 to ``most``, from rows of DEGREES of all shards."""
    names = ("outgoing", "returned", "incoming")
    degrees = np.zeros((len(names), len(nodes), most), dtype=np.int64)
    for row in DEGREES.rows(batches):
        own = slice(row["first"], row["first"] + row["nodes"])
        for number, name in enumerate(names):
            degrees[number, own] += row[name].reshape(-1, most)
    by_k = {}
    for k in range(1, most + 1):
        siblings = np.where(nodes.inside >= k, nodes.weights - 1, 0)
        out, both, into = degrees[:, :, k - 1] + siblings
        reciprocal = int((nodes.weights * both).sum())
        values = out * into
        upper, lower = values >> 32, values & 0xFFFFFFFF
        walks = (int((nodes.weights * upper).sum()) << 32) + int((nodes.weights * lower).sum())
        by_k[k] = KTotals(int((nodes.weights * out).sum()), reciprocal, walks - reciprocal, None)
    return LinkTotals(nodes.documents, by_k)


def totals_row(totals: LinkTotals) -> pa.RecordBatch:
    """A row of TOTALS."""
    numbers = [getattr(one, name) for one in totals.by_k.values() for name in _FIELDS]
    return TOTALS.row(
        documents=totals.documents,
        ks=list(totals.by_k),
        upper=[_UNKNOWN if number is None else number >> 64 for number in numbers],
        lower=[0 if number is None else number & (2**64 - 1) for number in numbers],
    )


def sum_of_totals(batches: Iterable[pa.RecordBatch]) -> LinkTotals:
    """The totals of all blocks together."""
    whole: LinkTotals | None = None
    for row in TOTALS.rows(batches):
        numbers: list[Any] = [
            None if upper == _UNKNOWN else (upper << 64) + lower
            for upper, lower in zip(row["upper"].tolist(), row["lower"].tolist(), strict=True)
        ]
        by_k = {
            k: KTotals(*numbers[place * len(_FIELDS) : (place + 1) * len(_FIELDS)])
            for place, k in enumerate(row["ks"].tolist())
        }
        part = LinkTotals(row["documents"], by_k)
        whole = part if whole is None else whole + part
    if whole is None:
        raise ValueError("there are no totals to add up")
    return whole


# Sends rows of links to the blocks that need them, for runners in which no task sees all links.
#
# A block needs its own rows and the rows that these link to. Each task therefore sends its rows to their blocks,
# requests the others, and answers the requests that reach it.

ROWS: Final = Layout("rows", ("block", "own"), {"nodes": "i4", "sizes": "i4", "columns": "i4", "counts": "u1"})
"""Rows of links for one block: its own (``own`` is 1), or those that its rows link to."""

REQUESTS: Final = Layout("requests", ("chunk", "block"), {"nodes": "i4"})
"""Nodes with leaders in one chunk whose rows a block needs in addition to its own."""


def own_rows(batches: Iterable[pa.RecordBatch], block_of: NDArray[np.integer]) -> Iterator[pa.RecordBatch]:
    """Send rows of LINKS to the blocks that they belong to, as rows of ROWS."""
    for rows in _rows_of_block(batches):
        blocks = block_of[rows.nodes]
        for block in np.unique(blocks).tolist():
            yield _row(block, rows.taken(np.flatnonzero(blocks == block)), own=True)


def request_rows(
    batches: Iterable[pa.RecordBatch], block_of: NDArray[np.integer], firsts: NDArray[np.int64]
) -> Iterator[pa.RecordBatch]:
    """Request the rows in other blocks to which links lead.

    firsts: int64 (chunks,), first node of each chunk, ascending.
    """
    for rows in _rows_of_block(batches):
        asking = np.repeat(block_of[rows.nodes].astype(np.int64), np.diff(rows.indptr))
        abroad = asking != block_of[rows.columns]
        wanted = np.unique(asking[abroad] << np.int64(32) | rows.columns[abroad].astype(np.int64))
        block, node = wanted >> np.int64(32), wanted & np.int64(0xFFFFFFFF)
        chunk = np.searchsorted(firsts, node, side="right") - 1
        for one in np.unique(block * len(firsts) + chunk).tolist():
            chosen = (block == one // len(firsts)) & (chunk == one % len(firsts))
            yield REQUESTS.row(chunk=one % len(firsts), block=one // len(firsts), nodes=node[chosen])


def answer_requests(links: pa.RecordBatch, requests: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Answer the requests for nodes of a chunk with rows of ROWS; each block gets a row once."""
    (rows,) = _rows_of_block([links])
    wanted: dict[int, list[NDArray[np.int32]]] = {}
    for request in REQUESTS.rows(requests):
        wanted.setdefault(request["block"], []).append(request["nodes"])
    first = int(rows.nodes[0]) if len(rows.nodes) else 0
    for block, nodes in sorted(wanted.items()):
        yield _row(block, rows.taken(np.unique(np.concatenate(nodes)).astype(np.int64) - first), own=False)


def count_blocks(
    batches: Iterable[pa.RecordBatch], nodes: NodeTable, ks: Sequence[int], *, scaled: bool = False
) -> Iterator[tuple[str, pa.RecordBatch]]:
    """Compute totals and forests of blocks."""
    waiting: list[tuple[bool, BlockRows]] = []
    current = None
    for row in ROWS.rows(batches):
        if waiting and row["block"] != current:
            yield from _counted(waiting, nodes, ks, scaled)
            waiting = []
        current = row["block"]
        rows = BlockRows(row["nodes"].astype(np.int64), offsets_of(row["sizes"]), row["columns"], row["counts"])
        waiting.append((bool(row["own"]), rows))
    if waiting:
        yield from _counted(waiting, nodes, ks, scaled)


def _counted(
    parts: list[tuple[bool, BlockRows]], nodes: NodeTable, ks: Sequence[int], scaled: bool
) -> Iterator[tuple[str, pa.RecordBatch]]:
    own = np.concatenate([rows.nodes for mine, rows in parts if mine] or [np.zeros(0, np.int64)])
    joined = BlockRows.joined([rows for _, rows in parts])
    totals, forest = count_block(np.sort(own), joined, nodes, ks, scaled=scaled)
    yield "totals", totals_row(totals)
    yield "forest", forest


def _rows_of_block(batches: Iterable[pa.RecordBatch]) -> Iterator[BlockRows]:
    for row in LINKS.rows(batches):
        nodes = np.arange(row["first"], row["first"] + row["nodes"], dtype=np.int64)
        yield BlockRows(nodes, offsets_of(row["sizes"]), row["columns"], row["counts"])


def _row(block: int, rows: BlockRows, *, own: bool) -> pa.RecordBatch:
    return ROWS.row(
        block=block, own=own, nodes=rows.nodes, sizes=np.diff(rows.indptr), columns=rows.columns, counts=rows.counts
    )
