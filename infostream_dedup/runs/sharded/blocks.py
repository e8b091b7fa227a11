"""Sends rows of links to the blocks that need them, for runners in which no task sees all links.

A block needs its own rows and the rows that these link to. Each task therefore sends its rows to their blocks, requests
the others, and answers the requests that reach it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.arrays import offsets_of
from infostream_dedup.runs.sharded.collapse import NodeTable
from infostream_dedup.runs.sharded.layout import Layout
from infostream_dedup.runs.sharded.linking import LINKS
from infostream_dedup.runs.sharded.totals import BlockRows, count_block, totals_row

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray


ROWS: Final = Layout("rows", ("block", "own"), {"nodes": "i4", "sizes": "i4", "columns": "i4", "counts": "u1"})
"""Rows of links for one block: its own (``own`` is 1), or those that its rows link to."""

REQUESTS: Final = Layout("requests", ("chunk", "block"), {"nodes": "i4"})
"""Nodes with leaders in one chunk whose rows a block needs in addition to its own."""


def own_rows(batches: Iterable[pa.RecordBatch], block_of: NDArray[np.integer]) -> Iterator[pa.RecordBatch]:
    """Send rows of LINKS to the blocks that they belong to, as rows of ROWS.

    Args:
        block_of: (nodes,), number of the block of each node.
    """
    for rows in _rows_of(batches):
        blocks = block_of[rows.nodes]
        for block in np.unique(blocks).tolist():
            yield _row(block, rows.taken(np.flatnonzero(blocks == block)), own=True)


def request_rows(
    batches: Iterable[pa.RecordBatch], block_of: NDArray[np.integer], firsts: NDArray[np.int64]
) -> Iterator[pa.RecordBatch]:
    """Request the rows in other blocks to which links lead.

    Args:
        block_of: (nodes,), number of the block of each node.
        firsts: int64 (chunks,), first node of each chunk, ascending.
    """
    for rows in _rows_of(batches):
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
    (rows,) = _rows_of([links])
    wanted: dict[int, list[NDArray[np.int32]]] = {}
    for request in REQUESTS.rows(requests):
        wanted.setdefault(request["block"], []).append(request["nodes"])
    first = int(rows.nodes[0]) if len(rows.nodes) else 0
    for block, nodes in sorted(wanted.items()):
        yield _row(block, rows.taken(np.unique(np.concatenate(nodes)).astype(np.int64) - first), own=False)


def count_blocks(
    batches: Iterable[pa.RecordBatch], nodes: NodeTable, ks: Sequence[int]
) -> Iterator[tuple[str, pa.RecordBatch]]:
    """Compute totals and forests of blocks."""
    waiting: list[tuple[bool, BlockRows]] = []
    current = None
    for row in ROWS.rows(batches):
        if waiting and row["block"] != current:
            yield from _counted(waiting, nodes, ks)
            waiting = []
        current = row["block"]
        rows = BlockRows(row["nodes"].astype(np.int64), offsets_of(row["sizes"]), row["columns"], row["counts"])
        waiting.append((bool(row["own"]), rows))
    if waiting:
        yield from _counted(waiting, nodes, ks)


def _counted(
    parts: list[tuple[bool, BlockRows]], nodes: NodeTable, ks: Sequence[int]
) -> Iterator[tuple[str, pa.RecordBatch]]:
    own = np.concatenate([rows.nodes for mine, rows in parts if mine] or [np.zeros(0, np.int64)])
    totals, forest = count_block(np.sort(own), BlockRows.joined([rows for _, rows in parts]), nodes, ks)
    yield "totals", totals_row(totals)
    yield "forest", forest


def _rows_of(batches: Iterable[pa.RecordBatch]) -> Iterator[BlockRows]:
    for row in LINKS.rows(batches):
        nodes = np.arange(row["first"], row["first"] + row["nodes"], dtype=np.int64)
        yield BlockRows(nodes, offsets_of(row["sizes"]), row["columns"], row["counts"])


def _row(block: int, rows: BlockRows, *, own: bool) -> pa.RecordBatch:
    return ROWS.row(
        block=block, own=own, nodes=rows.nodes, sizes=np.diff(rows.indptr), columns=rows.columns, counts=rows.counts
    )
