"""Count links for k so small that they cannot be stored, row by row or in tiles of 64 rows by 64 columns.

Rows in linkage order have most of their words where their neighbours have them. In a tile these are one after the
other, so that what many rows share with another row is counted without looking for each of them.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from infostream_dedup.links.compiled.kernels.matching import Lists
from infostream_dedup.links.compiled.kernels.rows import LinkArrays, NodeArrays, PackedRows, count_held, first_not_below
from infostream_dedup.links.compiled.term_rows import TermRows
from infostream_dedup.machine.arrays import Cube, Ints, Table, Uint8s, Uint32s, Uint64s
from infostream_dedup.machine.compiling import compiled, popcount


class Tiles(NamedTuple):
    """Words of 64 consecutive rows each, a group: group g has rows 64 g to 64 g + 63."""

    indptr: Ints  # int64 (groups + 1,), start of each group's tiles
    numbers: Uint32s  # uint32 (tiles,), number of the word that a tile holds of every row, as in `PackedRows`
    words: Table[np.uint64]  # uint64 (tiles, 64), the word of each row, or 0


def _count_rows(begin: int, end: int, packed: PackedRows, rows: Ints, met: Uint32s) -> int:
    """Count the rows that have each of some words; the numbers of these words go to ``met``."""
    different = 0
    for position in range(begin, end):
        number = packed.numbers[position]
        if rows[number] == 0:
            met[different] = number
            different += 1
        rows[number] += 1
    return different


@compiled
def count_tiles(packed: PackedRows, least: int, rows: Ints, met: Uint32s, indptr: Ints) -> None:
    """Count the tiles of each group.

    ``packed``: all rows; ``least``: rows of a group that must have a word to make it a tile; ``rows``: zeros, one for
    each group; zeros again on return; ``met``: room for one number for each group; ``indptr``: zeros (groups + 1,);
    receives the start of each group's tiles.
    """
    for group in range(indptr.size - 1):
        tiles, last = 0, min((group + 1) << 6, packed.indptr.size - 1)
        for place in range(_count_rows(packed.indptr[group << 6], packed.indptr[last], packed, rows, met)):
            tiles += rows[met[place]] >= least
            rows[met[place]] = 0
        indptr[group + 1] = indptr[group] + tiles


@compiled
def move_to_tiles(packed: PackedRows, least: int, rows: Ints, met: Uint32s, tiles: Tiles) -> None:
    """Move words from rows to tiles.

    ``packed``: all rows; keeps the words that are in no tile; ``least``: as in ``count_tiles``; ``rows``: as there;
    ``met``: as there; ``tiles``: ``indptr`` as counted; numbers and words, zeros, are filled in.
    """
    kept = np.int64(0)
    begin = packed.indptr[0]
    for group in range(tiles.indptr.size - 1):
        last, tile = min((group + 1) << 6, packed.indptr.size - 1), tiles.indptr[group]
        different = _count_rows(begin, packed.indptr[last], packed, rows, met)
        for place in range(different):
            number = met[place]
            if rows[number] >= least:
                tiles.numbers[tile] = number
                rows[number] = tile
                tile += 1
            else:
                rows[number] = -1
        for row in range(group << 6, last):
            end = packed.indptr[row + 1]
            for position in range(begin, end):
                number, word = packed.numbers[position], packed.words[position]
                if rows[number] >= 0:
                    tiles.words[rows[number], row & 63] = word
                else:
                    packed.numbers[kept] = number
                    packed.words[kept] = word
                    kept += 1
            begin = end
            packed.indptr[row + 1] = kept
        for place in range(different):
            rows[met[place]] = 0


# Count links, returned links and walks of weighted nodes, for every k at once, over paths that start in given rows

LINKS, RECIPROCAL, WALKS, CLOSED = 0, 1, 2, 3


def add_up(totals: Ints, times: np.int64 | int, value: np.int64 | int) -> None:
    """Add times * value to the pair (upper half, lower half)."""
    totals[0] += times * (value >> 32)
    totals[1] += times * (value & 0xFFFFFFFF)


def _weigh_links(begin: int, end: int, links: LinkArrays, nodes: NodeArrays, by_count: Ints) -> None:
    for link in range(begin, end):
        by_count[links.counts[link]] += nodes.weights[links.columns[link]]


def _weigh_returned(
    one: int,
    one_end: int,
    links: LinkArrays,
    other: int,
    other_end: int,
    back: LinkArrays,
    nodes: NodeArrays,
    returned: Ints,
    siblings: Ints,
) -> None:
    while one < one_end and other < other_end:
        there, here = links.columns[one], back.columns[other]
        if there == here:
            weight, count = nodes.weights[there], min(links.counts[one], back.counts[other])
            returned[count] += weight
            if weight > 1:
                siblings[min(count, nodes.inside[there])] += weight * (weight - 1)
        one += there <= here
        other += here <= there


@compiled
def total_rows(
    first: int, last: int, links: LinkArrays, back: LinkArrays, nodes: NodeArrays, totals: Cube[np.int64]
) -> None:
    """Add the numbers above for rows first to last - 1.

    ``first``: first row; ``last``: row after the last; ``links``: all links; ``back``: their transpose; ``nodes``: what
    the rows represent; ``totals``: (ks + 1, 4, 2), by k, by number, upper and lower half; added to.
    """
    ks = totals.shape[0]
    outgoing = np.zeros(ks, np.int64)
    incoming = np.zeros(ks, np.int64)
    returned = np.zeros(ks, np.int64)
    siblings = np.zeros(ks, np.int64)
    for row in range(first, last):
        outgoing[:] = 0
        incoming[:] = 0
        returned[:] = 0
        siblings[:] = 0
        begin, end, start, stop = links.indptr[row], links.indptr[row + 1], back.indptr[row], back.indptr[row + 1]
        if nodes.own < nodes.weights.size:
            stop = first_not_below(back.columns, start, stop, nodes.own)
        _weigh_links(begin, end, links, nodes, outgoing)
        _weigh_links(start, stop, back, nodes, incoming)
        _weigh_returned(begin, end, links, start, stop, back, nodes, returned, siblings)
        weight = nodes.weights[row]
        out, into, both, beside = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
        for k in range(ks - 1, 0, -1):
            out += outgoing[k]
            into += incoming[k]
            both += returned[k]
            beside += siblings[k]
            step = weight - 1 if nodes.inside[row] >= k else np.int64(0)
            own_step = step if row < nodes.own else np.int64(0)
            add_up(totals[k, LINKS], weight, into + own_step)
            add_up(totals[k, RECIPROCAL], weight, both + own_step)
            add_up(totals[k, WALKS], weight, (out + step) * (into + own_step))
            closed = step * into + own_step * (out + weight - 2) + beside
            if closed > 0:
                add_up(totals[k, CLOSED], weight, closed)


# Count the paths i -> j -> l over three different nodes that i -> l closes, using sparse bitmaps.
#
# A row is a list of (word number, 64-bit word) pairs: linked nodes have nearby numbers, so that one word holds many
# links. The links that i and j have in common are the bits set in both rows, counted a word at a time; where several
# rows of a group have the same word, they are counted for the whole group.

_MANY: Final = 8  # rows of a tile that are worth reading all 64 of them


class WeightedNodes(NamedTuple):
    """What each row and column represents."""

    weights: Ints  # int64 (rows,), documents of each
    heavy: Uint64s  # uint64, bit b of word w is set where 64 w + b is a node of several documents


@compiled
def drop_below(k: int, links: LinkArrays) -> None:
    """Remove links with counts below k, in place; ``indptr`` gives what is left."""
    kept, begin = np.int64(0), links.indptr[0]
    for row in range(links.indptr.size - 1):
        end = links.indptr[row + 1]
        for link in range(begin, end):
            links.columns[kept] = links.columns[link]
            links.counts[kept] = links.counts[link]
            kept += links.counts[link] >= k
        begin = end
        links.indptr[row + 1] = kept


@compiled
def pack_rows(links: LinkArrays, upper: bool, packed: PackedRows) -> int:
    """Pack rows into words, with ``upper`` only right of the diagonal; return how many, at most one for each link."""
    written = 0
    for row in range(links.indptr.size - 1):
        current = np.int64(-1)
        for link in range(links.indptr[row], links.indptr[row + 1]):
            column = np.int64(links.columns[link])
            if upper and column <= row:
                continue
            if column >> 6 != current:
                current = column >> 6
                packed.numbers[written] = current
                packed.words[written] = np.uint64(0)
                written += 1
            packed.words[written - 1] |= np.uint64(1) << np.uint64(column & 63)
        packed.indptr[row + 1] = written
    return written


def _weigh(common: np.uint64, number: np.uint32, nodes: WeightedNodes) -> np.int64:
    """Documents of the nodes set in a word."""
    total = np.int64(popcount(common))
    left = common & nodes.heavy[number]
    while left != 0:
        lowest = left & (~left + np.uint64(1))
        total += nodes.weights[(np.int64(number) << 6) + popcount(lowest - np.uint64(1))] - 1
        left ^= lowest
    return total


def _shared_in_tile(middles: np.uint64, given: np.uint64, tile: int, tiles: Tiles) -> np.int64:
    """Bits that a word has in common with the rows of a tile chosen by ``middles``."""
    total = np.int64(0)
    for row in range(64):
        # No branch: the processor takes several rows at a time.
        chosen = np.uint64(0) - ((middles >> np.uint64(row)) & np.uint64(1))
        total += popcount(tiles.words[tile, row] & given & chosen)
    return total


def _weighed_in_tile(
    middles: np.uint64, given: np.uint64, group: np.uint32, tile: int, tiles: Tiles, nodes: WeightedNodes
) -> np.int64:
    """Like ``_shared_in_tile``, for few rows or nodes of several documents."""
    total, left = np.int64(0), middles
    while left != 0:
        lowest = left & (~left + np.uint64(1))
        row = popcount(lowest - np.uint64(1))
        shared = _weigh(tiles.words[tile, row] & given, tiles.numbers[tile], nodes)
        total += nodes.weights[(np.int64(group) << 6) + row] * shared
        left ^= lowest
    return total


def _close_in_group(
    middles: np.uint64, group: np.uint32, row_words: Uint64s, packed: PackedRows, tiles: Tiles, nodes: WeightedNodes
) -> np.int64:
    """Count the closed paths by way of the rows of a group that are set in ``middles``."""
    total = np.int64(0)
    plain = middles & nodes.heavy[group] == 0 and popcount(middles) >= _MANY
    for tile in range(tiles.indptr[group], tiles.indptr[group + 1]):
        number = tiles.numbers[tile]
        given = row_words[number]
        if given == 0:
            continue
        if plain and given & nodes.heavy[number] == 0:
            total += _shared_in_tile(middles, given, tile, tiles)
        else:
            total += _weighed_in_tile(middles, given, group, tile, tiles, nodes)
    first = np.int64(group) << 6
    end = min(int(first) + 64, packed.indptr.size - 1)
    if packed.indptr[first] == packed.indptr[end]:
        return total
    left = middles
    while left != 0:
        lowest = left & (~left + np.uint64(1))
        row = first + popcount(lowest - np.uint64(1))
        for position in range(packed.indptr[row], packed.indptr[row + 1]):
            number = packed.numbers[position]
            total += nodes.weights[row] * _weigh(row_words[number] & packed.words[position], number, nodes)
        left ^= lowest
    return total


@compiled
def close_paths(
    first: int, last: int, packed: PackedRows, tiles: Tiles, nodes: WeightedNodes, row_words: Uint64s, totals: Ints
) -> None:
    """Add the closed paths that start at rows first to last - 1.

    ``first``: first row; ``last``: row after the last; ``packed``: the words of all rows that are in no tile;
    ``tiles``: the others; ``nodes``: documents of each row; ``row_words``: zeros, one for each word number; zeros again
    on return; ``totals``: upper and lower half of the sum; added to.
    """
    for row in range(first, last):
        own, begin, end = row & 63, packed.indptr[row], packed.indptr[row + 1]
        group = row >> 6
        for tile in range(tiles.indptr[group], tiles.indptr[group + 1]):
            row_words[tiles.numbers[tile]] = tiles.words[tile, own]
        for position in range(begin, end):
            row_words[packed.numbers[position]] = packed.words[position]
        total = np.int64(0)
        for tile in range(tiles.indptr[group], tiles.indptr[group + 1]):
            if tiles.words[tile, own] != 0:
                total += _close_in_group(tiles.words[tile, own], tiles.numbers[tile], row_words, packed, tiles, nodes)
        for position in range(begin, end):
            total += _close_in_group(packed.words[position], packed.numbers[position], row_words, packed, tiles, nodes)
        add_up(totals, nodes.weights[row], total)
        for tile in range(tiles.indptr[group], tiles.indptr[group + 1]):
            row_words[tiles.numbers[tile]] = np.uint64(0)
        for position in range(begin, end):
            row_words[packed.numbers[position]] = np.uint64(0)


class PlacedCollection(NamedTuple):
    """The collection to match, by place: a node's number in the index's own order."""

    # ranks of the key terms of each place, and of its targets that are key terms of some place; the rows of places that
    # are never asked may be empty
    keys: TermRows
    targets: TermRows
    holding: Lists  # places whose target contains each term
    having: Lists  # places that have it as a key term
    weights: Uint32s  # uint32 (places,), number of documents at each place, at least 1
    own: Uint8s  # uint8 (places,), count of the links among the documents of a place; 0 for a single document


class HitCounts(NamedTuple):
    """Key terms in common with the row that is being counted; the hits are zero whenever there is none."""

    hits: Uint8s  # uint8 (shard_size,), by place
    touched: Uint32s  # uint32 (shard_size + 1,), places with hits


class Counters(NamedTuple):
    """Scratch arrays of a thread."""

    forward: HitCounts  # key terms of the row in each place's target
    backward: HitCounts  # key terms of each place in the row's target


def _count(row: int, rows: TermRows, shard: int, lists: Lists, counted: HitCounts) -> int:
    """Count the terms of a row in the lists of a shard; return the number of places with hits."""
    found, starts = 0, lists.starts[shard]
    for place in range(rows.indptr[row], rows.indptr[row + 1]):
        rank = rows.indices[place]
        for position in range(starts[rank], starts[rank + 1]):
            answer = lists.postings[position]
            before = counted.hits[answer]
            counted.touched[found] = answer
            found += before == 0
            counted.hits[answer] = before + np.uint8(1)
    return found


def _gather_forward(row: int, found: int, weights: Uint32s, counters: Counters, outgoing: Ints, returned: Ints) -> None:
    # Nearly all counts are 1: summing them in a register avoids waiting for stores to the array.
    linked, mutual = np.int64(0), np.int64(0)
    for place in range(found):
        answer = counters.forward.touched[place]
        weight = np.int64(weights[answer])
        count = counters.forward.hits[answer]
        both = min(count, counters.backward.hits[answer])
        counters.forward.hits[answer] = np.uint8(0)
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


def _gather_backward(row: int, found: int, weights: Uint32s, counted: HitCounts, incoming: Ints) -> None:
    linked = np.int64(0)
    for place in range(found):
        answer = counted.touched[place]
        weight = np.int64(weights[answer])
        count = counted.hits[answer]
        counted.hits[answer] = np.uint8(0)
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
    for shard in range(collection.holding.starts.shape[0]):
        base = shard * collection.holding.shard_size
        weights = collection.weights[base:]
        for row in range(first, last):
            forward = _count(row, collection.keys, shard, collection.holding, counters.forward)
            backward = _count(row, collection.targets, shard, collection.having, counters.backward)
            _gather_forward(row - base, forward, weights, counters, outgoing[row - first], returned[row - first])
            _gather_backward(row - base, backward, weights, counters.backward, incoming[row - first])
    for row in range(first, last):
        _total_row(row, collection, outgoing[row - first], incoming[row - first], returned[row - first], totals)
        for k in range(1, outgoing_at.shape[0] + 1):
            outgoing_at[k - 1, row] = outgoing[row - first, k]
            incoming_at[k - 1, row] = incoming[row - first, k]


@compiled
def count_asked(
    asking: PlacedCollection,
    itself: Ints,
    counters: Counters,
    outgoing: Table[np.int64],
    incoming: Table[np.int64],
    returned: Table[np.int64],
) -> None:
    """Count the links between asking rows and the places of an index, by count.

    ``asking``: key terms and targets of the asking rows, in ranks of the index; lists and weights of its places;
    ``itself``: (rows,), place of each row in the index; -1 if it is not in it; ``counters``: scratch arrays of this
    thread; ``outgoing``: (rows, counts), zeros; receives the documents that each row links to with exactly that count;
    ``incoming``: (rows, counts), zeros; receives the number of those that link to it; ``returned``: (rows, counts),
    zeros; receives the number of those linked both ways, by the smaller count.
    """
    for shard in range(asking.holding.starts.shape[0]):
        base = shard * asking.holding.shard_size
        weights = asking.weights[base:]
        for row in range(itself.size):
            forward = _count(row, asking.keys, shard, asking.holding, counters.forward)
            backward = _count(row, asking.targets, shard, asking.having, counters.backward)
            _gather_forward(itself[row] - base, forward, weights, counters, outgoing[row], returned[row])
            _gather_backward(itself[row] - base, backward, weights, counters.backward, incoming[row])


def _total_row(
    row: int, collection: PlacedCollection, outgoing: Ints, incoming: Ints, returned: Ints, totals: Cube[np.int64]
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
CLOSES = 2


class PlacedTerms(NamedTuple):
    """The terms of the documents at each place."""

    documents: Uint32s  # uint32 (places,), a document of each place
    keys: TermRows  # key terms by document
    targets: TermRows  # targets by document


class Walks(NamedTuple):
    """Two-step walks x -> y -> z."""

    middles: Ints  # int64 (walks,), place of y, ascending
    arrivals: Ints  # int64 (walks,), number of the link to y, counted from 0
    departures: Ints  # int64 (walks,), number of the link from y, counted from 0


class Neighbours(NamedTuple):
    """Scratch arrays for the places linked to one place (row 0) and from it (row 1)."""

    linked: Table[np.uint32]  # uint32 (2, places), linked places
    up_to: Table[np.int64]  # int64 (2, places), number of documents up to and including each linked place
    listed: Ints  # int64 (2,), number of linked places


def _list_linked(
    row: int, base: int, found: int, k: int, weights: Uint32s, counted: HitCounts, side: int, lists: Neighbours
) -> None:
    """Append the places linked at k, with the number of documents up to and including each."""
    listed = lists.listed[side]
    for place in range(found):
        answer = counted.touched[place]
        if counted.hits[answer] >= k and base + answer != row:
            before = lists.up_to[side, listed - 1] if listed > 0 else np.int64(0)
            lists.linked[side, listed] = base + answer
            lists.up_to[side, listed] = before + np.int64(weights[base + answer])
            listed += 1
        counted.hits[answer] = np.uint8(0)
    lists.listed[side] = listed


def _list_neighbours(middle: int, k: int, collection: PlacedCollection, counters: Counters, lists: Neighbours) -> None:
    lists.listed[:] = 0
    for shard in range(collection.holding.starts.shape[0]):
        base = shard * collection.holding.shard_size
        into = _count(middle, collection.targets, shard, collection.having, counters.backward)
        _list_linked(middle, base, into, k, collection.weights, counters.backward, 0, lists)
        out = _count(middle, collection.keys, shard, collection.holding, counters.forward)
        _list_linked(middle, base, out, k, collection.weights, counters.forward, 1, lists)


@compiled
def close_walks(
    walks: Walks,
    k: int,
    collection: PlacedCollection,
    terms: PlacedTerms,
    counters: Counters,
    lists: Neighbours,
    outcomes: Uint8s,
) -> None:
    """Follow sampled walks x -> y -> z.

    ``walks``: sampled walks, by middle ascending; ``k``: minimum count of a link; ``collection``: the collection to
    match; ``terms``: terms of the same places; ``counters``: scratch arrays of this thread; ``lists``: scratch arrays
    of this thread; ``outcomes``: (walks,), receives ``RETURNED`` if x is z, ``CLOSES`` if x -> z closes the path, else
    ``OPEN``.
    """
    for walk in range(walks.middles.size):
        middle = walks.middles[walk]
        if walk == 0 or middle != walks.middles[walk - 1]:
            _list_neighbours(middle, k, collection, counters, lists)
        one, one_member = _document(walks.arrivals[walk], middle, 0, lists)
        other, other_member = _document(walks.departures[walk], middle, 1, lists)
        if one != other:
            asking, answering = int(terms.documents[one]), int(terms.documents[other])
            closed = count_held(asking, answering, terms.keys, terms.targets) >= k
            outcomes[walk] = CLOSES if closed else OPEN
        elif one_member != other_member:
            outcomes[walk] = CLOSES if collection.own[one] >= k else OPEN
        else:
            outcomes[walk] = RETURNED


def _document(number: int, middle: int, side: int, lists: Neighbours) -> tuple[np.int64, np.int64]:
    """Place of a linked document and its number within that place; numbers past the list are siblings."""
    listed, up_to = lists.listed[side], lists.up_to[side]
    begin = first_not_below(up_to, 0, listed, number + 1)
    before = up_to[begin - 1] if begin > 0 else np.int64(0)
    place = np.int64(lists.linked[side, begin]) if begin < listed else np.int64(middle)
    return place, np.int64(number) - before
