"""Count and weigh evidence, and pack it into records; ``tests/oracles/plain_records.py`` is the readable reference."""

from __future__ import annotations

from typing import Final

import numpy as np

from infostream_dedup.judging.evidence.constants import DATE_BIT, HEAD_BIT
from infostream_dedup.judging.evidence.kernels.reading import EvidenceLists
from infostream_dedup.judging.evidence.kernels.words import mixed
from infostream_dedup.language.text.kernels.scanning import sized_code_point
from infostream_dedup.machine.arrays import Floats, Int8s, Ints, Table, Uint8s, Uint32s, Vector
from infostream_dedup.machine.compiling import compiled, inlined, signed

BUCKET_BITS: Final = 20  # binary logarithm of the number of counters of document frequencies

NUMBER_KIND: Final = 0
NAME_KIND: Final = 1
LEAD_KIND: Final = 2
KINDS: Final = 3
COUNTS_AT: Final = 1  # word of a record: number of numbers; from bit 16 up, number of names

BLOCKS_AT: Final = 2
"""Word of a record: number of lead words; from bit 5 up, figures of the title; from bit 16 up, blocks of the filter."""

LEAD_BITS: Final = 5
TITLE_AT: Final = 3
FORM_AT: Final = 4
FIGURES_AT: Final = 5
"""Word of a record: number of numbers that are not dates; from bit 16 up, number of dates in the head."""

SUMS_AT: Final = 6  # first of four words of a record: total weights of the numbers, figures, names and lead words
HEADER: Final = 10  # number of words in a record before its entries
MOST_ENTRIES: Final = 4096  # maximum number of entries of a kind that a record keeps: those with the smallest hashes
FILTER_BITS: Final = 12  # bits of the filter per word beginning in the text

_BLOCK: Final = 64
_MOST_BLOCKS: Final = 4096
_MOST_WEIGHT: Final = 255
_UNITS: Final = 16.0
_32 = np.uint64(32)
_FIVE = np.uint64(31)
_ONE = np.uint64(1)
_BUCKET_SHIFT = np.uint64(64 - BUCKET_BITS)


@inlined
def bucket_of(entry: int, kind: int, language: int) -> int:
    """Number of the counter of an entry."""
    return signed(mixed(np.uint64(entry) | np.uint64(1 + kind + KINDS * language) << _32) >> _BUCKET_SHIFT)


@inlined
def filter_bits(spread: np.uint64) -> tuple[np.uint32, np.uint32]:
    """Bits that a word beginning with this mixed hash sets in the two words of its block."""
    first = _ONE << (spread & _FIVE) | _ONE << (spread >> np.uint64(5) & _FIVE)
    second = _ONE << (spread >> np.uint64(10) & _FIVE) | _ONE << (spread >> np.uint64(15) & _FIVE)
    return np.uint32(first), np.uint32(second)


@inlined
def filter_place(entry: np.uint32, blocks: int) -> tuple[int, np.uint32, np.uint32]:
    """Block of the filter for a word beginning, and the bits that it sets in the two words of the block."""
    spread = mixed(np.uint64(entry))
    first, second = filter_bits(spread)
    return signed((spread >> _32) * np.uint64(blocks) >> _32), first, second


@inlined
def _entries(ends: Table[np.int64], document: int, field: int) -> int:
    return min(signed(ends[document + 1, field] - ends[document, field]), MOST_ENTRIES)


