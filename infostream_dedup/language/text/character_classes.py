"""Character classes for the scanner: the rules of ``normalise`` and ``tokens`` as a table of code points.

The table is built on first use from the alphabets of the regular expressions and from Python's Unicode data, so that
the scanner and the plain code cannot drift apart with a new version of Python.
"""

from __future__ import annotations

import unicodedata
from enum import IntEnum
from functools import cache
from typing import Final

import numpy as np

from infostream_dedup.language.text.normalise import APOSTROPHES, clean
from infostream_dedup.language.text.tokens import SENTENCE_MARK, surfaces
from infostream_dedup.machine.arrays import Bools, Uint8s

CODE_POINTS: Final = 0x20000
"""Size of the table; texts with characters beyond it (rare Chinese ones) are left to the plain code."""

COMMON: Final = (*range(0x3000), *range(0xFE00, 0xFF00), *range(0x1F000, 0x1FB00))
"""Code points common in European news, including signs and pictographs. All others, such as Chinese characters, are
left to the plain code: to classify them would take each process a third of a second."""


class CharacterClass(IntEnum):
    """Kinds of characters. The order matters to the scanner: letters come first. Some are only in raw text."""

    CAPITAL = 0  # a letter that may open a sentence
    LETTER = 1  # any other letter
    OTHER = 2  # neither a letter, digit nor underscore; no effect on its neighbours
    HYPHEN = 3  # joins two letters
    FIGURE = 4  # a digit or an underscore: ends a word; the sentence continues
    STOP = 5  # a full stop
    OPENER = 6  # any other character after which a sentence begins
    APOSTROPHE = 7  # raw text: becomes a letter between letters
    QUOTE = 8  # raw text: a double quote, which some use as an apostrophe
    MARKUP = 9  # raw text: may begin or be part of an address, an entity, a tag or a field
    INVISIBLE = 10  # raw text: dropped, without effect between two characters that are not both letters
    UNCLEAN = 11  # raw text: cleaning changes it, or may change it together with its neighbours
    UNKNOWN = 12  # left to the plain code, as is any text with such a character


_MARKUP: Final = "&<%{@"


@cache
def classes_of_cleaned_text() -> Uint8s:
    """Kind of every code point in text that ``normalise.clean`` returned: uint8 (CODE_POINTS,)."""
    # Look up the numbers once, not for each of the hundred thousand characters: an enumeration is slow.
    capital, letter, other = map(int, (CharacterClass.CAPITAL, CharacterClass.LETTER, CharacterClass.OTHER))
    kinds = np.full(CODE_POINTS, CharacterClass.UNKNOWN, dtype=np.uint8)
    characters = [chr(point) for point in COMMON]
    kinds[[*COMMON]] = other
    kinds[[ord(one) for one in characters if one == "_" or one.isalnum()]] = CharacterClass.FIGURE
    words = surfaces("\n".join(characters))
    kinds[[ord(word[-1]) for word in words]] = [capital if word[0] == SENTENCE_MARK else letter for word in words]
    rest = np.flatnonzero(kinds == other)
    after = surfaces("".join(f"б {chr(point)}А," for point in rest.tolist()))[1::2]
    kinds[rest[_opening(after)]] = CharacterClass.OPENER
    # The expression for initials accepts some capitals that are not letters: a full stop after one is not an opener.
    after = surfaces("".join(f"б{chr(point)}. А," for point in rest.tolist()))[1::2]
    kinds[rest[~_opening(after)]] = CharacterClass.UNKNOWN
    kinds[ord(SENTENCE_MARK)] = CharacterClass.UNKNOWN
    kinds[ord("-")] = CharacterClass.HYPHEN
    kinds[ord(".")] = CharacterClass.STOP
    return kinds


def _opening(words: list[str]) -> Bools:
    return np.array([word[0] == SENTENCE_MARK for word in words], dtype=np.bool_)


@cache
def classes_of_raw_text() -> Uint8s:
    """Kind of every code point in any text: uint8 (CODE_POINTS,)."""
    kinds = classes_of_cleaned_text().copy()
    characters = [chr(point) for point in COMMON if point != ord("\n")]
    for one, after in zip(characters, clean("\n".join(characters)).split("\n"), strict=True):
        if after != one or unicodedata.combining(one):
            marks = after or unicodedata.combining(one)
            kinds[ord(one)] = CharacterClass.UNCLEAN if marks else CharacterClass.INVISIBLE
    kinds[[point for point in composing() if kinds[point] != CharacterClass.UNKNOWN]] = CharacterClass.UNCLEAN
    for one in APOSTROPHES:
        kinds[ord(one)] = (
            CharacterClass.APOSTROPHE if kinds[ord(one)] == CharacterClass.OTHER else CharacterClass.UNCLEAN
        )
    kinds[[ord(one) for one in _MARKUP]] = CharacterClass.MARKUP
    kinds[ord('"')] = CharacterClass.QUOTE
    return kinds


@cache
def composing() -> list[int]:
    """Code points that may combine with the character before them."""
    parts = [found.split() for found in set(map(unicodedata.decomposition, map(chr, range(CODE_POINTS))))]
    second = {int(pair[1], 16) for pair in parts if len(pair) == 2 and not pair[0].startswith("<")}
    hangul = [*range(0x1161, 0x1176), *range(0x11A8, 0x11C3)]
    return sorted(point for point in second.union(hangul) if point < CODE_POINTS)
