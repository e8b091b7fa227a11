"""The key terms of a batch, weighed by the statistics of an epoch: the same as ``terms.key_terms`` chooses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.features.rows import Rows
from infostream_dedup.model import Settings
from infostream_dedup.stream.analysis import Analysed
from infostream_dedup.stream.frequencies import Frequencies
from infostream_dedup.stream.term_numbers import TermNumbers
from infostream_dedup.terms.weights import UNITS, bm25

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["KeyRows", "choose_keys"]

_WEIGHT_BITS: Final = 40
"""Weights in units of 1e-9 stay below 2^40: a thousand."""

_ROWS_AT_ONCE: Final = 1 << 20


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


def choose_keys(
    analysed: Analysed, first: int, end: int, frequencies: Frequencies, numbers: TermNumbers, settings: Settings
) -> KeyRows:
    """The ``settings.n`` heaviest terms of some documents of a batch (Lande, section 2).

    Terms of equal weight are taken in code point order, whatever their numbers.

    Args:
        analysed: the batch.
        first: document to begin with.
        end: document to end before; at most 2^20 of them.
        frequencies: statistics of the epoch.
        numbers: the stream's terms.
        settings: weighting, n, k1, b.
    """
    indptr = analysed.terms.indptr[first : end + 1]
    terms = analysed.terms.values[indptr[0] : indptr[-1]]
    row = np.repeat(np.arange(end - first), np.diff(indptr))
    weights = _weights(analysed, first, end, row, terms, frequencies, settings)
    place = _contenders(row, weights, end - first, settings.n)
    row, terms, weights = row[place], terms[place].astype(np.int64), weights[place]
    order = np.lexsort((_code_point_rank(terms, numbers), -weights, row))
    row, terms, weights = row[order], terms[order], weights[order]
    begins = np.searchsorted(row, np.arange(end - first + 1))
    kept = np.arange(len(row)) - begins[row] < settings.n
    sizes = np.minimum(np.diff(begins), settings.n)
    bounds = np.concatenate(([0], np.cumsum(sizes)))
    return KeyRows(Rows(bounds, terms[kept]), Rows(bounds, weights[kept]))


def _weights(
    analysed: Analysed,
    first: int,
    end: int,
    row: NDArray[np.int64],
    terms: NDArray[np.int32],
    frequencies: Frequencies,
    settings: Settings,
) -> NDArray[np.int64]:
    indptr = analysed.terms.indptr
    f = analysed.counts[indptr[first] : indptr[end]].astype(np.float64)
    languages, lengths = analysed.languages[first:end], analysed.lengths[first:end].astype(np.float64)
    value = np.zeros(len(f), dtype=np.float64)
    present = np.unique(languages).tolist()
    for language in present:
        here = slice(None) if len(present) == 1 else np.flatnonzero(languages[row] == language)
        idf = frequencies.idf(language, terms[here])
        if settings.weighting == "bm25":
            l_d, l_avg = lengths[row[here]], frequencies.average_length(language)
            value[here] = bm25(f[here], idf, l_d, l_avg=l_avg, k1=settings.k1, b=settings.b)
        else:
            value[here] = f[here] * idf
    return np.maximum(np.rint(value * UNITS), 0).astype(np.int64)


def _contenders(row: NDArray[np.int64], weights: NDArray[np.int64], rows: int, n: int) -> NDArray[np.intp]:
    """Places of terms at least as heavy as the n-th of their row, and heavier than nothing."""
    held = np.flatnonzero(weights > 0)
    row, weights = row[held], weights[held]
    # One number per term: numpy sorts plain integers many times as fast as pairs.
    ranked = np.sort((row << _WEIGHT_BITS) + ((1 << _WEIGHT_BITS) - 1 - weights))
    begins = np.searchsorted(ranked, np.arange(rows + 1) << _WEIGHT_BITS)
    last = np.minimum(begins[:-1] + n, begins[1:]) - 1
    least = np.ones(rows, dtype=np.int64)
    filled = np.diff(begins) > 0
    least[filled] = (1 << _WEIGHT_BITS) - 1 - (ranked[last[filled]] & ((1 << _WEIGHT_BITS) - 1))
    return held[weights >= least[row]]


def _code_point_rank(terms: NDArray[np.int64], numbers: TermNumbers) -> NDArray[np.int64]:
    """Place of each term among the given ones in code point order."""
    distinct, inverse = np.unique(terms, return_inverse=True)
    words = numbers.terms.some(distinct)
    rank = np.empty(len(words), dtype=np.int64)
    rank[sorted(range(len(words)), key=words.__getitem__)] = np.arange(len(words))
    return rank[inverse]
