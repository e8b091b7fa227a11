"""Collects the evidence of a collection's documents while their texts are being read."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

import numpy as np

from infostream_dedup.judging.evidence.meaning import Meanings
from infostream_dedup.judging.evidence.pair_evidence import TripleRanges, TripleRows, WrittenTriples
from infostream_dedup.judging.evidence.reading import RawEvidence, evidence_texts, read_evidence
from infostream_dedup.judging.evidence.records import (
    EvidenceFrequencies,
    EvidenceRecords,
    filtered_records,
    weigh_records,
)
from infostream_dedup.machine.arrays import Int8s, Ints, offsets_of
from infostream_dedup.machine.platform import trim_heap
from infostream_dedup.machine.scratch import GrowingArray
from infostream_dedup.machine.threads import thread_count
from infostream_dedup.model import Document, DocumentBlock, language_number

_AHEAD: Final = 6  # chunks that may wait beside those that threads read
_CHUNK: Final = 1_000_000  # characters read at a time; reading takes about 25 bytes of memory for each byte of text


@dataclass(frozen=True, slots=True)
class DocumentEvidence:
    """Evidence of all documents of a collection, weighted by document frequencies in the collection."""

    records: EvidenceRecords  # packed evidence, about 450 bytes for a news item
    # hashes of word triples, 8 bytes for each word; of no document if the reader put them in ranges
    triples: TripleRows
    meanings: Meanings | None = None  # meanings of the documents; `None` if they were not requested


class EvidenceReader:
    """Takes documents one by one and keeps their evidence, not their texts; ``chunk`` characters are read at a time.

    ``semantic``: also keep the text from which meanings are computed; without the extra, or where its encoder cannot
    run, an error says so. ``ranges`` receives the word triples of the documents, which are not kept otherwise.
    """

    def __init__(self, *, chunk: int = _CHUNK, semantic: bool = False, ranges: TripleRanges | None = None) -> None:
        self._chunk = chunk
        self._meanings = Meanings() if semantic else None
        self._ranges = ranges
        self._waiting: list[Document] = []
        self._characters = 0
        self._threads = thread_count(0)
        self._pool = ThreadPoolExecutor(self._threads)
        self._running: deque[Future[_Read]] = deque()
        self._read: list[RawEvidence] = []
        self._begins: list[Ints] = []
        # Most of the evidence.
        self._words = GrowingArray(np.uint32)
        self._triples = GrowingArray(np.uint64)

    def add(self, document: Document) -> None:
        """Add the next document."""
        self._waiting.append(document)
        if self._meanings is not None:
            self._meanings.add(document)
        self._characters += len(document.title) + len(document.text)
        if self._characters >= self._chunk:
            self._read_waiting()

    def take(self, block: Document | DocumentBlock) -> None:
        """Add the next document, or the next documents."""
        if isinstance(block, Document):
            self.add(block)
            return
        if self._meanings is not None:
            for document in block:
                self.add(document)
            return
        self._read_waiting()
        self._submit(block)

    def finish(self, languages: Sequence[str]) -> DocumentEvidence:
        """Weight the evidence read so far; the reader must not be used again."""
        self._read_waiting()
        while self._running:
            self._take(self._running.popleft().result())
        numbers = np.array([language_number(one) for one in languages], dtype=np.int8)
        ends = offsets_of([len(raw) for raw in self._read]).tolist()
        parts = [numbers[begin:end] for begin, end in pairwise(ends)]
        frequencies = EvidenceFrequencies()
        for raw, part in zip(self._read, parts, strict=True):
            frequencies.count(raw, part)
        counts, documents = frequencies.filled_up()
        words = self._words.taken()
        firsts = offsets_of([int(begins[-1]) for begins in self._begins]).tolist()

        def weigh(raw: RawEvidence, part: Int8s, begins: Ints, first: int) -> None:
            weigh_records(raw, part, counts, documents, EvidenceRecords(words[first : first + int(begins[-1])], begins))

        list(self._pool.map(weigh, self._read, parts, self._begins, firsts))
        self._pool.shutdown()
        records = EvidenceRecords(words, _joined(self._begins))
        begins = [] if self._ranges is not None else [raw.ends[:, 0] for raw in self._read]
        triples = TripleRows(self._triples.taken(), _joined(begins))
        # A reference to the reader must not keep its memory alive.
        self._read, self._begins = [], []
        trim_heap()
        return DocumentEvidence(records, triples, self._meanings)

    def _read_waiting(self) -> None:
        if self._waiting:
            documents, self._waiting, self._characters = self._waiting, [], 0
            self._submit(documents)

    def _submit(self, documents: Sequence[Document]) -> None:
        self._running.append(self._pool.submit(_read_texts, documents, self._ranges))
        # A fast reader must not pile up texts, nor threads wait while the reader keeps what others have found.
        while len(self._running) > self._threads + _AHEAD:
            self._take(self._running.popleft().result())

    def _take(self, read: _Read) -> None:
        """Keep evidence, in the order of the documents."""
        raw, records, written = read
        self._words.append(records.words)
        if self._ranges is None or written is None:
            self._triples.append(raw.triples)
        else:
            self._ranges.append(written)
        self._begins.append(records.begins)
        self._read.append(
            replace(raw, triples=raw.triples[:0].copy(), body=raw.body[:0].copy(), openings=raw.openings[:0])
        )


_Read = tuple[RawEvidence, EvidenceRecords, WrittenTriples | None]


def _read_texts(documents: Sequence[Document], ranges: TripleRanges | None) -> _Read:
    """Read evidence, pack what needs no document frequencies, and write triples into ranges if there are any."""
    raw = read_evidence(*evidence_texts(documents))
    written = None if ranges is None else ranges.write(raw.triples, raw.ends[:, 0].copy())
    return raw, filtered_records(raw), written


def _joined(bounds: list[Ints]) -> Ints:
    """Join the bounds of several runs of documents into those of one run."""
    sizes = [np.diff(begins) for begins in bounds]
    return np.cumsum(np.concatenate([np.zeros(1, dtype=np.int64), *sizes]), dtype=np.int64)
