"""Links and nodes in the form that compiled loops take, and the earlier document that each document resembles most."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from infostream_dedup.links.compiled.term_rows import TermRows
from infostream_dedup.machine.arrays import GOLDEN, Int32s, Ints, Place, Table, Uint8s, Uint64s, Vector, Whole
from infostream_dedup.machine.compiling import compiled, signed

# Links and nodes in the form that compiled loops take


class LinkArrays(NamedTuple):
    """Links by row."""

    indptr: Ints  # int64 (rows + 1,), start of each row
    columns: Int32s  # int32 (links,), ascending in a row
    counts: Uint8s  # uint8 (links,)


class NodeArrays(NamedTuple):
    """What each row represents."""

    weights: Ints  # int64 (rows,), number of documents of each node
    inside: Uint8s  # uint8 (rows,), count of the links inside each node
    own: int  # number of own rows, which come first


class PackedRows(NamedTuple):
    """Links by row as 64-bit words."""

    indptr: Ints  # int64 (rows + 1,), start of each row in `words`
    numbers: Vector[np.uint32]  # uint32, number of each word: bit b of word w is column 64 w + b
    words: Uint64s  # uint64, ascending by number in a row


# Look up a number in a sorted row


def first_not_below(values: Vector[Whole], begin: int, end: int, value: int) -> int:
    """First place in the ascending ``values[begin:end]`` with at least ``value``; ``end`` if there is none."""
    while begin < end:
        middle = (begin + end) >> 1
        if values[middle] < value:
            begin = middle + 1
        else:
            end = middle
    return begin


def holds(values: Vector[Whole], begin: int, end: int, value: int) -> bool:
    """Whether the ascending ``values[begin:end]`` contain a number."""
    place = first_not_below(values, begin, end, value)
    return place < end and values[place] == value


def count_held(asking: int, answering: int, keys: TermRows, targets: TermRows) -> int:
    """Count the key terms of one document in the target of another."""
    begin, end = targets.indptr[answering], targets.indptr[answering + 1]
    count = 0
    for place in range(keys.indptr[asking], keys.indptr[asking + 1]):
        count += holds(targets.indices, begin, end, keys.indices[place])
    return count


# Finding equal rows: by hash first, then by content


@compiled
def mix_rows(indptr: Ints, values: Vector[np.uint32], hashes: Uint64s) -> None:
    """Fold the values of each row, in their order, into the row's hash."""
    for row in range(hashes.size):
        mixed = hashes[row] ^ np.uint64(indptr[row + 1] - indptr[row])
        for position in range(indptr[row], indptr[row + 1]):
            mixed = (mixed ^ np.uint64(values[position])) * np.uint64(GOLDEN)
            mixed ^= mixed >> np.uint64(29)
        hashes[row] = mixed


def _equal_rows(rows: TermRows, one: int, other: int) -> bool:
    first, second = rows.indptr[one], rows.indptr[other]
    length = rows.indptr[one + 1] - first
    if length != rows.indptr[other + 1] - second:
        return False
    step = 0
    while step < length and rows.indices[first + step] == rows.indices[second + step]:
        step += 1
    return bool(step == length)


@compiled
def earliest_equals(order: Ints, hashes: Uint64s, keys: TermRows, targets: TermRows, leaders: Ints) -> None:
    """Set ``leaders[d]`` to the earliest document with the same key terms and the same target as d.

    ``order``: documents sorted by hash, ascending among equal hashes; ``hashes``: hash of each document; equal
    documents have equal hashes; ``keys``: key terms by document; ``targets``: targets by document; ``leaders``:
    receives the result.
    """
    run = 0
    for place in range(order.size):
        document = order[place]
        if hashes[document] != hashes[order[run]]:
            run = place
        leaders[document] = document
        for earlier in range(run, place):
            leader = order[earlier]
            if (
                leaders[leader] == leader
                and _equal_rows(keys, leader, document)
                and _equal_rows(targets, leader, document)
            ):
                leaders[document] = leader
                break


# Order documents so that linked ones are close together


def root(parents: Vector[Place], node: int) -> int:
    """Return the smallest node known to be joined with a node; shorten the path to it."""
    while parents[node] != node:
        parents[node] = parents[parents[node]]
        node = parents[node]
    return node


@compiled
def join_linked(first: int, last: int, links: LinkArrays, low: int, high: int, parents: Int32s) -> None:
    """Join the two ends of every link of rows first to last - 1 with low <= count < high.

    ``first``: first row; ``last``: row after the last; ``links``: the links; ``low``: minimum count to join at;
    ``high``: links of this count or more have been joined by an earlier call; ``parents``: union-find forest; initially
    each node is its own parent.
    """
    for row in range(first, last):
        one = np.int64(root(parents, row))
        for link in range(links.indptr[row], links.indptr[row + 1]):
            if low <= links.counts[link] < high:
                other = np.int64(root(parents, links.columns[link]))
                parents[max(one, other)] = min(one, other)
                one = min(one, other)


