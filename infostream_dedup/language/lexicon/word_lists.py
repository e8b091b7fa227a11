"""Word lists written for this package: stop words, nouns that are never key terms, repairs, additional nouns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Final

from infostream_dedup.language.lexicon.folder import dictionaries_folder
from infostream_dedup.language.lexicon.other_languages import most_frequent_words
from infostream_dedup.language.lexicon.spelling import key_form
from infostream_dedup.language.lexicon.tables import TableRow, read_table, read_words
from infostream_dedup.model import OUR_LANGUAGES, Language

_STOP_WORDS: Final = 100


@dataclass(frozen=True, slots=True)
class ListedWord:
    """A word's entry in a table.

    Attributes:
        lemma: correct lemma; empty if the form is not a noun.
        why: reason in a few words.
        place: ``file:line`` of the entry.
    """

    lemma: str
    why: str
    place: str


@cache
def stop_words(language: str) -> frozenset[str]:
    """Return the key forms of function words and the like.

    For languages other than ours these are the hundred most frequent words, if wordfreq covers the language.
    """
    if language not in OUR_LANGUAGES:
        return frozenset(map(key_form, most_frequent_words(language, _STOP_WORDS)))
    return frozenset(map(key_form, read_words(dictionaries_folder() / f"stop_{language}.txt")))


@cache
def excluded(language: Language) -> Mapping[str, ListedWord]:
    """Return, by key form, lemmas of nouns that are never key terms: calendar, units, reporting formulas."""
    return _read_listed_words("excluded.tsv", ("language", "word", "why"), language)


@cache
def repairs(language: Language) -> Mapping[str, ListedWord]:
    """Return, by key form, the forms that the morphological dictionary gets wrong, with their correct lemmas.

    A wrong lemma may be listed as such a form too. An empty lemma means that in news the form is not a noun.
    """
    return _read_listed_words("repairs.tsv", ("language", "word", "lemma", "why"), language)


@cache
def added_nouns(language: Language) -> Mapping[str, ListedWord]:
    """Return, by key form, lemmas of common nouns that pymorphy3 does not know yet."""
    return _read_listed_words("nouns.tsv", ("language", "word", "why"), language)


@cache
def translated_names(language: Language) -> Mapping[str, ListedWord]:
    """Return, by key form, nouns that are translated as nouns even if they are written as names."""
    return _read_listed_words("translated_names.tsv", ("language", "word", "why"), language)


def _read_listed_words(file: str, columns: tuple[str, ...], language: Language) -> Mapping[str, ListedWord]:
    found: dict[str, ListedWord] = {}
    for row in read_table(dictionaries_folder() / file, columns):
        if _check_language(row) != language:
            continue
        key = key_form(row.cells["word"])
        if not key:
            raise row.bad("word", "empty; expected a word")
        if key in found:
            raise row.bad("word", f"{row.cells['word']!r} is already in {found[key].place}; expected it once")
        lemma = key_form(row.cells["lemma"]) if "lemma" in columns else key
        found[key] = ListedWord(lemma, row.cells["why"], f"{row.file}:{row.line}")
    return MappingProxyType(found)


def _check_language(row: TableRow) -> str:
    language = row.cells["language"]
    if language not in OUR_LANGUAGES:
        raise row.bad("language", f"{language!r}; expected one of {', '.join(OUR_LANGUAGES)}")
    return language
