"""From posting lists of key terms to sorted rows of links."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from infostream_dedup.links.compiled.kernels.rows import LinkArrays, count_held, first_not_below, holds
from infostream_dedup.links.compiled.term_rows import TermRows
from infostream_dedup.machine.arrays import Int32s, Ints, Table, Uint8s, Uint32s, Uint64s
from infostream_dedup.machine.compiling import compiled, signed

# Posting lists of the key terms: the documents that contain a term, in shards of documents


@compiled
def count_postings(rows: TermRows, order: Uint32s, counts: Ints) -> None:
    """Add to ``counts[term]`` the documents in ``order`` that contain the term."""
    for place in range(order.size):
        document = order[place]
        for position in range(rows.indptr[document], rows.indptr[document + 1]):
            counts[rows.indices[position]] += 1


@compiled
def fill_postings(rows: TermRows, order: Uint32s, rank: Int32s, cursor: Ints, postings: Uint32s) -> None:
    """Write the place of each document in ``order`` into the lists of its terms, which are then ascending."""
    for place in range(order.size):
        document = order[place]
        for position in range(rows.indptr[document], rows.indptr[document + 1]):
            term = rank[rows.indices[position]]
            if term >= 0:
                postings[cursor[term]] = place
                cursor[term] += 1


@compiled
def rank_rows(rows: TermRows, order: Uint32s, rank: Int32s, indptr: Ints, ranks: Uint32s) -> int:
    """Write the ranks of each place's ranked terms, ascending in a row; returns their number."""
    written = 0
    for place in range(order.size):
        document = order[place]
        for position in range(rows.indptr[document], rows.indptr[document + 1]):
            term = rank[rows.indices[position]]
            if term >= 0:
                ranks[written] = term
                written += 1
        ranks[indptr[place] : written].sort()
        indptr[place + 1] = written
    return written


@compiled
def place_amounts(
    rows: TermRows, amounts: Uint8s, order: Uint32s, rank: Int32s, indptr: Ints, ranks: Uint32s, placed: Uint8s
) -> None:
    """Write the amount of each term, given as in ``rows``, in the order of ``ranks``, as ``rank_rows`` wrote them."""
    for place in range(order.size):
        document = order[place]
        for position in range(rows.indptr[document], rows.indptr[document + 1]):
            term = rank[rows.indices[position]]
            if term >= 0:
                placed[first_not_below(ranks, indptr[place], indptr[place + 1], int(term))] = amounts[position]


# Count how many key terms of a document other documents contain, for all counts of at least k_min. Each term counts
# one, or another amount.
#
# With m key terms, rarest first, a document with k_min of them has one of the first m - k_min + 1, two of the first m
# - k_min + 2, and so on. So only the first lists set counters; the others, which are the longest, count only for
# documents that have been counted often enough. This is the prefix filter of set similarity joins (Chaudhuri, Ganti
# and Kaushik, ICDE 2006), exact for every k >= k_min. A second walk along the first lists sets their counters to zero
# and finds the documents that can still be linked, mostly few, so that the longest lists need not be read.


class Questions(NamedTuple):
    """Documents that ask which others contain their key terms."""

    indptr: Ints  # int64 (questions + 1,), start of each question's key terms in `ranks`
    # uint32, key terms as ranks, ascending in a question, that is, rarest first; at most 255 in each
    ranks: Uint32s
    amounts: Uint8s  # uint8, what each key term counts: one, or more; at most 255 in all in each question
    # int64 (questions,), place of the asking document in the lists, -1 if it is not in them. A document is never linked
    # to itself
    itself: Ints


class Lists(NamedTuple):
    """Posting lists of the documents to search."""

    starts: Table[np.int64]  # int64 (shards, ranks + 1), start of each posting list in `postings`
    postings: Uint32s  # uint32, documents as places within their shard, ascending in a list
    shard_size: int  # places in a shard


class Scratch(NamedTuple):
    """Arrays that one thread works in."""

    hits: Uint8s  # uint8 (shard_size,), zeros between calls
    links: Uint64s  # uint64, receives links


def _count_all(postings: Uint32s, begin: int, end: int, amount: np.uint8, hits: Uint8s) -> None:
    for position in range(begin, end):
        hits[postings[position]] += amount


def _count_promising(postings: Uint32s, begin: int, end: int, needed: int, amount: np.uint8, hits: Uint8s) -> None:
    # So few places pass that a branch is better than writing to all counters.
    for position in range(begin, end):
        place = postings[position]
        if hits[place] >= needed:
            hits[place] += amount


def _write_links(
    postings: Uint32s, begin: int, end: int, head: np.uint64, k_min: int, scratch: Scratch, written: int
) -> int:
    """Write the places of a list that were counted ``k_min`` times or more, and set all its counters to zero."""
    hits, links = scratch.hits, scratch.links
    for position in range(begin, end):
        place = postings[position]
        count = hits[place]
        hits[place] = np.uint8(0)
        if count >= k_min:
            links[written] = head + (np.uint64(place) << np.uint64(8) | np.uint64(count))
            written += 1
    return written


