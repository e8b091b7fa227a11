"""Evidence of pairs from two records and key terms; ``tests/oracles/plain_pairs.py`` is the readable reference."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from infostream_dedup.judging.evidence.constants import DATE_BIT, HEAD_BIT
from infostream_dedup.judging.evidence.kernels.packing import (
    BLOCKS_AT,
    COUNTS_AT,
    FIGURES_AT,
    FORM_AT,
    HEADER,
    LEAD_BITS,
    SUMS_AT,
    TITLE_AT,
    filter_place,
)
from infostream_dedup.judging.evidence.kernels.words import place_among
from infostream_dedup.machine.arrays import Entry, Floats, Int32s, Ints, Table, Uint8s, Uint32s, Uint64s, Vector
from infostream_dedup.machine.compiling import compiled, inlined, signed

# Look up the entries of one document in a small table of another: merging two lists mispredicts too many branches.
#
# A document that many others are compared with is loaded into the table once.

ENTRIES: Final = 4096  # most entries of a list

_SLOTS: Final = 4 * ENTRIES
_LEAST_SLOTS: Final = 128

_SLOTS_OF_AN_ENTRY: Final = 16
"""Slots for each entry, if the table is large enough: few entries are then mistaken for ones in the table."""

_MULTIPLIER = np.uint32(2654435761)
_HIGH_BITS = np.uint32(17)


class MatchingTables(NamedTuple):
    """Tables of four lists of one document, and scratch memory."""

    slots: Table[np.int32]  # int32 (4, slots), place of an entry counted from 1, 0 for an empty slot
    touched: Table[np.int32]  # int32 (4, ENTRIES), slots in use
    counts: Ints  # int64 (4,), number of slots in use
    one: Ints  # int64 (ENTRIES + 1,), receives places in the document that is compared
    other: Ints  # int64 (ENTRIES + 1,), receives places in the document in the tables


def matching_tables() -> MatchingTables:
    """Allocate empty tables."""
    return MatchingTables(
        np.zeros((4, _SLOTS), dtype=np.int32),
        np.zeros((4, ENTRIES), dtype=np.int32),
        np.zeros(4, dtype=np.int64),
        np.zeros(ENTRIES + 1, dtype=np.int64),
        np.zeros(ENTRIES + 1, dtype=np.int64),
    )


@inlined
def _mask(count: int) -> int:
    slots = _LEAST_SLOTS
    while slots < _SLOTS_OF_AN_ENTRY * count and slots < _SLOTS:
        slots *= 2
    return slots - 1


@inlined
def _slot(entry: np.uint32, mask: int) -> int:
    return signed(np.uint32(entry * _MULTIPLIER) >> _HIGH_BITS) & mask


def enter(
    tables: MatchingTables, which: int, entries: Vector[Entry], begin: int, count: int, ignored: np.uint32
) -> None:
    """Load a list of distinct entries, at most ``ENTRIES``, into an empty table; the bits ``ignored`` do not count."""
    slots, mask = tables.slots[which], _mask(count)
    for number in range(count):
        slot = _slot(np.uint32(entries[begin + number]) | ignored, mask)
        while slots[slot]:
            slot = slot + 1 & mask
        slots[slot] = number + 1
        tables.touched[which, number] = slot
    tables.counts[which] = count


def leave(tables: MatchingTables, which: int) -> None:
    """Empty a table."""
    for number in range(tables.counts[which]):
        tables.slots[which, tables.touched[which, number]] = 0
    tables.counts[which] = 0


@inlined
def meet(
    tables: MatchingTables,
    which: int,
    entries: Vector[Entry],
    begin: int,
    count: int,
    other_begin: int,
    ignored: np.uint32,
) -> int:
    """Count the entries of a list that are in a table; write their places, ascending, to ``tables.one`` and ``.other``.

    ``entries``: of both documents; that of the table begins at ``other_begin``. The bits ``ignored`` do not count.
    """
    slots, mask, maybe = tables.slots[which], _mask(tables.counts[which]), 0
    for number in range(count):
        # Written unconditionally: a branch would be mispredicted too often.
        tables.one[maybe] = number
        maybe += slots[_slot(np.uint32(entries[begin + number]) | ignored, mask)] != 0
    found = 0
    for hit in range(maybe):
        number = tables.one[hit]
        entry = np.uint32(entries[begin + number]) | ignored
        slot = _slot(entry, mask)
        while slots[slot]:
            place = signed(slots[slot]) - 1
            if np.uint32(entries[other_begin + place]) | ignored == entry:
                tables.one[found], tables.other[found] = number, place
                found += 1
                break
            slot = slot + 1 & mask
    return found


COLUMNS: Final = (
    "share12_forward",
    "share12_backward",
    "share30_forward",
    "share30_backward",
    "cosine",
    "numbers_forward",
    "numbers_backward",
    "numbers_least",
    "figures_forward",
    "figures_backward",
    "figures_least",
    "names_forward",
    "names_backward",
    "names_least",
    "lead_forward",
    "lead_backward",
    "opening_forward",
    "opening_backward",
    "length",
    "dates",
    "title",
    "step",
    "wording_forward",
    "wording_backward",
)
"""Columns of the evidence of pairs, float64; forward is the share of a's entries that b has, 0 to 1.

