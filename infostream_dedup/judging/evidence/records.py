"""Evidence packed into one small record per document, as windows and stores keep it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from infostream_dedup.judging.evidence.constants import OPENING
from infostream_dedup.judging.evidence.differing import Openings, WordDifference
from infostream_dedup.judging.evidence.kernels import packing as kernels
from infostream_dedup.judging.evidence.pair_model import BACKGROUND_FILE, shipped_bytes
from infostream_dedup.judging.evidence.reading import ALPHABET, RawEvidence
from infostream_dedup.machine.arrays import Floats, Int8s, Ints, Ragged, Uint32s, numbered_ends, offsets_of, places_of
from infostream_dedup.model import LANGUAGES, OUR_LANGUAGES, Language

# Document frequencies of numbers, names and lead words: counters by hash, the same in batch and stream

BUCKETS: Final = 1 << kernels.BUCKET_BITS
"""Number of counters; entries that share a counter are counted together, which lowers their weights a little."""

BACKGROUND_DOCUMENTS: Final = 2000
"""If a language has fewer documents, pseudo-documents are added up to this number, as for key terms."""

EPOCH: Final = 1000
"""Length of an epoch: consecutive documents of a stream weighted by all documents before the first of them.

Shorter than the epochs of key terms, so that names found in every item of a stream soon have little weight.
"""

_SERIES: Final = re.compile(r"[^\W\d_a-zа-яёєіїґ]{2,6}-\d+(?=-\d+)")
_CODE: Final = 24  # characters among which such a number ends
_WORD: Final = re.compile(r"[^\W\d_]{3,}")

_WITH_OTHERS: Final = -1
"""Marks a stored blob that also counts documents of other languages; streams without any keep the older format."""


@dataclass(frozen=True, slots=True)
class Changes:
    """Counts that documents add to the counters."""

    buckets: Uint32s  # uint32, counters, ascending, each once
    counts: Uint32s  # uint32, documents to add to each
    documents: Ints  # int64 (languages,), documents of each language

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


def changes_of(raw: RawEvidence, languages: Int8s) -> Changes:
    """Count what documents add to the counters."""
    changed, counts = np.unique(_buckets_of(raw, languages), return_counts=True)
    return Changes(changed.astype(np.uint32), counts.astype(np.uint32), _documents_of(languages))


def _buckets_of(raw: RawEvidence, languages: Int8s) -> Uint32s:
    """Counter of each number, name and lead word."""
    buckets = np.empty(len(raw.numbers) + len(raw.names) + len(raw.lead), dtype=np.uint32)
    count = kernels.buckets_of_documents(raw.numbers, raw.names, raw.lead, raw.ends, languages, buckets)
    return buckets[:count]


def _documents_of(languages: Int8s) -> Ints:
    """Number of documents of each language."""
    return np.bincount(languages, minlength=len(LANGUAGES)).astype(np.int64)


class EvidenceFrequencies:
    """Document frequencies of a collection, or of a stream before an epoch."""

    def __init__(self) -> None:
        self.counts: Uint32s = np.zeros(BUCKETS, dtype=np.uint32)  # documents of each counter
        self.documents: Ints = np.zeros(len(LANGUAGES), dtype=np.int64)  # documents of each language

    def add(self, changes: Changes) -> None:
        """Add documents; their order does not matter."""
        self.counts[changes.buckets] += changes.counts
        self.documents += changes.documents

    def count(self, raw: RawEvidence, languages: Int8s) -> None:
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

    def filled_up(self) -> tuple[NDArray[np.float32], Floats]:
        """Counters and documents, with the background added for languages that have few documents."""
        counts, documents = self.counts.astype(np.float32), self.documents.astype(np.float64)
        for number, language in enumerate(LANGUAGES):
            missing = BACKGROUND_DOCUMENTS - int(self.documents[number])
            if missing > 0 and (language in OUR_LANGUAGES or self.documents[number]):
                buckets, shares = background_of(BACKGROUND_FILE)[language]
                counts[buckets] += (missing * shares).astype(np.float32)
                documents[number] += missing
        return counts, documents


@cache
def background_of(path: Path) -> Mapping[Language, tuple[Ints, Floats]]:
    """For each language, the counters that a pseudo-document raises, ascending, and by how much."""
    with np.load(BytesIO(shipped_bytes(path))) as held:
        return {
            language: (held[f"{language}_buckets"].astype(np.int64), held[f"{language}_shares"])
            for language in LANGUAGES
        }


@dataclass(frozen=True, slots=True)
class EvidenceRecords:
    """Records of consecutive documents.

    A record is a run of 32-bit words, little-endian on disk: tokens; numbers and names << 16; lead words, bits of the
    title's figures << 5 and filter blocks << 16; hash of the title; hash of its form; figures and dates of the head
    << 16; weight of all numbers, figures, names, lead words; the entries; their weights, a byte each in units of 1/16;
    the filter of the word beginnings of the text, blocks of two words; the opening, see ``packed``.
    """

    words: Uint32s  # uint32, the records
    begins: Ints  # int64 (documents + 1,), bounds of each record in `words`

    def __len__(self) -> int:
        return len(self.begins) - 1

    def blobs(self) -> list[bytes]:
        """The record of each document as a store keeps it."""
        first = self.begins[0]
        whole = self.words[first : self.begins[-1]].astype("<u4", copy=False).tobytes()
        return [whole[begin:end] for begin, end in pairwise((4 * (self.begins - first)).tolist())]

    def tokens(self, documents: Ints) -> Ints:
        """Number of words and numbers of some documents, given their ordinals: int64 (documents,)."""
        return self.words[self.begins[documents]].astype(np.int64)

    def opening(self, document: int) -> str:
        """First ``OPENING`` characters of a document's title and text, given its ordinal."""
        return self._openings(np.array([document]))[0].decode(ALPHABET, "replace")

    def beginnings(self, documents: Ints) -> list[str]:
        """The openings of documents, without a word or figure that their end cuts."""
        texts = [text.decode(ALPHABET, "replace") for text in self._openings(documents)]
        return [text if len(text) < OPENING else text[: max(map(text.rfind, " \n"))] for text in texts]

    def _openings(self, documents: Ints) -> list[bytes]:
        words = self.words.astype("<u4", copy=False)
        spans = zip(*(ends.tolist() for ends in self._spans(documents)), strict=True)
        return [words[first:last].tobytes().rstrip(b"\0") for first, last in spans]

    def openings(self, documents: Ints) -> Openings:
        """The tokens of these characters of some documents, given their ordinals."""
        return Openings(self.words, *self._spans(documents))

    def titles(self, documents: Ints) -> Uint32s:
        """Hash of the title of each document, given their ordinals; 0 without one."""
        return self.words[self.begins[documents] + kernels.TITLE_AT]

    def differing_bodies(self, a: Ints, b: Ints, lacks: Floats) -> Iterator[tuple[int, WordDifference]]:
        """Compare texts without their titles, given their ordinals, as ``Openings.compared``."""
        rows, sides = numbered_ends(a, b)
        openings = self._openings(rows)
        titled = (self.titles(rows) != 0).tolist()
        bodies = [text.partition(b"\n")[2] if has else text for text, has in zip(openings, titled, strict=True)]
        # Behind a longer title, less of the text is known.
        known = [len(one) if len(text) >= OPENING else OPENING for text, one in zip(openings, bodies, strict=True)]
        most = np.tile(np.array(known, dtype=np.int64)[sides].min(axis=0, initial=OPENING), 2)
        cut = [bodies[row][:size] for row, size in zip(sides.ravel().tolist(), most.tolist(), strict=True)]
        bounds = offsets_of([(len(one) + 3) // 4 for one in cut])
        words = np.frombuffer(b"".join(one + b"\0" * (-len(one) % 4) for one in cut), dtype="<u4").astype(np.uint32)
        ones, others = np.arange(2 * len(a)).reshape(2, -1)
        return Openings(words, bounds[:-1], bounds[1:], most).compared(ones, others, lacks)

    def _spans(self, documents: Ints) -> tuple[Ints, Ints]:
        begins = self.begins[documents]
        counts, rest = (self.words[begins + at].astype(np.int64) for at in (kernels.COUNTS_AT, kernels.BLOCKS_AT))
        entries = (counts & 0xFFFF) + (counts >> 16) + (rest & (1 << kernels.LEAD_BITS) - 1)
        return begins + kernels.HEADER + entries + (entries + 3) // 4 + 2 * (rest >> 16), self.begins[documents + 1]

    def of_one_series(self, a: Ints, b: Ints) -> list[bool]:
        """Whether both texts of each pair begin with the number of a document, another one: DSA-3213-1, DLA-188-1."""
        # DSA-3213-2 is another version of it; no "Covid-19" or "Су-34" is a number.
        rows, sides = numbered_ends(a, b)
        found = [_SERIES.match(text[:_CODE].decode(ALPHABET, "replace")) for text in self._openings(rows)]
        codes = np.array([one[0] if one else "" for one in found], dtype=np.object_)[sides]
        return [bool(x and y and x != y) for x, y in codes.T]

    def other_titles(self, a: int, b: int) -> bool:
        """Whether two documents, given their ordinals, have titles that are no versions of one another."""
        # They share less than a quarter of their words, or differ only by numbers and dates.
        titles = self.titles(np.array([a, b])).tolist()
        forms = self.words[self.begins[[a, b]] + kernels.FORM_AT].tolist()
        if 0 in titles or titles[0] == titles[1]:
            return False
        one, other = (set(_WORD.findall(self.opening(row).partition("\n")[0].lower())) for row in (a, b))
        return forms[0] == forms[1] or 4 * len(one & other) < min(len(one), len(other))

    def some(self, documents: Ints) -> EvidenceRecords:
        """The records of some documents, given their ordinals, in this order."""
        found = Ragged(self.begins, self.words).rows(documents)
        return EvidenceRecords(found.values, found.indptr)

    @classmethod
    def of_blobs(cls, blobs: Sequence[bytes]) -> EvidenceRecords:
        """Records from a store."""
        begins = offsets_of([len(blob) // 4 for blob in blobs])
        return cls(np.frombuffer(b"".join(blobs), dtype="<u4").astype(np.uint32), begins)


def pack_evidence(raw: RawEvidence, languages: Int8s, frequencies: EvidenceFrequencies) -> EvidenceRecords:
    """Weight and pack the evidence of documents."""
    counts, documents = frequencies.filled_up()
    return pack_weighed(raw, languages, counts, documents)


def pack_weighed(raw: RawEvidence, languages: Int8s, counts: NDArray[np.float32], documents: Floats) -> EvidenceRecords:
    """Pack evidence, with counters that ``EvidenceFrequencies.filled_up`` returned once for an epoch."""
    records = filtered_records(raw)
    weigh_records(raw, languages, counts, documents, records)
    return records


def filtered_records(raw: RawEvidence) -> EvidenceRecords:
    """Pack what needs no document frequencies; ``weigh_records`` adds the rest and does not use ``raw.body``."""
    begins = np.empty(len(raw) + 1, dtype=np.int64)
    kernels.record_sizes(raw.ends, begins)
    begins += raw.opening_ends
    words = np.zeros(int(begins[-1]), dtype=np.uint32)
    kernels.fill_filters(raw.body, raw.ends, begins, words)
    sizes = np.diff(raw.opening_ends)
    words[places_of(begins[1:] - sizes, sizes)] = raw.openings
    return EvidenceRecords(words, begins)


def weigh_records(
    raw: RawEvidence, languages: Int8s, counts: NDArray[np.float32], documents: Floats, records: EvidenceRecords
) -> None:
    """Complete what ``filtered_records`` began; the other arguments are those of ``pack_weighed``."""
    kernels.pack_documents(raw.lists(), languages, counts, documents, records.begins, records.words)
