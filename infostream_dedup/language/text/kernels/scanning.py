"""First pass over texts in UTF-8: find and hash the words that ``tokens.surfaces(normalise.clean(text))`` finds.

Runs of common letters are read 64 bytes at a time. The second pass (``words.number_words``) looks up the hashes, so
that slow accesses to the table that all threads share overlap. A text that cleaning would change is not read
(``UNCLEAN``, see ``raw_text``) but scanned again after cleaning, by the character classes of cleaned text.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from infostream_dedup.language.text.character_classes import CODE_POINTS, CharacterClass
from infostream_dedup.language.text.kernels.surface_table import (
    AT_ONCE,
    MARK_SIZE,
    SurfaceTable,
    has_room,
    hash_bytes,
    intern,
    is_marked,
    prepare,
)
from infostream_dedup.machine.arrays import Int32s, Ints, Table, Uint8s, Uint64s
from infostream_dedup.machine.compiling import compiled, inlined, popcount, signed
from infostream_dedup.machine.kernels import BLOCK, between, copy_bytes, first_bits, lowest_bit

# Characters of valid UTF-8, for compiled functions only

_TWO_BYTES: Final = 0xC0
_THREE_BYTES: Final = 0xE0  # first bytes of characters of two bytes and of three, at least


@inlined
def size_of(first: int) -> int:
    """Number of bytes of the character that begins with a byte."""
    if first < 0x80:
        return 1
    if first < 0xE0:
        return 2
    return 3 if first < 0xF0 else 4


@inlined
def code_point(data: Uint8s, place: int) -> int:
    """Code point of the character that begins at a place."""
    first = signed(data[place])
    if first < 0x80:
        return first
    second = signed(data[place + 1]) & 0x3F
    if first < 0xE0:
        return (first & 0x1F) << 6 | second
    third = signed(data[place + 2]) & 0x3F
    if first < 0xF0:
        return (first & 0x0F) << 12 | second << 6 | third
    return (first & 0x07) << 18 | second << 12 | third << 6 | (signed(data[place + 3]) & 0x3F)


@inlined
def sized_code_point(data: Uint8s, place: int, end: int) -> tuple[int, int]:
    """Code point of the character that begins at a place, and its number of bytes; the text ends at ``end``."""
    first = signed(data[place])
    if first < _THREE_BYTES and place + 1 < end:
        # Computed without branches: whether a character has one byte or two changes at every end of a word.
        two = first >= _TWO_BYTES
        return first + two * (((first & 0x1F) << 6 | signed(data[place + 1]) & 0x3F) - first), 1 + two
    return code_point(data, place), size_of(first)


# Store the words found in texts, and number them by the table of surfaces

REWRITTEN: Final = 2  # flag of a word in ``ScannedWords.rewritten``


class ScannedWords(NamedTuple):
    """The words of some texts, between the two passes."""

    starts: Ints  # int64, start of each: in the texts, or in `rewritten` if it is spelled differently there
    lengths: Int32s  # int32, number of bytes of each
    hashes: Uint64s  # uint64
    flags: Uint8s  # uint8, 1 for a word that opens a sentence, 2 for one in `rewritten`
    # uint8, words with apostrophes, spelled as in cleaned text, followed by `BLOCK` spare bytes
    rewritten: Uint8s


class TextWords(NamedTuple):
    """Which words belong to each text."""

    begins: Ints  # int64 (texts,), first word of each text
    lengths: Ints  # int64 (texts,), number of words of each text
    states: Uint8s  # uint8 (texts,), whether the text was read, see `raw_text`


@inlined
def set_word(words: ScannedWords, count: int, pool: Uint8s, start: int, length: int, flags: int) -> None:
    """Store a word of ``pool``: the texts, or ``words.rewritten`` if the flags say so."""
    words.starts[count] = start
    words.lengths[count] = length
    words.hashes[count] = hash_bytes(pool, start, length, bool(flags & 1))
    words.flags[count] = np.uint8(flags)


@compiled
def rewrite_words(data: Uint8s, words: ScannedWords, begin: int, end: int, rewritten: int) -> int:
    """Copy words ``begin`` .. ``end`` - 1 that are not in ``words.rewritten`` into it; return its new size."""
    for word in range(begin, end):
        if not words.flags[word] & REWRITTEN:
            copy_bytes(data, words.starts[word], words.rewritten, rewritten, words.lengths[word])
            words.starts[word] = rewritten
            words.flags[word] |= np.uint8(REWRITTEN)
            rewritten += words.lengths[word]
    return rewritten


@compiled
def take_surfaces(offsets: Ints, words: ScannedWords, count: int, begin: int) -> None:
    """Store surfaces that are in ``words.rewritten`` after ``begin`` as words ``count``, ``count`` + 1 ...

    ``offsets``: (surfaces + 1,), bounds of the surfaces relative to ``begin``, marks included; ``words``: receives the
    words; ``count``: number of words so far; ``begin``: start of the first surface.
    """
    for surface in range(offsets.size - 1):
        start, end = begin + offsets[surface], begin + offsets[surface + 1]
        opens = is_marked(words.rewritten, start, end)
        start += MARK_SIZE * opens
        set_word(words, count + surface, words.rewritten, start, end - start, REWRITTEN | opens)


@compiled
def number_words(
    data: Uint8s, words: ScannedWords, found: TextWords, first: int, table: SurfaceTable, tokens: Int32s, starts: Ints
) -> int:
    """Second pass: write the numbers of the words of texts ``first``, ``first`` + 1 ...

    ``data``: the texts, as in the first pass; ``words``: the words that the first pass found; ``found``: the words of
    each text; ``first``: the first text; ``table``: table of surfaces; grows; ``tokens``: receives the number of the
    surface of each word; ``starts``: (texts,), where the tokens of each text are written. Returns the first text
    for which the table has no room; the number of texts when all are done.
    """
    begins, lengths, _ = found
    for text in range(first, begins.size):
        begin, end = begins[text], begins[text] + lengths[text]
        size = 0
        for word in range(begin, end):
            size += words.lengths[word]
        if not has_room(table, end - begin, size):
            return text
        shift = starts[text] - begin
        for few in range(begin, end, AT_ONCE):
            last = min(few + AT_ONCE, end)
            prepare(table, words.hashes, few, last)
            for word in range(few, last):
                start, length = words.starts[word], signed(words.lengths[word])
                opens = bool(words.flags[word] & 1)
                if words.flags[word] & REWRITTEN:
                    number = intern(table, words.rewritten, start, length, opens, words.hashes[word])
                else:
                    number = intern(table, data, start, length, opens, words.hashes[word])
                tokens[shift + word] = number
    return begins.size


# Handle what only raw text contains: addresses, entities, tags, fields, loose apostrophes, invisible characters.
#
# Each rule decides, conservatively, whether cleaning would change the text at some character: it finds every text
# that cleaning changes, and some that cleaning leaves alone. Such a text fails with `UNCLEAN` and is scanned again
# after cleaning.

READ: Final = 0
UNCLEAN: Final = 1
UNKNOWN: Final = 2
_OTHER: Final = int(CharacterClass.OTHER)
_APOSTROPHE: Final = int(CharacterClass.APOSTROPHE)
_QUOTE: Final = int(CharacterClass.QUOTE)
_MARKUP: Final = int(CharacterClass.MARKUP)
_INVISIBLE: Final = int(CharacterClass.INVISIBLE)
_UNCLEAN: Final = int(CharacterClass.UNCLEAN)
_UNKNOWN: Final = int(CharacterClass.UNKNOWN)


class Text(NamedTuple):
    """One of several texts."""

    data: Uint8s  # uint8, all texts in UTF-8
    begin: int  # first byte of the text
    end: int  # first byte after it
    kinds: Uint8s  # uint8, kinds of characters, see `character_classes`


@inlined
def failed(state: int) -> int:
    """Encode a state as a negative number, returned instead of a place; applied again, it returns the state."""
    return -1 - state


@inlined
def kind_at(text: Text, index: int) -> int:
    """Return the kind of the character at a place; ``OTHER`` past the end of the text."""
    if index >= text.end:
        return _OTHER
    byte = signed(text.data[index])
    if byte < 0x80:
        return signed(text.kinds[byte])
    second = signed(text.data[index + 1]) & 0x3F
    if byte < 0xE0:
        return signed(text.kinds[(byte & 0x1F) << 6 | second])
    third = signed(text.data[index + 2]) & 0x3F
    if byte < 0xF0:
        return signed(text.kinds[(byte & 0x0F) << 12 | second << 6 | third])
    point = (byte & 0x07) << 18 | second << 12 | third << 6 | (signed(text.data[index + 3]) & 0x3F)
    return signed(text.kinds[point]) if point < CODE_POINTS else _UNKNOWN


@inlined
def _is_ascii_word(byte: int) -> bool:
    return 0x30 <= byte <= 0x39 or 0x41 <= byte <= 0x5A or 0x61 <= byte <= 0x7A


def _may_be_entity(text: Text, index: int) -> bool:
    """Whether letters, digits and # after the & at a place precede a semicolon or something that cleaning may drop."""
    data = text.data
    index += 1
    while index < text.end and (_is_ascii_word(data[index]) or data[index] == 0x23):
        index += 1
    return index < text.end and (data[index] == 0x3B or data[index] >= 0x80)


