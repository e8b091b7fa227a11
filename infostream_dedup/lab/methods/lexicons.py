"""Documents with the same words of a lexicon."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import numpy as np

from infostream_dedup.arrays import Ragged, offsets_of
from infostream_dedup.judging.features.fingerprints import (
    WordCounts,
    lexicon_fingerprints,
    middle_lexicon,
    random_lexicons,
    split_lexicons,
)
from infostream_dedup.judging.features.words import hash_sequences, hash_words
from infostream_dedup.lab.methods.method import Method, Pairs, Texts, sharing_pairs
from infostream_dedup.lab.methods.registry import register
from infostream_dedup.model.limits import Range

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class _LexiconFingerprints(Method):
    """Compares fingerprints, one by each lexicon."""

    def link(self, texts: Texts, signatures: Ragged) -> Pairs:
        """Return pairs with a common fingerprint; the score is the share of those that both could have in common."""
        del texts
        return sharing_pairs(signatures)


@register("i-match")
@dataclass(frozen=True)
class IMatch(_LexiconFingerprints):
    """I-Match: two documents are duplicates if they have the same words of medium IDF.

    A. Chowdhury, O. Frieder, D. Grossman, M. McCabe: Collection statistics for fast duplicate document detection, ACM
    TOIS 20(2), 2002. The distinct words within the IDF bounds are sorted and hashed by SHA-1, here truncated to 64
    bits; the bounds and the minimum number of words are those of the SpotSigs authors' code.

    With more than one list it is the variant of W. Pugh, M. Henzinger: Detecting duplicate and near-duplicate files, US
    patent 6,658,423, 2003: words are assigned to lists by hash, each list has its own fingerprint, and one common
    fingerprint makes a pair.

    Attributes:
        lists: number of parts of the lexicon, 1 to 64; 1 is I-Match itself.
        idf_low: minimum normalised IDF of the lexicon, 0 to 1.
        idf_high: maximum normalised IDF of the lexicon, 0 to 1.
        least_words: number of distinct words of a part that a document needs for a fingerprint, 1 to 100.

    Example:
        >>> from infostream_dedup.lab.methods import Texts, method
        >>> story = "Мэр города торжественно открыл новый мост через реку, движение начнется завтра утром"
        >>> texts = Texts.of(story, f"{story}, сообщила пресс-служба", "Мост закрыт")
        >>> method("i-match").run(texts).pairs.as_list()
        [(0, 1, 1.0)]
    """

    lists: Annotated[int, Range(1, 64)] = 1
    idf_low: Annotated[float, Range(0.0, 1.0)] = 0.2
    idf_high: Annotated[float, Range(0.0, 1.0)] = 0.85
    least_words: Annotated[int, Range(1, 100)] = 4

    def sign(self, texts: Texts) -> Ragged:
        """Return at most one fingerprint per list for each document."""
        vocabulary = texts.significant.vocabulary
        lexicon = middle_lexicon(texts.counts, self.idf_low, self.idf_high)
        lexicons = split_lexicons(lexicon, vocabulary, self.lists)
        return lexicon_fingerprints(texts.counts, vocabulary, lexicons, self.least_words)


@register("lex-rand")
@dataclass(frozen=True)
class LexiconRandomization(_LexiconFingerprints):
    """Lex Rand: I-Match with several random lexicons; one equal fingerprint makes a pair (A7).

    A. Kołcz, A. Chowdhury, J. Alspector: Improved robustness of signature-based near-replica detection via lexicon
    randomization, KDD 2004; in the form of Yu. Zelenkov, I. Segalovich (RCDL 2007). From the lexicon of words of medium
    IDF K further lexicons are made, each without a random third of the words. If n words of a document change, some
    fingerprint still agrees with probability 1 - (1 - p^n)^K.

    The papers do not specify the IDF bounds and the minimum number of words; the defaults are those of the SpotSigs
    authors' I-Match: normalised IDF ln((N + 1) / df) / ln(N + 1) from 0.2 to 0.85, 4 words. SHA-1 is truncated to 64
    bits. Which words a lexicon lacks depends on a hash of the word, not on the collection.

    Attributes:
        k: number of random lexicons besides the whole one (K in the paper), 0 to 100.
        p: share of the words that each random lexicon lacks, 0.01 to 0.99.
        idf_low: minimum normalised IDF of the lexicon, 0 to 1.
        idf_high: maximum normalised IDF of the lexicon, 0 to 1.
        least_words: number of distinct words of a lexicon that a document needs for a fingerprint, 1 to 100.

    Example:
        >>> from infostream_dedup.lab.methods import Texts, method
        >>> story = "Мэр города торжественно открыл новый мост через реку, движение начнется завтра утром"
        >>> texts = Texts.of(story, f"{story}, сообщила пресс-служба", "Мост закрыт")
        >>> method("lex-rand").run(texts).pairs.as_list()
        [(0, 1, 1.0)]
    """

    k: Annotated[int, Range(0, 100)] = 10
    p: Annotated[float, Range(0.01, 0.99)] = 0.33
    idf_low: Annotated[float, Range(0.0, 1.0)] = 0.2
    idf_high: Annotated[float, Range(0.0, 1.0)] = 0.85
    least_words: Annotated[int, Range(1, 100)] = 4

    def sign(self, texts: Texts) -> Ragged:
        """Return at most k + 1 fingerprints of each document."""
        vocabulary = texts.significant.vocabulary
        lexicon = middle_lexicon(texts.counts, self.idf_low, self.idf_high)
        lexicons = random_lexicons(lexicon, vocabulary, self.k, self.p)
        return lexicon_fingerprints(texts.counts, vocabulary, lexicons, self.least_words)


@register("descr-words")
@dataclass(frozen=True)
class DescriptiveWords(Method):
    """Descr Words: two documents are duplicates if the same support words are frequent in both (A9).

    S. Ilyinsky, M. Kuzmin, A. Melkov, I. Segalovich: An efficient method to detect duplicates of Web documents with the
    use of inverted index, WWW 2002, poster 187; its training as described by Yu. Zelenkov, I. Segalovich (RCDL 2007).
    Each support word has its own threshold; bit i of a document is 1 if the frequency of word i, divided by that of the
    most frequent word, exceeds the threshold. Documents with equal bit vectors form a pair.

    Training. A threshold is good if few documents are near it, since there a small edit flips the bit: it is placed
    where the fewest documents are within Delta. Each round drops the least precise words (those with the largest share
    of their documents near the threshold), as long as the documents remain covered with at least one bit each.

    The paper does not specify Delta, the number of rounds and the number of words dropped; the defaults are ours. At
    least 1 % of a word's documents must be above its threshold. Documents without any bit would all be equal; they get
    no signature.

    Attributes:
        steps: number of steps into which the frequency range is divided, 2 to 100; Delta is one step.
        rounds: number of training rounds, 0 to 50.
        dropped: share of the words dropped in each round, 0.01 to 0.9.
        fewest: number of support words that training keeps at least, 1 to 10^6.
        coverage: share of the documents that must keep at least one bit, 0 to 1.

    Example:
        >>> from infostream_dedup.lab.methods import Texts, method
        >>> texts = Texts.of("мост мост мост река", "Мост, мост, мост! Река?", "река река река мост", "река мост")
        >>> method("descr-words").run(texts).pairs.as_list()
        [(0, 1, 1.0)]
    """

    steps: Annotated[int, Range(2, 100)] = 20
    rounds: Annotated[int, Range(0, 50)] = 5
    dropped: Annotated[float, Range(0.01, 0.9)] = 0.3
    fewest: Annotated[int, Range(1, 10**6)] = 3000
    coverage: Annotated[float, Range(0.0, 1.0)] = 0.95

    def sign(self, texts: Texts) -> Ragged:
        """Return one hash of the words whose bit is 1 for each document."""
        counts = texts.counts
        level = _quantise(counts, self.steps)
        threshold, near = thresholds(counts, level, self.steps)
        above = level > threshold[counts.tf.indices]
        kept = support_words(counts, above, near, self)
        bits = Ragged(counts.tf.indptr.astype(np.int64), counts.tf.indices).chosen(above & kept[counts.tf.indices])
        hashes = hash_words(texts.significant.vocabulary)
        rows = [hashes[bits.row(document)] for document in range(len(bits))]
        values = [hash_sequences(list(row[:, None])) for row in rows if len(row)]
        indptr = offsets_of(bits.sizes > 0)
        return Ragged(indptr, np.concatenate([np.zeros(0, dtype=np.uint64), *values]))


def _quantise(counts: WordCounts, steps: int) -> NDArray[np.int64]:
    """Return each entry's frequency as a step, 1 to ``steps``: a step above t means a frequency above t / steps."""
    tf_max = counts.tf_max[counts.document_of]
    return np.asarray(-(-counts.tf.data.astype(np.int64) * steps // tf_max), dtype=np.int64)


def thresholds(
    counts: WordCounts, level: NDArray[np.int64], steps: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Find the best threshold of each word."""
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
    """Train and return the words that remain."""
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
