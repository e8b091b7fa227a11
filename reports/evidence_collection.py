"""Evidence of a whole collection by the product's own key terms: the one place where the reports ask for them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup import Document
from infostream_dedup.judging.evidence.frequencies import EPOCH, EvidenceFrequencies, changes_of
from infostream_dedup.judging.evidence.pair_evidence import (
    ComparedKeys,
    TripleRows,
    compared,
    key_rows,
    shares_of_pairs,
)
from infostream_dedup.judging.evidence.reading import RawEvidence, evidence_texts, read_evidence
from infostream_dedup.judging.evidence.records import EvidenceRecords, pack_evidence
from infostream_dedup.model import LANGUAGES, Settings
from infostream_dedup.runs.batch.collection import Collection, collect
from infostream_dedup.runs.batch.linking import link
from infostream_dedup.runs.batch.pair_table import candidate_pairs

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["EvidenceCollection"]

_LEAST_COUNT = 3


@dataclass(frozen=True, slots=True)
class EvidenceCollection:
    """A collection with the evidence of its documents.

    Attributes:
        documents: in input order, with their texts.
        collection: as the product reads it.
        raw: what was read of them.
        records: the same, weighed by the collection.
        keys: their 30 key terms.
        triples: their word triples.
    """

    documents: list[Document]
    collection: Collection
    raw: RawEvidence
    records: EvidenceRecords
    keys: ComparedKeys
    triples: TripleRows = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "triples", TripleRows(self.raw.triples, self.raw.ends[:, 0].copy()))

    @classmethod
    def of(cls, documents: Iterable[Document], *, as_stream: bool = False) -> EvidenceCollection:
        """Read documents.

        Args:
            documents: in input order.
            as_stream: weigh every epoch by the documents before it, as a stream does; else all by the collection.
        """
        kept = list(documents)
        collection = collect(kept)
        languages = np.array([LANGUAGES.index(one) for one in collection.languages], dtype=np.int8)
        raw = read_evidence(*evidence_texts(kept))
        terms = collection.key_terms(Settings(n=30))
        keys = key_rows(terms.keys, terms.targets)
        records = _as_stream(kept, languages) if as_stream else _as_collection(raw, languages)
        return cls(kept, collection, raw, records, keys)

    def candidates(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Pairs with three of twelve key terms in one direction, as (earlier, later), ordered by the later one."""
        settings = Settings(n=12)
        linked = link(self.collection.key_terms(settings), settings, k_min=_LEAST_COUNT)
        one, other = candidate_pairs(linked, None)
        order = np.lexsort((one, other))
        return one[order].astype(np.int64), other[order].astype(np.int64)

    def evidence(self, a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.float64]:
        """Evidence of pairs: float64 (pairs, COLUMNS)."""
        evidence = shares_of_pairs(a, b, self.keys)
        return compared(a, b, evidence, keys=self.keys, records=self.records, triples=self.triples)


def _as_collection(raw: RawEvidence, languages: NDArray[np.int8]) -> EvidenceRecords:
    frequencies = EvidenceFrequencies()
    frequencies.add(changes_of(raw, languages))
    return pack_evidence(raw, languages, frequencies)


def _as_stream(documents: list[Document], languages: NDArray[np.int8]) -> EvidenceRecords:
    frequencies, blobs = EvidenceFrequencies(), []
    for first in range(0, len(documents), EPOCH):
        epoch = slice(first, first + EPOCH)
        raw = read_evidence(*evidence_texts(documents[epoch]))
        records = pack_evidence(raw, languages[epoch], frequencies)
        blobs += records.blobs()
        frequencies.add(changes_of(raw, languages[epoch]))
    return EvidenceRecords.of_blobs(blobs)
