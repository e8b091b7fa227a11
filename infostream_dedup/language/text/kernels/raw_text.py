"""Handle what only raw text contains: addresses, entities, tags, fields, loose apostrophes, invisible characters.

Each rule decides, conservatively, whether cleaning would change the text at some character: it finds every text
that cleaning changes, and some that cleaning leaves alone. Such a text fails with ``UNCLEAN`` and is scanned again
after cleaning.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from infostream_dedup.language.text.character_classes import CODE_POINTS, CharacterClass
from infostream_dedup.language.text.kernels.code_points import size_of
from infostream_dedup.language.text.kernels.words import REWRITTEN, ScannedWords, set_word
from infostream_dedup.machine.compiling import compiled, inlined, signed

if TYPE_CHECKING:
    import numpy as np

    from infostream_dedup.machine.arrays import Vector

__all__ = ["READ", "UNCLEAN", "UNKNOWN", "Text", "failed", "kind_at", "may_be_address", "over_address", "over_rare"]

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
    """One of several texts.

    Attributes:
        data: uint8, all texts in UTF-8.
        begin: first byte of the text.
        end: first byte after it.
        kinds: uint8, kinds of characters, see ``character_classes``.
    """

    data: Vector[np.uint8]
    begin: int
    end: int
    kinds: Vector[np.uint8]


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


@compiled
def _may_be_entity(text: Text, index: int) -> bool:
    """Whether letters, digits and # after the & at a place precede a semicolon or something that cleaning may drop."""
    data = text.data
    index += 1
    while index < text.end and (_is_ascii_word(data[index]) or data[index] == 0x23):
        index += 1
    return index < text.end and (data[index] == 0x3B or data[index] >= 0x80)


@compiled
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


@compiled
def _scheme(text: Text, index: int) -> tuple[int, int]:
    """Find the address that contains the colon or full stop at a place.

    Returns:
        The number of letters before the place that belong to the address, 0 if there is no address, -1 if cleaning must
        decide; and where the address continues.
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


@compiled
def _end_of_address(text: Text, index: int) -> int:
    """Return the place after the last character that may end an address; the given place if there is none."""
    data, last = text.data, index
    while index < text.end and 0x21 <= data[index] <= 0x7E and data[index] not in (0x22, 0x3C, 0x3E):
        byte = data[index]
        index += 1
        if _is_ascii_word(byte) or byte in (0x2F, 0x23, 0x3D, 0x5F, 0x2D):
            last = index
    return last


@compiled
def over_address(text: Text, index: int, words: ScannedWords, count: int) -> tuple[int, int, bool]:
    """Remove an address from the words; its scheme is the end of the last word.

    Args:
        text: the text.
        index: place of its colon, or of the full stop after www.
        words: the words found.
        count: number of words so far.

    Returns:
        The place after the address (``index`` if there is none, ``failed(UNCLEAN)`` if cleaning must decide), the new
        number of words, and whether a part of the last word remains.
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


@compiled
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


@compiled
def _over_invisible(text: Text, index: int, word: bool, quiet: bool) -> int:
    """Return the place after invisible characters; ``failed(UNCLEAN)`` if dropping them may join what belongs together.

    Args:
        text: the text.
        index: place of the first one.
        word: whether a word or a figure ends there.
        quiet: whether a character of kind ``OTHER`` or a line feed precedes it.
    """
    while kind_at(text, index) == _INVISIBLE:
        index += size_of(signed(text.data[index]))
    kind = kind_at(text, index)
    line_feed = index < text.end and text.data[index] == 0x0A
    # A soft hyphen at the end of a line may divide a word.
    harmless = (quiet and kind <= _OTHER) or (word and kind == _OTHER and not line_feed) or (line_feed and not word)
    return index if harmless else failed(UNCLEAN)


@compiled
def over_rare(text: Text, index: int, kind: int, word: bool, quiet: bool) -> int:
    """Return the place after a character of a kind that only raw text has, or ``failed`` if reading must stop.

    Args:
        text: the text.
        index: place of the character.
        kind: its kind, from ``APOSTROPHE`` upwards.
        word: whether a word or a figure ends there.
        quiet: whether a character of kind ``OTHER`` or a line feed precedes it.
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
