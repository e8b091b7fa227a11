"""Texts in UTF-8 to numbers of their surfaces: what ``tokens.surfaces(normalise.clean(text))`` finds, but fast.

Two passes over some texts. The first finds the words and hashes them; runs of common letters are taken 64 bytes at a
time. The second looks the hashes up: so the slow accesses to the table overlap, and only the second one needs the
table, which all threads share. A text that cleaning would change is given back untouched (``UNCLEAN``): it is scanned
again after cleaning, by the classes of cleaned text. Whether
cleaning would change it is decided generously: every text that it changes is found, some that it leaves alone are too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from infostream_dedup.machine.compiling import compiled_bare, inlined, signed
from infostream_dedup.text.character_classes import CODE_POINTS, Kind
from infostream_dedup.text.kernels.byte_blocks import BLOCK, between, copy_bytes, lowest_bit
from infostream_dedup.text.kernels.surface_table import (
    AT_ONCE,
    MARK_SIZE,
    SurfaceTable,
    has_room,
    hash_bytes,
    intern,
    is_marked,
    prepare,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "READ",
    "UNCLEAN",
    "UNKNOWN",
    "Words",
    "find_words",
    "number_words",
    "rewrite_words",
    "take_surfaces",
]

READ: Final = 0
UNCLEAN: Final = 1
UNKNOWN: Final = 2

_REWRITTEN: Final = 2

_CAPITAL: Final = int(Kind.CAPITAL)
_LETTER: Final = int(Kind.LETTER)
_OTHER: Final = int(Kind.OTHER)
_HYPHEN: Final = int(Kind.HYPHEN)
_FIGURE: Final = int(Kind.FIGURE)
_STOP: Final = int(Kind.STOP)
_OPENER: Final = int(Kind.OPENER)
_APOSTROPHE: Final = int(Kind.APOSTROPHE)
_QUOTE: Final = int(Kind.QUOTE)
_MARKUP: Final = int(Kind.MARKUP)
_INVISIBLE: Final = int(Kind.INVISIBLE)
_UNCLEAN: Final = int(Kind.UNCLEAN)
_UNKNOWN: Final = int(Kind.UNKNOWN)


class Words(NamedTuple):
    """The words of some texts between the two passes.

    Attributes:
        starts: int64, where each begins: in the texts, or in ``rewritten`` where it is spelled otherwise than there.
        lengths: int32, bytes of each.
        hashes: uint64.
        flags: uint8, 1 for a word that opens a sentence, 2 for one in ``rewritten``.
        rewritten: uint8, words with apostrophes, spelled as in cleaned text, with ``BLOCK`` bytes of room behind.
    """

    starts: NDArray[np.int64]
    lengths: NDArray[np.int32]
    hashes: NDArray[np.uint64]
    flags: NDArray[np.uint8]
    rewritten: NDArray[np.uint8]


@inlined
def _width(byte: int) -> int:
    """Bytes of the character that begins with a byte."""
    if byte < 0x80:
        return 1
    if byte < 0xE0:
        return 2
    return 3 if byte < 0xF0 else 4


@inlined
def _kind(data: NDArray[np.uint8], index: int, end: int, kinds: NDArray[np.uint8]) -> int:
    """Kind of the character at a place; behind the text there is nothing that matters."""
    if index >= end:
        return _OTHER
    byte = signed(data[index])
    if byte < 0x80:
        return signed(kinds[byte])
    second = signed(data[index + 1]) & 0x3F
    if byte < 0xE0:
        return signed(kinds[(byte & 0x1F) << 6 | second])
    third = signed(data[index + 2]) & 0x3F
    if byte < 0xF0:
        return signed(kinds[(byte & 0x0F) << 12 | second << 6 | third])
    point = (byte & 0x07) << 18 | second << 12 | third << 6 | (signed(data[index + 3]) & 0x3F)
    return signed(kinds[point]) if point < CODE_POINTS else _UNKNOWN


@inlined
def _common_letters(data: NDArray[np.uint8], index: int) -> Any:
    """Which of ``BLOCK`` bytes belong to A-Z a-z А-Я а-я є ѕ і ї, as far as these lie whole in the block."""
    ascii_letters = between(data, index, 0x41, 0x5A) | between(data, index, 0x61, 0x7A)
    d0 = between(data, index, 0xD0, 0xD0)
    d1 = between(data, index, 0xD1, 0xD1)
    first_half = between(data, index, 0x90, 0xBF)
    second_half = between(data, index, 0x80, 0x8F) | between(data, index, 0x94, 0x97)
    one = np.uint64(1)
    pairs = ((d0 << one) & first_half) | ((d1 << one) & second_half)
    return ascii_letters | pairs | (pairs >> one)


@inlined
def _common_gaps(data: NDArray[np.uint8], index: int) -> Any:
    """Which of ``BLOCK`` bytes are blanks, commas, brackets, * and +."""
    return between(data, index, 0x20, 0x20) | between(data, index, 0x28, 0x2C)


@inlined
def _plain_words(data: NDArray[np.uint8], index: int, end: int, words: Words, count: int) -> tuple[int, int]:
    """Take words of common letters between common gaps, as long as there is nothing else.

    Args:
        data: the texts.
        index: behind a word, or wherever no sentence opens.
        end: of the text.
        words: receives the words.
        count: words there.

    Returns:
        The place of the first character not taken and the new count.
    """
    while index + BLOCK <= end:
        letters, gaps = _common_letters(data, index), _common_gaps(data, index)
        begin = lowest_bit(~gaps)
        while begin < BLOCK - 1:
            length = lowest_bit(~(letters >> np.uint64(begin)))
            behind = begin + length
            if behind >= BLOCK - 1:
                break
            gap = lowest_bit(~(gaps >> np.uint64(behind)))
            if length == 0 or gap == 0:
                return index + begin, count
            words.starts[count] = index + begin
            words.lengths[count] = length
            words.hashes[count] = hash_bytes(data, index + begin, length, False)
            words.flags[count] = 0
            count += 1
            begin = behind + gap
        if begin == 0:
            break
        index += begin
    return index, count


@inlined
def _is_ascii_word(byte: int) -> bool:
    return 0x30 <= byte <= 0x39 or 0x41 <= byte <= 0x5A or 0x61 <= byte <= 0x7A


@compiled_bare
def _may_be_entity(data: NDArray[np.uint8], index: int, end: int) -> bool:
    """Whether letters, digits and # lead from the & at a place to a semicolon, or to what may be dropped."""
    index += 1
    while index < end and (_is_ascii_word(data[index]) or data[index] == 0x23):
        index += 1
    return index < end and (data[index] == 0x3B or data[index] >= 0x80)


