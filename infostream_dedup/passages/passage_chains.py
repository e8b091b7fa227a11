"""Chains of matching sentences, by plain code for a few texts and by compiled code for a collection.

Which of the two, the size decides; they find the same (``tests/passages/test_passage_chains.py``).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from infostream_dedup.passages.sentence_classes import COMPILED_FROM, SentenceClasses
from infostream_dedup.passages.sentence_table import SentenceTable
from infostream_dedup.passages.settings import PassageSettings

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["NEAR", "REPEATS", "Chains", "compiled_chains", "find_chains", "plain_chains"]

NEAR: Final = 32
"""If documents repeat a sentence, the i-th occurrence in one matches the j-th in the other only if i and j differ by at
most this: 10,000 equal lines in two documents would make 100,000,000 points."""

REPEATS: Final = 1000
"""Later occurrences of a sentence in one document match nothing."""

_Point = tuple[int, int]


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
    if len(sentences) < COMPILED_FROM:
        return plain_chains(sentences, classes, settings)
    return compiled_chains(sentences, classes, settings)


def compiled_chains(sentences: SentenceTable, classes: SentenceClasses, settings: PassageSettings) -> Chains:
    """Do what ``find_chains`` does, by compiled code."""
    from infostream_dedup.passages.kernels.passage_chains import find_passages

    return Chains(
        *find_passages(
            sentences.first,
            sentences.documents.astype(np.int32),
            sentences.lengths,
            classes.class_of,
            (classes.members.indptr, classes.members.values),
            (classes.alike.indptr, classes.alike.values),
            (settings.gap, settings.min_sentences, settings.min_words),
            (NEAR, REPEATS),
        )
    )


def plain_chains(sentences: SentenceTable, classes: SentenceClasses, settings: PassageSettings) -> Chains:
    """Do what ``find_chains`` does, without compiled code."""
    rows: list[tuple[int, ...]] = []
    matches: list[_Point] = []
    documents, lengths = sentences.documents.tolist(), sentences.lengths.tolist()
    for b in range(len(sentences.first) - 1):
        by_document: defaultdict[int, list[_Point]] = defaultdict(list)
        for p, q in _points(sentences, classes, documents, b):
            by_document[documents[p]].append((p, q))
        for a, points in sorted(by_document.items()):
            for words, chain in _heaviest_chains(sorted(points), lengths, settings):
                first, last = chain[0], chain[-1]
                rows.append((a, b, first[0], last[0], first[1], last[1], len(chain), words))
                matches += chain
    return Chains(
        np.array(rows, dtype=np.int64).reshape(-1, 8),
        np.array(matches, dtype=np.int64).reshape(-1, 2),
    )


def _points(
    sentences: SentenceTable, classes: SentenceClasses, documents: Sequence[int], document: int
) -> list[_Point]:
    """Match the sentences of a document with those of earlier documents."""
    times_seen: defaultdict[int, int] = defaultdict(int)
    points: list[_Point] = []
    for sentence in range(int(sentences.first[document]), int(sentences.first[document + 1])):
        own = int(classes.class_of[sentence])
        if own < 0:
            continue
        times_seen[own] += 1
        if times_seen[own] > REPEATS:
            continue
        for number in (own, *classes.alike.row(own).tolist()):
            before, repeats = -1, 0
            for other in classes.members.row(number).tolist():
                if documents[other] >= document:
                    break
                repeats = repeats + 1 if documents[other] == before else 1
                before = documents[other]
                if abs(repeats - times_seen[own]) <= NEAR:
                    points.append((other, sentence))
    return points


def _heaviest_chains(
    points: list[_Point], lengths: Sequence[int], settings: PassageSettings
) -> list[tuple[int, list[_Point]]]:
    """Take the heaviest chain, remove its sentences, and so on."""
    chains: list[tuple[int, list[_Point]]] = []
    while points:
        words, chain = _heaviest_chain(points, lengths, settings.gap)
        if words < settings.min_words:
            break
        taken_p, taken_q = {p for p, _ in chain}, {q for _, q in chain}
        points = [(p, q) for p, q in points if p not in taken_p and q not in taken_q]
        if len(chain) >= settings.min_sentences:
            chains.append((words, chain))
    return chains


def _heaviest_chain(points: list[_Point], lengths: Sequence[int], gap: int) -> tuple[int, list[_Point]]:
    scores: list[int] = []
    previous: list[int] = []
    best = -1
    for place, (p, q) in enumerate(points):
        weight = min(lengths[p], lengths[q])
        score, before = weight, -1
        earlier = place - 1
        while earlier >= 0 and p - points[earlier][0] <= gap + 1:
            step = q - points[earlier][1]
            if points[earlier][0] < p and 0 < step <= gap + 1 and scores[earlier] + weight > score:
                score, before = scores[earlier] + weight, earlier
            earlier -= 1
        scores.append(score)
        previous.append(before)
        if best < 0 or score > scores[best]:
            best = place
    chain: list[_Point] = []
    at = best
    while at >= 0:
        chain.append(points[at])
        at = previous[at]
    return scores[best], chain[::-1]
