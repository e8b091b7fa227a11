"""Turn documents into the batches that the first stage takes, and keep what later steps need besides the texts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

import numpy as np
import pyarrow as pa

from infostream_dedup.judging.evidence.facts import microseconds
from infostream_dedup.judging.evidence.pair_evidence import TripleRows
from infostream_dedup.judging.evidence.reading import RawEvidence, evidence_texts, read_evidence
from infostream_dedup.judging.evidence.records import EvidenceFrequencies, EvidenceRecords, changes_of, pack_weighed
from infostream_dedup.judging.repeated.equality import equality_hashes
from infostream_dedup.judging.repeated.lines import fragments_of, openings_of
from infostream_dedup.language.text.fingerprint import TEXT_HASH, text_hash
from infostream_dedup.language.text.surface_pool import texts_of
from infostream_dedup.machine.arrays import Bools, Int8s, Ints, Ragged, offsets_of
from infostream_dedup.machine.progress import Progress
from infostream_dedup.model import NO_TIME, Document, DocumentBlock, Settings, full_text
from infostream_dedup.model.document import outlet_of
from infostream_dedup.runs.batch.collection import in_blocks
from infostream_dedup.runs.sharded.key_terms import COUNTS, TEXTS, count_documents
from infostream_dedup.runs.sharded.work_folder import Layout, rows_by_chunk

# Evidence of the documents of a work folder: collected while texts are read, weighted once all have been read

RAW: Final = Layout(
    "raw evidence", ("first",),
    {
        "triples": "u8", "numbers": "u4", "names": "u4", "lead": "u4", "body": "u4", "ends": "i8", "tokens": "i4",
        "titles": "u8", "openings": "u4", "opening_ends": "i8",
    },
)  # fmt: skip
"""``RawEvidence`` of consecutive documents, starting at ordinal ``first``."""

FACTS: Final = Layout("facts", ("first",), {"times": "i8", "addresses": "i8", "openings": "i8"}, ("sources",))
"""Microseconds since 1970 (``NO_TIME`` without a date), 63 bits of the hash of the address (-1 without one) and of
the opening (``openings_of``), and the source of each document, empty without one."""

RECORDS: Final = Layout("records", ("first",), {"sizes": "i4", "words": "u4"})
"""``EvidenceRecords`` of consecutive documents, starting at ordinal ``first``."""

EVIDENCE_TABLES: Final = {"raw": RAW, "facts": FACTS}
_AT_ONCE: Final = 1_000_000  # characters read at a time


class EvidenceRun:
    """Takes documents one by one and yields their evidence in rows of RAW and FACTS."""

    def __init__(self) -> None:
        self._first = 0
        self._waiting: list[Document] = []
        self._characters = 0

    def add(self, document: Document) -> Iterator[tuple[str, pa.RecordBatch]]:
        """Add the next document; yields rows that have become full."""
        self._waiting.append(document)
        self._characters += len(document.title) + len(document.text)
        if self._characters >= _AT_ONCE:
            yield from self.finish()

    def finish(self) -> Iterator[tuple[str, pa.RecordBatch]]:
        """Rows of the remaining documents, if there are any."""
        if self._waiting:
            raw = read_evidence(*evidence_texts(self._waiting))
            values: dict[str, Any] = {name: getattr(raw, name).ravel() for name in RAW.arrays}
            yield "raw", RAW.row(first=self._first, **values)
            yield "facts", _facts(self._first, self._waiting)
        self._first += len(self._waiting)
        self._waiting, self._characters = [], 0


def _facts(first: int, documents: Sequence[Document]) -> pa.RecordBatch:
    found = [microseconds(document) for document in documents]
    times = np.array([NO_TIME if time is None else time for time in found], dtype=np.int64)
    rows = fragments_of(texts_of([full_text(document) for document in documents]), only_first=True)
    return FACTS.row(
        first=first,
        times=times,
        openings=openings_of(rows, [document.source for document in documents], times),
        addresses=[
            (int.from_bytes(text_hash(document.url)[:8], "big") >> 1 if document.url else -1) for document in documents
        ],
        sources=[outlet_of(document.source, document.url) or "" for document in documents],
    )


def _raw(row: dict[str, Any]) -> RawEvidence:
    shapes = {"ends": 5, "tokens": 2, "titles": 2}
    given = {name: row[name] for name in RAW.arrays}
    return RawEvidence(**given | {name: given[name].reshape(-1, size) for name, size in shapes.items()})


def weighed_records(raw: Sequence[pa.RecordBatch], languages: Int8s) -> Iterator[pa.RecordBatch]:
    """Weight the evidence of a whole collection."""
    frequencies = EvidenceFrequencies()
    for row in RAW.rows(raw):
        found = _raw(row)
        frequencies.add(changes_of(found, languages[row["first"] :][: len(found)]))
    counts, documents = frequencies.filled_up()
    for row in RAW.rows(raw):
        found = _raw(row)
        records = pack_weighed(found, languages[row["first"] :][: len(found)], counts, documents)
        yield RECORDS.row(first=row["first"], sizes=np.diff(records.begins), words=records.words)


def new_wording(raw: Iterable[pa.RecordBatch], documents: int, parts: int) -> Bools:
    """Which documents repeat earlier ones, as ``TripleRows.repeat_earlier`` says: bool (documents,)."""
    # parts: number of parts, by their highest bits, in which triples are sorted: a power of 2.
    rows = [(row["first"], row["triples"], row["ends"].reshape(-1, 5)[:, 0]) for row in RAW.rows(raw)]
    sizes, own = np.zeros((2, documents), dtype=np.int64)
    for first, _, ends in rows:
        sizes[first : first + len(ends) - 1] = np.diff(ends)
    shift = np.uint64(64 - parts.bit_length() + 1)
    for part in range(parts):
        values, owners = [np.zeros(0, np.uint64)], [np.zeros(0, np.int64)]
        for first, triples, ends in rows:
            chosen = np.arange(len(triples)) if parts == 1 else np.flatnonzero(triples >> shift == np.uint64(part))
            values.append(triples[chosen])
            owners.append(first + np.searchsorted(ends, chosen, side="right") - 1)
        # Triples are in document order, so the first position of each is in its earliest document.
        earliest = np.unique(np.concatenate(values), return_index=True)[1]
        own += np.bincount(np.concatenate(owners)[earliest], minlength=documents)
    return np.asarray(2 * own < sizes)


@dataclass(frozen=True, slots=True)
class RunRows:
    """Values of documents stored in consecutive runs, memory-mapped."""

    firsts: Ints  # int64 (runs,), first document of each
    runs: list[Ragged]  # the values of each

    @classmethod
    def of_triples(cls, raw: Iterable[pa.RecordBatch]) -> RunRows:
        """Triples of documents, from rows of RAW."""
        rows = list(RAW.rows(raw))
        runs = [Ragged(row["ends"].reshape(-1, 5)[:, 0].copy(), row["triples"]) for row in rows]
        return cls(np.array([row["first"] for row in rows], dtype=np.int64), runs)

    @classmethod
    def of(cls, rows: Sequence[dict[str, Any]], sizes: str, values: str) -> RunRows:
        """An array column of rows, of which another column says how many values each document has."""
        runs = [Ragged(offsets_of(row[sizes]), row[values]) for row in rows]
        return cls(np.array([row["first"] for row in rows], dtype=np.int64), runs)

    def triples(self, documents: Ints) -> TripleRows:
        """Triples of documents, which ascend."""
        found = self.some(documents, np.uint64)
        return TripleRows(found.values, found.indptr)

    def records(self, documents: Ints) -> EvidenceRecords:
        """Records of documents, which ascend."""
        found = self.some(documents, np.uint32)
        return EvidenceRecords(found.values, found.indptr)

    def some(self, documents: Ints, kind: type[np.generic]) -> Ragged:
        """Values of documents, which ascend."""
        asked = zip(self.runs, rows_by_chunk(documents, self.firsts), strict=True)
        parts = [run.rows(rows) for run, rows in asked]
        sizes = np.concatenate([np.zeros(0, np.int64), *(part.sizes for part in parts)])
        return Ragged(offsets_of(sizes), np.concatenate([np.zeros(0, kind), *(part.values for part in parts)]))


DOCUMENTS: Final = Layout("documents", ("first",), {"moments": "i8", "lengths": "i8", "digests": "u1"}, ("ids",))
"""Documents from ordinal ``first`` on: seconds since 1970 (``NO_MOMENT`` without a date), characters of the body, hash
of the body in 16 bytes (zeros for an empty one; no entries where hashes were not asked for), id."""

FIRST_TABLES: Final = {"counts": COUNTS, "documents": DOCUMENTS}
NO_MOMENT: Final = int(np.iinfo(np.int64).min)
DIGEST: Final = 2 * TEXT_HASH + 8
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_SECOND: Final = 1_000_000


def read_and_count(
    documents: Iterable[Document | DocumentBlock],
    settings: Sequence[Settings],
    *,
    chunk: int,
    hashes: bool,
    evidence: bool = False,
    workers: int = 0,
    progress: Progress | None = None,
) -> Iterator[tuple[str, pa.RecordBatch]]:
    """Read documents once: their terms, and what is needed besides."""
    besides = _Besides(hashes, EvidenceRun() if evidence else None)
    texts = _text_batches(documents, besides, progress)
    for row in count_documents(texts, settings, chunk=chunk, workers=workers):
        yield "counts", row
        yield from besides.taken()
        if besides.waiting >= chunk:
            yield "documents", besides.row()
    yield "documents", besides.row()
    yield from besides.taken(last=True)
    if progress is not None:
        progress("reading", besides.first, besides.first)


class _Besides:
    """What is kept of documents until the next row is written."""

    def __init__(self, hashes: bool, evidence: EvidenceRun | None) -> None:
        self._hashes = hashes
        self._evidence = evidence
        self._taken: list[tuple[str, pa.RecordBatch]] = []
        self.first = 0
        self._ids: list[str] = []
        self._moments: list[int] = []
        self._lengths: list[int] = []
        self._digests: list[bytes] = []

    @property
    def waiting(self) -> int:
        return len(self._ids)

    def add_block(self, block: DocumentBlock) -> None:
        self._ids += block.ids
        self._moments += _seconds(block.times).tolist()
        self._lengths += block.characters[:, 1].tolist()
        if self._hashes:
            self._digests += [one.ljust(DIGEST, b"\0") for one in equality_hashes(block)]
        if self._evidence is not None:
            for document in block:
                self._taken += self._evidence.add(document)

    def taken(self, *, last: bool = False) -> Iterator[tuple[str, pa.RecordBatch]]:
        """Rows of evidence that are full; with ``last``, the rest too."""
        yield from self._taken
        self._taken = []
        if last and self._evidence is not None:
            yield from self._evidence.finish()

    def row(self) -> pa.RecordBatch:
        digests = np.frombuffer(b"".join(self._digests), dtype=np.uint8)
        values: dict[str, Any] = {"first": self.first, "moments": self._moments, "lengths": self._lengths}
        row = DOCUMENTS.row(**values, digests=digests, ids=self._ids)
        self.first += len(self._ids)
        self._ids, self._moments, self._lengths, self._digests = [], [], [], []
        return row


def _seconds(times: Ints) -> Ints:
    """Whole seconds of microseconds, towards 1970."""
    return np.where(times == NO_TIME, NO_MOMENT, np.sign(times) * (np.abs(times) // _SECOND))


def _text_batches(
    documents: Iterable[Document | DocumentBlock], besides: _Besides, progress: Progress | None
) -> Iterator[pa.RecordBatch]:
    for block in in_blocks(documents):
        besides.add_block(block)
        # The batch shares the bytes of the block.
        texts = pa.LargeStringArray.from_buffers(len(block), pa.py_buffer(block.offsets), pa.py_buffer(block.data))
        yield pa.RecordBatch.from_arrays([texts, pa.array(block.languages, pa.string())], schema=TEXTS)
        if progress is not None:
            progress("reading", besides.first + besides.waiting, None)