@compiled_bare
def _may_be_markup(data: NDArray[np.uint8], index: int, begin: int, end: int) -> bool:
    """Whether the address, entity, tag or field may exist that the character at a place would belong to."""
    byte = data[index]
    if byte == 0x40:  # @
        return index > begin and _is_ascii_word(data[index - 1])
    if byte == 0x26:  # &
        return _may_be_entity(data, index, end)
    after = signed(data[index + 1]) if index + 1 < end else 0x20
    if byte == 0x3C:  # <
        return after == 0x2F or (after > 0x39 and _is_ascii_word(after))
    if byte == 0x25:  # %
        return after == 0x28 or _is_ascii_word(after)
    return after == 0x7D or after == 0x5F or _is_ascii_word(after)


@inlined
def _may_be_address(data: NDArray[np.uint8], index: int, begin: int, end: int) -> bool:
    """Whether the colon or the full stop at a place may belong to :// or www."""
    if data[index] == 0x3A:
        return index + 1 < end and data[index + 1] == 0x2F
    return index - begin > 2 and data[index - 1] | 0x20 == 0x77 and data[index - 2] | 0x20 == 0x77


@compiled_bare
def _scheme(data: NDArray[np.uint8], index: int, begin: int, end: int, kinds: NDArray[np.uint8]) -> tuple[int, int]:
    """What makes an address of the colon or full stop at a place.

    Returns:
        How many letters before it, 0 where it is no address, -1 where cleaning has to say; and where the address goes
        on behind it.
    """
    if data[index] == 0x2E:
        w = data[index - 1]
        if data[index - 3] | 0x20 != 0x77:
            return 0, index
        # Www. is an address in texts only that hold another one.
        return (3 if data[index - 2] == w and data[index - 3] == w else -1), index + 1
    if _kind(data, index + 2, end, kinds) == _INVISIBLE:
        return -1, index
    if index + 2 >= end or data[index + 2] != 0x2F:
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


