"""Stages over blobs: Spark schedules, shuffles and retries rows of a few megabytes, and never looks into them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import groupby
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from infostream_dedup.links.pair_rules import RELATIONS, need
from infostream_dedup.links.relation import Relation
from infostream_dedup.machine.platform import this_python
from infostream_dedup.runs.batch.linking import least_count
from infostream_dedup.runs.sharded import linking
from infostream_dedup.runs.sharded.deduplication import StatusRules
from infostream_dedup.runs.sharded.pairing import DocumentPairs, PairFinder, merged_rows, recounted, turn_links
from infostream_dedup.runs.sharded.sweeping import CountedLinks, block_bounds
from infostream_dedup.runs.sharded.work_folder import Layout

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from infostream_dedup.runs.spark.job import SparkRun


SCHEMA: Final = "part int, place long, payload binary"
_ARROW: Final = pa.schema([("part", pa.int32()), ("place", pa.int64()), ("payload", pa.binary())])
_ROWS_AT_ONCE: Final = "spark.sql.execution.arrow.maxRecordsPerBatch"


@dataclass(frozen=True, slots=True)
class Blob:
    """A row of a table of chunks in transit."""

    part: int  # number of the partition it goes to
    place: int  # its place in the order of the partition
    batch: pa.RecordBatch  # the row


Step = Callable[[Iterator[Blob]], Iterable[Blob]]


class Flow:
    """A DataFrame of blobs, with the columns ``part``, ``place`` and ``payload``."""

    def __init__(self, frame: DataFrame) -> None:
        self.frame = frame

    @classmethod
    def of(cls, frame: DataFrame, step: Callable[[Iterator[pa.RecordBatch]], Iterable[Blob]]) -> Flow:
        """Blobs made from the rows of another DataFrame, partition by partition."""

        def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            return map(packed, step(batches))

        return cls(frame.mapInArrow(run, SCHEMA))

    def then(self, step: Step) -> Flow:
        """Apply a function to the blobs of each partition."""
        return Flow.of(self.frame, lambda batches: step(unpacked(batches)))

    def to_parts(self, parts: int) -> Flow:
        """Move every blob to the partition of its number, sorted by place."""
        return Flow(self.frame.repartitionById(parts, "part").sortWithinPartitions("part", "place"))

    def only(self, part: int) -> Flow:
        """The blobs of one number, without moving them."""
        return Flow(self.frame.where(self.frame["part"] == part))

    def with_others(self, other: Flow) -> Flow:
        """These and other blobs."""
        return Flow(self.frame.unionAll(other.frame))

    def kept(self) -> Flow:
        """Compute the frame once and keep it on the executors; what a lost executor kept is computed again."""
        from pyspark import StorageLevel

        return Flow(self.frame.persist(StorageLevel.MEMORY_AND_DISK))

    def dropped(self) -> None:
        """Free the memory of ``kept``."""
        self.frame.unpersist()

    def collected(self) -> list[Blob]:
        """All blobs on the driver, by part and place."""
        rows = sorted(self.frame.collect(), key=lambda row: (row["part"], row["place"]))
        return [Blob(row["part"], row["place"], _read(row["payload"])) for row in rows]


def packed(blob: Blob) -> pa.RecordBatch:
    """A blob as Spark takes it."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, blob.batch.schema) as writer:
        writer.write_batch(blob.batch)
    columns = [pa.array([blob.part], pa.int32()), pa.array([blob.place], pa.int64())]
    offsets = pa.array([0, sink.tell()], pa.int32()).buffers()[1]
    payload = pa.Array.from_buffers(pa.binary(), 1, [None, offsets, sink.getvalue()])
    return pa.RecordBatch.from_arrays([*columns, payload], schema=_ARROW)


def unpacked(batches: Iterable[pa.RecordBatch]) -> Iterator[Blob]:
    """Blobs as Spark gives them."""
    for batch in batches:
        for row in range(batch.num_rows):
            payload = batch.column("payload")[row].as_buffer()
            yield Blob(batch.column("part")[row].as_py(), batch.column("place")[row].as_py(), _read(payload))


