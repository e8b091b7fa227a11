"""BM25 vectors of bodies and, with their own statistics, of titles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import scipy.sparse as sp

from infostream_dedup.judging.criteria.background_statistics import TITLE_WORDS, background_statistics
from infostream_dedup.model import LANGUAGES, Settings
from infostream_dedup.terms.counts import TermCounts
from infostream_dedup.terms.plain import SurfaceCounter, count_terms, statistics_of
from infostream_dedup.terms.statistics import Statistics
from infostream_dedup.terms.weighting import weigh
from infostream_dedup.terms.weightings import bm25

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["WORDS", "WordVectors", "occurrence_weights", "title_vectors", "word_vectors"]

WORDS: Final = Settings(representation="stem", df_min=1)
"""All words except stop words count, as stems, even those of a single document, because they distinguish it. A word in
more than half of the documents has no weight."""

_OF_ANY_WORD: Final = Settings(representation="stem", df_min=0)
"""The background knows only common words; other words count as rare."""


@dataclass(frozen=True, slots=True, eq=False)
class WordVectors:
    """Weighted words of each document.

    Attributes:
        weights: float64 (documents, words), BM25, not negative.
        unit: the vectors scaled to norm 1; rows of zeros stay.
        sizes: int64 (documents,), number of words with repetition, without stop words.
    """

    weights: sp.csr_array
    unit: sp.csr_array
    sizes: NDArray[np.int64]

    def cosine(self, i: NDArray[np.int64], j: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the cosine of the vectors of i and j (Andreev et al., equation 5).

        Returns:
            float64 (pairs,), 0 to 1; 0 if either is a zero vector.
        """
        products = self.unit[i].multiply(self.unit[j]).sum(axis=1)
        # Rounding gives equal texts exactly 1, whatever the order of summation.
        return np.clip(np.round(np.asarray(products, dtype=np.float64), 12), 0, 1)


def word_vectors(counts: TermCounts, given: list[Statistics] | None = None) -> tuple[WordVectors, list[Statistics]]:
    """Make BM25 vectors of documents; also return the statistics from which the weights come.

    Args:
        counts: words of each document.
        given: statistics for the weights, in the order of ``LANGUAGES``; by default those of the documents.
    """
    statistics = statistics_of(counts, WORDS) if given is None else given
    weights = weigh(counts, statistics, WORDS if given is None else _OF_ANY_WORD).astype(np.float64)
    weights.eliminate_zeros()
    lengths = np.sqrt(np.asarray(weights.multiply(weights).sum(axis=1), dtype=np.float64))
    scale = np.divide(1.0, lengths, out=np.zeros(len(lengths)), where=lengths > 0)
    unit = sp.csr_array(
        (weights.data * np.repeat(scale, np.diff(weights.indptr)), weights.indices, weights.indptr), shape=weights.shape
    )
    return WordVectors(weights, unit, counts.lengths), statistics


def title_vectors(titles: list[str], languages: list[str], *, background: bool = False) -> WordVectors:
    """Make BM25 vectors of titles, weighted by the frequency of words in titles, not in bodies.

    Args:
        titles: titles, empty if missing.
        languages: language of each.
        background: weight words by the general language instead of these titles.
    """
    counter = SurfaceCounter()
    for title, language in zip(titles, languages, strict=True):
        counter.add(title, language)
    counts = count_terms(counter.finish(), WORDS)
    given = (
        background_statistics(counts.terms, languages, WORDS.representation, words=TITLE_WORDS) if background else None
    )
    return word_vectors(counts, given)[0]


def occurrence_weights(counts: TermCounts, statistics: list[Statistics]) -> NDArray[np.float64]:
    """Sum the weights of all word occurrences of each row; a word's weight is its IDF, at least 0.

    Args:
        counts: words of sentences or paragraphs, in the word space of the statistics.
        statistics: statistics of the documents, one per language.
    """
    weights = np.zeros(counts.counts.shape[0])
    for number in range(len(LANGUAGES)):
        rows = np.flatnonzero(counts.languages == number)
        if len(rows):
            idf = np.maximum(bm25.idf(statistics[number].df, statistics[number].documents), 0)
            weights[rows] = counts.counts[rows] @ idf
    return weights
