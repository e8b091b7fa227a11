"""Estimates the links of a collection in a work folder, as ``SweepEstimator`` does in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Final

import numpy as np
import scipy.sparse as sp

from infostream_dedup.errors import UsageError
from infostream_dedup.judging.evidence.collecting import EvidenceReader
from infostream_dedup.judging.evidence.triple_ranges import TripleRanges
from infostream_dedup.lab.estimation.copy_census import CopyCensus
from infostream_dedup.lab.estimation.sweep_estimator import SweepEstimator
from infostream_dedup.links import SimilarityMatrix
from infostream_dedup.machine.row_blocks import row_blocks
from infostream_dedup.model import LANGUAGES, Document, DocumentBlock, single_documents, without_text
from infostream_dedup.runs.batch.linking import MOST_LINKS
from infostream_dedup.runs.sharded.pairing import PairFinder, all_key_terms, paired

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from infostream_dedup.model import Settings
    from infostream_dedup.model.document import Language
    from infostream_dedup.runs.batch.link_estimate import LinkEstimate
    from infostream_dedup.runs.sharded.disk_runner import DiskRun
    from infostream_dedup.runs.sharded.linked_run import LinkedRun
    from infostream_dedup.terms.key_terms import KeyTerms

__all__ = ["DiskEstimator"]

_PAIRS_AT_ONCE: Final = 1_000_000
_DOCUMENT_BYTES: Final = 3_000
_CHARACTER_BYTES: Final = 2
"""Of memory: evidence and key terms of a document, and the index of its word triples for each of its characters."""


@dataclass(frozen=True, slots=True)
class _FolderCollection:
    """A collection in a work folder, as the estimator needs it."""

    linked: LinkedRun
    documents: list[Document]
    languages: list[Language]

    def __len__(self) -> int:
        return len(self.documents)

    def key_terms(self, settings: Settings) -> KeyTerms:
        run = self.linked if settings == self.linked.settings else self.linked.with_settings(settings)
        return all_key_terms(run)

    def key_terms_of(self, settings: Settings, documents: NDArray[np.int64], _all_terms: KeyTerms, /) -> KeyTerms:
        return self.key_terms(settings).of(documents)


class DiskEstimator:
    """Collects the evidence of documents while a run reads them, and estimates its links; evidence stays in memory."""

    def __init__(self) -> None:
        self._documents: list[Document] = []
        self._ranges = TripleRanges()
        self._reader = EvidenceReader(ranges=self._ranges)
        self._read = False
        self._census: CopyCensus | None = None

    def watching(self, run: DiskRun) -> DiskRun:
        """Return the run with a source that also passes documents on to this estimator."""
        read = run.source.read
        return replace(run, source=replace(run.source, read=lambda: self._watched(read, run.plan.memory)))

    def _watched(self, read: Callable[[], Iterable[Document | DocumentBlock]], memory: int) -> Iterator[Document]:
        self._ranges.close()
        self._documents, self._ranges, needed = [], TripleRanges(), 0
        self._reader = EvidenceReader(ranges=self._ranges)
        for document in chain.from_iterable(map(single_documents, read())):
            needed += _DOCUMENT_BYTES + _CHARACTER_BYTES * len(document.text)
            if needed > memory:
                raise UsageError(
                    f"the evidence of these documents does not fit into {memory / 1e9:.1f} GB: give more (--memory),"
                    " or leave out estimate (--estimate)"
                )
            self._reader.add(document)
            self._documents.append(without_text(document))
            yield document
        self._read = True

    def estimate(self, linked: LinkedRun, blocks: Sequence[str] = ("all",)) -> LinkEstimate:
        """Estimate the links of one representation, as ``LinkEstimator.estimate``.

        Args:
            linked: one representation of a run from ``watching``. A resumed run reads its documents once more.
            blocks: blocks of the sweep.

        Raises:
            UsageError: evidence does not fit into the memory of the plan.
        """
        if not self._read:
            for _ in linked.run.source.read():
                pass
        key_terms = all_key_terms(linked)
        languages = [LANGUAGES[number] for number in key_terms.counts.languages.tolist()]
        if self._census is None:
            self._census = CopyCensus(self._documents, self._reader.finish(languages), ranges=self._ranges)
        found = SweepEstimator(_FolderCollection(linked, self._documents, languages), self._census)
        return found.estimate(key_terms, _matrix(linked), linked.settings, blocks, progress=linked.run.progress)


def _matrix(linked: LinkedRun) -> SimilarityMatrix | None:
    """All stored links, written out; ``None`` if there are too many."""
    least, node_of = linked.least_k, linked.nodes.node_of
    finder: PairFinder = paired(linked, least)
    work = finder.work(whole=True)[node_of]
    if int(work.sum()) > MOST_LINKS:
        return None
    ones, others, counts = [], [], []
    for block in row_blocks(work, _PAIRS_AT_ONCE):
        pairs = finder.later(np.arange(block.start, min(block.stop, len(node_of)), dtype=np.int64))
        for a, b, count in ((pairs.a, pairs.b, pairs.forward), (pairs.b, pairs.a, pairs.backward)):
            stored = count >= least
            ones.append(a[stored].astype(np.int32))
            others.append(b[stored].astype(np.int32))
            counts.append(count[stored].astype(np.uint8))
    empty = np.zeros(0, dtype=np.int32)
    rows, columns = np.concatenate([empty, *ones]), np.concatenate([empty, *others])
    values = np.concatenate([empty.astype(np.uint8), *counts])
    matrix = sp.csr_array(sp.coo_array((values, (rows, columns)), shape=(len(node_of), len(node_of))))
    matrix.sum_duplicates()
    return SimilarityMatrix(matrix, linked.settings.n, least)