def _read(payload: Any) -> pa.RecordBatch:
    (batch,) = pa.ipc.open_stream(pa.py_buffer(payload))
    return batch


def is_remote(spark: SparkSession) -> bool:
    """Whether a session is one of Spark Connect, which supports only DataFrames."""
    return type(spark).__module__.startswith("pyspark.sql.connect")


def use_own_interpreter(spark: SparkSession) -> None:
    """Let the workers of local mode run this Python, which has the package; Spark takes the path's ``python3``."""
    if is_remote(spark) or not spark.sparkContext.master.startswith("local"):
        return
    if spark.sparkContext.pythonExec == "python3" and "PYSPARK_PYTHON" not in os.environ:
        spark.sparkContext.pythonExec = this_python()


def shared_value(spark: SparkSession, value: Any) -> Any:
    """Share a value with all tasks as ``value``: a broadcast variable if the session supports them, else sent along."""
    return SimpleNamespace(value=value) if is_remote(spark) else spark.sparkContext.broadcast(value)


@contextmanager
def _rows_at_once(spark: SparkSession, rows: int) -> Iterator[None]:
    """Let Arrow batches hold so many rows while the block runs."""
    before = spark.conf.get(_ROWS_AT_ONCE)
    spark.conf.set(_ROWS_AT_ONCE, str(rows))
    try:
        yield
    finally:
        spark.conf.set(_ROWS_AT_ONCE, str(before))


large_rows = partial(_rows_at_once, rows=4)  # for rows of megabytes: Spark's default is 10,000 rows
rows_of_texts = partial(_rows_at_once, rows=500)  # for texts: a batch costs as much as several of them

# S and T on a cluster, by blocks of rows

_REQUEST: Final = 1 << 60


class SpreadLinks(CountedLinks):
    """The links of a collection on a cluster."""

    _run: SparkRun

    @cached_property
    def links(self) -> Flow:
        """LINKS of each chunk."""
        return self._run.links(self.k_min)

    def _counted(self, table: Layout) -> list[pa.RecordBatch]:
        return _of(table.schema, self._blocks)

    def _rows(self) -> linking.BlockRows:
        return linking.LinkTable(_of(linking.LINKS.schema, self.links.collected())).whole()

    def between(self, labels: NDArray[np.generic], *, same: bool) -> Relation:
        """Not possible here."""
        del labels, same
        raise ValueError("links on a cluster are not split by label here")

    @cached_property
    def _blocks(self) -> list[Blob]:
        """TOTALS and FOREST of every block."""
        run = self._run
        blocks = max(1, min(run.cut.blocks, len(run.nodes)))
        shared, scaled = shared_value(run.spark, self._nodes), self._scaled
        ks = range(self.k_min, run.settings.n + 1)

        def count(blobs: Iterator[Blob]) -> Iterator[Blob]:
            for _, row in linking.count_blocks((blob.batch for blob in blobs), shared.value, ks, scaled=scaled):
                yield Blob(0, 0, row)

        found = self._rows_of(blocks).to_parts(blocks).then(count).collected()
        if found:
            return found
        # A collection without links has no rows to send.
        every = np.arange(len(run.nodes))
        none = linking.ROWS.row(block=0, own=1, nodes=every, sizes=np.zeros_like(every), columns=[], counts=[])
        return [Blob(0, 0, row) for _, row in linking.count_blocks([none], self._nodes, ks)]

    def _rows_of(self, blocks: int) -> Flow:
        """ROWS for every block."""
        block_of, links = self._blocks_of_nodes(blocks), self.links
        shared = shared_value(self._run.spark, block_of)

        def own(blobs: Iterator[Blob]) -> Iterator[Blob]:
            for blob in blobs:
                for row in linking.own_rows([blob.batch], shared.value):
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
                for row in linking.request_rows([blob.batch], block_of, firsts):
                    yield Blob(row.column("chunk")[0].as_py(), _REQUEST + blob.place, row)
                yield Blob(int(np.searchsorted(firsts, blob.place)), blob.place, blob.batch)

        def answer(blobs: Iterator[Blob]) -> Iterator[Blob]:
            for number, of_chunk in groupby(blobs, key=lambda blob: blob.part):
                links, *requests = (blob.batch for blob in of_chunk)
                for row in linking.answer_requests(links, requests):
                    yield Blob(row.column("block")[0].as_py(), number, row)

        return self.links.then(request).to_parts(max(1, len(firsts))).then(answer)

    def _blocks_of_nodes(self, blocks: int) -> NDArray[np.int32]:
        run, found = self._run, np.zeros(len(self._run.nodes), dtype=np.int32)
        if blocks == 1:
            return found
        nodes, parts = len(run.nodes), run.parts

        def span(blobs: Iterator[Blob]) -> Iterator[Blob]:
            held = [blob.batch for blob in blobs]
            for row in linking.span_links(held, nodes):
                yield Blob(parts, 0, row)
            for row in linking.LINKS.rows(held):
                sizes = linking.LINKS.row(
                    first=row["first"], nodes=row["nodes"], sizes=row["sizes"], columns=[], counts=[]
                )
                yield Blob(0, row["first"], sizes)

        blobs = self.links.then(span).collected()
        sizes = np.zeros(nodes, dtype=np.int64)
        for row in linking.LINKS.rows(_of(linking.LINKS.schema, blobs)):
            sizes[row["first"] : row["first"] + row["nodes"]] = row["sizes"]
        order = linking.linkage_order(linking.merge_forests(_of(linking.FOREST.schema, blobs), nodes), nodes)
        for block, (begin, end) in enumerate(block_bounds(sizes[order], blocks)):
            found[order[begin:end]] = block
        return found


