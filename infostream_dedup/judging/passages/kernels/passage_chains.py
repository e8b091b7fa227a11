"""Chaining matching sentences of two documents into passages, for one document against all earlier ones.

Qi Zhang, Yue Zhang, Haomin Yu, Xuanjing Huang: Efficient partial-duplicate detection based on sequence matching, SIGIR
2010 (its abstract; the rules of a chain are ours). Sentences p and q that match are a point; one point may follow
another when both p and q have grown by 1 to gap + 1. The chain with the most words is a passage; its
sentences are removed, and the search is repeated.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.machine.compiling import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["COLUMNS", "find_passages"]

COLUMNS: Final = ("a", "b", "first_a", "last_a", "first_b", "last_b", "sentences", "words")
"""Columns of the table of passages: document and first and last sentence on both sides, matched sentence pairs, and the
words of the shorter sentence of each pair."""

PLAIN_ON_ARRAYS: Final = True
"""As plain Python, these loops get numpy arrays, because they compute with whole arrays (``machine.interpreting``)."""


@compiled
def _more(table: NDArray[np.int64]) -> NDArray[np.int64]:
    larger = np.empty((2 * table.shape[0], table.shape[1]), table.dtype)
    larger[: table.shape[0]] = table
    return larger


@compiled
def _add_points(
    own: tuple[int, int, int],
    document_of: NDArray[np.int32],
    class_members: NDArray[np.int64],
    document: int,
    found: int,
    points: NDArray[np.int64],
    near: int,
) -> tuple[int, NDArray[np.int64]]:
    """Match one sentence (its position, its occurrence, the size of its document) with earlier members of a class."""
    place, occurrence, size = own
    before, repeats = -1, 0
    for other in class_members:
        if document_of[other] >= document:
            break
        repeats = repeats + 1 if document_of[other] == before else 1
        before = document_of[other]
        if abs(repeats - occurrence) > near:
            continue
        if found == points.size:
            larger = np.empty(2 * points.size, np.int64)
            larger[:found] = points
            points = larger
        points[found] = other * size + place
        found += 1
    return found, points


@compiled
def _points(
    sentences: tuple[int, int],
    document_of: NDArray[np.int32],
    class_of: NDArray[np.int32],
    members: tuple[NDArray[np.int64], NDArray[np.int64]],
    alike: tuple[NDArray[np.int64], NDArray[np.int32]],
    times_seen: NDArray[np.int32],
    points: NDArray[np.int64],
    limits: tuple[int, int],
) -> tuple[int, NDArray[np.int64]]:
    """Find all matches of a document's sentences with those of earlier documents, as p * (its sentences) + q."""
    near, repeats_limit = limits
    begin, end = sentences
    document = document_of[begin]
    found = 0
    for sentence in range(begin, end):
        own = class_of[sentence]
        if own < 0:
            continue
        times_seen[own] += 1
        if times_seen[own] > repeats_limit:
            continue
        for place in range(alike[0][own] - 1, alike[0][own + 1]):
            number = own if place < alike[0][own] else alike[1][place]
            class_members = members[1][members[0][number] : members[0][number + 1]]
            found, points = _add_points(
                (sentence - begin, times_seen[own], end - begin),
                document_of,
                class_members,
                document,
                found,
                points,
                near,
            )
    for sentence in range(begin, end):
        if class_of[sentence] >= 0:
            times_seen[class_of[sentence]] = 0
    return found, points


@compiled
def _chain(
    p: NDArray[np.int64],
    q: NDArray[np.int64],
    weights: NDArray[np.int64],
    alive: NDArray[np.bool_],
    starts: NDArray[np.int64],
    gap: int,
    scores: NDArray[np.int64],
    previous: NDArray[np.int64],
) -> int:
    """Return the last point of the heaviest chain, the first such in text order; write scores and previous points.

    Points with equal p are side by side, by ascending q; ``starts`` has the first of them for each point.
    """
    best = -1
    for point in range(p.size):
        previous[point] = -1
        if not alive[point]:
            continue
        scores[point] = weights[point]
        end = starts[point]
        while end > 0 and p[point] - p[end - 1] <= gap + 1:
            start = starts[end - 1]
            earlier = start + np.searchsorted(q[start:end], q[point]) - 1
            while earlier >= start and q[point] - q[earlier] <= gap + 1:
                score = scores[earlier] + weights[point]
                if alive[earlier] and score > scores[point]:
                    scores[point], previous[point] = score, earlier
                earlier -= 1
            end = start
        if best < 0 or scores[point] > scores[best]:
            best = point
    return best