@inlined
def _sizes(ends: Table[np.int64], document: int) -> tuple[int, int, int, int, int]:
    """Numbers, names, lead words, and blocks of the filter of a record, and where the filter begins in it."""
    numbers, names, lead = _entries(ends, document, 1), _entries(ends, document, 2), _entries(ends, document, 3)
    entries, body = numbers + names + lead, ends[document + 1, 4] - ends[document, 4]
    blocks = min((body * FILTER_BITS + _BLOCK - 1) // _BLOCK, _MOST_BLOCKS)
    return numbers, names, lead, signed(blocks), HEADER + entries + (entries + 3) // 4


@compiled
def pack_openings(data: Uint8s, offsets: Ints, most: int, alphabet: Uint8s, found: Uint8s, bounds: Ints) -> None:
    """Write the first ``most`` characters of texts in an alphabet, four to a number.

    ``alphabet``: uint8 (code points,), the character for each, 0 for none; ``found``: zeros; ``bounds``: in numbers.
    """
    bounds[0] = 0
    for text in range(offsets.size - 1):
        place, first = offsets[text], 4 * bounds[text]
        written = first
        while place < offsets[text + 1] and written - first < most:
            point, size = sized_code_point(data, place, offsets[text + 1])
            found[written] = alphabet[point]
            written += alphabet[point] != 0
            place += size
        bounds[text + 1] = (written + 3) // 4


@compiled
def buckets_of_documents(
    numbers: Uint32s, names: Uint32s, lead: Uint32s, ends: Table[np.int64], languages: Int8s, buckets: Uint32s
) -> int:
    """Write the counter of each number, name and lead word that records keep; return how many there are.

    ``ends`` as in ``RawEvidence``; ``languages``: indexes into ``LANGUAGES``.
    """
    place = 0
    for document in range(languages.size):
        language = signed(languages[document])
        for at in range(ends[document, 1], ends[document, 1] + _entries(ends, document, 1)):
            buckets[place] = bucket_of(signed(numbers[at]) >> HEAD_BIT, NUMBER_KIND, language)
            place += 1
        for at in range(ends[document, 2], ends[document, 2] + _entries(ends, document, 2)):
            buckets[place] = bucket_of(signed(names[at]), NAME_KIND, language)
            place += 1
        for at in range(ends[document, 3], ends[document, 3] + _entries(ends, document, 3)):
            buckets[place] = bucket_of(signed(lead[at]), LEAD_KIND, language)
            place += 1
    return place


@inlined
def _weight(bucket: int, counts: Vector[np.float32], documents: float) -> int:
    value = signed(np.floor(_UNITS * np.log(1.0 + documents / (np.float64(counts[bucket]) + 1.0)) + 0.5))
    return min(max(value, 1), _MOST_WEIGHT)


@compiled
def record_sizes(ends: Table[np.int64], begins: Ints) -> None:
    """Compute where the record of each document begins, in 32-bit words; ``ends`` as in ``RawEvidence``."""
    begins[0] = 0
    for document in range(begins.size - 1):
        _, _, _, blocks, filter_at = _sizes(ends, document)
        begins[document + 1] = begins[document] + filter_at + 2 * blocks


@inlined
def _put_weight(words: Uint32s, at: int, number: int, weight: int) -> None:
    words[at + (number >> 2)] |= np.uint32(weight) << np.uint32((number & 3) * 8)


@inlined
def _add_up(words: Uint32s, at: int, kind: int, entry: np.uint32, weight: int) -> None:
    """Add an entry and its weight to the header of a record."""
    if kind != NUMBER_KIND:
        words[at + SUMS_AT + 1 + kind] += np.uint32(weight)
        return
    words[at + SUMS_AT] += np.uint32(weight)
    if signed(entry) & DATE_BIT:
        words[at + FIGURES_AT] += np.uint32((signed(entry) & HEAD_BIT) << 16)
    else:
        words[at + FIGURES_AT] += np.uint32(1)
        words[at + SUMS_AT + 1] += np.uint32(weight)


@compiled
def fill_filters(body: Uint32s, ends: Table[np.int64], begins: Ints, words: Uint32s) -> None:
    """Write the filters of records, which need no document frequencies, to ``words``, which are zeros.

    ``begins``: as ``record_sizes`` computes it, with room for the openings.
    """
    for document in range(begins.size - 1):
        _, _, _, blocks, filter_at = _sizes(ends, document)
        filter_at += begins[document]
        for place in range(ends[document, 4], ends[document + 1, 4]):
            block, first_bits, second_bits = filter_place(body[place], blocks)
            words[filter_at + 2 * block] |= first_bits
            words[filter_at + 2 * block + 1] |= second_bits


@compiled
def pack_documents(
    lists: EvidenceLists, languages: Int8s, counts: Vector[np.float32], documents: Floats, begins: Ints, words: Uint32s
) -> None:
    """Write the records of documents, except for their filters.

    ``counts``: float32 (1 << BUCKET_BITS,), documents per counter; ``documents``: float64 (languages,); both
    include the background. ``words``: uint32, zeros in all places but those of filters.
    """
    numbers, names, lead, ends = lists.numbers, lists.names, lists.lead, lists.ends
    tokens, titles = lists.tokens, lists.titles
    for document in range(languages.size):
        language, at = signed(languages[document]), begins[document]
        of_numbers, of_names, of_lead, blocks, _ = _sizes(ends, document)
        words[at] = tokens[document, 0]
        words[at + COUNTS_AT] = of_numbers | of_names << 16
        words[at + BLOCKS_AT] = of_lead | signed(tokens[document, 1]) << LEAD_BITS | blocks << 16
        words[at + TITLE_AT] = titles[document, 0] >> _32
        words[at + FORM_AT] = titles[document, 1] >> _32
        entry, number = at + HEADER, 0
        weights = entry + of_numbers + of_names + of_lead
        for kind in range(KINDS):
            source = numbers if kind == NUMBER_KIND else names if kind == NAME_KIND else lead
            first = ends[document, kind + 1]
            for place in range(first, first + _entries(ends, document, kind + 1)):
                words[entry + number] = source[place]
                held = signed(source[place]) >> HEAD_BIT if kind == NUMBER_KIND else signed(source[place])
                weight = _weight(bucket_of(held, kind, language), counts, documents[language])
                _put_weight(words, weights, number, weight)
                _add_up(words, at, kind, source[place], weight)
                number += 1


# Mark the heaviest key terms of documents


@compiled
def mark_heaviest(begins: Ints, weights: Ints, n: int, marks: Uint8s) -> None:
    """Mark the n heaviest of each document with 1, the others with 0; of equal ones, the first."""
    for document in range(begins.size - 1):
        begin, end = begins[document], begins[document + 1]
        for place in range(begin, end):
            heavier = 0
            for other in range(begin, place):
                heavier += weights[other] >= weights[place]
            for other in range(place + 1, end):
                heavier += weights[other] > weights[place]
            marks[place] = heavier < n
