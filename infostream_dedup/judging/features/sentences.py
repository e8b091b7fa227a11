"""Documents by their leading words and by their sentences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from infostream_dedup.judging.features.joins import pairs_sharing
from infostream_dedup.judging.features.words import Words, hash_text
from infostream_dedup.machine.arrays import Floats, Ints, Ragged, offsets_of, rows_from

# The n heaviest words of a document, and one fingerprint of them (A1, A2, A3, A10 of Zelenkov, Segalovich)


def leading_words(weights: sp.csr_array, n: int) -> Ragged:
    """The n heaviest words of each document, int32, ascending; of equal ones the earlier; weights may be negative."""
    document = np.repeat(np.arange(weights.shape[0], dtype=np.int64), np.diff(weights.indptr))
    order = np.lexsort((weights.indices, -weights.data, document))
    rank = np.arange(weights.nnz) - weights.indptr[document]
    keep = np.zeros(weights.nnz, dtype=np.bool_)
    keep[order[rank < n]] = True
    return Ragged(weights.indptr.astype(np.int64), weights.indices.astype(np.int32)).chosen(keep)


def fingerprints_of_words(words: Ragged, vocabulary: list[str], bits: int) -> Ragged:
    """Hash the words of documents, numbers that ascend in a row, in alphabetical order, with blanks between."""
    numbers = words.values.tolist()
    bounds = words.indptr.tolist()
    prints = [
        [hash_text(" ".join([vocabulary[number] for number in numbers[start:end]]), bits)] if start < end else []
        for start, end in pairwise(bounds)
    ]
    return rows_from(prints, fingerprint_type(bits))


def fingerprint_type(bits: int) -> type[np.uint32] | type[np.uint64]:
    """Return the dtype of fingerprints of 32 or 64 bits."""
    return np.uint32 if bits == 32 else np.uint64


# Sentences of documents as texts of words, and fingerprints of the longest or heaviest of them.
#
# Sentences are found before punctuation is removed; each is then reduced to its words in `words.significant`.


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence with words."""

    text: str  # its words joined by blanks
    length: int  # number of words
    weight: int  # total weight of all words, in units of 1e-9
    place: int  # its index among all sentences of the collection, including empty ones


def sentences_by_document(words: Words, weights: Ints) -> list[list[Sentence]]:
    """Collect the sentences with words of every document, in text order."""
    spelt = words.vocabulary
    numbers = words.rows.values.tolist()
    breaks = words.breaks.tolist()
    weight_of = weights.tolist()
    found: list[list[Sentence]] = [[] for _ in range(len(words))]
    for place, document in enumerate(words.sentence_documents.tolist()):
        start, end = breaks[place], breaks[place + 1]
        if start < end:
            text = " ".join([spelt[number] for number in numbers[start:end]])
            found[document].append(Sentence(text, end - start, weight_of[place], place))
    return found


def sentence_weights(words: Words, weights: Ints) -> Ints:
    """Sum the weights of the words of each sentence, with repetitions."""
    before = offsets_of(weights)
    return np.asarray(np.diff(before[words.breaks]), dtype=np.int64)


def once_each(sentences: Sequence[Sentence]) -> list[Sentence]:
    """Drop repeated sentences; the first of equal texts stays."""
    distinct: dict[str, Sentence] = {}
    for sentence in sentences:
        distinct.setdefault(sentence.text, sentence)
    return list(distinct.values())


def sentence_fingerprints(
    documents: Sequence[Sequence[Sentence]],
    order: Callable[[Sentence], tuple[int, str]],
    n: int,
    *,
    distinct: bool,
    bits: int,
) -> Ragged:
    """Hash the first n sentences by some order, joined alphabetically by blanks."""
    prints: list[list[int]] = []
    for sentences in documents:
        kept = sorted(once_each(sentences) if distinct else sentences, key=order)[:n]
        text = " ".join(sorted(sentence.text for sentence in kept))
        prints.append([hash_text(text, bits)] if kept else [])
    return rows_from(prints, fingerprint_type(bits))


# Documents as short records of sentences and words, and the rules of 3+5 for pairs of records.
#
# Yu. Zelenkov, I. Segalovich: Comparative analysis of methods for finding duplicates of Web documents (in Russian),
# RCDL 2007, algorithm A12.

_MANY_SENTENCES: Final = 5
_SHORTEST_COUNTED: Final = 3
_SLACK: Final = 1e-9


