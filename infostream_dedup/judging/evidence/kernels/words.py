"""Reads one word of a document: its letters, its hashes, and its repair if it mixes two alphabets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.judging.evidence.characters import CYRILLIC_BEGIN, TWINS, CharacterKind
from infostream_dedup.judging.evidence.constants import PREFIX, SEED
from infostream_dedup.judging.evidence.kernels.hashing import step
from infostream_dedup.machine.compiling import compiled, inlined

if TYPE_CHECKING:
    from infostream_dedup.machine.arrays import Table, Vector

__all__ = ["WORD_SEED", "is_letter", "read_word", "repair_word"]

WORD_SEED: Final = np.uint64(SEED)

_SMALL: Final = int(CharacterKind.SMALL)
_CAPITAL: Final = int(CharacterKind.CAPITAL)
_APOSTROPHE: Final = int(CharacterKind.APOSTROPHE)


@inlined
def is_letter(kind: int) -> bool:
    """Whether a kind is that of a letter."""
    return kind in (_SMALL, _CAPITAL)


@inlined
def _next_letter(kinds: Vector[np.uint8], place: int) -> int:
    """Place of the next letter of the word; -1 if the word ends with the letter at a place."""
    after = place + 1
    if kinds[after] == _SMALL:
        return after
    if kinds[after] == _CAPITAL:
        return after if kinds[place] == _CAPITAL else -1
    if kinds[after] != _APOSTROPHE:
        return -1
    while kinds[after] == _APOSTROPHE:
        after += 1
    return after if is_letter(kinds[after]) else -1


@inlined
def read_word(
    kinds: Vector[np.uint8], folded: Vector[np.uint16], begin: int
) -> tuple[np.uint64, np.uint64, int, int, int, bool]:
    """Read the word that begins at a place.

    Args:
        kinds: uint8 (characters and padding,), ``CharacterKind`` of each character.
        folded: uint16, of the same length, folded letters.
        begin: place of the first letter.

    Returns:
        State of the hash of the word, state of that of its beginning, place of the last letter, number of letters, of
        capitals, and whether it has letters of two alphabets.
    """
    hashed = start = WORD_SEED
    place, last, letters, capitals, cyrillic = begin, begin, 0, 0, 0
    while place >= 0:
        letter = folded[place]
        hashed = step(hashed, letter)
        letters += 1
        capitals += kinds[place] == _CAPITAL
        cyrillic += letter >= CYRILLIC_BEGIN
        if letters <= PREFIX:
            start = hashed
        last = place
        place = _next_letter(kinds, place)
    return hashed, start, last, letters, capitals, 0 < cyrillic < letters


@compiled
def repair_word(
    twins: Table[np.uint16], kinds: Vector[np.uint8], folded: Vector[np.uint16], begin: int, last: int
) -> bool:
    """Write a word in one alphabet if all its letters of the other one look alike; return whether this was done.

    As in ``characters.in_one_alphabet``; Cyrillic is tried first.

    Args:
        twins: uint16 (2, TWINS), see ``Alphabet``.
        kinds: as in ``read_word``.
        folded: as in ``read_word``; the word is overwritten.
        begin: place of the first letter.
        last: place of the last letter.
    """
    for from_cyrillic in (False, True):
        possible = True
        for place in range(begin, last + 1):
            letter = folded[place]
            if is_letter(kinds[place]) and (letter >= CYRILLIC_BEGIN) == from_cyrillic:
                possible &= letter < TWINS and twins[int(kinds[place] == _CAPITAL), letter] > 0
        if not possible:
            continue
        for place in range(begin, last + 1):
            letter = folded[place]
            if is_letter(kinds[place]) and (letter >= CYRILLIC_BEGIN) == from_cyrillic:
                folded[place] = twins[int(kinds[place] == _CAPITAL), letter]
        return True
    return False
