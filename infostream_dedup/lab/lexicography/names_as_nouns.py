"""Finds rows of the table of nouns that turn a common name into a noun: Miller into a miller.

English key terms are translated without their capitals, and the table of nouns is consulted before the tables of names.
So a noun must not be listed under an English word that texts hardly use except as a name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from infostream_dedup.lab.lexicography.findings import Finding
from infostream_dedup.language.lexicon.english_parts_of_speech import part_of_speech
from infostream_dedup.language.lexicon.frequency import form_frequencies
from infostream_dedup.language.lexicon.spelling import key_form
from infostream_dedup.language.lexicon.tables import TableRow
from infostream_dedup.model import Language

__all__ = ["NAME_TABLES", "names_as_nouns"]

NAME_TABLES: Final = ("first_names.tsv", "surnames.tsv", "places.tsv", "organisations.tsv")

_NAME: Final = "NNP"
_SHARE_OF_PLURAL: Final = 0.1
"""A word whose plural is this frequent is also a noun: Christians, Romans, but hardly Millers."""


def names_as_nouns(concepts: Sequence[TableRow], tables: Mapping[str, Sequence[TableRow]]) -> list[Finding]:
    """Return a defect for each English noun that is used as a name.

    A noun is if our tables list it as a name with Russian words other than those of the row, the English lexicon only
    has it with a capital, and its plural is rare.

    Args:
        concepts: rows of ``translations.tsv``.
        tables: rows of the tables of names by file name; missing tables are skipped.
    """
    named = _russian_names(row for name in NAME_TABLES for row in tables.get(name, ()))
    found = []
    for row in concepts:
        russian = {key_form(word) for word in _variants(row, "ru")}
        for word in _variants(row, "en"):
            key = key_form(word)
            if key in named and not named[key] & russian and _is_written_as_name(key):
                message = f"{word!r} is the name {', '.join(sorted(named[key]))} in nearly all texts"
                advice = "give another English word, or remove the row"
                found.append(Finding("defect", row.file, row.line, "en", message, advice))
    return found


def _russian_names(rows: Iterable[TableRow]) -> dict[str, set[str]]:
    """Russian spellings of each English name of one word."""
    found: dict[str, set[str]] = {}
    for english, russian in _spellings(rows):
        found.setdefault(english, set()).add(russian)
    return found


def _spellings(rows: Iterable[TableRow]) -> Iterator[tuple[str, str]]:
    for row in rows:
        for english in _variants(row, "en"):
            if " " not in english and not english.isupper():
                yield from ((key_form(english), key_form(russian)) for russian in _variants(row, "ru"))


def _variants(row: TableRow, language: Language) -> list[str]:
    """Spellings of a cell; empty ones, which are another fault, are left out."""
    return [word for word in map(str.strip, row.cells[language].split("|")) if word]


def _is_written_as_name(word: str) -> bool:
    if part_of_speech(word) is not None or not (part_of_speech(word.capitalize()) or "").startswith(_NAME):
        return False
    frequency = form_frequencies("en")
    return frequency(f"{word}s") < _SHARE_OF_PLURAL * frequency(word)
