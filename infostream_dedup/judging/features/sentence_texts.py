"""Sentences of documents as texts of words, and fingerprints of the longest or heaviest of them.

Sentences are found before punctuation is removed; each is then reduced to its words in ``words.significant``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.arrays import Ragged, offsets_of
from infostream_dedup.judging.features.hashing import hash_text
from infostream_dedup.judging.features.leading_words import fingerprint_type
from infostream_dedup.judging.features.rows import rows_from
from infostream_dedup.judging.features.words import Words

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence with words.

    Attributes:
        text: its words joined by blanks.
        length: number of words.
        weight: total weight of all words, in units of 1e-9.
        place: its index among all sentences of the collection, including empty ones.
    """

    text: str
    length: int
    weight: int
    place: int


def sentences_by_document(words: Words, weights: NDArray[np.int64]) -> list[list[Sentence]]:
    """Collect the sentences with words of every document, in text order.

    Args:
        weights: int64 (sentences,), from ``sentence_weights``.
    """
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


def sentence_weights(words: Words, weights: NDArray[np.int64]) -> NDArray[np.int64]:
    """Sum the weights of the words of each sentence, with repetitions.

    Args:
        weights: int64 (words of all documents,), weight of each occurrence.

    Returns:
        int64 (sentences,).
    """
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
    """Hash the first n sentences by some order, joined alphabetically by blanks.

    Args:
        n: number of sentences to keep, at least 1.
    """
    prints: list[list[int]] = []
    for sentences in documents:
        kept = sorted(once_each(sentences) if distinct else sentences, key=order)[:n]
        text = " ".join(sorted(sentence.text for sentence in kept))
        prints.append([hash_text(text, bits)] if kept else [])
    return rows_from(prints, fingerprint_type(bits))
