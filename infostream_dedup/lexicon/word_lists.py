"""Word lists written for this package: stop words, nouns that are no key terms, repairs, nouns to add."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from infostream_dedup.lexicon.folder import dictionaries_folder
from infostream_dedup.lexicon.spelling import key_form
from infostream_dedup.lexicon.tables import TableRow, read_table, read_words
from infostream_dedup.model import LANGUAGES, Language

__all__ = ["ListedWord", "added_nouns", "excluded", "repairs", "stop_words"]


@dataclass(frozen=True, slots=True)
class ListedWord:
    """What a table says of a word.

    Attributes:
        lemma: the right lemma; empty where the form is no noun.
        why: the reason in a few words.
        place: ``file:line``.
    """

    lemma: str
    why: str
    place: str


@cache
def stop_words(language: Language) -> frozenset[str]:
    """Function words and the like by key form.

    Raises:
        NoInputError: the list is missing.
    """
    return frozenset(map(key_form, read_words(dictionaries_folder() / f"stop_{language}.txt")))


@cache
def excluded(language: Language) -> Mapping[str, ListedWord]:
    """Lemmas that are nouns but never key terms: calendar, units, reporting formulas (by key form)."""
    return _by_word("excluded.tsv", ("language", "word", "why"), language)


@cache
def repairs(language: Language) -> Mapping[str, ListedWord]:
    """Forms the morphological dictionary gets wrong (by key form), with their right lemma.

    A wrong lemma is itself such a form. An empty lemma means: in news this form is no noun.
    """
    return _by_word("repairs.tsv", ("language", "word", "lemma", "why"), language)


@cache
def added_nouns(language: Language) -> Mapping[str, ListedWord]:
    """Lemmas of common nouns that pymorphy3 does not know yet (by key form)."""
    return _by_word("nouns.tsv", ("language", "word", "why"), language)


def _by_word(file: str, columns: tuple[str, ...], language: Language) -> Mapping[str, ListedWord]:
    found: dict[str, ListedWord] = {}
    for row in read_table(dictionaries_folder() / file, columns):
        if _language(row) != language:
            continue
        key = key_form(row.cells["word"])
        if not key:
            raise row.bad("word", "empty; expected a word")
        if key in found:
            raise row.bad("word", f"{row.cells['word']!r} stands already in {found[key].place}; expected it once")
        lemma = key_form(row.cells["lemma"]) if "lemma" in columns else key
        found[key] = ListedWord(lemma, row.cells["why"], f"{row.file}:{row.line}")
    return MappingProxyType(found)


def _language(row: TableRow) -> str:
    language = row.cells["language"]
    if language not in LANGUAGES:
        raise row.bad("language", f"{language!r}; expected one of {', '.join(LANGUAGES)}")
    return language
