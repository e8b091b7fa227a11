"""Chains of matching sentences of every two documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from infostream_dedup.judging.passages.kernels.passage_chains import COLUMNS, ChainScratch, Classes, find_passages
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

_ROOM: Final = 1024


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
    limits = (settings.gap, settings.min_sentences, settings.min_words, NEAR, REPEATS)
    members, alike = classes.members, classes.alike
    matching = Classes(members.indptr, members.values, alike.indptr, alike.values)
    documents = sentences.documents.astype(np.int32)
    times_seen, taken = np.zeros(len(members), np.int32), np.zeros(len(documents), np.bool_)
    rows, matches = np.empty((_ROOM, len(COLUMNS)), np.int64), np.empty((_ROOM, 2), np.int64)
    scratch = _scratch(_ROOM, times_seen, taken)
    used = np.zeros(5, np.int64)
    document = 0
    while (
        document := find_passages(
            sentences.first,
            documents,
            sentences.lengths,
            classes.class_of,
            matching,
            limits,
            scratch,
            document,
            rows,
            matches,
            used,
        )
    ) < len(sentences.first) - 1:
        if used[2] > len(scratch.points):
            scratch = _scratch(2 * int(used[2]), times_seen, taken)
        rows, matches = _with_room(rows, int(used[3])), _with_room(matches, int(used[4]))
    return Chains(rows[: used[0]], matches[: used[1]])


def _scratch(room: int, times_seen: NDArray[np.int32], taken: NDArray[np.bool_]) -> ChainScratch:
    points, p, q, weights, scores, previous, starts = (np.empty(room, np.int64) for _ in range(7))
    return ChainScratch(points, p, q, weights, np.empty(room, np.bool_), scores, previous, starts, times_seen, taken)


def _with_room(table: NDArray[np.int64], wanted: int) -> NDArray[np.int64]:
    if wanted <= len(table):
        return table
    larger = np.empty((2 * wanted, table.shape[1]), np.int64)
    larger[: len(table)] = table
    return larger
