"""Bags of words as vectors of BM25 weights, for bodies and, with separate statistics, for titles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import scipy.sparse as sp

from infostream_dedup.criteria.background_statistics import TITLE_WORDS, background_statistics
from infostream_dedup.model import LANGUAGES, Language, Settings
from infostream_dedup.terms.counts import TermCounts, count_terms
from infostream_dedup.terms.statistics import Statistics, statistics_of
from infostream_dedup.terms.surfaces import SurfaceCounter
from infostream_dedup.terms.weights import bm25_idf, weigh

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["WORDS", "WordVectors", "occurrence_weights", "title_vectors", "word_vectors"]

WORDS: Final = Settings(representation="stem", df_min=1)
"""Every word except stop words counts, as its stem, even one that only a single document has, because it distinguishes
that document. A word in more than half of the documents weighs nothing."""

_OF_ANY_WORD: Final = Settings(representation="stem", df_min=0)
"""For background statistics, which contain only common words; the others are rare."""


@dataclass(frozen=True, slots=True, eq=False)
class WordVectors:
    """Weighted words of each document.

    Attributes:
        weights: float64 (documents, words), BM25, not negative.
        unit: float64 (documents, words), the same vectors scaled to length 1; a zero vector remains 0.
        sizes: int64 (documents,), number of words of each document with repetition, without stop words.
    """

    weights: sp.csr_array
    unit: sp.csr_array
    sizes: NDArray[np.int64]

    def cosine(self, i: NDArray[np.int64], j: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the cosine of the vectors of i and j (Andreev et al., equation 5).

        Args:
            i: int64 (pairs,), ordinals of the first documents.
            j: int64 (pairs,), ordinals of the second documents.

        Returns:
            float64 (pairs,), 0 to 1; 0 if either is a zero vector.
        """
        products = self.unit[i].multiply(self.unit[j]).sum(axis=1)
        # Rounded so that equal texts have exactly 1 in any order of summation.
        return np.clip(np.round(np.asarray(products, dtype=np.float64), 12), 0, 1)


def word_vectors(counts: TermCounts, given: list[Statistics] | None = None) -> tuple[WordVectors, list[Statistics]]:
    """Make BM25 vectors of documents, and return the statistics used for weighting.

    Args:
        counts: words of each document.
        given: statistics for weighting, in the order of ``LANGUAGES``; by default those of the documents themselves.
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


def title_vectors(titles: list[str], languages: list[Language], *, background: bool = False) -> WordVectors:
    """Make BM25 vectors of titles, whose words are weighted by the number of titles, not bodies, that contain them.

    Args:
        titles: title of each document; empty if missing.
        languages: language of each title.
        background: whether to weight by general language instead of by these titles.
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
    """Return the total weight of the words of each row, counting every occurrence by its IDF, at least 0.

    Args:
        counts: counts of sentences or paragraphs, in the word space of the statistics.
        statistics: statistics of the documents by language.
    """
    weights = np.zeros(counts.counts.shape[0])
    for number in range(len(LANGUAGES)):
        rows = np.flatnonzero(counts.languages == number)
        if len(rows):
            idf = np.maximum(bm25_idf(statistics[number].df, statistics[number].documents), 0)
            weights[rows] = counts.counts[rows] @ idf
    return weights