def _of(schema: pa.Schema, blobs: Iterable[Blob]) -> list[pa.RecordBatch]:
    return [blob.batch for blob in blobs if blob.batch.schema.equals(schema)]


def _places(links: Flow) -> list[Blob]:
    """The place of each row, without its links."""
    nothing = linking.REQUESTS.row(chunk=0, block=0, nodes=[])
    return links.then(lambda blobs: (Blob(0, blob.place, nothing) for blob in blobs)).collected()


# Pairs and statuses on a cluster: the links of a chunk in both directions meet in one task

PAIRS: Final = Layout("pairs", (), {"a": "i8", "b": "i8", "forward": "i8", "backward": "i8"})  # pairs of documents
_TURNED: Final = 1 << 60
_LISTED: Final = "a string, b string, forward int, backward int, n_a int, n_b int, relation string"
_TYPES: Final = {"string": pa.string(), "int": pa.int32()}
_LISTED_ARROW: Final = pa.schema([(name, _TYPES[kind]) for name, kind in map(str.split, _LISTED.split(", "))])


def judged_documents(run: SparkRun, rules: StatusRules) -> tuple[DocumentPairs, DocumentPairs, DocumentPairs]:
    """Joined results of ``StatusRules.decide`` on the driver, with their pairs ``settled``."""
    shared = shared_value(run.spark, (run.nodes, rules, rules.alone()))
    least = rules.least

    def decide(blobs: Iterator[Blob]) -> Iterator[Blob]:
        nodes, rules, alone = shared.value
        for chunk, first, last, finder in _finders(blobs, nodes, least):
            found = rules.decide(finder.earlier(finder.members_of(slice(first, last)), alone))
            for kind, some in enumerate(found):
                yield Blob(chunk, kind, PAIRS.row(a=some.a, b=some.b, forward=some.forward, backward=some.backward))

    found = [_pairs_of(blob.batch) for blob in _both_directions(run, least).then(decide).collected()]
    # Three of each chunk, in the order of ``decide``.
    duplicate, similar, same = (DocumentPairs.joined(found[kind::3]) for kind in range(3))
    recount = partial(recounted, pick=run.picked)
    return rules.settled(duplicate, recount), rules.settled(similar, recount), same


