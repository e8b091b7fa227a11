"""In how many documents each number, name and lead word stands: counters by hash, the same in batch and stream."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.evidence.kernels.packing import (
    BUCKET_BITS,
    LEAD_KIND,
    NUMBER_KIND,
    bucket_of,
    buckets_of_documents,
    buckets_of_records,
)
from infostream_dedup.evidence.kernels.reading import prefix_hashes
from infostream_dedup.evidence.plain_reading import date_hash, figure_hash
from infostream_dedup.evidence.reading import RawEvidence, room_for, tables
from infostream_dedup.lexicon.frequency import common_forms
from infostream_dedup.model import LANGUAGES, Language
from infostream_dedup.text.utf8 import texts_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from infostream_dedup.evidence.records import EvidenceRecords

__all__ = [
    "BACKGROUND_DOCUMENTS",
    "BUCKETS",
    "EPOCH",
    "Changes",
    "EvidenceFrequencies",
    "changes_of",
    "changes_of_records",
]

BUCKETS: Final = 1 << BUCKET_BITS
"""Counters; distinct entries that share one add up, which makes both weigh a little less."""

BACKGROUND_DOCUMENTS: Final = 2000
"""Fewer documents of a language are filled up with pseudo-documents, as for key terms."""

EPOCH: Final = 1000
"""Documents of a stream, by ordinal, that are weighed alike: by all documents before the first of them.

Shorter than the epochs of key terms, so that names that every item of a stream holds soon weigh little.
"""

_LEAD_RUNNING_WORDS: Final = 32
"""Running words that hold the 20 long words of a lead."""

_NUMBER_SHARES: Final = ((1, 11, 0.12), (11, 32, 0.06), (32, 101, 0.015), (1990, 2040, 0.03))
"""Whole numbers from, up to (exclusive), and the share of news items that hold each."""


@dataclass(frozen=True, slots=True)
class Changes:
    """What documents add to the counters.

    Attributes:
        buckets: uint32, counters, ascending, each once.
        counts: uint32, documents to add to each.
        documents: int64 (languages,), documents of each language.
    """

    buckets: NDArray[np.uint32]
    counts: NDArray[np.uint32]
    documents: NDArray[np.int64]

    def blob(self) -> bytes:
        """The changes as a store keeps them: 8 bytes for each counter."""
        parts = (self.documents.astype("<i8"), self.buckets.astype("<u4"), self.counts.astype("<u4"))
        return b"".join(part.tobytes() for part in parts)

    @classmethod
    def of_blob(cls, blob: bytes) -> Changes:
        """Changes from a store."""
        head = 8 * len(LANGUAGES)
        buckets, counts = np.frombuffer(blob, dtype="<u4", offset=head).reshape(2, -1).astype(np.uint32)
        return cls(buckets, counts, np.frombuffer(blob[:head], dtype="<i8").astype(np.int64))


def changes_of(raw: RawEvidence, languages: NDArray[np.int8]) -> Changes:
    """What documents add to the counters.

    Args:
        raw: evidence of the documents.
        languages: int8 (documents,), index into ``LANGUAGES``.
    """
    buckets = np.empty(len(raw.numbers) + len(raw.names) + len(raw.lead), dtype=np.uint32)
    count = buckets_of_documents(raw.numbers, raw.names, raw.lead, raw.ends, languages, buckets)
    return _changes(buckets[:count], languages)


def changes_of_records(records: EvidenceRecords, languages: NDArray[np.int8]) -> Changes:
    """The same from the documents' records, for a stream that starts again."""
    buckets = np.empty(len(records.words), dtype=np.uint32)
    count = buckets_of_records(records.words, records.begins, languages, buckets)
    return _changes(buckets[:count], languages)


def _changes(buckets: NDArray[np.uint32], languages: NDArray[np.int8]) -> Changes:
    changed, counts = np.unique(buckets, return_counts=True)
    documents = np.bincount(languages, minlength=len(LANGUAGES)).astype(np.int64)
    return Changes(changed.astype(np.uint32), counts.astype(np.uint32), documents)


class EvidenceFrequencies:
    """Document frequencies of a collection, or of a stream before an epoch.

    Attributes:
        counts: uint32 (BUCKETS,), documents of each counter.
        documents: int64 (languages,), documents of each language.
    """

    def __init__(self) -> None:
        self.counts: NDArray[np.uint32] = np.zeros(BUCKETS, dtype=np.uint32)
        self.documents: NDArray[np.int64] = np.zeros(len(LANGUAGES), dtype=np.int64)

    def add(self, changes: Changes) -> None:
        """Add documents; the order in which they come does not matter."""
        self.counts[changes.buckets] += changes.counts
        self.documents += changes.documents

    def changes(self) -> Changes:
        """What documents would add that were counted here."""
        buckets = np.flatnonzero(self.counts)
        return Changes(buckets.astype(np.uint32), self.counts[buckets], self.documents.copy())

    def blob(self) -> bytes:
        """The counters as a store keeps them: 8 bytes for each that is not 0."""
        return self.changes().blob()

    @classmethod
    def of_blob(cls, blob: bytes) -> EvidenceFrequencies:
        """Counters from a store."""
        found = cls()
        found.add(Changes.of_blob(blob))
        return found

    def filled_up(self) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
        """Counters and documents with the background of languages that have few documents.

        Returns:
            float32 (BUCKETS,) and float64 (languages,).
        """
        counts, documents = self.counts.astype(np.float32), self.documents.astype(np.float64)
        for number, language in enumerate(LANGUAGES):
            missing = BACKGROUND_DOCUMENTS - int(self.documents[number])
            if missing > 0:
                buckets, shares = _background(language)
                counts[buckets] += (missing * shares).astype(np.float32)
                documents[number] += missing
        return counts, documents


@cache
def _background(language: Language) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Counters that a pseudo-document raises, each once, and by how much: int64, float64 of 0 to 1."""
    number = LANGUAGES.index(language)
    forms, frequencies = zip(*common_forms(language), strict=True)
    texts = texts_of(forms)
    hashes = np.zeros(len(texts), dtype=np.uint32)
    prefix_hashes(texts.data, texts.offsets, tables(), room_for(texts.longest), hashes)
    starts, which = np.unique(hashes, return_inverse=True)
    share = np.bincount(which, weights=np.array(frequencies))
    held = -np.expm1(_LEAD_RUNNING_WORDS * np.log1p(-np.minimum(share, 0.999)))
    entries = [
        (bucket_of(int(start), LEAD_KIND, number), one) for start, one in zip(starts, held, strict=True) if start
    ]
    for first, last, one in _NUMBER_SHARES:
        for value in range(first, last):
            entry = date_hash(value) if value > 1000 else figure_hash(str(value))
            entries.append((bucket_of(entry >> 1, NUMBER_KIND, number), one))
    buckets, where = np.unique(np.array([bucket for bucket, _ in entries], dtype=np.int64), return_inverse=True)
    shares = np.array([one for _, one in entries], dtype=np.float64)
    return buckets, np.bincount(where, weights=shares).astype(np.float64)
