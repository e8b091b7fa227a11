"""What the columns of a sweep count: the pairs of a collection, the copies among them, and the wording of any pair."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.judging.evidence.facts import DocumentFacts
from infostream_dedup.judging.evidence.triple_ranges import TripleRanges
from infostream_dedup.lab.estimation.census import (
    Copies,
    DistinctTexts,
    find_copies_of_texts,
    numbers_of_texts,
    texts_of_documents,
)
from infostream_dedup.lab.estimation.shared_wording import SharedWording, shared_wording
from infostream_dedup.lab.estimation.universe import CountedPairs, counted_pairs

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from infostream_dedup.judging.evidence.collecting import DocumentEvidence
    from infostream_dedup.judging.evidence.records import EvidenceRecords
    from infostream_dedup.machine.progress import Progress
    from infostream_dedup.model import Document

__all__ = ["CopyCensus"]


class CopyCensus:
    """Copies of a collection, counted once, when they are first asked for.

    Attributes:
        records: packed evidence of the documents.

    Args:
        documents: the documents; their texts may be empty.
        evidence: evidence of the documents.
        facts: their sources and dates, if the documents do not have them.
        ranges: word triples of the documents; by default those of the evidence. They are closed when copies or wording
            have been asked for.
    """

    def __init__(
        self,
        documents: Sequence[Document],
        evidence: DocumentEvidence,
        facts: DocumentFacts | None = None,
        *,
        ranges: TripleRanges | None = None,
    ) -> None:
        self.records: EvidenceRecords = evidence.records
        self._documents = documents
        self._ranges = TripleRanges.of(evidence.triples) if ranges is None else ranges
        self._given = facts
        self._sizes, self._sums = self._ranges.sizes(), self._ranges.checksums()
        self._texts: DistinctTexts | None = None
        self._copies: Copies | None = None

    @cached_property
    def facts(self) -> DocumentFacts:
        """Sources, dates and texts of the documents; texts of equal word triples count as equal."""
        facts = self._given or DocumentFacts.of_documents(self._documents, [b""] * len(self._documents))
        return replace(facts, texts=numbers_of_texts(self._sums, self._sizes))

    @cached_property
    def counted(self) -> CountedPairs:
        """The pairs that are counted."""
        return counted_pairs(self.facts, self.records)

    @cached_property
    def wording(self) -> SharedWording:
        """The wording that documents share."""
        return shared_wording(self._ranges, self._distinct().stand_ins(len(self._sizes)))

    def copies(self, progress: Progress | None = None) -> Copies:
        """The copies.

        Args:
            progress: called with the number of distinct texts done.
        """
        if self._copies is None:
            wording, universe = self.wording, self.counted.universe
            self._copies = find_copies_of_texts(self._distinct(), wording, universe, progress=progress)
            self._texts = None
        return self._copies

    def part(self, documents: NDArray[np.int64]) -> CopyCensus:
        """The census of some documents alone, given their ordinals; it shares the wording of all."""
        inside = np.zeros(len(self._sizes), dtype=np.bool_)
        inside[documents] = True
        universe, found = self.counted.universe, copy(self)
        # Made of these documents only, it would lack triples that they share with others.
        found.wording = self.wording
        found.counted = replace(self.counted, universe=universe._replace(counted=universe.counted & inside))
        found._texts = found._copies = None
        return found

    def _distinct(self) -> DistinctTexts:
        if self._texts is None:
            self._texts = texts_of_documents(self._sums, self._sizes, self.counted.universe)
        return self._texts
