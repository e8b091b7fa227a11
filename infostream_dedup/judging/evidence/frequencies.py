"""Document frequencies of numbers, names and lead words: counters by hash, the same in batch and stream."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.judging.evidence.kernels.packing import BUCKET_BITS, buckets_of_documents
from infostream_dedup.judging.evidence.reading import RawEvidence
from infostream_dedup.judging.evidence.shipped_files import BACKGROUND_FILE, shipped_bytes
from infostream_dedup.model import LANGUAGES, OUR_LANGUAGES, Language

if TYPE_CHECKING:
    from numpy.typing import NDArray


BUCKETS: Final = 1 << BUCKET_BITS
"""Number of counters; entries that share a counter are counted together, which lowers their weights a little."""

BACKGROUND_DOCUMENTS: Final = 2000
"""If a language has fewer documents, pseudo-documents are added up to this number, as for key terms."""

EPOCH: Final = 1000
"""Length of an epoch: consecutive documents of a stream weighted by all documents before the first of them.

Shorter than the epochs of key terms, so that names found in every item of a stream soon have little weight.
"""

_WITH_OTHERS: Final = -1
"""Marks a stored blob that also counts documents of other languages; streams without any keep the older format."""


@dataclass(frozen=True, slots=True)
class Changes:
    """Counts that documents add to the counters.

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
        head = self.documents if self.documents[-1] else self.documents[: len(OUR_LANGUAGES)]
        mark = [_WITH_OTHERS] if self.documents[-1] else []
        parts = (np.array([*mark, *head], dtype="<i8"), self.buckets.astype("<u4"), self.counts.astype("<u4"))
        return b"".join(part.tobytes() for part in parts)

    @classmethod
    def of_blob(cls, blob: bytes) -> Changes:
        """Changes from a store."""
        documents = np.zeros(len(LANGUAGES), dtype=np.int64)
        marked = np.frombuffer(blob[:8], dtype="<i8")[0] == _WITH_OTHERS
        first, known = (8, len(LANGUAGES)) if marked else (0, len(OUR_LANGUAGES))
        documents[:known] = np.frombuffer(blob, dtype="<i8", count=known, offset=first)
        buckets, counts = np.frombuffer(blob, dtype="<u4", offset=first + 8 * known).reshape(2, -1).astype(np.uint32)
        return cls(buckets, counts, documents)


def changes_of(raw: RawEvidence, languages: NDArray[np.int8]) -> Changes:
    """Count what documents add to the counters.

    Args:
        languages: int8 (documents,), index into ``LANGUAGES``.
    """
    changed, counts = np.unique(_buckets_of(raw, languages), return_counts=True)
    return Changes(changed.astype(np.uint32), counts.astype(np.uint32), _documents_of(languages))


def _buckets_of(raw: RawEvidence, languages: NDArray[np.int8]) -> NDArray[np.uint32]:
    """Counter of each number, name and lead word."""
    buckets = np.empty(len(raw.numbers) + len(raw.names) + len(raw.lead), dtype=np.uint32)
    count = buckets_of_documents(raw.numbers, raw.names, raw.lead, raw.ends, languages, buckets)
    return buckets[:count]


def _documents_of(languages: NDArray[np.int8]) -> NDArray[np.int64]:
    """Number of documents of each language."""
    return np.bincount(languages, minlength=len(LANGUAGES)).astype(np.int64)


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
        """Add documents; their order does not matter."""
        self.counts[changes.buckets] += changes.counts
        self.documents += changes.documents

    def count(self, raw: RawEvidence, languages: NDArray[np.int8]) -> None:
        """Add documents, as ``add`` does with ``changes_of`` them, but without sorting their entries."""
        np.add.at(self.counts, _buckets_of(raw, languages), np.uint32(1))
        self.documents += _documents_of(languages)

    def changes(self) -> Changes:
        """Return all counts as one change."""
        # numpy finds the nonzero numbers of an array of bool in a fraction of the time.
        buckets = np.flatnonzero(self.counts != 0)
        return Changes(buckets.astype(np.uint32), self.counts[buckets], self.documents.copy())

    def blob(self) -> bytes:
        """The counters as a store keeps them: 8 bytes for each counter above 0."""
        return self.changes().blob()

    @classmethod
    def of_blob(cls, blob: bytes) -> EvidenceFrequencies:
        """Counters from a store."""
        found = cls()
        found.add(Changes.of_blob(blob))
        return found

    def filled_up(self) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
        """Counters and documents, with the background added for languages that have few documents.

        Returns:
            float32 (BUCKETS,) and float64 (languages,).
        """
        counts, documents = self.counts.astype(np.float32), self.documents.astype(np.float64)
        for number, language in enumerate(LANGUAGES):
            missing = BACKGROUND_DOCUMENTS - int(self.documents[number])
            if missing > 0 and (language in OUR_LANGUAGES or self.documents[number]):
                buckets, shares = background_of(BACKGROUND_FILE)[language]
                counts[buckets] += (missing * shares).astype(np.float32)
                documents[number] += missing
        return counts, documents


@cache
def background_of(path: Path) -> Mapping[Language, tuple[NDArray[np.int64], NDArray[np.float64]]]:
    """For each language, the counters that a pseudo-document raises, ascending, and by how much.

    Returns:
    int64 counters and float64 amounts from 0 to 1.
    """
    with np.load(BytesIO(shipped_bytes(path))) as held:
        return {
            language: (held[f"{language}_buckets"].astype(np.int64), held[f"{language}_shares"])
            for language in LANGUAGES
        }
