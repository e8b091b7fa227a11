"""Words in use in a language, to search for answers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Final

from infostream_dedup.language.lexicon.frequency import form_table
from infostream_dedup.language.lexicon.spelling import APOSTROPHE
from infostream_dedup.model import Language

_WORDS: Final[dict[Language, re.Pattern[str]]] = {
    "ru": re.compile("[а-яё]{2,}"),
    "uk": re.compile("[а-щьюяєіїґ']{2,}"),
    "en": re.compile("[a-z]{2,}"),
}


def frequent_words(language: Language) -> tuple[str, ...]:
    """Return words of letters with a share above 1e-8 of running words, as key forms, most frequent first.

    These are about 660,000 Russian, 400,000 Ukrainian and 290,000 English words, lemmas and other forms alike.
    """
    return tuple(places_of_words(language))


@cache
def places_of_words(language: Language) -> Mapping[str, int]:
    """Return the same words, each with the place of its most frequent spelling in the table of frequencies."""
    is_word = _WORDS[language].fullmatch
    table = form_table(language)
    forms = list(table.forms)
    found: dict[str, int] = {}
    for place in table.places_in_order().tolist():
        if is_word(forms[place]):
            found.setdefault(as_key_form(forms[place]), place)
    return found


def as_key_form(form: str) -> str:
    """Return the key form of a word of letters as the table of frequencies spells it."""
    return form.replace("ё", "е").replace("'", APOSTROPHE)
