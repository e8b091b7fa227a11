"""Evidence of a whole collection by the product's own key terms: the one place where the reports ask for them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup import Document
from infostream_dedup.batch.collection import Collection, collect
from infostream_dedup.batch.linking import key_terms_of, link
from infostream_dedup.batch.pair_table import candidate_pairs
from infostream_dedup.evidence.frequencies import EvidenceFrequencies, changes_of
from infostream_dedup.evidence.pair_evidence import KeyRows, TripleRows, compared, key_rows, shares_of_pairs
from infostream_dedup.evidence.reading import RawEvidence, evidence_texts, read_evidence
from infostream_dedup.evidence.records import EvidenceRecords, pack_evidence
from infostream_dedup.model import LANGUAGES, Settings

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
    keys: KeyRows
    triples: TripleRows = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "triples", TripleRows(self.raw.triples, self.raw.ends[:, 0].copy()))

    @classmethod
    def of(cls, documents: Iterable[Document], *, own_frequencies: bool = True) -> EvidenceCollection:
        """Read documents.

        Args:
            documents: in input order.
            own_frequencies: weigh by the collection; else by the background alone, as the first epoch of a stream.
        """
        kept = list(documents)
        collection = collect(kept)
        languages = np.array([LANGUAGES.index(one) for one in collection.languages], dtype=np.int8)
        raw, frequencies = read_evidence(*evidence_texts(kept)), EvidenceFrequencies()
        if own_frequencies:
            frequencies.add(changes_of(raw, languages))
        terms = key_terms_of(collection, Settings(n=30))
        keys = key_rows(terms.keys, terms.targets)
        return cls(kept, collection, raw, pack_evidence(raw, languages, frequencies), keys)

    def candidates(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Pairs with three of twelve key terms in one direction, as (earlier, later), ordered by the later one."""
        settings = Settings(n=12)
        linked = link(key_terms_of(self.collection, settings), settings, k_min=_LEAST_COUNT)
        one, other = candidate_pairs(linked, None)
        order = np.lexsort((one, other))
        return one[order].astype(np.int64), other[order].astype(np.int64)

    def evidence(self, a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.float64]:
        """Evidence of pairs: float64 (pairs, COLUMNS)."""
        evidence = shares_of_pairs(a, b, self.keys)
        return compared(a, b, evidence, keys=self.keys, records=self.records, triples=self.triples)
