"""Words in use in a language, to search for answers."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from infostream_dedup.language.lexicon.spelling import APOSTROPHE
from infostream_dedup.model import Language

__all__ = ["frequent_words"]

_WORDS: Final[dict[Language, re.Pattern[str]]] = {
    "ru": re.compile("[а-яё]{2,}"),
    "uk": re.compile("[а-щьюяєіїґ']{2,}"),
    "en": re.compile("[a-z]{2,}"),
}


@cache
def frequent_words(language: Language) -> tuple[str, ...]:
    """Return words of letters with a share above 1e-8 of running words, as key forms, most frequent first.

    These are about 660,000 Russian, 430,000 Ukrainian and 260,000 English words, lemmas and other forms alike.
    """
    from wordfreq import get_frequency_dict

    is_word = _WORDS[language].fullmatch
    words = filter(is_word, get_frequency_dict(language, "large"))
    if language == "ru":
        return tuple(dict.fromkeys(word.replace("ё", "е") for word in words))
    return tuple(word.replace("'", APOSTROPHE) for word in words)
