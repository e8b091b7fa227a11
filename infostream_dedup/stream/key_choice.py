"""Chooses the key terms of a batch by the statistics of an epoch, the same ones as ``terms`` would choose."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

import numpy as np

from infostream_dedup.features.rows import Rows
from infostream_dedup.model import LANGUAGES, Settings
from infostream_dedup.stream.analysis import Analysed
from infostream_dedup.stream.row_window import bounds_of
from infostream_dedup.stream.term_numbers import TermNumbers
from infostream_dedup.terms.compiled.key_terms import heaviest_of_rows
from infostream_dedup.terms.weighting import weighting

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["KeyRows", "WeighingFrequencies", "choose_keys", "code_point_rank"]


class WeighingFrequencies(Protocol):
    """Statistics of an epoch that weight documents."""

    def idf(self, language: int, terms: NDArray[np.integer]) -> NDArray[np.float64]:
        """Return the idf of terms for a document of a language: float64 (terms,)."""

    def average_length(self, language: int) -> float:
        """Return the mean document length of a language, against which weighting compares a document's length."""


_MOST_WEIGHT: Final = 1 << 48
_MOST_ROWS: Final = 1 << 14
"""Weights and rows below these fit one number of 64 bits; no usual weight, in units of 1e-9, comes near."""


class KeyRows:
    """Key terms of documents, heaviest first.

    Attributes:
        keys: int64, numbers of the terms.
        weights: int64, in units of 1e-9.
    """

    __slots__ = ("keys", "weights")

    def __init__(self, keys: Rows, weights: Rows) -> None:
        self.keys = keys
        self.weights = weights

    def split(self, n: int) -> tuple[KeyRows, KeyRows]:
        """Return the n heaviest key terms of each document, and the others."""
        if int(self.keys.sizes.max(initial=0)) <= n:
            return self, KeyRows(_no_rows(len(self.keys)), _no_rows(len(self.keys)))
        rank = np.arange(len(self.keys.values)) - np.repeat(self.keys.indptr[:-1], self.keys.sizes)
        parts = (rank < n, rank >= n)
        first, others = (KeyRows(self.keys.chosen(part), self.weights.chosen(part)) for part in parts)
        return first, others


def choose_keys(
    analysed: Analysed, first: int, end: int, frequencies: WeighingFrequencies, numbers: TermNumbers, settings: Settings
) -> KeyRows:
    """Select the ``settings.n`` heaviest terms of some documents of a batch (Lande, section 2).

    Terms of equal weight are taken in code point order, whatever their numbers.

    Args:
        analysed: the batch.
        first: first document.
        end: first document after the last one.
        frequencies: statistics of the epoch.
        numbers: the stream's terms.
        settings: weighting, n, k1, b.
    """
    indptr = analysed.terms.indptr[first : end + 1]
    terms = analysed.terms.values[indptr[0] : indptr[-1]]
    values = _weights(analysed, first, end, frequencies, numbers, settings)
    sizes, places, weights = heaviest_of_rows(indptr, values, settings.n, ties=True)
    terms, row = terms[places].astype(np.int64), np.repeat(np.arange(end - first), sizes)
    order = _heaviest_first(terms, weights, row, numbers)
    bounds = bounds_of(sizes)
    if len(terms) > settings.n:
        # The lightest key terms of a document may be tied.
        order = order[np.arange(len(row)) - np.repeat(bounds[:-1], sizes) < settings.n]
        bounds = bounds_of(np.minimum(sizes, settings.n))
    return KeyRows(Rows(bounds, terms[order]), Rows(bounds, weights[order]))


def _heaviest_first(
    terms: NDArray[np.int64], weights: NDArray[np.int64], row: NDArray[np.int64], numbers: TermNumbers
) -> NDArray[np.int64]:
    """Order terms by row, weight and code points."""
    order = _by_weight(weights, row)
    again = (weights[order[1:]] == weights[order[:-1]]) & (row[order[1:]] == row[order[:-1]])
    if not again.any():
        return order
    # Most terms have a weight of their own, and need not be spelt out. The tied ones share places among themselves.
    tied = np.zeros(len(terms), dtype=np.bool_)
    tied[1:][again] = tied[:-1][again] = True
    places = np.flatnonzero(tied)
    some = order[places]
    order[places] = some[np.lexsort((code_point_rank(terms[some], numbers), -weights[some], row[some]))]
    return order


def _by_weight(weights: NDArray[np.int64], row: NDArray[np.int64]) -> NDArray[np.int64]:
    """Order terms by row and weight, heaviest first; equal ones in any order."""
    if len(row) and row[-1] < _MOST_ROWS and weights.max() < _MOST_WEIGHT and weights.min() >= 0:
        # One sort of packed numbers takes a fifth of the time of sorting by both.
        return np.argsort(row * _MOST_WEIGHT - weights)
    return np.lexsort((-weights, row))


def _weights(
    analysed: Analysed, first: int, end: int, frequencies: WeighingFrequencies, numbers: TermNumbers, settings: Settings
) -> NDArray[np.float64]:
    """Return the weight of each term of some documents: float64 (entries,)."""
    indptr = analysed.terms.indptr
    entries = slice(indptr[first], indptr[end])
    sizes, languages = analysed.terms.sizes[first:end], analysed.languages[first:end]
    idf, average = np.zeros(entries.stop - entries.start), np.ones(len(LANGUAGES))
    spoken, language = sorted(set(languages.tolist())), np.repeat(languages, sizes)
    for one in spoken:
        own = slice(None) if len(spoken) == 1 else np.flatnonzero(language == one)
        idf[own] = _idf(analysed.terms.values[entries][own], one, frequencies, len(numbers))
        average[one] = frequencies.average_length(one)
    chosen = weighting(settings.weighting)
    norm = chosen.norm(analysed.lengths[first:end].astype(np.float64), average[languages], settings)
    return chosen.weight(analysed.counts[entries].astype(np.float64), idf, np.repeat(norm, sizes), settings)


def _idf(
    terms: NDArray[np.integer], language: int, frequencies: WeighingFrequencies, known: int
) -> NDArray[np.float64]:
    """Return the idf of each term, float64 (entries,); computed once for each term if there are enough entries."""
    if len(terms) < known:
        return frequencies.idf(language, terms)
    idf, held = np.zeros(known), np.zeros(known, dtype=np.bool_)
    held[terms] = True
    distinct = np.flatnonzero(held)
    idf[distinct] = frequencies.idf(language, distinct)
    found: NDArray[np.float64] = idf[terms]
    return found


def code_point_rank(terms: NDArray[np.int64], numbers: TermNumbers) -> NDArray[np.int64]:
    """Rank of each term among the given ones in code point order."""
    distinct, inverse = np.unique(terms, return_inverse=True)
    words = numbers.terms.some(distinct)
    rank = np.empty(len(words), dtype=np.int64)
    rank[sorted(range(len(words)), key=words.__getitem__)] = np.arange(len(words))
    return rank[inverse]


def _no_rows(rows: int) -> Rows:
    return Rows(np.zeros(rows + 1, dtype=np.int64), np.zeros(0, dtype=np.int64))