@compiled
def merge_forest(forest: Int32s, parents: Int32s) -> None:
    """Join in ``parents`` what is joined in another forest of the same nodes."""
    for node in range(parents.size):
        one, other = np.int64(root(parents, node)), np.int64(root(parents, forest[node]))
        parents[max(one, other)] = min(one, other)


@compiled
def label_nodes(parents: Int32s) -> None:
    """Replace each node's parent by the smallest node of its component."""
    for node in range(parents.size):
        parents[node] = root(parents, node)


@compiled
def count_columns(links: LinkArrays, rows: Ints, place: Int32s, counts: Ints) -> None:
    """Add to the count of each place the links that lead to it from some rows."""
    for row in rows:
        for link in range(links.indptr[row], links.indptr[row + 1]):
            counts[place[links.columns[link]]] += 1


@compiled
def transposed(links: LinkArrays, rows: Ints, first: int, place: Int32s, cursor: Ints, moved: LinkArrays) -> None:
    """Transpose and relabel the links of some rows: rows and columns of the result are places (counting sort).

    ``links``: the links; ``rows``: rows at consecutive places; ``first``: place of the first of them; ``place``: place
    of each column; ``cursor``: (places,), where the links of these rows to each place begin in ``moved``; afterwards,
    their ends; ``moved``: receives the links, by place, columns ascending; its ``indptr`` is not used.
    """
    for number in range(rows.size):
        row = rows[number]
        for link in range(links.indptr[row], links.indptr[row + 1]):
            column = place[links.columns[link]]
            target = cursor[column]
            cursor[column] = target + 1
            moved.columns[target] = first + number
            moved.counts[target] = links.counts[link]


@compiled
def count_closed(indptr: Ints, columns: Int32s, paths: bool, marks: Ints, back: Ints, closed: Table[np.int64]) -> None:
    """Count the returned links of each row, and the closed paths of which it is the start, the middle and the end.

    ``columns``: ascending in a row, without the row itself; ``paths``: whether paths are counted; ``marks``: (rows,),
    zeros; ``back``: (rows,), zeros; ``closed``: (3, rows), zeros.
    """
    for row in range(marks.size):
        begin, end = indptr[row], indptr[row + 1]
        for place in range(begin, end):
            marks[columns[place]] = row + 1
        for place in range(begin, end):
            middle = int(columns[place])
            first, last = indptr[middle], indptr[middle + 1]
            if holds(columns, first, last, row):
                back[row] += 1
            if paths:
                for step in range(first, last):
                    if marks[columns[step]] == row + 1:
                        closed[0, row] += 1
                        closed[1, middle] += 1
                        closed[2, columns[step]] += 1


# Join documents by returned links


def _count_of(links: LinkArrays, row: int, column: int) -> int:
    """Count of the link from a row to a column; 0 if there is none."""
    end = links.indptr[row + 1]
    place = first_not_below(links.columns, links.indptr[row], end, column)
    return signed(links.counts[place]) if place < end and links.columns[place] == column else 0


def _root(leaders: Table[np.int32], row: int, level: int) -> int:
    """Return the smallest row known to be joined with a row at a level; shorten the path to it."""
    while leaders[row, level] != row:
        leaders[row, level] = leaders[leaders[row, level], level]
        row = leaders[row, level]
    return row


def _join(leaders: Table[np.int32], row: int, column: int, level: int) -> bool:
    """Join two groups; return whether they were apart."""
    one, other = _root(leaders, row, level), _root(leaders, column, level)
    leaders[max(one, other), level] = min(one, other)
    return one != other


@compiled
def join_returned(first: int, last: int, links: LinkArrays, levels: Ints, leaders: Table[np.int32]) -> None:
    """Join the two ends of every link of count k or more whose reverse has count k or more too, for several k at once.

    What is joined at one k is joined at every smaller k, too. So most links, which join nothing new, are settled by one
    look at the greatest k that their count allows.

    ``first``: first of the rows whose links to later rows are joined; ``last``: row after the last of them; ``links``:
    all links; ``levels``: (256,), how many of the ks are at most each count; ``leaders``: (rows, ks), union-find
    forests by k ascending; initially each row is its own leader.
    """
    for row in range(first, last):
        for link in range(links.indptr[row], links.indptr[row + 1]):
            column, level = links.columns[link], levels[links.counts[link]] - 1
            if column <= row or level < 0 or _root(leaders, row, level) == _root(leaders, column, level):
                continue
            level = min(level, levels[_count_of(links, column, row)] - 1)
            while level >= 0 and _join(leaders, row, column, level):
                level -= 1


