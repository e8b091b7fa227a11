"""Reads the tab-separated tables and plain word lists of ``dictionaries/``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from infostream_dedup.errors import BadDataError, NoInputError
from infostream_dedup.language.lexicon.sealed_tables import checked_bytes


@dataclass(frozen=True, slots=True)
class TableRow:
    """One row of a table.

    Attributes:
        file: name of the file without its folder.
        line: line number, from 1.
        cells: trimmed text by column name.
    """

    file: str
    line: int
    cells: dict[str, str]

    def bad(self, field: str, message: str) -> BadDataError:
        """Make an error that names this row and one of its fields."""
        return BadDataError(message, code="E_DICTIONARY", source=self.file, line=self.line, field=field)


def read_table(path: Path, columns: Sequence[str]) -> list[TableRow]:
    """Read a table: a header, then rows. Empty lines and lines that start with ``#`` are skipped."""
    lines = _read_lines(path)
    header = next(lines, (1, ""))
    if header[1].split("\t") != list(columns):
        raise BadDataError(
            f"header is {header[1]!r}; expected the columns {', '.join(columns)}, separated by tabs",
            code="E_DICTIONARY",
            source=path.name,
            line=header[0],
        )
    rows = []
    for number, line in lines:
        cells = [cell.strip() for cell in line.split("\t")]
        if len(cells) != len(columns):
            raise BadDataError(
                f"{len(cells)} cells; expected {len(columns)}, separated by tabs",
                code="E_DICTIONARY",
                source=path.name,
                line=number,
            )
        rows.append(TableRow(path.name, number, dict(zip(columns, cells, strict=True))))
    return rows


def read_words(path: Path) -> list[str]:
    """Read a list of one word per line; whatever follows ``#`` is a comment."""
    words = (line.partition("#")[0].strip() for _, line in _read_lines(path))
    return [word for word in words if word]


def _read_lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        text = checked_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadDataError(f"not UTF-8: {error}", code="E_DICTIONARY", source=path.name) from None
    except OSError as error:
        raise NoInputError(f"{path.name}: cannot read the dictionary: {error.strerror}") from None
    for number, line in enumerate(text.split("\n"), start=1):
        kept = line.rstrip("\r ")
        if kept.strip() and not kept.startswith("#"):
            yield number, kept
