"""What pymorphy3, wordfreq and names-translator know about a word, to distinguish words from typing errors."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import Any, Final

from infostream_dedup.language.lexicon.frequency import form_frequencies
from infostream_dedup.language.lexicon.name_tables import personal_names
from infostream_dedup.language.lexicon.spelling import APOSTROPHE, is_latin, key_form
from infostream_dedup.language.lexicon.word_lists import added_nouns
from infostream_dedup.language.translation.international_key import international_keys
from infostream_dedup.language.translation.romanisation import latin_key
from infostream_dedup.language.translation.transcription import folded_cyrillic, folded_latin, transcription_cost
from infostream_dedup.model import Language

__all__ = ["is_confirmed", "is_known", "misfit", "parts"]

_PART: Final = re.compile(f"[^\\W\\d_]+(?:{APOSTROPHE}[^\\W\\d_]+)*")
_ALIKE: Final = 0.4
"""Maximum transcription cost at which another language's spelling confirms a name."""

_FITTING: Final = {
    "noun": frozenset(("NOUN",)),
    "adj": frozenset(("NOUN", "ADJF", "PRTF")),
}


def parts(word: str) -> list[str]:
    """Return the runs of letters of a word or phrase, as key forms.

    >>> parts("Нью-Йорк таймс")
    ['нью', 'йорк', 'таймс']
    """
    return _PART.findall(key_form(word))


def is_known(part: str, language: Language) -> bool:
    """Return whether pymorphy3, wordfreq, names-translator or our list of new nouns contains the word.

    Args:
        part: one run of letters, a key form.
        language: language of the word.
    """
    if form_frequencies(language)(part) > 0:
        return True
    if language == "en":
        return form_frequencies("en")(_strip_diacritics(part)) > 0
    return (
        bool(_analyzer(language).word_is_known(part.replace(APOSTROPHE, "'")))
        or part in personal_names(language)
        or part in added_nouns(language)
    )


def is_confirmed(part: str, language: Language, others: list[tuple[str, Language]]) -> bool:
    """Return whether a word of another language is the same word in other letters.

    Examples are Zelenskyy for Зеленський, and international words.

    Args:
        part: one run of letters, a key form.
        language: language of the word.
        others: words of the other languages as key forms, each with its language.
    """
    key, roots = latin_key(_strip_diacritics(part)), set(international_keys(part, language))
    if any(not roots.isdisjoint(international_keys(other, its)) for other, its in others):
        return True
    return any(
        latin_key(_strip_diacritics(other)) == key or _measure_cost(part, language, other, its) <= _ALIKE
        for other, its in others
    )


def misfit(word: str, language: Language, part_of_speech: str) -> str:
    """Return why a word cannot be what its row says; empty if it can or if nothing is known about it.

    Args:
        word: one word, a key form.
        language: language of the word.
        part_of_speech: ``noun`` or ``adj``.
    """
    if word in added_nouns(language):
        return ""
    if language == "en":
        # No installed package knows English parts of speech, and many stop words are also nouns (well, back).
        return ""
    spelling = word.replace(APOSTROPHE, "'")
    if not _analyzer(language).word_is_known(spelling):
        return ""
    tags = [parse.tag for parse in _analyzer(language).parse(spelling)]
    fitting = [tag for tag in tags if str(tag.POS) in _FITTING[part_of_speech]]
    if not fitting:
        expected = "a noun" if part_of_speech == "noun" else "an adjective"
        return f"is not {expected} ({', '.join(sorted({str(tag.POS) for tag in tags}))})"
    # Abbreviations have no case.
    if all(tag.case not in (None, "nomn") for tag in fitting):
        return "is not a nominative"
    return ""


def _measure_cost(one: str, language: Language, other: str, its: Language) -> float:
    if (language == "en") == (its == "en"):
        return float("inf")
    latin, cyrillic = (one, other) if language == "en" else (other, one)
    return transcription_cost(folded_latin(latin), folded_cyrillic(cyrillic))


def _strip_diacritics(part: str) -> str:
    """Strip the diacritics of a Latin word, as most English texts do: Šefčovič becomes Sefcovic."""
    if not is_latin(part):
        return part
    decomposed = unicodedata.normalize("NFD", part.replace("ł", "l").replace("đ", "d").replace("ı", "i"))
    return "".join(char for char in decomposed if not unicodedata.combining(char))


@cache
def _analyzer(language: Language) -> Any:
    from pymorphy3 import MorphAnalyzer

    return MorphAnalyzer(lang=language)
