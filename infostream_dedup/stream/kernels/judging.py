"""What documents are to the earlier ones that their key terms have found: all rules in one pass over the finds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from infostream_dedup.machine.compiling import compiled_bare, inlined

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "ALIKE",
    "ANY_SOURCE",
    "LINKED",
    "NOTHING",
    "NO_SOURCE",
    "OTHER_SOURCE",
    "REPEATED",
    "SAME_SOURCE",
    "TEMPLATE",
    "TOLD",
    "UPDATED",
    "Chosen",
    "Columns",
    "Finds",
    "Met",
    "Rules",
    "choose",
    "meet",
    "weigh",
    "weigh_and_choose",
]

NOTHING: Final = -1
NO_SOURCE: Final = -1
ANY_SOURCE, OTHER_SOURCE, SAME_SOURCE = 0, 1, 2
LINKED, ALIKE, TOLD, REPEATED = 1, 2, 4, 8
"""Bits of a find: it resembles the document; enough key terms meet for a repeat; the numbers agree too; it is repeated.
Without rules about numbers or shared terms, who is alike is told and repeated too."""

TEMPLATE, UPDATED = 4, 5
"""Relations; those below are 1 for ``contained`` and 2 for ``contains``, together ``equal``."""

_LEAST_NUMBERS = 3
_SAME_STORY = 12 * 3600 * 1_000_000
"""Microseconds within which other numbers are news of the same story; later they may be another day's message."""

_SAME_FORM = 0.4
"""Least Jaccard index of the terms of two days' messages; on mdnews most pairs above it are rates and weather."""


class Columns(NamedTuple):
    """Documents of the window by row.

    Attributes:
        sizes: uint8, key terms.
        sources: int32, ``NO_SOURCE`` where there is none.
        times: int64, microseconds.
        key_ends: int64, where the keys of each begin.
        keys: int32, heaviest first.
        weights: int64, of the keys.
        target_ends: int64, where the targets of each begin.
        targets: int32, ascending.
        number_ends: int64, where the numbers of each begin.
        numbers: int64, ascending.
    """

    sizes: NDArray[np.uint8]
    sources: NDArray[np.int32]
    times: NDArray[np.int64]
    key_ends: NDArray[np.int64]
    keys: NDArray[np.int32]
    weights: NDArray[np.int64]
    target_ends: NDArray[np.int64]
    targets: NDArray[np.int32]
    number_ends: NDArray[np.int64]
    numbers: NDArray[np.int64]


class Rules(NamedTuple):
    """What decides.

    Attributes:
        duplicate: int64, hits that make a repeat, by key terms of the shorter document.
        similar: int64, hits that make a link, the same.
        both: whether a repeat needs them in both directions.
        templates: whether numbers count.
        least_shared: least share of shared terms; 0 if none is asked for.
        source: ``ANY_SOURCE``, ``OTHER_SOURCE`` or ``SAME_SOURCE``.
        in_text: whether key terms are looked up in all terms, else in key terms.
    """

    duplicate: NDArray[np.int64]
    similar: NDArray[np.int64]
    both: bool
    templates: bool
    least_shared: float
    source: int
    in_text: bool


class Finds(NamedTuple):
    """What documents found, one after the other.

    Attributes:
        ends: int64 (documents + 1,), where the finds of each begin.
        rows: int64, of the finds, ascending for each document.
        forward: uint8, key terms of the document in each.
        backward: uint8, key terms of each in the document.
        kinds: uint8, bits; ``weigh`` writes them.
        ranks: float64, the greatest is the best; ``weigh`` writes them.
    """

    ends: NDArray[np.int64]
    rows: NDArray[np.int64]
    forward: NDArray[np.uint8]
    backward: NDArray[np.uint8]
    kinds: NDArray[np.uint8]
    ranks: NDArray[np.float64]


class Chosen(NamedTuple):
    """The best find of each document.

    Attributes:
        places: int64 (documents,), in the finds; ``NOTHING`` without a link.
        repeats: bool (documents,), whether it is repeated, else it resembles.
        relations: uint8 (documents,).
        repeated_ends: int64 (documents + 1,), where the repeated ones of each begin.
        repeated: int64, rows of all repeated ones, ascending for each document.
    """

    places: NDArray[np.int64]
    repeats: NDArray[np.bool_]
    relations: NDArray[np.uint8]
    repeated_ends: NDArray[np.int64]
    repeated: NDArray[np.int64]