def _may_be_markup(text: Text, index: int) -> bool:
    """Whether the character at a place may be part of an address, entity, tag or field."""
    data = text.data
    byte = data[index]
    if byte == 0x40:  # @
        return index > text.begin and _is_ascii_word(data[index - 1])
    if byte == 0x26:  # &
        return _may_be_entity(text, index)
    after = signed(data[index + 1]) if index + 1 < text.end else 0x20
    if byte == 0x3C:  # <
        opens = after == 0x2F or after == 0x21 or after == 0x3F
        return opens or (after > 0x39 and _is_ascii_word(after))
    if byte == 0x25:  # %
        return after == 0x28 or _is_ascii_word(after)
    return after == 0x7D or after == 0x5F or _is_ascii_word(after)


@inlined
def may_be_address(text: Text, index: int) -> bool:
    """Whether the colon or full stop at a place may be part of :// or www."""
    data = text.data
    if data[index] == 0x3A:
        return index + 1 < text.end and data[index + 1] == 0x2F
    return index - text.begin > 2 and data[index - 1] | 0x20 == 0x77 and data[index - 2] | 0x20 == 0x77


def _scheme(text: Text, index: int) -> tuple[int, int]:
    """Find the address that contains the colon or full stop at a place.

    Returns the number of letters before the place that belong to the address, 0 if there is no address, -1 if cleaning
    must decide; and where the address continues.
    """
    data, begin = text.data, text.begin
    if data[index] == 0x2E:
        w = data[index - 1]
        if data[index - 3] | 0x20 != 0x77:
            return 0, index
        # Www. starts an address only in texts that contain another address.
        return (3 if data[index - 2] == w and data[index - 3] == w else -1), index + 1
    if kind_at(text, index + 2) == _INVISIBLE:
        return -1, index
    if index + 2 >= text.end or data[index + 2] != 0x2F:
        return 0, index
    ends = index
    s = ends - begin > 4 and data[ends - 1] | 0x20 == 0x73
    ends -= s
    if ends - begin > 2 and data[ends - 1] | 0x20 == 0x70 and data[ends - 2] | 0x20 == 0x74:
        if ends - begin > 3 and data[ends - 3] | 0x20 == 0x74 and data[ends - 4] | 0x20 == 0x68:
            return 4 + s, index + 3
        if not s and data[ends - 3] | 0x20 == 0x66:
            return 3, index + 3
    return 0, index


