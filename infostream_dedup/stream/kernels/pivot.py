"""Compare rows of terms of the pivot language, document by document."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from infostream_dedup.judging.evidence.kernels.sharing import look_up, note, place_of, take_out
from infostream_dedup.links.compiled.kernels.rows import first_not_below
from infostream_dedup.machine.arrays import Bools, Int32s, Ints, OtherWhole, Table, Vector, Whole
from infostream_dedup.machine.compiling import compiled, inlined, prefetch, signed


@compiled
def mark_missing(
    begins: Ints, values: Vector[Whole], other_begins: Ints, others: Vector[OtherWhole], marks: Bools
) -> None:
    """Mark the values of each row that are not in the same row of others; all rows ascend."""
    for row in range(begins.size - 1):
        other, end = other_begins[row], other_begins[row + 1]
        for place in range(begins[row], begins[row + 1]):
            while other < end and others[other] < values[place]:
                other += 1
            marks[place] = other == end or others[other] != values[place]


@compiled
def find_places(owners: Ints, terms: Vector[Whole], begins: Ints, keys: Vector[OtherWhole], places: Ints) -> None:
    """Find the place of terms among the few key terms of their documents.

    Args:
        owners: int64 (terms,), row of the document; a row that is not there has no key terms.
        terms: the terms.
        begins: int64 (documents + 1,), bounds of the key terms, each once in a document.
        keys: the key terms.
        places: int64 (terms,), receives the place of the term in its row, -1 if it is not a key term.
    """
    for number in range(terms.size):
        places[number] = -1
        owner = owners[number]
        if owner < 0 or owner >= begins.size - 1:
            continue
        for key in range(begins[owner], begins[owner + 1]):
            if keys[key] == terms[number]:
                places[number] = key - begins[owner]


# Count the key terms of the pivot language that pairs of documents have in common

PLACE_BITS: Final = 5  # bits of the place of a key term
MOST_KEYS: Final = 1 << PLACE_BITS  # maximum number of key terms of a document

_PLACE: Final = MOST_KEYS - 1

_AHEAD: Final = 3  # pairs between a document being asked for and being needed

_LINE: Final = 8

_MEMBER_LINES: Final = 12

_WEIGHT_LINES: Final = 4  # 64-bit values of a cache line, and lines of the members and weights of a common document


class PivotDocuments(NamedTuple):
    """Key terms of documents, and the terms that the key terms of other documents are matched with."""

    weight_begins: Ints  # int64 (documents + 1,), bounds in `weights`
    weights: Ints  # int64, weight of each key term, heaviest first, at most `MOST_KEYS` of a document
    member_begins: Ints  # int64 (documents + 1,), bounds in `members`
    # int64, ascending in a document: `MOST_KEYS` times a term, plus the place of a key term to which the term is
    # equivalent
    members: Ints
    matched_begins: Ints  # int64 (documents + 1,), bounds in `matched_by`
    matched_by: Int32s  # int32, ascending in a document: the terms that match key terms of others


class PivotScratch(NamedTuple):
    """Scratch memory."""

    members: Int32s  # int32, zeros, `SLOTS` for each member of the document with the most members
    matched_by: Int32s  # int32, zeros, `SLOTS` for each matching term of the document with the most
    maybe: Ints  # int64, longer than the members and the matching terms of any document


class SharedKeys(NamedTuple):
    """What pairs of documents (a, b) have in common."""

    counts: Table[np.int64]  # int64 (pairs, 2), number of a's key terms that match b, and of b's that match a
    weights: Table[np.int64]  # int64 (pairs, 2), their total weight
    own: Table[np.int64]  # int64 (pairs, 2), total weight of all key terms of a and of b


def _match_asking(documents: PivotDocuments, asks: int, held: int, bits: int, scratch: PivotScratch) -> int:
    """Key terms of the asking document that match the document in the tables, as bits by place."""
    first, last = documents.member_begins[asks], documents.member_begins[asks + 1]
    there, met = documents.matched_begins[held], 0
    found = look_up(scratch.matched_by, bits, documents.members, first, last, PLACE_BITS, scratch.maybe)
    for hit in range(found):
        member = documents.members[scratch.maybe[hit]]
        if place_of(scratch.matched_by, bits, member >> PLACE_BITS, documents.matched_by, there, 0) >= 0:
            met |= 1 << (member & _PLACE)
    return met


def _match_held(documents: PivotDocuments, answers: int, held: int, bits: int, scratch: PivotScratch) -> int:
    """Key terms of the document in the tables that match the answering document, as bits by place."""
    first, last = documents.matched_begins[answers], documents.matched_begins[answers + 1]
    there, end, met = documents.member_begins[held], documents.member_begins[held + 1], 0
    found = look_up(scratch.members, bits, documents.matched_by, first, last, 0, scratch.maybe)
    for hit in range(found):
        term = signed(documents.matched_by[scratch.maybe[hit]])
        place = place_of(scratch.members, bits, term, documents.members, there, PLACE_BITS)
        if place >= 0:
            member = there + place
            while member < end and documents.members[member] >> PLACE_BITS == term:
                met |= 1 << (documents.members[member] & _PLACE)
                member += 1
    return met


def _add_up(documents: PivotDocuments, document: int, met: int) -> tuple[int, int, int]:
    """Number and weight of a document's matching key terms, and weight of all its key terms."""
    first, count, weight, own = documents.weight_begins[document], 0, 0, 0
    for place in range(documents.weight_begins[document + 1] - first):
        hit = met >> place & 1
        count += hit
        # A mask, because the processor multiplies numbers of 64 bits one at a time.
        weight += -hit & documents.weights[first + place]
        own += documents.weights[first + place]
    return count, weight, own


