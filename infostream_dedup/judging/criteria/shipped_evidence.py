"""The evidence that preset ``judged`` uses, for the criteria that start from the shipped model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.judging.evidence.frequencies import EvidenceFrequencies, changes_of
from infostream_dedup.judging.evidence.pair_evidence import (
    COLUMNS,
    ComparedKeys,
    TripleRows,
    compared,
    key_rows,
    shares_of_pairs,
)
from infostream_dedup.judging.evidence.reading import evidence_texts, read_evidence
from infostream_dedup.judging.evidence.records import EvidenceRecords, pack_evidence
from infostream_dedup.model import Document, language_number
from infostream_dedup.terms.key_terms import KeyTerms

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ShippedEvidence", "read_shipped_evidence"]


@dataclass(frozen=True, slots=True, eq=False)
class ShippedEvidence:
    """Evidence of documents.

    Attributes:
        keys: their 30 key terms.
        records: numbers, names, leads and openings.
        triples: word triples.
    """

    keys: ComparedKeys
    records: EvidenceRecords
    triples: TripleRows

    def of_pairs(self, i: NDArray[np.int64], j: NDArray[np.int64]) -> NDArray[np.float64]:
        """Compare pairs: float64 (pairs, COLUMNS), forward is the share of i's that j has."""
        # Fastest if pairs with the same j are adjacent.
        order = np.lexsort((i, j))
        a, b = i[order], j[order]
        found = compared(
            a, b, shares_of_pairs(a, b, self.keys), keys=self.keys, records=self.records, triples=self.triples
        )
        evidence = np.empty((len(i), len(COLUMNS)), dtype=np.float64)
        evidence[order] = found
        return evidence


def read_shipped_evidence(
    documents: Sequence[Document], languages: Sequence[str], key_terms: KeyTerms, *, background: bool
) -> ShippedEvidence:
    """Read the evidence of documents.

    Args:
        documents: documents with their texts.
        languages: language of each document.
        key_terms: the 30 heaviest key terms of each.
        background: weight by general language, so that the evidence of a document does not depend on the others.
    """
    numbers = np.array([language_number(language) for language in languages], dtype=np.int8)
    raw = read_evidence(*evidence_texts(documents))
    frequencies = EvidenceFrequencies()
    if not background:
        frequencies.add(changes_of(raw, numbers))
    return ShippedEvidence(
        key_rows(key_terms.keys, key_terms.targets),
        pack_evidence(raw, numbers, frequencies),
        TripleRows(raw.triples, raw.ends[:, 0].copy()),
    )