def _end_of_address(text: Text, index: int) -> int:
    """Return the place after the last character that may end an address; the given place if there is none."""
    data, last = text.data, index
    while index < text.end and 0x21 <= data[index] <= 0x7E and data[index] not in (0x22, 0x3C, 0x3E):
        byte = data[index]
        index += 1
        if _is_ascii_word(byte) or byte in (0x2F, 0x23, 0x3D, 0x5F, 0x2D):
            last = index
    return last


def over_address(text: Text, index: int, words: ScannedWords, count: int) -> tuple[int, int, bool]:
    """Remove an address from the words; its scheme is the end of the last word.

    ``text``: the text; ``index``: place of its colon, or of the full stop after www; ``words``: the words found;
    ``count``: number of words so far. Returns the place after the address (``index`` if there is none,
    ``failed(UNCLEAN)`` if cleaning must decide), the new number of words, and whether a part of the last word remains.
    """
    letters, continues = _scheme(text, index)
    after = _end_of_address(text, continues)
    if letters == 0 or after == continues:
        return (index if letters >= 0 else failed(UNCLEAN)), count, True
    last = count - 1
    # The address becomes a blank, and an apostrophe after a blank may be torn off its word.
    torn = after < text.end and (text.data[after] == 0xD1 or kind_at(text, after) == _APOSTROPHE)
    if letters < 0 or torn or words.flags[last] & REWRITTEN:
        return failed(UNCLEAN), count, True
    start = words.starts[last]
    length = signed(words.lengths[last]) - letters
    if length == 0:
        return after, last, False
    length -= text.data[start + length - 1] == 0x2D
    set_word(words, last, text.data, start, length, signed(words.flags[last]))
    return after, count, True


