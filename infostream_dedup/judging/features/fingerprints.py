"""Fingerprints of documents: of words by frequency, of chains of words, and samples of shingles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha1
from itertools import combinations, islice, pairwise
from typing import Any, Final

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from infostream_dedup.judging.features.words import Words, hash_sequences, hash_words, known_places, scrambled
from infostream_dedup.language.lexicon.frequency import common_forms
from infostream_dedup.machine import arrays
from infostream_dedup.machine.arrays import Bools, Floats, Int32s, Ints, Ragged, Uint64s
from infostream_dedup.model import Language
from infostream_dedup.terms.statistics import UNITS
from infostream_dedup.terms.weightings import bm25

# Frequencies of words in documents and in the collection, and the papers' weights.
#
# Letters as in Zelenkov and Segalovich: N documents, tf frequency in the document, tf_max that of its most frequent
# word, df documents with the word, cf occurrences in the collection, dl words of the document, dl_avg their mean.


@dataclass(frozen=True, slots=True, eq=False)
class WordCounts:
    """Frequency of each word in each document, in one space of words for the whole collection."""

    tf: sp.csr_array  # int32 (documents, vocabulary), sorted indices, no explicit zeros
    df: Ints  # int64 (vocabulary,)
    cf: Ints  # int64 (vocabulary,)
    dl: Ints  # int64 (documents,)

    @property
    def documents(self) -> int:
        """Number of documents (N)."""
        return len(self.dl)

    @property
    def document_of(self) -> Ints:
        """Document of each entry of ``tf``: int64 (entries,)."""
        return np.repeat(np.arange(self.documents, dtype=np.int64), np.diff(self.tf.indptr))

    @property
    def tf_max(self) -> Ints:
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


def tf_idf_weights(counts: WordCounts) -> Ints:
    """Return TF * IDF of algorithm A2, in units of 1e-9."""
    # TF = tf / (2 (0.25 + 0.75 dl / dl_avg) + tf), IDF = ln((N - df + 0.5) / (df + 0.5)), which is below 0 for words in
    # more than half of the documents.
    tf = counts.tf.data.astype(np.float64)
    dl_avg = max(float(counts.dl.mean()), 1.0) if counts.documents else 1.0
    dl = counts.dl[counts.document_of]
    idf = bm25.idf(counts.df.astype(np.float64), counts.documents)[counts.tf.indices]
    return in_units(tf / (2 * (0.25 + 0.75 * dl / dl_avg) + tf) * idf)


def weights_of_occurrences(counts: WordCounts, words: Words, weights: Ints) -> Ints:
    """Return the weight of each word occurrence."""
    size = len(words.vocabulary)
    entries = counts.document_of * size + counts.tf.indices
    return np.asarray(weights[np.searchsorted(entries, words.rows.numbers * size + words.rows.values)], dtype=np.int64)


def normalised_idf(df: Ints, documents: int) -> Floats:
    """Return ln((N + 1) / df) / ln(N + 1): 1 for a word of one document, near 0 for a word of all (SpotSigs)."""
    return np.asarray(1 - np.log(np.maximum(df, 1)) / np.log(documents + 1), dtype=np.float64)


def in_units(weights: Floats) -> Ints:
    """Round weights to whole numbers of 1e-9, so that equal weights are equal on every machine."""
    return np.rint(weights * UNITS).astype(np.int64)


# I-Match: one hash of the words of a document that belong to a lexicon of words of medium frequency.
#
# A. Chowdhury, O. Frieder, D. Grossman, M. McCabe: Collection statistics for fast duplicate document detection, ACM
# TOIS 20(2), 2002. Random lexicons: A. Kołcz, A. Chowdhury, J. Alspector: Improved robustness of signature-based
# near-replica detection via lexicon randomization, KDD 2004.

_RANDOM_LEXICON: Final = 1000
_SPLIT: Final = 3000


def middle_lexicon(counts: WordCounts, low: float, high: float) -> Bools:
    """Find words whose normalised IDF is between two bounds."""
    idf = normalised_idf(counts.df, max(counts.documents, 1))
    # The last digits of ratios of logarithms differ between machines.
    return np.asarray((np.round(idf, 9) >= low) & (np.round(idf, 9) <= high) & (counts.df > 0), dtype=np.bool_)


def random_lexicons(lexicon: Bools, vocabulary: list[str], extra: int, share: float) -> list[Bools]:
    """Return the lexicon and ``extra`` copies, each without a random ``share`` of the words."""
    # Which words are missing depends on the words alone, not on the collection.
    hashes = hash_words(vocabulary)
    bound = np.uint64(min(int(share * 2.0**64), 2**64 - 1))
    return [lexicon, *(lexicon & (scrambled(hashes, _RANDOM_LEXICON + m) >= bound) for m in range(extra))]


def split_lexicons(lexicon: Bools, vocabulary: list[str], lists: int) -> list[Bools]:
    """Split the lexicon into lists by hash; every word belongs to one of them."""
    # W. Pugh, M. Henzinger: Detecting duplicate and near-duplicate files, US patent 6,658,423, 2003.
    number = scrambled(hash_words(vocabulary), _SPLIT) % np.uint64(lists)
    return [lexicon & (number == chosen) for chosen in range(lists)]


def lexicon_fingerprints(counts: WordCounts, vocabulary: list[str], lexicons: list[Bools], least_words: int) -> Ragged:
    """Fingerprint each document once for each lexicon from which it contains enough words."""
    bounds = counts.tf.indptr.tolist()
    found: list[list[int]] = []
    for start, end in pairwise(bounds):
        row = counts.tf.indices[start:end]
        chosen = ([vocabulary[word] for word in row[lexicon[row]].tolist()] for lexicon in lexicons)
        enough = ((number, words) for number, words in enumerate(chosen) if len(words) >= least_words)
        found.append([lexicon_fingerprint(words, number) for number, words in enough])
    return arrays.rows_from(found, np.uint64)


def lexicon_fingerprint(words: list[str], number: int) -> int:
    """Return the SHA-1, truncated to 64 bits, of a lexicon's number and words in code point order."""
    data = f"{number} {' '.join(words)}".encode("utf-8", "surrogatepass")
    return int.from_bytes(sha1(data, usedforsecurity=False).digest()[:8], "little")


