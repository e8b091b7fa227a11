"""Documents with the same few leading words: the six words of Zelenkov and Segalovich under four weights."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import numpy as np

from infostream_dedup.judging.features.fingerprints import WordCounts, in_units, tf_idf_weights
from infostream_dedup.judging.features.sentences import fingerprints_of_words, leading_words
from infostream_dedup.lab.methods.method import Method, Texts
from infostream_dedup.lab.methods.registry import register
from infostream_dedup.model.limits import OneOf, Range

if TYPE_CHECKING:
    import scipy.sparse as sp
    from numpy.typing import NDArray

    from infostream_dedup.arrays import Ragged


@dataclass(frozen=True)
class _LeadingWords(Method):
    """Compares one fingerprint of each document's heaviest words.

    Attributes:
        words: number of words kept, 1 to 100.
        bits: 32 for CRC32 as in the paper, 64 to avoid chance collisions.
    """

    words: Annotated[int, Range(1, 100)] = 6
    bits: Annotated[int, OneOf(32, 64)] = 32

    @abstractmethod
    def _weigh(self, texts: Texts) -> sp.csr_array:
        """Return the weight of each word of each document."""

    def sign(self, texts: Texts) -> Ragged:
        """Return one fingerprint of the heaviest words for each document."""
        return fingerprints_of_words(
            leading_words(self._weigh(texts), self.words), texts.significant.vocabulary, self.bits
        )


@register("tf")
@dataclass(frozen=True)
class TermFrequency(_LeadingWords):
    """TF: two documents are duplicates if their six most frequent words are the same (A1).

    Yu. Zelenkov, I. Segalovich: Comparative analysis of methods for finding duplicates of Web documents (in Russian),
    RCDL 2007. The words are sorted, joined and hashed by CRC32; the paper names no separator, so we use a blank.
    Equally frequent words are taken in alphabetical order.

    Example:
        >>> from infostream_dedup.lab.methods import Texts, method
        >>> texts = Texts.of("Мэр открыл мост. Новый мост", "Новый мост! Мэр открыл мост.", "Мост закрыт мэром")
        >>> method("tf", words=2).run(texts).pairs.as_list()
        [(0, 1, 1.0)]
    """

    def _weigh(self, texts: Texts) -> sp.csr_array:
        return texts.counts.tf


@register("tf-idf")
@dataclass(frozen=True)
class TfIdf(_LeadingWords):
    """TF*IDF: two documents are duplicates if their six words with the highest TF * IDF are the same (A2).

    Yu. Zelenkov, I. Segalovich: Comparative analysis of methods for finding duplicates of Web documents (in Russian),
    RCDL 2007. The weight is Okapi BM25 with k1 = 2, b = 0.75, up to a constant factor. Words are sorted, joined by
    blanks and hashed by CRC32; words of equal weight are taken in alphabetical order.

    Example:
        >>> from infostream_dedup.lab.methods import Texts, method
        >>> texts = Texts.of("Мэр Киева открыл новый мост", "Новый мост открыл мэр Киева", "Погода испортилась")
        >>> method("tf-idf").run(texts).pairs.as_list()
        [(0, 1, 1.0)]
    """

    def _weigh(self, texts: Texts) -> sp.csr_array:
        return texts.counts.rows(tf_idf_weights(texts.counts))


@register("tf-ridf")
@dataclass(frozen=True)
class TfResidualIdf(_LeadingWords):
    """TF*RIDF: two documents are duplicates if their six words with the highest TF * residual IDF are the same (A3).

    Yu. Zelenkov, I. Segalovich: Comparative analysis of methods for finding duplicates of Web documents (in Russian),
    RCDL 2007. Residual IDF measures in how many fewer documents a word occurs than expected by chance: K. Church, W.
    Gale: Inverse document frequency (IDF): a measure of deviations from Poisson, 1995. It is negative for words spread
    more evenly than by chance; the sign is kept.

    Example:
        >>> from infostream_dedup.lab.methods import Texts, method
        >>> texts = Texts.of("Мэр Киева открыл новый мост", "Новый мост открыл мэр Киева", "Погода испортилась")
        >>> method("tf-ridf").run(texts).pairs.as_list()
        [(0, 1, 1.0)]
    """

    def _weigh(self, texts: Texts) -> sp.csr_array:
        return texts.counts.rows(residual_weights(texts.counts))


def residual_weights(counts: WordCounts) -> NDArray[np.int64]:
    """Return (0.5 + 0.5 tf / tf_max) * (-ln(df / N) + ln(1 - exp(-cf / N)))."""
    tf = 0.5 + 0.5 * counts.tf.data / counts.tf_max[counts.document_of]
    word = counts.tf.indices
    rate = counts.cf[word] / counts.documents
    ridf = -np.log(counts.df[word] / counts.documents) + np.log(-np.expm1(-rate))
    return in_units(tf * ridf)


@register("opt-freq")
@dataclass(frozen=True)
class OptimalFrequency(_LeadingWords):
    """Opt Freq: TF*IDF that gives most weight to words of one frequency, 10 in a million documents (A10).

    Yu. Zelenkov, I. Segalovich: Comparative analysis of methods for finding duplicates of Web documents (in Russian),
    RCDL 2007. The optimal frequency is due to M. Maslov (Yandex). IDF grows as a square root up to c and then falls as
    a hyperbola. In a collection of fewer than e^c = 98,700 documents no word is that rare, so that the weight is merely
    a flatter IDF; a smaller c brings the optimum within reach.

    Attributes:
        c: IDF of the optimal frequency, 0.1 to 50: -ln(10 / 10^6) = 11.5 in the paper.

    Example:
        >>> from infostream_dedup.lab.methods import Texts, method
        >>> texts = Texts.of("Мэр Киева открыл новый мост", "Новый мост открыл мэр Киева", "Погода испортилась")
        >>> method("opt-freq").run(texts).pairs.as_list()
        [(0, 1, 1.0)]
    """

    c: Annotated[float, Range(0.1, 50.0)] = 11.5

    def _weigh(self, texts: Texts) -> sp.csr_array:
        return texts.counts.rows(optimal_weights(texts.counts, self.c))


def optimal_weights(counts: WordCounts, c: float) -> NDArray[np.int64]:
    """Return (0.5 + 0.5 tf / tf_max) * IDFopt, where IDFopt is sqrt(IDF / c) below c and c / IDF otherwise."""
    tf = 0.5 + 0.5 * counts.tf.data / counts.tf_max[counts.document_of]
    idf = -np.log(counts.df[counts.tf.indices] / counts.documents)
    optimal = np.where(idf < c, np.sqrt(np.maximum(idf, 0.0) / c), c / np.maximum(idf, c))
    return in_units(tf * optimal)
