"""Cuts texts into fragments (lines, sentences, parts between bars or emoji) and hashes the words of each."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from infostream_dedup.judging.evidence.kernels.words import mixed, step
from infostream_dedup.language.text.kernels.scanning import sized_code_point
from infostream_dedup.machine.arrays import Bools, Ints, Table, Uint8s, Uint16s, Vector
from infostream_dedup.machine.compiling import compiled, inlined, popcount, signed
from infostream_dedup.machine.kernels import BLOCK, between, first_bits, lowest_bit

__all__ = [
    "CALL", "FIGURE", "FIRST", "FRAGMENTS", "MAY_BE_DATED", "MAY_BE_IN_TWO", "STATES", "STEMS", "STRONG", "UNCOUNTED",
    "WEAK", "FragmentRows", "Signs", "enter_words", "read_apart", "read_fragments",
]  # fmt: skip

FIRST: Final = 3
LAST: Final = 5
MAY_BE_DATED: Final = 1
MAY_BE_IN_TWO: Final = 2
_OPENING: Final = 120  # bytes that a dateline fits in
_HALF: Final = 30  # letters of each alphabet that a text in two of them has at least
_STRIP: Final = 384  # bytes at each end of a text that show its languages

FRAGMENTS: Final = FIRST + LAST
"""Repeated lines stand at the ends: only the first and the last fragments of a text are kept."""
STEMS: Final = 12  # beginnings of words that are kept of a fragment

LETTER: Final = 1
DIGIT: Final = 2
DROPPED: Final = 3
JOINER: Final = 4
SPACE: Final = 5
POINT: Final = 6
STOP: Final = 7
BORDER: Final = 8
CLOSING: Final = 9

FIGURE: Final = 1
CALL: Final = 8  # flags of a fragment: it has a figure; it ends a text and calls to subscribe, to write, to read on
_SOUNDS_LIKE_CALL: Final = 2
_MAY_BE_CALL: Final = 4
_LABELLED: Final = 16
WEAK: Final = np.uint64(1)
STRONG: Final = np.uint64(2)
UNCOUNTED: Final = np.uint64(3)
"""Words of a call that prove nothing without a strong one; strong ones; words such as "FAKE", which do not count, so
that a line of one alone, which turns round what follows, is never left out."""

_PREFIX: Final = 5
_LONG: Final = 4
_LONGEST_TAG: Final = 300
_ANY: Final = 1 << 60
_END: Final = 1024  # bytes at the end of a long text in which its last fragments are looked for
_SEED = np.uint64(0xCBF29CE484222325)
_NONE = np.uint64(0)
_2, _16, _48, _255 = np.uint64(2), np.uint64(16), np.uint64(48), 255

# Places in the state of the reader.
_WORDS: Final = 0
_TOKENS: Final = 1
_STEMS: Final = 2
_COUNT: Final = 3
_BEGIN: Final = 4
_SKIPPING: Final = 5
_FLAGS: Final = 6
_CALLS: Final = 7
_STRONG: Final = 8
STATES: Final = 9


class Signs(NamedTuple):
    """What the reader knows of characters."""

    kinds: Uint8s  # uint8 (code points,), `LETTER` to `CLOSING`, or 0
    folded: Uint16s  # uint16 (code points,), folded letter or value of a digit
    state: Ints  # int64 (STATES,), scratch memory
    stems: Uint16s  # uint16 (STEMS,), scratch memory
    calls: Vector[
        np.uint64
    ]  # uint64 (power of two,), hash table of the words of calls, 0 if free; the last two bits are its kind


class FragmentRows(NamedTuple):
    """The first and last fragments of documents, in their order."""

    counts: Ints  # int64 (documents,), number of fragments kept
    hashes: Table[np.uint64]  # uint64 (documents, FRAGMENTS), hash of the folded words of each
    words: Table[np.uint8]  # uint8, of the same shape, its words with a letter
    flags: Table[np.uint8]  # uint8, of the same shape, `FIGURE` and `CALL`
    # uint16 (documents, FRAGMENTS * STEMS), hashes of the beginnings of its long words; 0 for none
    stems: Table[np.uint16]
    begins: Table[np.int64]  # int64 (documents, FRAGMENTS), its first byte
    ends: Table[np.int64]  # int64, of the same shape, the first byte after it and the border that follows


@inlined
def after_link(data: Uint8s, place: int, end: int) -> int:
    """Where the address ends whose colon or bracket is at a place."""
    while place < end:
        byte = signed(data[place])
        if byte <= 0x20 or byte in (0x22, 0x29, 0x3C, 0x3E, 0x5D):
            break
        place += 1
    return place


@inlined
def after_tag(data: Uint8s, place: int, end: int) -> int:
    """Where the tag ends that begins at a place; 0 if there is none."""
    if place + 2 >= end:
        return 0
    first = signed(data[place + 1]) | 0x20
    if not (0x61 <= first <= 0x7A or data[place + 1] == 0x2F):
        return 0
    for at in range(place + 2, min(end, place + _LONGEST_TAG)):
        if data[at] == 0x3E:
            return at + 1
    return 0


@inlined
def parts_text(data: Uint8s, place: int) -> bool:
    """Whether a tag begins a line: br, p, div, li, h1, tr and the like."""
    at = place + 2 if data[place + 1] == 0x2F else place + 1
    first, second = signed(data[at]) | 0x20, signed(data[at + 1]) | 0x20
    # b is bold, br is a line; s and u are letters, section and ul are not.
    return first in (0x64, 0x68, 0x6C, 0x70, 0x74) or (first in (0x62, 0x75) and second in (0x72, 0x6C))


@inlined
def _word_place(signs: Signs, hashed: np.uint64) -> np.int64:
    at = np.int64((hashed >> _2) & np.uint64(signs.calls.size - 1))
    while signs.calls[at] != _NONE and signs.calls[at] >> _2 != hashed >> _2:
        at = (at + 1) & (signs.calls.size - 1)
    return at


@inlined
def _end_word(signs: Signs, word: np.uint64, start: np.uint64, hashed: np.uint64, letters: int) -> np.uint64:
    """Add a finished word to the fragment; return the hash of the fragment."""
    state = signs.state
    state[_TOKENS] += 1
    own = mixed(word)
    call = signs.calls[_word_place(signs, own)]
    kind = call & UNCOUNTED
    state[_WORDS] += letters > 0 and kind != UNCOUNTED
    state[_CALLS] += call != _NONE and kind != UNCOUNTED
    state[_STRONG] += kind == STRONG
    state[_FLAGS] |= _LABELLED if kind == UNCOUNTED else 0
    if letters >= _LONG and state[_STEMS] < STEMS:
        stem = np.int64(mixed(start) >> _48) | 1
        known = False
        for at in range(state[_STEMS]):
            known |= signs.stems[at] == stem
        if not known:
            signs.stems[state[_STEMS]] = stem
            state[_STEMS] += 1
    return mixed((hashed ^ own) * np.uint64(3))


@inlined
def _end_fragment(signs: Signs, found: FragmentRows, document: int, hashed: np.uint64, end: int) -> None:
    """Keep a fragment that has a word, unless it is neither among the first nor among the last."""
    state = signs.state
    if state[_TOKENS] > 0:
        count = state[_COUNT]
        slot = count if count < FIRST else FIRST + (count - FIRST) % LAST
        found.hashes[document, slot] = hashed
        found.words[document, slot] = min(state[_WORDS], _255)
        calls, tokens, strong = state[_CALLS], state[_TOKENS], state[_STRONG]
        dense = (calls >= 2 or calls == tokens) and strong > 0 and 3 * calls >= tokens
        if dense or (calls >= 3 and strong >= 2 and 4 * calls >= tokens):
            state[_FLAGS] |= _SOUNDS_LIKE_CALL
        elif calls >= 1 and 4 * calls >= state[_WORDS]:
            state[_FLAGS] |= _MAY_BE_CALL
        found.flags[document, slot] = state[_FLAGS]
        found.begins[document, slot] = state[_BEGIN]
        found.ends[document, slot] = end
        for at in range(STEMS):
            found.stems[document, slot * STEMS + at] = signs.stems[at] if at < state[_STEMS] else 0
        state[_COUNT] += 1
        state[_BEGIN] = end
    elif state[_COUNT] > 0:
        # Borders that follow each other belong to the fragment before them.
        last = state[_COUNT] - 1
        found.ends[document, last if last < FIRST else FIRST + (last - FIRST) % LAST] = end
        state[_BEGIN] = end
    state[_WORDS] = state[_TOKENS] = state[_STEMS] = state[_FLAGS] = state[_CALLS] = state[_STRONG] = 0


@inlined
def _swap(found: FragmentRows, document: int, one: int, other: int) -> None:
    hashes = found.hashes[document]
    hashes[one], hashes[other] = hashes[other], hashes[one]
    words, flags = found.words[document, one], found.flags[document, one]
    begin, end = found.begins[document, one], found.ends[document, one]
    found.words[document, one] = found.words[document, other]
    found.flags[document, one] = found.flags[document, other]
    found.begins[document, one] = found.begins[document, other]
    found.ends[document, one] = found.ends[document, other]
    found.words[document, other], found.flags[document, other] = words, flags
    found.begins[document, other] = begin
    found.ends[document, other] = end
    for at in range(STEMS):
        stem = found.stems[document, one * STEMS + at]
        found.stems[document, one * STEMS + at] = found.stems[document, other * STEMS + at]
        found.stems[document, other * STEMS + at] = stem


@inlined
def _reverse(found: FragmentRows, document: int, begin: int, end: int) -> None:
    while begin < end - 1:
        _swap(found, document, begin, end - 1)
        begin, end = begin + 1, end - 1


def _order(found: FragmentRows, document: int, count: int) -> None:
    """Bring the last fragments, which were written in turn, into the order of the text."""
    turned = (count - FIRST) % LAST if count > FRAGMENTS else 0
    if turned:
        _reverse(found, document, FIRST, FIRST + turned)
        _reverse(found, document, FIRST + turned, FRAGMENTS)
        _reverse(found, document, FIRST, FRAGMENTS)


@inlined
def _note_calls(found: FragmentRows, document: int, count: int) -> None:
    """Flag the calls at the end of a text; the first fragment stays."""
    at, sure = count - 1, False
    while at > 0 and (found.words[document, at] == 0 or found.flags[document, at] > FIGURE):
        if signed(found.flags[document, at]) & _LABELLED != 0:
            break
        sure |= (found.flags[document, at] & _SOUNDS_LIKE_CALL) > 0
        at -= 1
    for call in range(at + 1, count if sure else 0):
        found.flags[document, call] |= CALL


@inlined
def _kind(signs: Signs, point: int) -> int:
    return signed(signs.kinds[point]) if point < signs.kinds.size else BORDER


@inlined
def _word(data: Uint8s, place: int, end: int, signs: Signs) -> tuple[int, np.uint64, np.uint64, int, int]:
    """Read a word or number; return the place after it, two hashes, the number of its letters and of its digits."""
    word = start = _SEED
    letters, digits = 0, 0
    while place < end:
        point, width = sized_code_point(data, place, end)
        kind = _kind(signs, point)
        if kind == LETTER:
            word = step(word, signed(signs.folded[point]))
            letters += 1
            if letters <= _PREFIX:
                start = word
        elif kind == DIGIT:
            word = step(word, signed(signs.folded[point]))
            digits += 1
        elif kind not in (DROPPED, JOINER):
            break
        place += width
    return place, word, start, letters, digits


@inlined
def _after_sign(data: Uint8s, place: int, end: int, point: int, width: int) -> tuple[int, bool]:
    """Where reading goes on after a sign that is no letter, and whether it ends a line."""
    if point == 0x3C:
        tag = after_tag(data, place, end)
        if tag:
            return tag, parts_text(data, place)
    if point == 0x5D and place + 1 < end and data[place + 1] == 0x28:
        return after_link(data, place + 1, end), False
    return place + width, False


@inlined
def _is_scheme(data: Uint8s, place: int, end: int) -> bool:
    """Whether the word before a place is the scheme of an address."""
    return place + 2 < end and data[place] == 0x3A and data[place + 1] == 0x2F and data[place + 2] == 0x2F


@inlined
def _stops(kind: int, stopped: bool, letters: int, digits: int) -> bool:
    """Whether a sentence may have ended: after a word of three letters, a number, an exclamation or a question."""
    if kind == POINT:
        return stopped or letters >= 3 or digits > 0
    return kind == STOP or (stopped and kind in (SPACE, CLOSING))


@inlined
def _end_line(
    data: Uint8s, place: int, end: int, signs: Signs, found: FragmentRows, document: int, hashed: np.uint64
) -> int:
    """End a fragment; return the place at which the next one is read: in a long text near the end."""
    state = signs.state
    if state[_SKIPPING]:
        # Its beginning was not read.
        state[_WORDS] = state[_TOKENS] = state[_STEMS] = state[_FLAGS] = state[_CALLS] = state[_STRONG] = state[
            _SKIPPING
        ] = 0
        state[_BEGIN] = place
    else:
        _end_fragment(signs, found, document, hashed, place)
    if state[_COUNT] == FIRST and end - place > _END:
        place = end - _END
        while signed(data[place]) & 0xC0 == 0x80:
            place += 1
        state[_SKIPPING] = 1
    return place


def _read(data: Uint8s, begin: int, end: int, signs: Signs, found: FragmentRows, document: int, most: int) -> None:
    state = signs.state
    state[:] = 0
    state[_BEGIN] = begin
    hashed, stopped = _SEED, False
    letters, digits = 0, 0
    place = begin
    while place < end and state[_COUNT] < most:
        point, width = sized_code_point(data, place, end)
        kind = _kind(signs, point)
        if kind in (LETTER, DIGIT):
            place, word, start, letters, digits = _word(data, place, end, signs)
            if _is_scheme(data, place, end):
                place = after_link(data, place, end)
            else:
                hashed = _end_word(signs, word, start, hashed, letters)
                state[_FLAGS] |= FIGURE if digits > 0 else 0
            stopped = False
            continue
        place, border = _after_sign(data, place, end, point, width)
        stopped = _stops(kind, stopped, letters, digits)
        if border or kind == BORDER or (stopped and kind == SPACE):
            place = _end_line(data, place, end, signs, found, document, hashed)
            hashed, stopped = _SEED, False
    if not state[_SKIPPING] and state[_COUNT] < most:
        _end_fragment(signs, found, document, hashed, end)
    _order(found, document, state[_COUNT])
    found.counts[document] = min(state[_COUNT], FRAGMENTS)
    _note_calls(found, document, found.counts[document])


@compiled
def read_fragments(
    data: Uint8s, offsets: Ints, signs: Signs, found: FragmentRows, only_first: bool, chosen: Bools
) -> None:
    """Read documents in order, or the ``chosen`` ones unless that is empty; ``only_first``: only the first fragment."""
    most = 1 if only_first else _ANY
    for document in range(offsets.size - 1):
        if chosen.size == 0 or chosen[document]:
            _read(data, offsets[document], offsets[document + 1], signs, found, document, most)


@compiled
def enter_words(data: Uint8s, offsets: Ints, signs: Signs, strength: np.uint64) -> None:
    """Enter words into the hash table of the words of calls, which stays at most half full, as `WEAK` or `STRONG`."""
    for number in range(offsets.size - 1):
        _, word, _, _, _ = _word(data, offsets[number], offsets[number + 1], signs)
        signs.calls[_word_place(signs, mixed(word))] = (mixed(word) >> _2 << _2) | strength


@inlined
def _without_addresses(
    letters: np.uint64, slashes: np.uint64, blanks: np.uint64, inside: bool
) -> tuple[np.uint64, bool]:
    """Drop the letters between ``//`` and a blank; ``inside``: whether an address goes on from the last block."""
    begin = 0 if inside else lowest_bit(slashes)
    while begin < BLOCK:
        rest = ~first_bits(begin)
        end = lowest_bit(blanks & rest)
        letters &= ~rest | ~first_bits(end)
        if end == BLOCK:
            return letters, True
        begin = lowest_bit(slashes & ~first_bits(end))
    return letters, False


