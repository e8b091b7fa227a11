"""The check of the hand-written dictionaries: every row of every table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from infostream_dedup.errors import NoInputError
from infostream_dedup.lexicography.findings import Finding
from infostream_dedup.lexicography.round_trips import broken_round_trips
from infostream_dedup.lexicography.table_checks import blocked_words, check_tables, contradictions, files_of
from infostream_dedup.lexicon.folder import dictionaries_folder
from infostream_dedup.lexicon.tables import TableRow

__all__ = ["Checked", "check"]


@dataclass(frozen=True, slots=True)
class Checked:
    """What a check found.

    Attributes:
        folder: the folder checked.
        files: files read.
        rows: rows of tables read.
        findings: defects and doubts, by file and line.
        round_trips: whether round trips were tried: only in the folder that the engine uses, and only where no defect
            keeps its tables from being loaded.
    """

    folder: Path
    files: int
    rows: int
    findings: tuple[Finding, ...]
    round_trips: bool

    @property
    def defects(self) -> tuple[Finding, ...]:
        """What must be mended."""
        return tuple(one for one in self.findings if one.level == "defect")


def check(folder: Path | None = None, progress: Callable[[str, int, int | None], None] | None = None) -> Checked:
    """Check the dictionaries.

    Rows have their columns; words the letters of their language; words of ``translations.tsv`` are nominatives of
    nouns that pymorphy3 or wordfreq knows; nothing stands twice; no equivalent is on the block-list;
    ``false_friends.tsv`` contradicts nothing; first words of a row find each other, there and back.

    Args:
        folder: another folder than the one the engine uses; files that are missing in it are not checked.
        progress: told of every file.

    Raises:
        NoInputError: there is no dictionary in the folder.
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
    is_own = where.resolve() == own.resolve() and not any(one.level == "defect" for one in findings)
    if is_own:
        findings.extend(broken_round_trips(concepts, progress))
    return Checked(where, len(paths), sum(map(len, rows.values())), tuple(findings), is_own)
