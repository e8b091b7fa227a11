"""The spelling under which every word is looked up."""

from __future__ import annotations

import unicodedata
from typing import Final

__all__ = ["APOSTROPHE", "key_form"]

APOSTROPHE: Final = "\u02bc"
"""Modifier letter apostrophe, the only apostrophe inside the words of this package."""

_FOLD: Final = str.maketrans({"ё": "е", "'": APOSTROPHE, "’": APOSTROPHE, "`": APOSTROPHE, "‘": APOSTROPHE})


def key_form(word: str) -> str:
    """Return the spelling of a word as a key: composed, case-folded, ``ё`` as ``е``, one kind of apostrophe.

    >>> key_form("Пётр"), key_form("ім'я")
    ('петр', 'імʼя')
    """
    return unicodedata.normalize("NFC", word).casefold().translate(_FOLD)
