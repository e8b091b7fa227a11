"""Collects the evidence of a collection's documents while their texts are being read."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.evidence.frequencies import EvidenceFrequencies
from infostream_dedup.evidence.meaning import Meanings
from infostream_dedup.evidence.pair_evidence import TripleRows
from infostream_dedup.evidence.reading import RawEvidence, evidence_texts, evidence_texts_of_block, read_evidence
from infostream_dedup.evidence.records import EvidenceRecords, pack_weighed
from infostream_dedup.model import Document, DocumentBlock, language_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["DocumentEvidence", "EvidenceReader"]

_CHUNK: Final = 1_000_000
"""Characters read at a time; reading takes about 25 bytes of memory for each byte of text."""


@dataclass(frozen=True, slots=True)
class DocumentEvidence:
    """Evidence of all documents of a collection, weighted by document frequencies in the collection.

    Attributes:
        records: packed evidence, about 450 bytes for a news item.
        triples: hashes of word triples, 8 bytes for each word.
        meanings: meanings of the documents; ``None`` if they were not requested.
    """

    records: EvidenceRecords
    triples: TripleRows
    meanings: Meanings | None = None


class EvidenceReader:
    """Takes documents one by one and keeps their evidence, not their texts.

    Args:
        chunk: characters read at a time, at least 1; it does not change the result.
        semantic: also keep the text from which meanings are computed (extra ``semantic``).

    Raises:
        MissingExtraError, ConfigurationError: ``semantic`` is set and the encoder cannot run here.
    """

    def __init__(self, *, chunk: int = _CHUNK, semantic: bool = False) -> None:
        self._chunk = chunk
        self._meanings = Meanings() if semantic else None
        self._waiting: list[Document] = []
        self._characters = 0
        self._read: list[RawEvidence] = []
        # Most of the evidence. The array grows in place; joining parts at the end would need the memory twice.
        self._triples = np.empty(0, dtype=np.uint64)

    def add(self, document: Document) -> None:
        """Add the next document."""
        self._waiting.append(document)
        if self._meanings is not None:
            self._meanings.add(document)
        self._characters += len(document.title) + len(document.text)
        if self._characters >= self._chunk:
            self._read_waiting()

    def add_block(self, block: DocumentBlock) -> None:
        """Add the next documents."""
        if self._meanings is not None:
            for document in block.documents():
                self.add(document)
            return
        self._read_waiting()
        self._take(read_evidence(*evidence_texts_of_block(block)))

    def finish(self, languages: Sequence[str]) -> DocumentEvidence:
        """Weight the evidence read so far; the reader is empty afterwards.

        Args:
            languages: language code of each document.
        """
        self._read_waiting()
        numbers = np.array([language_number(one) for one in languages], dtype=np.int8)
        ends = np.cumsum([0, *(len(raw) for raw in self._read)]).tolist()
        parts = [numbers[begin:end] for begin, end in pairwise(ends)]
        frequencies = EvidenceFrequencies()
        for raw, part in zip(self._read, parts, strict=True):
            frequencies.count(raw, part)
        counts, documents = frequencies.filled_up()
        records, triples = [], []
        self._read.reverse()
        for part in parts:
            raw = self._read.pop()
            records.append(pack_weighed(raw, part, counts, documents))
            triples.append(raw.ends[:, 0].copy())
        held, self._triples = self._triples, np.empty(0, dtype=np.uint64)
        words = np.concatenate([np.zeros(0, dtype=np.uint32), *(one.words for one in records)])
        return DocumentEvidence(
            EvidenceRecords(words, _joined([one.begins for one in records])),
            TripleRows(held, _joined(triples)),
            self._meanings,
        )

    def _read_waiting(self) -> None:
        if self._waiting:
            self._take(read_evidence(*evidence_texts(self._waiting)))
        self._waiting, self._characters = [], 0

    def _take(self, raw: RawEvidence) -> None:
        read = len(self._triples)
        self._triples.resize(read + len(raw.triples), refcheck=False)
        self._triples[read:] = raw.triples
        self._read.append(replace(raw, triples=raw.triples[:0].copy()))


def _joined(bounds: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Join the bounds of several runs of documents into those of one run."""
    sizes = [np.diff(begins) for begins in bounds]
    return np.cumsum(np.concatenate([np.zeros(1, dtype=np.int64), *sizes]), dtype=np.int64)
