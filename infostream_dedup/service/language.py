"""The texts of the pages in Ukrainian, Russian and English."""

from __future__ import annotations

import functools
from importlib import resources
from typing import Any, Final, Literal

import orjson

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


PAGE_LANGUAGES: Final = {"uk": "Українська", "ru": "Русский", "en": "English"}
"""The name of each language in that language."""


class PageWords:
    """The words of one language."""

    def __init__(self, language: str, words: dict[str, Any]) -> None:
        self.language, self._words = language, words

    def __call__(self, key: str, number: int | None = None, **values: object) -> str:
        """Return the text of a key, in the form that fits a number, with values filled in."""
        found = self._words[key]
        if isinstance(found, dict):
            found = found[plural_form(number or 0, self.language)]
        return str(found).format(number=number, **values)

    def keys(self) -> dict[str, Any]:
        """All texts by key."""
        return dict(self._words)


@functools.cache
def words_of(language: str) -> PageWords:
    """The texts of a language, read once."""
    data = (resources.files("infostream_dedup.service") / "locale" / f"{language}.json").read_bytes()
    return PageWords(language, orjson.loads(data))


def chosen_language(asked: str | None, kept: str | None, accepted: str) -> str:
    """The language of a page."""
    for language in (asked, kept, *(part.split(";")[0].split("-")[0].strip() for part in accepted.split(","))):
        if language in PAGE_LANGUAGES:
            return language
    return "en"