_PROBED = 16  # number of postings that are counted in the time that it takes to find a place among them


def _match_row(
    first: int, row: int, shard: int, questions: Questions, lists: Lists, k_min: int, scratch: Scratch, written: int
) -> int:
    """Write the links of a question to a shard; arguments as in ``match_rows``. Returns the number of all links."""
    base, starts = shard * lists.shard_size, lists.starts[shard]
    head = np.uint64(row - first) << np.uint64(40) | np.uint64(base) << np.uint64(8)
    hits, links, postings, last = scratch.hits, scratch.links, lists.postings, questions.indptr[row + 1]
    needed, at, walked, rest = k_min, questions.indptr[row], 0, 0
    for one in range(at, last):
        needed -= signed(questions.amounts[one])
        rest += starts[questions.ranks[one] + 1] - starts[questions.ranks[one]]
    before, one = needed, at
    # With two thirds of what a link needs, few places are left (measured).
    while at < last and (3 * needed < 2 * k_min or rest <= walked):
        amount, begin, end = questions.amounts[at], starts[questions.ranks[at]], starts[questions.ranks[at] + 1]
        if needed <= 0:
            _count_all(postings, begin, end, amount, hits)
            walked += end - begin
        else:
            _count_promising(postings, begin, end, needed, amount, hits)
        rest -= end - begin
        needed += signed(amount)
        at += 1
    own = questions.itself[row] - base
    if 0 <= own < lists.shard_size:
        hits[own] = np.uint8(0)
    found = written
    while one < at and before <= 0:
        begin, end = starts[questions.ranks[one]], starts[questions.ranks[one] + 1]
        found = _write_links(postings, begin, end, head, needed, scratch, found)
        before += signed(questions.amounts[one])
        one += 1
    if at == last:
        return found
    for link in range(written, found):
        hits[(links[link] - head) >> np.uint64(8)] = np.uint8(links[link] & np.uint64(255))
    while at < last:
        amount, begin, end = questions.amounts[at], starts[questions.ranks[at]], starts[questions.ranks[at] + 1]
        if (found - written) * _PROBED >= end - begin:
            _count_promising(postings, begin, end, needed, amount, hits)
        else:
            for link in range(written, found):
                place = np.int64((links[link] - head) >> np.uint64(8))
                if holds(postings, begin, end, signed(place)):
                    hits[place] += amount
        needed += signed(amount)
        at += 1
    for link in range(written, found):
        place = np.int64((links[link] - head) >> np.uint64(8))
        if hits[place] >= k_min:
            links[written] = head + (np.uint64(place) << np.uint64(8) | np.uint64(hits[place]))
            written += 1
        hits[place] = np.uint8(0)
    return written


@compiled
def match_rows(first: int, last: int, questions: Questions, lists: Lists, k_min: int, scratch: Scratch) -> int:
    """Write the links of questions first to last - 1 to ``scratch.links``, in no particular order.

    ``first``: first question; ``last``: question after the last; at most 2**24 from ``first``; ``questions``: asking
    documents; ``lists``: posting lists of the documents to search; ``k_min``: minimum count of a link, at least 1;
    ``scratch``: receives ``(question - first) << 40 | place << 8 | count`` in ``links``. Returns the number of links
    written, or -1 if there is no room for them: then ask fewer questions.
    """
    written = 0
    for shard in range(lists.starts.shape[0]):
        for row in range(first, last):
            if written + lists.shard_size > scratch.links.size:
                return -1
            written = _match_row(first, row, shard, questions, lists, k_min, scratch, written)
    return written


# Expand links between nodes into sorted rows of links between documents


class Members(NamedTuple):
    """What each place represents: its documents, or its node."""

    indptr: Ints  # int64 (places + 1,), start of each place's members
    numbers: Ints  # int64, documents or nodes, place by place


class LinkRows(NamedTuple):
    """Links of consecutive places."""

    first: int  # the first place
    lengths: Ints  # int64 (rows,), links of each row
    columns: Int32s  # int32, members, ascending in a row
    counts: Uint8s  # uint8, number of shared key terms


@compiled
def own_counts(documents: Ints, keys: TermRows, targets: TermRows, counts: Uint8s) -> None:
    """Set ``counts[i]`` to the number of key terms of ``documents[i]`` in its own target."""
    for place in range(documents.size):
        counts[place] = count_held(documents[place], documents[place], keys, targets)


@compiled
def count_expanded(links: Uint64s, members: Members) -> int:
    """Number of links once each column, a place, is replaced by its members."""
    total = 0
    for position in range(links.size):
        place = np.int64(links[position] >> np.uint64(8)) & 0xFFFFFFFF
        total += members.indptr[place + 1] - members.indptr[place]
    return total


