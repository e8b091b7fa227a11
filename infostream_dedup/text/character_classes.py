"""What every character means to the scanner: the rules of ``normalise`` and ``tokens`` as a table of code points.

The table is made from the regular expressions' own alphabets and from Python's own Unicode data when it is first
needed, so that the scanner and the plain code cannot drift apart with a new version of Python.
"""

from __future__ import annotations

import re
import unicodedata
from enum import IntEnum
from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.text.normalise import APOSTROPHES, clean
from infostream_dedup.text.tokens import SENTENCE_MARK, surfaces

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["CODE_POINTS", "Kind", "classes_of_cleaned_text", "classes_of_raw_text"]

CODE_POINTS: Final = 0x20000
"""Code points the table knows; texts with characters beyond (rare Chinese ones) are left to the plain code."""


class Kind(IntEnum):
    """Kinds of characters. The order matters to the scanner: letters come first."""

    CAPITAL = 0
    """A letter that may open a sentence."""
    LETTER = 1
    """Any other letter."""
    OTHER = 2
    """Neither letter, digit nor underscore, and of no effect on its neighbours."""
    HYPHEN = 3
    """Joins two letters."""
    FIGURE = 4
    """A digit or an underscore: ends a word and says that the sentence goes on."""
    STOP = 5
    """A full stop."""
    OPENER = 6
    """Any other character after which a sentence opens."""
    APOSTROPHE = 7
    """Raw text only: becomes a letter between letters."""
    QUOTE = 8
    """Raw text only: a double quote, which some use for an apostrophe."""
    MARKUP = 9
    """Raw text only: may begin or hold an address, an entity, a tag or a field."""
    INVISIBLE = 10
    """Raw text only: dropped, of no effect between two characters that are not both letters."""
    UNCLEAN = 11
    """Raw text only: what cleaning changes, or may change together with its neighbours."""
    UNKNOWN = 12
    """Left to the plain code."""


_CAPITAL: Final = "A-ZÀ-ÖØ-Þ\u0100-\u017f\u0386-\u03ab\u0400-\u042f\u0460-\u052f"
_EVERYTHING: Final = "".join(map(chr, range(CODE_POINTS)))