@compiled_bare
def _end_of_address(data: NDArray[np.uint8], index: int, end: int) -> int:
    """Behind the last character that may end an address, going on from a place; the place itself if there is none."""
    last = index
    while index < end and 0x21 <= data[index] <= 0x7E and data[index] not in (0x22, 0x3C, 0x3E):
        byte = data[index]
        index += 1
        if _is_ascii_word(byte) or byte in (0x2F, 0x23, 0x3D, 0x5F, 0x2D):
            last = index
    return last


@compiled_bare
def _cut_address(
    data: NDArray[np.uint8], index: int, begin: int, end: int, kinds: NDArray[np.uint8], words: Words, count: int
) -> tuple[int, int, bool]:
    """Take an address back out of the words: its scheme is the end of the last one.

    Args:
        data: the texts.
        index: where its colon stands, or the full stop behind www.
        begin: of the text.
        end: of the text.
        kinds: of characters.
        words: the words found.
        count: how many they are.

    Returns:
        Where the text goes on (``index`` if there is no address, -1 - ``UNCLEAN`` if cleaning has to say), the new
        count, and whether a part of the last word stays.
    """
    letters, goes_on = _scheme(data, index, begin, end, kinds)
    behind = _end_of_address(data, goes_on, end)
    if letters == 0 or behind == goes_on:
        return (index if letters >= 0 else -1 - UNCLEAN), count, True
    last = count - 1
    # The address becomes a blank, and an apostrophe behind a blank may have been torn off.
    torn = behind < end and (data[behind] == 0xD1 or _kind(data, behind, end, kinds) == _APOSTROPHE)
    if letters < 0 or torn or words.flags[last] & _REWRITTEN:
        return -1 - UNCLEAN, count, True
    start = words.starts[last]
    length = signed(words.lengths[last]) - letters
    if length == 0:
        return behind, last, False
    length -= data[start + length - 1] == 0x2D
    words.lengths[last] = length
    words.hashes[last] = hash_bytes(data, start, length, bool(words.flags[last]))
    return behind, count, True


@compiled_bare
def _after_apostrophes(data: NDArray[np.uint8], index: int, end: int, kinds: NDArray[np.uint8]) -> int:
    while _kind(data, index, end, kinds) == _APOSTROPHE:
        index += _width(data[index])
    return index


@compiled_bare
def _may_be_torn(data: NDArray[np.uint8], index: int, begin: int, end: int, kinds: NDArray[np.uint8]) -> bool:
    """Whether the apostrophe at a place may be one torn off its word: п 'ять."""
    after = index + _width(data[index])
    blank = index > begin and (data[index - 1] == 0x20 or data[index - 1] == 0xA0)
    if blank and after < end and data[after] == 0x20:
        after += 1
    elif blank and after + 1 < end and data[after] == 0xC2 and data[after + 1] == 0xA0:
        after += 2
    return blank and after < end and (data[after] == 0xD1 or _kind(data, after, end, kinds) == _INVISIBLE)


@inlined
def _is_initial(data: NDArray[np.uint8], run: int, end: int, kinds: NDArray[np.uint8]) -> bool:
    """Whether a run of letters and figures is a capital that stands alone."""
    return run + _width(data[run]) == end and _kind(data, run, end, kinds) == _CAPITAL


