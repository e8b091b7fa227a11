"""Documents as short records of sentences and words, and the rules of 3+5 for pairs of records.

Yu. Zelenkov, I. Segalovich: Comparative analysis of methods for finding duplicates of Web documents (in Russian), RCDL
2007, algorithm A12.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.arrays import Ragged, offsets_of
from infostream_dedup.judging.features.chains import pairs_sharing
from infostream_dedup.judging.features.hashing import hash_text
from infostream_dedup.judging.features.leading_words import fingerprint_type
from infostream_dedup.judging.features.sentence_texts import Sentence, once_each
from infostream_dedup.judging.features.words import Words

if TYPE_CHECKING:
    from numpy.typing import NDArray


_MANY_SENTENCES: Final = 5
_SHORTEST_COUNTED: Final = 3
_SLACK: Final = 1e-9


@dataclass(frozen=True, slots=True)
class DocumentRecord:
    """The record of a document in 3+5.

    Attributes:
        length: number of words of three or more letters.
        sentences: number of sentences.
        sentence_prints: fingerprints of the chosen sentences, the most important first.
        word_prints: fingerprints of the chosen words.
    """

    length: int
    sentences: int
    sentence_prints: Sequence[int]
    word_prints: Sequence[int]


def document_lengths(words: Words) -> list[int]:
    """Count the words of three or more letters of each document."""
    counted = np.array([len(word) >= _SHORTEST_COUNTED for word in words.vocabulary], dtype=np.bool_)
    kept = words.rows.chosen(counted[words.rows.values])
    return [int(size) for size in kept.sizes]


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
    found = sorted((-len(word), hash_text(word, bits)) for word in spelt)
    return [value for _, value in found[:n]]


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
    indptr = offsets_of(np.where(filled, table.shape[1], 0))
    return Ragged(indptr, table[filled].ravel())


def record_pairs(
    signatures: Ragged,
    *,
    sentences: int,
    words: int,
    length_ratio: float,
    sentence_ratio: float,
    shared_words: int,
    shared_sentences: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Find pairs of documents by the rules of 3+5.

    Returns:
        Earlier and later document, int64 (pairs,), ordered, and the share of the shorter record's sentences and words
        that are shared, float64 (pairs,).
    """
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


def _common(one: NDArray[np.unsignedinteger], other: NDArray[np.unsignedinteger]) -> NDArray[np.int64]:
    """Count the values of each row of one table that occur in the same row of the other; 0 means nothing."""
    common = np.zeros(len(one), dtype=np.int64)
    for column in range(one.shape[1]):
        value = one[:, column]
        common += (value != 0) & (other == value[:, None]).any(axis=1)
    return common