def _may_be_torn(text: Text, index: int) -> bool:
    """Whether the apostrophe at a place may be torn off its word, as in п 'ять."""
    data, end = text.data, text.end
    after = index + size_of(signed(data[index]))
    blank = index > text.begin and (data[index - 1] == 0x20 or data[index - 1] == 0xA0)
    if blank and after < end and data[after] == 0x20:
        after += 1
    elif blank and after + 1 < end and data[after] == 0xC2 and data[after + 1] == 0xA0:
        after += 2
    return blank and after < end and (data[after] == 0xD1 or kind_at(text, after) == _INVISIBLE)


def _over_invisible(text: Text, index: int, word: bool, quiet: bool) -> int:
    """Return the place after invisible characters; ``failed(UNCLEAN)`` if dropping them may join what belongs together.

    ``text``: the text; ``index``: place of the first one; ``word``: whether a word or a figure ends there; ``quiet``:
    whether a character of kind ``OTHER`` or a line feed precedes it.
    """
    while kind_at(text, index) == _INVISIBLE:
        index += size_of(signed(text.data[index]))
    kind = kind_at(text, index)
    line_feed = index < text.end and text.data[index] == 0x0A
    # A soft hyphen at the end of a line may divide a word.
    harmless = (quiet and kind <= _OTHER) or (word and kind == _OTHER and not line_feed) or (line_feed and not word)
    return index if harmless else failed(UNCLEAN)


def over_rare(text: Text, index: int, kind: int, word: bool, quiet: bool) -> int:
    """Return the place after a character of a kind that only raw text has, or ``failed`` if reading must stop.

    ``text``: the text; ``index``: place of the character; ``kind``: its kind, from ``APOSTROPHE`` upwards; ``word``:
    whether a word or a figure ends there; ``quiet``: whether a character of kind ``OTHER`` or a line feed precedes it.
    """
    if kind == _UNKNOWN:
        return failed(UNKNOWN)
    unclean = kind == _UNCLEAN
    if kind == _INVISIBLE:
        return _over_invisible(text, index, word, quiet)
    if kind == _QUOTE:
        # я, ю, є, ї differ in the second byte; the first is the same.
        unclean = word and index + 1 < text.end and text.data[index + 1] == 0xD1
    elif kind == _MARKUP:
        unclean = _may_be_markup(text, index)
    elif kind == _APOSTROPHE:
        unclean = _may_be_torn(text, index)
    return failed(UNCLEAN) if unclean else index + size_of(signed(text.data[index]))


