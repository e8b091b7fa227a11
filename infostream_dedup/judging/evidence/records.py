"""Evidence packed into one small record per document, as windows and stores keep it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.arrays import offsets_of, places_of
from infostream_dedup.judging.evidence.frequencies import EvidenceFrequencies
from infostream_dedup.judging.evidence.kernels.packing import fill_filters, pack_documents, record_sizes
from infostream_dedup.judging.evidence.reading import RawEvidence

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class EvidenceRecords:
    """Records of consecutive documents.

    A record is a run of 32-bit words, little-endian on disk: tokens; numbers and names << 16; lead words, bits of the
    title's figures << 5 and filter blocks << 16; hash of the title; hash of its form; figures and dates of the head
    << 16; weight of all numbers, figures, names, lead words; the entries; their weights, a byte each in units of 1/16;
    the filter of the word beginnings of the text, blocks of two words.

    Attributes:
        words: uint32, the records.
        begins: int64 (documents + 1,), bounds of each record in ``words``.
    """

    words: NDArray[np.uint32]
    begins: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.begins) - 1

    def blobs(self) -> list[bytes]:
        """The record of each document as a store keeps it."""
        first = self.begins[0]
        whole = self.words[first : self.begins[-1]].astype("<u4", copy=False).tobytes()
        return [whole[begin:end] for begin, end in pairwise((4 * (self.begins - first)).tolist())]

    def tokens(self, documents: NDArray[np.int64]) -> NDArray[np.int64]:
        """Number of words and numbers of some documents, given their ordinals: int64 (documents,)."""
        return self.words[self.begins[documents]].astype(np.int64)

    def some(self, documents: NDArray[np.int64]) -> EvidenceRecords:
        """The records of some documents, given their ordinals, in this order."""
        firsts, sizes = self.begins[documents], self.begins[documents + 1] - self.begins[documents]
        begins = offsets_of(sizes)
        places = places_of(firsts, sizes)
        return EvidenceRecords(self.words[places], begins)

    @classmethod
    def of_blobs(cls, blobs: Sequence[bytes]) -> EvidenceRecords:
        """Records from a store."""
        begins = offsets_of([len(blob) // 4 for blob in blobs])
        return cls(np.frombuffer(b"".join(blobs), dtype="<u4").astype(np.uint32), begins)


def pack_evidence(raw: RawEvidence, languages: NDArray[np.int8], frequencies: EvidenceFrequencies) -> EvidenceRecords:
    """Weight and pack the evidence of documents.

    Args:
        languages: int8 (documents,), index into ``LANGUAGES``.
    """
    counts, documents = frequencies.filled_up()
    return pack_weighed(raw, languages, counts, documents)


def pack_weighed(
    raw: RawEvidence, languages: NDArray[np.int8], counts: NDArray[np.float32], documents: NDArray[np.float64]
) -> EvidenceRecords:
    """Pack evidence, with counters that ``EvidenceFrequencies.filled_up`` returned once for an epoch."""
    records = filtered_records(raw)
    weigh_records(raw, languages, counts, documents, records)
    return records


def filtered_records(raw: RawEvidence) -> EvidenceRecords:
    """Pack what needs no document frequencies; ``weigh_records`` adds the rest and does not use ``raw.body``."""
    begins = np.empty(len(raw) + 1, dtype=np.int64)
    record_sizes(raw.ends, begins)
    words = np.zeros(int(begins[-1]), dtype=np.uint32)
    fill_filters(raw.body, raw.ends, begins, words)
    return EvidenceRecords(words, begins)


def weigh_records(
    raw: RawEvidence,
    languages: NDArray[np.int8],
    counts: NDArray[np.float32],
    documents: NDArray[np.float64],
    records: EvidenceRecords,
) -> None:
    """Complete what ``filtered_records`` began; the other arguments are those of ``pack_weighed``."""
    pack_documents(raw.lists(), languages, counts, documents, records.begins, records.words)
