"""Wording that documents share: their word triples without those of one text only, in a quarter of the memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from infostream_dedup.judging.evidence.kernels.triple_parts import TripleRange
from infostream_dedup.judging.evidence.pair_evidence import TripleRows, fill_in_wording
from infostream_dedup.judging.evidence.triple_ranges import TripleRanges
from infostream_dedup.lab.estimation.kernels.shared_triples import arrange_range, number_range, write_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["SharedWording", "shared_wording"]

_PAIRS_AT_ONCE: Final = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedWording:
    """The word triples that occur in at least two texts.

    Attributes:
        numbers: int32, numbers of the triples of each text.
        begins: int64 (documents + 1,), bounds of each document in ``numbers``; only those of texts are not empty.
        texts: int64 (documents,), the document that stands for the text of each document.
        bounds: int64 (documents + 1,), bounds of each document in the word triples that the numbers were made of.
        terms: number of distinct shared triples.
    """

    numbers: NDArray[np.int32]
    begins: NDArray[np.int64]
    texts: NDArray[np.int64]
    bounds: NDArray[np.int64]
    terms: int

    def fill_in(self, a: NDArray[np.int64], b: NDArray[np.int64], evidence: NDArray[np.float64]) -> None:
        """Fill in wording, the last two columns of the evidence of pairs, as ``fill_in_wording`` does with all triples.

        Args:
            a: int64 (pairs,), the earlier document.
            b: int64 (pairs,), the later one; fastest if the pairs of one b are adjacent.
            evidence: float64 (pairs, COLUMNS).
        """
        for begin in range(0, len(a), _PAIRS_AT_ONCE):
            some = slice(begin, begin + _PAIRS_AT_ONCE)
            documents, places = np.unique(np.stack([a[some], b[some]]), return_inverse=True)
            one, other = places.reshape(2, -1)
            fill_in_wording(one, other, self._rows(documents), evidence[some])

    def _rows(self, documents: NDArray[np.int64]) -> TripleRows:
        """Triple rows with the same overlaps as the documents.

        A triple found in only one text gets a value that occurs in no other row.
        """
        sizes = self.bounds[documents + 1] - self.bounds[documents]
        texts = self.texts[documents]
        bounds = _bounds(sizes)
        rows = np.empty(int(bounds[-1]), dtype=np.uint64)
        write_rows(self.numbers, self.begins[texts], self.begins[texts + 1], self.bounds[texts], bounds, rows)
        return TripleRows(rows, bounds)


def shared_wording(triples: TripleRanges, texts: NDArray[np.int64]) -> SharedWording:
    """Number the triples that occur in at least two texts.

    Args:
        triples: word triples of documents; closed afterwards.
        texts: int64 (documents,), the document that stands for the text of each one, and for its own text; both have
            the same triples.
    """
    bounds, chosen = _bounds(triples.sizes()), texts == np.arange(len(texts))

    def number(given: TripleRange) -> _Range:
        # Triples that are in their parts are no longer needed where they were read.
        numbers, kept = given.triples.view(np.int32)[: len(given.triples)], np.empty(len(texts), dtype=np.int32)
        terms, size = number_range(given, chosen, numbers, kept)
        return _Range(numbers[:size].copy(), kept.astype(np.min_scalar_type(kept.max(initial=0))), terms)

    ranges = triples.map(number)
    triples.close()
    begins = _bounds(sum((one.kept for one in ranges), start=np.zeros(len(texts), dtype=np.int64)))
    arranged, ends, terms = np.empty(int(begins[-1]), dtype=np.int32), begins[:-1].copy(), 0
    while ranges:
        one = ranges.pop(0)
        arrange_range(one.numbers, one.kept.astype(np.int32), terms, ends, arranged)
        terms += one.terms
    return SharedWording(numbers=arranged, begins=begins, texts=texts, bounds=bounds, terms=terms)


class _Range(NamedTuple):
    """Shared triples of a range: their numbers, how many each document has, and how many are different."""

    numbers: NDArray[np.int32]
    kept: NDArray[Any]
    terms: int


def _bounds(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