@dataclass(frozen=True, slots=True)
class DocumentRecord:
    """The record of a document in 3+5."""

    length: int  # number of words of three or more letters
    sentences: int  # number of sentences
    sentence_prints: Sequence[int]  # fingerprints of the chosen sentences, the most important first
    word_prints: Sequence[int]  # fingerprints of the chosen words


def document_lengths(words: Words) -> list[int]:
    """Count the words of three or more letters of each document."""
    counted = np.array([len(word) >= _SHORTEST_COUNTED for word in words.vocabulary], dtype=np.bool_)
    return [int(size) for size in words.rows.chosen(counted[words.rows.values]).sizes]


def longest_sentences(sentences: Sequence[Sentence], n: int, bits: int) -> list[int]:
    """Fingerprint the n longest distinct sentences; among equal lengths the smaller fingerprint comes first."""
    found = sorted((-sentence.length, hash_text(sentence.text, bits)) for sentence in once_each(sentences))
    return [value for _, value in found[:n]]


def longest_words(words: Words, document: int, n: int, bits: int) -> list[int]:
    """Fingerprint the n longest distinct words of a document; among equal lengths the smaller comes first."""
    spelt = [words.vocabulary[word] for word in dict.fromkeys(words.rows.row(document).tolist())]
    if len(spelt) > n:
        shortest = sorted(map(len, spelt), reverse=True)[n - 1]
        spelt = [word for word in spelt if len(word) >= shortest]
    return [value for _, value in sorted((-len(word), hash_text(word, bits)) for word in spelt)[:n]]


def record_rows(records: Sequence[DocumentRecord], *, sentences: int, words: int, bits: int) -> Ragged:
    """Make rows of 2 + sentences + words values from records; a document without sentences has an empty row."""
    table = np.zeros((len(records), 2 + sentences + words), dtype=fingerprint_type(bits))
    filled = np.zeros(len(records), dtype=np.bool_)
    for document, record in enumerate(records):
        if record.sentence_prints:
            filled[document] = True
            table[document, :2] = record.length, record.sentences
            table[document, 2 : 2 + len(record.sentence_prints)] = record.sentence_prints
            first_word = 2 + sentences
            table[document, first_word : first_word + len(record.word_prints)] = record.word_prints
    return Ragged(offsets_of(np.where(filled, table.shape[1], 0)), table[filled].ravel())


def record_pairs(
    signatures: Ragged,
    *,
    sentences: int,
    words: int,
    length_ratio: float,
    sentence_ratio: float,
    shared_words: int,
    shared_sentences: int,
) -> tuple[Ints, Ints, Floats]:
    """Find pairs of documents by the rules of 3+5."""
    width = 2 + sentences + words
    filled = signatures.sizes > 0
    table = np.zeros((len(signatures), width), dtype=signatures.values.dtype)
    table[filled] = signatures.values.reshape(-1, width)
    lengths, numbers = table[:, 0].astype(np.int64), table[:, 1].astype(np.int64)
    sentence_prints, word_prints = table[:, 2 : 2 + sentences], table[:, 2 + sentences :]
    met = pairs_sharing(_present(sentence_prints), lengths=lengths, ratio=length_ratio)
    a, b = met.a, met.b
    common_words = _common(word_prints[a], word_prints[b])
    many = np.minimum(numbers[a], numbers[b])
    same_first = sentence_prints[a, 0] == sentence_prints[b, 0]
    similar = np.maximum(numbers[a], numbers[b]) <= sentence_ratio * many + _SLACK
    similar &= common_words >= shared_words
    similar &= same_first | ((many > _MANY_SENTENCES) & (met.shared >= shared_sentences))
    features = np.count_nonzero(table[:, 2:], axis=1)
    scores = (met.shared + common_words) / np.maximum(np.minimum(features[a], features[b]), 1)
    return a[similar], b[similar], np.minimum(scores[similar], 1.0)


def _present(prints: NDArray[np.unsignedinteger]) -> Ragged:
    """Convert a table to rows without zeros, which mean nothing."""
    there = prints != 0
    return Ragged(offsets_of(there.sum(axis=1)), prints[there])


def _common(one: NDArray[np.unsignedinteger], other: NDArray[np.unsignedinteger]) -> Ints:
    """Count the values of each row of one table that occur in the same row of the other; 0 means nothing."""
    common = np.zeros(len(one), dtype=np.int64)
    for column in range(one.shape[1]):
        value = one[:, column]
        common += (value != 0) & (other == value[:, None]).any(axis=1)
    return common
