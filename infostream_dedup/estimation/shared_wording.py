"""Wording that documents share: their word triples without those of one text only, in a quarter of the memory."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.estimation.kernels.shared_triples import keep_shared, number_ranges, write_rows
from infostream_dedup.evidence.pair_evidence import TripleRows, fill_in_wording
from infostream_dedup.machine.threads import thread_count

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["SharedWording", "shared_wording"]

_RANGE: Final = 1 << 23
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
        bounds = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        rows = np.empty(int(bounds[-1]), dtype=np.uint64)
        write_rows(self.numbers, self.begins[texts], self.begins[texts + 1], self.bounds[texts], bounds, rows)
        return TripleRows(rows, bounds)


def shared_wording(triples: TripleRows, texts: NDArray[np.int64], *, consume: bool = False) -> SharedWording:
    """Number the triples that occur in at least two texts.

    Args:
        triples: word triples of documents.
        texts: int64 (documents,), the document that stands for the text of each one, and for its own text; both have
            the same triples.
        consume: use the memory of the triples, which must be an array of its own; they are lost.
    """
    held, bounds = triples.triples if consume else triples.triples.copy(), triples.begins
    documents = len(bounds) - 1
    chosen = texts == np.arange(documents)
    rows = np.flatnonzero(chosen)
    begins, ends = bounds[rows], bounds[rows + 1]
    entries = int((ends - begins).sum())
    range_bits = max(entries // _RANGE, 1).bit_length() - 1
    part_bits = max((entries >> range_bits) // _PART, 1).bit_length() - 1
    numbered = np.zeros(1 << range_bits, dtype=np.int64)
    threads = min(thread_count(0), len(numbered))
    cuts = np.linspace(0, len(numbered), threads + 1).astype(np.int64).tolist()

    def number(thread: int) -> None:
        number_ranges(
            held,
            begins,
            ends,
            first=cuts[thread],
            last=cuts[thread + 1],
            range_bits=range_bits,
            part_bits=part_bits,
            numbered=numbered,
        )

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(number, range(threads)))
    firsts = np.cumsum(numbered) - numbered
    kept_bounds = np.empty(documents + 1, dtype=np.int64)
    numbers = held.view(np.int32)
    keep_shared(held, bounds, chosen, firsts, range_bits, numbers, kept_bounds)
    shared = int(kept_bounds[-1])
    del numbers
    held.resize((shared + 1) // 2, refcheck=False)
    return SharedWording(
        numbers=held.view(np.int32)[:shared],
        begins=kept_bounds,
        texts=texts,
        bounds=bounds,
        terms=int(numbered.sum()),
    )
