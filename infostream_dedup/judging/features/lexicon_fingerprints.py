"""I-Match: one hash of the words of a document that belong to a lexicon of words of medium frequency.

A. Chowdhury, O. Frieder, D. Grossman, M. McCabe: Collection statistics for fast duplicate document detection, ACM TOIS
20(2), 2002. Random lexicons: A. Kołcz, A. Chowdhury, J. Alspector: Improved robustness of signature-based near-replica
detection via lexicon randomization, KDD 2004.
"""

from __future__ import annotations

from hashlib import sha1
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.arrays import Ragged, offsets_of
from infostream_dedup.judging.features.hashing import hash_words, scrambled
from infostream_dedup.judging.features.word_counts import WordCounts, normalised_idf
from infostream_dedup.judging.features.words import Words

if TYPE_CHECKING:
    from numpy.typing import NDArray


_RANDOM_LEXICON: Final = 1000
_SPLIT: Final = 3000


def middle_lexicon(counts: WordCounts, low: float, high: float) -> NDArray[np.bool_]:
    """Find words whose normalised IDF is between two bounds.

    Args:
        low: 0 to 1.
        high: 0 to 1.

    Returns:
        bool (vocabulary,).
    """
    idf = normalised_idf(counts.df, max(counts.documents, 1))
    # The last digits of ratios of logarithms differ between machines.
    return np.asarray((np.round(idf, 9) >= low) & (np.round(idf, 9) <= high) & (counts.df > 0), dtype=np.bool_)


def random_lexicons(
    lexicon: NDArray[np.bool_], vocabulary: list[str], extra: int, share: float
) -> list[NDArray[np.bool_]]:
    """Return the lexicon and ``extra`` copies, each without a random ``share`` of the words.

    Which words are missing depends on the words alone, not on the collection.
    """
    hashes = hash_words(vocabulary)
    bound = np.uint64(min(int(share * 2.0**64), 2**64 - 1))
    return [lexicon, *(lexicon & (scrambled(hashes, _RANDOM_LEXICON + m) >= bound) for m in range(extra))]


def split_lexicons(lexicon: NDArray[np.bool_], vocabulary: list[str], lists: int) -> list[NDArray[np.bool_]]:
    """Split the lexicon into lists by hash; every word belongs to one of them.

    W. Pugh, M. Henzinger: Detecting duplicate and near-duplicate files, US patent 6,658,423, 2003.
    """
    number = scrambled(hash_words(vocabulary), _SPLIT) % np.uint64(lists)
    return [lexicon & (number == chosen) for chosen in range(lists)]


def lexicon_fingerprints(
    counts: WordCounts, vocabulary: list[str], lexicons: list[NDArray[np.bool_]], least_words: int
) -> Ragged:
    """Fingerprint each document once for each lexicon from which it contains enough words.

    Args:
        lexicons: each bool (vocabulary,).

    Returns:
        uint64. Values depend on the lexicon: two documents share one exactly if they agree by the same lexicon.
    """
    bounds = counts.tf.indptr.tolist()
    found: list[list[int]] = []
    for start, end in pairwise(bounds):
        row = counts.tf.indices[start:end]
        prints: list[int] = []
        for number, lexicon in enumerate(lexicons):
            words = row[lexicon[row]].tolist()
            if len(words) >= least_words:
                prints.append(lexicon_fingerprint([vocabulary[word] for word in words], number))
        found.append(prints)
    sizes = np.array([len(prints) for prints in found], dtype=np.int64)
    indptr = offsets_of(sizes)
    return Ragged(indptr, np.array([value for prints in found for value in prints], dtype=np.uint64))


def lexicon_fingerprint(words: list[str], number: int) -> int:
    """Return the SHA-1, truncated to 64 bits, of a lexicon's number and words in code point order."""
    data = f"{number} {' '.join(words)}".encode("utf-8", "surrogatepass")
    return int.from_bytes(sha1(data, usedforsecurity=False).digest()[:8], "little")


def lexicon_sums(words: Words, kept: NDArray[np.bool_], least_words: int) -> Ragged:
    """Sum the hashes of the distinct words of each row that belong to a lexicon, modulo 2**64.

    Args:
        kept: bool (words of all rows,), which words belong to the lexicon.

    Returns:
        uint64, at most one value in each row. Order and repetition of words do not matter.
    """
    chosen = words.rows.chosen(kept)
    # Numpy's own `unique` uses hashing, which takes eight times as long.
    pairs = np.sort(chosen.numbers * len(words.vocabulary) + chosen.values)
    pairs = pairs[np.diff(pairs, prepend=-1) > 0]
    row, word = np.divmod(pairs, max(len(words.vocabulary), 1))
    hashes = scrambled(hash_words(words.vocabulary))
    total = np.zeros(len(words) + 1, dtype=np.uint64)
    np.add.at(total, row, hashes[word])
    enough = np.bincount(row, minlength=len(words)) >= least_words
    indptr = offsets_of(enough)
    return Ragged(indptr, total[:-1][enough])