_CAPITAL: Final = int(CharacterClass.CAPITAL)
_LETTER: Final = int(CharacterClass.LETTER)
_HYPHEN: Final = int(CharacterClass.HYPHEN)
_FIGURE: Final = int(CharacterClass.FIGURE)
_STOP: Final = int(CharacterClass.STOP)
_OPENER: Final = int(CharacterClass.OPENER)


class ScanningRules(NamedTuple):
    """Rules for reading texts."""

    kinds: Uint8s  # uint8, kinds of characters, see `character_classes`
    raw: bool  # whether the texts are not cleaned yet


class Cursor(NamedTuple):
    """Places before the current one in a text; -1 if there is no such place."""

    run: int  # start of the last run of letters
    word_end: int  # place after the last word
    figure_end: int  # place after the last figure
    quiet_end: int  # place after the last characters of kind `OTHER`


@inlined
def _common_letters(data: Uint8s, index: int) -> np.uint64:
    """Mask of the ``BLOCK`` bytes that belong to A-Z a-z А-Я а-я є ѕ і ї, if the whole letter is in the block."""
    ascii_letters = between(data, index, 0x41, 0x5A) | between(data, index, 0x61, 0x7A)
    d0 = between(data, index, 0xD0, 0xD0)
    d1 = between(data, index, 0xD1, 0xD1)
    first_half = between(data, index, 0x90, 0xBF)
    second_half = between(data, index, 0x80, 0x8F) | between(data, index, 0x94, 0x97)
    one = np.uint64(1)
    pairs = ((d0 << one) & first_half) | ((d1 << one) & second_half)
    return ascii_letters | pairs | (pairs >> one)


@inlined
def _common_gaps(data: Uint8s, index: int) -> np.uint64:
    """Mask of the ``BLOCK`` bytes that are blanks, commas, brackets, * or +."""
    return between(data, index, 0x20, 0x20) | between(data, index, 0x28, 0x2C)


@inlined
def _plain_words(text: Text, index: int, words: ScannedWords, count: int) -> tuple[int, int]:
    """Read words of common letters between common gaps until anything else turns up.

    ``text``: the text; ``index``: place after a word, or any place where a sentence does not open; ``words``: receives
    the words; ``count``: number of words so far. Returns the place of the first character not read and the new number
    of words.
    """
    data = text.data
    while index + BLOCK <= text.end:
        letters, gaps = _common_letters(data, index), _common_gaps(data, index)
        begin = lowest_bit(~gaps)
        while begin < BLOCK - 1:
            length = lowest_bit(~(letters >> np.uint64(begin)))
            after = begin + length
            if after >= BLOCK - 1:
                break
            gap = lowest_bit(~(gaps >> np.uint64(after)))
            if length == 0 or gap == 0:
                return index + begin, count
            set_word(words, count, data, index + begin, length, 0)
            count += 1
            begin = after + gap
        if begin == 0:
            break
        index += begin
    return index, count


def _after_apostrophes(text: Text, index: int) -> int:
    while kind_at(text, index) == _APOSTROPHE:
        index += size_of(signed(text.data[index]))
    return index


@inlined
def _is_initial(text: Text, run: int, end: int) -> bool:
    """Whether a run of letters and figures is a single capital."""
    return run + size_of(signed(text.data[run])) == end and kind_at(text, run) == _CAPITAL


def _rewrite(text: Text, start: int, end: int, words: ScannedWords, size: int) -> int:
    """Append a word to ``rewritten`` with its apostrophes as U+02BC; return the new size."""
    index = start
    while index < end:
        width = size_of(signed(text.data[index]))
        if kind_at(text, index) == _APOSTROPHE:
            words.rewritten[size] = 0xCA
            words.rewritten[size + 1] = 0xBC
            size += 2
        else:
            for byte in range(width):
                words.rewritten[size + byte] = text.data[index + byte]
            size += width
        index += width
    return size


