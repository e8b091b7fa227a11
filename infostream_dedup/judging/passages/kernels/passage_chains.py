"""Chaining matching sentences of two documents into passages, for one document against all earlier ones.

Qi Zhang, Yue Zhang, Haomin Yu, Xuanjing Huang: Efficient partial-duplicate detection based on sequence matching, SIGIR
2010 (its abstract; the rules of a chain are ours). Sentences p and q that match are a point; one point may follow
another when both p and q have grown by 1 to gap + 1. The chain with the most words is a passage; its
sentences are removed, and the search is repeated.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from infostream_dedup.machine.compiling import compiled

if TYPE_CHECKING:
    from infostream_dedup.machine.arrays import Table, Vector

COLUMNS: Final = ("a", "b", "first_a", "last_a", "first_b", "last_b", "sentences", "words")
"""Columns of the table of passages: document and first and last sentence on both sides, matched sentence pairs, and the
words of the shorter sentence of each pair."""


class Classes(NamedTuple):
    """Which sentences match.

    Attributes:
        begins: int64 (classes + 1,), bounds of the members of each class.
        members: int64, sentences of each class, ascending.
        alike_begins: int64 (classes + 1,), bounds of the classes that each class matches.
        alike: int32, these classes.
    """

    begins: Vector[np.int64]
    members: Vector[np.int64]
    alike_begins: Vector[np.int64]
    alike: Vector[np.int32]


class ChainScratch(NamedTuple):
    """Memory for the points of a document.

    Attributes:
        points: int64, points of a document, as p * (its sentences) + q; the other arrays are as long.
        p: int64, earlier sentences of the points of two documents.
        q: int64, later sentences.
        weights: int64, words of each point.
        alive: bool, whether both sentences of a point are still there.
        scores: int64, words of the heaviest chain that ends in each point.
        previous: int64, point before each one in this chain.
        starts: int64, first of the points with the same p.
        times_seen: int32 (classes,), zeros.
        taken: bool (sentences,), false.
    """

    points: Vector[np.int64]
    p: Vector[np.int64]
    q: Vector[np.int64]
    weights: Vector[np.int64]
    alive: Vector[np.bool_]
    scores: Vector[np.int64]
    previous: Vector[np.int64]
    starts: Vector[np.int64]
    times_seen: Vector[np.int32]
    taken: Vector[np.bool_]


@compiled
def _add_points(
    own: tuple[int, int, int],
    document_of: Vector[np.int32],
    class_members: Vector[np.int64],
    document: int,
    found: int,
    points: Vector[np.int64],
    near: int,
) -> int:
    """Match one sentence (its position, its occurrence, the size of its document) with earlier members of a class.

    Points beyond the room are counted, but not written.
    """
    place, occurrence, size = own
    before, repeats = -1, 0
    for other in class_members:
        if document_of[other] >= document:
            break
        repeats = repeats + 1 if document_of[other] == before else 1
        before = document_of[other]
        if abs(repeats - occurrence) > near:
            continue
        if found < points.size:
            points[found] = other * size + place
        found += 1
    return found


@compiled
def _points(
    begin: int,
    end: int,
    document_of: Vector[np.int32],
    class_of: Vector[np.int32],
    classes: Classes,
    scratch: ChainScratch,
    near: int,
    repeats_limit: int,
) -> int:
    """Write all matches of a document's sentences with those of earlier documents; return their number."""
    document = document_of[begin]
    times_seen = scratch.times_seen
    found = 0
    for sentence in range(begin, end):
        own = class_of[sentence]
        if own < 0:
            continue
        times_seen[own] += 1
        if times_seen[own] > repeats_limit:
            continue
        for place in range(classes.alike_begins[own] - 1, classes.alike_begins[own + 1]):
            number = own if place < classes.alike_begins[own] else classes.alike[place]
            class_members = classes.members[classes.begins[number] : classes.begins[number + 1]]
            sized = (sentence - begin, times_seen[own], end - begin)
            found = _add_points(sized, document_of, class_members, document, found, scratch.points, near)
    for sentence in range(begin, end):
        if class_of[sentence] >= 0:
            times_seen[class_of[sentence]] = 0
    return found


