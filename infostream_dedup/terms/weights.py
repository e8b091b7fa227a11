"""Weights of the terms of a document.

Letters as in the papers: f frequency of the term in the document, l_d length of the document, l_avg mean length,
N documents, df documents that hold the term, k1 saturation, b length normalisation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import scipy.sparse as sp

from infostream_dedup.model import LANGUAGES, Settings
from infostream_dedup.terms.counts import TermCounts
from infostream_dedup.terms.statistics import Statistics

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["UNITS", "as_count", "bm25", "bm25_idf", "tf_idf", "weigh"]

UNITS: Final = 10**9
"""Weights are whole numbers of 1e-9: sums are exact in any order, and ranking equals rounding to 9 decimals."""


def bm25_idf(df: NDArray[np.float64], documents: float) -> NDArray[np.float64]:
    """ln((N - df + 0.5) / (df + 0.5)), below 0 for terms in more than half of the documents (Lande, section 2)."""
    return np.asarray(np.log((documents - df + 0.5) / (df + 0.5)), dtype=np.float64)


def bm25(
    f: NDArray[np.float64],
    idf: NDArray[np.float64],
    l_d: NDArray[np.float64],
    *,
    l_avg: float,
    k1: float = 2.0,
    b: float = 0.75,
) -> NDArray[np.float64]:
    """One summand of Okapi BM25 for each occurrence list: IDF * f (k1 + 1) / (f + k1 (1 - b + b l_d / l_avg)).

    Args:
        f: frequency of the term in its document, at least 1.
        idf: inverse document frequency of the term.
        l_d: length of the document the term stands in.
        l_avg: mean length of the documents.
        k1: saturation.
        b: length normalisation.

    Returns:
        Array of the same length as ``f``.
    """
    return idf * f * (k1 + 1) / (f + k1 * (1 - b + b * l_d / l_avg))


def tf_idf(f: NDArray[np.float64], df: NDArray[np.float64], documents: float) -> NDArray[np.float64]:
    """F * ln(N / df): the standard way of the paper, which leaves the form open (Lande, reference 10)."""
    return np.asarray(f * np.log(documents / df), dtype=np.float64)


def weigh(counts: TermCounts, statistics: list[Statistics], settings: Settings) -> sp.csr_array:
    """Weight of every term of every document by the statistics of the document's language.

    Returns:
        int64 (documents, terms) in units of 1e-9; the same pattern as ``counts.counts``. Terms outside of
        ``df_min`` .. ``df_max`` and terms whose weight is not positive are 0 (kept as explicit zeros).
    """
    matrix = counts.counts
    row = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    language = counts.languages[row]
    weights = np.zeros(matrix.nnz, dtype=np.int64)
    for number in range(len(LANGUAGES)):
        here = language == number
        if here.any():
            f = matrix.data[here].astype(np.float64)
            weights[here] = _language_weights(
                f, matrix.indices[here], counts.lengths[row[here]], statistics[number], settings
            )
    return sp.csr_array((weights, matrix.indices, matrix.indptr), shape=matrix.shape)


def _language_weights(
    f: NDArray[np.float64],
    term: NDArray[np.int32],
    length: NDArray[np.int64],
    statistics: Statistics,
    settings: Settings,
) -> NDArray[np.int64]:
    df = statistics.df[term]
    if settings.weighting == "bm25":
        idf = bm25_idf(df, statistics.documents)
        value = bm25(f, idf, length.astype(np.float64), l_avg=statistics.average_length, k1=settings.k1, b=settings.b)
    else:
        value = tf_idf(f, df, statistics.documents)
    low = as_count(settings.df_min, statistics.documents)
    high = as_count(settings.df_max, statistics.documents)
    value = np.where((df >= low) & (df <= high), value, 0.0)
    return np.maximum(np.rint(value * UNITS), 0).astype(np.int64)


def as_count(bound: float, documents: float) -> float:
    """A bound of document frequency as a number of documents; below 1 it is a share of all."""
    return bound * documents if bound < 1 else bound
