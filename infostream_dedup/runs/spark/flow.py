"""Stages over blobs: Spark schedules, shuffles and retries rows of a few megabytes, and never looks into them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


SCHEMA: Final = "part int, place long, payload binary"
_ARROW: Final = pa.schema([("part", pa.int32()), ("place", pa.int64()), ("payload", pa.binary())])
_ROWS_AT_ONCE: Final = "spark.sql.execution.arrow.maxRecordsPerBatch"


@dataclass(frozen=True, slots=True)
class Blob:
    """A row of a table of chunks in transit.

    Attributes:
        part: number of the partition it goes to.
        place: its place in the order of the partition.
        batch: the row.
    """

    part: int
    place: int
    batch: pa.RecordBatch


Step = Callable[[Iterator[Blob]], Iterable[Blob]]


class Flow:
    """A DataFrame of blobs.

    Args:
        frame: with the columns ``part``, ``place`` and ``payload``.
    """

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
        moved = self.frame.repartitionById(parts, "part")
        return Flow(moved.sortWithinPartitions("part", "place"))

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
    payload = pa.Array.from_buffers(pa.binary(), 1, [None, _offsets(sink), sink.getvalue()])
    return pa.RecordBatch.from_arrays([*columns, payload], schema=_ARROW)


def _offsets(sink: Any) -> pa.Buffer:
    return pa.array([0, sink.tell()], pa.int32()).buffers()[1]


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


@dataclass(frozen=True, slots=True)
class _Carried:
    """A value sent along with the functions that use it."""

    value: Any


def shared_value(spark: SparkSession, value: Any) -> Any:
    """Share a value with all tasks as ``value``: a broadcast variable if the session supports them."""
    return _Carried(value) if is_remote(spark) else spark.sparkContext.broadcast(value)


@contextmanager
def large_rows(spark: SparkSession) -> Iterator[None]:
    """Let Arrow batches hold few rows while the block runs: a row takes megabytes, and Spark's default is 10,000."""
    with _rows_at_once(spark, 4):
        yield


@contextmanager
def rows_of_texts(spark: SparkSession) -> Iterator[None]:
    """Let Arrow batches hold hundreds of rows while the block runs: each batch costs as much as several texts."""
    with _rows_at_once(spark, 500):
        yield


@contextmanager
def _rows_at_once(spark: SparkSession, rows: int) -> Iterator[None]:
    before = spark.conf.get(_ROWS_AT_ONCE)
    spark.conf.set(_ROWS_AT_ONCE, str(rows))
    try:
        yield
    finally:
        spark.conf.set(_ROWS_AT_ONCE, str(before))