@compiled_bare
def _rewrite(data: NDArray[np.uint8], start: int, end: int, kinds: NDArray[np.uint8], words: Words, size: int) -> int:
    """Append a word to ``rewritten`` with its apostrophes as U+02BC; the new size."""
    index = start
    while index < end:
        width = _width(data[index])
        if _kind(data, index, end, kinds) == _APOSTROPHE:
            words.rewritten[size] = 0xCA
            words.rewritten[size + 1] = 0xBC
            size += 2
        else:
            for byte in range(width):
                words.rewritten[size + byte] = data[index + byte]
            size += width
        index += width
    return size


@inlined
def _end_of_word(
    data: NDArray[np.uint8], index: int, end: int, kinds: NDArray[np.uint8], run: int
) -> tuple[int, int, bool]:
    """Where the word that begins at a place ends, where its last run of letters began, whether it has apostrophes.

    The place is negative where cleaning would change the word.
    """
    apostrophes = False
    while True:
        index = min(index + lowest_bit(~_common_letters(data, index)), end)
        kind = _kind(data, index, end, kinds)
        if kind <= _LETTER:
            index += _width(data[index])
        elif kind == _HYPHEN and _kind(data, index + 1, end, kinds) <= _LETTER:
            index += 1
            run = index
        elif kind == _APOSTROPHE:
            after = _after_apostrophes(data, index, end, kinds)
            if _kind(data, after, end, kinds) > _LETTER:
                return index, run, apostrophes
            if after > index + _width(data[index]):
                return -1 - UNCLEAN, run, apostrophes
            apostrophes = True
            index = after
        else:
            return index, run, apostrophes


@inlined
def _note_word(
    data: NDArray[np.uint8],
    start: int,
    end: int,
    opens: bool,
    rewritten: int,
    kinds: NDArray[np.uint8],
    words: Words,
    count: int,
) -> int:
    """Note a word; with ``rewritten`` not negative under the spelling of cleaned text. New size of ``rewritten``."""
    words.flags[count] = np.uint8(opens)
    if rewritten < 0:
        words.starts[count] = start
        words.lengths[count] = end - start
        words.hashes[count] = hash_bytes(data, start, end - start, opens)
        return 0
    size = _rewrite(data, start, end, kinds, words, rewritten)
    words.flags[count] |= np.uint8(_REWRITTEN)
    words.starts[count] = rewritten
    words.lengths[count] = size - rewritten
    words.hashes[count] = hash_bytes(words.rewritten, rewritten, size - rewritten, opens)
    return size


@compiled_bare
def _over_invisible(
    data: NDArray[np.uint8], index: int, end: int, kinds: NDArray[np.uint8], quiet: bool, word: bool
) -> int:
    """Behind invisible characters, or -1 - ``UNCLEAN`` where dropping them may bring together what belongs together.

    Args:
        data: the texts.
        index: where the first one stands.
        end: of the text.
        kinds: of characters.
        quiet: whether a character of kind OTHER or a line feed stands before it.
        word: whether a word or a figure stands before it.
    """
    while _kind(data, index, end, kinds) == _INVISIBLE:
        index += _width(data[index])
    after = _kind(data, index, end, kinds)
    harmless = (quiet and after <= _OTHER) or (word and after == _OTHER) or (index < end and data[index] == 0x0A)
    return index if harmless else -1 - UNCLEAN


@compiled_bare
def _over_rare(
    data: NDArray[np.uint8],
    index: int,
    begin: int,
    end: int,
    kinds: NDArray[np.uint8],
    kind: int,
    word: bool,
    quiet: bool,
) -> int:
    """Behind a character of the kinds that raw text alone has; -1 - ``UNCLEAN`` where cleaning may change the text."""
    if kind == _UNKNOWN:
        return -1 - UNKNOWN
    unclean = kind == _UNCLEAN
    if kind == _INVISIBLE:
        return _over_invisible(data, index, end, kinds, quiet, word)
    if kind == _QUOTE:
        # The second byte of я, ю, є, ї differs; the first is the same.
        unclean = word and index + 1 < end and data[index + 1] == 0xD1
    elif kind == _MARKUP:
        unclean = _may_be_markup(data, index, begin, end)
    elif kind == _APOSTROPHE:
        unclean = _may_be_torn(data, index, begin, end, kinds)
    return -1 - UNCLEAN if unclean else index + _width(data[index])