@inlined
def _end_of_word(text: Text, index: int, run: int) -> tuple[int, int, bool]:
    """Find the end of the word that begins at a place.

    Returns the end, ``failed(UNCLEAN)`` if cleaning would change the word; the start of its last run of letters;
    whether it contains apostrophes.
    """
    apostrophes = False
    while True:
        index = min(index + lowest_bit(~_common_letters(text.data, index)), text.end)
        kind = kind_at(text, index)
        if kind <= _LETTER:
            index += size_of(signed(text.data[index]))
        elif kind == _HYPHEN and kind_at(text, index + 1) <= _LETTER:
            index += 1
            run = index
        elif kind == _APOSTROPHE:
            after = _after_apostrophes(text, index)
            if kind_at(text, after) > _LETTER:
                return index, run, apostrophes
            if after > index + size_of(signed(text.data[index])):
                return failed(UNCLEAN), run, apostrophes
            apostrophes = True
            index = after
        else:
            return index, run, apostrophes


@inlined
def _over_opener(
    text: Text, index: int, raw: bool, words: ScannedWords, count: int, opens: bool, opened: bool
) -> tuple[int, int, bool]:
    """Skip a full stop or another opener, or the address that it is part of.

    ``text``: the text; ``index``: place of the opener; ``raw``: whether the text is not cleaned yet; ``words``: the
    words found; ``count``: number of words so far; ``opens``: whether a sentence opens after it; ``opened``: whether a
    sentence opened before the last word. Returns the place after it, or ``failed(UNCLEAN)``; the new number of words;
    whether a sentence opens there.
    """
    if raw and may_be_address(text, index):
        after, count, kept = over_address(text, index, words, count)
        if after != index:
            return after, count, opened and not kept
    return index + size_of(signed(text.data[index])), count, opens


@inlined
def _find_words(text: Text, raw: bool, words: ScannedWords, count: int, rewritten: int) -> tuple[int, int]:
    """First pass over a text: number of words, ``failed(UNCLEAN)`` or ``failed(UNKNOWN)``; size of ``rewritten``."""
    opens, opened = True, True
    index, at = text.begin, Cursor(text.begin, -1, -1, -1)
    while 0 <= index < text.end:
        kind = kind_at(text, index)
        if kind <= _LETTER:
            # A capital that follows a figure is not an initial.
            run = index - 1 if at.figure_end == index else index
            end, run, apostrophes = _end_of_word(text, index, run)
            if apostrophes and end >= 0:
                size = _rewrite(text, index, end, words, rewritten)
                flags = REWRITTEN | int(kind == _CAPITAL and opens)
                set_word(words, count, words.rewritten, rewritten, size - rewritten, flags)
                rewritten = size
                count += 1
            elif end >= 0:
                set_word(words, count, text.data, index, end - index, int(kind == _CAPITAL and opens))
                count += 1
            index, at = end, Cursor(run, end, at.figure_end, at.quiet_end)
            opened, opens = opens, False
        elif kind == _OTHER:
            index += size_of(signed(text.data[index]))
            if not opens:
                index, count = _plain_words(text, index, words, count)
            at = Cursor(at.run, at.word_end, at.figure_end, index)
        elif kind == _FIGURE:
            index += size_of(signed(text.data[index]))
            at = Cursor(at.run, at.word_end, index, at.quiet_end)
            opens = False
        elif kind == _HYPHEN:
            # At the end of a line, it may divide a word.
            divides = raw and at.word_end == index and index + 1 < text.end and text.data[index + 1] in (0x0A, 0x0D)
            index = failed(UNCLEAN) if divides else index + 1
        elif kind <= _OPENER:
            initial = kind == _STOP and at.word_end == index and _is_initial(text, at.run, index)
            index, count, opens = _over_opener(text, index, raw, words, count, opens or not initial, opened)
            at = Cursor(at.run, -1, at.figure_end, at.quiet_end)
        else:
            word = index in (at.word_end, at.figure_end)
            quiet = at.quiet_end == index or (index > text.begin and text.data[index - 1] == 0x0A)
            index = over_rare(text, index, kind, word, quiet)
    return (count if index >= 0 else index), rewritten


