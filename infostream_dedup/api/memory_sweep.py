"""A sweep in memory over a collection or its parts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from infostream_dedup.judging.evidence.collecting import EvidenceReader
    from infostream_dedup.judging.evidence.triple_ranges import TripleRanges
    from infostream_dedup.lab.estimation.census import CopyCensus
    from infostream_dedup.machine.progress import Progress
    from infostream_dedup.model import Document, DocumentBlock, Settings
    from infostream_dedup.runs.batch.collection import Collection
    from infostream_dedup.runs.batch.judging import JudgedCollection
    from infostream_dedup.runs.batch.sweeping import SweepResult

__all__ = ["MemorySweep"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MemorySweep:
    """The settings of a sweep in memory; fields as the arguments of ``sweep``."""

    settings: Settings
    representations: Sequence[str]
    ks: Sequence[int] | None
    examples: bool
    estimate: bool
    confirmed: bool
    planted: bool
    exact: bool
    engine: str
    progress: Progress | None

    def of(self, documents: Iterable[Document | DocumentBlock]) -> SweepResult:
        """Sweep over documents, in input order."""
        from infostream_dedup.judging.evidence.triple_ranges import TripleRanges
        from infostream_dedup.lab.estimation.sweep_estimator import SweepEstimator
        from infostream_dedup.model import single_documents
        from infostream_dedup.runs.batch.collection import collect
        from infostream_dedup.runs.batch.sweeping import sweep_collection

        single = [document for one in documents for document in single_documents(one)] if self.planted else []
        # Whole triples take 8 bytes for each word, and the second look needs them.
        ranges = TripleRanges() if self.estimate and not self.confirmed else None
        reader = self._reader(ranges)
        collection = collect(
            single if self.planted else documents,
            hashes=self.confirmed,
            evidence=reader,
            engine=self.engine,
            progress=self.progress,
        )
        second_look, census = self._compared(collection, reader, ranges)
        if second_look is None and len(self.representations) == 1:
            collection = collection.only(self.settings.but(representation=self.representations[0]))
        estimator = None if census is None else SweepEstimator(collection, census)
        # The estimator drops the census when it is done.
        del census
        found = sweep_collection(
            collection,
            self.settings,
            self.representations,
            ks=self.ks,
            examples=self.examples,
            estimator=estimator,
            second_look=second_look,
            exact=self.exact,
            engine=self.engine,
            progress=self.progress,
        )
        if self.planted:
            from infostream_dedup.lab.estimation.planting import PlantedCollection

            planted = PlantedCollection.of(single, collection.languages, engine=self.engine, progress=self.progress)
            for one in self.representations:
                found.planted.extend(planted.recovered(self.settings.but(representation=one), self.ks))
        return found

    def _reader(self, ranges: TripleRanges | None) -> EvidenceReader | None:
        if not (self.confirmed or self.estimate):
            return None
        from infostream_dedup.judging.evidence.collecting import EvidenceReader

        return EvidenceReader(ranges=ranges)

    def _compared(
        self, collection: Collection, reader: EvidenceReader | None, ranges: TripleRanges | None
    ) -> tuple[JudgedCollection | None, CopyCensus | None]:
        """The evidence for a second look, and the census of copies, as requested."""
        if reader is None:
            return None, None
        evidence = reader.finish(collection.languages)
        second_look = None
        if self.confirmed:
            from infostream_dedup.model import Settings
            from infostream_dedup.runs.batch.judging import JudgedCollection

            second_look = JudgedCollection.of(collection, evidence, Settings())
        if not self.estimate:
            return second_look, None
        from infostream_dedup.lab.estimation.census import CopyCensus

        census = CopyCensus(collection.documents, evidence, ranges=ranges)
        # Now, because word triples take more room than anything that follows.
        census.copies(self.progress)
        return second_look, census
