"""Wording that documents share: their word triples without those of one text only, in a quarter of the memory."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from infostream_dedup.estimation.kernels.shared_triples import (
    NumberingScratch,
    arrange_range,
    number_range,
    write_rows,
)
from infostream_dedup.evidence.pair_evidence import TripleRows, fill_in_wording
from infostream_dedup.evidence.triple_ranges import RANGES, TripleRanges
from infostream_dedup.machine.threads import thread_count

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["SharedWording", "shared_wording"]

_PART: Final = 1 << 14
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
        """Rows that share as many triples as the documents do; values that stand for dropped triples are in one row."""
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
    bounds = _bounds(triples.sizes())
    numbering = _Numbering(triples, texts == np.arange(len(texts)), int(bounds[-1]))
    with ThreadPoolExecutor(thread_count(0)) as pool:
        ranges = list(pool.map(numbering.number, range(RANGES)))
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


class _Numbering:
    """Numbers ranges, several at a time. Memory that a thread has used need not be cleared by the system again."""

    def __init__(self, triples: TripleRanges, chosen: NDArray[np.bool_], entries: int) -> None:
        self._triples = triples
        self._reading = threading.Lock()
        self._chosen = chosen
        self._part_bits = max(entries // RANGES // _PART, 1).bit_length() - 1
        self._own = threading.local()

    def number(self, one: int) -> _Range:
        counts = self._triples.counts(one)
        triples, scratch, kept = self._room(int(counts.sum(dtype=np.int64)))
        with self._reading:
            self._triples.read(one, triples)
        # Triples that are in their parts are no longer needed where they were read.
        numbers = triples.view(np.int32)[: len(triples)]
        terms, size = number_range(triples, counts, self._chosen, self._part_bits, scratch, numbers, kept)
        return _Range(numbers[:size].copy(), kept.astype(np.min_scalar_type(kept.max(initial=0))), terms)

    def _room(self, size: int) -> tuple[NDArray[np.uint64], NumberingScratch, NDArray[np.int32]]:
        if not hasattr(self._own, "triples") or len(self._own.triples) < size:
            room = size + size // 16
            self._own.triples = np.empty(room, dtype=np.uint64)
            self._own.scratch = NumberingScratch(np.empty(room, dtype=np.uint64), np.empty(room, dtype=np.int32))
            self._own.kept = np.empty(len(self._chosen), dtype=np.int32)
        return self._own.triples[:size], self._own.scratch, self._own.kept


def _bounds(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
