"""Evidence of pairs of documents, compared in compiled code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.judging.evidence.kernels.comparing import (
    COLUMNS,
    ComparedKeys,
    ToldWords,
    compare_pairs,
    sum_keys,
)
from infostream_dedup.judging.evidence.kernels.heaviest_keys import mark_heaviest
from infostream_dedup.judging.evidence.kernels.matching_tables import matching_tables
from infostream_dedup.judging.evidence.kernels.new_triples import count_new
from infostream_dedup.judging.evidence.kernels.sharing import ShareScratch, share_pairs
from infostream_dedup.judging.evidence.kernels.term_places import SLOTS
from infostream_dedup.judging.evidence.kernels.wording import PLACES, word_pairs
from infostream_dedup.judging.evidence.records import EvidenceRecords
from infostream_dedup.judging.evidence.step_words import speech_beginnings, step_beginnings

if TYPE_CHECKING:
    import scipy.sparse as sp
    from numpy.typing import NDArray

    from infostream_dedup.judging.evidence.kernels.triple_parts import TripleRange


HEAVIEST: Final = 12
"""Number of key terms that ``ComparedKeys.heaviest`` marks."""

_LEAST: Final = 4
"""Minimum number of terms that the tables of a document have room for."""


@dataclass(frozen=True, slots=True)
class TripleRows:
    """Word triples of documents.

    Attributes:
        triples: uint64, hashes of the triples; ascending within each document, each once.
        begins: int64 (documents + 1,), bounds of each document.
    """

    triples: NDArray[np.uint64]
    begins: NDArray[np.int64]

    def repeat_earlier(self) -> NDArray[np.bool_]:
        """Which documents consist mostly of wording of earlier ones: bool (documents,).

        More than half of their triples occur in earlier documents, whether in one or in several.
        """
        from infostream_dedup.judging.evidence.triple_ranges import TripleRanges

        def count(given: TripleRange) -> NDArray[np.int32]:
            found = np.empty(len(given.counts), dtype=np.int32)
            count_new(given, np.empty(len(given.triples), dtype=np.bool_), found)
            return found

        ranges = TripleRanges.of(self)
        new = sum(ranges.map(count), start=np.zeros(len(self.begins) - 1, dtype=np.int64))
        ranges.close()
        return np.asarray(2 * new < np.diff(self.begins))


def key_rows(keys: sp.csr_array, targets: sp.csr_array) -> ComparedKeys:
    """Arrange key terms for the comparison.

    Args:
        keys: int64 (documents, terms), weights of the 30 heaviest terms in units of 1e-9.
        targets: (documents, terms), the terms in which key terms are looked up.
    """
    begins, terms = keys.indptr.astype(np.int64, copy=False), keys.indices.astype(np.int32, copy=False)
    weights = keys.data.astype(np.int64, copy=False)
    top = heaviest(begins, weights)
    own, squares = np.empty((len(begins) - 1, 2), dtype=np.int64), np.empty(len(begins) - 1, dtype=np.float64)
    sum_keys(begins, weights, top, own, squares)
    return ComparedKeys(
        begins=begins,
        terms=terms,
        weights=weights,
        heaviest=top,
        own=own,
        squares=squares,
        target_begins=targets.indptr.astype(np.int64, copy=False),
        targets=targets.indices.astype(np.int32, copy=False),
    )


def heaviest(begins: NDArray[np.int64], weights: NDArray[np.int64], n: int = HEAVIEST) -> NDArray[np.uint8]:
    """Mark the n heaviest key terms of each document: uint8, 1 or 0; ties go to the smaller term.

    Args:
        begins: int64 (documents + 1,), bounds of the documents.
        weights: int64, weight of each key term, in the order of the terms.
    """
    found = np.empty(len(weights), dtype=np.uint8)
    mark_heaviest(begins, weights, n, found)
    return found


def shares_of_pairs(a: NDArray[np.int64], b: NDArray[np.int64], keys: ComparedKeys) -> NDArray[np.float64]:
    """Evidence of pairs with the shares filled in: float64 (pairs, COLUMNS).

    Args:
        a: int64 (pairs,), row of the earlier document.
        b: int64 (pairs,), row of the later one.
    """
    evidence = np.zeros((len(a), len(COLUMNS)), dtype=np.float64)
    if not len(a):
        return evidence
    most, longest = (int(np.diff(begins).max()) for begins in (keys.begins, keys.target_begins))
    scratch = ShareScratch(
        np.zeros(SLOTS * max(most, _LEAST), dtype=np.int32),
        np.zeros(SLOTS * max(longest, _LEAST), dtype=np.int32),
        np.zeros(max(most, longest) + 1, dtype=np.int64),
    )
    # For the columns of a table of pairs, loops would be compiled once more.
    a, b = np.ascontiguousarray(a), np.ascontiguousarray(b)
    # Build the lookup table for the document that consecutive pairs share, so that it is built only once.
    if np.count_nonzero(a[1:] != a[:-1]) < np.count_nonzero(b[1:] != b[:-1]):
        share_pairs(b, a, keys, scratch, 1, evidence)
    else:
        share_pairs(a, b, keys, scratch, 0, evidence)
    return evidence


def compared(
    a: NDArray[np.int64],
    b: NDArray[np.int64],
    evidence: NDArray[np.float64],
    *,
    keys: ComparedKeys,
    records: EvidenceRecords,
    triples: TripleRows | None,
) -> NDArray[np.float64]:
    """Fill in the rest of the evidence.

    Args:
        a: int64 (pairs,), row of the earlier document.
        b: int64 (pairs,), row of the later one; fastest if the pairs of one b are adjacent.
        evidence: float64 (pairs, COLUMNS), result of ``shares_of_pairs``.
        triples: word triples of all documents; ``None`` to leave wording out.
    """
    a, b = np.ascontiguousarray(a), np.ascontiguousarray(b)
    compare_pairs(
        a,
        b,
        keys,
        records.words,
        records.begins,
        tables=matching_tables(),
        told=ToldWords(step_beginnings(), speech_beginnings()),
        evidence=evidence,
    )
    if triples is not None:
        fill_in_wording(a, b, triples, evidence)
    return evidence


def fill_in_wording(
    a: NDArray[np.int64], b: NDArray[np.int64], triples: TripleRows, evidence: NDArray[np.float64]
) -> None:
    """Fill in wording, the last two columns of ``evidence``; arguments as in ``compared``."""
    hits = np.empty(int(np.diff(triples.begins).max(initial=0)) + 1, dtype=np.int64)
    a, b = np.ascontiguousarray(a), np.ascontiguousarray(b)
    word_pairs(a, b, triples.triples, triples.begins, np.zeros(PLACES, dtype=np.uint32), hits, evidence)
