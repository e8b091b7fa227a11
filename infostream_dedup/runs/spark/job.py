"""A run over a DataFrame: its steps and its public functions."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial, reduce
from importlib import import_module
from itertools import chain, groupby
from typing import TYPE_CHECKING, Annotated, Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from infostream_dedup.documents import Reading, ReadingReport
from infostream_dedup.documents.block_reading import read_document_blocks
from infostream_dedup.errors import BadDataError, MissingExtraError, UsageError
from infostream_dedup.links.pair_rules import RELATIONS, need
from infostream_dedup.links.relation import Relation, survey
from infostream_dedup.machine.arrays import Int32s, Ints
from infostream_dedup.model import Document, DocumentBlock, Settings, names_in
from infostream_dedup.model.limits import Range, check_limits, check_record
from infostream_dedup.runs.batch.deduplication import DuplicateRule
from infostream_dedup.runs.batch.linking import least_count
from infostream_dedup.runs.batch.sweeping import SweepResult, add_survey, configuration_of
from infostream_dedup.runs.sharded import key_terms, linking
from infostream_dedup.runs.sharded.deduplication import Statuses, StatusRules
from infostream_dedup.runs.sharded.disk_runner import least_stored
from infostream_dedup.runs.sharded.linking import Linking, NodeTable, Shard, collapse_documents, merge_links
from infostream_dedup.runs.sharded.pairing import (
    DocumentPairs,
    PairFinder,
    merged_rows,
    pick_terms,
    recounted,
    turn_links,
)
from infostream_dedup.runs.sharded.reading import DOCUMENTS, read_and_count
from infostream_dedup.runs.sharded.sweeping import CountedLinks, begun, block_bounds
from infostream_dedup.runs.sharded.work_folder import Layout
from infostream_dedup.runs.spark.flow import (
    Blob,
    Flow,
    is_remote,
    large_rows,
    rows_of_texts,
    shared_value,
    unpacked,
    use_own_interpreter,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


SIZES: Final = Layout("sizes", ("documents",), {})  # number of documents of a chunk
KEY_COUNTS: Final = Layout("key counts", (), {"numbers": "u4", "keys": "i8", "targets": "i8"})
"""How many documents of a task have each term as a key term, and as a target."""

_PARTITION: Final = 40  # number of bits for the position of a document within its partition
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

    partitions: Annotated[int | None, Range(0)] = None
    shards: Annotated[int, Range(1)] = 2
    question_parts: Annotated[int, Range(1)] = 2
    blocks: Annotated[int, Range(1)] = 2
    chunk: Annotated[int, Range(1)] = _CHUNK

    def __post_init__(self) -> None:
        check_limits(self)


class SparkRun:
    """A collection in one representation; the last column of ``order`` must differ for all documents."""

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
        """COUNTS (part 0), DOCUMENTS (1), SIZES (2), STATISTICS by ranges of hashes (3 on); places in partitions."""
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
                    statistics += list(key_terms.partial_statistics([row]))
                elif len(row.column("lengths")[0]):
                    yield Blob(1, place, row)
            # Done here, because passing counts to another task costs more than adding up their terms.
            (whole,) = key_terms.merge_statistics(statistics)
            for number, row in enumerate(_by_range(key_terms.FrozenVocabulary.of([whole]), ranges)):
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
                for row in key_terms.merge_statistics(blob.batch for blob in rows):
                    yield Blob(number, 0, row)

        several = Flow(self.counted.frame.where(self.counted.frame["part"] > 2))
        moved = several.then(lambda blobs: (Blob(one.part - 3, one.place, one.batch) for one in blobs))
        return moved.to_parts(self._ranges).then(merge).collected()

    @cached_property
    def vocabulary(self) -> key_terms.FrozenVocabulary:
        """All terms, frozen."""
        # A DataFrame without rows has no statistics.
        parts = list(
            key_terms.FrozenVocabulary.read([blob.batch for blob in self._statistics] or key_terms.merge_statistics([]))
        )
        return key_terms.FrozenVocabulary(
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
                batch = key_terms.COUNTS.with_number(blob.batch, "first", ordinals[blob.place])
                for row in key_terms.select_keys([batch], vocabulary, settings):
                    yield Blob(0, ordinals[blob.place], row)
                    yield Blob(1, ordinals[blob.place], key_terms.asking(row))
                    counts = key_terms.KeyCounts.of([row], len(vocabulary))
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
    def key_counts(self) -> key_terms.KeyCounts:
        """How many documents have each term as a key term or target."""
        keys, targets = np.zeros((2, len(self.vocabulary)), dtype=np.int64)
        for row in KEY_COUNTS.rows(blob.batch for blob in self._summary if blob.part == 2):
            keys[row["numbers"]] += row["keys"]
            targets[row["numbers"]] += row["targets"]
        return key_terms.KeyCounts(keys, targets)

    @cached_property
    def nodes(self) -> NodeTable:
        """Documents with equal key terms and targets as one."""
        return NodeTable.read(collapse_documents(blob.batch for blob in self._summary if blob.part == 1))

    @property
    def least_k(self) -> int:
        """The smallest k whose links are kept: 1 if they are certainly few, otherwise 4 (or n if smaller)."""
        return least_stored(self.key_counts, self.vocabulary.documents, self.settings.n)

    def linking(self, k_min: int) -> Linking:
        """Data shared by all shards."""
        used = self.key_counts.keys > 0
        return Linking(self.nodes, np.where(used, np.cumsum(used) - 1, -1).astype(np.int32), k_min)

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
                    yield Blob(shard * questions + part, blob.place, key_terms.unweighted(blob.batch))
                questions_of_chunk = key_terms.asking(blob.batch)
                for part in range(shards):
                    yield Blob(part * questions + question, _QUESTION + blob.place, questions_of_chunk)

        def ask(blobs: Iterator[Blob]) -> Iterator[Blob]:
            linking = shared.value
            for held, asked in _tasks(blobs):
                shard = Shard(key_terms.KeyChunk.read(held, terms), linking)
                for row in shard.ask(key_terms.KeyChunk.read(asked, terms)):
                    first, nodes = (row.column(name)[0].as_py() for name in ("first", "nodes"))
                    if nodes:
                        yield Blob(first % parts, first, row)

        parts = self.parts
        found = self._keyed.only(0).then(spread).to_parts(shards * questions).then(ask)
        return (found if shards == 1 else found.to_parts(parts).then(_merge)).kept()

    def documents(self) -> list[dict[str, Any]]:
        """Rows of DOCUMENTS on the driver, in order."""
        return list(DOCUMENTS.rows(blob.batch for blob in self.counted.only(1).collected()))

    def picked(self, documents: Ints) -> list[pa.RecordBatch]:
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


def _by_range(vocabulary: key_terms.FrozenVocabulary, ranges: int) -> Iterator[pa.RecordBatch]:
    """Cut STATISTICS by the first bits of the hash; the numbers of documents are in the first range."""
    borders = np.arange(1, ranges, dtype=np.uint64) << np.uint64(64 - (ranges - 1).bit_length())
    cuts = [0, *np.searchsorted(vocabulary.hashes, borders).tolist(), len(vocabulary)]
    for number, own in enumerate(map(slice, cuts, cuts[1:])):
        yield vocabulary.part(own, counted=not number).row()


def _tasks(blobs: Iterable[Blob]) -> Iterator[tuple[list[pa.RecordBatch], list[pa.RecordBatch]]]:
    """The members of each shard, and the questions to it."""
    for _, of_shard in groupby(blobs, key=lambda blob: blob.part):
        members, questions = list[pa.RecordBatch](), list[pa.RecordBatch]()
        for blob in of_shard:
            (members if blob.place < _QUESTION else questions).append(blob.batch)
        yield members, questions


def _merge(blobs: Iterator[Blob]) -> Iterator[Blob]:
    for row in merge_links(blob.batch for blob in blobs):
        yield Blob(0, row.column("first")[0].as_py(), row)


# ``sweep``, ``pairs`` and ``dedup`` over a DataFrame.


_CUT: Final = SparkCut()
_STATUS: Final = ("status", "of", "group")
_NO_K: Final = "{}: links below k = {} were not counted, as there are too many"
_NO_COPIES: Final = "copies are not counted on Spark, so S and T choose k: infostream_dedup.sweep counts them"


def sweep(
    frame: DataFrame,
    *,
    representations: Sequence[str] | str = ("stem", "morph"),
    ks: Sequence[int] | None = None,
    order: Sequence[str] | str | None = None,
    cut: SparkCut = _CUT,
    **settings: Any,
) -> SweepResult:
    """Measure S and T at every k over a DataFrame; the numbers are those of ``infostream_dedup.sweep``.

    Args:
        frame: documents with the columns ``id`` and ``text``, and ``title``, ``lang``, ``published`` if there are any.
            Ids must be distinct.
        representations: ``stem``, ``morph``.
        ks: the k to show, 1..n by default.
        order: columns that put the documents in order; the last one must differ for all of them. ``published`` and
            ``id`` by default.
        cut: how the collection is cut over tasks; no result depends on it.
        settings: fields of ``Settings`` by name.

    Returns:
        As ``infostream_dedup.sweep`` without estimates and example pairs: copies are not counted here, and k
        is chosen by S and T.

    Raises:
        MissingExtraError: pyspark is not installed, or is older than 4.1.
        UsageError: a setting is not for Spark.
        ConfigurationError: a setting is out of range.
        BadDataError: an id occurs in several partitions; other bad rows fail in a task of Spark, with Spark's error.
    """
    representations = names_in(representations)
    chosen = _settings(settings, representations)
    result = SweepResult(rows=[], advice={}, configuration=configuration_of(chosen, representations))
    result.notes.append(_NO_COPIES)
    for representation in representations:
        with _run(frame, chosen.but(representation=representation), order, cut) as run:
            wanted = True if settings.get("short") == "scaled" else None
            by_need = begun(result, run.vocabulary.totals, run.nodes, chosen, wanted=wanted)
            relation = SpreadLinks(run, scaled=by_need)
            add_survey(result, survey(relation, n=chosen.n), run.settings, ks, scaled=by_need)
            relation.links.dropped()
            if relation.k_min > 1:
                result.notes.append(_NO_K.format(representation, relation.k_min))
    return result


def pairs(
    frame: DataFrame,
    *,
    k_min: int | None = None,
    order: Sequence[str] | str | None = None,
    cut: SparkCut = _CUT,
    **settings: Any,
) -> DataFrame:
    """Pairs of documents that are linked at ``k`` in at least one direction, as a DataFrame in no particular order.

    It is persisted; ``unpersist()`` frees it.

    Args:
        frame: as in ``sweep``.
        k_min: all pairs with max(forward, backward) >= k_min instead of those with a relation at ``k``.
        order: as in ``sweep``; decides which document of a pair is ``a``, the earlier one.
        cut: as in ``sweep``.
        settings: fields of ``Settings`` by name; representation ``morph`` by default.

    Returns:
        Columns ``a, b, forward, backward, n_a, n_b, relation``, with the values that ``infostream_dedup.pairs`` gives.
        The count of the weaker direction is null if it is below ``k`` (for short documents: below ``need(k)``) or
        ``k_min``: links of fewer terms are not kept.

    Raises:
        MissingExtraError, UsageError, ConfigurationError, BadDataError: as in ``sweep``.
    """
    chosen = _settings(settings, ())
    with _run(frame, chosen, order, cut) as run:
        found = listed_pairs(run, k_min).persist()
        # The data kept on the executors is freed with this run, so the pairs must be computed first.
        found.count()
        return found


def dedup(
    frame: DataFrame,
    *,
    duplicate_rule: DuplicateRule = "equal",
    order: Sequence[str] | str | None = None,
    cut: SparkCut = _CUT,
    **settings: Any,
) -> DataFrame:
    """Status and group of every document, as a DataFrame in no particular order.

    Args:
        frame: as in ``sweep``.
        duplicate_rule: as in ``infostream_dedup.dedup``.
        order: as in ``sweep``; decides which document is the earlier one.
        cut: as in ``sweep``.
        settings: fields of ``Settings`` by name; representation ``morph`` by default.

    Returns:
        Columns ``id, status, of, group``, with the values that ``dedup --annotate`` adds. The collection without its
        duplicates is ``frame`` joined with the rows whose ``id`` equals their ``group``.

    Raises:
        MissingExtraError, UsageError, ConfigurationError, BadDataError: as in ``sweep``.
    """
    chosen = _settings(settings, ())
    with _run(frame, chosen, order, cut, hashes=True) as run:
        rules, found = StatusRules(run.nodes, chosen, duplicate_rule), Statuses(run.nodes)
        found.add(*judged_documents(run, rules))
        statuses = found.finish(run.documents())
        rows = list(statuses)
        columns = {name: pa.array([getattr(row, name) for row in rows], pa.string()) for name in _STATUS}
        return run.spark.createDataFrame(pa.table({"id": statuses.ids(np.arange(len(rows))), **columns}))


def _settings(given: dict[str, Any], representations: Sequence[str]) -> Settings:
    if given.get("preset") == "judged":
        raise UsageError("preset judged does not run on Spark; use infostream_dedup.dedup or pairs")
    chosen = Settings.of(**given)
    if "pivot" in (*representations, chosen.representation):
        raise UsageError("representation pivot does not run on Spark; use infostream_dedup.sweep")
    if chosen.score != "count":
        raise UsageError("the share score does not run on Spark; use score='count'")
    return chosen


@contextmanager
def _run(
    frame: DataFrame, settings: Settings, order: Sequence[str] | str | None, cut: SparkCut, *, hashes: bool = False
) -> Iterator[SparkRun]:
    _check_pyspark()
    check_record("cut", cut, SparkCut)
    if not hasattr(frame, "sparkSession"):
        raise UsageError(f"got a {type(frame).__name__}; expected a DataFrame of Spark: session.createDataFrame(...)")
    default = ("published", "id") if "published" in frame.columns else ("id",)
    missing = [name for name in ("id", "text", *names_in(order or ())) if name not in frame.columns]
    if missing:
        raise UsageError(f"the DataFrame has no column {missing[0]}; it has {', '.join(frame.columns)}")
    use_own_interpreter(frame.sparkSession)
    with large_rows(frame.sparkSession):
        run = SparkRun(frame, settings, order=names_in(order or default), cut=cut, hashes=hashes)
        try:
            yield run
        finally:
            run.dropped()


def _check_pyspark() -> None:
    try:
        version = import_module("pyspark").__version__
    except ImportError as error:
        raise MissingExtraError("pyspark", "spark", "a run on Spark") from error
    if tuple(map(int, version.split(".")[:2])) < (4, 1):
        raise MissingExtraError(f"pyspark >= 4.1 (not {version})", "spark", "a run on Spark")


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

    def _rows_abroad(self, block_of: Int32s) -> Flow:
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

    def _blocks_of_nodes(self, blocks: int) -> Int32s:
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
    """Pairs as of ``pairs``; links of fewer terms are not kept, so a smaller count of the weaker direction is null."""
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
