"""Where numbers may stand in a text: a quick look at every character, so that patterns are tried at few places."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.text.kernels.compiling import compiled, inlined

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

__all__ = ["number_places", "word_table"]

_APOSTROPHE: Final = 0x2BC
_SLOTS: Final = 1 << 10
"""Of the table of number words, which are some hundred: two of them seldom share a slot."""

_BASE: Final = np.uint64(0xCBF29CE484222325)
_PRIME: Final = np.uint64(0x100000001B3)
_FOLD: Final = np.uint64(32)
_MASK: Final = np.uint64(_SLOTS - 1)
_EMPTY: Final = np.uint64(0)
_ONE: Final = np.uint64(1)


def word_table(words: Iterable[str]) -> NDArray[np.uint64]:
    """Hashes of words in an open table for `number_places`.

    Args:
        words: small letters and U+02BC only, fewer than a few hundred.
    """
    table = np.zeros(_SLOTS, dtype=np.uint64)
    for word in words:
        _put(np.frombuffer(word.encode("utf-32-le"), dtype=np.uint32), table)
    return table


@inlined
def _is_letter(code: int) -> bool:
    """Small letters of Latin, Cyrillic and the apostrophe; a letter left out here is left to the patterns."""
    return 0x61 <= code <= 0x7A or 0x430 <= code <= 0x45F or code == 0x491 or code == _APOSTROPHE


@inlined
def _is_foreign(code: int) -> bool:
    """What may be a figure of another script; most of it is not."""
    return 0x660 <= code < 0x2000 or code > 0x206F


@inlined
def _goes_on(code: int) -> bool:
    """What may stand inside a run of figures."""
    return (
        0x30 <= code <= 0x39
        or code == 0x2C
        or code == 0x2D
        or code == 0x2E
        or code == 0x20
        or code == 0xA0
        or code == 0x2009
        or code == 0x202F
        or code == _APOSTROPHE
    )


@compiled
def _hash(codes: NDArray[np.uint32], begin: int, end: int) -> np.uint64:
    value = _BASE
    for at in range(begin, end):
        value = (value ^ np.uint64(codes[at])) * _PRIME
    value ^= value >> _FOLD
    return value if value != _EMPTY else _ONE


@compiled
def _put(codes: NDArray[np.uint32], table: NDArray[np.uint64]) -> None:
    value = _hash(codes, 0, codes.size)
    slot = value & _MASK
    while table[slot] != _EMPTY and table[slot] != value:
        slot = (slot + _ONE) & _MASK
    table[slot] = value


@compiled
def _holds(value: np.uint64, table: NDArray[np.uint64]) -> bool:
    slot = value & _MASK
    while table[slot] != _EMPTY:
        if table[slot] == value:
            return True
        slot = (slot + _ONE) & _MASK
    return False


@compiled
def number_places(
    codes: NDArray[np.uint32], table: NDArray[np.uint64], words: NDArray[np.int64], runs: NDArray[np.int64]
) -> tuple[int, int]:
    """Find all places where a number word or a run of figures begins, and a few where none does.

    Args:
        codes: code points of a text in small letters.
        table: of `word_table`.
        words: int64, as long as the text; places of words are written to its beginning, ascending.
        runs: int64, as long as the text; the same for figures.

    Returns:
        How many places of words and of figures there are.
    """
    found, figures, at, inside = 0, 0, 0, False
    while at < codes.size:
        code = codes[at]
        if _is_letter(code):
            begin = at
            while at < codes.size and _is_letter(codes[at]):
                at += 1
            if _holds(_hash(codes, begin, at), table):
                words[found] = begin
                found += 1
            # An apostrophe goes on with a run; other letters end it.
            inside = inside and at == begin + 1 and code == _APOSTROPHE
            continue
        if _is_foreign(code):
            runs[figures] = at
            figures += 1
            inside = False
        elif 0x30 <= code <= 0x39:
            if not inside:
                runs[figures] = at
                figures += 1
            inside = True
        else:
            inside = inside and _goes_on(code)
        at += 1
    return found, figures
