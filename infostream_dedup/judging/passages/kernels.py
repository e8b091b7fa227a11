"""From bags of words to passages: pairs of bags that resemble each other, and chains of sentences."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from infostream_dedup.machine.arrays import GOLDEN, Bools, Int32s, Ints, Table, Uint64s
from infostream_dedup.machine.compiling import compiled

# Pairs of bags that resemble each other: inverted lists of the rarest elements, pruned by size and position.
#
# Bags are rows of element ranks, rarest first, repetitions side by side; rows are in order of size. C. Xiao, W. Wang,
# X. Lin, J. X. Yu: Efficient similarity joins for near duplicate detection, WWW 2008 (PPJoin). Repetitions need no
# numbers: two rows that share the second x also share the first, which precedes it.

_SLACK: Final = 1e-9


@compiled
def sort_rows(indptr: Ints, ranks: Int32s, hashes: Uint64s) -> None:
    """Sort every row of ``ranks`` in place, and write a hash of each to ``hashes``; equal rows have equal hashes."""
    for row in range(hashes.size):
        begin, end = indptr[row], indptr[row + 1]
        ranks[begin:end].sort()
        # Mix well from the start: combinations of small numbers would soon collide.
        value64 = np.uint64(end - begin + 1) * np.uint64(0xD1342543DE82EF95)
        value64 ^= value64 >> np.uint64(32)
        for place in range(begin, end):
            value64 = (value64 ^ np.uint64(ranks[place])) * np.uint64(GOLDEN)
            value64 ^= value64 >> np.uint64(29)
        hashes[row] = value64


def _overlap(ranks: Int32s, a: int, a_end: int, b: int, b_end: int, needed: int) -> int:
    """Return the size of the intersection of two sorted bags, or less than ``needed`` as soon as that is certain."""
    met = 0
    while a < a_end and b < b_end:
        if met + min(a_end - a, b_end - b) < needed:
            return met
        if ranks[a] == ranks[b]:
            met += 1
            a += 1
            b += 1
        elif ranks[a] < ranks[b]:
            a += 1
        else:
            b += 1
    return met


def _listed(size: int, tau: float) -> int:
    """Return how many elements of a row to index: every similar row of at least its size shares one of them."""
    return size - int(np.ceil(2 * tau / (1 + tau) * size - _SLACK)) + 1


class SortedBags(NamedTuple):
    """Bags as rows in ascending order of size, none of them empty, and which of them are similar."""

    indptr: Ints  # int64 (rows + 1,)
    ranks: Int32s  # int32, ascending in a row; rank 0 is the rarest element
    # Number of elements that occur once in the collection, as most shingles do. They have the first ranks; they count
    # towards sizes, but are never looked up.
    lonely: int
    tau: float  # least multiset Jaccard, more than 0, at most 1
    most: int  # maximum number of partners of a row that has any


class InvertedLists(NamedTuple):
    """Which rows have each element that is not lonely, among those that index it; repetitions leave gaps."""

    heads: Ints  # int64 (elements,), begin of each list; advanced as rows become too small
    tails: Ints  # int64 (elements,), end of each list so far
    holders: Int32s  # int32, the rows
    places: Int32s  # int32, place of the element in each
    last_asked_by: Int32s  # int32 (rows,), the row that last looked at each row; -1 at first
    counts: Int32s  # int32 (rows,), zeros; receives the number of partners of each row


@compiled
def list_starts(bags: SortedBags, starts: Ints) -> None:
    """Write the start of the list of each element that is not lonely, and the end of the last one, to zeros."""
    for row in range(bags.indptr.size - 1):
        begin = bags.indptr[row]
        for place in range(begin, begin + _listed(bags.indptr[row + 1] - begin, bags.tau)):
            if bags.ranks[place] >= bags.lonely:
                starts[bags.ranks[place] - bags.lonely + 1] += 1
    for element in range(starts.size - 1):
        starts[element + 1] += starts[element]


def _first_of_size(indptr: Ints, holders: Int32s, head: int, tail: int, least: int) -> int:
    """Return the first row in a list that is large enough; sizes never decrease along a list."""
    while head < tail and indptr[holders[head] + 1] - indptr[holders[head]] < least:
        head += 1
    return head


def _partners(row: int, bags: SortedBags, lists: InvertedLists, pairs: Table[np.int32], size: int) -> int:
    """Append the pairs of a row and earlier rows that resemble it, and count them on both sides; return the new size.

    Pairs are left out, and in the end not even compared, when it is certain that one or both have too many partners.
    """
    indptr, ranks, tau, most, counts = bags.indptr, bags.ranks, bags.tau, bags.most, lists.counts
    begin, end = indptr[row], indptr[row + 1]
    words = end - begin
    least = int(np.ceil(tau * words - _SLACK))
    for place in range(begin, end - least + 1):
        element = ranks[place] - bags.lonely
        if element < 0 or (place > begin and ranks[place - 1] == ranks[place]):
            continue
        # Sizes never decrease from row to row, so a row that is too small now stays too small.
        tail = lists.tails[element]
        lists.heads[element] = _first_of_size(indptr, lists.holders, lists.heads[element], tail, least)
        for at in range(lists.heads[element], tail):
            other = lists.holders[at]
            if lists.last_asked_by[other] == row:
                continue
            lists.last_asked_by[other] = row
            if counts[row] > most and counts[other] > most:
                continue
            both = words + indptr[other + 1] - indptr[other]
            needed = int(np.ceil(tau / (1 + tau) * both - _SLACK))
            # The first shared element of two rows is found first, so nothing before it is shared.
            if _overlap(ranks, place, end, indptr[other] + lists.places[at], indptr[other + 1], needed) >= needed:
                counts[row] += 1
                counts[other] += 1
                if counts[row] <= most and counts[other] <= most:
                    pairs[size, 0], pairs[size, 1] = other, row
                    size += 1
    return size


@compiled
def find_pairs(first: int, bags: SortedBags, lists: InvertedLists, pairs: Table[np.int32], used: Ints) -> int:
    """Find all pairs of similar rows, except for rows with more than ``bags.most`` partners.

    Pairs of rows that turned out later to have too many partners must be removed in the end.

    Args:
        first: row to begin with: 0, then what the last call returned.
        bags: the rows.
        lists: empty lists as ``list_starts`` says.
        pairs: int32 (room, 2), receives the pairs, the smaller row number first.
        used: int64 (1,), number of pairs so far.

    Returns:
        The row that needs more room: there must be room for ``bags.most`` pairs; the number of rows when all are done.
    """
    size = used[0]
    indptr, ranks = bags.indptr, bags.ranks
    rows = indptr.size - 1
    for row in range(first, rows):
        if size + bags.most > pairs.shape[0]:
            return row
        size = _partners(row, bags, lists, pairs, size)
        used[0] = size
        begin = indptr[row]
        for place in range(begin, begin + _listed(indptr[row + 1] - begin, bags.tau)):
            element = ranks[place] - bags.lonely
            if element >= 0 and (place == begin or ranks[place - 1] != ranks[place]):
                at = lists.tails[element]
                lists.holders[at] = row
                lists.places[at] = place - begin
                lists.tails[element] = at + 1
    return rows


# Chaining matching sentences of two documents into passages, for one document against all earlier ones.
#
# Qi Zhang, Yue Zhang, Haomin Yu, Xuanjing Huang: Efficient partial-duplicate detection based on sequence matching,
# SIGIR 2010 (its abstract; the rules of a chain are ours). Sentences p and q that match are a point; one point may
# follow another when both p and q have grown by 1 to gap + 1. The chain with the most words is a passage; its
# sentences are removed, and the search is repeated.

COLUMNS: Final = ("a", "b", "first_a", "last_a", "first_b", "last_b", "sentences", "words")
"""Columns of the table of passages: document and first and last sentence on both sides, matched sentence pairs, and the
words of the shorter sentence of each pair."""


class Sentences(NamedTuple):
    """Sentences of all documents."""

    first: Ints  # int64 (documents + 1,), first sentence of each document
    document_of: Int32s  # int32 (sentences,)
    lengths: Ints  # int64 (sentences,), number of words
    class_of: Int32s  # int32 (sentences,), -1 for sentences without a match


class Classes(NamedTuple):
    """Which sentences match."""

    begins: Ints  # int64 (classes + 1,), bounds of the members of each class
    members: Ints  # int64, sentences of each class, ascending
    alike_begins: Ints  # int64 (classes + 1,), bounds of the classes that each class matches
    alike: Int32s  # int32, these classes


class ChainScratch(NamedTuple):
    """Memory for the points of a document."""

    points: Ints  # int64, points of a document, as p * (its sentences) + q; the other arrays are as long
    p: Ints  # int64, earlier sentences of the points of two documents
    q: Ints  # int64, later sentences
    weights: Ints  # int64, words of each point
    alive: Bools  # bool, whether both sentences of a point are still there
    scores: Ints  # int64, words of the heaviest chain that ends in each point
    previous: Ints  # int64, point before each one in this chain
    starts: Ints  # int64, first of the points with the same p
    times_seen: Int32s  # int32 (classes,), zeros
    taken: Bools  # bool (sentences,), false


def _add_points(
    own: tuple[int, int, int], document_of: Int32s, members: Ints, document: int, found: int, points: Ints, near: int
) -> int:
    """Match a sentence (position, occurrence, size of document) with earlier members; write what there is room for."""
    place, occurrence, size = own
    before, repeats = -1, 0
    for other in members:
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


def _points(
    begin: int, end: int, sentences: Sentences, classes: Classes, scratch: ChainScratch, near: int, repeats_limit: int
) -> int:
    """Write all matches of a document's sentences with those of earlier documents; return their number."""
    document_of, class_of, times_seen = sentences.document_of, sentences.class_of, scratch.times_seen
    document = document_of[begin]
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


def _chain(p: Ints, q: Ints, weights: Ints, alive: Bools, starts: Ints, gap: int, scores: Ints, previous: Ints) -> int:
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


def _take(p: Ints, q: Ints, alive: Bools, previous: Ints, last: int, taken: Bools) -> tuple[int, int]:
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
    sentences: Sentences,
    classes: Classes,
    limits: tuple[int, int, int, int, int],
    scratch: ChainScratch,
    document: int,
    passages: Table[np.int64],
    matches: Table[np.int64],
    used: Ints,
) -> int:
    """Find the passages of every two documents until memory runs out.

    Args:
        sentences: sentences of all documents.
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
    first, document_of, lengths = sentences.first, sentences.document_of, sentences.lengths
    for b in range(document, first.size - 1):
        size = first[b + 1] - first[b]
        if size == 0:
            continue
        found = _points(first[b], first[b + 1], sentences, classes, scratch, limits[3], limits[4])
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