def listed_pairs(run: SparkRun, k_min: int | None) -> DataFrame:
    """Pairs with a relation at ``settings.k``, or with at least ``k_min`` terms in either direction.

    Links of fewer terms are not kept, so the count of the weaker direction is null if it is smaller.
    """
    settings = run.settings
    least = least_count(settings) if k_min is None else k_min
    ids = pa.concat_arrays([pa.array([], pa.string()), *(row["ids"] for row in run.documents())])
    shared = shared_value(run.spark, (run.nodes, ids))

    def select(nodes: linking.NodeTable, found: DocumentPairs) -> tuple[DocumentPairs, list[np.ndarray]]:
        size_a, size_b = (nodes.sizes[nodes.node_of[side]].astype(np.int64) for side in (found.a, found.b))
        required = need(settings.k, size_a, size_b, n=settings.n, short=settings.short)
        relation = (found.forward >= required).astype(np.int64) + 2 * (found.backward >= required)
        strongest = np.maximum(found.forward, found.backward)
        wanted = relation > 0 if k_min is None else strongest >= k_min
        return found.at(wanted), [one[wanted] for one in (size_a, size_b, relation)]

    def list_rows(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        nodes, ids = shared.value
        names = pa.array(RELATIONS, pa.string())
        for _, first, last, finder in _finders(unpacked(batches), nodes, least):
            found, (size_a, size_b, relation) = select(nodes, finder.later(finder.members_of(slice(first, last))))
            columns = [
                ids.take(pa.array(found.a)),
                ids.take(pa.array(found.b)),
                pa.array(found.forward.astype(np.int32), mask=found.forward < least),
                pa.array(found.backward.astype(np.int32), mask=found.backward < least),
                pa.array(size_a.astype(np.int32)),
                pa.array(size_b.astype(np.int32)),
                names.take(pa.array(relation)),
            ]
            yield pa.RecordBatch.from_arrays(columns, schema=_LISTED_ARROW)

    return _both_directions(run, least).frame.mapInArrow(list_rows, _LISTED)


def _both_directions(run: SparkRun, least: int) -> Flow:
    """LINKS of each chunk and the same links reversed; a part is a chunk that contains leaders of nodes."""
    links = run.links(least)
    nodes = len(run.nodes)
    bounds = [run.nodes.leaders_in(first, first + 1)[0] for first in run.firsts]
    firsts = np.unique(np.array([first for first in bounds if first < nodes], dtype=np.int64))
    part_of: Callable[[int], int] = lambda first: int(np.searchsorted(firsts, first))  # noqa: E731

    def spread(blobs: Iterator[Blob]) -> Iterator[Blob]:
        for blob in blobs:
            yield Blob(part_of(blob.place), blob.place, blob.batch)
            for row in turn_links([blob.batch], firsts, nodes):
                yield Blob(part_of(row.column("first")[0].as_py()), _TURNED + blob.place, row)

    return links.then(spread).to_parts(max(1, len(firsts)))


def _finders(blobs: Iterable[Blob], nodes: linking.NodeTable, least: int) -> Iterator[tuple[int, int, int, PairFinder]]:
    """For each chunk: its number, its first and last node, and the finder of their pairs."""
    by_chunk: dict[int, list[pa.RecordBatch]] = {}
    for blob in blobs:
        by_chunk.setdefault(blob.part, []).append(blob.batch)
    for chunk, (out, *turned) in by_chunk.items():
        (row,) = linking.LINKS.rows([out])
        finder = PairFinder(nodes, linking.LinkTable([out]), linking.LinkTable([merged_rows(turned)]), least)
        yield chunk, row["first"], row["first"] + row["nodes"], finder


def _pairs_of(batch: pa.RecordBatch) -> DocumentPairs:
    (row,) = PAIRS.rows([batch])
    return DocumentPairs(row["a"], row["b"], row["forward"], row["backward"])
