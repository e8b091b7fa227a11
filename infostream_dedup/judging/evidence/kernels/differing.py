"""Tokens of openings, and the places in which two openings differ; rules on words are in ``evidence.differing``."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from infostream_dedup.judging.evidence.constants import OPENING, SEED
from infostream_dedup.judging.evidence.kernels.words import mixed, place_among, step
from infostream_dedup.machine.arrays import Bools, Floats, Ints, Table, Uint8s, Uint16s, Uint64s
from infostream_dedup.machine.compiling import compiled, inlined, signed
from infostream_dedup.machine.kernels import BLOCK, between, copy_bytes, lowest_bit

LETTER: Final = 1
DIGIT: Final = 2
SPACE: Final = 4
UPPER: Final = 8
JOINS_DIGITS: Final = 16
JOINS_LETTERS: Final = 32
ENDS_CLAUSE: Final = 64
WORD: Final = 128  # bits of a character's class

NUMBER: Final = 1
NAME: Final = 2
START: Final = 4
DENIAL: Final = 8
LABEL: Final = 16
NEGATION: Final = 32
AUXILIARY: Final = 64
QUESTION: Final = 128
DATE: Final = 256
AGAIN: Final = 512  # bits of a token; the last one if one before it in its text is equal
FEWEST: Final = 4  # tokens of a text whose differences are looked at
PART: Final = 4  # one in this many tokens of the shorter text may differ; six always may

MOST_TOKENS: Final = 6

MOST_CHANGES: Final = 2  # places that may differ if a negation or a question decides

MOST_EDITS: Final = 4
"""Places that may differ if another word of the lead decides: the others by small words, spelling or forms alone."""

LEAD: Final = 30  # tokens of a lead, in which a verb or an adjective is the news

TOUCHED: Final = 3
"""Triples of words that a change breaks beside one for each of its words: two, and one for a token of two words."""

_BEYOND: Final = BLOCK + 1  # characters that are looked at beyond the end of a text
_BITS: Final = 10  # bits of a place among the tokens of an opening
_ENTRIES: Final = 1 << _BITS
_HEADS, _NEXT, _TIMES, _FILLED = range(4)
"""Rows of a table of tokens, int32 (4, _ENTRIES): by hash, the first token that has it, counted from 1; by token, the
next one that is equal, how many are equal from it on, and the slots of a form in them."""

_SHIFT, _TO_BYTE = np.uint64(64 - _BITS), np.uint64(56)

_H, _S, _T, _P, _W = (ord(letter) for letter in "hstpw")
_AT = ord("@")
_HASH = ord("#")
_COLON = ord(":")
_SLASH = ord("/")
_POINT = ord(".")
_CLOSE_SQUARE = ord("]")
_OPEN_ROUND = ord("(")
_CLOSE_ROUND = ord(")")
_OPEN_CURLY = ord("{")
_CLOSE_CURLY = ord("}")
_BLANK = ord(" ")
_ASKS = ord("?")


class OpeningTables(NamedTuple):
    """What is known of the characters of windows-1251, and of some words."""

    classes: Uint8s  # uint8 (256,), bits of each character
    folded: Uint8s  # uint8 (256,), the character in lower case, apostrophes alike
    words: Uint64s  # uint64, ascending, hashes of words that are marked
    marks: Uint16s  # uint16, bits of each of these words
    words_of: Ints  # int64 (257,), bounds of the words whose hashes begin with each byte
    prefixes: Uint8s  # uint8, beginnings of words that are denials
    prefix_begins: Ints  # int64 (prefixes + 1,), bounds of each
    prefixes_of: Ints  # int64 (257,), bounds of the prefixes that begin with each character


class OpeningTokens(NamedTuple):
    """Tokens of the openings of some documents: words, numbers and question marks."""

    clean: Uint8s  # uint8, the openings without links
    clean_begins: Ints  # int64 (documents + 1,), bounds of each opening
    begins: Ints  # int64 (documents + 1,), bounds of the tokens of each document
    places: Table[np.int32]  # int32 (tokens, 2), bounds of each token in its opening
    hashes: Uint64s  # uint64, hash of each token, folded
    flags: Uint16s  # uint16, bits of each token
    distinct: Ints  # int64 (documents,), number of distinct tokens
    cut: Bools  # bool (documents,), whether the text may go on


@inlined
def _is(letter: np.uint8, classes: Uint8s, wanted: int) -> bool:
    return signed(classes[signed(letter)]) & wanted != 0


@inlined
def _past(text: Uint8s, at: int, size: int, classes: Uint8s, wanted: int) -> int:
    """Place behind the characters of a class."""
    while at < size and signed(classes[signed(text[at])]) & wanted != 0:
        at += 1
    return at


@inlined
def _past_others(text: Uint8s, at: int, size: int, classes: Uint8s, unwanted: int) -> int:
    while at < size and signed(classes[signed(text[at])]) & unwanted == 0:
        at += 1
    return at


def _link_end(text: Uint8s, at: int, size: int, classes: Uint8s) -> int:
    """End of the link, handle, hashtag or markup that begins at a place; the place itself if none does."""
    letter, begin, end = signed(text[at]), at, at
    if letter in (_AT, _HASH):
        begin = at + 1
        end = _past(text, begin, size, classes, WORD)
    elif letter == _H and signed(text[at + 1]) == _T and signed(text[at + 2]) == _T and signed(text[at + 3]) == _P:
        begin = at + 4 + signed(signed(text[at + 4]) == _S)
        if signed(text[begin]) == _COLON and signed(text[begin + 1]) == _SLASH and signed(text[begin + 2]) == _SLASH:
            begin += 3
            end = _past_others(text, begin, size, classes, SPACE)
    elif letter == _W and signed(text[at + 1]) == _W and signed(text[at + 2]) == _W and signed(text[at + 3]) == _POINT:
        begin = at + 4
        end = _past_others(text, begin, size, classes, SPACE)
    elif letter == _CLOSE_SQUARE and signed(text[at + 1]) == _OPEN_ROUND:
        end = at + 2
        while (
            end < size and signed(text[end]) not in (_CLOSE_ROUND, _CLOSE_SQUARE) and not _is(text[end], classes, SPACE)
        ):
            end += 1
        end = end + 1 if end < size and signed(text[end]) == _CLOSE_ROUND else at
    elif letter == _OPEN_CURLY:
        end = at + 1
        while end < size and signed(text[end]) not in (_OPEN_CURLY, _CLOSE_CURLY):
            end += 1
        end = end + 1 if end < size and signed(text[end]) == _CLOSE_CURLY else at
    return end if end > begin else at


@inlined
def _number_end(text: Uint8s, at: int, size: int, classes: Uint8s) -> int:
    """End of a number: digits, joined by single signs, or by blanks into groups of three."""
    at = _past(text, at, size, classes, DIGIT)
    while at + 1 < size and _is(text[at], classes, JOINS_DIGITS) and _is(text[at + 1], classes, DIGIT):
        at = _past(text, at + 1, size, classes, DIGIT)
    while at + 3 < size and signed(text[at]) == _BLANK and _past(text, at + 1, size, classes, DIGIT) == at + 4:
        at += 4
    return at


@inlined
def _word_end(text: Uint8s, at: int, size: int, classes: Uint8s) -> int:
    at = _past(text, at, size, classes, LETTER)
    while at + 1 < size and _is(text[at], classes, JOINS_LETTERS) and _is(text[at + 1], classes, LETTER):
        at = _past(text, at + 1, size, classes, LETTER)
    return at


def _flags_of(text: Uint8s, begin: int, end: int, hashed: np.uint64, tables: OpeningTables) -> int:
    """Bits of a word."""
    flags = 0
    if end - begin >= 4 and _is(text[begin], tables.classes, UPPER):
        for place in range(begin + 1, end):
            if signed(tables.classes[signed(text[place])]) & (LETTER | UPPER) == LETTER:
                flags = NAME
    byte = signed(hashed >> _TO_BYTE)
    place = place_among(tables.words, tables.words_of[byte], tables.words_of[byte + 1], hashed)
    if place >= 0:
        flags |= signed(tables.marks[place])
    letter = signed(tables.folded[signed(text[begin])])
    for prefix in range(tables.prefixes_of[letter], tables.prefixes_of[letter + 1]):
        first, place = tables.prefix_begins[prefix], 0
        size = tables.prefix_begins[prefix + 1] - first
        while (
            place < min(size, end - begin)
            and tables.folded[signed(text[begin + place])] == tables.prefixes[first + place]
        ):
            place += 1
        if place == size:
            flags |= DENIAL
    return flags


@inlined
def _leave_out_links(text: Uint8s, size: int, classes: Uint8s, clean: Uint8s) -> int:
    """Write a text with a blank for every link; return its length. Up to ``HALF`` - 1 more characters are written."""
    written, at = 0, 0
    while at < size:
        # What begins no link is copied at once.
        signs = (
            between(text, at, _AT, _AT) | between(text, at, _HASH, _HASH) | between(text, at, _OPEN_CURLY, _OPEN_CURLY)
        )
        signs |= between(text, at, _CLOSE_SQUARE, _CLOSE_SQUARE) & between(text, at + 1, _OPEN_ROUND, _OPEN_ROUND)
        signs |= between(text, at, _H, _H) & between(text, at + 1, _T, _T)
        signs |= between(text, at, _W, _W) & between(text, at + 1, _W, _W)
        plain = min(lowest_bit(signs), size - at)
        copy_bytes(text, at, clean, written, plain)
        written, at = written + plain, at + plain
        if plain < BLOCK and at < size:
            end = _link_end(text, at, size, classes)
            clean[written] = _BLANK if end > at else signed(text[at])
            written += 1
            at = end if end > at else at + 1
    return written


def _cut_up(text: Uint8s, tables: OpeningTables, tokens: OpeningTokens, token: int) -> int:
    """Write the tokens of a text; return the place behind them."""
    classes, at, starts = tables.classes, 0, True
    while at < text.size:
        letter, end, flags = signed(text[at]), at, 0
        if signed(classes[letter]) & DIGIT:
            end, flags = _number_end(text, at, text.size, classes), NUMBER
        elif signed(classes[letter]) & LETTER:
            end = _word_end(text, at, text.size, classes)
        elif letter == _ASKS:
            end, flags = at + 1, QUESTION
        if end == at:
            starts = starts or signed(classes[letter]) & ENDS_CLAUSE != 0
            at += 1
            continue
        state = np.uint64(SEED)
        for place in range(at, end):
            state = step(state, signed(tables.folded[signed(text[place])]))
        state = mixed(state)
        if flags == 0:
            flags = _flags_of(text, at, end, state, tables)
        tokens.places[token, 0], tokens.places[token, 1] = at, end
        tokens.hashes[token] = state
        tokens.flags[token] = flags | START if starts else flags
        starts = flags == QUESTION
        token += 1
        at = end
    return token


@inlined
def _slots_of(flags: np.uint16) -> int:
    """Slots of a form that a token fills."""
    return signed(signed(flags) & NAME != 0) + signed(signed(flags) & (NUMBER | DATE) != 0)


@inlined
def _entry_of(hashed: np.uint64, first: int, hashes: Uint64s, table: Table[np.int32]) -> int:
    """Where a table has, or has room for, a hash; ``first``: where the hashes of its text begin."""
    entry = signed(hashed >> _SHIFT)
    while table[_HEADS, entry] and hashes[first + table[_HEADS, entry] - 1] != hashed:
        entry = (entry + 1) & (_ENTRIES - 1)
    return entry


def _enter(document: int, tokens: OpeningTokens, table: Table[np.int32]) -> int:
    """Enter the tokens of a document in a table, mark those that one before is equal to, and count the others."""
    first, distinct = tokens.begins[document], 0
    table[_HEADS] = 0
    table[_TIMES, 0], table[_FILLED, 0] = 0, 0
    for token in range(tokens.begins[document + 1] - 1, first - 1, -1):
        entry, place = _entry_of(tokens.hashes[token], first, tokens.hashes, table), token - first + 1
        after = table[_HEADS, entry]
        if after:
            tokens.flags[first + after - 1] = signed(tokens.flags[first + after - 1]) | AGAIN
        distinct += signed(after == 0)
        table[_HEADS, entry], table[_NEXT, place] = place, after
        table[_TIMES, place] = table[_TIMES, after] + 1
        table[_FILLED, place] = table[_FILLED, after] + _slots_of(tokens.flags[token])
    return distinct


@compiled
def read_openings(
    packed: Uint8s, firsts: Ints, lasts: Ints, most: Ints, tables: OpeningTables, tokens: OpeningTokens
) -> None:
    """Cut the openings of some documents into tokens; a character may be a token.

    ``packed``: texts in windows-1251, with zeros behind; ``most``: characters from which on each may have been cut.
    """
    longest = 0
    for document in range(firsts.size):
        longest = max(longest, lasts[document] - firsts[document])
    text, table = np.zeros(longest + _BEYOND, dtype=np.uint8), np.empty((4, _ENTRIES), dtype=np.int32)
    classes = tables.classes
    tokens.begins[0], tokens.clean_begins[0] = 0, 0
    for document in range(firsts.size):
        size = lasts[document] - firsts[document]
        for place in range(size):
            text[place] = packed[firsts[document] + place]
        while size and signed(text[size - 1]) == 0:
            size -= 1
        tokens.cut[document] = size >= most[document]
        if size and size >= most[document]:  # The last word may have been cut.
            size -= 1
            while size and signed(text[size]) != _BLANK:
                size -= 1
        text[size : size + _BEYOND] = 0
        begin, first = tokens.clean_begins[document], tokens.begins[document]
        written = _leave_out_links(text, size, classes, tokens.clean[begin:])
        tokens.clean_begins[document + 1] = begin + written
        last = _cut_up(tokens.clean[begin : begin + written], tables, tokens, first)
        tokens.begins[document + 1] = last
        tokens.distinct[document] = _enter(document, tokens, table)


# Compare two openings


class DifferenceScratch(NamedTuple):
    """Scratch memory for one pair."""

    table: Table[np.int32]  # int32 (4, _ENTRIES), of the later document
    shared: Table[np.int32]  # int32 (3, OPENING**2), common runs, each as long as it goes
    waiting: Table[np.int64]  # int64 (2 * OPENING, 4), ranges still to be compared
    changes: Table[np.int64]  # int64 (OPENING + 1, 4), bounds in one and in the other


def difference_scratch() -> DifferenceScratch:
    """Allocate scratch memory."""
    return DifferenceScratch(
        np.empty((4, _ENTRIES), dtype=np.int32),
        np.empty((3, OPENING**2), dtype=np.int32),
        np.empty((2 * OPENING, 4), dtype=np.int64),
        np.empty((OPENING + 1, 4), dtype=np.int64),
    )


def _share(
    one: int, other: int, tokens: OpeningTokens, table: Table[np.int32], shared: Table[np.int32]
) -> tuple[int, int]:
    """Find the common runs of two openings, each as long as it goes; return their number and that of common tokens.

    ``table``: of the other opening.
    """
    begin, first, runs, common = tokens.begins[one], tokens.begins[other], 0, 0
    x, y = tokens.hashes[begin : tokens.begins[one + 1]], tokens.hashes[first : tokens.begins[other + 1]]
    for i in range(x.size):
        head = table[_HEADS, _entry_of(x[i], 0, y, table)]
        common += signed(head != 0 and signed(tokens.flags[begin + i]) & AGAIN == 0)
        while head:
            j, length = head - 1, 1
            if i == 0 or j == 0 or x[i - 1] != y[j - 1]:
                while i + length < x.size and j + length < y.size and x[i + length] == y[j + length]:
                    length += 1
                shared[0, runs], shared[1, runs], shared[2, runs] = i, j, length
                runs += 1
            head = table[_NEXT, head]
    return runs, common


@inlined
def _longest_run(shared: Table[np.int32], runs: int, low: int, high: int, begin: int, end: int) -> tuple[int, int, int]:
    """Find the longest common run within bounds, the first in one and then in the other, as ``difflib`` does."""
    best = 0
    for run in range(runs if low < high and begin < end else 0):
        i, j = shared[0, run], shared[1, run]
        skipped = max(low - i, begin - j, 0)
        length = min(shared[2, run], high - i, end - j) - skipped
        best = max(best, (((length << _BITS) - i - skipped) << _BITS) - j - skipped)
    length = (best - 1 >> 2 * _BITS) + 1
    place = (length << 2 * _BITS) - best
    return place >> _BITS, place & (1 << _BITS) - 1, length


@inlined
def _write(table: Table[np.int64], row: int, begin: int, end: int, first: int, last: int) -> None:
    table[row, 0], table[row, 1], table[row, 2], table[row, 3] = begin, end, first, last


def _aligned(first: int, last: int, stop: int, shared: int, scratch: DifferenceScratch) -> int:
    """Align tokens from the first on, by common runs; return the number of changes.

    ``last``, ``stop``: where the tokens of either text end; ``shared``: number of common runs.
    """
    waiting, left, made = scratch.waiting, 1, 0
    _write(waiting, 0, first, last, first, stop)
    while left:
        left -= 1
        low, high, begin, end = waiting[left, 0], waiting[left, 1], waiting[left, 2], waiting[left, 3]
        i, j, length = _longest_run(scratch.shared, shared, low, high, begin, end)
        if length:
            _write(waiting, left, i + length, high, j + length, end)
            _write(waiting, left + 1, low, i, begin, j)
            left += 2
        elif low < high or begin < end:
            _write(scratch.changes, made, low, high, begin, end)
            made += 1
    return made


@inlined
def _apart(changes: Table[np.int64], count: int) -> int:
    """Number of tokens in all changes, counting the longer side."""
    total = 0
    for change in range(count):
        total += max(changes[change, 1] - changes[change, 0], changes[change, 3] - changes[change, 2])
    return total


def _changes(x: Uint64s, y: Uint64s, cut: bool, shared: int, scratch: DifferenceScratch) -> int:
    """Find the places in which two lists of tokens with some common runs differ; return their number."""
    changes, least = scratch.changes, min(x.size, y.size)
    first, last = 0, 0
    while first < least and x[first] == y[first]:
        first += 1
    while last < least - first and x[x.size - 1 - last] == y[y.size - 1 - last]:
        last += 1
    count = _aligned(first, x.size - last, y.size - last, shared, scratch)
    if x.size == y.size:
        # Of words that change places, an alignment takes one for moved; place by place, both are replaced.
        replaced = 0
        for i in range(first, x.size - last):
            replaced += signed(x[i] != y[i])
        if replaced < _apart(changes, count):
            count = 0
            for i in range(first, x.size - last):
                if x[i] != y[i]:
                    _write(changes, count, i, i + 1, i, i + 1)
                    count += 1
    # What follows the last common word of a text that is cut may stand behind the cut in the other.
    if cut and count and last == 0:
        ends_one = changes[count - 1, 1] == x.size and changes[count - 1, 0] < x.size
        ends_other = changes[count - 1, 3] == y.size and changes[count - 1, 2] < y.size
        count -= signed(ends_one or ends_other)
    return count


def _in_one_form(x: Uint64s, y: Uint64s, flags: Uint16s, few: int, cut: bool, changes: Table[np.int64]) -> int:
    """Compare texts with the same words number by number: of a form there are many copies, and many more pairs."""
    end, apart, count = min(x.size, y.size), 0, 0
    while cut and end and signed(flags[end - 1]) & NUMBER != 0 and x[end - 1] != y[end - 1]:
        end -= 1
    for i in range(end):
        if x[i] != y[i]:
            if count == 0 or changes[count - 1, 1] != i:
                changes[count, 0], changes[count, 2] = i, i
                count += 1
            changes[count - 1, 1], changes[count - 1, 3] = i + 1, i + 1
            apart += 1
    return count if PART * apart <= few else 0


@inlined
def _counted(flags: Uint16s, begin: int, end: int, wanted: int) -> int:
    count = 0
    for place in range(begin, end):
        count += signed(signed(flags[place]) & wanted != 0)
    return count


def _denies(flags: Uint16s, begin: int, end: int) -> bool:
    """Whether the tokens of one side of a change may say that the other text is false."""
    return _counted(flags, begin, end, LABEL | DENIAL) > 0


def _may_be_exchanged(one: int, other: int, tokens: OpeningTokens, changes: Table[np.int64], count: int) -> bool:
    """Whether numbers or names may stand in each other's place, or a figure in that of another."""
    x, y = tokens.hashes[tokens.begins[one] :], tokens.hashes[tokens.begins[other] :]
    p, q = tokens.flags[tokens.begins[one] :], tokens.flags[tokens.begins[other] :]
    numbers, others, names, replaced = 0, 0, 0, True
    for change in range(count):
        i, end, j, last = changes[change, 0], changes[change, 1], changes[change, 2], changes[change, 3]
        replaced = replaced and ((i < end and j < last) or end - i + last - j <= 2)
        mine, its = _counted(p, i, end, NUMBER), _counted(q, j, last, NUMBER)
        numbers, others = numbers + mine, others + its
        if mine and mine == its and end - i == last - j:
            return True
        for place in range(min(end - i, last - j)):
            both = signed(p[i + place]) & signed(q[j + place]) & NAME != 0
            names += signed(both and x[i + place] != y[j + place])
    return replaced and ((numbers == others and numbers > 0) or names >= 2)


