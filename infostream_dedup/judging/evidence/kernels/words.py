"""Words of a document: their letters, hashes and skeletons; and a fast sort of hashes."""

from __future__ import annotations

from typing import Final

import numpy as np

from infostream_dedup.judging.evidence.characters import CYRILLIC_BEGIN, TWINS, CharacterKind
from infostream_dedup.judging.evidence.constants import PREFIX, SEED
from infostream_dedup.machine.arrays import GOLDEN, Ints, Table, Uint8s, Uint16s, Vector, Word
from infostream_dedup.machine.compiling import inlined, signed

# Hashes of letters, tokens and token runs: FNV-1a steps (Fowler, Noll, Vo), finalized as in SplitMix64.
#
# `tests/oracles/plain_reading.py` computes the same with Python's integers.

_PRIME = np.uint64(0x100000001B3)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_LEFT = np.uint64(GOLDEN)
_MIDDLE = np.uint64(0xD1342543DE82EF95)

_30, _27, _31 = np.uint64(30), np.uint64(27), np.uint64(31)


@inlined
def step(state: np.uint64, character: int) -> np.uint64:
    """State of a hash after one more character."""
    return (state ^ np.uint64(character)) * _PRIME


@inlined
def mixed(state: np.uint64) -> np.uint64:
    """Spread a state over all 64 bits."""
    state = (state ^ (state >> _30)) * _FIRST
    state = (state ^ (state >> _27)) * _SECOND
    return state ^ (state >> _31)


@inlined
def joined(first: np.uint64, second: np.uint64, third: np.uint64) -> np.uint64:
    """Hash of three tokens in a row, uint64."""
    return mixed(first * _LEFT + second * _MIDDLE + third)


# Sort a few hundred hashes, several times faster than a general sort because they are evenly distributed

BINS: Final = 1 << 12  # maximum number of bins over which entries are distributed before they are sorted

_FEW: Final = 24


def _insert(entries: Vector[Word], begin: int, end: int) -> None:
    """Sort by insertion: fast for few or nearly sorted entries."""
    for place in range(begin + 1, end):
        entry, hole = entries[place], place
        while hole > begin and entries[hole - 1] > entry:
            entries[hole] = entries[hole - 1]
            hole -= 1
        entries[hole] = entry


def _spread(entries: Vector[Word], begin: int, end: int, width: int, spare: Vector[Word], bins: Ints) -> None:
    """Order entries by their highest bits."""
    bits = 1
    while 1 << bits < end - begin and 1 << bits < BINS:
        bits += 1
    shift, used = np.uint64(width - bits), 1 << bits
    for number in range(used + 1):
        bins[number] = 0
    for place in range(begin, end):
        bins[signed(np.uint64(entries[place]) >> shift) + 1] += 1
    for number in range(used):
        bins[number + 1] += bins[number]
    for place in range(begin, end):
        number = signed(np.uint64(entries[place]) >> shift)
        spare[bins[number]] = entries[place]
        bins[number] += 1
    for place in range(begin, end):
        entries[place] = spare[place - begin]


def sorted_once(entries: Vector[Word], begin: int, end: int, width: int, spare: Vector[Word], bins: Ints) -> int:
    """Sort entries, remove repetitions and return the new end.

    ``width``: bits over which the entries are evenly distributed; ``spare`` (as long) and ``bins`` (BINS + 1): scratch
    memory.
    """
    if end - begin > _FEW:
        _spread(entries, begin, end, width, spare, bins)
    _insert(entries, begin, end)
    kept = begin
    for place in range(begin + 1, end):
        if entries[place] != entries[kept]:
            kept += 1
            entries[kept] = entries[place]
    return kept + 1 if end > begin else end


@inlined
def place_among(entries: Vector[Word], low: int, high: int, wanted: np.uint64) -> int:
    """The place of an entry among ascending ones; -1 if it is not there."""
    size = high - low
    while size > 1:
        half = size // 2
        # Without a branch, which would be mispredicted at every second step.
        low += half * signed(np.uint64(entries[low + half]) <= wanted)
        size -= half
    return low if size == 1 and np.uint64(entries[low]) == wanted else -1


# Skeletons of names; `skeleton_code` in `tests/oracles/plain_reading.py` is the readable reference

SKELETON_BITS: Final = 25  # number of bits of a code: five letters of five bits each

# Latin letters, and the smallest code of a skeleton with five letters.
_C, _F, _H, _J, _K, _P, _S, _X, _Z = 3, 6, 8, 10, 11, 16, 19, 24, 26

_FULL: Final = 1 << 20
_SMALL: Final = int(CharacterKind.SMALL)
_CAPITAL: Final = int(CharacterKind.CAPITAL)


@inlined
def _is_vowel(letter: int) -> bool:
    return letter in (1, 5, 9, 15, 21)


@inlined
def _digraph(before: int) -> int:
    """Letter that a letter and an h make together: f for ph, h for kh, j for zh, s for sh, c for ch; otherwise 0."""
    if before == _P:
        return _F
    if before == _K:
        return _H
    if before == _Z:
        return _J
    return before if before in (_S, _C) else 0


@inlined
def _with_letter(code: int, last: int, letter: int) -> int:
    """Append a letter to a skeleton's code, unless the code is full or the letter is a vowel or doubled."""
    if letter == 0 or letter == last or code >= _FULL or (code and _is_vowel(letter)):
        return code
    return code << 5 | letter


def skeleton(latin: Uint8s, kinds: Uint8s, folded: Uint16s, begin: int, end: int) -> int:
    """Code of the word between two places; ``latin`` maps each folded letter to a Latin one, 1 to 26, or to 0."""
    # A letter waits for the next one, which may be an h; ``last`` is the letter before the waiting one.
    code, waiting, last = 0, 0, 0
    for place in range(begin, end):
        letter = signed(latin[folded[place]]) if kinds[place] in (_SMALL, _CAPITAL) else 0
        if letter == _H and _digraph(waiting):
            code = _with_letter(code, last, _digraph(waiting))
            last, waiting = _digraph(waiting), 0
            continue
        if letter:
            code = _with_letter(code, last, waiting)
            last, waiting = waiting if waiting != 0 else last, letter
        if letter == _X:
            code = _with_letter(code, last, _K)
            last, waiting = _K, _S
    return _with_letter(code, last, waiting)


# Reads one word of a document: its letters, its hashes, and its repair if it mixes two alphabets

WORD_SEED: Final = np.uint64(SEED)
_APOSTROPHE: Final = int(CharacterKind.APOSTROPHE)


@inlined
def is_letter(kind: int) -> bool:
    """Whether a kind is that of a letter."""
    return kind in (_SMALL, _CAPITAL)


@inlined
def _next_letter(kinds: Uint8s, place: int) -> int:
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
def read_word(kinds: Uint8s, folded: Uint16s, begin: int) -> tuple[np.uint64, np.uint64, int, int, int, bool]:
    """Read the word that begins at a place.

    Returns the state of its hash, the state of that of its beginning, the place of its last letter, the number of its
    letters and of its capitals, and whether it has letters of two alphabets.
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


def repair_word(twins: Table[np.uint16], kinds: Uint8s, folded: Uint16s, begin: int, last: int) -> bool:
    """Write a word in one alphabet if all its letters of the other one look alike; return whether this was done.

    As in ``characters.in_one_alphabet``; Cyrillic is tried first. ``twins``: see ``Alphabet``.
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
