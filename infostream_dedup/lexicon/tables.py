"""Tab-separated tables and plain word lists as they stand in ``dictionaries/``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from infostream_dedup.errors import BadDataError, NoInputError
from infostream_dedup.lexicon.sealed_tables import checked_bytes

__all__ = ["Row", "read_table", "read_words"]


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a table.

    Attributes:
        file: name of the file without its folder.
        line: 1-based line.
        cells: column name to trimmed text.
    """

    file: str
    line: int
    cells: dict[str, str]

    def bad(self, field: str, message: str) -> BadDataError:
        """The error that names this row and one of its fields."""
        return BadDataError(message, code="E_DICTIONARY", source=self.file, line=self.line, field=field)


def read_table(path: Path, columns: Sequence[str]) -> list[Row]:
    """Read a table: a header, then rows; empty lines and lines that begin with ``#`` are skipped.

    Args:
        path: UTF-8 file, columns separated by tabs.
        columns: names the header must hold, in this order.

    Raises:
        BadDataError: not UTF-8, another header, or a row with another number of cells.
        NoInputError: no such file.
    """
    lines = _lines(path)
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
        rows.append(Row(path.name, number, dict(zip(columns, cells, strict=True))))
    return rows


def read_words(path: Path) -> list[str]:
    """Read a list with one word a line; the rest of a line after ``#`` is a comment.

    Raises:
        BadDataError: not UTF-8.
        NoInputError: no such file.
    """
    words = (line.partition("#")[0].strip() for _, line in _lines(path))
    return [word for word in words if word]


def _lines(path: Path) -> Iterator[tuple[int, str]]:
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
