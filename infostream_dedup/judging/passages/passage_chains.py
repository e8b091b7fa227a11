"""Chains of matching sentences of every two documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from infostream_dedup.judging.passages.kernels.passage_chains import find_passages
from infostream_dedup.judging.passages.sentence_classes import SentenceClasses
from infostream_dedup.judging.passages.sentence_table import SentenceTable
from infostream_dedup.judging.passages.settings import PassageSettings

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["NEAR", "REPEATS", "Chains", "find_chains"]

NEAR: Final = 32
"""If documents repeat a sentence, the i-th occurrence in one matches the j-th in the other only if i and j differ by at
most this: 10,000 equal lines in two documents would make 100,000,000 points."""

REPEATS: Final = 1000
"""Later occurrences of a sentence in one document match nothing."""


class Chains(NamedTuple):
    """Chains of all pairs of documents, by later document, earlier document, heaviest first.

    Attributes:
        rows: int64 (chains, 8): document a, document b, first and last sentence in a, first and last in b, sentence
            pairs, words. Document a is the one with the smaller number.
        matches: int64 (pairs, 2), sentences of a and b, chain by chain, each in text order.
    """

    rows: NDArray[np.int64]
    matches: NDArray[np.int64]


def find_chains(sentences: SentenceTable, classes: SentenceClasses, settings: PassageSettings) -> Chains:
    """Chain matching sentences of every two documents.

    Args:
        sentences: sentences of the collection.
        classes: which of them match.
        settings: ``gap``, ``min_sentences``, ``min_words``.
    """
    return Chains(
        *find_passages(
            sentences.first,
            sentences.documents.astype(np.int32),
            sentences.lengths,
            classes.class_of,
            (classes.members.indptr, classes.members.values),
            (classes.alike.indptr, classes.alike.values),
            (settings.gap, settings.min_sentences, settings.min_words, NEAR, REPEATS),
        )
    )
