"""Stem forms: Snowball for Russian, English and others, our own light stemmer for Ukrainian.

Ukrainian is never stemmed by the Russian stemmer (which groups .42 of the forms of a word), nor by a Ukrainian one that
a later Snowball may include: the stems must not depend on the installed version. Snowball (M. Porter, 2001,
https://snowballstem.org) comes from ``snowballstemmer``, which takes the compiled code of PyStemmer.

Many words in memory as UTF-8 are stemmed by ``compiled.stemming``, to the same stems.

The parts of a hyphenated word are stemmed separately, because both may be inflected: инженеров-строителей.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Final

import snowballstemmer

from infostream_dedup.language.lexicon.spelling import APOSTROPHE
from infostream_dedup.language.morphology.ukrainian_stemmer import stem_ukrainian

ALGORITHMS: Final = {
    "ru": "russian", "en": "english",
    "ar": "arabic", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german", "el": "greek", "eo": "esperanto",
    "es": "spanish", "et": "estonian", "eu": "basque", "fa": "persian", "fi": "finnish", "fr": "french", "ga": "irish",
    "hi": "hindi", "hu": "hungarian", "hy": "armenian", "id": "indonesian", "it": "italian", "lt": "lithuanian",
    "nb": "norwegian", "ne": "nepali", "nl": "dutch", "nn": "norwegian", "no": "norwegian", "pl": "polish",
    "pt": "portuguese", "ro": "romanian", "sr": "serbian", "st": "sesotho", "sv": "swedish", "ta": "tamil",
    "tr": "turkish", "yi": "yiddish",
}  # fmt: skip
"""Snowball's names of languages. Words of languages not listed here are their own stems."""


def stem(form: str, language: str) -> str:
    """Return the stem of one form; ``stems`` is faster for many.

    Example:
        >>> stem("премьер-министрами", "ru"), stem("trumpʼs", "en"), stem("українською", "uk")
        ('премьер-министр', 'trump', 'українськ')
    """
    return stems([form], language)[0]


def stems(forms: Sequence[str], language: str) -> list[str]:
    """Return the stems of many forms, in order."""
    stem_words = _stemmer(language)
    stemmed = stem_words(forms)
    compound = [number for number, form in enumerate(forms) if "-" in form]
    for number in compound:
        stemmed[number] = "-".join(stem_words(forms[number].split("-")))
    return stemmed


@cache
def _stemmer(language: str) -> Callable[[Sequence[str]], list[str]]:
    """Return a function from words without hyphens to their stems."""
    if language == "uk":
        return _stem_ukrainian_words
    if language not in ALGORITHMS:
        return list
    # PyStemmer's, whose cache would only cost time, as every form occurs once; without it, the same in Python.
    snowball = snowballstemmer.stemmer(ALGORITHMS[language])
    snowball.maxCacheSize = 0

    def stem_words(words: Sequence[str]) -> list[str]:
        # The English stemmer only recognises the possessive with the typewriter apostrophe.
        typed = [word.replace(APOSTROPHE, "'") if APOSTROPHE in word else word for word in words]
        found: list[str] = snowball.stemWords(typed)
        return [one.replace("'", APOSTROPHE) if "'" in one else one for one in found]

    return stem_words


def _stem_ukrainian_words(words: Sequence[str]) -> list[str]:
    return [stem_ukrainian(word) for word in words]
