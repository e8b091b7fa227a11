"""Map surfaces to terms by way of their words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from infostream_dedup.machine.compiling import compiled

if TYPE_CHECKING:
    import numpy as np

    from infostream_dedup.machine.arrays import Table, Vector

__all__ = ["NOTHING", "ROOM_FOR_REPEATED", "SEVERAL", "map_surfaces", "mark_words"]

NOTHING: Final = -1
"""The term of a surface that is not a term."""

SEVERAL: Final = -2
"""This value and all below: several terms, whose number ``more`` holds at -2 - value, followed by the terms."""

ROOM_FOR_REPEATED: Final = 3
"""Places in ``more`` per word of a surface after the first: two words take three places."""


@compiled
def mark_words(
    holders: Vector[np.int32], words: Vector[np.int32], used: Vector[np.uint8], marks: Vector[np.uint8]
) -> None:
    """Mark the words of each surface with the languages that use the surface.

    Args:
        holders: int32 (entries,), surfaces.
        words: int32 (entries,), a word of each.
        used: uint8 (surfaces,), a bit per language.
        marks: uint8 (words,), initially zeros; receives the same for words.
    """
    for entry in range(words.size):
        marks[words[entry]] |= used[holders[entry]]


@compiled
def map_surfaces(
    holders: Vector[np.int32],
    words: Vector[np.int32],
    entered_of_word: Table[np.int32],
    term_of_entered: Vector[np.int32],
    terms: Table[np.int32],
    more: Vector[np.int32],
) -> tuple[int, int]:
    """Write the terms of each surface in each language.

    Args:
        holders: int32 (entries,), surfaces, ascending.
        words: int32 (entries,), a word of each, in order.
        entered_of_word: int32 (languages, words), the term of a word by the number under which it was entered;
            ``NOTHING`` for a word that is not a term.
        term_of_entered: int32 (terms,), the numbers of the terms.
        terms: int32 (languages, surfaces), ``NOTHING`` everywhere; receives terms, ``SEVERAL`` and below.
        more: int32, receives lists of terms. It needs, for each language, ``ROOM_FOR_REPEATED`` places per entry whose
            surface is that of the entry before, and two more places in all.

    Returns:
        Number of places of ``more`` in use; the maximum number of terms of a surface, at least 1.
    """
    end, most = 0, 1
    for language in range(terms.shape[0]):
        entry = 0
        while entry < words.size:
            holder, size = holders[entry], 0
            while entry < words.size and holders[entry] == holder:
                entered = entered_of_word[language, words[entry]]
                if entered != NOTHING:
                    size += 1
                    more[end + size] = term_of_entered[entered]
                entry += 1
            if size == 1:
                terms[language, holder] = more[end + 1]
            elif size > 1:
                terms[language, holder] = SEVERAL - end
                more[end] = size
                end += size + 1
                most = max(most, size)
    return end, most
