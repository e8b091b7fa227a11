"""Corpus statistics of one term space: how many documents, how many of them hold a term, how long they are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.model import LANGUAGES, Settings
from infostream_dedup.morphology.term_frequency import term_frequencies
from infostream_dedup.terms.counts import TermCounts

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "BACKGROUND_DOCUMENTS",
    "BACKGROUND_WORDS",
    "Statistics",
    "document_probability",
    "filled_up",
    "language_statistics",
    "statistics_of",
]

BACKGROUND_DOCUMENTS: Final = 2000
"""A collection of a language smaller than this is filled up with pseudo-documents."""

BACKGROUND_WORDS: Final = 250
"""Running words of a pseudo-document: about the length of a news item."""


@dataclass(frozen=True, slots=True)
class Statistics:
    """Statistics of the documents of one language, or of all documents in a pivot language.

    Attributes:
        documents: number of documents N, pseudo-documents included.
        df: float64 (terms,), documents that hold the term, pseudo-documents included.
        cf: int64 (terms,), occurrences of the term in the real documents.
        average_length: mean length of the real documents in terms; 1 where there are none.
    """

    documents: float
    df: NDArray[np.float64]
    cf: NDArray[np.int64]
    average_length: float


def statistics_of(counts: TermCounts, settings: Settings) -> list[Statistics]:
    """Statistics per language, in the order of ``LANGUAGES``."""
    return [_statistics(counts, number, settings) for number in range(len(LANGUAGES))]


def _statistics(counts: TermCounts, language: int, settings: Settings) -> Statistics:
    rows = counts.counts[counts.languages == language]
    df = np.bincount(rows.indices, minlength=len(counts.terms))
    cf = np.bincount(rows.indices, weights=rows.data, minlength=len(counts.terms)).astype(np.int64)
    return language_statistics(counts, language, df, cf, settings)


def language_statistics(
    counts: TermCounts, language: int, df: NDArray[np.int64], cf: NDArray[np.int64], settings: Settings
) -> Statistics:
    """Statistics of one language, filled up with the background.

    Args:
        counts: the documents as counts of terms.
        language: index into ``LANGUAGES``.
        df: int64 (terms,), documents of the language that hold each term.
        cf: int64 (terms,), occurrences of each term in them.
        settings: representation, background.
    """
    own = counts.languages == language

    def frequencies() -> Mapping[str, float]:
        return term_frequencies(LANGUAGES[language], settings.representation)

    return filled_up(counts.terms, df, cf, counts.lengths[own], frequencies if settings.background else None)


def filled_up(
    terms: Sequence[str],
    df: NDArray[np.int64],
    cf: NDArray[np.int64],
    lengths: NDArray[np.int64],
    background: Callable[[], Mapping[str, float]] | None,
) -> Statistics:
    """Statistics of documents, filled up with pseudo-documents where they are few.

    Args:
        terms: the terms.
        df: int64 (terms,), documents that hold each term.
        cf: int64 (terms,), occurrences of each term in them.
        lengths: int64 (documents,), terms of each document.
        background: gives the share of running words that each term makes up, asked only when there are too few
            documents; ``None`` for no pseudo-documents.
    """
    real = len(lengths)
    length = float(lengths.mean()) if real else 1.0
    blended = df.astype(np.float64)
    pseudo = max(0, BACKGROUND_DOCUMENTS - real) if background is not None and real else 0
    if pseudo and background is not None:
        blended += pseudo * document_probability(terms, background())
    return Statistics(float(real + pseudo), blended, cf, max(length, 1.0))


def document_probability(
    terms: Sequence[str], frequencies: Mapping[str, float], *, words: int = BACKGROUND_WORDS
) -> NDArray[np.float64]:
    """Probability that a pseudo-document holds each term.

    Args:
        terms: the terms.
        frequencies: share of running words that are the term, 0 to 1.
        words: running words L of a pseudo-document.

    Returns:
        float64 (terms,): 1 - (1 - f)^L for L running words drawn independently.
    """
    share = np.array([frequencies.get(term, 0.0) for term in terms], dtype=np.float64)
    return np.asarray(-np.expm1(words * np.log1p(-np.minimum(share, 0.999))), dtype=np.float64)
