"""Count the links of one row at a time in both directions, for k so small that links cannot be stored."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from infostream_dedup.links.compiled.kernels.link_totals import LINKS, RECIPROCAL, WALKS, add_up
from infostream_dedup.machine.compiling import compiled

if TYPE_CHECKING:
    from infostream_dedup.machine.arrays import Cube, Table, Vector

__all__ = ["Counters", "PlacedCollection", "count_asked", "count_backward", "count_forward", "total_chunk"]


class PlacedCollection(NamedTuple):
    """The collection to match, by place: a node's number in the index's own order.

    Attributes:
        key_indptr: int64 (places + 1,), start of each place's key terms in ``key_ranks``; rows of places that are never
            asked, here and in ``target_ranks``, may be empty.
        key_ranks: uint32, ranks of the key terms.
        target_indptr: int64 (places + 1,), start of each place's targets in ``target_ranks``.
        target_ranks: uint32, ranks of the targets that are key terms of some place.
        target_starts: int64 (shards, ranks + 1), start of the list of places whose target contains a term.
        target_postings: uint32, places within their shard.
        key_starts: int64 (shards, ranks + 1), start of the list of places that have a term as a key term.
        key_postings: uint32, places within their shard.
        shard_size: places in a shard.
        weights: uint32 (places,), number of documents at each place, at least 1.
        own: uint8 (places,), count of the links among the documents of a place; 0 for a single document.
    """

    key_indptr: Vector[np.int64]
    key_ranks: Vector[np.uint32]
    target_indptr: Vector[np.int64]
    target_ranks: Vector[np.uint32]
    target_starts: Table[np.int64]
    target_postings: Vector[np.uint32]
    key_starts: Table[np.int64]
    key_postings: Vector[np.uint32]
    shard_size: int
    weights: Vector[np.uint32]
    own: Vector[np.uint8]


class Counters(NamedTuple):
    """Scratch arrays of a thread. The hits are zero whenever no row is being counted.

    Attributes:
        forward: uint8 (shard_size,), key terms of the row in each place's target.
        backward: uint8 (shard_size,), key terms of each place in the row's target.
        forward_touched: uint32 (shard_size + 1,), places with forward hits.
        backward_touched: uint32 (shard_size + 1,), places with backward hits.
    """

    forward: Vector[np.uint8]
    backward: Vector[np.uint8]
    forward_touched: Vector[np.uint32]
    backward_touched: Vector[np.uint32]


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

    Args:
        first: first row.
        last: row after the last.
        collection: the collection to match.
        counters: scratch arrays of this thread.
        totals: int64 (n + 1, 4, 2), as in ``total_rows``; closed paths are not counted.
        outgoing_at: int64 (ks, places); receives the links from a document of each place at k = 1, 2, ...
        incoming_at: int64 (ks, places); receives the links to it.
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

    Args:
        rows: number of asking rows.
        asking: key terms and targets of the asking rows, in ranks of the index; lists and weights of its places.
        itself: int64 (rows,), place of each row in the index; -1 if it is not in it.
        counters: scratch arrays of this thread.
        outgoing: int64 (rows, counts), zeros; receives the documents that each row links to with exactly that count.
        incoming: int64 (rows, counts), zeros; receives the number of those that link to it.
        returned: int64 (rows, counts), zeros; receives the number of those linked both ways, by the smaller count.
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