@compiled
def merge_leaders(others: Table[np.int32], leaders: Table[np.int32]) -> None:
    """Join in ``leaders`` what is joined in other forests of the same rows and ks."""
    for row in range(leaders.shape[0]):
        for level in range(leaders.shape[1]):
            if others[row, level] != row:
                _join(leaders, row, others[row, level], level)


@compiled
def lead_rows(leaders: Table[np.int32]) -> None:
    """Replace each row's leader at each k by the smallest row of its component."""
    for row in range(leaders.shape[0]):
        for level in range(leaders.shape[1]):
            leaders[row, level] = _root(leaders, row, level)


_BYTE: Final = 8


class TermPlaces(NamedTuple):
    """Key terms and targets of all documents."""

    keys: TermRows  # key terms by document
    targets: TermRows  # targets by document


class Acceptance(NamedTuple):
    """When a pair counts."""

    # int64 (n + 1,), terms that a direction needs, by the number of key terms of the shorter document
    need: Ints
    relations: Vector[np.bool_]  # bool (4,), by 1 if the forward count suffices plus 2 if the backward count does
    fewest: int  # key terms that both documents must have


@compiled
def count_forward(links: LinkArrays, starts: Ints) -> int:
    """Count the links from earlier to later documents.

    ``links``: links of all documents; ``starts``: (documents + 2,), zeros; receives in place b + 1 how many of them end
    in documents before b. Returns the number of all.
    """
    rows = links.indptr.size - 1
    for row in range(rows):
        for link in range(links.indptr[row], links.indptr[row + 1]):
            if links.columns[link] > row:
                starts[links.columns[link] + 2] += 1
    for row in range(rows):
        starts[row + 2] += starts[row + 1]
    return int(starts[rows + 1])


@compiled
def turn_forward(links: LinkArrays, turned: LinkArrays) -> None:
    """List the links from earlier to later documents by the later one.

    ``links``: links of all documents; ``turned``: receives them: the row is the later document, the column the earlier
    one, ascending. ``indptr`` must hold the starts of ``count_forward``.
    """
    # The start of each row moves to its end while the row is filled, and becomes the start of the next row.
    for row in range(links.indptr.size - 1):
        for link in range(links.indptr[row], links.indptr[row + 1]):
            later = links.columns[link]
            if later > row:
                place = turned.indptr[later + 1]
                turned.columns[place], turned.counts[place] = row, links.counts[link]
                turned.indptr[later + 1] = place + 1


def _next(links: LinkArrays, place: int, row: int) -> int:
    """Return the earlier document at a place of a row; the row itself after the last one."""
    return min(int(links.columns[place]), row) if place < links.indptr[row + 1] else row


@compiled
def list_pairs(links: LinkArrays, turned: LinkArrays, a: Int32s, b: Int32s) -> int:
    """List the pairs that are linked in either direction, ordered by the later document, then by the earlier one.

    ``links``: links of all documents; ``turned``: the links from earlier to later documents (``turn_forward``); ``a``:
    room for all links; receives the earlier document of each pair; ``b``: room for all links; receives the later one.
    Returns the number of pairs.
    """
    pair = 0
    for later in range(links.indptr.size - 1):
        one, other = links.indptr[later], turned.indptr[later]
        while True:
            back, forward = _next(links, one, later), _next(turned, other, later)
            to = min(back, forward)
            if to == later:
                break
            a[pair], b[pair] = to, later
            pair += 1
            one += back == to
            other += forward == to
    return pair


@compiled
def list_counted_pairs(
    links: LinkArrays, turned: LinkArrays, first: int, last: int, ends: Table[np.int64], counts: Table[np.int64]
) -> int:
    """List the pairs whose earlier document is one of ``first`` to ``last``, in the order of (earlier, later).

    ``turned``: all links, by the document they lead to; ``ends``: (2, room) receives the earlier and the later
    document of each pair; ``counts``: (2, room) receives the counts of both directions, 0 for no link. Returns the
    number of pairs.
    """
    pair = 0
    for earlier in range(first, last):
        end, other_end = links.indptr[earlier + 1], turned.indptr[earlier + 1]
        one = first_not_below(links.columns, links.indptr[earlier], end, earlier + 1)
        other = first_not_below(turned.columns, turned.indptr[earlier], other_end, earlier + 1)
        while one < end or other < other_end:
            ahead = one < end and (other == other_end or links.columns[one] <= turned.columns[other])
            back = other < other_end and (one == end or turned.columns[other] <= links.columns[one])
            ends[0, pair] = earlier
            ends[1, pair] = links.columns[one] if ahead else turned.columns[other]
            counts[0, pair] = signed(links.counts[one]) if ahead else 0
            counts[1, pair] = signed(turned.counts[other]) if back else 0
            pair += 1
            one += ahead
            other += back
    return pair