@inlined
def _over_opener(
    data: NDArray[np.uint8],
    index: int,
    begin: int,
    end: int,
    kinds: NDArray[np.uint8],
    raw: bool,
    words: Words,
    count: int,
    opens: bool,
    opened: bool,
) -> tuple[int, int, bool]:
    """Behind a full stop or another opener, or behind the address that it is part of.

    Args:
        data: the texts.
        index: where it stands.
        begin: of the text.
        end: of the text.
        kinds: of characters.
        raw: whether the text is not cleaned yet.
        words: the words found.
        count: how many they are.
        opens: whether a sentence opens behind it.
        opened: whether a sentence opened before the last word.

    Returns:
        Where the text goes on, or -1 - ``UNCLEAN``; the new count; whether a sentence opens there.
    """
    if raw and _may_be_address(data, index, begin, end):
        after, count, kept = _cut_address(data, index, begin, end, kinds, words, count)
        if after != index:
            return after, count, opened and not kept
    return index + _width(data[index]), count, opens


@inlined
def _find_words(
    data: NDArray[np.uint8],
    begin: int,
    end: int,
    kinds: NDArray[np.uint8],
    raw: bool,
    words: Words,
    count: int,
    rewritten: int,
) -> tuple[int, int]:
    """First pass over one text.

    Returns:
        ``count`` and the words found together, or -1 - ``UNCLEAN``, or -1 - ``UNKNOWN``; the new size of ``rewritten``.
    """
    opens, opened = True, True
    run, word_end, figure_end, quiet_end = begin, -1, -1, -1
    index = begin
    while 0 <= index < end:
        kind = _kind(data, index, end, kinds)
        if kind <= _LETTER:
            # Together with a figure before it a capital is no initial.
            run = index - 1 if figure_end == index else index
            word_end, run, apostrophes = _end_of_word(data, index, end, kinds, run)
            if word_end >= 0:
                size = _note_word(
                    data,
                    index,
                    word_end,
                    kind == _CAPITAL and opens,
                    rewritten if apostrophes else -1,
                    kinds,
                    words,
                    count,
                )
                rewritten = max(rewritten, size)
                count += 1
            index = word_end
            opened, opens = opens, False
        elif kind == _OTHER:
            index += _width(data[index])
            if not opens:
                index, count = _plain_words(data, index, end, words, count)
            quiet_end = index
        elif kind == _FIGURE:
            index += _width(data[index])
            figure_end = index
            opens = False
        elif kind == _HYPHEN:
            index += 1
        elif kind <= _OPENER:
            initial = kind == _STOP and word_end == index and _is_initial(data, run, index, kinds)
            before = opens or not initial
            index, count, opens = _over_opener(data, index, begin, end, kinds, raw, words, count, before, opened)
            word_end = -1
        else:
            quiet = quiet_end == index or (index > begin and data[index - 1] == 0x0A)
            word = word_end == index or figure_end == index
            index = _over_rare(data, index, begin, end, kinds, kind, word, quiet)
    return (count if index >= 0 else index), rewritten


