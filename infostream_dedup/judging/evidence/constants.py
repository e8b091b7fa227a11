"""Constants of the reader. Changing one changes every stored record."""

from __future__ import annotations

from typing import Final

SEED: Final = 0xCBF29CE484222325  # seed of every word hash
FIGURE_SEED: Final = 0x84222325CBF29CE4  # seed of every number hash
TITLE_SEED: Final = 0x9E3779B97F4A7C15  # seed of a title hash; the hash of a title without words is 0
PREFIX: Final = 5  # letters at the beginning of a word that lead and body keep
WORD_LETTERS: Final = 4  # minimum length of a word in lead and body, in letters
LEAD_WORDS: Final = 20  # number of words in a lead
SHORTEST_NAME: Final = 3  # minimum length of a capitalised word that counts as a name, in letters
SHORTEST_FORM_WORD: Final = 3
"""Minimum length of a word in the form of a title, in letters: prepositions come and go with dates."""
LONGEST_ACRONYM: Final = 6
"""Longest word in capitals that counts as a name, in letters: longer ones are mostly headlines."""

HEAD_CHARACTERS: Final = 200  # number of characters after the title in which a date identifies the edition
FIRST_YEAR: Final = 1990
LAST_YEAR: Final = 2039

OPENING: Final = 512
"""Characters of title and text that a record keeps as they are written, to compare them word by word."""

TITLE_FIGURE_DIGITS: Final = 3
"""Fewest digits of a figure in a title that a translation repeats: smaller ones may be written as words."""
TITLE_FIGURE_BITS: Final = 11  # bits that mark the figures of a title
HEAD_BIT: Final = 1  # bit set in a number that occurs in the title or soon after it
DATE_BIT: Final = 2  # bit set in a number that is a day of a month or a year
