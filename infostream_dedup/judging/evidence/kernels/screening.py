"""Find pairs that are certainly neither accepted by the pair model nor share much wording, at a fraction of the cost.

Numbers, names and leads decide most pairs whatever the rest would be; a signature of the triples bounds the wording.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from infostream_dedup.judging.evidence.constants import LEAD_WORDS
from infostream_dedup.judging.evidence.kernels.comparing import (
    LEAD_LIST,
    NAME_LIST,
    NUMBER_LIST,
    MatchingTables,
    RecordParts,
    hold_lists,
    leave,
    list_shares,
    parts_of,
    share,
    sum_of,
    weight_at,
)
from infostream_dedup.judging.evidence.kernels.packing import filter_bits
from infostream_dedup.judging.evidence.kernels.words import mixed
from infostream_dedup.machine.arrays import Floats, Ints, Table, Uint32s, Uint64s
from infostream_dedup.machine.compiling import compiled, inlined, popcount, prefetch, signed

# Weigh the lead of one document that is in the text of another, with all that can be known before they meet

LEAD_ROW: Final = 4 * LEAD_WORDS
"""Numbers kept for each document: what chooses the block of each lead word, then the bits of each in both words of the
block, then the weight of each."""

_FIRST: Final = LEAD_WORDS

_SECOND: Final = 2 * LEAD_WORDS

_WEIGHT: Final = 3 * LEAD_WORDS

_32 = np.uint64(32)


@compiled
def spread_leads(words: Uint32s, begins: Ints, leads: Uint32s) -> None:
    """Work out where in a filter each lead word has to be looked up.

    ``leads``: uint32 (documents * LEAD_ROW,), zeros. A word that is missing has no bits and no weight.
    """
    for document in range(begins.size - 1):
        parts, row = parts_of(words, begins[document]), leads[document * LEAD_ROW : (document + 1) * LEAD_ROW]
        for number in range(parts.lead):
            spread = mixed(np.uint64(words[parts.lead_at + number]))
            row[number] = spread >> _32
            row[_FIRST + number], row[_SECOND + number] = filter_bits(spread)
            row[_WEIGHT + number] = weight_at(words, parts.weights, parts.numbers + parts.names + number)


@inlined
def weigh_opening(leads: Uint32s, document: int, words: Uint32s, other: RecordParts) -> int:
    """Weight of the lead words of a document, as ``spread_leads`` writes them, that are in the filter of ``other``."""
    met, blocks = 0, np.uint64(other.blocks)
    lead = leads[document * LEAD_ROW : (document + 1) * LEAD_ROW]
    if other.blocks == 0:
        return met
    bits = words[other.filter_at : other.filter_at + 2 * other.blocks]
    for number in range(LEAD_WORDS):
        place = 2 * signed(np.uint64(lead[number]) * blocks >> _32)
        missing = lead[_FIRST + number] & ~bits[place] | lead[_SECOND + number] & ~bits[place + 1]
        met += signed(lead[_WEIGHT + number]) * signed(missing == 0)
    return met


MOST_WORDS: Final = 512  # words of 64 bits of the longest signature; a longer document gets none
_BITS_OF_A_TRIPLE: Final = 8  # a signature has at least this many bits, and less than twice as many, for each triple
_AHEAD: Final = 4  # pairs between a document's record being asked for and being needed

_LINE: Final = 16

_LINES: Final = 7

_SIGNATURE_LINES: Final = 4

_LEAD_LINES: Final = 5  # 32-bit words of a cache line, and lines of a common record, a common signature and a lead
MARGIN: Final = 1e-6  # more than the rounding of probability and wording, and than the errors of sums in another order
MAY_SHARE: Final = 1e6  # more than any z

_ONE = np.uint64(1)

_SIX = np.uint64(6)

_LOW_BITS = np.uint64(63)


class ScreenedRows(NamedTuple):
    """What is known of each document before pairs are compared."""

    words: Uint32s  # uint32, records
    begins: Ints  # int64 (documents + 1,), bounds of the records
    lengths: Floats  # float64 (documents,), logarithm of the length as the model takes it
    reach: Floats  # float64 (documents,), what the key terms of the document can add to z at most
    leads: Uint32s  # uint32 (documents * LEAD_ROW,), as `spread_leads` writes them
    triples: Uint64s  # uint64, ascending and distinct in each document
    triple_begins: Ints  # int64 (documents + 1,), bounds of the triples
    signatures: Uint64s  # uint64, a bit for each triple, chosen by its highest bits
    # int64 (documents + 1,), bounds of the signatures; sizes are powers of two, or 0
    signature_begins: Ints
    doubled: Ints  # int64 (documents,), triples that share their bit with an earlier one


class ModelBounds(NamedTuple):
    """The pair model, as far as documents do not decide before pairs are compared."""

    # z of a pair without numbers, names, openings and key terms, of equal lengths, plus what the cosine can add at most
    start: float
    length: float  # added for each unit of `length`; likewise the others
    # for the smaller and the larger share of numbers, for known numbers, and for numbers that miss
    numbers: tuple[float, float, float, float]
    names: tuple[float, float, float]  # for the smaller and the larger share of names, and for known names
    lead: float  # for the larger share of a lead
    opening: tuple[float, float]  # for the smaller and the larger share of an opening
    least: float  # smallest z of a pair that is accepted
    wording: float  # smallest share of wording of a pair that is kept whatever the model says


class ScreenScratch(NamedTuple):
    """Scratch memory."""

    tables: MatchingTables  # empty tables; empty again at the end
    signature: Uint64s  # uint64 (2 * MOST_WORDS,), signatures of one document: that of n words begins at n
    signed: Ints  # int64 (MOST_WORDS + 1,), document whose signature of n words is there, -1 for none
    doubled: Ints  # int64 (MOST_WORDS + 1,), as in `ScreenedRows`, for each of these signatures


@inlined
def _words_of_signature(triples: int) -> int:
    words = 1
    while 64 * words < _BITS_OF_A_TRIPLE * triples:
        words *= 2
    return words if words <= MOST_WORDS and triples else 0


@compiled
def signature_sizes(begins: Ints, bounds: Ints) -> None:
    """Compute the bounds of the documents' signatures from those of their triples."""
    bounds[0] = 0
    for document in range(begins.size - 1):
        bounds[document + 1] = bounds[document] + _words_of_signature(begins[document + 1] - begins[document])


