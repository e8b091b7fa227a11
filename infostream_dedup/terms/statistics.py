"""Corpus statistics of one term space, weightings, and how they weight the terms of documents.

A weighting is one file in ``terms/weightings/``; its name in the settings is the name of the file. The file contains
the three functions of the protocol ``Weighting``, used for collections, streams and backgrounds alike. They use numpy
arithmetic on whole arrays, so that every stage gets the same bits; logarithms of two compilers may differ.

Letters as in the papers: f frequency of the term in the document, l_d length of the document, l_avg mean length,
N documents, df documents that contain the term.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from infostream_dedup.language.text.surface_pool import SurfaceList
from infostream_dedup.machine.arrays import Bools, Floats, Ints, Uint8s, Uint64s
from infostream_dedup.model import Settings
from infostream_dedup.model.limits import OneOf
from infostream_dedup.model.settings import WEIGHTINGS
from infostream_dedup.terms.kernels import hash_terms

if TYPE_CHECKING:
    import scipy.sparse as sp


# Documents as counts of terms in one term space


def term_hashes(terms: SurfaceList) -> Uint64s:
    """Return both hashes of each term: uint64 (2, terms)."""
    found = np.empty((2, len(terms)), dtype=np.uint64)
    hash_terms(terms.pool, terms.starts, found)
    return found


@dataclass(frozen=True, slots=True)
class TermCounts:
    """How often each term occurs in each document."""

    # int32 (documents, terms), sorted indices, no explicit zeros; column `t` counts `terms[t]`. `uint8` or `uint16` in
    # compiled code that saves memory: it widens them again, since sums of them may overflow
    counts: sp.csr_array
    # distinct terms in code point order, so that the smaller number is the earlier term in every tie
    terms: Sequence[str]
    languages: Uint8s  # uint8 (documents,), index into `LANGUAGES`
    lengths: Ints  # int64 (documents,), terms of a document with repetition: the length |D| of BM25

    def of(self, documents: Ints) -> TermCounts:
        """Return the counts of some documents, given their ordinals, in this order."""
        return replace(
            self, counts=self.counts[documents], languages=self.languages[documents], lengths=self.lengths[documents]
        )


BACKGROUND_DOCUMENTS: Final = 2000  # if a language has fewer documents than this, pseudo-documents are added
BACKGROUND_WORDS: Final = 250  # number of running words in a pseudo-document: about the length of a news item

Background = Callable[[], Mapping[str, float]]
"""Returns the share of running words that each term makes up; called only if needed."""


# Not frozen: a stream makes one for each document, and making a frozen one takes several times as long.
@dataclass(slots=True)
class Totals:
    """Integer totals over some documents; totals of disjoint sets of documents add up."""

    documents: int = 0  # number of documents
    length: int = 0  # sum of their lengths in terms

    def __add__(self, other: Totals) -> Totals:
        return Totals(self.documents + other.documents, self.length + other.length)

    def __sub__(self, part: Totals) -> Totals:
        return Totals(self.documents - part.documents, self.length - part.length)

    @property
    def pseudo_documents(self) -> int:
        """Number of pseudo-documents that the background adds."""
        return max(0, BACKGROUND_DOCUMENTS - self.documents)

    def average_length(self, background: Background | None = None) -> float:
        """Return the mean length, at least 1; without documents, the length of a pseudo-document, or 1."""
        if self.documents:
            return max(self.length / self.documents, 1.0)
        return 1.0 if background is None else max(BACKGROUND_WORDS * sum(background().values()), 1.0)


class DocumentFrequencies(NamedTuple):
    """The number of documents that contain each term."""

    documents: float  # number of documents, pseudo-documents included
    df: Floats  # float64 (terms,), documents that contain the term, pseudo-documents included


@dataclass(frozen=True, slots=True)
class Statistics:
    """Statistics of the documents of one language, or of all documents in a pivot language."""

    documents: float  # number of documents N, pseudo-documents included
    df: Floats  # float64 (terms,), documents that contain the term, pseudo-documents included
    average_length: float  # mean length of the documents in terms, at least 1
    # the frequencies among documents that do not repeat an earlier one, with their own pseudo-documents; `None` if no
    # document is known to be a repeat. See `bounded_idf` for their use
    distinct: DocumentFrequencies | None = None

    @property
    def counted(self) -> DocumentFrequencies:
        """The frequencies among all documents."""
        return DocumentFrequencies(self.documents, self.df)


def filled_up(
    terms: Sequence[str], df: NDArray[np.integer], totals: Totals, background: Background | None
) -> Statistics:
    """Return the statistics of documents, with added pseudo-documents if there are few."""
    blended = df.astype(np.float64)
    pseudo = 0 if background is None else totals.pseudo_documents
    if pseudo and background is not None:
        blended += pseudo * document_probability(terms, background())
    return Statistics(float(totals.documents + pseudo), blended, totals.average_length(background))


def document_probability(terms: Sequence[str], shares: Mapping[str, float], *, words: int = BACKGROUND_WORDS) -> Floats:
    """Compute the probability that a pseudo-document contains each term."""
    share = np.array([shares.get(term, 0.0) for term in terms], dtype=np.float64)
    return np.asarray(-np.expm1(words * np.log1p(-np.minimum(share, 0.999))), dtype=np.float64)


# Weightings


UNITS: Final = 10**9
"""Weights are integers in units of 1e-9: sums are exact in any order, and ranks are those of weights rounded to 9
decimals."""


class Weighting(Protocol):
    """The functions of a weighting; arrays are float64 and of equal length."""

    def idf(self, df: Floats, documents: float) -> Floats:
        """Return the factor of each term that depends on the collection."""

    def norm(self, lengths: Floats, average: Floats | float, settings: Settings) -> Floats:
        """Return the factor of each document."""

    def weight(self, f: Floats, idf: Floats, norm: Floats, settings: Settings) -> Floats:
        """Return the weight of each occurring term in its document; 0 where ``idf`` is 0, below 2^53 / 1e9."""


@cache
def weighting(name: str) -> Weighting:
    """Return the weighting with a given name."""
    OneOf(*WEIGHTINGS).check("weighting", name)
    return cast("Weighting", import_module(f"infostream_dedup.terms.weightings.{name}"))


def bounded_idf(given: DocumentFrequencies, settings: Settings, distinct: DocumentFrequencies | None = None) -> Floats:
    """Return the idf of terms, 0 outside ``df_min`` .. ``df_max`` unless only repeats exceed it: float64 (terms,)."""
    idf, (documents, df) = weighting(settings.weighting).idf, given
    above = above_df_max(given, settings)
    taken = (df >= as_count(settings.df_min, documents)) & ~above
    found = np.zeros(len(df), dtype=np.float64)
    found[taken] = idf(df[taken], documents)
    if distinct is not None and above.any():
        kept = kept_despite_repeats(given, settings, distinct)
        found[kept] = idf(distinct.df[kept], distinct.documents)
    return found


def above_df_max(counted: DocumentFrequencies, settings: Settings) -> Bools:
    """Find the terms that occur in more documents than ``df_max`` allows: bool (terms,)."""
    return np.asarray(counted.df > as_count(settings.df_max, counted.documents), dtype=np.bool_)


def kept_despite_repeats(counted: DocumentFrequencies, settings: Settings, distinct: DocumentFrequencies) -> Bools:
    """Find the terms above ``df_max`` only because of repeats: bool (terms,); arguments as in ``bounded_idf``."""
    enough = counted.df >= as_count(settings.df_min, counted.documents)
    return enough & above_df_max(counted, settings) & ~above_df_max(distinct, settings)


def idf_table(statistics: list[Statistics], settings: Settings) -> Floats:
    """Return ``bounded_idf`` of all terms, by the statistics of each language: float64 (languages, terms)."""
    return np.stack([bounded_idf(one.counted, settings, one.distinct) for one in statistics])


def document_norms(counts: TermCounts, statistics: list[Statistics], settings: Settings) -> Floats:
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
