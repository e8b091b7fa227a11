"""The stages in sequence on one machine: Arrow files in a work folder, one shard in memory at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import islice
from typing import Any, Final

import numpy as np
import pyarrow as pa

from infostream_dedup.language.translation.ladder import answers_fingerprint
from infostream_dedup.links.measures import EXACT_FROM
from infostream_dedup.machine.arrays import Int32s, Ints
from infostream_dedup.machine.progress import Progress
from infostream_dedup.model import Document, DocumentBlock, Settings
from infostream_dedup.model.settings import REPRESENTATIONS
from infostream_dedup.runs.sharded import key_terms, linking
from infostream_dedup.runs.sharded.plan import Plan
from infostream_dedup.runs.sharded.reading import DOCUMENTS, EVIDENCE_TABLES, FIRST_TABLES, NO_MOMENT, read_and_count
from infostream_dedup.runs.sharded.work_folder import Layout, Make, Stage, WorkFolder, joined

# One representation of a collection in a work folder: statistics, key terms, nodes and links

MOST_STORED: Final = 20_000_000  # links below ``EXACT_FROM`` are also stored if there are certainly no more than this


def least_stored(counts: key_terms.KeyCounts, documents: int, n: int) -> int:
    """The smallest k whose links are stored: 1 if they are certainly few, otherwise 4 (or n if smaller)."""
    return 1 if min(counts.expected_work, documents * documents) <= MOST_STORED else min(EXACT_FROM, n)


_DAY: Final = 86_400

_SHARED: Final = ("weighting", "n", "target", "df_min", "df_max", "k1", "b", "background", "morph")
"""Settings that decide key terms, in addition to the representation."""


class LinkedRun:
    """One representation of a collection: its key terms and links, made when first needed."""

    def __init__(self, run: DiskRun, counted: Stage, settings: Settings, window_days: float | None) -> None:
        self.run = run
        self.settings = settings
        self.counted = counted
        self._window = None if window_days is None else round(window_days * _DAY)

    def with_settings(self, settings: Settings) -> LinkedRun:
        """Return this representation with another n; its stages have other names."""
        return LinkedRun(self.run, self.counted, settings, self._window and self._window / _DAY)

    @property
    def name(self) -> str:
        """Prefix of the names of its stages."""
        own = "" if self.settings.n == self.run.settings.n else f"-{self.settings.n}"
        return f"{self.settings.representation}{own}"

    def counts(self) -> Iterator[pa.RecordBatch]:
        """Rows of COUNTS."""
        wanted = REPRESENTATIONS.index(self.settings.representation)
        for batch in self.counted.batches("counts"):
            if batch.column("representation")[0].as_py() == wanted:
                yield batch

    def documents(self) -> Iterator[dict[str, Any]]:
        """Rows of DOCUMENTS."""
        return DOCUMENTS.rows(self.counted.batches("documents"))

    @property
    def report(self) -> Mapping[str, Any]:
        """What was read, as noted by the first stage."""
        found: Mapping[str, Any] = self.counted.facts.get("report", {})
        return found

    @cached_property
    def vocabulary(self) -> key_terms.FrozenVocabulary:
        """All terms, frozen."""
        return key_terms.FrozenVocabulary.of(self.statistics.batches("statistics"))

    @cached_property
    def statistics(self) -> Stage:
        """The vocabulary with its statistics, in one row."""
        return self.stage("statistics", key_terms.STATISTICS, {"counted": self.counted.key}, self._make_statistics)

    def _make_statistics(self) -> Iterator[pa.RecordBatch]:
        self.run.tell(f"{self.settings.representation}: statistics", 0, 1)
        try:
            yield from key_terms.merge_statistics(key_terms.partial_statistics(self.counts()))
        except key_terms.CollisionError as error:
            raise key_terms.CollisionError(
                error.shared, key_terms.terms_of_hash(self.counts(), error.shared)
            ) from error
        self.run.tell(f"{self.settings.representation}: statistics", 1, 1)

    @cached_property
    def pivot(self) -> key_terms.PivotTerms | None:
        """Key terms in a pivot language; ``None`` in other representations."""
        if self.settings.representation != "pivot":
            return None
        documents = np.array([one.documents for one in self.vocabulary.totals], dtype=np.int64)
        return key_terms.PivotTerms(self.counts, documents, self.settings)

    @cached_property
    def columns(self) -> Stage:
        """The key columns of a pivot language; only in representation ``pivot``."""
        shown = {"statistics": self.statistics.key, "answers": answers_fingerprint(), "pivot": self.settings.pivot}
        decided = {**shown, **{one: getattr(self.settings, one) for one in _SHARED}}
        rows = iter(()) if self.pivot is None else self.pivot.make_columns()
        return self.stage("columns", key_terms.COLUMNS, decided, lambda: self._make_columns(rows))

    def _make_columns(self, rows: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        self.run.tell("pivot: translation", 0, 1)
        yield from rows
        self.run.tell("pivot: translation", 1, 1)

    @cached_property
    def terms(self) -> int:
        """Number of terms by which key terms and targets are numbered."""
        if self.pivot is None:
            return len(self.vocabulary)
        return sum(len(row["canonical"]) for row in key_terms.COLUMNS.rows(self.columns.batches("columns")))

    @cached_property
    def keys(self) -> Stage:
        """Key terms and targets."""
        if self.pivot is None:
            return self.selected("keys", self.settings)
        decided = {"columns": self.columns.key}
        return self.stage("keys", key_terms.KEYS, decided, lambda: self._make_keys(self.settings, None))

    def selected(self, name: str, settings: Settings, distinct: key_terms.FrozenVocabulary | None = None) -> Stage:
        """A stage of key terms and targets."""
        decided = {"statistics": self.statistics.key, **{one: getattr(settings, one) for one in _SHARED}}
        if distinct is not None:
            decided["distinct"] = True
        return self.stage(name, key_terms.KEYS, decided, lambda: self._make_keys(settings, distinct))

    def _make_keys(self, settings: Settings, distinct: key_terms.FrozenVocabulary | None) -> Iterator[pa.RecordBatch]:
        done, workers = 0, self.run.workers
        if self.pivot is None:
            rows = key_terms.select_keys(self.counts(), self.vocabulary, settings, distinct=distinct, workers=workers)
        else:
            rows = self.pivot.select_keys(self.columns.batches("columns"), workers=workers)
        for row in rows:
            yield row
            done += len(row.column("sizes")[0])
            self.run.tell(f"{self.settings.representation}: key terms", done, self.vocabulary.documents)

    @cached_property
    def moments(self) -> Ints | None:
        """int64 (documents,): seconds since 1970, if there is a window; of one without a date, the latest so far."""
        if self._window is None:
            return None
        given = joined(self.documents(), "moments")
        clock = np.maximum.accumulate(given)
        return np.where(given == NO_MOMENT, np.where(clock == NO_MOMENT, 0, clock), given)

    @cached_property
    def _nodes(self) -> Stage:
        by_language = self.settings.representation == "pivot"
        decided = {"keys": self.keys.key, "by_language": by_language, "window": self._window}
        return self.stage(
            "nodes",
            linking.NODES,
            decided,
            lambda: linking.collapse_documents(
                self.keys.batches("keys"), by_language=by_language, moments=self.moments
            ),
        )

    @cached_property
    def nodes(self) -> linking.NodeTable:
        """The nodes: documents with equal key terms and targets are one node."""
        return linking.NodeTable.read(self._nodes.batches("nodes"))

    @cached_property
    def key_counts(self) -> key_terms.KeyCounts:
        """How many documents have each term as a key term or target."""
        return key_terms.KeyCounts.of(self.keys.batches("keys"), self.terms)

    @cached_property
    def numbers_of_keys(self) -> Int32s:
        """int32 (terms,): number of each key term, -1 for other terms."""
        return key_terms.mark_key_terms(self.keys.batches("keys"), self.terms)

    def chunks(self) -> Iterator[key_terms.KeyChunk]:
        """Key terms and targets, chunk by chunk."""
        return key_terms.KeyChunk.read(self.keys.batches("keys"), self.terms)

    @property
    def least_k(self) -> int:
        """The smallest k whose links are stored: 1 if they are certainly few, otherwise 4 (or n if smaller)."""
        return least_stored(self.key_counts, self.vocabulary.documents, self.settings.n)

    def links(self, k_min: int) -> Stage:
        """All links of at least ``k_min`` common key terms: one row of LINKS a chunk."""
        shards = self._shards()
        decided = {"nodes": self._nodes.key, "k_min": k_min}
        name = f"links{k_min}"
        found = self.stage(name, linking.LINKS, decided, lambda: self._make_links(k_min, shards))
        for shard in range(shards):
            self.drop(f"{name}-{shard}")
        return found

    def _make_links(self, k_min: int, shards: int) -> Iterator[pa.RecordBatch]:
        firsts = [row["first"] for row in key_terms.KEYS.rows(self.keys.batches("keys"))]
        chunks = len(firsts)
        given = linking.Linking(self.nodes, self.numbers_of_keys, k_min, self.moments, self._window)
        per_shard = max(1, -(-chunks // shards))
        decided = {"nodes": self._nodes.key, "k_min": k_min, "shards": shards, "firsts": firsts}
        parts = [
            self.stage(
                f"links{k_min}-{shard}",
                linking.LINKS,
                decided,
                partial(self._make_shard, given, shard * per_shard, (shard + 1) * per_shard, chunks),
            )
            for shard in range(shards)
        ]
        for number, rows in enumerate(zip(*(part.batches("links") for part in parts), strict=True)):
            yield from linking.merge_links(rows)
            self.run.tell(f"{self.settings.representation}: merging links", number + 1, chunks)

    def _make_shard(self, given: linking.Linking, begin: int, end: int, chunks: int) -> Iterator[pa.RecordBatch]:
        shard = linking.Shard(islice(self.chunks(), begin, end), given)
        step = f"{self.settings.representation}: links to documents of chunks {begin + 1} to {min(end, chunks)}"
        for number, row in enumerate(shard.ask(self.chunks(), workers=self.run.workers)):
            yield row
            self.run.tell(step, number + 1, chunks)

    def degrees(self, most: int) -> Stage:
        """How many documents each node is linked with at k = 1 to ``most``, shard by shard; not with a window."""
        decided = {"nodes": self._nodes.key, "most": most}
        return self.stage(f"degrees{most}", linking.DEGREES, decided, lambda: self._make_degrees(most))

    def _make_degrees(self, most: int) -> Iterator[pa.RecordBatch]:
        given, n = linking.Linking(self.nodes, self.numbers_of_keys, 1), self.settings.n
        chunks = sum(1 for _ in self.keys.batches("keys"))
        per_shard = max(1, -(-chunks // self._shards()))
        for begin in range(0, chunks, per_shard):
            shard = linking.Shard(islice(self.chunks(), begin, begin + per_shard), given)
            step = f"{self.settings.representation}: links below k = {most + 1} to documents of chunks {begin + 1} on"
            for number, row in enumerate(shard.degrees(self.chunks(), n=n, most=most)):
                yield row
                self.run.tell(step, number + 1, chunks)

    def _shards(self) -> int:
        return self.run.plan.shards(int(self.key_counts.targets.sum()), self.terms, len(self.nodes))

    @property
    def windowed(self) -> bool:
        """Whether only documents near in time are linked."""
        return self._window is not None

    def link_table(self, k_min: int) -> linking.LinkTable:
        """The links, memory-mapped."""
        return linking.LinkTable(self.links(k_min).batches("links"))

    def stage(
        self, name: str, table: Layout, decided_by: Mapping[str, Any], make: Callable[[], Iterable[pa.RecordBatch]]
    ) -> Stage:
        """A stage of this representation with one table (see ``WorkFolder.stage``)."""
        rows: Make = lambda: ((table.name, row) for row in make())  # noqa: E731
        return self.run.folder.stage(f"{self.name}-{name}", {table.name: table}, decided_by, rows)

    def drop(self, name: str) -> None:
        """Remove the files of a stage of this representation that is no longer needed."""
        self.run.folder.drop(f"{self.name}-{name}")


@dataclass(frozen=True, slots=True)
class Input:
    """The documents of a run."""

    read: Callable[[], Iterable[Document | DocumentBlock]]  # reads them from the beginning
    # identifies the documents, to recognise those of an earlier run; `None` if impossible (standard input)
    mark: Mapping[str, Any] | None
    # called once they are read, for the manifest; `report` holds the fields of the reading report
    facts: Callable[[], Mapping[str, Any]] = field(default=dict)
    # identifies the files that reading leaves elsewhere; if they have changed since, documents are read again
    left: Callable[[], Any] = field(default=lambda: None)


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskRun:
    """A collection in a work folder."""

    folder: WorkFolder  # the work folder; it must be locked (`held`)
    source: Input  # the documents
    settings: Settings  # everything but the representation
    representations: Sequence[str]  # all that the run needs; texts are read once for all of them
    plan: Plan  # how the collection is cut
    hashes: bool = False  # also take the hash of each body
    evidence: bool = False  # also take what judging pairs of documents needs
    workers: int = 0  # threads; 0 for as many as the process may use
    progress: Progress | None = None  # called for each stage

    def counted(self) -> Stage:
        """The documents as counts of terms, and the other data kept of them."""
        wanted = [self.settings.but(representation=name) for name in self.representations]
        decided = {
            "source": self.source.mark,
            "representations": list(self.representations),
            "morph": self.settings.morph,
            "hashes": self.hashes,
            "evidence": self.evidence,
        }
        return self.folder.stage(
            "counted",
            FIRST_TABLES | (EVIDENCE_TABLES if self.evidence else {}),
            decided,
            lambda: read_and_count(
                self.source.read(),
                wanted,
                chunk=self.plan.chunk,
                hashes=self.hashes,
                evidence=self.evidence,
                workers=self.workers,
                progress=self.progress,
            ),
            lambda: {**self.source.facts(), "left": self.source.left()},
            holds=self._holds,
        )

    def _holds(self, facts: Mapping[str, Any]) -> bool:
        return self.source.mark is not None and facts.get("left", "") == self.source.left()

    def linked(self, representation: str, *, window_days: float | None = None) -> LinkedRun:
        """The collection in one representation, or one series with it."""
        return LinkedRun(self, self.counted(), self.settings.for_series(representation), window_days)

    def tell(self, step: str, done: int, total: int | None) -> None:
        """Report progress."""
        if self.progress is not None:
            self.progress(step, done, total)
