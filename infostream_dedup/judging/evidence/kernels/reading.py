"""Read the evidence of many documents from UTF-8; ``tests/oracles/plain_reading.py`` is the readable reference."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from infostream_dedup.judging.evidence.characters import CODE_POINTS, ENGLISH_MONTH, CharacterKind
from infostream_dedup.judging.evidence.constants import (
    DATE_BIT,
    FIGURE_SEED,
    FIRST_YEAR,
    HEAD_BIT,
    HEAD_CHARACTERS,
    LAST_YEAR,
    LEAD_WORDS,
    LONGEST_ACRONYM,
    PREFIX,
    SHORTEST_FORM_WORD,
    SHORTEST_NAME,
    TITLE_FIGURE_BITS,
    TITLE_FIGURE_DIGITS,
    TITLE_SEED,
    WORD_LETTERS,
)
from infostream_dedup.judging.evidence.kernels.words import (
    SKELETON_BITS,
    WORD_SEED,
    is_letter,
    joined,
    mixed,
    read_word,
    repair_word,
    skeleton,
    sorted_once,
    step,
)
from infostream_dedup.language.text.kernels.scanning import sized_code_point
from infostream_dedup.machine.arrays import Bools, Ints, Table, Uint8s, Uint16s, Uint32s, Uint64s
from infostream_dedup.machine.compiling import compiled, inlined, signed
from infostream_dedup.machine.kernels import BLOCK, between, first_bits

# Read numbers and dates in decoded text; `tests/oracles/plain_reading.py` is the readable reference

_DIGIT: Final = int(CharacterKind.DIGIT)
_POINT: Final = int(CharacterKind.POINT)
_COMMA: Final = int(CharacterKind.COMMA)
_SPACE: Final = int(CharacterKind.SPACE)
_HYPHEN: Final = int(CharacterKind.HYPHEN)
_SLASH: Final = int(CharacterKind.SLASH)
_SEED = np.uint64(FIGURE_SEED)
_ZERO: Final = ord("0")
_STOP: Final = ord(".")
_34 = np.uint64(34)


@inlined
def date_entry(value: int) -> int:
    """Entry of ``numbers`` for a day (32 * month + day) or a year."""
    return signed(mixed(step(_SEED, value)) >> _34) << 2 | DATE_BIT


@inlined
def _digits_end(kinds: Uint8s, place: int) -> int:
    while kinds[place] == _DIGIT:
        place += 1
    return place


@inlined
def _value(folded: Uint16s, begin: int, end: int) -> int:
    value = 0
    for place in range(begin, end):
        value = value * 10 + signed(folded[place])
    return value


@inlined
def _is_day(day: int, month: int) -> bool:
    return 1 <= day <= 31 and 1 <= month <= 12


def _day_first(kinds: Uint8s, first: int, end: int) -> tuple[int, int]:
    """Bounds of the second part and end of the third of 17.04.2024; (-1, -1) for anything else."""
    sign = kinds[end]
    if end - first > 2 or (sign != _POINT and sign != _SLASH and sign != _HYPHEN):
        return -1, -1
    second = _digits_end(kinds, end + 1)
    size = second - end - 1
    if size < 1 or size > 2 or kinds[second] != sign:
        return -1, -1
    third = _digits_end(kinds, second + 1)
    size = third - second - 1
    if (size != 2 and size != 4) or (kinds[third] == sign and kinds[third + 1] == _DIGIT):
        return -1, -1
    return second, third


def _date_at(kinds: Uint8s, folded: Uint16s, begin: int, end: int, title_end: int) -> tuple[int, int, int, int]:
    """End, day, month and year of the date at a place; end is -1 without a date, year is 0 without a year."""
    second, third = _day_first(kinds, begin, end)
    if second > 0:
        day, month = _value(folded, begin, end), _value(folded, end + 1, second)
        year = _value(folded, second + 1, third)
        if _is_day(day, month):
            return third, day, month, year + 2000 if year < 100 else year
    if end - begin == 4 and kinds[end] == _HYPHEN and kinds[end + 3] == _HYPHEN:
        second, third = _digits_end(kinds, end + 1), _digits_end(kinds, end + 4)
        if second == end + 3 and third == end + 6:
            day, month = _value(folded, end + 4, third), _value(folded, end + 1, second)
            if _is_day(day, month):
                year = _value(folded, begin, end)
                return third, day, month, year + 2000 if year < 100 else year
    if end - begin == 2 and kinds[end] == _POINT and end + 3 <= title_end:
        second = _digits_end(kinds, end + 1)
        if second == end + 3 and not (kinds[second] == _POINT and kinds[second + 1] == _DIGIT):
            day, month = _value(folded, begin, end), _value(folded, end + 1, second)
            if _is_day(day, month):
                return second, day, month, 0
    return -1, 0, 0, 0


def _spaced_end(kinds: Uint8s, end: int) -> int:
    """End of the groups of a space and three digits that start at a place; the place itself if there are none."""
    while kinds[end] == _SPACE and _digits_end(kinds, end + 1) == end + 4:
        end += 4
    return end


def _is_sign(kind: int) -> bool:
    return kind in (_POINT, _COMMA)


def _grouped_end(kinds: Uint8s, end: int) -> int:
    """End of the groups of a separator (all points or all commas) and three digits that start at a place."""
    sign = kinds[end]
    while _is_sign(sign) and kinds[end] == sign and _digits_end(kinds, end + 1) == end + 4:
        end += 4
    return end


def _decimal_hash(kinds: Uint8s, folded: Uint16s, begin: int, whole_end: int, end: int) -> tuple[np.uint64, int]:
    """Hash of a figure, decimals included; and its value, or -1 if it has decimals or is 10,000 or more."""
    state, digits, value = _SEED, 0, 0
    for place in range(begin, whole_end):
        if kinds[place] == _DIGIT and (digits or folded[place]):
            state = step(state, _ZERO + signed(folded[place]))
            digits += 1
            value = value * 10 + signed(folded[place]) if digits <= 4 else -1
    if digits == 0:
        state = step(state, _ZERO)
    while end > whole_end + 1 and folded[end - 1] == 0:
        end -= 1
    if end > whole_end + 1:
        state, value = step(state, _STOP), -1
        for place in range(whole_end + 1, end):
            state = step(state, _ZERO + signed(folded[place]))
    return mixed(state), value if digits <= 4 else -1


def _version_hash(kinds: Uint8s, folded: Uint16s, begin: int, end: int) -> np.uint64:
    """Hash of digits with several separators that do not mark thousands, such as 1.2.3.4."""
    state = _SEED
    for place in range(begin, end):
        state = step(state, _ZERO + signed(folded[place]) if kinds[place] == _DIGIT else _STOP)
    return mixed(state)


def _spaced_figure(kinds: Uint8s, folded: Uint16s, begin: int, spaced: int) -> tuple[int, np.uint64, int]:
    """Read a figure whose thousands, up to ``spaced``, are separated by spaces; decimals may follow."""
    end = spaced
    if _is_sign(kinds[spaced]) and kinds[spaced + 1] == _DIGIT:
        end = _digits_end(kinds, spaced + 1)
        if _is_sign(kinds[end]) and kinds[end + 1] == _DIGIT:
            end = spaced
    hashed, value = _decimal_hash(kinds, folded, begin, spaced, end)
    return end, hashed, value


def _figure_at(kinds: Uint8s, folded: Uint16s, begin: int, end: int) -> tuple[int, np.uint64, int]:
    """End, hash and value of the figure at a place; the value is -1 for decimals or more than four digits."""
    grouping = end - begin <= 3 and folded[begin] != 0
    spaced = _spaced_end(kinds, end) if grouping else end
    if spaced > end:
        return _spaced_figure(kinds, folded, begin, spaced)
    last, signs = end, 0
    while _is_sign(kinds[last]) and kinds[last + 1] == _DIGIT:
        last = _digits_end(kinds, last + 1)
        signs += 1
    grouped = _grouped_end(kinds, end) if grouping else end
    if grouped > end and signs - (grouped - end) // 4 <= 1:
        hashed, value = _decimal_hash(kinds, folded, begin, grouped, last)
    elif signs <= 1:
        hashed, value = _decimal_hash(kinds, folded, begin, end, last)
    else:
        hashed, value = _version_hash(kinds, folded, begin, last), -1
    return last, hashed, value


def number_at(kinds: Uint8s, folded: Uint16s, begin: int, title_end: int) -> tuple[int, np.uint64, int, int, int]:
    """Read the number at a place.

    Args:
        kinds: uint8, ``CharacterKind`` of each character, followed by 16 zeros.
        folded: uint16, value of each digit.
        begin: place of its first digit.
        title_end: number of characters in the title.

    Returns:
        Its end, the hash of its token, one or two entries of ``numbers`` (the second is -1 if there is only one), and
        its value if it is a whole number below 100, otherwise -1.
    """
    end = _digits_end(kinds, begin)
    after, day, month, year = _date_at(kinds, folded, begin, end, title_end)
    if after > 0:
        token = joined(np.uint64(day), np.uint64(month), np.uint64(year))
        return after, token, date_entry(month * 32 + day), date_entry(year) if year else -1, -1
    after, token, value = _figure_at(kinds, folded, begin, end)
    if FIRST_YEAR <= value <= LAST_YEAR:
        return after, token, date_entry(value), -1, -1
    return after, token, signed(token >> _34) << 2, -1, value if value < 100 else -1


@inlined
def title_figure(kinds: Uint8s, begin: int, end: int, entry: int) -> int:
    """Bit of a figure in a title; 0 for a date or a figure with too few digits."""
    digits = 0
    for place in range(begin, end):
        digits += kinds[place] == _DIGIT
    if entry & DATE_BIT or digits < TITLE_FIGURE_DIGITS:
        return 0
    return 1 << (entry >> 2) % TITLE_FIGURE_BITS


FIELDS: Final = 5  # number of lists per document: triples, numbers, names, lead, body
PADDING: Final = 16  # number of zeros after the longest text in ``ReadingScratch.kinds``

_CAPITAL: Final = int(CharacterKind.CAPITAL)
_DROPPED: Final = int(CharacterKind.DROPPED)
_OPENER: Final = int(CharacterKind.OPENER)
_TITLE_SEED = np.uint64(TITLE_SEED)
_NONE = np.uint64(0)
_32 = np.uint64(32)

# Places in the walker's state.
_DAY: Final = 0
_MONTH: Final = 1
_INITIAL: Final = 2
_OPENS: Final = 3
_AFTER_NUMBER: Final = 4
_LEADS: Final = 5
_TITLE_END: Final = 6
_TOKENS: Final = 7
_NUMBERS: Final = 8
_NAMES: Final = 9
_LEAD: Final = 10
_BODY: Final = 11
_TITLE_FIGURES: Final = 12
STATES: Final = 13


class Tables(NamedTuple):
    """What the reader knows of characters and words."""

    kinds: Uint8s  # uint8 (CODE_POINTS,), `CharacterKind`
    folded: Uint16s  # uint16 (CODE_POINTS,), folded letter or value of a digit
    latin: Uint8s  # uint8 (CODE_POINTS,), Latin letter of a folded letter, 1 to 26, or 0
    # uint16 (2, TWINS), look-alike of a folded letter in the other alphabet, for small letters and capitals
    twins: Table[np.uint16]
    words: Uint64s  # uint64, hashes of the calendar words, ascending
    months: Ints  # int64, month of each; 0 for a word that is not a month


class ReadingScratch(NamedTuple):
    """Scratch memory for one document."""

    kinds: Uint8s  # uint8, as long as the longest text in bytes plus `PADDING`
    folded: Uint16s  # uint16, of the same length
    tokens: Uint64s  # uint64, of the same length
    titles: Uint64s  # uint64 (2,), hashes of the title and of its form
    spare: Uint32s  # uint32, of the same length
    bins: Ints  # int64 (BINS + 1,)
    state: Ints  # int64 (STATES,), of the walker


class EvidenceLists(NamedTuple):
    """The evidence found, document by document."""

    triples: Uint64s  # uint64; this list and the next four have room for one entry per byte of text
    numbers: Uint32s  # uint32
    names: Uint32s  # uint32
    lead: Uint32s  # uint32
    body: Uint32s  # uint32
    # int64 (documents + 1, FIELDS), where the entries of each document end in the five lists; row 0 is zero
    ends: Table[np.int64]
    tokens: Table[np.int32]  # int32 (documents, 2), number of tokens, and bits of the figures in the title
    titles: Table[np.uint64]  # uint64 (documents, 2), hashes of the title and of its form


def _decode(
    data: Uint8s, begin: int, end: int, title_end: int, tables: Tables, scratch: ReadingScratch
) -> tuple[int, int]:
    """Write kind and folded form of each character kept; return their number, and how many the title has."""
    size, title = 0, 0
    while begin < end:
        point, width = sized_code_point(data, begin, end)
        if point >= CODE_POINTS:
            point = 0
        kind = tables.kinds[point]
        # Overwritten by the next character if this one is dropped.
        scratch.kinds[size] = kind
        scratch.folded[size] = tables.folded[point]
        size += kind != _DROPPED
        title += (kind != _DROPPED) & (begin < title_end)
        begin += width
    for place in range(size, size + PADDING):
        scratch.kinds[place] = 0
    return size, title


@inlined
def _month_of(tables: Tables, word: np.uint64) -> int:
    """Month of a calendar word, 0 for a day word, -1 for any other word."""
    place = np.searchsorted(tables.words, word)
    return tables.months[place] if place < tables.words.size and tables.words[place] == word else -1


@inlined
def _take_token(scratch: ReadingScratch, token: np.uint64, begin: int, dated: bool) -> None:
    state = scratch.state
    scratch.tokens[state[_TOKENS]] = token
    state[_TOKENS] += 1
    if begin < state[_TITLE_END]:
        titles = scratch.titles
        titles[0] = mixed((titles[0] if titles[0] != 0 else _TITLE_SEED) ^ token)
        if not dated:
            titles[1] = mixed((titles[1] if titles[1] != 0 else _TITLE_SEED) ^ token)


@inlined
def _read_month(tables: Tables, scratch: ReadingScratch, found: EvidenceLists, word: np.uint64, begin: int) -> None:
    """Combine a month with the number before it, or an English month with the number after it, into a date."""
    state = scratch.state
    month = 0
    if state[_DAY] > 0 or scratch.folded[begin] < 128:
        month = max(_month_of(tables, word), 0)
    if month and state[_DAY] > 0:
        last = state[_NUMBERS] - 1
        entry = date_entry(month % ENGLISH_MONTH * 32 + state[_DAY])
        found.numbers[last] = entry | (signed(found.numbers[last]) & HEAD_BIT)
    state[_MONTH] = month - ENGLISH_MONTH if month > ENGLISH_MONTH and state[_DAY] <= 0 else 0
    state[_DAY] = -1


@inlined
def _take_name(tables: Tables, scratch: ReadingScratch, found: EvidenceLists, begin: int, end: int) -> None:
    code = skeleton(tables.latin, scratch.kinds, scratch.folded, begin, end)
    if code:
        found.names[scratch.state[_NAMES]] = code
        scratch.state[_NAMES] += 1


@inlined
def _take_start(scratch: ReadingScratch, found: EvidenceLists, start: np.uint64) -> None:
    """Add the beginning of a long word to body and lead."""
    state = scratch.state
    found.body[state[_BODY]] = start
    state[_BODY] += 1
    if state[_LEADS] < LEAD_WORDS:
        state[_LEADS] += 1
        found.lead[state[_LEAD]] = start
        state[_LEAD] += 1


@inlined
def _take_word(tables: Tables, scratch: ReadingScratch, found: EvidenceLists, begin: int) -> int:
    """Read the word that begins at a place; return the place after it."""
    state, kinds, folded = scratch.state, scratch.kinds, scratch.folded
    hashed, start, last, letters, capitals, mixes = read_word(kinds, folded, begin)
    if mixes and repair_word(tables.twins, kinds, folded, begin, last):
        hashed, start, last, letters, capitals, mixes = read_word(kinds, folded, begin)
    word = mixed(hashed)
    dated = False
    if begin < state[_TITLE_END]:
        glued = begin > 0 and (kinds[begin - 1] == _HYPHEN or kinds[begin - 1] == _DIGIT)
        ordinal = glued and state[_AFTER_NUMBER] > 0 and letters <= 3
        dated = ordinal or letters < SHORTEST_FORM_WORD or _month_of(tables, word) >= 0
    _take_token(scratch, word, begin, dated)
    if letters >= WORD_LETTERS:
        _take_start(scratch, found, mixed(start) >> _32)
    headline = capitals == letters and letters > LONGEST_ACRONYM
    if kinds[begin] == _CAPITAL and not state[_OPENS] and letters >= SHORTEST_NAME and not headline:
        _take_name(tables, scratch, found, begin, last + 1)
    _read_month(tables, scratch, found, word, begin)
    state[_INITIAL] = letters == 1 and capitals == 1
    state[_OPENS] = state[_AFTER_NUMBER] = 0
    return last + 1


@inlined
def _take_number(scratch: ReadingScratch, found: EvidenceLists, begin: int) -> int:
    """Read the number that begins at a place; return the place after it."""
    state = scratch.state
    end, token, first, second, whole = number_at(scratch.kinds, scratch.folded, begin, state[_TITLE_END])
    _take_token(scratch, token, begin, True)
    is_day = 1 <= whole <= 31
    if state[_MONTH] and is_day:
        first = date_entry(state[_MONTH] * 32 + whole)
        state[_DAY] = -1
    else:
        state[_DAY] = whole if is_day else -1
    head = HEAD_BIT if begin < state[_TITLE_END] + HEAD_CHARACTERS else 0
    if begin < state[_TITLE_END]:
        state[_TITLE_FIGURES] |= title_figure(scratch.kinds, begin, end, signed(first))
    found.numbers[state[_NUMBERS]] = first | head
    state[_NUMBERS] += 1
    if second >= 0:
        found.numbers[state[_NUMBERS]] = second | head
        state[_NUMBERS] += 1
    state[_MONTH] = state[_INITIAL] = state[_OPENS] = 0
    state[_AFTER_NUMBER] = 1
    return end


def _walk(tables: Tables, scratch: ReadingScratch, found: EvidenceLists, size: int) -> None:
    state, kinds = scratch.state, scratch.kinds
    place = after = 0
    while place < size:
        kind = kinds[place]
        if is_letter(kind):
            place = after = _take_word(tables, scratch, found, place)
        elif kind == _DIGIT:
            place = after = _take_number(scratch, found, place)
        else:
            if kind == _OPENER or (kind == _POINT and not (state[_INITIAL] and place == after)):
                state[_OPENS] = 1
            if kind in (_OPENER, _POINT):
                state[_INITIAL] = 0
            place += 1


def _merge_heads(numbers: Uint32s, begin: int, end: int) -> int:
    """Keep each of the ascending numbers once, with its head bit if any copy has it; return the new end."""
    kept = begin
    for place in range(begin, end):
        # Numbers that differ only in the head bit are adjacent, and the one with the bit comes last.
        if place + 1 < end and numbers[place + 1] >> 1 == numbers[place] >> 1:
            continue
        numbers[kept] = numbers[place]
        kept += 1
    return kept


@inlined
def _join_tokens(tokens: Uint64s, count: int, triples: Uint64s, place: int) -> int:
    """Write the triples of tokens from a place on; return the end. One or two tokens make one triple."""
    if 0 < count < 3:
        triples[place] = joined(tokens[0], tokens[1] if count > 1 else _NONE, _NONE)
        place += 1
    for token in range(count - 2):
        triples[place] = joined(tokens[token], tokens[token + 1], tokens[token + 2])
        place += 1
    return place


def _finish(scratch: ReadingScratch, found: EvidenceLists, document: int) -> None:
    """Make triples of the tokens, sort and deduplicate all lists, and write their bounds."""
    tokens, begins, ends = scratch.tokens, found.ends[document], found.ends[document + 1]
    count, place = scratch.state[_TOKENS], begins[0]
    place = _join_tokens(tokens, count, found.triples, place)
    # The tokens are no longer needed.
    ends[0] = sorted_once(found.triples, begins[0], place, 64, tokens, scratch.bins)
    numbers = sorted_once(found.numbers, begins[1], scratch.state[_NUMBERS], 32, scratch.spare, scratch.bins)
    ends[1] = _merge_heads(found.numbers, begins[1], numbers)
    ends[2] = sorted_once(found.names, begins[2], scratch.state[_NAMES], SKELETON_BITS, scratch.spare, scratch.bins)
    ends[3] = sorted_once(found.lead, begins[3], scratch.state[_LEAD], 32, scratch.spare, scratch.bins)
    ends[4] = sorted_once(found.body, begins[4], scratch.state[_BODY], 32, scratch.spare, scratch.bins)
    found.tokens[document, 0] = count
    found.tokens[document, 1] = scratch.state[_TITLE_FIGURES]
    found.titles[document, 0] = scratch.titles[0]
    found.titles[document, 1] = scratch.titles[1]


@compiled
def read_documents(
    data: Uint8s, offsets: Ints, title_ends: Ints, tables: Tables, scratch: ReadingScratch, found: EvidenceLists
) -> None:
    """Read documents in order; ``scratch`` suits the longest; ``title_ends``: where each title ends in ``data``."""
    state = scratch.state
    for document in range(offsets.size - 1):
        state[:] = 0
        state[_DAY], state[_OPENS] = -1, 1
        for field in range(1, FIELDS):
            state[_NUMBERS + field - 1] = found.ends[document, field]
        scratch.titles[:] = _NONE
        size, title = _decode(data, offsets[document], offsets[document + 1], title_ends[document], tables, scratch)
        state[_TITLE_END] = title
        _walk(tables, scratch, found, size)
        _finish(scratch, found, document)


# Texts with markup are cleaned before they are read


@inlined
def _is_marked(data: Uint8s, at: int, left: int) -> bool:
    """Whether markup, an address, a word divided at the end of a line, or tags or signs of music begin in a block."""
    signs = between(data, at, 0x26, 0x26) | between(data, at, 0x3C, 0x3C) | between(data, at, 0x40, 0x40)
    colons, breaks = between(data, at, 0x3A, 0x3A), between(data, at + 1, 0x0A, 0x0D)
    rare, next_one = between(data, at, 0xF0, 0xF3), first_bits(left - 1)
    found = (signs | between(data, at, 0x7B, 0x7B)) & first_bits(left)
    if colons:
        slashes = between(data, at + 1, 0x2F, 0x2F) & between(data, at + 2, 0x2F, 0x2F)
        found |= colons & slashes & first_bits(left - 2)
    if breaks:
        line, lines = between(data, at + 1, 0x0A, 0x0A), between(data, at + 1, 0x0D, 0x0D)
        found |= ((between(data, at, 0x2D, 0x2D) & (line | lines)) | (between(data, at, 0xAD, 0xAD) & line)) & next_one
    if rare:
        music = between(data, at + 1, 0x9D, 0x9D) & between(data, at + 2, 0x85, 0x85) & first_bits(left - 2)
        found |= between(data, at, 0xF0, 0xF0) & music
        found |= between(data, at, 0xF3, 0xF3) & between(data, at + 1, 0xA0, 0xA0) & next_one
    return bool(found)


@compiled
def mark_texts(data: Uint8s, offsets: Ints, marked: Bools) -> None:
    """Mark the texts that may have to be cleaned; ``data`` is followed by ``BLOCK`` + 2 readable bytes."""
    for text in range(marked.size):
        at, end = offsets[text], offsets[text + 1]
        while at < end and not _is_marked(data, at, end - at):
            at += BLOCK
        marked[text] = at < end


@compiled
def read_triples(
    data: Uint8s, offsets: Ints, tables: Tables, scratch: ReadingScratch, triples: Uint64s, ends: Ints
) -> None:
    """Read only the word triples of documents, those of ``read_documents``: of each document ascending, each once."""
    tokens, kinds, folded = scratch.tokens, scratch.kinds, scratch.folded
    ends[0] = 0
    for document in range(offsets.size - 1):
        size, _ = _decode(data, offsets[document], offsets[document + 1], 0, tables, scratch)
        place, count = 0, 0
        while place < size:
            if is_letter(kinds[place]):
                hashed, _, last, _, _, mixes = read_word(kinds, folded, place)
                if mixes and repair_word(tables.twins, kinds, folded, place, last):
                    hashed, _, last, _, _, mixes = read_word(kinds, folded, place)
                tokens[count] = mixed(hashed)
                count += 1
                place = last + 1
            elif kinds[place] == _DIGIT:
                place, token, _, _, _ = number_at(kinds, folded, place, 0)
                tokens[count] = token
                count += 1
            else:
                place += 1
        end = _join_tokens(tokens, count, triples, ends[document])
        ends[document + 1] = sorted_once(triples, ends[document], end, 64, tokens, scratch.bins)


@compiled
def prefix_hashes(data: Uint8s, offsets: Ints, tables: Tables, scratch: ReadingScratch, hashes: Uint32s) -> None:
    """Hash the beginning of each word as ``lead`` and ``body`` do; 0 for words that they leave out."""
    for number in range(hashes.size):
        size, _ = _decode(data, offsets[number], offsets[number + 1], 0, tables, scratch)
        state, letters = WORD_SEED, 0
        for place in range(size):
            if not is_letter(scratch.kinds[place]):
                continue
            letters += 1
            if letters <= PREFIX:
                state = step(state, scratch.folded[place])
        hashes[number] = np.uint32(mixed(state) >> _32) if letters >= WORD_LETTERS else np.uint32(0)
