"""Skeletons of names; ``skeleton_code`` in ``tests/oracles/plain_reading.py`` is the readable reference."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from infostream_dedup.judging.evidence.characters import CharacterKind
from infostream_dedup.machine.compiling import compiled, inlined, signed

if TYPE_CHECKING:
    import numpy as np

    from infostream_dedup.machine.arrays import Vector

__all__ = ["SKELETON_BITS", "skeleton"]

SKELETON_BITS: Final = 25
"""Number of bits of a code: five letters of five bits each."""

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


@compiled
def skeleton(latin: Vector[np.uint8], kinds: Vector[np.uint8], folded: Vector[np.uint16], begin: int, end: int) -> int:
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