@compiled
def mark_enough(
    a: Int32s, b: Int32s, terms: TermPlaces, amounts: Uint8s, least: int, enough: int, found: Vector[np.bool_]
) -> None:
    """Mark the pairs of which one document has enough key terms of the other.

    ``amounts``: uint8, what each key term counts; each pair counts at least ``least`` in one direction, so that none
    whose documents need ``enough`` terms for this is looked at.
    """
    fewest = np.empty(terms.keys.indptr.size - 1, dtype=np.int64)
    for document in range(fewest.size):
        first, second = 0, 0
        for place in range(terms.keys.indptr[document], terms.keys.indptr[document + 1]):
            second = max(second, min(first, signed(amounts[place])))
            first = max(first, signed(amounts[place]))
        # One, two, or more, which is 3.
        fewest[document] = 3 - signed(first + second >= least) - signed(first >= least)
    for pair in range(a.size):
        found[pair] = (
            min(fewest[a[pair]], fewest[b[pair]]) >= enough
            or count_held(int(a[pair]), int(b[pair]), terms.keys, terms.targets) >= enough
            or count_held(int(b[pair]), int(a[pair]), terms.keys, terms.targets) >= enough
        )


def _join_trees(one: int, other: int, parents: Int32s) -> None:
    one, other = root(parents, one), root(parents, other)
    parents[max(one, other)] = min(one, other)


def _weigh(forward: int, backward: int) -> int:
    """Return a number by which pairs are ordered: by the smaller count, then by the larger one."""
    return (min(forward, backward) << _BYTE) + max(forward, backward)


def _best(
    later: int, links: LinkArrays, turned: LinkArrays, terms: TermPlaces, rule: Acceptance, parents: Int32s, exact: bool
) -> tuple[int, bool]:
    """Return the best earlier document, -1 if there is none, and whether exact counts are needed to be sure."""
    best, strength, known, unsure = -1, -1, False, 0
    one, other = links.indptr[later], turned.indptr[later]
    sizes = terms.keys.indptr
    size = sizes[later + 1] - sizes[later]
    while True:
        to = min(_next(links, one, later), _next(turned, other, later))
        if to == later:
            return best, not known and unsure > 1
        forward, backward = 0, 0
        if _next(turned, other, later) == to:
            forward = int(turned.counts[other])
            other += 1
        if _next(links, one, later) == to:
            backward = int(links.counts[one])
            one += 1
        if not _accepts(rule, forward, backward, min(size, sizes[to + 1] - sizes[to])):
            continue
        if parents.size > 0:
            _join_trees(to, later, parents)
        stored = forward > 0 and backward > 0
        # A count that is not stored is below all that are, so its pair is weaker than one with two stored counts.
        if not stored and (known or not exact):
            best = to if not known and unsure == 0 else best
            unsure += 1
            continue
        if not stored:
            forward = count_held(to, later, terms.keys, terms.targets)
            backward = count_held(later, to, terms.keys, terms.targets)
        if (stored and not known) or _weigh(forward, backward) > strength:
            best, strength = to, _weigh(forward, backward)
        known = known or stored


def _accepts(accepted: Acceptance, forward: int, backward: int, shorter: int) -> bool:
    need = accepted.need[shorter]
    relation = (1 if forward >= need else 0) + (2 if backward >= need else 0)
    return bool(shorter >= accepted.fewest and accepted.relations[relation])


@compiled
def choose_earlier(
    rows: tuple[int, int],
    links: LinkArrays,
    turned: LinkArrays,
    terms: TermPlaces,
    accepted: Acceptance,
    parents: Int32s,
    found: Ints,
) -> None:
    """Choose, for each document of some rows, the accepted earlier one with the largest counts.

    The order is that of the smaller count, the larger count, and the earliest document. Counts that are too small to be
    stored are computed only where they decide.

    ``rows``: first row, and row after the last; ``links``: links of all documents; all counts from the smallest need
    upwards must be stored; ``turned``: the links from earlier to later documents (``turn_forward``); ``terms``: key
    terms and targets; ``accepted``: which pairs count; ``parents``: (documents,), union-find, joins all accepted pairs;
    empty not to join any; ``found``: (documents,), receives the choice; -1 if there is none.
    """
    for later in range(rows[0], rows[1]):
        best, unsure = _best(later, links, turned, terms, accepted, parents, False)
        if unsure:
            best, unsure = _best(later, links, turned, terms, accepted, parents, True)
        found[later] = best
