"""Checks every row of every table of the hand-written dictionaries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from infostream_dedup.errors import NoInputError
from infostream_dedup.lab.lexicography.findings import Finding
from infostream_dedup.lab.lexicography.names_as_nouns import names_as_nouns
from infostream_dedup.lab.lexicography.round_trips import broken_round_trips
from infostream_dedup.lab.lexicography.table_checks import blocked_words, check_tables, contradictions, files_of
from infostream_dedup.language.lexicon.folder import dictionaries_folder
from infostream_dedup.language.lexicon.tables import TableRow

__all__ = ["Checked", "check"]


@dataclass(frozen=True, slots=True)
class Checked:
    """Result of a check.

    Attributes:
        folder: folder checked.
        files: number of files read.
        rows: number of table rows read.
        findings: defects and doubts, by file and line.
        round_trips: whether round trips were tried, which happens only in the folder that the engine uses, and only
            if no defect prevents its tables from being loaded.
    """

    folder: Path
    files: int
    rows: int
    findings: tuple[Finding, ...]
    round_trips: bool

    @property
    def defects(self) -> tuple[Finding, ...]:
        """Findings that must be corrected."""
        return tuple(one for one in self.findings if one.level == "defect")


def check(folder: Path | None = None, progress: Callable[[str, int, int | None], None] | None = None) -> Checked:
    """Check the dictionaries.

    Rows must have their columns, and words the letters of their language; words of ``translations.tsv`` must be
    nominatives of nouns known to pymorphy3 or wordfreq; nothing may be repeated; no equivalent may be on the
    block-list; ``false_friends.tsv`` must not contradict another table; no English noun may be a word that is a
    name in nearly all texts; the first words of a row must lead to each other in both directions.

    Args:
        folder: folder to check; by default the one that the engine uses. Missing files are not checked.
        progress: called after each file.

    Raises:
        NoInputError: the folder contains no dictionary.
    """
    own = dictionaries_folder()
    where = own if folder is None else folder
    paths = files_of(where)
    if not paths:
        raise NoInputError(f"{where}: no dictionary in it; expected translations.tsv and others, as in {own.name}/")
    findings: list[Finding] = []
    rows: dict[str, list[TableRow]] = {}
    for done, (path, good, found) in enumerate(check_tables(paths, blocked_words(where)), start=1):
        rows[path.name] = good
        findings.extend(found)
        if progress:
            progress("tables", done, len(paths))
    concepts = rows.get("translations.tsv", [])
    findings.extend(contradictions(concepts, rows.get("false_friends.tsv", [])))
    findings.extend(names_as_nouns(concepts, rows))
    is_own = where.resolve() == own.resolve() and not any(one.level == "defect" for one in findings)
    if is_own:
        findings.extend(broken_round_trips(concepts, progress))
    return Checked(where, len(paths), sum(map(len, rows.values())), tuple(findings), is_own)
