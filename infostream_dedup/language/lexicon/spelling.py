"""The spelling under which every word is looked up: its key form."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

APOSTROPHE: Final = "\u02bc"
"""Modifier letter apostrophe, the only apostrophe inside the words of this package."""

_LATIN: Final = re.compile("[a-z\u00df-\u024f\\d]+(?:[-\u02bc.&][a-z\u00df-\u024f\\d]+)*")
_CYRILLIC_LETTERS: Final = re.compile("[\u0400-\u052f\u02bc]+")
_LATIN_LETTERS: Final = re.compile("[^\\W\\d_\u0250-\U0010ffff]+(?:\u02bc[^\\W\\d_\u0250-\U0010ffff]+)*")
_TYPED: Final = "'’`‘"


def key_form(word: str) -> str:
    """Return the spelling of a word as a key: composed, case-folded, ``ё`` as ``е``, one kind of apostrophe.

    >>> key_form("Пётр"), key_form("ім'я")
    ('петр', 'імʼя')
    """
    key = unicodedata.normalize("NFC", word).casefold().replace("ё", "е")
    # A million words pass through here on a first start; ``replace`` costs nothing if there is nothing to replace.
    for sign in _TYPED:
        key = key.replace(sign, APOSTROPHE)
    return key


def is_latin(term: str) -> bool:
    """Whether a key form is written in Latin letters (and digits).

    >>> is_latin("youtube"), is_latin("it-компания")
    (True, False)
    """
    return bool(_LATIN.fullmatch(term))


def alphabet(part: str) -> str:
    """``latin``, ``cyrillic``, or empty for anything else, of a key form without hyphens."""
    if _CYRILLIC_LETTERS.fullmatch(part):
        return "cyrillic"
    return "latin" if _LATIN_LETTERS.fullmatch(part) else ""
