"""Chooses the form of a word for a number by the plural rules of Unicode CLDR for our three languages."""

from __future__ import annotations

from typing import Literal

__all__ = ["PluralForm", "plural_form"]

PluralForm = Literal["one", "few", "many", "other"]


def plural_form(number: int, language: str) -> PluralForm:
    """Return the form: ``one`` or ``other`` in English, ``one``, ``few`` or ``many`` in Russian and Ukrainian."""
    if language == "en":
        return "one" if number == 1 else "other"
    if number % 10 == 1 and number % 100 != 11:
        return "one"
    if 2 <= number % 10 <= 4 and not 12 <= number % 100 <= 14:
        return "few"
    return "many"
