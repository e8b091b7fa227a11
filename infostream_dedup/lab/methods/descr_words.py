"""Descr Words: two documents are duplicates if the same support words are frequent in both (A9).

S. Ilyinsky, M. Kuzmin, A. Melkov, I. Segalovich: An efficient method to detect duplicates of Web documents with the use
of inverted index, WWW 2002, poster 187; its training as described by Yu. Zelenkov, I. Segalovich (RCDL 2007). Each
support word has its own threshold; bit i of a document is 1 if the frequency of word i, divided by that of the most
frequent word, exceeds the threshold. Documents with equal bit vectors form a pair.

Training. A threshold is good if few documents are near it, since there a small edit flips the bit: it is placed where
the fewest documents are within Delta. Each round drops the least precise words (those with the largest share of their
documents near the threshold), as long as the documents remain covered with at least one bit each.

The paper does not specify Delta, the number of rounds and the number of words dropped; the defaults are ours. At least
1 % of a word's documents must be above its threshold. Documents without any bit would all be equal; they get no
signature.

Example:
    >>> from infostream_dedup.lab.methods import Texts, method
    >>> texts = Texts.of("мост мост мост река", "Мост, мост, мост! Река?", "река река река мост", "река мост")
    >>> method("descr-words").run(texts).pairs.as_list()
    [(0, 1, 1.0)]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import numpy as np

from infostream_dedup.judging.features.hashing import hash_sequences, hash_words
from infostream_dedup.judging.features.rows import Rows
from infostream_dedup.judging.features.word_counts import WordCounts
from infostream_dedup.lab.methods.method import Method
from infostream_dedup.lab.methods.registry import register
from infostream_dedup.lab.methods.texts import Texts
from infostream_dedup.model.limits import Range

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["DescriptiveWords", "support_words", "thresholds"]


@register("descr-words")
@dataclass(frozen=True)
class DescriptiveWords(Method):
    """Describes a document by the support words that are frequent in it.

    Attributes:
        steps: number of steps into which the frequency range is divided, 2 to 100; Delta is one step.
        rounds: number of training rounds, 0 to 50.
        dropped: share of the words dropped in each round, 0.01 to 0.9.
        fewest: number of support words that training keeps at least, 1 to 10^6.
        coverage: share of the documents that must keep at least one bit, 0 to 1.
    """

    steps: Annotated[int, Range(2, 100)] = 20
    rounds: Annotated[int, Range(0, 50)] = 5
    dropped: Annotated[float, Range(0.01, 0.9)] = 0.3
    fewest: Annotated[int, Range(1, 10**6)] = 3000
    coverage: Annotated[float, Range(0.0, 1.0)] = 0.95

    def sign(self, texts: Texts) -> Rows:
        """Return one hash of the words whose bit is 1 for each document."""
        counts = texts.counts
        level = _quantise(counts, self.steps)
        threshold, near = thresholds(counts, level, self.steps)
        above = level > threshold[counts.tf.indices]
        kept = support_words(counts, above, near, self)
        bits = Rows(counts.tf.indptr.astype(np.int64), counts.tf.indices).chosen(above & kept[counts.tf.indices])
        hashes = hash_words(texts.significant.vocabulary)
        rows = [hashes[bits.row(document)] for document in range(len(bits))]
        values = [hash_sequences(list(row[:, None])) for row in rows if len(row)]
        indptr = np.concatenate(([0], np.cumsum(bits.sizes > 0))).astype(np.int64)
        return Rows(indptr, np.concatenate([np.zeros(0, dtype=np.uint64), *values]))


def _quantise(counts: WordCounts, steps: int) -> NDArray[np.int64]:
    """Return each entry's frequency as a step, 1 to ``steps``: a step above t means a frequency above t / steps."""
    tf_max = counts.tf_max[counts.document_of]
    return np.asarray(-(-counts.tf.data.astype(np.int64) * steps // tf_max), dtype=np.int64)


def thresholds(
    counts: WordCounts, level: NDArray[np.int64], steps: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Find the best threshold of each word.

    Args:
        counts: words of the collection.
        level: int64 (entries of ``counts.tf``,), frequency of each entry as a step, 1 to steps.
        steps: number of steps, at least 2.

    Returns:
        int64 (vocabulary,), threshold 1 to steps - 1, the highest of equally good ones, or ``steps``, which no document
        exceeds, if no threshold is allowed; and float64 (vocabulary,), share of the word's documents near it.
    """
    size = counts.tf.shape[1]
    cells = counts.tf.indices.astype(np.int64) * (steps + 1) + level
    histogram = np.bincount(cells, minlength=size * (steps + 1)).reshape(size, steps + 1).astype(np.int32)
    near = histogram[:, 1:-1] + histogram[:, 2:]
    above = np.cumsum(histogram[:, ::-1], axis=1)[:, ::-1][:, 2:]
    allowed = (above > 0) & (100 * above.astype(np.int64) >= counts.df[:, None])
    cost = np.where(allowed, near, np.iinfo(np.int32).max)
    # Take the highest: with the lowest, a bit would only say that the word occurs.
    best = steps - 2 - np.argmin(cost[:, ::-1], axis=1)
    least = cost[np.arange(size), best]
    possible = least < np.iinfo(np.int32).max
    share = np.where(possible, least / np.maximum(counts.df, 1), 1.0)
    return np.where(possible, best + 1, steps).astype(np.int64), share


def support_words(
    counts: WordCounts, above: NDArray[np.bool_], near: NDArray[np.float64], chosen: DescriptiveWords
) -> NDArray[np.bool_]:
    """Train and return the words that remain.

    Args:
        counts: words of the collection.
        above: bool (entries of ``counts.tf``,), whether the bit is 1.
        near: float64 (vocabulary,), share of the word's documents near its threshold.
        chosen: the method with its parameters.

    Returns:
        bool (vocabulary,), whether the word is a support word.
    """
    useful = np.bincount(counts.tf.indices[above], minlength=len(near)) > 0
    words = np.flatnonzero(useful)
    # The most precise words first; ties go to the more frequent word, then to the first in the alphabet.
    words = words[np.lexsort((words, -counts.df[words], np.round(near[words], 9)))]
    document = counts.document_of[above]
    word = counts.tf.indices[above]
    needed = chosen.coverage * len(np.unique(document))
    kept = useful
    for _ in range(chosen.rounds):
        words = words[: max(len(words) - int(chosen.dropped * len(words)), chosen.fewest)]
        fewer = np.zeros(len(near), dtype=np.bool_)
        fewer[words] = True
        if len(np.unique(document[fewer[word]])) < needed:
            break
        kept = fewer
    return kept
