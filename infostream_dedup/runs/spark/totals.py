"""S and T on a cluster, by blocks of rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.links import Measures, Relation
from infostream_dedup.runs.sharded.blocks import REQUESTS, ROWS, answer_requests, count_blocks, own_rows, request_rows
from infostream_dedup.runs.sharded.collapse import NodeTable
from infostream_dedup.runs.sharded.forests import FOREST, group_sizes_of, linkage_order, merge_forests, span_links
from infostream_dedup.runs.sharded.linking import LINKS
from infostream_dedup.runs.sharded.sweeping import block_bounds
from infostream_dedup.runs.sharded.totals import TOTALS, sum_of_totals
from infostream_dedup.runs.spark.flow import Blob, Flow, shared_value

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from infostream_dedup.machine.progress import Progress
    from infostream_dedup.runs.spark.job import SparkRun


_REQUEST: Final = 1 << 60


class SpreadLinks:
    """The links of a collection on a cluster as a ``links.Relation``.

    Args:
        run: the collection.
        k_min: smallest count that is kept; by default, the smallest one whose links are certainly few enough.
    """

    def __init__(self, run: SparkRun, k_min: int | None = None) -> None:
        self._run = run
        self.k_min = run.least_k if k_min is None else k_min

    @property
    def matrix(self) -> None:
        """Links are not written out document by document."""
        return None

    @cached_property
    def links(self) -> Flow:
        """LINKS of each chunk."""
        return self._run.links(self.k_min)

    def measures(self, ks: Iterable[int] | None = None, *, progress: Progress | None = None) -> list[Measures]:
        """As ``Relation.measures``, exact at every k."""
        del progress
        chosen = None if ks is None else set(ks)
        rows = sum_of_totals(_of(TOTALS.schema, self._counted)).measures()
        return [row for row in rows if chosen is None or row.k in chosen]

    def group_sizes(self, ks: Sequence[int]) -> list[NDArray[np.int64]]:
        """As ``Relation.group_sizes``, in no particular order."""
        nodes = self._run.nodes
        forest = list(merge_forests(_of(FOREST.schema, self._counted), len(nodes)))
        return [group_sizes_of(forest, nodes, max(k, self.k_min)) for k in ks]

    def between(self, labels: NDArray[np.generic], *, same: bool) -> Relation:
        """Not possible here."""
        del labels, same
        raise ValueError("links on a cluster are not split by label here")

    @cached_property
    def _counted(self) -> list[Blob]:
        """TOTALS and FOREST of every block."""
        run = self._run
        blocks = max(1, min(run.cut.blocks, len(run.nodes)))
        shared = shared_value(run.spark, run.nodes)
        ks = range(self.k_min, run.settings.n + 1)

        def count(blobs: Iterator[Blob]) -> Iterator[Blob]:
            for _, row in count_blocks((blob.batch for blob in blobs), shared.value, ks):
                yield Blob(0, 0, row)

        found = self._rows(blocks).to_parts(blocks).then(count).collected()
        if found:
            return found
        # A collection without links has no rows to send.
        return [Blob(0, 0, row) for _, row in count_blocks([_no_rows(run.nodes)], run.nodes, ks)]

    def _rows(self, blocks: int) -> Flow:
        """ROWS for every block."""
        block_of, links = self._blocks_of_nodes(blocks), self.links
        shared = shared_value(self._run.spark, block_of)

        def own(blobs: Iterator[Blob]) -> Iterator[Blob]:
            for blob in blobs:
                for row in own_rows([blob.batch], shared.value):
                    yield Blob(row.column("block")[0].as_py(), blob.place, row)

        found = links.then(own)
        return found if blocks == 1 else found.with_others(self._rows_abroad(block_of))

    def _rows_abroad(self, block_of: NDArray[np.int32]) -> Flow:
        """ROWS that blocks need in addition to their own."""
        firsts = np.array(sorted(blob.place for blob in _places(self.links)), dtype=np.int64)
        shared = shared_value(self._run.spark, (block_of, firsts))

        def request(blobs: Iterator[Blob]) -> Iterator[Blob]:
            block_of, firsts = shared.value
            for blob in blobs:
                for row in request_rows([blob.batch], block_of, firsts):
                    yield Blob(row.column("chunk")[0].as_py(), _REQUEST + blob.place, row)
                yield Blob(int(np.searchsorted(firsts, blob.place)), blob.place, blob.batch)

        def answer(blobs: Iterator[Blob]) -> Iterator[Blob]:
            for number, of_chunk in groupby(blobs, key=lambda blob: blob.part):
                links, *requests = (blob.batch for blob in of_chunk)
                for row in answer_requests(links, requests):
                    yield Blob(row.column("block")[0].as_py(), number, row)

        return self.links.then(request).to_parts(max(1, len(firsts))).then(answer)

    def _blocks_of_nodes(self, blocks: int) -> NDArray[np.int32]:
        run, found = self._run, np.zeros(len(self._run.nodes), dtype=np.int32)
        if blocks == 1:
            return found
        nodes, parts = len(run.nodes), run.parts

        def span(blobs: Iterator[Blob]) -> Iterator[Blob]:
            held = [blob.batch for blob in blobs]
            for row in span_links(held, nodes):
                yield Blob(parts, 0, row)
            for row in LINKS.rows(held):
                sizes = LINKS.row(first=row["first"], nodes=row["nodes"], sizes=row["sizes"], columns=[], counts=[])
                yield Blob(0, row["first"], sizes)

        blobs = self.links.then(span).collected()
        sizes = np.zeros(nodes, dtype=np.int64)
        for row in LINKS.rows(_of(LINKS.schema, blobs)):
            sizes[row["first"] : row["first"] + row["nodes"]] = row["sizes"]
        order = linkage_order(merge_forests(_of(FOREST.schema, blobs), nodes), nodes)
        for block, (begin, end) in enumerate(block_bounds(sizes[order], blocks)):
            found[order[begin:end]] = block
        return found


def _of(schema: pa.Schema, blobs: Iterable[Blob]) -> list[pa.RecordBatch]:
    return [blob.batch for blob in blobs if blob.batch.schema.equals(schema)]


def _places(links: Flow) -> list[Blob]:
    """The place of each row, without its links."""
    nothing = REQUESTS.row(chunk=0, block=0, nodes=[])
    return links.then(lambda blobs: (Blob(0, blob.place, nothing) for blob in blobs)).collected()


def _no_rows(nodes: NodeTable) -> pa.RecordBatch:
    every = np.arange(len(nodes))
    return ROWS.row(block=0, own=1, nodes=every, sizes=np.zeros(len(nodes), np.int64), columns=[], counts=[])
