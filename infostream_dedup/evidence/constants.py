"""Numbers that the plain and the compiled reader share. Changing one changes every stored record."""

from __future__ import annotations

from typing import Final

__all__ = [
    "DATE_BIT",
    "FIGURE_SEED",
    "FIRST_YEAR",
    "HEAD_BIT",
    "HEAD_CHARACTERS",
    "LAST_YEAR",
    "LEAD_WORDS",
    "LONGEST_ACRONYM",
    "PREFIX",
    "SEED",
    "SHORTEST_FORM_WORD",
    "SHORTEST_NAME",
    "TITLE_SEED",
    "WORD_LETTERS",
]

SEED: Final = 0xCBF29CE484222325
"""Start of every word hash."""
FIGURE_SEED: Final = 0x84222325CBF29CE4
"""Start of every number hash."""
TITLE_SEED: Final = 0x9E3779B97F4A7C15
"""Start of a title hash; a title without words keeps 0."""

PREFIX: Final = 5
"""Letters of a word that lead and body keep."""
WORD_LETTERS: Final = 4
"""Fewest letters of a word in lead and body."""
LEAD_WORDS: Final = 20
"""Words of a lead."""
SHORTEST_NAME: Final = 3
"""Fewest letters of a capitalised word that counts as a name."""
SHORTEST_FORM_WORD: Final = 3
"""Fewest letters of a word in the form of a title: prepositions come and go with dates."""
LONGEST_ACRONYM: Final = 6
"""A longer word in capitals says nothing: headlines are written so."""

HEAD_CHARACTERS: Final = 200
"""Characters after the title in which a date names the edition."""
FIRST_YEAR: Final = 1990
LAST_YEAR: Final = 2039

TITLE_FIGURE_DIGITS: Final = 3
"""Fewest digits of a figure in a title that a translation repeats: smaller ones may be written as words."""
TITLE_FIGURE_BITS: Final = 11
"""Bits that mark the figures of a title."""

HEAD_BIT: Final = 1
"""Bit of a number that occurs in the title or soon after it."""
DATE_BIT: Final = 2
"""Of a number: it is a day of a month, or a year."""