@compiled
def expand(links: Uint64s, first: int, last: int, inside: Uint8s, k_min: int, members: Members, found: Uint64s) -> int:
    """Replace each column by its members, and link the members of one place to each other (and themselves).

    Returns the number of links written; ``found`` needs room for ``count_expanded`` plus the members of the rows.
    """
    written = 0
    for position in range(links.size):
        link = links[position]
        place = np.int64(link >> np.uint64(8)) & 0xFFFFFFFF
        rest = (link >> np.uint64(40)) << np.uint64(40) | (link & np.uint64(255))
        for member in range(members.indptr[place], members.indptr[place + 1]):
            found[written] = rest | np.uint64(members.numbers[member]) << np.uint64(8)
            written += 1
    for row in range(first, last):
        if members.indptr[row + 1] - members.indptr[row] > 1 and inside[row] >= k_min:
            rest = np.uint64(row - first) << np.uint64(40) | np.uint64(inside[row])
            for member in range(members.indptr[row], members.indptr[row + 1]):
                found[written] = rest | np.uint64(members.numbers[member]) << np.uint64(8)
                written += 1
    return written


@compiled
def split(links: Uint64s, rows: LinkRows) -> None:
    """Split sorted links into the length of each row, columns and counts."""
    for position in range(links.size):
        link = links[position]
        rows.lengths[np.int64(link >> np.uint64(40))] += 1
        rows.columns[position] = np.int32(np.int64(link >> np.uint64(8)) & 0xFFFFFFFF)
        rows.counts[position] = np.uint8(link & np.uint64(255))


@compiled
def copy_rows(rows: LinkRows, members: Members, links: LinkArrays) -> None:
    """Copy the row of each place to all its members, leaving out each member's link to itself."""
    begin = 0
    for row in range(rows.lengths.size):
        end = begin + rows.lengths[row]
        for member in range(members.indptr[rows.first + row], members.indptr[rows.first + row + 1]):
            number = members.numbers[member]
            target = links.indptr[number]
            for position in range(begin, end):
                if rows.columns[position] != number:
                    links.columns[target] = rows.columns[position]
                    links.counts[target] = rows.counts[position]
                    target += 1
        begin = end


@compiled
def matched_weights(
    first: int, last: int, links: LinkArrays, keys: TermRows, key_weights: Ints, targets: TermRows, matched: Ints
) -> None:
    """Sum, for each link of rows first to last - 1, the weights of the asking document's key terms that are shared."""
    for row in range(first, last):
        for link in range(links.indptr[row], links.indptr[row + 1]):
            answer = links.columns[link]
            total = np.int64(0)
            for position in range(keys.indptr[row], keys.indptr[row + 1]):
                begin, end = targets.indptr[answer], targets.indptr[answer + 1]
                if holds(targets.indices, begin, end, keys.indices[position]):
                    total += key_weights[position]
            matched[link] = total


class Matches(NamedTuple):
    """What matches in pairs of documents, forward and backward."""

    counts: Table[np.int64]  # int64 (2, pairs), zeros, receives the key terms of one document that the other has
    matched: Table[np.int64]  # int64 (2, pairs), zeros, receives their weight
    ends: Ints  # int64 (pairs + 1,), zeros, receives the bounds of each pair in the next two
    terms: Int32s  # int32, receives what matches in either direction, heaviest first, equals ascending
    weights: Ints  # int64, receives the weight of each, summed over both directions


@compiled
def match_pairs(pairs: Table[np.int64], keys: TermRows, key_weights: Ints, targets: TermRows, found: Matches) -> None:
    """Find what matches in pairs, int64 (2, pairs); ``found`` has room for all key terms of both documents."""
    for pair in range(pairs.shape[1]):
        begin = end = found.ends[pair]
        for side in range(2):
            asking, answering = pairs[side, pair], pairs[1 - side, pair]
            first, last = targets.indptr[answering], targets.indptr[answering + 1]
            for place in range(keys.indptr[asking], keys.indptr[asking + 1]):
                term, weight = signed(keys.indices[place]), key_weights[place]
                while first < last and targets.indices[first] < term:
                    first += 1
                if weight and first < last and targets.indices[first] == term:
                    found.counts[side, pair] += 1
                    found.matched[side, pair] += weight
                    at = begin
                    while at < end and found.terms[at] != term:
                        at += 1
                    if at == end:
                        found.terms[at], found.weights[at] = term, 0
                        end += 1
                    found.weights[at] += weight
        for place in range(begin + 1, end):
            at, term, weight = place, found.terms[place], found.weights[place]
            while at > begin and (
                weight > found.weights[at - 1] or (weight == found.weights[at - 1] and term < found.terms[at - 1])
            ):
                found.terms[at], found.weights[at] = found.terms[at - 1], found.weights[at - 1]
                at -= 1
            found.terms[at], found.weights[at] = term, weight
        found.ends[pair + 1] = end
