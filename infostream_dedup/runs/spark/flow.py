"""Stages over blobs: Spark schedules, shuffles and retries rows of a few megabytes, and never looks into them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from infostream_dedup.machine.platform import this_python

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


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
