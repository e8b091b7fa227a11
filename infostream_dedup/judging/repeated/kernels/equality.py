"""Hashes the folded words of short texts, for a checksum that knows no case, punctuation and emoji."""

from __future__ import annotations

from typing import Final

import numpy as np

from infostream_dedup.judging.evidence.kernels.words import mixed, step
from infostream_dedup.judging.repeated.kernels.fragments import DIGIT, DROPPED, JOINER, LETTER, Signs
from infostream_dedup.language.text.kernels.scanning import sized_code_point
from infostream_dedup.machine.arrays import Bools, Ints, Table, Uint8s
from infostream_dedup.machine.compiling import compiled, inlined, popcount, signed
from infostream_dedup.machine.kernels import BLOCK, between, first_bits

__all__ = ["LONG", "hash_words"]

LONG: Final = 25  # words from which a text proves something without its title

QUESTION: Final = 0x3F

_RUN: Final = 16  # letters that count as one more word: scripts without blanks have long runs
_BEGINNING: Final = 1024  # bytes in which most long texts have as many letters as ``LONG`` words without blanks
_SEED = np.uint64(0xCBF29CE484222325)
_OTHER = np.uint64(0x9E3779B97F4A7C15)


@inlined
def _is_long(data: Uint8s, at: int, end: int) -> bool:
    """Whether a text has so many common letters at its beginning that it has ``LONG`` words, however they are cut."""
    letters, last = 0, min(end, at + _BEGINNING)
    while at < last and letters < (LONG + 1) * _RUN:
        ours = between(data, at, 0xD0, 0xD0) & between(data, at + 1, 0x90, 0xBF)
        ours |= between(data, at, 0xD1, 0xD1) & between(data, at + 1, 0x80, 0x8F)
        ours |= between(data, at, 0x41, 0x5A) | between(data, at, 0x61, 0x7A)
        letters += popcount(ours & first_bits(last - at))
        at += BLOCK
    return letters >= (LONG + 1) * _RUN


@compiled
def hash_words(
    data: Uint8s, offsets: Ints, bodies: Ints, signs: Signs, words: Ints, marked: Bools, hashes: Table[np.uint64]
) -> None:
    """Hash the words of each text whose body is short; the hash of a long one is not finished.

    Args:
        data: valid UTF-8.
        offsets: int64 (texts + 1,), bounds of title and text.
        bodies: int64 (texts,), where each text begins after its title.
        signs: kinds of characters.
        words: int64 (texts,), receives the number of words, or ``-1`` if the body has ``LONG`` or more.
        marked: bool (texts,), receives whether a short text may have markup or addresses.
        hashes: uint64 (texts, 2), receives two hashes.
    """
    for text in range(offsets.size - 1):
        place, end, body = offsets[text], offsets[text + 1], bodies[text]
        first, second, word = _SEED, _OTHER, _SEED
        count, own, letters, asks = 0, 0, 0, False
        marked[text] = False
        if _is_long(data, body, end):
            own = LONG
        while place <= end and own < LONG:
            point, width, kind = 0, 1, 0
            if place < end:
                point, width = sized_code_point(data, place, end)
                kind = signed(signs.kinds[point]) if point < signs.kinds.size else 0
            if kind in (LETTER, DIGIT):
                if not letters:
                    word = _SEED
                word = step(word, signed(signs.folded[point]))
                if letters % _RUN == 0:
                    count += 1
                    own += place >= body
                letters += 1
            elif kind not in (DROPPED, JOINER):
                asks |= point == QUESTION
                if letters:
                    first, second = mixed(first ^ mixed(word)), mixed((second + mixed(word)) * _OTHER)
                letters = 0
                if point in (0x26, 0x3C) or (point == 0x2F and data[place + 1] == 0x2F):
                    marked[text] = True
            place += width
        if asks:
            first, second = mixed(first ^ _OTHER), mixed(second ^ _SEED)
        words[text] = count if own < LONG else -1
        hashes[text, 0], hashes[text, 1] = first, second