def _may_be_turned(p: Uint16s, q: Uint16s, changes: Table[np.int64], count: int) -> bool:
    """Whether one or two changes may be a negation, a question, another name or another word."""
    few = count <= MOST_CHANGES
    if few and (_counted(p, 0, p.size, QUESTION) > 0) != (_counted(q, 0, q.size, QUESTION) > 0):
        return True
    for change in range(count):
        i, end, j, last = changes[change, 0], changes[change, 1], changes[change, 2], changes[change, 3]
        if not few and max(i, j) >= LEAD:
            return False
        if _counted(p, i, end, NEGATION) + _counted(q, j, last, NEGATION) & 1:
            return True
        rest = end - i - _counted(p, i, end, NEGATION | AUXILIARY)
        if rest == 1 and last - j - _counted(q, j, last, NEGATION | AUXILIARY) == 1:
            return True
        if count == 1 and i < end <= i + 3 and j < last <= j + 3:
            if i < LEAD and j < LEAD:
                return True
            for place in range(min(end - i, last - j)):
                if signed(p[i + place]) & signed(q[j + place]) & NAME != 0:
                    return True
    return False


@compiled
def count_slots(a: Ints, b: Ints, tokens: OpeningTokens, counts: Table[np.int64]) -> None:
    """Count the tokens that only one opening of a pair has, and the slots of a form among them.

    ``counts``: int64 (pairs, 4), receives for each document of a pair the tokens that the other lacks, and how many of
    them are names, numbers and dates; a day with a capital letter is two of these.
    """
    entered, whole, start, table = -1, 0, 0, np.empty((4, _ENTRIES), dtype=np.int32)
    for pair in range(a.size):
        if b[pair] != entered:
            entered, start, whole = b[pair], tokens.begins[b[pair]], 0
            _enter(entered, tokens, table)
            for token in range(start, tokens.begins[entered + 1]):
                whole += _slots_of(tokens.flags[token])
        own, slots, others, filled = 0, 0, tokens.begins[entered + 1] - start, whole
        for token in range(tokens.begins[a[pair]], tokens.begins[a[pair] + 1]):
            # Without branches, which would be mispredicted too often.
            head = table[_HEADS, _entry_of(tokens.hashes[token], start, tokens.hashes, table)]
            lacks, first = signed(head == 0), signed(signed(tokens.flags[token]) & AGAIN == 0)
            own, slots = own + lacks, slots + lacks * _slots_of(tokens.flags[token])
            others, filled = others - first * table[_TIMES, head], filled - first * table[_FILLED, head]
        counts[pair, 0], counts[pair, 1], counts[pair, 2], counts[pair, 3] = own, slots, others, filled