def lexicon_sums(words: Words, kept: Bools, least_words: int) -> Ragged:
    """Sum the hashes of the arrays.distinct words of each row that belong to a lexicon, modulo 2**64."""
    chosen = words.rows.chosen(kept)
    # Numpy's own `unique` uses hashing, which takes eight times as long.
    pairs = np.sort(chosen.numbers * len(words.vocabulary) + chosen.values)
    pairs = pairs[np.diff(pairs, prepend=-1) > 0]
    row, word = np.divmod(pairs, max(len(words.vocabulary), 1))
    hashes = scrambled(hash_words(words.vocabulary))
    total = np.zeros(len(words) + 1, dtype=np.uint64)
    np.add.at(total, row, hashes[word])
    enough = np.bincount(row, minlength=len(words)) >= least_words
    return Ragged(arrays.offsets_of(enough), total[:-1][enough])


# Low-IDF-Sig: chains of words that follow the most frequent words of the language or begin a sentence.
#
# Yu Haomin, Zhang Yue, Zhang Qi, Huang Xuanjing: Low-IDF-Sig, sentence-level duplicate detection (in Chinese). A
# feature a(d, c) is the antecedent a and the c words after it in steps of d, stop words and other antecedents
# included; it is cut at the end of the sentence.


def frequent_words(language: Language, n: int) -> frozenset[str]:
    """Return the n words of lowest IDF of a language by wordfreq, an external table as in the paper."""
    return frozenset(form for form, _ in islice(common_forms(language), n))


def antecedent_places(words: Words, languages: Sequence[str], n: int) -> Bools:
    """Find the words of each row that are among the n most frequent of its language: bool (words of all rows,)."""
    return known_places(words, languages, lambda language: frequent_words(language, n))


def chain_places(
    antecedent: Bools, breaks: Ints, *, c: int, d: int, skipped: Bools | None = None
) -> tuple[Ints, Bools]:
    """Find the words of every chain of all sentences."""
    total = len(antecedent)
    first = np.zeros(total, dtype=np.bool_)
    first[breaks[:-1][np.diff(breaks) > 0]] = True
    starts = np.flatnonzero(antecedent | first)
    ends = breaks[np.searchsorted(breaks, starts, side="right")]
    kept = np.arange(total) if skipped is None else np.flatnonzero(~skipped)
    steps = np.searchsorted(kept, starts, side="right")[:, None] + d * np.arange(1, c + 1) - 1
    # The index after the last word of the collection is beyond the end of every sentence.
    taken = np.append(kept, total)[np.minimum(steps, len(kept))]
    places = np.concatenate((starts[:, None], taken), axis=1)
    inside = places < ends[:, None]
    chosen = inside[:, 1] | first[starts]
    return np.where(inside, places, starts[:, None])[chosen], inside[chosen]


def low_idf_signatures(words: Words, antecedent: Bools, *, c: int, d: int, skipped: Bools | None = None) -> Ragged:
    """Hash the chains of all sentences of each row of words, in text order and with repetitions."""
    places, inside = chain_places(antecedent, words.breaks, c=c, d=d, skipped=skipped)
    hashes = hash_words(words.vocabulary)[words.rows.values]
    columns = [
        np.where(within_sentence, hashes[place], np.uint64(0))
        for place, within_sentence in zip(places.T, inside.T, strict=True)
    ]
    return Ragged(np.searchsorted(places[:, 0], words.rows.indptr).astype(np.int64), hash_sequences(columns))


