"""Count the links of one row at a time in both directions, for k so small that links cannot be stored."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from infostream_dedup.links.compiled.kernels.rows import holds
from infostream_dedup.links.compiled.kernels.totals import LINKS, RECIPROCAL, WALKS, add_up
from infostream_dedup.links.compiled.term_rows import TermRows
from infostream_dedup.machine.arrays import Cube, Table, Vector
from infostream_dedup.machine.compiling import compiled


class PlacedCollection(NamedTuple):
    """The collection to match, by place: a node's number in the index's own order."""

    # int64 (places + 1,), start of each place's key terms in `key_ranks`; rows of places that are never asked, here and
    # in `target_ranks`, may be empty
    key_indptr: Vector[np.int64]
    key_ranks: Vector[np.uint32]  # uint32, ranks of the key terms
    target_indptr: Vector[np.int64]  # int64 (places + 1,), start of each place's targets in `target_ranks`
    target_ranks: Vector[np.uint32]  # uint32, ranks of the targets that are key terms of some place
    # int64 (shards, ranks + 1), start of the list of places whose target contains a term
    target_starts: Table[np.int64]
    target_postings: Vector[np.uint32]  # uint32, places within their shard
    key_starts: Table[np.int64]  # int64 (shards, ranks + 1), start of the list of places that have a term as a key term
    key_postings: Vector[np.uint32]  # uint32, places within their shard
    shard_size: int  # places in a shard
    weights: Vector[np.uint32]  # uint32 (places,), number of documents at each place, at least 1
    own: Vector[np.uint8]  # uint8 (places,), count of the links among the documents of a place; 0 for a single document


class Counters(NamedTuple):
    """Scratch arrays of a thread. The hits are zero whenever no row is being counted."""

    forward: Vector[np.uint8]  # uint8 (shard_size,), key terms of the row in each place's target
    backward: Vector[np.uint8]  # uint8 (shard_size,), key terms of each place in the row's target
    forward_touched: Vector[np.uint32]  # uint32 (shard_size + 1,), places with forward hits
    backward_touched: Vector[np.uint32]  # uint32 (shard_size + 1,), places with backward hits


@compiled
def _count(
    ranks: Vector[np.uint32],
    begin: int,
    end: int,
    starts: Vector[np.int64],
    postings: Vector[np.uint32],
    hits: Vector[np.uint8],
    touched: Vector[np.uint32],
) -> int:
    found = 0
    for place in range(begin, end):
        rank = ranks[place]
        for position in range(starts[rank], starts[rank + 1]):
            answer = postings[position]
            before = hits[answer]
            touched[found] = answer
            found += before == 0
            hits[answer] = before + np.uint8(1)
    return found


@compiled
def count_forward(row: int, shard: int, collection: PlacedCollection, counters: Counters) -> int:
    """Count the key terms of a row in the targets of a shard; return the number of places with hits."""
    return _count(
        collection.key_ranks,
        collection.key_indptr[row],
        collection.key_indptr[row + 1],
        collection.target_starts[shard],
        collection.target_postings,
        counters.forward,
        counters.forward_touched,
    )


@compiled
def count_backward(row: int, shard: int, collection: PlacedCollection, counters: Counters) -> int:
    """Count the key terms of a shard's places in the targets of a row; return the number of places with hits."""
    return _count(
        collection.target_ranks,
        collection.target_indptr[row],
        collection.target_indptr[row + 1],
        collection.key_starts[shard],
        collection.key_postings,
        counters.backward,
        counters.backward_touched,
    )


@compiled
def _gather_forward(
    row: int,
    found: int,
    weights: Vector[np.uint32],
    counters: Counters,
    outgoing: Vector[np.int64],
    returned: Vector[np.int64],
) -> None:
    # Nearly all counts are 1: summing them in a register avoids waiting for stores to the array.
    linked, mutual = np.int64(0), np.int64(0)
    for place in range(found):
        answer = counters.forward_touched[place]
        weight = np.int64(weights[answer])
        count = counters.forward[answer]
        both = min(count, counters.backward[answer])
        counters.forward[answer] = np.uint8(0)
        if answer == row:
            continue
        linked += weight
        mutual += weight if both > 0 else np.int64(0)
        if count > 1:
            outgoing[count] += weight
            outgoing[1] -= weight
        if both > 1:
            returned[both] += weight
            returned[1] -= weight
    outgoing[1] += linked
    returned[1] += mutual


