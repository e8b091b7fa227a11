"""A collection on a cluster: the stages, and the data passed between them."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import chain, groupby
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from infostream_dedup.documents import Reading, ReadingReport
from infostream_dedup.documents.block_reading import read_document_blocks
from infostream_dedup.errors import BadDataError
from infostream_dedup.links.measures import EXACT_FROM
from infostream_dedup.model import LANGUAGES, Document, DocumentBlock, Settings
from infostream_dedup.runs.sharded.disk_runner import MOST_STORED
from infostream_dedup.runs.sharded.key_terms import KeyChunk, KeyCounts, asking, select_keys, unweighted
from infostream_dedup.runs.sharded.linking import Linking, NodeTable, Shard, collapse_documents, merge_links
from infostream_dedup.runs.sharded.pairing import pick_terms
from infostream_dedup.runs.sharded.reading import DOCUMENTS, read_and_count
from infostream_dedup.runs.sharded.vocabulary import (
    COUNTS,
    STATISTICS,
    FrozenVocabulary,
    merge_statistics,
    partial_statistics,
)
from infostream_dedup.runs.sharded.work_folder import Layout
from infostream_dedup.runs.spark.flow import Blob, Flow, is_remote, rows_of_texts, shared_value, unpacked

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray
    from pyspark.sql import DataFrame


SIZES: Final = Layout("sizes", ("documents",), {})
"""Number of documents of a chunk."""
KEY_COUNTS: Final = Layout("key counts", (), {"numbers": "u4", "keys": "i8", "targets": "i8"})
"""How many documents of a task have each term as a key term, and as a target."""

_PARTITION: Final = 40
"""Number of bits for the position of a document within its partition."""
_QUESTION: Final = 1 << 60
_CHUNK: Final = 20_000
_COLUMNS: Final = ("id", "text", "title", "lang", "published")


@dataclass(frozen=True, slots=True)
class SparkCut:
    """How a collection is cut over tasks; no result depends on it.

    Attributes:
        partitions: tasks that count texts; by default as many as Spark runs at once, on Spark Connect as many as
            ``spark.sql.shuffle.partitions``.
        shards: parts of the collection that are searched; a task holds one, at about 1.4 KB per document.
        question_parts: parts of the questions; ``shards`` x ``question_parts`` tasks search for links.
        blocks: tasks that count S and T; each needs about 40 bytes for each of its links.
        chunk: number of documents in a row that passes between tasks.
    """

    partitions: int | None = None
    shards: int = 2
    question_parts: int = 2
    blocks: int = 2
    chunk: int = _CHUNK


class SparkRun:
    """A collection in one representation.

    Args:
        frame: documents, with the columns ``id`` and ``text``, and ``title``, ``lang``, ``published`` if there are any.
        settings: settings with the representation.
        order: columns that order the documents; the last one must differ for all documents.
        cut: how the collection is cut.
        hashes: also take the hash of each body.
    """

    def __init__(
        self, frame: DataFrame, settings: Settings, *, order: Sequence[str], cut: SparkCut, hashes: bool = False
    ) -> None:
        self.spark = frame.sparkSession
        self.settings = settings
        self.cut = cut
        self._hashes = hashes
        self._frame = frame.select(*(name for name in _COLUMNS if name in frame.columns))
        self._order = tuple(order)

    @cached_property
    def parts(self) -> int:
        """Number of partitions of data that is not cut into shards or blocks."""
        if self.cut.partitions:
            return self.cut.partitions
        if is_remote(self.spark):
            return int(self.spark.conf.get("spark.sql.shuffle.partitions") or 1)
        return int(self.spark.sparkContext.defaultParallelism)

    @cached_property
    def counted(self) -> Flow:
        """COUNTS (part 0), DOCUMENTS (1), SIZES (2) and STATISTICS by ranges of hashes (3 and more).

        Except for statistics, a place is a partition and a position in it.
        """
        ordered = self._frame.repartitionByRange(self.parts, *self._order).sortWithinPartitions(*self._order)
        settings, chunk, hashes, ranges = self.settings, self.cut.chunk, self._hashes, self._ranges

        def count(batches: Iterator[pa.RecordBatch]) -> Iterator[Blob]:
            from pyspark import TaskContext

            task = TaskContext.get()
            partition = 0 if task is None else task.partitionId()
            statistics = []
            for table, row in read_and_count(_documents(batches), [settings], chunk=chunk, hashes=hashes, workers=1):
                place = partition << _PARTITION | row.column("first")[0].as_py()
                if table == "counts":
                    yield Blob(0, place, row)
                    yield Blob(2, place, SIZES.row(documents=len(row.column("sizes")[0])))
                    statistics += list(partial_statistics([row]))
                elif len(row.column("lengths")[0]):
                    yield Blob(1, place, row)
            # Done here, because passing counts to another task costs more than adding up their terms.
            (whole,) = merge_statistics(statistics)
            for number, row in enumerate(_by_range(FrozenVocabulary.of([whole]), ranges)):
                yield Blob(3 + number, partition, row)

        found = Flow.of(ordered, count).kept()
        with rows_of_texts(self.spark):
            # Now, before tasks read its rows, since few of them fit in a batch.
            found.frame.count()
        _check_ids(found)
        return found

    @property
    def _ranges(self) -> int:
        """Number of ranges of hashes whose statistics are added up by separate tasks."""
        return 1 << max(0, min(6, (self.parts - 1).bit_length()))

    @cached_property
    def _statistics(self) -> list[Blob]:
        def merge(blobs: Iterator[Blob]) -> Iterator[Blob]:
            for number, rows in groupby(blobs, key=lambda blob: blob.part):
                for row in merge_statistics(blob.batch for blob in rows):
                    yield Blob(number, 0, row)

        several = Flow(self.counted.frame.where(self.counted.frame["part"] > 2))
        moved = several.then(lambda blobs: (Blob(one.part - 3, one.place, one.batch) for one in blobs))
        return moved.to_parts(self._ranges).then(merge).collected()

    @cached_property
    def vocabulary(self) -> FrozenVocabulary:
        """All terms, frozen."""
        # A DataFrame without rows has no statistics.
        rows = [blob.batch for blob in self._statistics] or list(merge_statistics([]))
        parts = [FrozenVocabulary.of([row]) for row in rows]
        return FrozenVocabulary(
            np.concatenate([part.hashes for part in parts]),
            np.concatenate([part.checks for part in parts]),
            np.concatenate([part.df for part in parts], axis=1),
            tuple(reduce(operator.add, one) for one in zip(*(part.totals for part in parts), strict=True)),
        )

    @cached_property
    def ordinals(self) -> dict[int, int]:
        """First ordinal of each chunk, by its place."""
        found, first = {}, 0
        for blob in self.counted.only(2).collected():
            found[blob.place] = first
            first += blob.batch.column("documents")[0].as_py()
        return found

    @cached_property
    def _keyed(self) -> Flow:
        """KEYS (part 0), KEYS without targets and weights (part 1), KEY_COUNTS (part 2)."""
        shared = shared_value(self.spark, (self.vocabulary, self.ordinals))
        settings = self.settings

        def select(blobs: Iterator[Blob]) -> Iterator[Blob]:
            vocabulary, ordinals = shared.value
            keys, targets = np.zeros((2, len(vocabulary)), dtype=np.int64)
            for blob in blobs:
                batch = COUNTS.with_number(blob.batch, "first", ordinals[blob.place])
                for row in select_keys([batch], vocabulary, settings):
                    yield Blob(0, ordinals[blob.place], row)
                    yield Blob(1, ordinals[blob.place], asking(row))
                    counts = KeyCounts.of([row], len(vocabulary))
                    keys += counts.keys
                    targets += counts.targets
            used = np.flatnonzero(keys + targets)
            yield Blob(2, 0, KEY_COUNTS.row(numbers=used, keys=keys[used], targets=targets[used]))

        return self.counted.only(0).then(select).kept()

    @cached_property
    def _summary(self) -> list[Blob]:
        return Flow(self._keyed.frame.where(self._keyed.frame["part"] > 0)).collected()

    @cached_property
    def firsts(self) -> list[int]:
        """First ordinal of each chunk, ascending."""
        return [blob.place for blob in self._summary if blob.part == 1]

    @cached_property
    def key_counts(self) -> KeyCounts:
        """How many documents have each term as a key term or target."""
        keys, targets = np.zeros((2, len(self.vocabulary)), dtype=np.int64)
        for row in KEY_COUNTS.rows(blob.batch for blob in self._summary if blob.part == 2):
            keys[row["numbers"]] += row["keys"]
            targets[row["numbers"]] += row["targets"]
        return KeyCounts(keys, targets)

    @cached_property
    def nodes(self) -> NodeTable:
        """Documents with equal key terms and targets as one."""
        return NodeTable.read(collapse_documents(blob.batch for blob in self._summary if blob.part == 1))

    @property
    def least_k(self) -> int:
        """The smallest k whose links are kept: 1 if they are certainly few, otherwise 4 (or n if smaller)."""
        documents = self.vocabulary.documents
        most = min(self.key_counts.expected_work, documents * documents)
        return 1 if most <= MOST_STORED else min(EXACT_FROM, self.settings.n)

    def linking(self, k_min: int) -> Linking:
        """Data shared by all shards."""
        used = self.key_counts.keys > 0
        numbers = np.where(used, np.cumsum(used) - 1, -1).astype(np.int32)
        return Linking(self.nodes, numbers, k_min)

    def links(self, k_min: int) -> Flow:
        """LINKS of each chunk that contains leaders of nodes; the place is the first node."""
        shards, questions, firsts = self.cut.shards, self.cut.question_parts, self.firsts
        number_of = {first: number for number, first in enumerate(firsts)}
        terms, chunks = len(self.vocabulary), max(1, len(firsts))
        shared = shared_value(self.spark, self.linking(k_min))

        def spread(blobs: Iterator[Blob]) -> Iterator[Blob]:
            for blob in blobs:
                number = number_of[blob.place]
                shard, question = number * shards // chunks, number % questions
                for part in range(questions):
                    yield Blob(shard * questions + part, blob.place, unweighted(blob.batch))
                questions_of_chunk = asking(blob.batch)
                for part in range(shards):
                    yield Blob(part * questions + question, _QUESTION + blob.place, questions_of_chunk)

        def ask(blobs: Iterator[Blob]) -> Iterator[Blob]:
            linking = shared.value
            for held, asked in _tasks(blobs):
                shard = Shard(KeyChunk.read(held, terms), linking)
                for row in shard.ask(KeyChunk.read(asked, terms)):
                    first, nodes = (row.column(name)[0].as_py() for name in ("first", "nodes"))
                    if nodes:
                        yield Blob(first % parts, first, row)

        parts = self.parts
        found = self._keyed.only(0).then(spread).to_parts(shards * questions).then(ask)
        return (found if shards == 1 else found.to_parts(parts).then(_merge)).kept()

    def documents(self) -> list[dict[str, Any]]:
        """Rows of DOCUMENTS on the driver, in order."""
        return list(DOCUMENTS.rows(blob.batch for blob in self.counted.only(1).collected()))

    def picked(self, documents: NDArray[np.int64]) -> list[pa.RecordBatch]:
        """Rows of PICKED of some documents, which ascend, on the driver."""
        shared = shared_value(self.spark, documents)

        def pick(blobs: Iterator[Blob]) -> Iterator[Blob]:
            for blob in blobs:
                yield from (Blob(0, blob.place, row) for row in pick_terms([blob.batch], shared.value))

        return [blob.batch for blob in self._keyed.only(0).then(pick).collected()]

    def dropped(self) -> None:
        """Free the data kept on the executors."""
        for name in ("counted", "_keyed"):
            if name in self.__dict__:
                self.__dict__[name].dropped()


def _documents(batches: Iterator[pa.RecordBatch]) -> Iterator[Document | DocumentBlock]:
    """Documents of the rows of a DataFrame."""
    first = next(batches, None)
    if first is None:
        return iter(())
    rows = pa.RecordBatchReader.from_batches(first.schema, chain([first], batches))
    return read_document_blocks(rows, reading=Reading(), report=ReadingReport())


def _check_ids(counted: Flow) -> None:
    """Refuse an id that occurs in several partitions: a task sees only the ids of its own."""

    def list_ids(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for row in DOCUMENTS.rows(blob.batch for blob in unpacked(batches)):
            yield pa.RecordBatch.from_arrays([row["ids"]], names=["id"])

    ids = counted.only(1).frame.mapInArrow(list_ids, "id string")
    for row in ids.groupBy("id").count().where("count > 1").orderBy("id").limit(1).collect():
        message = f"{row['id']!r} occurs {row['count']} times; an id may occur only once in a collection"
        raise BadDataError(message, code="E_ID_DUPLICATE", source="<frame>", field="id")


def _by_range(vocabulary: FrozenVocabulary, ranges: int) -> Iterator[pa.RecordBatch]:
    """Cut STATISTICS by the first bits of the hash; the numbers of documents are in the first range."""
    borders = np.arange(1, ranges, dtype=np.uint64) << np.uint64(64 - (ranges - 1).bit_length())
    cuts = [0, *np.searchsorted(vocabulary.hashes, borders).tolist(), len(vocabulary)]
    nothing = np.zeros(len(LANGUAGES), dtype=np.int64)
    for number in range(ranges):
        own = slice(cuts[number], cuts[number + 1])
        yield STATISTICS.row(
            hashes=vocabulary.hashes[own],
            checks=vocabulary.checks[own],
            frequencies=vocabulary.df[:, own].ravel(),
            documents=nothing if number else [one.documents for one in vocabulary.totals],
            lengths=nothing if number else [one.length for one in vocabulary.totals],
        )


def _tasks(blobs: Iterable[Blob]) -> Iterator[tuple[list[pa.RecordBatch], Iterator[pa.RecordBatch]]]:
    """The members of each shard, and the questions to it, which must be read before the next shard."""
    waiting = iter(blobs)
    ahead = next(waiting, None)
    while ahead is not None:
        part, held = ahead.part, []
        while ahead is not None and ahead.part == part and ahead.place < _QUESTION:
            held.append(ahead.batch)
            ahead = next(waiting, None)
        questions: list[pa.RecordBatch] = []
        while ahead is not None and ahead.part == part:
            questions.append(ahead.batch)
            ahead = next(waiting, None)
        yield held, iter(questions)


def _merge(blobs: Iterator[Blob]) -> Iterator[Blob]:
    for row in merge_links(blob.batch for blob in blobs):
        first = row.column("first")[0].as_py()
        yield Blob(0, first, row)
