"""Imported tables of word pairs: TSV files in the user's data folder."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

from infostream_dedup.language.lexicon.folder import data_folder
from infostream_dedup.language.lexicon.spelling import key_form
from infostream_dedup.language.lexicon.tables import TableRow, read_table
from infostream_dedup.model import OUR_LANGUAGES, Language

COLUMNS: Final = ("source_language", "target_language", "source_term", "target_term", "pos", "direction")
"""Columns of an imported table; its file name without ``.tsv`` is the name of its source."""

_DIRECTIONS: Final = ("both", "forward")


def imported_folder() -> Path:
    """Return ``translations`` in the user's data folder; it need not exist."""
    return data_folder() / "translations"


def imported_tables() -> tuple[Path, ...]:
    """Return the imported tables by name; empty if the folder is missing."""
    return tuple(sorted(imported_folder().glob("*.tsv")))


def imported_pairs(source: Language, target: Language) -> list[tuple[str, str]]:
    """Return pairs of key forms for one direction, in the order of tables and rows.

    Pairs with the direction ``both`` are used both ways, those with ``forward`` only from source to target.
    """
    return [pair for path in imported_tables() for pair in _pairs(path).get((source, target), [])]


def forget_imported() -> None:
    """Read the tables again at the next call; for a process that has just changed them."""
    _pairs.cache_clear()


@cache
def _pairs(path: Path) -> dict[tuple[str, str], list[tuple[str, str]]]:
    found: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for row in read_table(path, COLUMNS):
        one, other = _language(row, "source_language"), _language(row, "target_language")
        first, second = key_form(row.cells["source_term"]), key_form(row.cells["target_term"])
        if not first or not second:
            raise row.bad("source_term", "an empty term; expected a word in both languages")
        if row.cells["direction"] not in _DIRECTIONS:
            raise row.bad("direction", f"{row.cells['direction']!r}; expected one of {', '.join(_DIRECTIONS)}")
        found.setdefault((one, other), []).append((first, second))
        if row.cells["direction"] == "both":
            found.setdefault((other, one), []).append((second, first))
    return found


def _language(row: TableRow, column: str) -> str:
    if row.cells[column] not in OUR_LANGUAGES:
        raise row.bad(column, f"{row.cells[column]!r}; expected one of {', '.join(OUR_LANGUAGES)}")
    return row.cells[column]
