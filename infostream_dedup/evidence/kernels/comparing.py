"""Evidence of pairs from two records, key terms and triples; ``plain_pairs`` says the same in words, and judges it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from infostream_dedup.evidence.constants import DATE_BIT, HEAD_BIT
from infostream_dedup.evidence.kernels.compiling import compiled, compiled_bare, inlined, signed
from infostream_dedup.evidence.kernels.packing import (
    BLOCKS_AT,
    COUNTS_AT,
    FORM_AT,
    HEADER,
    TITLE_AT,
    filter_bits,
    filter_block,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["COLUMNS", "KeyRows", "compare_pairs", "share_pairs", "word_pairs"]

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
    "wording_forward",
    "wording_backward",
)
"""Columns of the evidence of pairs, float64; forward is the share of a's that b has, 0 to 1."""

_SHARES: Final = 0
_COSINE: Final = 4
_NUMBERS: Final = 5
_FIGURES: Final = 8
_NAMES: Final = 11
_LEAD: Final = 14
_OPENING: Final = 16
_LENGTH: Final = 18
_DATES: Final = 19
_TITLE: Final = 20
_WORDING: Final = 21


class KeyRows(NamedTuple):
    """The 30 heaviest terms of each document, and all of its terms.

    Attributes:
        begins: int64 (documents + 1,), bounds in the next three.
        terms: int32, key terms of each document, ascending.
        weights: int64, weight of each in units of 1e-9.
        heaviest: uint8, 1 for each of the 12 heaviest.
        target_begins: int64 (documents + 1,), bounds in the next.
        targets: int32, all terms of each document, ascending.
    """

    begins: NDArray[np.int64]
    terms: NDArray[np.int32]
    weights: NDArray[np.int64]
    heaviest: NDArray[np.uint8]
    target_begins: NDArray[np.int64]
    targets: NDArray[np.int32]


@compiled_bare
def _shares(keys: KeyRows, asks: int, answers: int) -> tuple[int, int, int, int]:
    """Weight of the 12 and 30 key terms of one document that another holds, and of all of them."""
    place, last = keys.target_begins[answers], keys.target_begins[answers + 1]
    met12, met30, own12, own30 = 0, 0, 0, 0
    for key in range(keys.begins[asks], keys.begins[asks + 1]):
        term, weight, top = keys.terms[key], keys.weights[key], signed(keys.heaviest[key])
        own30 += weight
        own12 += weight * top
        while place < last and keys.targets[place] < term:
            place += 1
        if place < last and keys.targets[place] == term:
            met30 += weight
            met12 += weight * top
    return met12, own12, met30, own30


@inlined
def _share(met: int, own: int) -> float:
    return np.float64(met) / np.float64(own) if own else 0.0


@compiled
def share_pairs(a: NDArray[np.int64], b: NDArray[np.int64], keys: KeyRows, evidence: NDArray[np.float64]) -> None:
    """Fill in the shares of 12 and 30 key terms: what the cheap filter looks at.

    Args:
        a: int64 (pairs,), row of the earlier document.
        b: int64 (pairs,), row of the later one.
        keys: of all documents.
        evidence: float64 (pairs, COLUMNS), receives the first four columns.
    """
    for pair in range(a.size):
        one, other = a[pair], b[pair]
        met12, own12, met30, own30 = _shares(keys, one, other)
        evidence[pair, _SHARES], evidence[pair, _SHARES + 2] = _share(met12, own12), _share(met30, own30)
        met12, own12, met30, own30 = _shares(keys, other, one)
        evidence[pair, _SHARES + 1], evidence[pair, _SHARES + 3] = _share(met12, own12), _share(met30, own30)


@compiled_bare
def _cosine(keys: KeyRows, one: int, other: int) -> float:
    """Cosine of the key terms of two documents."""
    place, last = keys.begins[other], keys.begins[other + 1]
    product, first, second = 0.0, 0.0, 0.0
    for at in range(place, last):
        weight = np.float64(keys.weights[at]) * 1e-9
        second += weight * weight
    for key in range(keys.begins[one], keys.begins[one + 1]):
        weight = np.float64(keys.weights[key]) * 1e-9
        first += weight * weight
        while place < last and keys.terms[place] < keys.terms[key]:
            place += 1
        if place < last and keys.terms[place] == keys.terms[key]:
            product += weight * (np.float64(keys.weights[place]) * 1e-9)
    return product / np.sqrt(first * second) if first > 0.0 and second > 0.0 else 0.0


@inlined
def _weight_at(words: NDArray[np.uint32], weights: int, number: int) -> int:
    return signed(words[weights + (number >> 2)]) >> ((number & 3) * 8) & 255