``step`` is 1 if b's lead has one of the ``STEP_WORDS`` of ``pair_evidence`` and none of the ``SPEECH_WORDS``.
"""

_COSINE: Final = 4
_NUMBERS: Final = 5
_FIGURES: Final = 8
_NAMES: Final = 11
_LEAD: Final = 14
_OPENING: Final = 16
_LENGTH: Final = 18
_DATES: Final = 19
_TITLE: Final = 20
_STEP: Final = 21

_UNIT: Final = 1e-9  # of the weight of a key term

_KEYS: Final = 0

NUMBER_LIST: Final = 1
NAME_LIST: Final = 2

LEAD_LIST: Final = 3  # tables of ``MatchingTables``

NO_BITS = np.uint32(0)


class ComparedKeys(NamedTuple):
    """The 30 heaviest terms and all terms of each document."""

    begins: Ints  # int64 (documents + 1,), bounds in the next three arrays
    terms: Int32s  # int32, key terms of each document, ascending
    weights: Ints  # int64, weight of each, in units of 1e-9
    heaviest: Uint8s  # uint8, 1 for each of the 12 heaviest
    own: Table[np.int64]  # int64 (documents, 2), total weight of the 12 heaviest and of all key terms
    squares: Floats  # float64 (documents,), sum of the squared weights
    target_begins: Ints  # int64 (documents + 1,), bounds in `targets`
    targets: Int32s  # int32, all terms of each document, ascending


class ToldWords(NamedTuple):
    """Beginnings of words that say what a lead tells."""

    steps: Uint32s  # uint32, ascending, as `step_beginnings` returns them
    speech: Uint32s  # uint32, ascending, as `speech_beginnings` returns them


class RecordParts(NamedTuple):
    """Location of the parts of a record."""

    at: int  # place of the record
    numbers: int  # number of numbers
    names: int  # number of names
    lead: int  # number of lead words
    blocks: int  # number of filter blocks
    numbers_at: int  # place of the numbers; likewise for the other parts
    names_at: int
    lead_at: int
    weights: int
    filter_at: int


@inlined
def parts_of(words: Uint32s, at: int) -> RecordParts:
    """Read the header of a record."""
    counts, rest = signed(words[at + COUNTS_AT]), signed(words[at + BLOCKS_AT])
    numbers, names, lead = counts & 0xFFFF, counts >> 16, rest & (1 << LEAD_BITS) - 1
    first = at + HEADER
    weights = first + numbers + names + lead
    filter_at = weights + (numbers + names + lead + 3) // 4
    return RecordParts(
        at, numbers, names, lead, rest >> 16, first, first + numbers, first + numbers + names, weights, filter_at
    )


@compiled
def sum_keys(begins: Ints, weights: Ints, heaviest: Uint8s, own: Table[np.int64], squares: Floats) -> None:
    """Fill in ``own`` and ``squares`` of ``ComparedKeys``."""
    for document in range(squares.size):
        own[document] = 0
        squares[document] = 0.0
        for key in range(begins[document], begins[document + 1]):
            own[document, 0] += weights[key] * signed(heaviest[key])
            own[document, 1] += weights[key]
            weight = np.float64(weights[key]) * _UNIT
            squares[document] += weight * weight


@inlined
def share(met: int, own: int) -> float:
    """Share of a weight that was met; 0 of nothing."""
    return np.float64(met) / np.float64(own) if own else 0.0


@inlined
def _cosine(keys: ComparedKeys, one: int, other: int, tables: MatchingTables) -> float:
    """Cosine of the key terms of two documents; ``other`` is the one in the tables."""
    begin, there = keys.begins[one], keys.begins[other]
    product, squares = 0.0, keys.squares[one] * keys.squares[other]
    for hit in range(meet(tables, _KEYS, keys.terms, begin, keys.begins[one + 1] - begin, there, NO_BITS)):
        weight = np.float64(keys.weights[begin + tables.one[hit]]) * _UNIT
        product += weight * (np.float64(keys.weights[there + tables.other[hit]]) * _UNIT)
    return product / np.sqrt(squares) if squares > 0.0 else 0.0


@inlined
def weight_at(words: Uint32s, weights: int, number: int) -> int:
    """Weight of an entry of a record."""
    return signed(words[weights + (number >> 2)]) >> ((number & 3) * 8) & 255


@inlined
def _list_of(parts: RecordParts, which: int) -> tuple[int, int, int]:
    """Place and size of a list of a record, and the number of entries before it."""
    if which == NUMBER_LIST:
        return parts.numbers_at, parts.numbers, 0
    if which == NAME_LIST:
        return parts.names_at, parts.names, parts.numbers
    return parts.lead_at, parts.lead, parts.numbers + parts.names


@inlined
def _ignored(which: int) -> np.uint32:
    return np.uint32(HEAD_BIT) if which == NUMBER_LIST else NO_BITS


@inlined
def list_shares(
    which: int, words: Uint32s, one: RecordParts, other: RecordParts, tables: MatchingTables
) -> tuple[float, float, int]:
    """Shares of a list of two records, by weight, in both directions, and the number of common entries.

    ``other`` is the record in the tables.
    """
    at, count, skip = _list_of(one, which)
    there, _, other_skip = _list_of(other, which)
    hits, met, answered = meet(tables, which, words, at, count, there, _ignored(which)), 0, 0
    for hit in range(hits):
        met += weight_at(words, one.weights, skip + tables.one[hit])
        answered += weight_at(words, other.weights, other_skip + tables.other[hit])
    kind = 0 if which == NUMBER_LIST else which
    return share(met, sum_of(words, one.at, kind)), share(answered, sum_of(words, other.at, kind)), hits


def hold_lists(words: Uint32s, parts: RecordParts, tables: MatchingTables) -> None:
    """Load the lists of a record into the tables, replacing those that are there."""
    for which in range(NUMBER_LIST, LEAD_LIST + 1):
        leave(tables, which)
        at, count, _ = _list_of(parts, which)
        enter(tables, which, words, at, count, _ignored(which))


@inlined
def _shared_figures(
    words: Uint32s, one: RecordParts, other: RecordParts, tables: MatchingTables, hits: int
) -> tuple[int, int, int]:
    """Weight of the shared figures in each document, and number of shared dates that are in both heads."""
    met, answered, heads = 0, 0, 0
    for hit in range(hits):
        entry, there = words[one.numbers_at + tables.one[hit]], words[other.numbers_at + tables.other[hit]]
        figure = 1 - (signed(entry) & DATE_BIT) // DATE_BIT
        met += figure * weight_at(words, one.weights, tables.one[hit])
        answered += figure * weight_at(words, other.weights, tables.other[hit])
        heads += (1 - figure) * (signed(entry & there) & HEAD_BIT)
    return met, answered, heads


@inlined
def _opening(words: Uint32s, one: RecordParts, other: RecordParts) -> int:
    """Weight of the lead words of one document that are in the filter of another."""
    met, skip = 0, one.numbers + one.names
    for number in range(one.lead if other.blocks else 0):
        block, first, second = filter_place(words[one.lead_at + number], other.blocks)
        block = other.filter_at + 2 * block
        held = (words[block] & first == first) & (words[block + 1] & second == second)
        met += weight_at(words, one.weights, skip + number) * signed(held)
    return met


def _tells_step(words: Uint32s, parts: RecordParts, told: ToldWords) -> float:
    """1 if the lead of a document has a word of a step and none of speech, otherwise 0."""
    step, speech = False, False
    for number in range(parts.lead):
        entry = np.uint64(words[parts.lead_at + number])
        step |= place_among(told.steps, 0, told.steps.size, entry) >= 0
        speech |= place_among(told.speech, 0, told.speech.size, entry) >= 0
    return np.float64(step and not speech)


@inlined
def sum_of(words: Uint32s, at: int, kind: int) -> int:
    """Total weight of the numbers, figures, names or lead words of a record."""
    return signed(words[at + SUMS_AT + kind])


@inlined
def _compare_numbers(words: Uint32s, one: RecordParts, other: RecordParts, tables: MatchingTables, row: Floats) -> None:
    row[_NUMBERS], row[_NUMBERS + 1], hits = list_shares(NUMBER_LIST, words, one, other, tables)
    row[_NUMBERS + 2] = min(one.numbers, other.numbers)
    met, answered, heads = _shared_figures(words, one, other, tables, hits)
    row[_FIGURES] = share(met, sum_of(words, one.at, 1))
    row[_FIGURES + 1] = share(answered, sum_of(words, other.at, 1))
    counts, others = signed(words[one.at + FIGURES_AT]), signed(words[other.at + FIGURES_AT])
    row[_FIGURES + 2] = min(counts & 0xFFFF, others & 0xFFFF)
    row[_DATES] = 0.0
    if counts >> 16 and others >> 16:
        row[_DATES] = 1.0 if heads == counts >> 16 and heads == others >> 16 else 2.0


@inlined
def _title_relation(words: Uint32s, one: int, other: int) -> float:
    """Compare titles. 0: one is missing; 1: different; 2: equal except for numbers and dates; 3: equal."""
    first, second = words[one + TITLE_AT], words[other + TITLE_AT]
    if first == 0 or second == 0:
        return 0.0
    if first == second:
        return 3.0
    return 2.0 if words[one + FORM_AT] == words[other + FORM_AT] else 1.0


@inlined
def _compare_records(words: Uint32s, one: RecordParts, other: RecordParts, tables: MatchingTables, row: Floats) -> None:
    """Fill in one row from two records; ``other`` is the one in the tables."""
    _compare_numbers(words, one, other, tables, row)
    row[_NAMES], row[_NAMES + 1], _ = list_shares(NAME_LIST, words, one, other, tables)
    row[_NAMES + 2] = min(one.names, other.names)
    row[_LEAD], row[_LEAD + 1], _ = list_shares(LEAD_LIST, words, one, other, tables)
    row[_OPENING] = share(_opening(words, one, other), sum_of(words, one.at, LEAD_LIST))
    row[_OPENING + 1] = share(_opening(words, other, one), sum_of(words, other.at, LEAD_LIST))
    tokens, other_tokens = np.float64(words[one.at]), np.float64(words[other.at])
    row[_LENGTH] = min(abs(np.log((tokens + 5.0) / (other_tokens + 5.0))), 3.0)
    row[_TITLE] = _title_relation(words, one.at, other.at)


def _enter(words: Uint32s, parts: RecordParts, keys: ComparedKeys, document: int, tables: MatchingTables) -> None:
    """Load a document into the tables, replacing the one that is there."""
    leave(tables, _KEYS)
    begin = keys.begins[document]
    enter(tables, _KEYS, keys.terms, begin, keys.begins[document + 1] - begin, NO_BITS)
    hold_lists(words, parts, tables)


@compiled
def compare_pairs(
    a: Ints,
    b: Ints,
    keys: ComparedKeys,
    words: Uint32s,
    begins: Ints,
    tables: MatchingTables,
    told: ToldWords,
    evidence: Table[np.float64],
) -> None:
    """Fill in everything except shares and wording: columns 4 to 21 of ``evidence``, float64 (pairs, COLUMNS).

    ``a``, ``b``: rows of the earlier and the later documents; fastest if equal rows of b are adjacent. ``tables`` are
    empty; ``told``: words that say what a lead tells.
    """
    held, step = -1, 0.0
    for pair in range(a.size):
        other = parts_of(words, begins[b[pair]])
        if b[pair] != held:
            held = b[pair]
            _enter(words, other, keys, held, tables)
            step = _tells_step(words, other, told)
        row = evidence[pair]
        row[_STEP] = step
        row[_COSINE] = _cosine(keys, a[pair], held, tables)
        _compare_records(words, parts_of(words, begins[a[pair]]), other, tables, row)


# Compute how much wording two documents share; `tests/oracles/plain_pairs.py` is the readable reference

PLACES: Final = 1 << 15  # number of places in the table in which the triples of one document are looked up

_SHIFT = np.uint64(64 - 15)
_WORDING: Final = COLUMNS.index("wording_forward")


@inlined
def _key(triple: np.uint64) -> int:
    return signed(triple >> _SHIFT)


def _put(triples: Uint64s, first: int, last: int, places: Uint32s) -> None:
    """Note where the triples of each key begin, counted from 1; triples with equal keys are adjacent."""
    for place in range(last - 1, first - 1, -1):
        places[_key(triples[place])] = place - first + 1


def _take_out(triples: Uint64s, first: int, last: int, places: Uint32s) -> None:
    for place in range(first, last):
        places[_key(triples[place])] = 0


def _count_shared(triples: Uint64s, begin: int, end: int, first: int, last: int, places: Uint32s, hits: Ints) -> int:
    """Count the triples of a document that the document in the table contains too."""
    found = 0
    for place in range(begin, end):
        # Written unconditionally: a branch would be mispredicted too often.
        hits[found] = place
        found += places[_key(triples[place])] != 0
    shared = 0
    for hit in range(found):
        triple = triples[hits[hit]]
        there = first + signed(places[_key(triple)]) - 1
        while there < last and triples[there] < triple:
            there += 1
        shared += there < last and triples[there] == triple
    return shared


@compiled
def word_pairs(
    a: Ints, b: Ints, triples: Uint64s, begins: Ints, places: Uint32s, hits: Ints, evidence: Table[np.float64]
) -> None:
    """Fill in wording, the last two columns: the share of each document's triples that the other one contains.

    ``triples``: of each document ascending, each once; ``places``: uint32 (PLACES,), zeros before and after; ``hits``:
    scratch memory, longer than the triples of any document. Fastest if equal rows of b are adjacent.
    """
    held, first, last = -1, 0, 0
    for pair in range(a.size):
        if b[pair] != held:
            _take_out(triples, first, last, places)
            held = b[pair]
            first, last = begins[held], begins[held + 1]
            _put(triples, first, last, places)
        begin, end = begins[a[pair]], begins[a[pair] + 1]
        shared = _count_shared(triples, begin, end, first, last, places, hits)
        evidence[pair, _WORDING] = np.float64(shared) / np.float64(end - begin) if end > begin else 0.0
        evidence[pair, _WORDING + 1] = np.float64(shared) / np.float64(last - first) if last > first else 0.0
    _take_out(triples, first, last, places)


# Compute the features of the pair model from evidence, and their weighted sum

_SHARES12: Final = COLUMNS.index("share12_forward")
_SHARES30: Final = COLUMNS.index("share30_forward")


@compiled
def fill_features(evidence: Table[np.float64], features: Table[np.float64]) -> None:
    """Compute the features of pairs, float64 (pairs, FEATURES), in the order of ``pair_model.FEATURES``."""
    for pair in range(evidence.shape[0]):
        row, out = evidence[pair], features[pair]
        out[0] = min(row[_SHARES12], row[_SHARES12 + 1])
        out[1] = max(row[_SHARES12], row[_SHARES12 + 1])
        out[2] = min(row[_SHARES30], row[_SHARES30 + 1])
        out[3] = max(row[_SHARES30], row[_SHARES30 + 1])
        out[4] = row[_COSINE]
        numbers = 1.0 if row[_NUMBERS + 2] >= 2.0 else 0.0
        most = max(row[_NUMBERS], row[_NUMBERS + 1])
        out[5] = numbers * min(row[_NUMBERS], row[_NUMBERS + 1])
        out[6] = numbers * most
        out[7] = numbers
        out[8] = numbers if most < 0.2 else 0.0
        names = 1.0 if row[_NAMES + 2] >= 2.0 else 0.0
        out[9] = names * min(row[_NAMES], row[_NAMES + 1])
        out[10] = names * max(row[_NAMES], row[_NAMES + 1])
        out[11] = names
        out[12] = max(row[_LEAD], row[_LEAD + 1])
        out[13] = min(row[_OPENING], row[_OPENING + 1])
        out[14] = max(row[_OPENING], row[_OPENING + 1])
        out[15] = row[_LENGTH]


@compiled
def score_pairs(features: Table[np.float64], intercept: float, coefficients: Floats, z: Floats) -> None:
    """Write the intercept and weighted features of each pair, summed from the first to the last, to ``z``."""
    for pair in range(z.size):
        total = intercept
        for feature in range(coefficients.size):
            total += coefficients[feature] * features[pair, feature]
        z[pair] = total
