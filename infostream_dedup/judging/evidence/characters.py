"""What each character means to the evidence reader: three tables by code point, made from Python's Unicode data."""

from __future__ import annotations

import re
import unicodedata
from enum import IntEnum
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from infostream_dedup.language.text.normalise import APOSTROPHES, INVISIBLE, MARKS, TO_CYRILLIC, TO_LATIN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


CODE_POINTS: Final = 0x10000
"""Number of code points in the tables; any character beyond them separates words."""

CYRILLIC_BEGIN: Final = 0x400
"""First Cyrillic code point. Letters below it count as Latin, letters above it as Cyrillic; others have no twins."""

TWINS: Final = 0x460
"""Length of ``Alphabet.twins``: up to the last Cyrillic letter that may have a look-alike."""


class CharacterKind(IntEnum):
    """Kinds of characters; compiled code sees the value."""

    OTHER = 0
    SMALL = 1
    CAPITAL = 2
    DIGIT = 3
    DROPPED = 4
    """Invisible characters and combining marks: the reader removes them first."""
    APOSTROPHE = 5
    """Removed between two letters."""
    POINT = 6
    COMMA = 7
    SPACE = 8
    """Spaces that group the digits of a number."""
    OPENER = 9
    """Ends a sentence, besides ``POINT``."""
    HYPHEN = 10
    SLASH = 11


_DROPPED: Final = re.compile(f"[{INVISIBLE}{MARKS}]")
_SIGNS: Final[dict[CharacterKind, str]] = {
    CharacterKind.APOSTROPHE: APOSTROPHES,
    CharacterKind.POINT: ".",
    CharacterKind.COMMA: ",",
    CharacterKind.SPACE: " \u00a0\u2009\u202f",
    CharacterKind.OPENER: "!?…\n\r",
    CharacterKind.HYPHEN: "-\u2010\u2011",
    CharacterKind.SLASH: "/",
}

_LATIN_OF: Final[dict[str, str]] = {
    **dict(zip("абвгґдежзиклмнопрстуфхцчшщєіэыюя", "abvggdejziklmnoprstufhccsseieiua", strict=True)),
    "w": "v",
    "q": "k",
    "y": "i",
}
"""Latin letter that a folded letter has in a skeleton; other letters of a-z stay as they are, ``x`` becomes ``ks``."""


class Alphabet(NamedTuple):
    """The tables, indexed by code point.

    Attributes:
        kinds: uint8 (CODE_POINTS,), the ``CharacterKind`` of each code point.
        folded: uint16 (CODE_POINTS,), lower-case letter without accents, or value of a digit; 0 for other characters.
        latin: uint8 (CODE_POINTS,), Latin letter of a *folded* letter, 1 to 26; 0 for letters without one.
        twins: uint16 (2, TWINS), folded letter of the other alphabet that looks like a *folded* letter: like its small
            form and like its capital; 0 if there is none.
    """

    kinds: NDArray[np.uint8]
    folded: NDArray[np.uint16]
    latin: NDArray[np.uint8]
    twins: NDArray[np.uint16]


@cache
def alphabet() -> Alphabet:
    """Build the tables; takes about 40 ms, once per process."""
    kinds = np.zeros(CODE_POINTS, dtype=np.uint8)
    folded = np.zeros(CODE_POINTS, dtype=np.uint16)
    latin = np.zeros(CODE_POINTS, dtype=np.uint8)
    for point in range(CODE_POINTS):
        character = chr(point)
        if _DROPPED.match(character):
            kinds[point] = CharacterKind.DROPPED
        elif character.isalpha():
            kinds[point] = CharacterKind.CAPITAL if character.isupper() else CharacterKind.SMALL
            folded[point] = _folded_letter(character)
        elif character.isdecimal():
            kinds[point], folded[point] = CharacterKind.DIGIT, int(character)
    for kind, signs in _SIGNS.items():
        kinds[[ord(sign) for sign in signs]] = kind
    for letter in "abcdefghijklmnopqrstuvwxyz":
        latin[ord(letter)] = ord(letter) - 96
    for letter, written in _LATIN_OF.items():
        latin[ord(letter)] = ord(written) - 96
    twins = np.zeros((2, TWINS), dtype=np.uint16)
    for point, twin in (*TO_CYRILLIC.items(), *TO_LATIN.items()):
        twins[int(kinds[point] == CharacterKind.CAPITAL), folded[point]] = folded[twin]
    return Alphabet(kinds, folded, latin, twins)


def in_one_alphabet(folded: str, capitals: Sequence[bool]) -> str:
    """Repair a folded word that mixes Latin and Cyrillic letters, as ``text.normalise.fold`` does for key terms.

    The word becomes Cyrillic if all its Latin letters have a Cyrillic look-alike, otherwise Latin if all its Cyrillic
    letters have a Latin one; otherwise it is unchanged.
    """
    twins = alphabet().twins
    for from_cyrillic in (False, True):
        found = [
            int(twins[int(capital), ord(letter)]) if ord(letter) < TWINS else 0
            for letter, capital in zip(folded, capitals, strict=True)
        ]
        replaced = [(ord(letter) >= CYRILLIC_BEGIN) == from_cyrillic for letter in folded]
        if all(found[at] for at in range(len(folded)) if replaced[at]) and not all(replaced):
            return "".join(
                chr(twin) if wanted else letter for letter, twin, wanted in zip(folded, found, replaced, strict=True)
            )
    return folded


def _folded_letter(character: str) -> int:
    """Return the lower-case letter without accents: ё becomes е, й becomes и, a ligature its first letter."""
    small = unicodedata.normalize("NFKD", character.lower())
    base = next((one for one in small if not unicodedata.combining(one)), character)
    return ord(base) if ord(base) < CODE_POINTS else ord(character)