@inlined
def _shift_of(words: int) -> np.uint64:
    bits = 6
    while 64 << bits - 6 < 64 * words:
        bits += 1
    return np.uint64(64 - bits)


def _sign(triples: Uint64s, first: int, last: int, signature: Uint64s, begin: int, words: int) -> int:
    """Set the bits of triples in a signature; return how many were set already."""
    doubled, shift = 0, _shift_of(words)
    for word in range(begin, begin + words):
        signature[word] = 0
    for place in range(first, last):
        bit = triples[place] >> shift
        word = begin + signed(bit >> _SIX)
        doubled += signed(signature[word] >> (bit & _LOW_BITS) & _ONE)
        signature[word] |= _ONE << (bit & _LOW_BITS)
    return doubled


def _count_signed(triples: Uint64s, first: int, last: int, signature: Uint64s, begin: int, words: int) -> int:
    """Triples whose bit is set in a signature."""
    found, shift = 0, _shift_of(words)
    for place in range(first, last):
        bit = triples[place] >> shift
        found += signed(signature[begin + signed(bit >> _SIX)] >> (bit & _LOW_BITS) & _ONE)
    return found


@compiled
def sign_documents(triples: Uint64s, begins: Ints, signatures: Uint64s, bounds: Ints, doubled: Ints) -> None:
    """Write the signature of each document; arguments as in ``ScreenedRows``."""
    for document in range(doubled.size):
        words = bounds[document + 1] - bounds[document]
        if words:
            doubled[document] = _sign(
                triples, begins[document], begins[document + 1], signatures, bounds[document], words
            )


@inlined
def _openings(rows: ScreenedRows, a: int, b: int, one: RecordParts, other: RecordParts) -> tuple[float, float]:
    """Both shares of the openings."""
    met, answered = weigh_opening(rows.leads, a, rows.words, other), weigh_opening(rows.leads, b, rows.words, one)
    return share(met, sum_of(rows.words, one.at, LEAD_LIST)), share(answered, sum_of(rows.words, other.at, LEAD_LIST))


@inlined
def _numbers(words: Uint32s, one: RecordParts, other: RecordParts, tables: MatchingTables, model: ModelBounds) -> float:
    """What numbers add to z."""
    if min(one.numbers, other.numbers) < 2:
        return 0.0
    forward, backward, _ = list_shares(NUMBER_LIST, words, one, other, tables)
    least, most, known, miss = model.numbers
    larger = max(forward, backward)
    return known + least * min(forward, backward) + most * larger + (miss if larger < 0.2 else 0.0)


@inlined
def _names(words: Uint32s, one: RecordParts, other: RecordParts, tables: MatchingTables, model: ModelBounds) -> float:
    """What names add to z."""
    if min(one.names, other.names) < 2:
        return 0.0
    forward, backward, _ = list_shares(NAME_LIST, words, one, other, tables)
    least, most, known = model.names
    return known + least * min(forward, backward) + most * max(forward, backward)