@compiled
def _chain(
    p: Vector[np.int64],
    q: Vector[np.int64],
    weights: Vector[np.int64],
    alive: Vector[np.bool_],
    starts: Vector[np.int64],
    gap: int,
    scores: Vector[np.int64],
    previous: Vector[np.int64],
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
    p: Vector[np.int64],
    q: Vector[np.int64],
    alive: Vector[np.bool_],
    previous: Vector[np.int64],
    last: int,
    taken: Vector[np.bool_],
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
    size: int,
    limits: tuple[int, int, int, int, int],
    scratch: ChainScratch,
    rows: Table[np.int64],
    matches: Table[np.int64],
) -> tuple[int, int]:
    """Write the passages of two documents, heaviest first, to columns 2 to 7 of ``rows``; return the counts."""
    gap, min_sentences, min_words, _, _ = limits
    p, q, alive = scratch.p[:size], scratch.q[:size], scratch.alive
    scores, previous, starts = scratch.scores, scratch.previous, scratch.starts
    for point in range(size):
        alive[point] = True
        scores[point] = 0
        starts[point] = starts[point - 1] if point and p[point] == p[point - 1] else point
    passages, pairs = 0, 0
    while True:
        last = _chain(p, q, scratch.weights, alive, starts, gap, scores, previous)
        if last < 0 or scores[last] < min_words:
            return passages, pairs
        start, number = _take(p, q, alive, previous, last, scratch.taken)
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
    first: Vector[np.int64],
    document_of: Vector[np.int32],
    lengths: Vector[np.int64],
    class_of: Vector[np.int32],
    classes: Classes,
    limits: tuple[int, int, int, int, int],
    scratch: ChainScratch,
    document: int,
    passages: Table[np.int64],
    matches: Table[np.int64],
    used: Vector[np.int64],
) -> int:
    """Find the passages of every two documents until memory runs out.

    Args:
        first: int64 (documents + 1,), first sentence of each document.
        document_of: int32 (sentences,).
        lengths: int64 (sentences,), number of words.
        class_of: int32 (sentences,), -1 for sentences without a match.
        classes: which sentences match.
        limits: maximum number of sentences between two points of a chain, on either side; minimum number of sentence
            pairs of a passage; minimum number of its words; ``NEAR`` and ``REPEATS`` of ``passage_chains``.
        scratch: memory for points.
        document: document to begin with: 0, then what the last call returned.
        passages: int64 (room, 8), receives ``COLUMNS``, the document with the smaller number as a.
        matches: int64 (room, 2), receives the sentence pairs of all passages, those of each passage in text order.
        used: int64 (5,), number of passages and of sentence pairs so far, then the number of points, passages and
            pairs for which the document returned needs room.

    Returns:
        The document that needs more room; the number of documents when all are done.
    """
    for b in range(document, first.size - 1):
        size = first[b + 1] - first[b]
        if size == 0:
            continue
        found = _points(first[b], first[b + 1], document_of, class_of, classes, scratch, limits[3], limits[4])
        used[2] = found
        if found > scratch.points.size:
            return b
        ordered = scratch.points[:found]
        ordered.sort()
        passage, match, begin = used[0], used[1], 0
        while begin < found:
            a = document_of[ordered[begin] // size]
            points, words = 0, 0
            while begin < found and document_of[ordered[begin] // size] == a:
                p, q = ordered[begin] // size, ordered[begin] % size + first[b]
                scratch.p[points], scratch.q[points] = p, q
                scratch.weights[points] = min(lengths[p], lengths[q])
                words += scratch.weights[points]
                points += 1
                begin += 1
            if points < limits[1] or words < limits[2]:
                continue
            # A passage uses up at least one point.
            used[3], used[4] = passage + points, match + points
            if used[3] > passages.shape[0] or used[4] > matches.shape[0]:
                return b
            new, more = _passages_of_pair(points, limits, scratch, passages[passage:], matches[match:])
            for row in range(passage, passage + new):
                passages[row, 0], passages[row, 1] = a, b
            passage += new
            match += more
        used[0], used[1] = passage, match
    return first.size - 1