@compiled
def _gather_backward(
    row: int, found: int, weights: Vector[np.uint32], counters: Counters, incoming: Vector[np.int64]
) -> None:
    linked = np.int64(0)
    for place in range(found):
        answer = counters.backward_touched[place]
        weight = np.int64(weights[answer])
        count = counters.backward[answer]
        counters.backward[answer] = np.uint8(0)
        if answer == row:
            continue
        linked += weight
        if count > 1:
            incoming[count] += weight
            incoming[1] -= weight
    incoming[1] += linked


@compiled
def total_chunk(
    first: int,
    last: int,
    collection: PlacedCollection,
    counters: Counters,
    totals: Cube[np.int64],
    outgoing_at: Table[np.int64],
    incoming_at: Table[np.int64],
) -> None:
    """Add links, reciprocal links and walks of rows first to last - 1, for every k at once.

    ``first``: first row; ``last``: row after the last; ``collection``: the collection to match; ``counters``: scratch
    arrays of this thread; ``totals``: (n + 1, 4, 2), as in ``total_rows``; closed paths are not counted;
    ``outgoing_at``: (ks, places); receives links from each place at k = 1, 2, ...; ``incoming_at``: (ks,
    places); receives the links to it.
    """
    ks = totals.shape[0]
    outgoing = np.zeros((last - first, ks), np.int64)
    incoming = np.zeros((last - first, ks), np.int64)
    returned = np.zeros((last - first, ks), np.int64)
    for shard in range(collection.target_starts.shape[0]):
        base = shard * collection.shard_size
        for row in range(first, last):
            forward = count_forward(row, shard, collection, counters)
            backward = count_backward(row, shard, collection, counters)
            weights, chunk_row = collection.weights[base:], row - first
            _gather_forward(row - base, forward, weights, counters, outgoing[chunk_row], returned[chunk_row])
            _gather_backward(row - base, backward, weights, counters, incoming[chunk_row])
    for row in range(first, last):
        _total_row(row, collection, outgoing[row - first], incoming[row - first], returned[row - first], totals)
        for k in range(1, outgoing_at.shape[0] + 1):
            outgoing_at[k - 1, row] = outgoing[row - first, k]
            incoming_at[k - 1, row] = incoming[row - first, k]


@compiled
def count_asked(
    rows: int,
    asking: PlacedCollection,
    itself: Vector[np.int64],
    counters: Counters,
    outgoing: Table[np.int64],
    incoming: Table[np.int64],
    returned: Table[np.int64],
) -> None:
    """Count the links between asking rows and the places of an index, by count.

    ``rows``: number of asking rows; ``asking``: key terms and targets of the asking rows, in ranks of the index; lists
    and weights of its places; ``itself``: (rows,), place of each row in the index; -1 if it is not in it; ``counters``:
    scratch arrays of this thread; ``outgoing``: (rows, counts), zeros; receives the documents that each row links to
    with exactly that count; ``incoming``: (rows, counts), zeros; receives the number of those that link to it;
    ``returned``: (rows, counts), zeros; receives the number of those linked both ways, by the smaller count.
    """
    for shard in range(asking.target_starts.shape[0]):
        base = shard * asking.shard_size
        weights = asking.weights[base:]
        for row in range(rows):
            forward = count_forward(row, shard, asking, counters)
            backward = count_backward(row, shard, asking, counters)
            _gather_forward(itself[row] - base, forward, weights, counters, outgoing[row], returned[row])
            _gather_backward(itself[row] - base, backward, weights, counters, incoming[row])


@compiled
def _total_row(
    row: int,
    collection: PlacedCollection,
    outgoing: Vector[np.int64],
    incoming: Vector[np.int64],
    returned: Vector[np.int64],
    totals: Cube[np.int64],
) -> None:
    """Accumulate numbers by count into numbers by minimum count, siblings included, and add them to the totals."""
    weight = np.int64(collection.weights[row])
    for k in range(totals.shape[0] - 2, 0, -1):
        outgoing[k] += outgoing[k + 1]
        incoming[k] += incoming[k + 1]
        returned[k] += returned[k + 1]
    for k in range(1, totals.shape[0]):
        inside = weight - 1 if collection.own[row] >= k else np.int64(0)
        outgoing[k] += inside
        incoming[k] += inside
        add_up(totals[k, LINKS], weight, outgoing[k])
        add_up(totals[k, RECIPROCAL], weight, returned[k] + inside)
        add_up(totals[k, WALKS], weight, outgoing[k] * incoming[k])


# Follow sampled two-step walks along links that are not stored

RETURNED = 0
OPEN = 1
CLOSED = 2


class PlacedTerms(NamedTuple):
    """The terms of the documents at each place."""

    documents: Vector[np.uint32]  # uint32 (places,), a document of each place
    keys: TermRows  # key terms by document
    targets: TermRows  # targets by document


