"""Hand-written tables for translation: concepts in three languages, false friends, words never to answer with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from infostream_dedup.language.lexicon.folder import dictionaries_folder
from infostream_dedup.language.lexicon.name_tables import variants
from infostream_dedup.language.lexicon.spelling import key_form
from infostream_dedup.language.lexicon.tables import TableRow, read_table
from infostream_dedup.model import OUR_LANGUAGES, Language


@dataclass(frozen=True, slots=True)
class Concept:
    """One row of ``translations.tsv``.

    Attributes:
        words: key forms by language, the most common first; includes phrases of several words.
        part_of_speech: ``noun`` or ``adj`` (an adjective used as a noun).
        source: origin of the row; ``own`` for this project.
        place: ``file:line`` of the row.
    """

    words: Mapping[Language, tuple[str, ...]]
    part_of_speech: str
    source: str
    place: str


@dataclass(frozen=True, slots=True)
class FalseFriend:
    """One row of ``false_friends.tsv``, in key forms.

    Attributes:
        ru: Russian word.
        uk: Ukrainian word that looks like it.
        right_uk: Ukrainian translations of the Russian word.
        is_wrong: True if ``uk`` is never a translation, False if it is one of several.
    """

    ru: str
    uk: str
    right_uk: tuple[str, ...]
    is_wrong: bool


@cache
def concepts() -> tuple[Concept, ...]:
    """Return all rows of ``translations.tsv`` in order, roughly from the most frequent down."""
    rows = read_table(dictionaries_folder() / "translations.tsv", (*OUR_LANGUAGES, "pos", "source"))
    return tuple(
        Concept(
            {language: _key_forms(row, language) for language in OUR_LANGUAGES},
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


def _key_forms(row: TableRow, language: Language) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(key_form, variants(row, language))))
