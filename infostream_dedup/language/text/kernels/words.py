"""Store the words found in texts, and number them by the table of surfaces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

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
from infostream_dedup.machine.compiling import compiled, inlined, signed
from infostream_dedup.machine.kernels.byte_blocks import copy_bytes

if TYPE_CHECKING:
    from infostream_dedup.machine.arrays import Vector

__all__ = ["REWRITTEN", "ScannedWords", "TextWords", "number_words", "rewrite_words", "set_word", "take_surfaces"]

REWRITTEN: Final = 2
"""Flag of a word in ``ScannedWords.rewritten``."""


class ScannedWords(NamedTuple):
    """The words of some texts, between the two passes.

    Attributes:
        starts: int64, start of each: in the texts, or in ``rewritten`` if it is spelled differently there.
        lengths: int32, number of bytes of each.
        hashes: uint64.
        flags: uint8, 1 for a word that opens a sentence, 2 for one in ``rewritten``.
        rewritten: uint8, words with apostrophes, spelled as in cleaned text, followed by ``BLOCK`` spare bytes.
    """

    starts: Vector[np.int64]
    lengths: Vector[np.int32]
    hashes: Vector[np.uint64]
    flags: Vector[np.uint8]
    rewritten: Vector[np.uint8]


class TextWords(NamedTuple):
    """Which words belong to each text.

    Attributes:
        begins: int64 (texts,), first word of each text.
        lengths: int64 (texts,), number of words of each text.
        states: uint8 (texts,), whether the text was read, see ``raw_text``.
    """

    begins: Vector[np.int64]
    lengths: Vector[np.int64]
    states: Vector[np.uint8]


@inlined
def set_word(words: ScannedWords, count: int, pool: Vector[np.uint8], start: int, length: int, flags: int) -> None:
    """Store a word of ``pool``: the texts, or ``words.rewritten`` if the flags say so."""
    words.starts[count] = start
    words.lengths[count] = length
    words.hashes[count] = hash_bytes(pool, start, length, bool(flags & 1))
    words.flags[count] = np.uint8(flags)


@compiled
def rewrite_words(data: Vector[np.uint8], words: ScannedWords, begin: int, end: int, rewritten: int) -> int:
    """Copy words ``begin`` .. ``end`` - 1 that are not in ``words.rewritten`` into it; return its new size."""
    for word in range(begin, end):
        if not words.flags[word] & REWRITTEN:
            copy_bytes(data, words.starts[word], words.rewritten, rewritten, words.lengths[word])
            words.starts[word] = rewritten
            words.flags[word] |= np.uint8(REWRITTEN)
            rewritten += words.lengths[word]
    return rewritten


@compiled
def take_surfaces(offsets: Vector[np.int64], words: ScannedWords, count: int, begin: int) -> None:
    """Store surfaces that are in ``words.rewritten`` after ``begin`` as words ``count``, ``count`` + 1 ...

    Args:
        offsets: int64 (surfaces + 1,), bounds of the surfaces relative to ``begin``, marks included.
        words: receives the words.
        count: number of words so far.
        begin: start of the first surface.
    """
    for surface in range(offsets.size - 1):
        start, end = begin + offsets[surface], begin + offsets[surface + 1]
        opens = is_marked(words.rewritten, start, end)
        start += MARK_SIZE * opens
        set_word(words, count + surface, words.rewritten, start, end - start, REWRITTEN | opens)


@compiled
def number_words(
    data: Vector[np.uint8],
    words: ScannedWords,
    found: TextWords,
    first: int,
    table: SurfaceTable,
    tokens: Vector[np.int32],
    token_begins: Vector[np.int64],
) -> int:
    """Second pass: write the numbers of the words of texts ``first``, ``first`` + 1 ...

    Args:
        data: the texts, as in the first pass.
        words: the words that the first pass found.
        found: the words of each text.
        first: the first text.
        table: table of surfaces; grows.
        tokens: receives the number of the surface of each word.
        token_begins: int64 (texts,), where the tokens of each text are written.

    Returns:
        The first text for which the table has no room; the number of texts when all are done.
    """
    begins, lengths, _ = found
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
                if words.flags[word] & REWRITTEN:
                    number = intern(table, words.rewritten, start, length, opens, words.hashes[word])
                else:
                    number = intern(table, data, start, length, opens, words.hashes[word])
                tokens[shift + word] = number
    return begins.size
