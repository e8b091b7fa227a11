"""Follow sampled two-step walks along links that are not stored."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from infostream_dedup.links.compiled.kernels.both_directions import (
    Counters,
    PlacedCollection,
    count_backward,
    count_forward,
)
from infostream_dedup.links.compiled.kernels.row_search import holds
from infostream_dedup.links.compiled.term_rows import TermRows
from infostream_dedup.machine.compiling import compiled

if TYPE_CHECKING:
    from infostream_dedup.machine.arrays import Table, Vector

__all__ = ["CLOSED", "OPEN", "RETURNED", "Neighbours", "PlacedTerms", "Walks", "close_walks"]

RETURNED = 0
OPEN = 1
CLOSED = 2


class PlacedTerms(NamedTuple):
    """The terms of the documents at each place.

    Attributes:
        documents: uint32 (places,), a document of each place.
        keys: key terms by document.
        targets: targets by document.
    """

    documents: Vector[np.uint32]
    keys: TermRows
    targets: TermRows


class Walks(NamedTuple):
    """Two-step walks x -> y -> z.

    Attributes:
        middles: int64 (walks,), place of y, ascending.
        arrivals: int64 (walks,), number of the link to y, counted from 0.
        departures: int64 (walks,), number of the link from y, counted from 0.
    """

    middles: Vector[np.int64]
    arrivals: Vector[np.int64]
    departures: Vector[np.int64]


class Neighbours(NamedTuple):
    """Scratch arrays for the places linked to one place (row 0) and from it (row 1).

    Attributes:
        linked: uint32 (2, places), linked places.
        up_to: int64 (2, places), number of documents up to and including each linked place.
        listed: int64 (2,), number of linked places.
    """

    linked: Table[np.uint32]
    up_to: Table[np.int64]
    listed: Vector[np.int64]


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

    Args:
        walks: sampled walks, by middle ascending.
        k: minimum count of a link.
        collection: the collection to match.
        terms: terms of the same places.
        counters: scratch arrays of this thread.
        lists: scratch arrays of this thread.
        outcomes: uint8 (walks,), receives ``RETURNED`` if x is z, ``CLOSED`` if x -> z closes the path, else ``OPEN``.
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