class Met(NamedTuple):
    """Key terms of pairs of documents that stand in the other one.

    Attributes:
        forward: int64 (pairs,), key terms of the later document in the earlier one.
        backward: int64 (pairs,), key terms of the earlier one in the later one.
        ends: int64 (pairs + 1,), where the terms of each begin.
        terms: int64, each once a pair.
        weights: int64, summed where it is a key term of both.
    """

    forward: NDArray[np.int64]
    backward: NDArray[np.int64]
    ends: NDArray[np.int64]
    terms: NDArray[np.int64]
    weights: NDArray[np.int64]


@inlined
def _shared(values: NDArray[Any], ends: NDArray[np.int64], row: int, other: int) -> int:
    """How many values two ascending rows share."""
    at, end = ends[row], ends[row + 1]
    there, last = ends[other], ends[other + 1]
    shared = 0
    while at < end and there < last:
        one, two = values[at], values[there]
        shared += one == two
        at += one <= two
        there += two <= one
    return shared


@compiled_bare
def _numbers_agree(row: int, other: int, columns: Columns) -> bool:
    """Whether at least half of the numbers of either document stand in the other; three of each are needed to tell."""
    ends = columns.number_ends
    own, others = ends[row + 1] - ends[row], ends[other + 1] - ends[other]
    if own < _LEAST_NUMBERS or others < _LEAST_NUMBERS:
        return True
    return bool(2 * _shared(columns.numbers, ends, row, other) >= max(own, others))


@compiled_bare
def _jaccard(row: int, other: int, columns: Columns) -> float:
    """Terms that two documents share, as a share of the terms that either of them holds."""
    ends = columns.target_ends
    shared = _shared(columns.targets, ends, row, other)
    return float(shared / (ends[row + 1] - ends[row] + ends[other + 1] - ends[other] - shared))


@inlined
def _may_link(row: int, other: int, columns: Columns, rule: int) -> bool:
    if rule == ANY_SOURCE:
        return True
    same = bool(columns.sources[row] == columns.sources[other]) and columns.sources[row] != NO_SOURCE
    return bool(same == (rule == SAME_SOURCE))


@inlined
def _kind(row: int, other: int, forward: int, backward: int, columns: Columns, rules: Rules) -> int:
    shorter = min(columns.sizes[row], columns.sizes[other])
    if max(forward, backward) < rules.similar[shorter] or not _may_link(row, other, columns, rules.source):
        return 0
    least = rules.duplicate[shorter]
    if forward < least or (rules.both and backward < least):
        return LINKED
    if rules.templates and not _numbers_agree(row, other, columns):
        return LINKED | ALIKE
    if rules.least_shared > 0 and _jaccard(row, other, columns) < rules.least_shared:
        return LINKED | ALIKE | TOLD
    return LINKED | ALIKE | TOLD | REPEATED


@compiled_bare
def weigh(first: int, finds: Finds, columns: Columns, rules: Rules) -> None:
    """Say of each find what it is to its document, and rank it by min and max of both counts.

    Args:
        first: row of the first document; the others follow.
        finds: ``kinds`` and ``ranks`` are written to.
        columns: of the window.
        rules: see there.
    """
    for number in range(finds.ends.size - 1):
        for place in range(finds.ends[number], finds.ends[number + 1]):
            forward, backward = finds.forward[place], finds.backward[place]
            finds.kinds[place] = _kind(first + number, finds.rows[place], forward, backward, columns, rules)
            finds.ranks[place] = min(forward, backward) * 256 + max(forward, backward)


@compiled_bare
def _is_template(row: int, other: int, columns: Columns) -> bool:
    """Whether two documents that are alike but for their numbers are one form filled in on two days.

    Else they are two states of one story: new figures within hours, or a later text that repeats the background.
    """
    if columns.sources[row] == NO_SOURCE or columns.sources[row] != columns.sources[other]:
        return False
    if abs(columns.times[row] - columns.times[other]) < _SAME_STORY:
        return False
    ends = columns.target_ends
    shared = _shared(columns.targets, ends, row, other)
    both = ends[row + 1] - ends[row] + ends[other + 1] - ends[other]
    return bool(shared >= _SAME_FORM * (both - shared))


