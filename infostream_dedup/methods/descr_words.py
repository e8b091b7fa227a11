"""Descr Words: two documents are duplicates when the same support words are frequent in them (A9).

S. Ilyinsky, M. Kuzmin, A. Melkov, I. Segalovich: An efficient method to detect duplicates of Web documents with the use
of inverted index, WWW 2002, poster 187; its training as Yu. Zelenkov, I. Segalovich (RCDL 2007) tell it. Each support
word has a threshold of its own; bit i of a document is 1 when the frequency of word i, divided by that of the most
frequent word, exceeds the threshold. Equal vectors of bits make a pair.

Training. A threshold is good when few documents lie near it, for there a small edit flips the bit: it is put where the
fewest documents lie within Delta. In each round the least precise words are dropped (most documents near the threshold,
of those that hold the word), as long as the documents are still covered: at least one bit each.

The paper leaves open Delta, the number of rounds and how many words go; the defaults are ours. At least 1 % of a word's
documents must lie above its threshold. Documents without any bit would all be equal; they get no signature.

Example:
    >>> from infostream_dedup.methods import Texts, method
    >>> texts = Texts.of("мост мост мост река", "Мост, мост, мост! Река?", "река река река мост", "река мост")
    >>> method("descr-words").run(texts).pairs.as_list()
    [(0, 1, 1.0)]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import numpy as np

from infostream_dedup.features.chains import equal_pairs
from infostream_dedup.features.hashing import hash_sequences, hash_words
from infostream_dedup.features.rows import Rows
from infostream_dedup.features.word_counts import WordCounts
from infostream_dedup.methods.method import Method
from infostream_dedup.methods.pairs import Pairs, equal
from infostream_dedup.methods.registry import register
from infostream_dedup.methods.texts import Texts
from infostream_dedup.model.limits import Range

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["DescriptiveWords", "support_words", "thresholds"]


@register("descr-words")
@dataclass(frozen=True)
class DescriptiveWords(Method):
    """Which support words are frequent in a document.

    Attributes:
        steps: the range of the frequency is cut into this many steps; Delta is one of them, 2 to 100.
        rounds: rounds of training, 0 to 50.
        dropped: share of the words dropped in a round, 0.01 to 0.9.
        fewest: support words below which training stops, 1 to 10^6.
        coverage: share of the documents that must keep a bit, 0 to 1.
    """

    steps: Annotated[int, Range(2, 100)] = 20
    rounds: Annotated[int, Range(0, 50)] = 5
    dropped: Annotated[float, Range(0.01, 0.9)] = 0.3
    fewest: Annotated[int, Range(1, 10**6)] = 3000
    coverage: Annotated[float, Range(0.0, 1.0)] = 0.95

    def sign(self, texts: Texts) -> Rows:
        """Hash of the words whose bit is 1: one value."""
        counts = texts.counts
        level = _levels(counts, self.steps)
        threshold, near = thresholds(counts, level, self.steps)
        above = level > threshold[counts.tf.indices]
        kept = support_words(counts, above, near, self)
        bits = Rows(counts.tf.indptr.astype(np.int64), counts.tf.indices).chosen(above & kept[counts.tf.indices])
        hashes = hash_words(texts.significant.vocabulary)
        rows = [hashes[bits.row(document)] for document in range(len(bits))]
        values = [hash_sequences(list(row[:, None])) for row in rows if len(row)]
        indptr = np.concatenate(([0], np.cumsum(bits.sizes > 0))).astype(np.int64)
        return Rows(indptr, np.concatenate([np.zeros(0, dtype=np.uint64), *values]))

    def link(self, texts: Texts, signatures: Rows) -> Pairs:
        """Pairs of equal hashes."""
        del texts
        return equal(equal_pairs(signatures))


def _levels(counts: WordCounts, steps: int) -> NDArray[np.int64]:
    """The frequency of each entry as a step from 1 to ``steps``: the frequency exceeds t / steps when it is above t."""
    tf_max = counts.tf_max[counts.document_of]
    return np.asarray(-(-counts.tf.data.astype(np.int64) * steps // tf_max), dtype=np.int64)


def thresholds(
    counts: WordCounts, level: NDArray[np.int64], steps: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Best threshold of each word.

    Args:
        counts: words of the collection.
        level: int64 (entries of ``counts.tf``,), 1 to steps.
        steps: at least 2.

    Returns:
        int64 (vocabulary,): threshold 1 to steps - 1, the highest of equally good ones; ``steps``, which no document
        exceeds, where none is allowed. float64 (vocabulary,): share of the word's documents near it.
    """
    size = counts.tf.shape[1]
    cells = counts.tf.indices.astype(np.int64) * (steps + 1) + level
    histogram = np.bincount(cells, minlength=size * (steps + 1)).reshape(size, steps + 1).astype(np.int32)
    near = histogram[:, 1:-1] + histogram[:, 2:]
    above = np.cumsum(histogram[:, ::-1], axis=1)[:, ::-1][:, 2:]
    allowed = (above > 0) & (100 * above.astype(np.int64) >= counts.df[:, None])
    cost = np.where(allowed, near, np.iinfo(np.int32).max)
    # The highest, for with the lowest a bit would only say that the word is there.
    best = steps - 2 - np.argmin(cost[:, ::-1], axis=1)
    least = cost[np.arange(size), best]
    possible = least < np.iinfo(np.int32).max
    share = np.where(possible, least / np.maximum(counts.df, 1), 1.0)
    return np.where(possible, best + 1, steps).astype(np.int64), share


def support_words(
    counts: WordCounts, above: NDArray[np.bool_], near: NDArray[np.float64], chosen: DescriptiveWords
) -> NDArray[np.bool_]:
    """Words left after training.

    Args:
        counts: words of the collection.
        above: bool (entries of ``counts.tf``,), where a bit is 1.
        near: float64 (vocabulary,), share of the word's documents near its threshold.
        chosen: parameters.

    Returns:
        bool (vocabulary,).
    """
    useful = np.bincount(counts.tf.indices[above], minlength=len(near)) > 0
    words = np.flatnonzero(useful)
    # The most precise first; of equally precise words the more frequent, then the earlier in the alphabet.
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