@compiled
def _take(
    p: NDArray[np.int64],
    q: NDArray[np.int64],
    alive: NDArray[np.bool_],
    previous: NDArray[np.int64],
    last: int,
    taken: NDArray[np.bool_],
) -> tuple[int, int]:
    """Remove the sentences of a chain; return its first point and its length. ``taken`` is restored at the end."""
    point, first, number = last, last, 0
    while point >= 0:
        taken[p[point]] = taken[q[point]] = True
        first = point
        number += 1
        point = previous[point]
    for other in range(p.size):
        if taken[p[other]] or taken[q[other]]:
            alive[other] = False
    point = last
    while point >= 0:
        taken[p[point]] = taken[q[point]] = False
        point = previous[point]
    return first, number


@compiled
def _passages_of_pair(
    p: NDArray[np.int64],
    q: NDArray[np.int64],
    weights: NDArray[np.int64],
    limits: tuple[int, int, int],
    taken: NDArray[np.bool_],
    rows: NDArray[np.int64],
    matches: NDArray[np.int64],
) -> tuple[int, int]:
    """Write the passages of two documents, heaviest first, to columns 2 to 7 of ``rows``; return the counts."""
    gap, min_sentences, min_words = limits
    alive = np.ones(p.size, np.bool_)
    scores, previous = np.zeros(p.size, np.int64), np.empty(p.size, np.int64)
    starts = np.zeros(p.size, np.int64)
    for point in range(1, p.size):
        starts[point] = starts[point - 1] if p[point] == p[point - 1] else point
    passages, pairs = 0, 0
    while True:
        last = _chain(p, q, weights, alive, starts, gap, scores, previous)
        if last < 0 or scores[last] < min_words:
            return passages, pairs
        start, number = _take(p, q, alive, previous, last, taken)
        if number < min_sentences:
            continue
        row = rows[passages]
        row[2], row[3], row[4], row[5] = p[start], p[last], q[start], q[last]
        row[6], row[7] = number, scores[last]
        passages += 1
        point = last
        for at in range(pairs + number - 1, pairs - 1, -1):
            matches[at, 0], matches[at, 1] = p[point], q[point]
            point = previous[point]
        pairs += number


@compiled
def find_passages(
    first: NDArray[np.int64],
    document_of: NDArray[np.int32],
    lengths: NDArray[np.int64],
    class_of: NDArray[np.int32],
    members: tuple[NDArray[np.int64], NDArray[np.int64]],
    alike: tuple[NDArray[np.int64], NDArray[np.int32]],
    limits: tuple[int, int, int, int, int],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Find the passages of every two documents.

    Args:
        first: int64 (documents + 1,), first sentence of each document.
        document_of: int32 (sentences,).
        lengths: int64 (sentences,), number of words.
        class_of: int32 (sentences,), -1 for sentences without a match.
        members: bounds and sentences of each class, ascending.
        alike: bounds and other classes of each class.
        limits: maximum number of sentences between two points of a chain, on either side; minimum number of sentence
            pairs of a passage; minimum number of its words; ``NEAR`` and ``REPEATS`` of ``passage_chains``.

    Returns:
        Passages, int64 (passages, 8), ``COLUMNS``, the document with the smaller number as a; and the sentence pairs of
        all passages, concatenated, int64 (pairs, 2), those of each passage in text order.
    """
    passages, matches = np.empty((1024, 8), np.int64), np.empty((1024, 2), np.int64)
    passage, match = 0, 0
    points = np.empty(1024, np.int64)
    times_seen = np.zeros(members[0].size - 1, np.int32)
    taken = np.zeros(document_of.size, np.bool_)
    for b in range(first.size - 1):
        size = first[b + 1] - first[b]
        if size == 0:
            continue
        found, points = _points(
            (first[b], first[b + 1]), document_of, class_of, members, alike, times_seen, points, (limits[3], limits[4])
        )
        ordered = np.sort(points[:found])
        begin = 0
        while begin < found:
            a = document_of[ordered[begin] // size]
            end = begin + 1
            while end < found and document_of[ordered[end] // size] == a:
                end += 1
            p, q = ordered[begin:end] // size, ordered[begin:end] % size + first[b]
            begin = end
            weights = np.minimum(lengths[p], lengths[q])
            if p.size < limits[1] or weights.sum() < limits[2]:
                continue
            # A passage uses up at least one point.
            while passage + p.size > passages.shape[0]:
                passages = _more(passages)
            while match + p.size > matches.shape[0]:
                matches = _more(matches)
            new, more = _passages_of_pair(p, q, weights, limits[:3], taken, passages[passage:], matches[match:])
            passages[passage : passage + new, 0] = a
            passages[passage : passage + new, 1] = b
            passage += new
            match += more
    return passages[:passage], matches[:match]
