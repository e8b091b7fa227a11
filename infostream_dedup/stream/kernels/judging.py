"""Decide how documents relate to the earlier ones that their key terms found: all rules in one pass over the finds."""

from __future__ import annotations

from typing import Final, NamedTuple

from infostream_dedup.links.compiled.kernels.rows import holds
from infostream_dedup.machine.arrays import Bools, Floats, Int32s, Ints, Uint8s, Vector, Whole
from infostream_dedup.machine.compiling import compiled, inlined

__all__ = [
    "ALIKE", "ANY_SOURCE", "LINKED", "NOTHING", "NO_SOURCE", "OTHER_SOURCE", "REPEATED", "SAME_SOURCE", "TEMPLATE",
    "TOLD", "UPDATED", "Chosen", "Columns", "DecisionRules", "Finds", "Met", "choose", "meet", "shares_enough",
    "weigh", "weigh_and_choose",
]  # fmt: skip

NOTHING: Final = -1
NO_SOURCE: Final = -1
ANY_SOURCE, OTHER_SOURCE, SAME_SOURCE = 0, 1, 2
LINKED, ALIKE, TOLD, REPEATED = 1, 2, 4, 8
"""Bits of a find: it resembles the document; enough key terms match for a repeat; numbers agree too; it is repeated.
Without rules about numbers or shared terms, the second bit implies the other two."""

TEMPLATE, UPDATED = 4, 5  # relations; smaller values are 1 for ``contained`` and 2 for ``contains``, together ``equal``

_LEAST_NUMBERS = 3
_SAME_STORY = 12 * 3600 * 1_000_000
"""Microseconds within which different numbers are news of the same story; later, they may report another day."""

_SAME_FORM = 0.4
"""Minimum Jaccard index of the terms of two days' messages; most mdnews pairs above it are rates and weather."""


class Columns(NamedTuple):
    """Documents of the window, by row."""

    sizes: Uint8s  # uint8, number of key terms
    sources: Int32s  # int32, source; `NO_SOURCE` if unknown
    times: Ints  # int64, microseconds
    key_ends: Ints  # int64, start of the keys of each row
    keys: Int32s  # int32, heaviest first
    weights: Ints  # int64, weights of the keys
    target_ends: Ints  # int64, start of the targets of each row
    targets: Int32s  # int32, ascending
    number_ends: Ints  # int64, start of the numbers of each row
    numbers: Ints  # int64, ascending


class DecisionRules(NamedTuple):
    """The rules of a stream."""

    # int64, minimum hits for a repeat, indexed by the number of key terms of the shorter document
    duplicate: Ints
    similar: Ints  # int64, minimum hits for a link, indexed likewise
    both: bool  # whether a repeat needs these hits in both directions
    templates: bool  # whether numbers are compared
    least_shared: float  # minimum Jaccard index of all terms; 0 for no limit
    source: int  # `ANY_SOURCE`, `OTHER_SOURCE` or `SAME_SOURCE`
    in_text: bool  # whether key terms are looked up in all terms; otherwise, in key terms


class Finds(NamedTuple):
    """Earlier documents found by consecutive documents."""

    ends: Ints  # int64 (documents + 1,), start of the finds of each document
    rows: Ints  # int64, rows of the finds, ascending for each document
    forward: Uint8s  # uint8, number of key terms of the document in each find
    backward: Uint8s  # uint8, number of key terms of each find in the document
    kinds: Uint8s  # uint8, bits, written by `weigh`
    ranks: Floats  # float64, greatest is best, written by `weigh`


class Chosen(NamedTuple):
    """The best find of each document."""

    places: Ints  # int64 (documents,), index of the find; `NOTHING` without a link
    # bool (documents,), whether the document repeats the find, rather than only resembling it
    repeats: Bools
    relations: Uint8s  # uint8 (documents,)
    repeated_ends: Ints  # int64 (documents + 1,), start of the repeated documents of each
    repeated: Ints  # int64, rows of all repeated documents, ascending for each document


class Met(NamedTuple):
    """Key terms of pairs of documents that occur in the other document."""

    forward: Ints  # int64 (pairs,), number of key terms of the later document in the earlier one
    backward: Ints  # int64 (pairs,), number of key terms of the earlier document in the later one
    ends: Ints  # int64 (pairs + 1,), start of the terms of each pair
    terms: Ints  # int64, each once per pair
    weights: Ints  # int64, weight of each; the sum if it is a key term of both


@inlined
def _count_shared(values: Vector[Whole], ends: Ints, row: int, other: int) -> int:
    """Count the values that two ascending rows have in common."""
    at, end = ends[row], ends[row + 1]
    there, last = ends[other], ends[other + 1]
    shared = 0
    while at < end and there < last:
        one, two = values[at], values[there]
        shared += one == two
        at += one <= two
        there += two <= one
    return shared


def _numbers_agree(row: int, other: int, columns: Columns) -> bool:
    """Whether at least half of either document's numbers occur in the other; each must have at least three."""
    ends = columns.number_ends
    own, others = ends[row + 1] - ends[row], ends[other + 1] - ends[other]
    if own < _LEAST_NUMBERS or others < _LEAST_NUMBERS:
        return True
    return bool(2 * _count_shared(columns.numbers, ends, row, other) >= max(own, others))