@inlined
def _fetch(documents: PivotDocuments, document: int) -> None:
    """Start loading a document."""
    coming = documents.member_begins[document]
    for line in range(_MEMBER_LINES):
        prefetch(documents.members, coming + line * _LINE)
    coming = documents.weight_begins[document]
    for line in range(_WEIGHT_LINES):
        prefetch(documents.weights, coming + line * _LINE)


@compiled
def share_pivot(
    a: Ints, b: Ints, documents: PivotDocuments, scratch: PivotScratch, least: float, shared: SharedKeys
) -> None:
    """Count and weigh the key terms that match.

    Args:
        a: int64 (pairs,), number of one document; fastest if equal numbers are adjacent.
        b: int64 (pairs,), number of the other.
        documents: all documents.
        scratch: scratch memory; its tables are empty before and after.
        least: nothing is counted for a, which takes longer, if the matching key terms of b have less than this share of
            its weight.
        shared: zeros; receives what they have in common.
    """
    counts, weights, own = shared.counts, shared.weights, shared.own
    held, member_bits, met_bits = -1, 0, 0
    first, last, met_first, met_last = 0, 0, 0, 0
    for pair in range(a.size):
        _fetch(documents, b[min(pair + _AHEAD, a.size - 1)])
        if a[pair] != held:
            take_out(scratch.members, member_bits, documents.members, first, last, PLACE_BITS)
            take_out(scratch.matched_by, met_bits, documents.matched_by, met_first, met_last, 0)
            held = a[pair]
            first, last = documents.member_begins[held], documents.member_begins[held + 1]
            met_first, met_last = documents.matched_begins[held], documents.matched_begins[held + 1]
            member_bits = note(scratch.members, documents.members, first, last, PLACE_BITS)
            met_bits = note(scratch.matched_by, documents.matched_by, met_first, met_last, 0)
        there = _match_asking(documents, b[pair], held, met_bits, scratch)
        counts[pair, 1], weights[pair, 1], own[pair, 1] = _add_up(documents, b[pair], there)
        if np.float64(weights[pair, 1]) < least * np.float64(own[pair, 1]):
            continue
        here = _match_held(documents, b[pair], held, member_bits, scratch)
        counts[pair, 0], weights[pair, 0], own[pair, 0] = _add_up(documents, held, here)
    take_out(scratch.members, member_bits, documents.members, first, last, PLACE_BITS)
    take_out(scratch.matched_by, met_bits, documents.matched_by, met_first, met_last, 0)


# Compare the order of words that match


@inlined
def _match_places(rows: tuple[int, int], begins: Ints, terms: Ints, places: Ints, ends: Ints, met: Ints) -> int:
    """Count the matches at each place of the first text, or write the places they meet if ``met`` has room."""
    i, j, count = begins[rows[0]], begins[rows[1]], 0
    end, last = begins[rows[0] + 1], begins[rows[1] + 1]
    while i < end and j < last:
        if terms[i] > terms[j]:
            j += 1
        else:
            other = j
            while other < last and terms[other] == terms[i]:
                if met.size > 0:
                    met[ends[places[i]]] = places[other]
                ends[places[i]] += 1
                count += 1
                other += 1
            i += 1
    return count


@inlined
def _longest_chain(ends: Ints, met: Ints, against: bool, last: Ints) -> int:
    """As Hunt and Szymanski (1977): what one place meets comes backwards, so that a chain takes one of it."""
    count, begin = 0, 0
    for bucket in range(ends.size):
        end = ends[bucket]
        for number in range(end - begin):
            place = -met[begin + number] if against else met[end - 1 - number]
            length = first_not_below(last, 0, count, place)
            last[length] = place
            count = max(count, length + 1)
        begin = end
    return count


@compiled
def compare_orders(
    a: Ints, b: Ints, begins: Ints, terms: Ints, places: Ints, longest: int, found: Table[np.int64]
) -> None:
    """Compare the order of the words of texts; ``found`` receives the fields of ``WordOrder``.

    ``terms``: by which words match, ascending in each row; ``places``: of the word of each, ascending for each term and
    less than ``longest``.
    """
    ends, none, most = np.zeros(longest, dtype=np.int64), np.empty(0, dtype=np.int64), 0
    for pair in range(a.size):
        most = max(most, _match_places((a[pair], b[pair]), begins, terms, places, ends, none))
    met, last = np.empty(most + 1, dtype=np.int64), np.empty(longest, dtype=np.int64)
    seen = np.zeros(longest, dtype=np.int64)
    for pair in range(a.size):
        ends[:] = 0
        _match_places((a[pair], b[pair]), begins, terms, places, ends, none)
        total, own, their = 0, 0, 0
        for place in range(longest):
            count = ends[place]
            own += count > 0
            ends[place] = total
            total += count
        _match_places((a[pair], b[pair]), begins, terms, places, ends, met)
        begin = 0
        for place in range(longest):
            for at in range(begin, ends[place]):
                value, to = met[at], at
                while to > begin and met[to - 1] > value:
                    met[to] = met[to - 1]
                    to -= 1
                met[to] = value
                their += seen[value] != pair + 1
                seen[value] = pair + 1
            begin = ends[place]
        found[pair, 0] = min(own, their)
        found[pair, 1] = _longest_chain(ends, met, False, last)
        found[pair, 2] = _longest_chain(ends, met, True, last)