@compiled_bare
def _relation(row: int, place: int, finds: Finds, columns: Columns, rules: Rules) -> int:
    other, kind = finds.rows[place], finds.kinds[place]
    if kind & ALIKE and not kind & (TOLD | REPEATED):
        return TEMPLATE if _is_template(row, other, columns) else UPDATED
    shorter = min(columns.sizes[row], columns.sizes[other])
    least = rules.duplicate[shorter] if kind & ALIKE else rules.similar[shorter]
    return int(finds.forward[place] >= least) + 2 * int(finds.backward[place] >= least)


@compiled_bare
def choose(first: int, finds: Finds, columns: Columns, rules: Rules, chosen: Chosen) -> None:
    """Choose for each document the find of the highest rank, of equals the earliest; a repeated one if there is any.

    Args:
        first: row of the first document; the others follow.
        finds: with ``kinds`` and ``ranks``.
        columns: of the window.
        rules: see there.
        chosen: written to; as many ``repeated`` as finds at most.
    """
    end = 0
    chosen.repeated_ends[0] = 0
    for number in range(finds.ends.size - 1):
        best, wanted = NOTHING, LINKED
        for place in range(finds.ends[number], finds.ends[number + 1]):
            kind = finds.kinds[place]
            if kind & REPEATED:
                chosen.repeated[end] = finds.rows[place]
                end += 1
                if wanted == LINKED:
                    best, wanted = NOTHING, REPEATED
            if kind & wanted and (best == NOTHING or finds.ranks[place] > finds.ranks[best]):
                best = place
        chosen.places[number], chosen.repeats[number] = best, wanted == REPEATED
        chosen.relations[number] = 0 if best == NOTHING else _relation(first + number, best, finds, columns, rules)
        chosen.repeated_ends[number + 1] = end


@compiled_bare
def weigh_and_choose(first: int, finds: Finds, columns: Columns, rules: Rules, chosen: Chosen) -> None:
    """``weigh``, then ``choose``: a call costs as much as either for one document."""
    weigh(first, finds, columns, rules)
    choose(first, finds, columns, rules, chosen)


@inlined
def _stands(term: int, values: NDArray[np.int32], begin: int, end: int) -> bool:
    """Whether a term is among the ascending ``values[begin:end]``."""
    last = end
    while begin < end:
        middle = (begin + end) >> 1
        if values[middle] < term:
            begin = middle + 1
        else:
            end = middle
    return begin < last and values[begin] == term


@compiled_bare
def _looked_up(term: int, row: int, columns: Columns, in_text: bool) -> bool:
    """Whether a key term of another document is found in a row."""
    if in_text:
        return _stands(term, columns.targets, columns.target_ends[row], columns.target_ends[row + 1])
    found = False
    for place in range(columns.key_ends[row], columns.key_ends[row + 1]):
        found |= columns.keys[place] == term
    return found


@inlined
def _put_in(term: int, weight: int, begin: int, end: int, met: Met) -> int:
    """Add a term's weight to what has met; returns the new end."""
    for place in range(begin, end):
        if met.terms[place] == term:
            met.weights[place] += weight
            return end
    met.terms[end], met.weights[end] = term, weight
    return end + 1


@inlined
def _put_all(row: int, other: int, begin: int, end: int, columns: Columns, in_text: bool, met: Met) -> tuple[int, int]:
    """Put in the key terms of a row that stand in another one; returns how many there are, and the new end."""
    hits = 0
    for place in range(columns.key_ends[row], columns.key_ends[row + 1]):
        term = columns.keys[place]
        if _looked_up(term, other, columns, in_text):
            hits += 1
            end = _put_in(term, columns.weights[place], begin, end, met)
    return hits, end


@compiled_bare
def meet(rows: NDArray[np.int64], others: NDArray[np.int64], columns: Columns, rules: Rules, met: Met) -> None:
    """Gather the key terms of pairs of documents that stand in each other.

    Args:
        rows: later documents.
        others: an earlier one for each; ``NOTHING`` for none.
        columns: of the window.
        rules: see there.
        met: written to; room for the key terms of both documents of every pair.
    """
    end = 0
    met.ends[0] = 0
    for pair in range(rows.size):
        forward = backward = 0
        if others[pair] != NOTHING:
            begin = end
            forward, end = _put_all(rows[pair], others[pair], begin, end, columns, rules.in_text, met)
            backward, end = _put_all(others[pair], rows[pair], begin, end, columns, rules.in_text, met)
        met.forward[pair], met.backward[pair], met.ends[pair + 1] = forward, backward, end
