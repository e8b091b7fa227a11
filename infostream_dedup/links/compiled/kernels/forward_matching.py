"""Count how many key terms of a document other documents contain, for all counts of at least k_min.

With m key terms, rarest first, a document with k_min of them has t of the first m - k_min + t: only those lists
produce candidates. The later, longer lists only count for existing candidates, by walking the list or by looking the
term up in each candidate, whichever touches less. This is exact for every k >= k_min; with t = 1 it is the prefix
filter of set similarity joins (Chaudhuri, Ganti and Kaushik, ICDE 2006). A larger t walks longer lists, but leaves few
candidates.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from infostream_dedup.links.compiled.kernels.row_search import first_not_below
from infostream_dedup.machine.compiling import compiled, prefetch

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Lists", "Questions", "Scratch", "holds", "match_rows"]

_PROBE_COST = 24
"""Looking a term up in one candidate costs about as much as this many steps along a list (measured)."""

_MANY = 2000
_SHARED = 3
"""t is 3, or k_min if that is smaller, for questions whose first lists have at least 2,000 postings (measured); 1 for
others."""


class Questions(NamedTuple):
    """Documents that ask which others contain their key terms.

    Attributes:
        indptr: int64 (questions + 1,), start of each question's key terms in ``ranks``.
        ranks: uint32, key terms as ranks, ascending in a question, that is, rarest first; at most 255 in each.
        itself: int64 (questions,), place of the asking document in the lists, -1 if it is not in them. A
            document is never linked to itself.
    """

    indptr: NDArray[np.int64]
    ranks: NDArray[np.uint32]
    itself: NDArray[np.int64]


class Lists(NamedTuple):
    """Posting lists and targets of the documents to search.

    Attributes:
        terms: uint32 (ranks,), term of each rank.
        starts: int64 (shards, ranks + 1), start of each posting list in ``postings``.
        postings: uint32, documents as places within their shard, ascending in a list.
        shard_size: places in a shard.
        indptr: int64, start of each document's target in ``indices``.
        indices: uint32, target terms, ascending in a document.
        order: uint32 (places,), document at each place.
    """

    terms: NDArray[np.uint32]
    starts: NDArray[np.int64]
    postings: NDArray[np.uint32]
    shard_size: int
    indptr: NDArray[np.int64]
    indices: NDArray[np.uint32]
    order: NDArray[np.uint32]


class Scratch(NamedTuple):
    """Arrays that one thread works in.

    Attributes:
        hits: uint8 (shard_size,), zeros between calls.
        touched: uint32 (shard_size + 1,).
        links: uint64, receives links.
    """

    hits: NDArray[np.uint8]
    touched: NDArray[np.uint32]
    links: NDArray[np.uint64]


@compiled
def _make_candidates(
    postings: NDArray[np.uint32],
    begin: int,
    end: int,
    shared: int,
    hits: NDArray[np.uint8],
    touched: NDArray[np.uint32],
    found: int,
) -> int:
    for position in range(begin, end):
        document = postings[position]
        count = hits[document] + np.uint8(1)
        touched[found] = document
        found += count == shared
        hits[document] = count
    return found


@compiled
def _forget(postings: NDArray[np.uint32], begin: int, end: int, hits: NDArray[np.uint8]) -> None:
    for position in range(begin, end):
        hits[postings[position]] = np.uint8(0)


@compiled
def _drop_hopeless(hits: NDArray[np.uint8], touched: NDArray[np.uint32], found: int, needed: int) -> int:
    kept = 0
    for place in range(found):
        document = touched[place]
        before = hits[document]
        hopeful = before >= needed
        touched[kept] = document
        kept += hopeful
        hits[document] = before if hopeful else np.uint8(0)
    return kept


@compiled
def _count_by_walking(postings: NDArray[np.uint32], begin: int, end: int, hits: NDArray[np.uint8]) -> None:
    for position in range(begin, end):
        document = postings[position]
        before = hits[document]
        hits[document] = before + np.uint8(before > 0)


@compiled
def holds(indices: NDArray[np.uint32], begin: int, end: int, term: int) -> bool:
    """Whether the ascending ``indices[begin:end]`` contain a term."""
    place = first_not_below(indices, begin, end, term)
    return place < end and indices[place] == term


@compiled
def _count_by_probing(
    lists: Lists, base: int, term: int, hits: NDArray[np.uint8], touched: NDArray[np.uint32], found: int
) -> None:
    for place in range(found):
        document = lists.order[base + touched[place]]
        if holds(lists.indices, lists.indptr[document], lists.indptr[document + 1], term):
            hits[touched[place]] += np.uint8(1)


@compiled
def _shared(row: int, shard: int, questions: Questions, lists: Lists, k_min: int) -> int:
    """Number of the first terms that a candidate must share, t."""
    starts, steps = lists.starts[shard], 0
    for place in range(questions.indptr[row], questions.indptr[row + 1] - k_min + 1):
        rank = questions.ranks[place]
        steps += starts[rank + 1] - starts[rank]
    return min(k_min, _SHARED) if steps >= _MANY else 1


@compiled
def _match_row(
    row: int, shard: int, questions: Questions, lists: Lists, k_min: int, shared: int, scratch: Scratch
) -> int:
    found = 0
    starts, hits, touched = lists.starts[shard], scratch.hits, scratch.touched
    end = questions.indptr[row + 1]
    for place in range(questions.indptr[row], end):
        rank = questions.ranks[place]
        first, last = starts[rank], starts[rank + 1]
        needed = k_min - (end - place)
        if needed < shared:
            found = _make_candidates(lists.postings, first, last, shared, hits, touched, found)
            continue
        if needed > shared:
            found = _drop_hopeless(hits, touched, found, needed)
        if found * _PROBE_COST < last - first:
            _count_by_probing(lists, shard * lists.shard_size, lists.terms[rank], hits, touched, found)
        else:
            _count_by_walking(lists.postings, first, last, hits)
    return found


@compiled
def _write_links(scratch: Scratch, found: int, base: int, itself: int, k_min: int, row: int, written: int) -> int:
    for place in range(found):
        document = scratch.touched[place]
        count = scratch.hits[document]
        scratch.hits[document] = np.uint8(0)
        column = base + document
        scratch.links[written] = np.uint64(row) << np.uint64(40) | np.uint64(column) << np.uint64(8) | np.uint64(count)
        written += (count >= k_min) & (column != itself)
    return written


@compiled
def _forget_row(
    row: int, shard: int, questions: Questions, lists: Lists, k_min: int, shared: int, scratch: Scratch
) -> None:
    """Set the counters of all documents that ``_match_row`` counted to zero."""
    starts, end = lists.starts[shard], questions.indptr[row + 1]
    for place in range(questions.indptr[row], end - k_min + shared):
        rank = questions.ranks[place]
        _forget(lists.postings, starts[rank], starts[rank + 1], scratch.hits)


@compiled
def _prefetch_lists(row: int, shard: int, questions: Questions, lists: Lists) -> None:
    starts = lists.starts[shard]
    for place in range(questions.indptr[row], questions.indptr[row + 1]):
        prefetch(lists.postings, starts[questions.ranks[place]])


@compiled
def match_rows(first: int, last: int, questions: Questions, lists: Lists, k_min: int, scratch: Scratch) -> int:
    """Write the links of questions first to last - 1 to ``scratch.links``, in no particular order.

    Args:
        first: first question.
        last: question after the last; at most 2**24 from ``first``.
        questions: asking documents.
        lists: posting lists and targets of the documents to search.
        k_min: minimum count of a link, at least 1.
        scratch: receives ``(question - first) << 40 | place << 8 | count`` in ``links``.

    Returns:
        The number of links written, or -1 if there is no room for them: then ask fewer questions.
    """
    written = 0
    for shard in range(lists.starts.shape[0]):
        base = shard * lists.shard_size
        for row in range(first, last):
            if written + lists.shard_size > scratch.links.size:
                return -1
            if row + 1 < last:
                _prefetch_lists(row + 1, shard, questions, lists)
            shared = _shared(row, shard, questions, lists, k_min)
            found = _match_row(row, shard, questions, lists, k_min, shared, scratch)
            itself = questions.itself[row]
            written = _write_links(scratch, found, base, itself, k_min, row - first, written)
            if shared > 1:
                _forget_row(row, shard, questions, lists, k_min, shared, scratch)
    return written