@compiled
def find_words(
    data: Uint8s, offsets: Ints, rules: ScanningRules, words: ScannedWords, count: int, rewritten: int, found: TextWords
) -> tuple[int, int]:
    """First pass: the words of texts and their hashes.

    ``data``: the texts in UTF-8, followed by ``BLOCK`` + 2 readable bytes; ``offsets``: (texts + 1,), bounds of the
    texts; ``rules``: the rules of raw or of cleaned text; ``words``: receives the words; it needs room for one per two
    bytes and one more per text; ``count``: number of words so far; ``rewritten``: number of bytes of
    ``words.rewritten`` in use; ``found``: receives the words of each text and ``READ``, or ``UNCLEAN`` or ``UNKNOWN``
    for a text that was not read. Returns the new number of words and the new size of ``words.rewritten``.
    """
    begins, lengths, states = found
    for number in range(states.size):
        begins[number], lengths[number], states[number] = count, 0, READ
        text = Text(data, offsets[number], offsets[number + 1], rules.kinds)
        end, size = _find_words(text, rules.raw, words, count, rewritten)
        if end < 0:
            states[number] = failed(end)
        else:
            lengths[number] = end - count
            count, rewritten = end, size
    return count, rewritten


VISIBLE: Final = 0
INVISIBLE: Final = 1  # white space
LEFT: Final = 2  # a character that composition may change, or an unknown one: the plain code must read the text

ALWAYS_VISIBLE: Final = ((0x21, 0x7F), (0xC0, 0x280), (0x400, 0x480))
"""Ranges of code points that count as visible without a look-up."""

_BLANK: Final = np.uint8(0x20)


@inlined
def _special(data: Uint8s, at: int, again: bool) -> int:
    """Count those of the next ``BLOCK`` bytes that may be copied unchanged.

    These are bytes of visible characters, by their first bytes, and blanks that follow no blank.

    ``data``: see ``write_visible``; ``at``: the first byte; ``again``: whether the first byte may not be a blank.
    """
    visible = between(data, at, 0x21, 0x7E) | between(data, at, 0x80, 0xBF)
    visible |= between(data, at, 0xC3, 0xC9) | between(data, at, 0xD0, 0xD1)
    blanks = between(data, at, 0x20, 0x20)
    return lowest_bit(~(visible | blanks) | (blanks & (blanks << np.uint64(1) | np.uint64(again))))


@compiled
def write_visible(
    data: Uint8s, begins: Ints, ends: Ints, kinds: Uint8s, room: Uint8s, places: Ints, left: Uint8s
) -> None:
    """Write the visible parts of texts, concatenated.

    ``data``: valid UTF-8, followed by ``BLOCK`` readable bytes; ``begins``: (texts,), start of each text; ``ends``:
    (texts,), end of each text; ``kinds``: kind of every code point; larger ones are ``LEFT``, those in
    ``ALWAYS_VISIBLE`` are ``VISIBLE``; ``room``: ``BLOCK`` bytes longer than all the texts; receives the visible parts;
    ``places``: (texts + 1,), receives the bounds of each; ``left``: (texts,), receives 1 for texts that the plain code
    must read; nothing is written for them.
    """
    size = 0
    for text in range(begins.size):
        begin, at, end = size, begins[text], ends[text]
        left[text] = 0
        places[text] = begin
        while at < end:
            again = size == begin or room[size - 1] == _BLANK
            plain = min(_special(data, at, again), end - at)
            if plain:
                for place in range(BLOCK):
                    room[size + place] = data[at + place]
                size, at = size + plain, at + plain
                continue
            point = code_point(data, at)
            kind = kinds[point] if point < kinds.size else LEFT
            after = at + size_of(data[at])
            if kind == LEFT:
                left[text] = 1
                size = begin
                break
            if kind == VISIBLE:
                for place in range(at, after):
                    room[size] = data[place]
                    size += 1
            elif not again:
                room[size] = _BLANK
                size += 1
            at = after
        if size > begin and room[size - 1] == _BLANK:
            size -= 1
    places[begins.size] = size