@compiled
def shares_enough(row: int, other: int, columns: Columns, least: float) -> bool:
    """Whether the Jaccard index of the terms of two documents is at least ``least``, above 0.

    Stops as soon as the answer is certain, because it is called for every pair of documents in a story.
    """
    values, ends = columns.targets, columns.target_ends
    at, end = ends[row], ends[row + 1]
    there, last = ends[other], ends[other + 1]
    both = end - at + last - there
    # One less than the number required, because the product is rounded.
    nearly = int(least * both / (1.0 + least)) - 1
    shared = 0
    while at < end and there < last:
        one, two = values[at], values[there]
        shared += one == two
        at += one <= two
        there += two <= one
        if shared > nearly and shared / (both - shared) >= least:
            return True
    return False


@inlined
def _may_link(row: int, other: int, columns: Columns, rule: int) -> bool:
    if rule == ANY_SOURCE:
        return True
    same = bool(columns.sources[row] == columns.sources[other]) and columns.sources[row] != NO_SOURCE
    return bool(same == (rule == SAME_SOURCE))


@inlined
def _kind(row: int, other: int, forward: int, backward: int, columns: Columns, rules: DecisionRules) -> int:
    shorter = min(columns.sizes[row], columns.sizes[other])
    if max(forward, backward) < rules.similar[shorter] or not _may_link(row, other, columns, rules.source):
        return 0
    least = rules.duplicate[shorter]
    if forward < least or (rules.both and backward < least):
        return LINKED
    if rules.templates and not _numbers_agree(row, other, columns):
        return LINKED | ALIKE
    if rules.least_shared > 0 and not shares_enough(row, other, columns, rules.least_shared):
        return LINKED | ALIKE | TOLD
    return LINKED | ALIKE | TOLD | REPEATED


@compiled
def weigh(first: int, finds: Finds, columns: Columns, rules: DecisionRules) -> None:
    """Classify each find of a document, and rank it by the minimum, then the maximum, of its two counts."""
    for number in range(finds.ends.size - 1):
        for place in range(finds.ends[number], finds.ends[number + 1]):
            forward, backward = finds.forward[place], finds.backward[place]
            finds.kinds[place] = _kind(first + number, finds.rows[place], forward, backward, columns, rules)
            finds.ranks[place] = min(forward, backward) * 256 + max(forward, backward)


def _is_template(row: int, other: int, columns: Columns) -> bool:
    """Whether two documents that differ only in numbers are one form, filled in on two days.

    Otherwise they are two stages of one story: new figures within hours, or a later text that repeats the background.
    """
    if columns.sources[row] == NO_SOURCE or columns.sources[row] != columns.sources[other]:
        return False
    if abs(columns.times[row] - columns.times[other]) < _SAME_STORY:
        return False
    ends = columns.target_ends
    shared = _count_shared(columns.targets, ends, row, other)
    both = ends[row + 1] - ends[row] + ends[other + 1] - ends[other]
    return bool(shared >= _SAME_FORM * (both - shared))


def _relation(row: int, place: int, finds: Finds, columns: Columns, rules: DecisionRules) -> int:
    other, kind = finds.rows[place], finds.kinds[place]
    if kind & ALIKE and not kind & (TOLD | REPEATED):
        return TEMPLATE if _is_template(row, other, columns) else UPDATED
    shorter = min(columns.sizes[row], columns.sizes[other])
    least = rules.duplicate[shorter] if kind & ALIKE else rules.similar[shorter]
    return int(finds.forward[place] >= least) + 2 * int(finds.backward[place] >= least)


@compiled
def choose(first: int, finds: Finds, columns: Columns, rules: DecisionRules, chosen: Chosen) -> None:
    """Choose the highest-ranked find of each document, the earliest among equals; repeated finds take precedence."""
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


@compiled
def weigh_and_choose(first: int, finds: Finds, columns: Columns, rules: DecisionRules, chosen: Chosen) -> None:
    """Run ``weigh``, then ``choose``, in one call: for a single document the call itself costs as much as either."""
    weigh(first, finds, columns, rules)
    choose(first, finds, columns, rules, chosen)


def _has_term(term: int, row: int, columns: Columns, in_text: bool) -> bool:
    """Whether a key term of another document occurs in a row."""
    if in_text:
        return holds(columns.targets, columns.target_ends[row], columns.target_ends[row + 1], term)
    found = False
    for place in range(columns.key_ends[row], columns.key_ends[row + 1]):
        found |= columns.keys[place] == term
    return found


@inlined
def _add_term(term: int, weight: int, begin: int, end: int, met: Met) -> int:
    """Add a term and its weight to the terms in common; return the new end."""
    for place in range(begin, end):
        if met.terms[place] == term:
            met.weights[place] += weight
            return end
    met.terms[end], met.weights[end] = term, weight
    return end + 1


@inlined
def _add_terms(row: int, other: int, begin: int, end: int, columns: Columns, inside: bool, met: Met) -> tuple[int, int]:
    """Add the key terms of a row that occur in another row; return their number, and the new end."""
    hits = 0
    for place in range(columns.key_ends[row], columns.key_ends[row + 1]):
        term = columns.keys[place]
        if _has_term(term, other, columns, inside):
            hits += 1
            end = _add_term(term, columns.weights[place], begin, end, met)
    return hits, end


@compiled
def meet(rows: Ints, others: Ints, columns: Columns, rules: DecisionRules, met: Met) -> None:
    """Collect the key terms of pairs of documents that occur in the other document; ``NOTHING`` in others: no pair."""
    end = 0
    met.ends[0] = 0
    for pair in range(rows.size):
        forward = backward = 0
        if others[pair] != NOTHING:
            begin = end
            forward, end = _add_terms(rows[pair], others[pair], begin, end, columns, rules.in_text, met)
            backward, end = _add_terms(others[pair], rows[pair], begin, end, columns, rules.in_text, met)
        met.forward[pair], met.backward[pair], met.ends[pair + 1] = forward, backward, end