@compiled_bare
def find_words(
    data: NDArray[np.uint8],
    offsets: NDArray[np.int64],
    kinds: NDArray[np.uint8],
    raw: bool,
    words: Words,
    count: int,
    rewritten: int,
    begins: NDArray[np.int64],
    lengths: NDArray[np.int64],
    states: NDArray[np.uint8],
) -> tuple[int, int]:
    """First pass: the words of texts and their hashes.

    Args:
        data: the texts in UTF-8, with ``BLOCK`` + 2 readable bytes behind the last one.
        offsets: int64 (texts + 1,), where each text lies.
        kinds: of characters, see ``character_classes``.
        raw: whether the texts are not cleaned yet.
        words: receives the words; there is room for one in every two bytes and one for each text more.
        count: words there already.
        rewritten: bytes of ``words.rewritten`` taken already.
        begins: int64 (texts,), receives where the words of each text begin.
        lengths: int64 (texts,), receives how many they are.
        states: uint8 (texts,), receives ``READ``, or ``UNCLEAN`` or ``UNKNOWN`` for texts without words here.

    Returns:
        The new count and the new size of ``words.rewritten``.
    """
    for text in range(states.size):
        begins[text], lengths[text], states[text] = count, 0, READ
        found, size = _find_words(data, offsets[text], offsets[text + 1], kinds, raw, words, count, rewritten)
        if found < 0:
            states[text] = -1 - found
        else:
            lengths[text] = found - count
            count, rewritten = found, size
    return count, rewritten


@compiled_bare
def rewrite_words(data: NDArray[np.uint8], words: Words, begin: int, end: int, rewritten: int) -> int:
    """Copy words ``begin`` .. ``end`` - 1 into ``words.rewritten``, unless they are there; its new size."""
    for word in range(begin, end):
        if not words.flags[word] & _REWRITTEN:
            copy_bytes(data, words.starts[word], words.rewritten, rewritten, words.lengths[word])
            words.starts[word] = rewritten
            words.flags[word] |= np.uint8(_REWRITTEN)
            rewritten += words.lengths[word]
    return rewritten


@compiled_bare
def take_surfaces(offsets: NDArray[np.int64], words: Words, count: int, begin: int) -> None:
    """Note surfaces that lie in ``words.rewritten`` from ``begin`` on as words ``count``, ``count`` + 1 ...

    Args:
        offsets: int64 (surfaces + 1,), where each lies behind ``begin``, with mark.
        words: receives them.
        count: words there already.
        begin: where the first surface lies.
    """
    for surface in range(offsets.size - 1):
        start, end = begin + offsets[surface], begin + offsets[surface + 1]
        opens = is_marked(words.rewritten, start, end)
        start += MARK_SIZE * opens
        words.starts[count + surface] = start
        words.lengths[count + surface] = end - start
        words.hashes[count + surface] = hash_bytes(words.rewritten, start, end - start, opens)
        words.flags[count + surface] = np.uint8(_REWRITTEN | opens)


@compiled_bare
def number_words(
    data: NDArray[np.uint8],
    words: Words,
    begins: NDArray[np.int64],
    lengths: NDArray[np.int64],
    first: int,
    table: SurfaceTable,
    tokens: NDArray[np.int32],
    token_begins: NDArray[np.int64],
) -> int:
    """Second pass: the numbers of the words of texts ``first``, ``first`` + 1 ...

    Args:
        data: the texts, as in the first pass.
        words: what it found.
        begins: int64 (texts,), where the words of each text begin.
        lengths: int64 (texts,), how many they are.
        first: text to go on with.
        table: of surfaces; grows.
        tokens: receives the number of the surface of each word.
        token_begins: int64 (texts,), where the tokens of each text are written.

    Returns:
        The text for which the table has no room; the number of texts when all are done.
    """
    for text in range(first, begins.size):
        begin, end = begins[text], begins[text] + lengths[text]
        size = 0
        for word in range(begin, end):
            size += words.lengths[word]
        if not has_room(table, end - begin, size):
            return text
        shift = token_begins[text] - begin
        for few in range(begin, end, AT_ONCE):
            last = min(few + AT_ONCE, end)
            prepare(table, words.hashes, few, last)
            for word in range(few, last):
                start, length = words.starts[word], signed(words.lengths[word])
                opens = bool(words.flags[word] & 1)
                if words.flags[word] & _REWRITTEN:
                    number = intern(table, words.rewritten, start, length, opens, words.hashes[word])
                else:
                    number = intern(table, data, start, length, opens, words.hashes[word])
                tokens[shift + word] = number
    return begins.size