# Count the letters that reveal the language of a text in UTF-8


def _first(mask: np.uint64, count: int) -> np.uint64:
    """The bits of a mask below its bit number ``count`` (from 0), counting only bits that are set."""
    rest = mask
    for _ in range(count):
        rest &= rest - np.uint64(1)
    return (rest & (~rest + np.uint64(1))) - np.uint64(1)


def _has_kelvin(data: Uint8s, index: int, mask: np.uint64) -> bool:
    """Whether U+212A, whose lower case is a Latin k, is at one of the places in the mask."""
    while mask:
        if data[index + lowest_bit(mask) + 2] == 0xAA:
            return True
        mask &= mask - np.uint64(1)
    return False


@compiled
def count_letters(data: Uint8s, offsets: Ints, sample: int, counts: Table[np.int32]) -> None:
    """Count the letters that ``language.detect`` counts in the first ``sample`` characters of each text.

    ``data``: the texts in UTF-8, followed by ``BLOCK`` + 2 readable bytes; ``offsets``: (texts + 1,), bounds of the
    texts; ``sample``: number of characters to read; ``counts``: (texts, 4), receives the numbers of Latin, Cyrillic,
    Russian-only and Ukrainian-only letters. The first is -1 if a letter changes its alphabet in lower case (U+0130,
    U+212A).
    """
    for text in range(offsets.size - 1):
        latin, cyrillic, russian, ukrainian, left = 0, 0, 0, 0, sample
        index, end = offsets[text], offsets[text + 1]
        while index < end and left > 0:
            inside = first_bits(end - index)
            begins = ~between(data, index, 0x80, 0xBF) & inside
            characters = popcount(begins)
            if characters > left:
                inside = _first(begins, left)
            left -= characters
            d0 = between(data, index, 0xD0, 0xD0) & inside
            d1 = between(data, index, 0xD1, 0xD1) & inside
            d2 = between(data, index, 0xD2, 0xD2) & inside
            after = index + 1
            ie_large = between(data, after, 0x84, 0x84) | between(data, after, 0x86, 0x87)
            ie_small = between(data, after, 0x94, 0x94) | between(data, after, 0x96, 0x97)
            ge = d2 & between(data, after, 0x90, 0x91)
            yo = (d0 & between(data, after, 0x81, 0x81)) | (d1 & between(data, after, 0x91, 0x91))
            only_ukrainian = (d0 & ie_large) | (d1 & ie_small) | ge
            hard_large = between(data, after, 0xAA, 0xAB) | between(data, after, 0xAD, 0xAD)
            hard_small = between(data, after, 0x8A, 0x8B) | between(data, after, 0x8D, 0x8D)
            shared = (d0 & between(data, after, 0x90, 0xBF)) | (d1 & between(data, after, 0x80, 0x8F))
            latin += popcount((between(data, index, 0x41, 0x5A) | between(data, index, 0x61, 0x7A)) & inside)
            cyrillic += popcount(shared | yo | only_ukrainian)
            russian += popcount((d0 & hard_large) | (d1 & hard_small) | yo)
            ukrainian += popcount(only_ukrainian)
            dotted = between(data, index, 0xC4, 0xC4) & between(data, after, 0xB0, 0xB0) & inside
            letterlike = between(data, index, 0xE2, 0xE2) & between(data, after, 0x84, 0x84) & inside
            if dotted or _has_kelvin(data, index, letterlike):
                latin = -(1 << 30)
            index += BLOCK
        counts[text, 0] = max(latin, -1)
        counts[text, 1] = cyrillic
        counts[text, 2] = russian
        counts[text, 3] = ukrainian
