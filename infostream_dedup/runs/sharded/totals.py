"""Symmetry and transitivity by blocks of rows: each block counts the links and paths that start in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import scipy.sparse as sp

from infostream_dedup.arrays import offsets_of, places_of
from infostream_dedup.links.compiled.block_totals import LinkBlock, block_totals
from infostream_dedup.links.compiled.kernels.link_arrays import LinkArrays
from infostream_dedup.links.measures import KTotals, LinkTotals
from infostream_dedup.runs.sharded.collapse import NodeTable
from infostream_dedup.runs.sharded.forests import forest_row
from infostream_dedup.runs.sharded.kernels.forests import span_mutual
from infostream_dedup.runs.sharded.layout import Layout
from infostream_dedup.runs.sharded.linking import DEGREES, LINKS

if TYPE_CHECKING:
    from numpy.typing import NDArray


TOTALS: Final = Layout(
    "totals",
    ("documents",),
    {"ks": "i8", "upper": "u8", "lower": "u8"},
)
"""Integer sums of a block at each k: links, reciprocal links, paths and closed paths for each k, as upper and lower
halves of 64 bits, since 2^64 paths are within reach."""

_FIELDS: Final = ("links", "reciprocal", "paths", "closed")
_UNKNOWN: Final = 2**64 - 1
"""Upper half that marks a number as not counted."""


@dataclass(frozen=True, slots=True)
class BlockRows:
    """Rows of links, complete.

    Attributes:
        nodes: int64 (rows,), node of each row, ascending.
        indptr: int64 (rows + 1,), bounds of the rows.
        columns: int32 (links,), nodes, ascending in a row.
        counts: uint8 (links,).
    """

    nodes: NDArray[np.int64]
    indptr: NDArray[np.int64]
    columns: NDArray[np.int32]
    counts: NDArray[np.uint8]

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

    Args:
        batches: of LINKS, one row for the nodes of each chunk.
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


def count_block(
    own: NDArray[np.int64],
    rows: BlockRows,
    nodes: NodeTable,
    ks: Sequence[int],
    *,
    labels: NDArray[np.uint8] | None = None,
    same: bool = True,
    workers: int = 1,
) -> tuple[LinkTotals, pa.RecordBatch]:
    """Count the links and paths that start in some nodes, and span a forest over their returned links.

    Args:
        own: int64, the nodes, ascending.
        labels: uint8 (nodes,): only links inside labels (``same``) or only those between them; then closed paths
            between labels are not counted.
        workers: threads; 0 for as many as the process may use. The result does not depend on them.
    """
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
    closed = labels is None or same
    totals = block_totals(block, ks, closed=closed, workers=workers)
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
        walks = _exact_sum(nodes.weights, out * into)
        by_k[k] = KTotals(int((nodes.weights * out).sum()), reciprocal, walks - reciprocal, None)
    return LinkTotals(nodes.documents, by_k)


def _exact_sum(times: NDArray[np.int64], values: NDArray[np.int64]) -> int:
    """Exact sum of products that may exceed 64 bits: values are below 2^63, times below 2^31."""
    upper, lower = values >> 32, values & 0xFFFFFFFF
    return (int((times * upper).sum()) << 32) + int((times * lower).sum())


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
