"""Frequencies of words in documents and in the collection, and the papers' weights.

Letters as in Zelenkov and Segalovich: N documents, tf frequency in the document, tf_max that of its most frequent word,
df documents with the word, cf occurrences in the collection, dl words of the document, dl_avg their mean.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from infostream_dedup.arrays import Ragged
from infostream_dedup.judging.features.words import Words
from infostream_dedup.terms.weighting import UNITS
from infostream_dedup.terms.weightings import bm25

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class WordCounts:
    """Frequency of each word in each document, in one space of words for the whole collection.

    Attributes:
        tf: int32 (documents, vocabulary), sorted indices, no explicit zeros.
        df: int64 (vocabulary,).
        cf: int64 (vocabulary,).
        dl: int64 (documents,).
    """

    tf: sp.csr_array
    df: NDArray[np.int64]
    cf: NDArray[np.int64]
    dl: NDArray[np.int64]

    @property
    def documents(self) -> int:
        """Number of documents (N)."""
        return len(self.dl)

    @property
    def document_of(self) -> NDArray[np.int64]:
        """Document of each entry of ``tf``: int64 (entries,)."""
        return np.repeat(np.arange(self.documents, dtype=np.int64), np.diff(self.tf.indptr))

    @property
    def tf_max(self) -> NDArray[np.int64]:
        """Frequency of the most frequent word of each document, 1 for an empty one: int64 (documents,)."""
        largest = np.ones(self.documents, dtype=np.int64)
        np.maximum.at(largest, self.document_of, self.tf.data)
        return largest

    def rows(self, weights: NDArray[Any]) -> sp.csr_array:
        """Make a matrix of weights, one for each entry of ``tf``."""
        return sp.csr_array((weights, self.tf.indices, self.tf.indptr), shape=self.tf.shape)


def count_words(words: Words) -> WordCounts:
    """Count the words of all documents."""
    rows: Ragged = words.rows
    shape = (len(rows), len(words.vocabulary))
    # Copies, because summing duplicates works in place.
    tf = sp.csr_array((np.ones(len(rows.values), dtype=np.int32), rows.values.copy(), rows.indptr.copy()), shape=shape)
    tf.sum_duplicates()
    df = np.bincount(tf.indices, minlength=shape[1]).astype(np.int64)
    cf = np.bincount(rows.values, minlength=shape[1]).astype(np.int64)
    return WordCounts(tf, df, cf, rows.sizes)


def tf_idf_weights(counts: WordCounts) -> NDArray[np.int64]:
    """Return TF * IDF of algorithm A2, in units of 1e-9.

    TF = tf / (2 (0.25 + 0.75 dl / dl_avg) + tf), IDF = ln((N - df + 0.5) / (df + 0.5)), which is below 0 for words in
    more than half of the documents.

    Returns:
        int64 (entries of ``counts.tf``,).
    """
    tf = counts.tf.data.astype(np.float64)
    dl_avg = max(float(counts.dl.mean()), 1.0) if counts.documents else 1.0
    dl = counts.dl[counts.document_of]
    idf = bm25.idf(counts.df.astype(np.float64), counts.documents)[counts.tf.indices]
    return in_units(tf / (2 * (0.25 + 0.75 * dl / dl_avg) + tf) * idf)


def weights_of_occurrences(counts: WordCounts, words: Words, weights: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the weight of each word occurrence.

    Args:
        weights: int64 (entries of ``counts.tf``,).

    Returns:
        int64 (words of all documents,).
    """
    size = len(words.vocabulary)
    entries = counts.document_of * size + counts.tf.indices
    return np.asarray(weights[np.searchsorted(entries, words.rows.numbers * size + words.rows.values)], dtype=np.int64)


def normalised_idf(df: NDArray[np.int64], documents: int) -> NDArray[np.float64]:
    """Return ln((N + 1) / df) / ln(N + 1): 1 for a word of one document, near 0 for a word of all (SpotSigs).

    Args:
        df: int64; 0 gives 1 as well.
        documents: N, at least 1.
    """
    return np.asarray(1 - np.log(np.maximum(df, 1)) / np.log(documents + 1), dtype=np.float64)


def in_units(weights: NDArray[np.float64]) -> NDArray[np.int64]:
    """Round weights to whole numbers of 1e-9, so that equal weights are equal on every machine."""
    return np.rint(weights * UNITS).astype(np.int64)
