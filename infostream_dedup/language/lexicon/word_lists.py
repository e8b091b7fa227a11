"""Word lists written for this package: stop words, nouns that are never key terms, repairs, additional nouns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Final

from infostream_dedup.language.lexicon.name_tables import variants
from infostream_dedup.language.lexicon.other_languages import most_frequent_words
from infostream_dedup.language.lexicon.tables import dictionaries_folder, key_form, read_table, read_words
from infostream_dedup.model import OUR_LANGUAGES, Language

_STOP_WORDS: Final = 100

NEGATIONS: Final = frozenset(
    "не ни нет нельзя без никто ничего никогда ні немає нема неможливо ніхто нічого ніколи no not never nobody"
    " nothing without cannot neither nor donʼt doesnʼt didnʼt wonʼt canʼt isnʼt arenʼt wasnʼt werenʼt hasnʼt havenʼt"
    " hadnʼt wouldnʼt couldnʼt shouldnʼt refused refuses failed fails declined declines отказался отказалась"
    " отказались отказалось відмовився відмовилася відмовилась відмовилися відмовились".split()
)
"""Key forms of words that deny what follows."""


@dataclass(frozen=True, slots=True)
class ListedWord:
    """A word's entry in a table."""

    lemma: str  # correct lemma; empty if the form is not a noun
    why: str  # reason in a few words
    place: str  # `file:line` of the entry


@cache
def stop_words(language: str) -> frozenset[str]:
    """Key forms of function words and the like; for other languages than ours, the hundred most frequent words."""
    if language not in OUR_LANGUAGES:
        return frozenset(map(key_form, most_frequent_words(language, _STOP_WORDS)))
    return frozenset(map(key_form, read_words(dictionaries_folder() / f"stop_{language}.txt")))


@cache
def excluded(language: Language) -> Mapping[str, ListedWord]:
    """Return, by key form, lemmas of nouns that are never key terms: calendar, units, reporting formulas."""
    return _read_listed_words("excluded.tsv", ("language", "word", "why"), language)


@cache
def repairs(language: Language) -> Mapping[str, ListedWord]:
    """Return, by key form, forms that the morphological dictionary gets wrong, with lemmas, empty for no noun."""
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
        listed = row.cells["language"]
        if listed not in OUR_LANGUAGES:
            raise row.bad("language", f"{listed!r}; expected one of {', '.join(OUR_LANGUAGES)}")
        if listed != language:
            continue
        key = key_form(row.cells["word"])
        if not key:
            raise row.bad("word", "empty; expected a word")
        if key in found:
            raise row.bad("word", f"{row.cells['word']!r} is already in {found[key].place}; expected it once")
        lemma = key_form(row.cells["lemma"]) if "lemma" in columns else key
        found[key] = ListedWord(lemma, row.cells["why"], f"{row.file}:{row.line}")
    return MappingProxyType(found)


# Hand-written tables for translation: concepts in three languages, false friends, words never to answer with


@dataclass(frozen=True, slots=True)
class Concept:
    """One row of ``translations.tsv``."""

    # key forms by language, the most common first; includes phrases of several words
    words: Mapping[Language, tuple[str, ...]]
    part_of_speech: str  # `noun` or `adj` (an adjective used as a noun)
    source: str  # origin of the row; `own` for this project
    place: str  # `file:line` of the row


@dataclass(frozen=True, slots=True)
class FalseFriend:
    """One row of ``false_friends.tsv``, in key forms."""

    ru: str  # Russian word
    uk: str  # Ukrainian word that looks like it
    right_uk: tuple[str, ...]  # Ukrainian translations of the Russian word
    is_wrong: bool  # True if `uk` is never a translation, False if it is one of several


@cache
def concepts() -> tuple[Concept, ...]:
    """Return all rows of ``translations.tsv`` in order, roughly from the most frequent down."""
    rows = read_table(dictionaries_folder() / "translations.tsv", (*OUR_LANGUAGES, "pos", "source"))
    return tuple(
        Concept(
            {one: tuple(dict.fromkeys(map(key_form, variants(row, one)))) for one in OUR_LANGUAGES},
            row.cells["pos"],
            row.cells["source"],
            f"{row.file}:{row.line}",
        )
        for row in rows
    )


@cache
def false_friends() -> tuple[FalseFriend, ...]:
    """Return all rows of ``false_friends.tsv``."""
    found = []
    for row in read_table(dictionaries_folder() / "false_friends.tsv", ("ru", "uk", "right_uk", "meaning")):
        ru, uk = key_form(row.cells["ru"]), key_form(row.cells["uk"])
        right = tuple(key_form(word.strip()) for word in row.cells["right_uk"].split("|"))
        if not (ru and uk and all(right)):
            raise row.bad("right_uk", "an empty word; expected words in the first three columns")
        found.append(FalseFriend(ru, uk, right, uk not in right))
    return tuple(found)


@cache
def blocked(language: Language) -> frozenset[str]:
    """Return the key forms that must never be translated or given as a translation: slurs and obscenities."""
    rows = read_table(dictionaries_folder() / "blocklist.tsv", ("language", "word", "why"))
    return frozenset(key_form(row.cells["word"]) for row in rows if row.cells["language"] == language)
