"""The key terms of a batch, weighed by the statistics of an epoch; ``terms`` selects the same ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.features.rows import Rows
from infostream_dedup.model import LANGUAGES, Settings
from infostream_dedup.stream.analysis import Analysed
from infostream_dedup.stream.frequencies import Frequencies
from infostream_dedup.stream.term_numbers import TermNumbers
from infostream_dedup.terms.compiled.key_terms import heaviest_of_rows
from infostream_dedup.terms.weighting import weighting

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["KeyRows", "choose_keys"]


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
        rank = np.arange(len(self.keys.values)) - np.repeat(self.keys.indptr[:-1], self.keys.sizes)
        parts = (rank < n, rank >= n)
        first, others = (KeyRows(self.keys.chosen(part), self.weights.chosen(part)) for part in parts)
        return first, others


def choose_keys(
    analysed: Analysed, first: int, end: int, frequencies: Frequencies, numbers: TermNumbers, settings: Settings
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
    values = _weights(analysed, first, end, frequencies, settings)
    sizes, places, weights = heaviest_of_rows(indptr, values, settings.n, ties=True)
    terms, row = terms[places].astype(np.int64), np.repeat(np.arange(end - first), sizes)
    order = np.lexsort((_code_point_rank(terms, numbers), -weights, row))
    kept = order[np.arange(len(row)) - np.repeat(np.cumsum(sizes) - sizes, sizes) < settings.n]
    bounds = np.concatenate(([0], np.cumsum(np.minimum(sizes, settings.n))))
    return KeyRows(Rows(bounds, terms[kept]), Rows(bounds, weights[kept]))


def _weights(
    analysed: Analysed, first: int, end: int, frequencies: Frequencies, settings: Settings
) -> NDArray[np.float64]:
    """Return the weight of each term of some documents: float64 (entries,)."""
    indptr = analysed.terms.indptr
    entries = slice(indptr[first], indptr[end])
    sizes, languages = np.diff(indptr[first : end + 1]), analysed.languages[first:end]
    idf, average = np.zeros(entries.stop - entries.start), np.ones(len(LANGUAGES))
    language = np.repeat(languages, sizes)
    for number in np.unique(languages).tolist():
        own = np.flatnonzero(language == number)
        idf[own] = frequencies.idf(number, analysed.terms.values[entries][own])
        average[number] = frequencies.average_length(number)
    chosen = weighting(settings.weighting)
    norm = chosen.norm(analysed.lengths[first:end].astype(np.float64), average[languages], settings)
    return chosen.weight(analysed.counts[entries].astype(np.float64), idf, np.repeat(norm, sizes), settings)


def _code_point_rank(terms: NDArray[np.int64], numbers: TermNumbers) -> NDArray[np.int64]:
    """Rank of each term among the given ones in code point order."""
    distinct, inverse = np.unique(terms, return_inverse=True)
    words = numbers.terms.some(distinct)
    rank = np.empty(len(words), dtype=np.int64)
    rank[sorted(range(len(words)), key=words.__getitem__)] = np.arange(len(words))
    return rank[inverse]