def _looked_at(one: int, other: int, lacks: Floats, tokens: OpeningTokens, scratch: DifferenceScratch) -> int:
    """Find the changes of a pair that rules on words may decide; negative if only numbers differ, 0 for none."""
    begin, end, start, stop = tokens.begins[one], tokens.begins[one + 1], tokens.begins[other], tokens.begins[other + 1]
    least, most = min(end - begin, stop - start), max(end - begin, stop - start)
    if least < FEWEST:
        return 0
    cut, few = tokens.cut[one] or tokens.cut[other], max(PART * MOST_TOKENS, least)
    x, y, p, q = tokens.hashes[begin:end], tokens.hashes[start:stop], tokens.flags[begin:end], tokens.flags[start:stop]
    changes, same = scratch.changes, 0
    if cut or least == most:
        while same < least and (x[same] == y[same] or signed(p[same]) & signed(q[same]) & NUMBER != 0):
            same += 1
        if same == least:
            return -_in_one_form(x, y, p, few, cut, changes)
    # Aligned, at least as many words differ; and a denial leaves the text that it denies.
    shared, common = _share(one, other, tokens, scratch.table, scratch.shared)
    if PART * (min(tokens.distinct[one], tokens.distinct[other]) - common) > few:
        return 0
    count = _changes(x, y, cut, shared, scratch)
    lost, missed = 0, 0
    for change in range(count):
        lost, missed = lost + changes[change, 1] - changes[change, 0], missed + changes[change, 3] - changes[change, 2]
    touched = TOUCHED * count
    elsewhere = cut and (lacks[0] > np.float64(lost + touched) or lacks[1] > np.float64(missed + touched))
    if PART * min(lost, missed) <= few and not elsewhere:
        for change in range(count):
            i, end, j, last = changes[change, 0], changes[change, 1], changes[change, 2], changes[change, 3]
            if _denies(p, i, end) or _denies(q, j, last):
                return count
    if PART * _apart(changes, count) > few:
        return 0
    if _may_be_exchanged(one, other, tokens, changes, count):
        return count
    return count if count <= MOST_EDITS and not elsewhere and _may_be_turned(p, q, changes, count) else 0


