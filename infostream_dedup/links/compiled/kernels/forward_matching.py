"""Count how many key terms of a document other documents contain, for all counts of at least k_min.

With m key terms, rarest first, a document with k_min of them has one of the first m - k_min + 1, two of the first
m - k_min + 2, and so on. So only the first lists set counters; the others, which are the longest, count only for
documents that have been counted often enough. This is the prefix filter of set similarity joins (Chaudhuri, Ganti and
Kaushik, ICDE 2006), exact for every k >= k_min. No list of candidates is kept: a second walk along the first lists
finds the links and sets the counters to zero.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from infostream_dedup.machine.compiling import compiled, prefetch

if TYPE_CHECKING:
    from infostream_dedup.machine.arrays import Table, Vector

__all__ = ["Lists", "Questions", "Scratch", "match_rows"]

_LINE = 16
"""Postings in a cache line."""

_AHEAD = 512
"""Postings of each list to fetch while the question before is counted; the processor itself fetches the rest of longer
lists."""


class Questions(NamedTuple):
    """Documents that ask which others contain their key terms.

    Attributes:
        indptr: int64 (questions + 1,), start of each question's key terms in ``ranks``.
        ranks: uint32, key terms as ranks, ascending in a question, that is, rarest first; at most 255 in each.
        itself: int64 (questions,), place of the asking document in the lists, -1 if it is not in them. A
            document is never linked to itself.
    """

    indptr: Vector[np.int64]
    ranks: Vector[np.uint32]
    itself: Vector[np.int64]


class Lists(NamedTuple):
    """Posting lists of the documents to search.

    Attributes:
        starts: int64 (shards, ranks + 1), start of each posting list in ``postings``.
        postings: uint32, documents as places within their shard, ascending in a list.
        shard_size: places in a shard.
    """

    starts: Table[np.int64]
    postings: Vector[np.uint32]
    shard_size: int


class Scratch(NamedTuple):
    """Arrays that one thread works in.

    Attributes:
        hits: uint8 (shard_size,), zeros between calls.
        links: uint64, receives links.
    """

    hits: Vector[np.uint8]
    links: Vector[np.uint64]


@compiled
def _count_all(postings: Vector[np.uint32], begin: int, end: int, hits: Vector[np.uint8]) -> None:
    for position in range(begin, end):
        hits[postings[position]] += np.uint8(1)


@compiled
def _count_promising(postings: Vector[np.uint32], begin: int, end: int, needed: int, hits: Vector[np.uint8]) -> None:
    # So few places pass that a branch is better than writing to all counters.
    for position in range(begin, end):
        place = postings[position]
        if hits[place] >= needed:
            hits[place] += np.uint8(1)


@compiled
def _count_row(
    row: int, starts: Vector[np.int64], questions: Questions, lists: Lists, k_min: int, hits: Vector[np.uint8]
) -> None:
    end = questions.indptr[row + 1]
    for at in range(questions.indptr[row], end):
        rank = questions.ranks[at]
        needed = k_min - (end - at)
        if needed <= 0:
            _count_all(lists.postings, starts[rank], starts[rank + 1], hits)
        else:
            _count_promising(lists.postings, starts[rank], starts[rank + 1], needed, hits)


@compiled
def _write_links(
    postings: Vector[np.uint32], begin: int, end: int, head: np.uint64, k_min: int, scratch: Scratch, written: int
) -> int:
    """Write the places of a list that were counted often enough, and set the counters of all its places to zero."""
    hits, links = scratch.hits, scratch.links
    for position in range(begin, end):
        place = postings[position]
        count = hits[place]
        hits[place] = np.uint8(0)
        if count >= k_min:
            links[written] = head + (np.uint64(place) << np.uint64(8) | np.uint64(count))
            written += 1
    return written


@compiled
def _prefetch_lists(row: int, starts: Vector[np.int64], questions: Questions, lists: Lists) -> None:
    for at in range(questions.indptr[row], questions.indptr[row + 1]):
        rank = questions.ranks[at]
        begin = starts[rank]
        for position in range(begin, min(starts[rank + 1], begin + _AHEAD), _LINE):
            prefetch(lists.postings, position)


@compiled
def match_rows(first: int, last: int, questions: Questions, lists: Lists, k_min: int, scratch: Scratch) -> int:
    """Write the links of questions first to last - 1 to ``scratch.links``, in no particular order.

    Args:
        first: first question.
        last: question after the last; at most 2**24 from ``first``.
        questions: asking documents.
        lists: posting lists of the documents to search.
        k_min: minimum count of a link, at least 1.
        scratch: receives ``(question - first) << 40 | place << 8 | count`` in ``links``.

    Returns:
        The number of links written, or -1 if there is no room for them: then ask fewer questions.
    """
    written = 0
    for shard in range(lists.starts.shape[0]):
        base, starts = shard * lists.shard_size, lists.starts[shard]
        for row in range(first, last):
            if written + lists.shard_size > scratch.links.size:
                return -1
            if row + 1 < last:
                _prefetch_lists(row + 1, starts, questions, lists)
            _count_row(row, starts, questions, lists, k_min, scratch.hits)
            own = questions.itself[row] - base
            if 0 <= own < lists.shard_size:
                scratch.hits[own] = np.uint8(0)
            head = np.uint64(row - first) << np.uint64(40) | np.uint64(base) << np.uint64(8)
            for at in range(questions.indptr[row], questions.indptr[row + 1] - k_min + 1):
                begin, end = starts[questions.ranks[at]], starts[questions.ranks[at] + 1]
                written = _write_links(lists.postings, begin, end, head, k_min, scratch, written)
    return written