@inlined
def _letters(data: Uint8s, place: int, end: int) -> tuple[int, int, int, int]:
    """Count Latin letters outside addresses, Cyrillic ones, and those that only Russian and only Ukrainian have."""
    latin, cyrillic, russian, ukrainian, in_address = 0, 0, 0, 0, False
    for at in range(place, end, BLOCK):
        inside, after = first_bits(end - at), at + 1
        letters = (between(data, at, 0x41, 0x5A) | between(data, at, 0x61, 0x7A)) & inside
        slashes = between(data, at, 0x2F, 0x2F) & between(data, after, 0x2F, 0x2F)
        if in_address or slashes:
            letters, in_address = _without_addresses(letters, slashes, between(data, at, 0x00, 0x20), in_address)
        small = between(data, at, 0xD1, 0xD1) & inside
        hard = between(data, after, 0x8A, 0x8B) | between(data, after, 0x8D, 0x8D) | between(data, after, 0x91, 0x91)
        latin += popcount(letters)
        cyrillic += popcount(between(data, at, 0xD0, 0xD1) & inside)
        russian += popcount(small & hard)
        ukrainian += popcount(small & (between(data, after, 0x94, 0x94) | between(data, after, 0x96, 0x97)))
    return latin, cyrillic, russian, ukrainian


