"""Measures S, T and groups at every k of a collection in a work folder, as ``sweep`` does in memory."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from infostream_dedup.documents import ReadingReport
from infostream_dedup.links.measures import Measures
from infostream_dedup.links.pair_rules import LEAST_NEED, scales
from infostream_dedup.links.relation import survey
from infostream_dedup.links.similarity_matrix import SimilarityMatrix
from infostream_dedup.machine.arrays import Ints, Uint8s
from infostream_dedup.machine.progress import Phrase, Progress
from infostream_dedup.model import LANGUAGES, Settings
from infostream_dedup.runs.batch import sweeping
from infostream_dedup.runs.batch.linking import LinkEstimate
from infostream_dedup.runs.sharded import linking
from infostream_dedup.runs.sharded.disk_runner import DiskRun, LinkedRun
from infostream_dedup.runs.sharded.work_folder import Layout, Stage
from infostream_dedup.terms.statistics import Totals

_TABLES: Final[dict[str, Layout]] = {"totals": linking.TOTALS, "forest": linking.FOREST}
_FROM_NOTE: Final = "{representation}: T below k = {k} was not measured, as there are too many links to be stored"
_BLOCKS_NOTE: Final = (
    "{representation}: below k = {k}, neither T nor the blocks mono and cross were measured, as there are too many"
    " links to be stored"
)
_EXAMPLES_NOTE: Final = (
    "{representation}: no example pairs were drawn; 'pairs --k-min' with the same work folder lists them"
)


@dataclass(frozen=True, slots=True)
class _Part:
    """Some of the links of a collection."""

    labels: Uint8s  # uint8 (nodes,)
    same: bool  # links within labels, rather than those between them

    @property
    def name(self) -> str:
        return "within" if self.same else "between"

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.labels.tobytes()).hexdigest()


class CountedLinks(ABC):
    """The links of a collection as a ``links.Relation``, counted by blocks, in a work folder or on a cluster."""

    def __init__(self, run: Any, k_min: int | None = None, part: _Part | None = None, *, scaled: bool = False) -> None:
        self._run, self._part, self._scaled = run, part, scaled
        self.k_min = run.least_k if k_min is None else k_min
        if scaled:
            self.k_min = min(self.k_min, LEAST_NEED)

    @property
    def matrix(self) -> None:
        """Links are not written out document by document."""
        return None

    @abstractmethod
    def _counted(self, table: Layout) -> Iterable[pa.RecordBatch]:
        """TOTALS or FOREST of every block."""

    @abstractmethod
    def _rows(self) -> linking.BlockRows:
        """All links."""

    def _low(self) -> list[Measures]:
        """Links below ``k_min``, which are not stored."""
        return []

    def measures(self, ks: Iterable[int] | None = None, *, progress: Progress | None = None) -> list[Measures]:
        """As ``Relation.measures``, exact at every k; below ``k_min`` closed paths are not counted."""
        # Links within or between labels are not counted below ``k_min`` at all.
        del progress
        chosen = None if ks is None else set(ks)
        low = self._low() if chosen is None or min(chosen, default=self.k_min) < self.k_min else []
        rows = [*low, *linking.sum_of_totals(self._counted(linking.TOTALS)).measures()]
        return [row for row in rows if chosen is None or row.k in chosen]

    def group_sizes(self, ks: Sequence[int]) -> list[Ints]:
        """As ``Relation.group_sizes``, in no particular order."""
        nodes = self._nodes
        forest = list(linking.merge_forests(self._counted(linking.FOREST), len(nodes)))
        return [linking.group_sizes_of(forest, nodes, max(k, self.k_min)) for k in ks]

    def written(self, k: int) -> SimilarityMatrix:
        """As ``Writable.written``."""
        labels, same = self._labels
        n = self._run.settings.n
        return linking.write_out(self._rows(), self._nodes, k, n=n, scaled=self._scaled, labels=labels, same=same)

    @property
    def _labels(self) -> tuple[Uint8s | None, bool]:
        return (None, True) if self._part is None else (self._part.labels, self._part.same)

    @cached_property
    def _nodes(self) -> linking.NodeTable:
        """The nodes; documents of one node are not linked to each other between labels."""
        nodes: linking.NodeTable = self._run.nodes
        if self._scaled:
            nodes = nodes.graded(self._run.settings.n)
        if self._part is None or self._part.same:
            return nodes
        return replace(nodes, inside=np.zeros_like(nodes.inside))


class FoldedLinks(CountedLinks):
    """The links of a collection in a work folder."""

    _run: LinkedRun

    def _counted(self, table: Layout) -> Iterable[pa.RecordBatch]:
        return self._totals.batches(table.name)

    def _rows(self) -> linking.BlockRows:
        return self._run.link_table(self.k_min).whole()

    def _low(self) -> list[Measures]:
        linked, most = self._run, self.k_min - 1
        # With a window, none are counted.
        if most == 0 or linked.windowed or self._part is not None:
            return []
        return linking.low_totals(linked.degrees(most).batches("degrees"), linked.nodes, most).measures()

    def between(self, labels: NDArray[np.generic], *, same: bool) -> FoldedLinks:
        """As ``Relation.between``."""
        nodes = self._run.nodes
        of_nodes = labels[nodes.leaders].astype(np.uint8)
        if not np.array_equal(of_nodes[nodes.node_of], labels):
            raise ValueError("documents with equal key terms have different labels")
        return FoldedLinks(self._run, self.k_min, _Part(of_nodes, same), scaled=self._scaled)

    @cached_property
    def _totals(self) -> Stage:
        linked, part, name = self._run, self._part, f"totals{self.k_min}"
        decided = {"links": linked.links(self.k_min).key, "n": linked.settings.n}
        if self._scaled:
            name, decided = f"{name}-scaled", {**decided, "short": "scaled"}
        if part is not None:
            name, decided = f"{name}-{part.name}", {**decided, "labels": part.digest}
        return linked.run.folder.stage(f"{linked.name}-{name}", _TABLES, decided, self._make_totals)

    def _make_totals(self) -> Iterator[tuple[str, pa.RecordBatch]]:
        linked, nodes = self._run, self._nodes
        table, run = linked.link_table(self.k_min), linked.run
        ks = range(self.k_min, linked.settings.n + 1)
        blocks = max(1, min(run.plan.blocks(len(table), len(nodes)), len(nodes)))
        order = np.arange(len(nodes))
        if blocks > 1:
            forest = linking.span_links(linked.links(self.k_min).batches("links"), len(nodes))
            order = linking.linkage_order(forest, len(nodes))
        step = f"{linked.settings.representation}: S and T by blocks"
        for number, (begin, end) in enumerate(block_bounds(table.sizes()[order], blocks)):
            own = np.sort(order[begin:end])
            rows = table.whole() if blocks == 1 else table.block(own)
            labels, same = self._labels
            totals, spanned = linking.count_block(
                own, rows, nodes, ks, labels=labels, same=same, scaled=self._scaled, workers=run.workers
            )
            yield "totals", linking.totals_row(totals)
            yield "forest", spanned
            run.tell(step, number + 1, blocks)


def block_bounds(sizes: Ints, blocks: int) -> list[tuple[int, int]]:
    """Cut rows into at least one block, some perhaps empty, with about the same number of links."""
    up_to = np.cumsum(sizes + 1)
    whole = int(up_to[-1]) if len(up_to) else 0
    cuts = np.searchsorted(up_to, [whole * block // blocks for block in range(1, blocks)], side="left")
    return list(pairwise([0, *cuts.tolist(), len(sizes)]))


def sweep_on_disk(
    run: DiskRun,
    *,
    series: Sequence[str] | None = None,
    ks: Sequence[int] | None = None,
    examples: bool = True,
    window_days: float | None = None,
    estimate: Callable[[LinkedRun, Sequence[str]], LinkEstimate] | None = None,
    way: str | int = "auto",
    scaled: bool | None = None,
    unasked: bool = False,
) -> sweeping.SweepResult:
    """Sweep over a collection in a work folder; ``settings.score`` must be ``count``; see ``sweep_collection``."""
    series = run.representations if series is None else series
    result = sweeping.SweepResult(rows=[], advice={}, configuration=sweeping.configuration_of(run.settings, series))
    for number, representation in enumerate(series):
        if unasked and sweeping.is_needless(result, representation):
            result.configuration["representations"].remove(representation)
            continue
        run.tell(f"sweep {representation}", number, len(series))
        linked = run.linked(representation, window_days=window_days)
        by_need = begun(result, linked.vocabulary.totals, linked.nodes, run.settings, wanted=scaled)
        relation = FoldedLinks(linked, scaled=by_need)
        labels = _labels(linked)
        blocks = ("all",) if labels is None else ("all", "mono", "cross")
        found = None if estimate is None else estimate(linked, blocks)
        known = None if found is None else found.known
        surveyed = survey(relation, n=run.settings.n, labels=labels, known=known, way=way)
        sweeping.add_survey(result, surveyed, linked.settings, ks, found, series=representation, scaled=by_need)
        sweeping.add_same(result, representation)
        if linked.pivot is not None:
            sweeping.add_untranslated(result, linked.pivot.untranslated(), linked.settings)
        if linked.settings.representation == "morph" and "en" in result.documents:
            result.notes.append(Phrase.of(sweeping.ENGLISH_NOTE, number=result.documents["en"]))
        if relation.k_min > 1:
            note = _FROM_NOTE if labels is None else _BLOCKS_NOTE
            result.notes.append(Phrase.of(note, representation=representation, k=relation.k_min))
        if examples:
            result.notes.append(Phrase.of(_EXAMPLES_NOTE, representation=representation))
        result = replace(result, report=ReadingReport(**linked.report))
    run.tell("sweep", len(series), len(series))
    return result


def begun(
    result: sweeping.SweepResult,
    totals: Iterable[Totals],
    nodes: linking.NodeTable,
    settings: Settings,
    *,
    wanted: bool | None,
) -> bool:
    """Note the documents of each language in a result; whether links of short documents count by need(k)."""
    counted = zip(LANGUAGES, totals, strict=True)
    result.documents.update((language, one.documents) for language, one in counted if one.documents)
    return scales(nodes.sizes[nodes.node_of], n=settings.n, short=settings.short, wanted=wanted)


def _labels(linked: LinkedRun) -> Uint8s | None:
    """The language of each document, if terms of several languages can match."""
    nodes = linked.nodes
    if linked.pivot is None or len(np.unique(nodes.languages)) < 2:
        return None
    return nodes.languages[nodes.node_of]
