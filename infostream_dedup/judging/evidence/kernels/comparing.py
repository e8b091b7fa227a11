"""Evidence of pairs from two records and key terms; ``tests/oracles/plain_pairs.py`` is the readable reference."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from infostream_dedup.judging.evidence.constants import DATE_BIT, HEAD_BIT
from infostream_dedup.judging.evidence.kernels.matching_tables import MatchingTables, enter, leave, meet
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
from infostream_dedup.machine.compiling import compiled, inlined, signed

if TYPE_CHECKING:
    from infostream_dedup.machine.arrays import Table, Vector

__all__ = [
    "COLUMNS",
    "LEAD_LIST",
    "NAME_LIST",
    "NO_BITS",
    "NUMBER_LIST",
    "ComparedKeys",
    "RecordParts",
    "ToldWords",
    "add_weights",
    "compare_pairs",
    "parts_of",
    "share",
    "sum_keys",
    "sum_of",
    "weight_at",
]

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

``step`` is 1 if b's lead has one of the ``STEP_WORDS`` of ``step_words`` and none of the ``SPEECH_WORDS``.
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

_UNIT: Final = 1e-9
"""Of the weight of a key term."""

_KEYS: Final = 0
NUMBER_LIST: Final = 1
NAME_LIST: Final = 2
LEAD_LIST: Final = 3
"""Tables of ``MatchingTables``."""
NO_BITS = np.uint32(0)


class ComparedKeys(NamedTuple):
    """The 30 heaviest terms and all terms of each document.

    Attributes:
        begins: int64 (documents + 1,), bounds in the next three arrays.
        terms: int32, key terms of each document, ascending.
        weights: int64, weight of each, in units of 1e-9.
        heaviest: uint8, 1 for each of the 12 heaviest.
        own: int64 (documents, 2), total weight of the 12 heaviest and of all key terms.
        squares: float64 (documents,), sum of the squared weights.
        target_begins: int64 (documents + 1,), bounds in ``targets``.
        targets: int32, all terms of each document, ascending.
    """

    begins: Vector[np.int64]
    terms: Vector[np.int32]
    weights: Vector[np.int64]
    heaviest: Vector[np.uint8]
    own: Table[np.int64]
    squares: Vector[np.float64]
    target_begins: Vector[np.int64]
    targets: Vector[np.int32]


class ToldWords(NamedTuple):
    """Beginnings of words that say what a lead tells.

    Attributes:
        steps: uint32, ascending, as ``step_beginnings`` returns them.
        speech: uint32, ascending, as ``speech_beginnings`` returns them.
    """

    steps: Vector[np.uint32]
    speech: Vector[np.uint32]


class RecordParts(NamedTuple):
    """Location of the parts of a record.

    Attributes:
        at: place of the record.
        numbers: number of numbers.
        names: number of names.
        lead: number of lead words.
        blocks: number of filter blocks.
        numbers_at: place of the numbers; likewise for the other parts.
    """

    at: int
    numbers: int
    names: int
    lead: int
    blocks: int
    numbers_at: int
    names_at: int
    lead_at: int
    weights: int
    filter_at: int


@inlined
def parts_of(words: Vector[np.uint32], at: int) -> RecordParts:
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
def sum_keys(
    begins: Vector[np.int64],
    weights: Vector[np.int64],
    heaviest: Vector[np.uint8],
    own: Table[np.int64],
    squares: Vector[np.float64],
) -> None:
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
def weight_at(words: Vector[np.uint32], weights: int, number: int) -> int:
    """Weight of an entry of a record."""
    return signed(words[weights + (number >> 2)]) >> ((number & 3) * 8) & 255


@inlined
def add_weights(
    words: Vector[np.uint32],
    weights: int,
    skip: int,
    other_weights: int,
    other_skip: int,
    tables: MatchingTables,
    hits: int,
) -> tuple[int, int]:
    """Weight of the shared entries in each document."""
    met, answered = 0, 0
    for hit in range(hits):
        met += weight_at(words, weights, skip + tables.one[hit])
        answered += weight_at(words, other_weights, other_skip + tables.other[hit])
    return met, answered


@inlined
def _shared_figures(
    words: Vector[np.uint32], one: RecordParts, other: RecordParts, tables: MatchingTables, hits: int
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
def _opening(
    words: Vector[np.uint32], lead: int, size: int, weights: int, skip: int, filter_at: int, blocks: int
) -> int:
    """Weight of the lead words of one document that are in the filter of another."""
    met = 0
    for number in range(size if blocks else 0):
        block, first, second = filter_place(words[lead + number], blocks)
        block = filter_at + 2 * block
        held = (words[block] & first == first) & (words[block + 1] & second == second)
        met += weight_at(words, weights, skip + number) * signed(held)
    return met


@inlined
def _is_among(entry: np.uint32, sorted_entries: Vector[np.uint32]) -> bool:
    """Binary search."""
    low, high = 0, sorted_entries.size
    while low < high:
        middle = (low + high) >> 1
        if sorted_entries[middle] < entry:
            low = middle + 1
        else:
            high = middle
    return low < sorted_entries.size and sorted_entries[low] == entry


@compiled
def _tells_step(words: Vector[np.uint32], parts: RecordParts, told: ToldWords) -> float:
    """1 if the lead of a document has a word of a step and none of speech, otherwise 0."""
    step, speech = False, False
    for number in range(parts.lead):
        entry = words[parts.lead_at + number]
        step |= _is_among(entry, told.steps)
        speech |= _is_among(entry, told.speech)
    return np.float64(step and not speech)


@inlined
def sum_of(words: Vector[np.uint32], at: int, kind: int) -> int:
    """Total weight of the numbers, figures, names or lead words of a record."""
    return signed(words[at + SUMS_AT + kind])


@inlined
def _compare_numbers(
    words: Vector[np.uint32], one: RecordParts, other: RecordParts, tables: MatchingTables, row: Vector[np.float64]
) -> None:
    hits = meet(tables, NUMBER_LIST, words, one.numbers_at, one.numbers, other.numbers_at, np.uint32(HEAD_BIT))
    met, answered = add_weights(words, one.weights, 0, other.weights, 0, tables, hits)
    row[_NUMBERS] = share(met, sum_of(words, one.at, 0))
    row[_NUMBERS + 1] = share(answered, sum_of(words, other.at, 0))
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
def _title_relation(words: Vector[np.uint32], one: int, other: int) -> float:
    """Compare titles. 0: one is missing; 1: different; 2: equal except for numbers and dates; 3: equal."""
    first, second = words[one + TITLE_AT], words[other + TITLE_AT]
    if first == 0 or second == 0:
        return 0.0
    if first == second:
        return 3.0
    return 2.0 if words[one + FORM_AT] == words[other + FORM_AT] else 1.0


@inlined
def _compare_records(
    words: Vector[np.uint32], one: RecordParts, other: RecordParts, tables: MatchingTables, row: Vector[np.float64]
) -> None:
    """Fill in one row from two records; ``other`` is the one in the tables."""
    _compare_numbers(words, one, other, tables, row)
    hits = meet(tables, NAME_LIST, words, one.names_at, one.names, other.names_at, NO_BITS)
    met, answered = add_weights(words, one.weights, one.numbers, other.weights, other.numbers, tables, hits)
    row[_NAMES], row[_NAMES + 1] = share(met, sum_of(words, one.at, 2)), share(answered, sum_of(words, other.at, 2))
    row[_NAMES + 2] = min(one.names, other.names)
    hits = meet(tables, LEAD_LIST, words, one.lead_at, one.lead, other.lead_at, NO_BITS)
    skip, other_skip = one.numbers + one.names, other.numbers + other.names
    met, answered = add_weights(words, one.weights, skip, other.weights, other_skip, tables, hits)
    own, other_own = sum_of(words, one.at, 3), sum_of(words, other.at, 3)
    row[_LEAD], row[_LEAD + 1] = share(met, own), share(answered, other_own)
    met = _opening(words, one.lead_at, one.lead, one.weights, skip, other.filter_at, other.blocks)
    answered = _opening(words, other.lead_at, other.lead, other.weights, other_skip, one.filter_at, one.blocks)
    row[_OPENING], row[_OPENING + 1] = share(met, own), share(answered, other_own)
    tokens, other_tokens = np.float64(words[one.at]), np.float64(words[other.at])
    row[_LENGTH] = min(abs(np.log((tokens + 5.0) / (other_tokens + 5.0))), 3.0)
    row[_TITLE] = _title_relation(words, one.at, other.at)


@compiled
def _enter(
    words: Vector[np.uint32], parts: RecordParts, keys: ComparedKeys, document: int, tables: MatchingTables
) -> None:
    """Load a document into the tables, replacing the one that is there."""
    for which in range(4):
        leave(tables, which)
    begin = keys.begins[document]
    enter(tables, _KEYS, keys.terms, begin, keys.begins[document + 1] - begin, NO_BITS)
    enter(tables, NUMBER_LIST, words, parts.numbers_at, parts.numbers, np.uint32(HEAD_BIT))
    enter(tables, NAME_LIST, words, parts.names_at, parts.names, NO_BITS)
    enter(tables, LEAD_LIST, words, parts.lead_at, parts.lead, NO_BITS)


@compiled
def compare_pairs(
    a: Vector[np.int64],
    b: Vector[np.int64],
    keys: ComparedKeys,
    words: Vector[np.uint32],
    begins: Vector[np.int64],
    tables: MatchingTables,
    told: ToldWords,
    evidence: Table[np.float64],
) -> None:
    """Fill in everything except shares and wording.

    Args:
        a: int64 (pairs,), row of the earlier document.
        b: int64 (pairs,), row of the later one; fastest if equal rows are adjacent.
        keys: key terms of all documents, at most ``ENTRIES`` key terms each.
        words: uint32, records.
        begins: int64 (documents + 1,), bounds of the records.
        tables: empty tables.
        told: words that say what a lead tells.
        evidence: float64 (pairs, COLUMNS), receives columns 4 to 21.
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
