"""Proper names: our own tables of surnames, places and organisations, and the personal names of names-translator."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from enum import Flag, auto
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Final

from infostream_dedup.language.lexicon.tables import (
    PackedParts,
    SortedLines,
    TableRow,
    dictionaries_folder,
    key_form,
    read_table,
)
from infostream_dedup.model import Language


class NameKind(Flag):
    """What a proper name denotes. A word may have several kinds."""

    SURNAME = auto()
    FIRST_NAME = auto()
    PATRONYMIC = auto()
    PLACE = auto()
    ORGANISATION = auto()
    ABBREVIATION = auto()

    def labels(self) -> tuple[str, ...]:
        """Return the names of the single kinds in lower case, in order of definition.

        >>> (NameKind.PLACE | NameKind.SURNAME).labels()
        ('surname', 'place')
        """
        return tuple(kind.name.lower() for kind in NameKind if kind in self and kind.name)


NO_NAME: Final = NameKind(0)
NAMES_FILE: Final = Path(__file__).with_name("personal_names.bin")

NAME_TABLES: Final[Mapping[str, NameKind]] = MappingProxyType(
    {
        "surnames.tsv": NameKind.SURNAME,
        "first_names.tsv": NameKind.FIRST_NAME,
        "places.tsv": NameKind.PLACE,
        "organisations.tsv": NameKind.ORGANISATION,
    }
)
"""Our tables, all with the columns ``ru uk en kind``."""

_MEDIA: Final = "media"
_MEDIA_ENDINGS: Final = ("news", "info", "tv")
_SHORTEST_MEDIUM: Final = 6


@dataclass(frozen=True, slots=True)
class Name:
    """A one-word name from our tables."""

    kinds: NameKind  # what it denotes
    place: str  # `file:line` of the first row that contains it


def variants(row: TableRow, language: Language) -> list[str]:
    """Return a row's spellings in one language, the canonical one first, case as written."""
    cell = row.cells[language]
    spellings = [variant.strip() for variant in cell.split("|")] if cell else []
    if "" in spellings:
        raise row.bad(language, f"{cell!r} contains an empty variant; expected names separated by '|'")
    return spellings


@cache
def name_rows(table: str) -> tuple[TableRow, ...]:
    """Return all rows of one of ``NAME_TABLES``."""
    rows = read_table(dictionaries_folder() / table, ("ru", "uk", "en", "kind"))
    for row in rows:
        if not (row.cells["ru"] or row.cells["uk"] or row.cells["en"]):
            raise row.bad("ru", "no name in any language; expected at least one")
    return tuple(rows)


@cache
def names(language: Language) -> Mapping[str, Name]:
    """Return the one-word names of our tables by key form."""
    found: dict[str, Name] = {}
    for table, kind in NAME_TABLES.items():
        for row in name_rows(table):
            for spelling in variants(row, language):
                if any(char.isspace() for char in spelling):
                    continue
                kinds = kind | NameKind.ABBREVIATION if len(spelling) > 1 and spelling.isupper() else kind
                key = key_form(spelling.strip('«»"“”'))
                known = found.get(key)
                found[key] = Name(known.kinds | kinds, known.place) if known else Name(kinds, f"{table}:{row.line}")
    return MappingProxyType(found)


def is_agency(word: str, language: Language) -> bool:
    """Whether a key form is the one-word name of a news agency or medium: a listed one, or Latin like ``nordnews``."""
    ending = len(word) >= _SHORTEST_MEDIUM and word.isascii() and word.endswith(_MEDIA_ENDINGS)
    return ending or word in _agencies(language)


@cache
def _agencies(language: Language) -> frozenset[str]:
    """One-word names of news agencies and media by key form, unless something else also has that name."""
    media: set[str] = set()
    others: set[str] = set()
    for table in NAME_TABLES:
        for row in name_rows(table):
            found = media if table == "organisations.tsv" and row.cells["kind"] == _MEDIA else others
            found.update(key_form(one.strip('«»"“”')) for one in variants(row, language) if " " not in one)
    return frozenset(media - others)


class PersonalNames(Set[str]):
    """Key forms of personal names of a language, each with its spellings in the other one."""

    def __init__(self, names: SortedLines, spellings: SortedLines) -> None:
        self.names = names
        self._spellings = spellings

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self.names.place(name) >= 0

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def spellings(self, name: str) -> list[str]:
        """Return the spellings of a name in the other language; for a Ukrainian name, best first."""
        place = self.names.place(name)
        return [] if place < 0 else self._spellings[place].split(" ")

    @classmethod
    def _from_iterable(cls, names: Iterable[str]) -> frozenset[str]:  # type: ignore[override]
        return frozenset(names)


@cache
def personal_names(language: Language) -> PersonalNames:
    """Return the surnames and first names of names-translator: Ukrainian, their Russian spellings, no English."""
    if language == "en":
        return PersonalNames(SortedLines(b""), SortedLines(b""))
    parts = PackedParts(NAMES_FILE)
    return PersonalNames(SortedLines(parts.part(f"{language} names")), SortedLines(parts.part(f"{language} spellings")))