# SpotSigs: chains of content words that follow frequent words, which occur in news prose but not in navigation.
#
# M. Theobald, J. Siddharth, A. Paepcke: SpotSigs: robust and efficient near duplicate detection in large Web
# collections, SIGIR 2008. A spot signature a(d, c) is the antecedent a and c words after it: the first word at
# distance d or later that is not a stop word, and so on. "at a rally to kick off a weeklong campaign", a(1, 2) gives
# a:rally:kick, a:weeklong:campaign.
#
# The authors' code loses a word after every stop word it skips; this file follows the definition.


def spot_places(row: Int32s, antecedent: Bools, stop: Bools, *, c: int, d: int) -> Ints:
    """Find the words of every complete chain of one document."""
    end = len(row)
    # The first content word at or after every index; none after the end.
    content = np.full(end + d + 1, end, dtype=np.int64)
    content[:end] = np.where(stop, end, np.arange(end))
    content[:end] = np.minimum.accumulate(content[:end][::-1])[::-1]
    columns = [np.flatnonzero(antecedent)]
    for _ in range(c):
        columns.append(content[np.minimum(columns[-1] + d, end + d)])
    chains = np.stack(columns, axis=1)
    return np.asarray(chains[chains[:, -1] < end], dtype=np.int64)


def spot_signatures(
    words: Words,
    antecedents: Bools,
    stops: Bools,
    *,
    c: int,
    d: int,
    with_antecedent: bool = True,
    within_sentences: bool = False,
) -> Ragged:
    """Hash the chains of each row of words, in text order and with repetitions."""
    # within_sentences: whether a chain must end within its sentence, not only within its row.
    bounds = words.breaks if within_sentences else words.rows.indptr
    # Indices only grow along a chain, so a chain of the whole collection is right if it ends where it began.
    chains = spot_places(words.rows.values, antecedents, stops, c=c, d=d)
    chains = chains[chains[:, -1] < bounds[np.searchsorted(bounds, chains[:, 0], side="right")]]
    hashes = hash_words(words.vocabulary)[words.rows.values]
    columns = chains if with_antecedent else chains[:, 1:]
    indptr = np.searchsorted(chains[:, 0], words.rows.indptr).astype(np.int64)
    return Ragged(indptr, hash_sequences([hashes[column] for column in columns.T]))


# Samples of shingles: MOD_m, MIN_s, one minimum per function, and groups of them hashed together.
#
# MOD_m and MIN_s: A. Broder: On the resemblance and containment of documents, SEQUENCES 1997. Super- and
# megashingles: D. Fetterly, M. Manasse, M. Najork: On the evolution of clusters of near-duplicate web pages, LA-WEB
# 2003.


def sample_mod(shingles: Ragged, m: int) -> Ragged:
    """Return the arrays.distinct fingerprints that are divisible by m, ascending in a row: one in m."""
    return arrays.distinct(shingles.chosen(shingles.values % np.uint64(m) == 0))


def sample_min(shingles: Ragged, s: int) -> Ragged:
    """Return the s arrays.smallest arrays.distinct fingerprints of each row, ascending; all if there are fewer."""
    sets = arrays.distinct(shingles)
    rank = np.arange(len(sets.values)) - sets.indptr[sets.numbers]
    return sets.chosen(rank < s)


def grouped(sample: Ragged, size: int) -> Ragged:
    """Hash every ``size`` values of a row, the last group only if it is complete or the only one; sample: ascending."""
    found: list[Uint64s] = []
    for row in sample:
        width = min(size, len(row))
        groups = len(row) // size or 1
        found.append(hash_sequences(list(row[: groups * width].reshape(groups, width).T)) if width else row)
    return arrays.rows_from(found, np.uint64)


def minwise(shingles: Ragged, functions: int) -> Uint64s:
    """Return the first fingerprint of each document in each of several random orders of all fingerprints."""
    # The probability that two documents agree in one order is the resemblance of their sets of shingles.
    columns = [arrays.smallest(scrambled(shingles.values, seed + 1), shingles.indptr) for seed in range(functions)]
    return np.stack(columns, axis=1)


def supershingles(samples: Uint64s, groups: int) -> Uint64s:
    """Hash each group of samples, in order."""
    return np.stack([hash_sequences(list(part.T)) for part in np.split(samples, groups, axis=1)], axis=1)


def megashingles(supershingles: Uint64s) -> Uint64s:
    """Hash every two supershingles together with their positions."""
    columns = [
        hash_sequences([np.full(len(supershingles), pair, dtype=np.uint64), supershingles[:, i], supershingles[:, j]])
        for pair, (i, j) in enumerate(combinations(range(supershingles.shape[1]), 2))
    ]
    return np.stack(columns, axis=1)