@compiled_bare
def _contained(
    words: NDArray[np.uint32],
    one: int,
    one_size: int,
    one_weights: int,
    one_skip: int,
    other: int,
    other_size: int,
    other_weights: int,
    other_skip: int,
) -> tuple[int, int, int, int]:
    """Weight in each document of the entries that both hold, and of all: of names or lead words."""
    met_one, met_other, own_one, own_other, place = 0, 0, 0, 0, 0
    for number in range(other_size):
        own_other += _weight_at(words, other_weights, other_skip + number)
    for number in range(one_size):
        entry, weight = words[one + number], _weight_at(words, one_weights, one_skip + number)
        own_one += weight
        while place < other_size and words[other + place] < entry:
            place += 1
        if place < other_size and words[other + place] == entry:
            met_one += weight
            met_other += _weight_at(words, other_weights, other_skip + place)
    return met_one, own_one, met_other, own_other


class _NumberSums(NamedTuple):
    """Weights of shared and of all numbers of the two documents, with and without dates, and their counts."""

    met_one: Any
    own_one: Any
    met_other: Any
    own_other: Any
    figures_met_one: Any
    figures_own_one: Any
    figures_met_other: Any
    figures_own_other: Any
    figures_one: Any
    figures_other: Any
    head_one: Any
    head_other: Any
    head_shared: Any


@inlined
def _is_head_date(entry: Any) -> int:
    return signed(entry & np.uint32(DATE_BIT | HEAD_BIT) == np.uint32(DATE_BIT | HEAD_BIT))


@inlined
def _is_figure(entry: Any) -> int:
    return signed(entry & np.uint32(DATE_BIT) == np.uint32(0))


@compiled_bare
def _numbers(
    words: NDArray[np.uint32],
    one: int,
    one_size: int,
    one_weights: int,
    other: int,
    other_size: int,
    other_weights: int,
) -> _NumberSums:
    met_one, own_one, met_other, own_other, place = 0, 0, 0, 0, 0
    f_met_one, f_own_one, f_met_other, f_own_other, f_one, f_other = 0, 0, 0, 0, 0, 0
    h_one, h_other, h_shared = 0, 0, 0
    head = np.uint32(HEAD_BIT)
    for number in range(other_size):
        entry, weight = words[other + number], _weight_at(words, other_weights, number)
        own_other += weight
        f_own_other += weight * _is_figure(entry)
        f_other += _is_figure(entry)
        h_other += _is_head_date(entry)
    for number in range(one_size):
        entry, weight = words[one + number], _weight_at(words, one_weights, number)
        own_one += weight
        f_own_one += weight * _is_figure(entry)
        f_one += _is_figure(entry)
        h_one += _is_head_date(entry)
        while place < other_size and (words[other + place] | head) < (entry | head):
            place += 1
        if place < other_size and (words[other + place] | head) == (entry | head):
            answer = _weight_at(words, other_weights, place)
            met_one += weight
            met_other += answer
            f_met_one += weight * _is_figure(entry)
            f_met_other += answer * _is_figure(entry)
            h_shared += _is_head_date(entry) * _is_head_date(words[other + place])
    return _NumberSums(
        met_one, own_one, met_other, own_other, f_met_one, f_own_one, f_met_other, f_own_other,
        f_one, f_other, h_one, h_other, h_shared,
    )  # fmt: skip


@compiled_bare
def _opening(
    words: NDArray[np.uint32], lead: int, size: int, weights: int, skip: int, filter_at: int, blocks: int
) -> tuple[int, int]:
    """Weight of the lead words of one document that the filter of another holds, and of all of them."""
    met, own = 0, 0
    for number in range(size):
        entry, weight = words[lead + number], _weight_at(words, weights, skip + number)
        own += weight
        if blocks:
            block = filter_at + 2 * filter_block(entry, blocks)
            first, second = filter_bits(entry)
            if words[block] & first == first and words[block + 1] & second == second:
                met += weight
    return met, own


@inlined
def _sizes(words: NDArray[np.uint32], at: int) -> tuple[int, int, int, int, int]:
    """Numbers, names, lead words and filter blocks of a record, and where its weights begin."""
    counts, rest = signed(words[at + COUNTS_AT]), signed(words[at + BLOCKS_AT])
    numbers, names, lead = counts & 0xFFFF, counts >> 16, rest & 0xFFFF
    return numbers, names, lead, rest >> 16, at + HEADER + numbers + names + lead


@compiled_bare
def _compare_numbers(
    words: NDArray[np.uint32], one: int, one_size: int, one_weights: int, other: int, other_size: int,
    other_weights: int, row: NDArray[np.float64],
) -> None:  # fmt: skip
    sums = _numbers(words, one, one_size, one_weights, other, other_size, other_weights)
    row[_NUMBERS] = _share(sums.met_one, sums.own_one)
    row[_NUMBERS + 1] = _share(sums.met_other, sums.own_other)
    row[_NUMBERS + 2] = min(one_size, other_size)
    row[_FIGURES] = _share(sums.figures_met_one, sums.figures_own_one)
    row[_FIGURES + 1] = _share(sums.figures_met_other, sums.figures_own_other)
    row[_FIGURES + 2] = min(sums.figures_one, sums.figures_other)
    row[_DATES] = 0.0
    if sums.head_one and sums.head_other:
        same = sums.head_shared == sums.head_one and sums.head_shared == sums.head_other
        row[_DATES] = 1.0 if same else 2.0


