"""The letters that words of each language may have."""

from __future__ import annotations

import re
from typing import Final

from infostream_dedup.model import Language

__all__ = ["NAME_OF", "mixed_part", "stray_letter"]

NAME_OF: Final[dict[Language, str]] = {"ru": "Russian", "uk": "Ukrainian", "en": "English"}

_STRAY: Final[dict[Language, re.Pattern[str]]] = {
    "ru": re.compile("[іїєґ]|(?![а-яё])\\w", re.IGNORECASE),
    "uk": re.compile("[ыэъё]|(?![а-яіїєґ\u02bc])\\w", re.IGNORECASE),
    "en": re.compile("[\u0370-\u1fff]", re.IGNORECASE),
}
_STRAY_BESIDE_LATIN: Final[dict[Language, re.Pattern[str]]] = {
    "ru": re.compile("[іїєґ]", re.IGNORECASE),
    "uk": re.compile("[ыэъё]", re.IGNORECASE),
    "en": _STRAY["en"],
}


_MIXED: Final = re.compile("[^\\W\\d_]*(?:[\u0400-\u052f][a-z]|[a-z][\u0400-\u052f])[^\\W\\d_]*", re.IGNORECASE)


def mixed_part(word: str) -> str:
    """Return the first run of letters that mixes Latin and Cyrillic; empty if there is none.

    >>> mixed_part("BMWшник"), mixed_part("IT-компания")
    ('BMWшник', '')
    """
    found = _MIXED.search(word)
    return found.group() if found else ""


def stray_letter(word: str, language: Language, *, latin: bool = False) -> str:
    """Return the first letter or digit that words of the language do not have; empty if there is none.

    Args:
        word: a word or phrase.
        language: its language.
        latin: whether Latin letters and digits are also allowed in Cyrillic words, as in names of firms.

    >>> stray_letter("мова", "uk"), stray_letter("жизнь", "uk"), stray_letter("жызнь", "uk")
    ('', '', 'ы')
    """
    found = (_STRAY_BESIDE_LATIN if latin else _STRAY)[language].search(word)
    return found.group() if found else ""
