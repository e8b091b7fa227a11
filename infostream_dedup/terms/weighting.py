"""Weightings, how they are found, and how they weight the terms of documents.

A weighting is one file in ``terms/weightings/``; its name in the settings is the name of the file. The file contains
the three functions of the protocol ``Weighting``, used for collections, streams and backgrounds alike. They use numpy
arithmetic on whole arrays, so that every stage gets the same bits; logarithms of two compilers may differ.

Letters as in the papers: f frequency of the term in the document, l_d length of the document, l_avg mean length,
N documents, df documents that contain the term.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Final, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.model import Settings
from infostream_dedup.model.settings import WEIGHTINGS
from infostream_dedup.terms.statistics import DocumentFrequencies, Statistics, TermCounts

if TYPE_CHECKING:
    import scipy.sparse as sp


UNITS: Final = 10**9
"""Weights are integers in units of 1e-9: sums are exact in any order, and ranks are those of weights rounded to 9
decimals."""


class Weighting(Protocol):
    """The functions of a weighting; arrays are float64 and of equal length."""

    def idf(self, df: NDArray[np.float64], documents: float) -> NDArray[np.float64]:
        """Return the factor of each term that depends on the collection."""

    def norm(
        self, lengths: NDArray[np.float64], average: NDArray[np.float64] | float, settings: Settings
    ) -> NDArray[np.float64]:
        """Return the factor of each document."""

    def weight(
        self, f: NDArray[np.float64], idf: NDArray[np.float64], norm: NDArray[np.float64], settings: Settings
    ) -> NDArray[np.float64]:
        """Return the weight of each occurring term in its document; 0 where ``idf`` is 0, below 2^53 / 1e9."""


@cache
def weighting(name: str) -> Weighting:
    """Return the weighting with a given name."""
    if name not in WEIGHTINGS:
        raise ConfigurationError(f"weighting is {name!r}; expected one of {', '.join(WEIGHTINGS)}")
    return cast("Weighting", import_module(f"infostream_dedup.terms.weightings.{name}"))


def bounded_idf(
    counted: DocumentFrequencies, settings: Settings, distinct: DocumentFrequencies | None = None
) -> NDArray[np.float64]:
    """Return the idf of terms, 0 outside ``df_min`` .. ``df_max``: float64 (terms,).

    A term above ``df_max`` only because documents repeat each other has the idf of the distinct documents, or a story
    that fills a feed would lose its key terms.
    """
    idf, (documents, df) = weighting(settings.weighting).idf, counted
    above = above_df_max(counted, settings)
    taken = (df >= as_count(settings.df_min, documents)) & ~above
    found = np.zeros(len(df), dtype=np.float64)
    found[taken] = idf(df[taken], documents)
    if distinct is not None and above.any():
        kept = kept_despite_repeats(counted, settings, distinct)
        found[kept] = idf(distinct.df[kept], distinct.documents)
    return found


def above_df_max(counted: DocumentFrequencies, settings: Settings) -> NDArray[np.bool_]:
    """Find the terms that occur in more documents than ``df_max`` allows: bool (terms,)."""
    return np.asarray(counted.df > as_count(settings.df_max, counted.documents), dtype=np.bool_)


def kept_despite_repeats(
    counted: DocumentFrequencies, settings: Settings, distinct: DocumentFrequencies
) -> NDArray[np.bool_]:
    """Find the terms above ``df_max`` only because of repeats: bool (terms,); arguments as in ``bounded_idf``."""
    enough = counted.df >= as_count(settings.df_min, counted.documents)
    return enough & above_df_max(counted, settings) & ~above_df_max(distinct, settings)


def idf_table(statistics: list[Statistics], settings: Settings) -> NDArray[np.float64]:
    """Return ``bounded_idf`` of all terms, by the statistics of each language: float64 (languages, terms)."""
    return np.stack([bounded_idf(one.counted, settings, one.distinct) for one in statistics])


def document_norms(counts: TermCounts, statistics: list[Statistics], settings: Settings) -> NDArray[np.float64]:
    """Return the norm of each document by the statistics of its language: float64 (documents,)."""
    average = np.array([one.average_length for one in statistics], dtype=np.float64)
    lengths = counts.lengths.astype(np.float64)
    return weighting(settings.weighting).norm(lengths, average[counts.languages], settings)


def weigh(counts: TermCounts, statistics: list[Statistics], settings: Settings) -> sp.csr_array:
    """Weight of every term by the statistics of its document's language: int64, in units of 1e-9, where counts are."""
    import scipy.sparse as sp

    matrix = counts.counts
    row = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    idf = idf_table(statistics, settings)[counts.languages[row], matrix.indices]
    norm = document_norms(counts, statistics, settings)[row]
    value = weighting(settings.weighting).weight(matrix.data.astype(np.float64), idf, norm, settings)
    weights = np.maximum(np.rint(value * UNITS), 0).astype(np.int64)
    return sp.csr_array((weights, matrix.indices, matrix.indptr), shape=matrix.shape)


def as_count(bound: float, documents: float) -> float:
    """Convert a bound of document frequency to a number of documents; below 1, it is a share of them."""
    return bound * documents if bound < 1 else bound
