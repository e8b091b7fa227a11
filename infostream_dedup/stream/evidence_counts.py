"""Reads the evidence of a stream's documents, weighted by all documents before their epoch."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.judging.evidence.reading import evidence_texts, lent_evidence, read_evidence
from infostream_dedup.judging.evidence.records import EPOCH, Changes, EvidenceFrequencies, changes_of, pack_weighed
from infostream_dedup.model.stream_records import CountedEvidence

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from infostream_dedup.model import Document, DocumentBlock


_CHARACTERS: Final = 1_000_000
"""Characters read at a time; reading takes about 25 bytes of memory for each byte of text."""


@dataclass(slots=True)
class ReadEvidence:
    """Evidence of the documents of a batch."""

    records: list[bytes] = field(default_factory=list)  # packed evidence of each document
    triples: list[bytes] = field(default_factory=list)  # word triples of each, 8 bytes for each triple
    counted: list[CountedEvidence] = field(default_factory=list)  # what the store adds to its counts


class EvidenceCounts:
    """Document frequencies of numbers, names and lead words, frozen for an epoch, and counts of that epoch's documents.

    Epochs of evidence are counted by ordinal and shorter than those of key terms.

    Attributes:
        epoch: the open epoch.
    """

    def __init__(self) -> None:
        self.epoch = 0
        self._frozen = EvidenceFrequencies()
        self._open: list[Changes] = []
        self._weights: tuple[NDArray[np.float32], NDArray[np.float64]] | None = None

    @classmethod
    def of(cls, counted: Iterable[CountedEvidence]) -> EvidenceCounts:
        """Continue with the counts that a store holds."""
        counts = cls()
        for one in counted:
            counts.epoch = one.epoch
            if one.closed:
                counts._frozen = EvidenceFrequencies.of_blob(one.counts)
            else:
                counts._open.append(Changes.of_blob(one.counts))
        return counts

    def read(self, documents: DocumentBlock, languages: NDArray[np.uint8], first: int) -> ReadEvidence:
        """Read and count the documents of a batch."""
        found = ReadEvidence()
        numbers = languages.astype(np.int8)
        batch: list[Changes] = []
        for begin, end in _cut(documents, first):
            epoch = (first + begin) // EPOCH
            if epoch != self.epoch:
                self._close(epoch, found)
                batch = []
            with lent_evidence(*evidence_texts(documents.part(begin, end))) as raw:
                found.records += pack_weighed(raw, numbers[begin:end], *self.weights()).blobs()
                found.triples += raw.triple_blobs()
                batch.append(changes_of(raw, numbers[begin:end]))
            self._open.append(batch[-1])
        found.counted += [CountedEvidence(self.epoch, closed=False, counts=one.blob()) for one in batch]
        return found

    def weigh(self, document: Document, language: int) -> tuple[bytes, bytes]:
        """Read a document that is not part of the stream, and count nothing."""
        raw = read_evidence(*evidence_texts([document]))
        records = pack_weighed(raw, np.array([language], dtype=np.int8), *self.weights())
        return records.blobs()[0], raw.triple_blobs()[0]

    def weights(self) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
        """What `pack_weighed` weighs by in this epoch."""
        if self._weights is None:
            self._weights = self._frozen.filled_up()
        return self._weights

    def _close(self, epoch: int, found: ReadEvidence) -> None:
        for changes in self._open:
            self._frozen.add(changes)
        self.epoch, self._open, self._weights = epoch, [], None
        # Only the last of several epochs that a batch closes is worth keeping.
        found.counted[:] = [CountedEvidence(epoch, closed=True, counts=self._frozen.blob())]


def _cut(documents: DocumentBlock, first: int) -> Iterator[tuple[int, int]]:
    begin, characters = 0, 0
    for number, size in enumerate(documents.characters.sum(axis=1).tolist()):
        if number > begin and ((first + number) % EPOCH == 0 or characters >= _CHARACTERS):
            yield begin, number
            begin, characters = number, 0
        characters += size
    if len(documents):
        yield begin, len(documents)