@inlined
def _title_relation(words: NDArray[np.uint32], one: int, other: int) -> float:
    """0: a title is missing, 1: other titles, 2: equal but for numbers and dates, 3: equal."""
    first, second = words[one + TITLE_AT], words[other + TITLE_AT]
    if first == 0 or second == 0:
        return 0.0
    if first == second:
        return 3.0
    return 2.0 if words[one + FORM_AT] == words[other + FORM_AT] else 1.0


@compiled_bare
def _compare_records(words: NDArray[np.uint32], one: int, other: int, row: NDArray[np.float64]) -> None:
    """Fill in one row from two records, but for the triples."""
    numbers, names, lead, blocks, weights = _sizes(words, one)
    others, other_names, other_lead, other_blocks, other_weights = _sizes(words, other)
    first, second = one + HEADER, other + HEADER
    _compare_numbers(words, first, numbers, weights, second, others, other_weights, row)
    first, second = first + numbers, second + others
    met, own, answered, other_own = _contained(
        words, first, names, weights, numbers, second, other_names, other_weights, others
    )
    row[_NAMES], row[_NAMES + 1] = _share(met, own), _share(answered, other_own)
    row[_NAMES + 2] = min(names, other_names)
    first, second = first + names, second + other_names
    skip, other_skip = numbers + names, others + other_names
    met, own, answered, other_own = _contained(
        words, first, lead, weights, skip, second, other_lead, other_weights, other_skip
    )
    row[_LEAD], row[_LEAD + 1] = _share(met, own), _share(answered, other_own)
    filters, other_filters = weights + (skip + lead + 3) // 4, other_weights + (other_skip + other_lead + 3) // 4
    met, own = _opening(words, first, lead, weights, skip, other_filters, other_blocks)
    row[_OPENING] = _share(met, own)
    met, own = _opening(words, second, other_lead, other_weights, other_skip, filters, blocks)
    row[_OPENING + 1] = _share(met, own)
    tokens, other_tokens = np.float64(words[one]), np.float64(words[other])
    row[_LENGTH] = min(abs(np.log((tokens + 5.0) / (other_tokens + 5.0))), 3.0)
    row[_TITLE] = _title_relation(words, one, other)


@compiled
def compare_pairs(
    a: NDArray[np.int64],
    b: NDArray[np.int64],
    keys: KeyRows,
    words: NDArray[np.uint32],
    begins: NDArray[np.int64],
    evidence: NDArray[np.float64],
) -> None:
    """Fill in everything but shares and wording.

    Args:
        a: int64 (pairs,), row of the earlier document.
        b: int64 (pairs,), row of the later one.
        keys: of all documents.
        words: uint32, records.
        begins: int64 (documents + 1,), bounds of the records.
        evidence: float64 (pairs, COLUMNS), receives columns 4 to 20.
    """
    for pair in range(a.size):
        row = evidence[pair]
        row[_COSINE] = _cosine(keys, a[pair], b[pair])
        _compare_records(words, begins[a[pair]], begins[b[pair]], row)


@compiled
def word_pairs(
    a: NDArray[np.int64],
    b: NDArray[np.int64],
    triples: NDArray[np.uint64],
    begins: NDArray[np.int64],
    marks: NDArray[np.uint64],
    evidence: NDArray[np.float64],
) -> None:
    """Fill in wording: the share of the triples of each document that the other has.

    Args:
        a: int64 (pairs,), row of the earlier document.
        b: int64 (pairs,), row of the later one; quickest where equal ones are neighbours.
        triples: uint64, of each document ascending, each once.
        begins: int64 (documents + 1,), bounds of each document.
        marks: uint64 (1024,), zeros; scratch memory, zeros again at the end.
        evidence: float64 (pairs, COLUMNS), receives the last two columns.
    """
    held, first, last = -1, 0, 0
    low, one = np.uint64(63), np.uint64(1)
    six, rows = np.uint64(48), np.uint64(1023)
    for pair in range(a.size):
        if b[pair] != held:
            for place in range(first, last):
                marks[triples[place] >> six & rows] = np.uint64(0)
            held = b[pair]
            first, last = begins[held], begins[held + 1]
            for place in range(first, last):
                marks[triples[place] >> six & rows] |= one << (triples[place] & low)
        begin, end = begins[a[pair]], begins[a[pair] + 1]
        shared, there = 0, first
        for place in range(begin, end):
            triple = triples[place]
            if marks[triple >> six & rows] >> (triple & low) & one:
                while there < last and triples[there] < triple:
                    there += 1
                shared += there < last and triples[there] == triple
        evidence[pair, _WORDING] = _share(shared, end - begin)
        evidence[pair, _WORDING + 1] = _share(shared, last - first)
    for place in range(first, last):
        marks[triples[place] >> six & rows] = np.uint64(0)
