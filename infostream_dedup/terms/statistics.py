"""Corpus statistics of one term space: number of documents, document frequencies and lengths."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from infostream_dedup.model import LANGUAGES, Settings
from infostream_dedup.terms.counts import TermCounts
from infostream_dedup.terms.representation import term_frequencies

if TYPE_CHECKING:
    from numpy.typing import NDArray


BACKGROUND_DOCUMENTS: Final = 2000
"""If a language has fewer documents than this, pseudo-documents are added."""

BACKGROUND_WORDS: Final = 250
"""Number of running words in a pseudo-document: about the length of a news item."""

Background = Callable[[], Mapping[str, float]]
"""Returns the share of running words that each term makes up; called only if needed."""


# Not frozen: a stream makes one for each document, and making a frozen one takes several times as long.
@dataclass(slots=True)
class Totals:
    """Integer totals over some documents; totals of disjoint sets of documents add up.

    Attributes:
        documents: number of documents.
        length: sum of their lengths in terms.
    """

    documents: int = 0
    length: int = 0

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
    """The number of documents that contain each term.

    Attributes:
        documents: number of documents, pseudo-documents included.
        df: float64 (terms,), documents that contain the term, pseudo-documents included.
    """

    documents: float
    df: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Statistics:
    """Statistics of the documents of one language, or of all documents in a pivot language.

    Attributes:
        documents: number of documents N, pseudo-documents included.
        df: float64 (terms,), documents that contain the term, pseudo-documents included.
        average_length: mean length of the documents in terms, at least 1.
        distinct: the frequencies among documents that do not repeat an earlier one, with their own pseudo-documents;
            ``None`` if no document is known to be a repeat. See ``bounded_idf`` for their use.
    """

    documents: float
    df: NDArray[np.float64]
    average_length: float
    distinct: DocumentFrequencies | None = None

    @property
    def counted(self) -> DocumentFrequencies:
        """The frequencies among all documents."""
        return DocumentFrequencies(self.documents, self.df)


def statistics_by_language(counts: TermCounts, df: NDArray[np.int64], settings: Settings) -> list[Statistics]:
    """Statistics of a collection per language, in the order of ``LANGUAGES``.

    Args:
        df: int64 (languages, terms), documents of each language that contain each term.
    """
    found = []
    for number, language in enumerate(LANGUAGES):
        own = counts.lengths[counts.languages == number]
        totals = Totals(len(own), int(own.sum()))
        background = partial(term_frequencies, language, settings.representation) if settings.background else None
        # A language that no document has needs no statistics, so its background is not loaded.
        found.append(filled_up(counts.terms, df[number], totals, background if len(own) else None))
    return found


def statistics_of_distinct(
    counts: TermCounts, statistics: Sequence[Statistics], settings: Settings, repeats: NDArray[np.bool_]
) -> list[Statistics]:
    """Add to statistics the frequencies among documents that do not repeat an earlier one.

    Args:
        repeats: bool (documents,), the documents that repeat earlier ones.
    """
    found = []
    for number, (language, one) in enumerate(zip(LANGUAGES, statistics, strict=True)):
        own = counts.languages == number
        if not np.any(own & repeats):
            found.append(one)
            continue
        distinct = own & ~repeats
        df = np.bincount(counts.counts[distinct].indices, minlength=len(counts.terms))
        totals = Totals(int(distinct.sum()), int(counts.lengths[distinct].sum()))
        background = partial(term_frequencies, language, settings.representation) if settings.background else None
        among = filled_up(counts.terms, df, totals, background)
        found.append(replace(one, distinct=DocumentFrequencies(among.documents, among.df)))
    return found


def filled_up(
    terms: Sequence[str], df: NDArray[np.integer], totals: Totals, background: Background | None
) -> Statistics:
    """Return the statistics of documents, with added pseudo-documents if there are few.

    Args:
        df: int (terms,), documents that contain each term.
        totals: number and length of the documents; without documents, the statistics are those of the background alone.
        background: share of running words that each term makes up; ``None`` for no pseudo-documents.
    """
    blended = df.astype(np.float64)
    pseudo = 0 if background is None else totals.pseudo_documents
    if pseudo and background is not None:
        blended += pseudo * document_probability(terms, background())
    return Statistics(float(totals.documents + pseudo), blended, totals.average_length(background))


def document_probability(
    terms: Sequence[str], frequencies: Mapping[str, float], *, words: int = BACKGROUND_WORDS
) -> NDArray[np.float64]:
    """Compute the probability that a pseudo-document contains each term.

    Returns:
        float64 (terms,): 1 - (1 - f)^L for L running words drawn independently.
    """
    share = np.array([frequencies.get(term, 0.0) for term in terms], dtype=np.float64)
    return np.asarray(-np.expm1(words * np.log1p(-np.minimum(share, 0.999))), dtype=np.float64)