@compiled
def read_apart(data: Uint8s, begins: Ints, ends: Ints, found: Uint8s) -> None:
    """Mark texts that may begin with a dateline, and texts that begin and end in two languages; few are neither.

    ``data``: followed by ``BLOCK`` + 1 readable bytes; ``found``: receives ``MAY_BE_DATED`` and ``MAY_BE_IN_TWO``.
    """
    for text in range(begins.size):
        begin, end = begins[text], ends[text]
        found[text] = 0
        if end - begin < _HALF:
            continue
        first, marked = data[begin], False
        capital = 0x41 <= first <= 0x5A or first in (0x5B, 0x28, 0x2F, 0xC3, 0xC8, 0xD2)
        if capital or (first == 0xD0 and data[begin + 1] < 0xB0):
            for at in range(begin, min(end, begin + _OPENING), BLOCK):
                # A figure, a dash, a slash or a closing bracket.
                signs = between(data, at, 0x2D, 0x39) & ~between(data, at, 0x2E, 0x2E) | between(data, at, 0x29, 0x29)
                signs |= between(data, at, 0x5D, 0x5D) | between(data, at, 0xE2, 0xE2)
                marked |= (signs & first_bits(min(end, begin + _OPENING) - at)) != _NONE
        middle = (begin + end) // 2
        latin, cyrillic, russian, ukrainian = _letters(data, begin, min(middle, begin + _STRIP))
        other, others, theirs, its = _letters(data, max(middle, end - _STRIP), end)
        mixed_alphabets = (latin > cyrillic) != (other > others) and cyrillic + others >= _HALF <= latin + other
        turned = (russian > ukrainian and theirs < its) or (russian < ukrainian and theirs > its)
        found[text] = MAY_BE_DATED * marked + MAY_BE_IN_TWO * (mixed_alphabets or turned)
