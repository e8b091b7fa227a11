"""Chooses the key terms of a batch by the statistics of an epoch, the same ones as ``terms`` would choose."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

from infostream_dedup.arrays import Ragged, offsets_of
from infostream_dedup.model import LANGUAGES, Settings
from infostream_dedup.stream.analysis import Analysed
from infostream_dedup.stream.kernels.gathering import order_by_weight
from infostream_dedup.stream.term_numbers import TermNumbers
from infostream_dedup.terms.compiled.key_terms import heaviest_of_rows
from infostream_dedup.terms.weighting import weighting

if TYPE_CHECKING:
    from numpy.typing import NDArray


class WeighingFrequencies(Protocol):
    """Statistics of an epoch that weight documents."""

    def idf(self, language: int, terms: NDArray[np.integer]) -> NDArray[np.float64]:
        """Return the idf of terms for a document of a language: float64 (terms,)."""

    def average_length(self, language: int) -> float:
        """Return the mean document length of a language, against which weighting compares a document's length."""


class KeyRows:
    """Key terms of documents, heaviest first.

    Attributes:
        keys: int64, numbers of the terms.
        weights: int64, in units of 1e-9.
    """

    __slots__ = ("keys", "weights")

    def __init__(self, keys: Ragged, weights: Ragged) -> None:
        self.keys = keys
        self.weights = weights

    def split(self, n: int) -> tuple[KeyRows, KeyRows]:
        """Return the n heaviest key terms of each document, and the others."""
        if len(self.keys.values) <= n or int(self.keys.sizes.max()) <= n:
            return self, KeyRows(_no_rows(len(self.keys)), _no_rows(len(self.keys)))
        bounds, keys, weights = self.keys.indptr, self.keys.values, self.weights.values
        first = np.arange(len(keys)) - np.repeat(bounds[:-1], self.keys.sizes) < n
        first_bounds = offsets_of(np.minimum(self.keys.sizes, n))
        (ours, own), (others, further) = (
            (Ragged(indptr, keys[part]), Ragged(indptr, weights[part]))
            for indptr, part in ((first_bounds, first), (bounds - first_bounds, ~first))
        )
        return KeyRows(ours, own), KeyRows(others, further)


def choose_keys(
    analysed: Analysed, first: int, end: int, frequencies: WeighingFrequencies, numbers: TermNumbers, settings: Settings
) -> KeyRows:
    """Select the ``settings.n`` heaviest terms of some documents of a batch (Lande, section 2).

    Terms of equal weight are taken in code point order, whatever their numbers.
    """
    indptr = analysed.terms.indptr[first : end + 1]
    terms = analysed.terms.values[indptr[0] : indptr[-1]]
    values = _weights(analysed, first, end, frequencies, numbers, settings)
    sizes, places, weights = heaviest_of_rows(indptr, values, settings.n, ties=True)
    terms, bounds = terms[places].astype(np.int64), offsets_of(sizes)
    order = _heaviest_first(terms, weights, bounds, numbers)
    if len(terms) > settings.n:
        # The lightest key terms of a document may be tied.
        order = order[np.arange(len(terms)) - np.repeat(bounds[:-1], sizes) < settings.n]
        bounds = offsets_of(np.minimum(sizes, settings.n))
    return KeyRows(Ragged(bounds, terms[order]), Ragged(bounds, weights[order]))


def _heaviest_first(
    terms: NDArray[np.int64], weights: NDArray[np.int64], bounds: NDArray[np.int64], numbers: TermNumbers
) -> NDArray[np.int64]:
    """Order the terms of each row by weight and code points."""
    order, tied = np.empty(len(terms), dtype=np.int64), np.empty(len(terms), dtype=np.uint8)
    if order_by_weight(bounds, weights, order, tied):
        # Most terms have a weight of their own, and need not be spelt out. The tied ones share places among themselves.
        places = np.flatnonzero(tied)
        some = order[places]
        rows, lightness = np.searchsorted(bounds, some, side="right").tolist(), (-weights[some]).tolist()
        ranked = sorted(zip(rows, lightness, numbers.terms.some(terms[some]), some.tolist(), strict=True))
        order[places] = [place for *_, place in ranked]
    return order


def _weights(
    analysed: Analysed, first: int, end: int, frequencies: WeighingFrequencies, numbers: TermNumbers, settings: Settings
) -> NDArray[np.float64]:
    """Return the weight of each term of some documents: float64 (entries,)."""
    indptr = analysed.terms.indptr
    entries = slice(indptr[first], indptr[end])
    sizes, languages = indptr[first + 1 : end + 1] - indptr[first:end], analysed.languages[first:end]
    terms, average = analysed.terms.values[entries], np.ones(len(LANGUAGES))
    spoken = sorted(set(languages.tolist()))
    for one in spoken:
        average[one] = frequencies.average_length(one)
    if len(spoken) == 1:
        idf = _idf(terms, spoken[0], frequencies, len(numbers))
    else:
        idf, language = np.zeros(len(terms)), np.repeat(languages, sizes)
        for one in spoken:
            own = np.flatnonzero(language == one)
            idf[own] = _idf(terms[own], one, frequencies, len(numbers))
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


def _no_rows(rows: int) -> Ragged:
    return Ragged(np.zeros(rows + 1, dtype=np.int64), np.zeros(0, dtype=np.int64))