@inlined
def _most(rows: ScreenedRows, a: int, b: int, scratch: ScreenScratch, model: ModelBounds) -> float:
    """Bound of z of a document and the one in the tables without their shares of key terms, as in ``bound_pairs``."""
    one, other = parts_of(rows.words, rows.begins[a]), parts_of(rows.words, rows.begins[b])
    least = model.least - MARGIN - rows.reach[a] - rows.reach[b]
    z = model.start + model.length * min(abs(rows.lengths[a] - rows.lengths[b]), 3.0)
    z += _numbers(rows.words, one, other, scratch.tables, model)
    z += _names(rows.words, one, other, scratch.tables, model)
    forward, backward = _openings(rows, a, b, one, other)
    z += model.opening[0] * min(forward, backward) + model.opening[1] * max(forward, backward)
    # All words of a lead are in the filter of their document, so an opening's share is never below that of the lead.
    if z + max(model.lead, 0.0) * max(forward, backward) < least:
        return -np.inf
    forward, backward, _ = list_shares(LEAD_LIST, rows.words, one, other, scratch.tables)
    z += model.lead * max(forward, backward)
    return z if z >= least else -np.inf


@inlined
def _most_shared(rows: ScreenedRows, one: int, other: int, scratch: ScreenScratch) -> int:
    """How many triples both documents may have; documents without triples share none."""
    begin, first, last = rows.signature_begins[one], rows.triple_begins[other], rows.triple_begins[other + 1]
    words = rows.signature_begins[one + 1] - begin
    fewer = min(rows.triple_begins[one + 1] - rows.triple_begins[one], last - first)
    if words == 0 or fewer == 0:
        return int(fewer)
    its_begin, its_end = rows.signature_begins[other], rows.signature_begins[other + 1]
    if its_end - its_begin > words:
        # In as few bits as the shorter document needs, a longer one sets most.
        triples, begin, end = rows.triples, rows.triple_begins[one], rows.triple_begins[one + 1]
        return int(_count_signed(triples, begin, end, rows.signatures, its_begin, its_end - its_begin))
    if scratch.signed[words] != other:
        scratch.doubled[words] = _sign(rows.triples, first, last, scratch.signature, words, words)
        scratch.signed[words] = other
    # Slices: with places that might be negative, the loop would not be vectorised.
    mine, its = rows.signatures[begin : begin + words], scratch.signature[words : 2 * words]
    common = 0
    for word in range(words):
        common += popcount(mine[word] & its[word])
    # Each shared triple has a common bit; beside the first triple of a bit, at most those counted as doubled share one.
    return int(common + min(rows.doubled[one], scratch.doubled[words]))


@inlined
def _fetch(rows: ScreenedRows, document: int, later: int) -> None:
    """Start loading a document, and where a later one is."""
    prefetch(rows.begins, later)
    prefetch(rows.signature_begins, later)
    coming = rows.begins[document]
    for line in range(_LINES):
        prefetch(rows.words, coming + line * _LINE)
    coming = rows.signature_begins[document]
    for line in range(_SIGNATURE_LINES):
        prefetch(rows.signatures, coming + line * _LINE // 2)
    for line in range(_LEAD_LINES):
        prefetch(rows.leads, document * LEAD_ROW + line * _LINE)


@compiled
def bound_pairs(
    a: Ints,
    b: Ints,
    runs: Table[np.int64],
    rows: ScreenedRows,
    model: ModelBounds,
    scratch: ScreenScratch,
    bounds: Floats,
) -> None:
    """Bound z of pairs that hardly share any wording.

    Args:
        a: int64 (pairs,), row of one document.
        b: int64 (pairs,), row of the other.
        runs: int64 (runs, 2), bounds of the pairs of one b; fastest if runs with the same documents follow each other.
        rows: all documents.
        model: the pair model.
        scratch: scratch memory.
        bounds: float64 (pairs,), receives the largest z that the pair can have, without what its shares of key terms
            add: -inf if that is too little for the model whatever the shares are. If the pair may share much wording,
            ``MAY_SHARE`` and a bound of the share of the longer document's triples.
    """
    for run in range(runs.shape[0]):
        begin, end = runs[run]
        held = b[begin]
        its = rows.triple_begins[held + 1] - rows.triple_begins[held]
        hold_lists(rows.words, parts_of(rows.words, rows.begins[held]), scratch.tables)
        for pair in range(begin, min(begin + _AHEAD, end)):
            _fetch(rows, a[pair], a[min(pair + _AHEAD, end - 1)])
        for pair in range(begin, end):
            _fetch(rows, a[min(pair + _AHEAD, end - 1)], a[min(pair + 2 * _AHEAD, end - 1)])
            own, most = (
                rows.triple_begins[a[pair] + 1] - rows.triple_begins[a[pair]],
                _most_shared(rows, a[pair], held, scratch),
            )
            if most and np.float64(most) >= (model.wording - MARGIN) * np.float64(min(own, its)):
                bounds[pair] = MAY_SHARE + np.float64(most) / np.float64(max(own, its))
            else:
                bounds[pair] = _most(rows, a[pair], held, scratch, model)
    for which in range(NUMBER_LIST, LEAD_LIST + 1):
        leave(scratch.tables, which)