@compiled
def compare_openings(
    a: Ints,
    b: Ints,
    lacks: Table[np.float64],
    tokens: OpeningTokens,
    scratch: DifferenceScratch,
    found: Ints,
    changes: Table[np.int64],
) -> int:
    """Find the changes of pairs that rules on words may decide.

    Args:
        a: int64 (pairs,), the earlier document of each pair, as counted in ``tokens``.
        b: int64 (pairs,), the later one.
        lacks: float64 (pairs, 2), triples of words of either document that the other lacks. Where the opening of a cut
            text explains fewer, the two differ elsewhere as well, and only exchanged words or a figure may decide.
        tokens: the tokens of the documents.
        scratch: scratch memory.
        found: int64 (pairs,), receives the number of changes of each pair, 0 if the pair differs in nothing that could
            decide; negative if only numbers differ.
        changes: int64 (room, 4), receives bounds of the changed tokens, counted in each text.

    Returns:
        The number of pairs compared; all, unless there is no more room.
    """
    written, entered = 0, -1
    for pair in range(a.size):
        if written + OPENING + 1 > changes.shape[0]:
            return pair
        if b[pair] != entered:
            entered = b[pair]
            _enter(entered, tokens, scratch.table)
        count = _looked_at(a[pair], b[pair], lacks[pair], tokens, scratch)
        found[pair] = count
        for change in range(abs(count)):
            for column in range(4):
                changes[written, column] = scratch.changes[change, column]
            written += 1
    return a.size


def _share_held(one: int, other: int, tokens: OpeningTokens) -> np.float64:
    held, hashes, begins = 0, tokens.hashes, tokens.begins
    for at in range(begins[one], begins[one + 1] - 2):
        for its in range(begins[other], begins[other + 1] - 2):
            if hashes[at] == hashes[its] and hashes[at + 1] == hashes[its + 1] and hashes[at + 2] == hashes[its + 2]:
                held += 1
                break
    return np.float64(held) / np.float64(max(begins[one + 1] - begins[one] - 2, 1))


@compiled
def share_openings(ones: Ints, others: Ints, tokens: OpeningTokens, shares: Floats) -> None:
    """Share of the token triples of one opening of each pair in the other, the smaller direction."""
    for pair in range(ones.size):
        one, other = ones[pair], others[pair]
        shares[pair] = min(_share_held(one, other, tokens), _share_held(other, one, tokens))