class Walks(NamedTuple):
    """Two-step walks x -> y -> z."""

    middles: Vector[np.int64]  # int64 (walks,), place of y, ascending
    arrivals: Vector[np.int64]  # int64 (walks,), number of the link to y, counted from 0
    departures: Vector[np.int64]  # int64 (walks,), number of the link from y, counted from 0


class Neighbours(NamedTuple):
    """Scratch arrays for the places linked to one place (row 0) and from it (row 1)."""

    linked: Table[np.uint32]  # uint32 (2, places), linked places
    up_to: Table[np.int64]  # int64 (2, places), number of documents up to and including each linked place
    listed: Vector[np.int64]  # int64 (2,), number of linked places


@compiled
def _list_linked(
    row: int,
    base: int,
    found: int,
    k: int,
    weights: Vector[np.uint32],
    hits: Vector[np.uint8],
    touched: Vector[np.uint32],
    linked: Vector[np.uint32],
    up_to: Vector[np.int64],
    listed: int,
) -> int:
    """Append the places linked at k, with the number of documents up to and including each."""
    for place in range(found):
        answer = touched[place]
        if hits[answer] >= k and base + answer != row:
            before = up_to[listed - 1] if listed > 0 else np.int64(0)
            linked[listed] = base + answer
            up_to[listed] = before + np.int64(weights[base + answer])
            listed += 1
        hits[answer] = np.uint8(0)
    return listed


@compiled
def _links(one: int, other: int, k: int, keys: TermRows, targets: TermRows) -> bool:
    """Whether one document is linked to another."""
    count, begin, end = 0, targets.indptr[other], targets.indptr[other + 1]
    for position in range(keys.indptr[one], keys.indptr[one + 1]):
        count += holds(targets.indices, begin, end, keys.indices[position])
    return count >= k


@compiled
def _list_neighbours(middle: int, k: int, collection: PlacedCollection, counters: Counters, lists: Neighbours) -> None:
    lists.listed[:] = 0
    for shard in range(collection.target_starts.shape[0]):
        base = shard * collection.shard_size
        into = count_backward(middle, shard, collection, counters)
        lists.listed[0] = _list_linked(
            middle,
            base,
            into,
            k,
            collection.weights,
            counters.backward,
            counters.backward_touched,
            lists.linked[0],
            lists.up_to[0],
            lists.listed[0],
        )
        out = count_forward(middle, shard, collection, counters)
        lists.listed[1] = _list_linked(
            middle,
            base,
            out,
            k,
            collection.weights,
            counters.forward,
            counters.forward_touched,
            lists.linked[1],
            lists.up_to[1],
            lists.listed[1],
        )


@compiled
def close_walks(
    walks: Walks,
    k: int,
    collection: PlacedCollection,
    terms: PlacedTerms,
    counters: Counters,
    lists: Neighbours,
    outcomes: Vector[np.uint8],
) -> None:
    """Follow sampled walks x -> y -> z.

    ``walks``: sampled walks, by middle ascending; ``k``: minimum count of a link; ``collection``: the collection to
    match; ``terms``: terms of the same places; ``counters``: scratch arrays of this thread; ``lists``: scratch arrays
    of this thread; ``outcomes``: (walks,), receives ``RETURNED`` if x is z, ``CLOSED`` if x -> z closes the path, else
    ``OPEN``.
    """
    for walk in range(walks.middles.size):
        middle = walks.middles[walk]
        if walk == 0 or middle != walks.middles[walk - 1]:
            _list_neighbours(middle, k, collection, counters, lists)
        one, one_member = _document(walks.arrivals[walk], middle, lists.listed[0], lists.linked[0], lists.up_to[0])
        other, other_member = _document(
            walks.departures[walk], middle, lists.listed[1], lists.linked[1], lists.up_to[1]
        )
        if one != other:
            closed = _links(terms.documents[one], terms.documents[other], k, terms.keys, terms.targets)
            outcomes[walk] = CLOSED if closed else OPEN
        elif one_member != other_member:
            outcomes[walk] = CLOSED if collection.own[one] >= k else OPEN
        else:
            outcomes[walk] = RETURNED


@compiled
def _document(
    number: int, middle: int, listed: int, linked: Vector[np.uint32], up_to: Vector[np.int64]
) -> tuple[np.int64, np.int64]:
    """Place of a linked document and its number within that place; numbers past the list are siblings."""
    begin, end = 0, listed
    while begin < end:
        half = (begin + end) >> 1
        if up_to[half] <= number:
            begin = half + 1
        else:
            end = half
    before = up_to[begin - 1] if begin > 0 else np.int64(0)
    place = np.int64(linked[begin]) if begin < listed else np.int64(middle)
    return place, np.int64(number) - before
