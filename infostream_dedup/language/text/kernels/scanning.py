"""First pass over texts in UTF-8: find and hash the words that ``tokens.surfaces(normalise.clean(text))`` finds.

Runs of common letters are read 64 bytes at a time. The second pass (``words.number_words``) looks up the hashes, so
that slow accesses to the table that all threads share overlap. A text that cleaning would change is not read
(``UNCLEAN``, see ``raw_text``) but scanned again after cleaning, by the character classes of cleaned text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from infostream_dedup.language.text.character_classes import CharacterClass
from infostream_dedup.language.text.kernels.code_points import size_of
from infostream_dedup.language.text.kernels.raw_text import (
    READ,
    UNCLEAN,
    Text,
    failed,
    kind_at,
    may_be_address,
    over_address,
    over_rare,
)
from infostream_dedup.language.text.kernels.words import REWRITTEN, ScannedWords, TextWords, set_word
from infostream_dedup.machine.compiling import compiled, inlined, signed
from infostream_dedup.machine.kernels.byte_blocks import BLOCK, between, lowest_bit

if TYPE_CHECKING:
    from infostream_dedup.machine.arrays import Vector

__all__ = ["ScanningRules", "find_words"]

_CAPITAL: Final = int(CharacterClass.CAPITAL)
_LETTER: Final = int(CharacterClass.LETTER)
_OTHER: Final = int(CharacterClass.OTHER)
_HYPHEN: Final = int(CharacterClass.HYPHEN)
_FIGURE: Final = int(CharacterClass.FIGURE)
_STOP: Final = int(CharacterClass.STOP)
_OPENER: Final = int(CharacterClass.OPENER)
_APOSTROPHE: Final = int(CharacterClass.APOSTROPHE)


class ScanningRules(NamedTuple):
    """Rules for reading texts.

    Attributes:
        kinds: uint8, kinds of characters, see ``character_classes``.
        raw: whether the texts are not cleaned yet.
    """

    kinds: Vector[np.uint8]
    raw: bool


class Cursor(NamedTuple):
    """Places before the current one in a text; -1 if there is no such place.

    Attributes:
        run: start of the last run of letters.
        word_end: place after the last word.
        figure_end: place after the last figure.
        quiet_end: place after the last characters of kind ``OTHER``.
    """

    run: int
    word_end: int
    figure_end: int
    quiet_end: int


@inlined
def _common_letters(data: Vector[np.uint8], index: int) -> np.uint64:
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
def _common_gaps(data: Vector[np.uint8], index: int) -> np.uint64:
    """Mask of the ``BLOCK`` bytes that are blanks, commas, brackets, * or +."""
    return between(data, index, 0x20, 0x20) | between(data, index, 0x28, 0x2C)


@inlined
def _plain_words(text: Text, index: int, words: ScannedWords, count: int) -> tuple[int, int]:
    """Read words of common letters between common gaps until anything else turns up.

    Args:
        text: the text.
        index: place after a word, or any place where a sentence does not open.
        words: receives the words.
        count: number of words so far.

    Returns:
        The place of the first character not read and the new number of words.
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


@compiled
def _after_apostrophes(text: Text, index: int) -> int:
    while kind_at(text, index) == _APOSTROPHE:
        index += size_of(signed(text.data[index]))
    return index


@inlined
def _is_initial(text: Text, run: int, end: int) -> bool:
    """Whether a run of letters and figures is a single capital."""
    return run + size_of(signed(text.data[run])) == end and kind_at(text, run) == _CAPITAL


@compiled
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

    Returns:
        The end, ``failed(UNCLEAN)`` if cleaning would change the word; the start of its last run of letters; whether it
        contains apostrophes.
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

    Args:
        text: the text.
        index: place of the opener.
        raw: whether the text is not cleaned yet.
        words: the words found.
        count: number of words so far.
        opens: whether a sentence opens after it.
        opened: whether a sentence opened before the last word.

    Returns:
        The place after it, or ``failed(UNCLEAN)``; the new number of words; whether a sentence opens there.
    """
    if raw and may_be_address(text, index):
        after, count, kept = over_address(text, index, words, count)
        if after != index:
            return after, count, opened and not kept
    return index + size_of(signed(text.data[index])), count, opens


@inlined
def _find_words(text: Text, raw: bool, words: ScannedWords, count: int, rewritten: int) -> tuple[int, int]:
    """First pass over one text.

    Returns:
        The new number of words, or ``failed(UNCLEAN)``, or ``failed(UNKNOWN)``; the new size of ``rewritten``.
    """
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
    data: Vector[np.uint8],
    offsets: Vector[np.int64],
    rules: ScanningRules,
    words: ScannedWords,
    count: int,
    rewritten: int,
    found: TextWords,
) -> tuple[int, int]:
    """First pass: the words of texts and their hashes.

    Args:
        data: the texts in UTF-8, followed by ``BLOCK`` + 2 readable bytes.
        offsets: int64 (texts + 1,), bounds of the texts.
        rules: the rules of raw or of cleaned text.
        words: receives the words; it needs room for one per two bytes and one more per text.
        count: number of words so far.
        rewritten: number of bytes of ``words.rewritten`` in use.
        found: receives the words of each text and ``READ``, or ``UNCLEAN`` or ``UNKNOWN`` for a text that was not read.

    Returns:
        The new number of words and the new size of ``words.rewritten``.
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
