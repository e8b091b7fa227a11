"""Imports, lists and removes a user's tables of word pairs; a table is imported completely or not at all."""

from __future__ import annotations

import io
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from gzip import BadGzipFile, GzipFile
from pathlib import Path
from typing import Any, BinaryIO, Final, Literal, cast

from infostream_dedup.documents.outputs import open_output
from infostream_dedup.errors import BadDataError, CannotCreateError, ConfigurationError, NoInputError
from infostream_dedup.lab.lexicography.apertium_pairs import read_apertium
from infostream_dedup.lab.lexicography.pair_intake import PARTS_OF_SPEECH, NewPair, PairIntake, WantedPairs
from infostream_dedup.lab.lexicography.tsv_pairs import read_tsv
from infostream_dedup.lab.lexicography.wiktionary_pairs import read_wiktionary
from infostream_dedup.language.lexicon.sealed_tables import sealed
from infostream_dedup.language.lexicon.tables import read_table
from infostream_dedup.language.translation.imported_tables import (
    COLUMNS,
    forget_imported,
    imported_folder,
    imported_tables,
)
from infostream_dedup.language.translation.word_pairs import word_pairs
from infostream_dedup.machine.private_files import make_private_folder
from infostream_dedup.machine.progress import Progress
from infostream_dedup.model import OUR_LANGUAGES, Language

__all__ = ["FORMATS", "TERMS", "Imported", "TableFormat", "import_table", "installed_tables", "remove_table"]

TableFormat = Literal["tsv", "apertium", "wiktionary"]

FORMATS: Final[Mapping[TableFormat, Callable[[BinaryIO, PairIntake], None]]] = {
    "tsv": read_tsv,
    "apertium": read_apertium,
    "wiktionary": read_wiktionary,
}
"""Reader of each format."""

TERMS: Final = ("noun", "name")
"""Parts of speech that can be terms."""


_NAME: Final = re.compile(r"[^\W_][\w.+-]{0,99}")
_ENDINGS: Final = (".gz", ".tsv", ".txt", ".dix", ".xml", ".jsonl", ".json")
_GZIP: Final = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class Imported:
    """Result of an import.

    Attributes:
        name: name of the table.
        path: file of the table.
        pairs: number of pairs in it.
        replaced: whether a table of that name existed before.
        left_out: number of sound rows that were not imported, by reason.
        broken: errors of the broken rows that were skipped.
    """

    name: str
    path: Path
    pairs: int
    replaced: bool
    left_out: Mapping[str, int]
    broken: tuple[BadDataError, ...]


def import_table(
    file: Path,
    source: Language,
    target: Language,
    table_format: TableFormat,
    *,
    parts: Iterable[str] = TERMS,
    name: str | None = None,
    skip: bool = False,
    progress: Progress | None = None,
) -> Imported:
    """Read pairs of words and install them where the ladder looks them up.

    The pairs take effect at once, also in this process, and remembered answers are discarded.

    Args:
        file: the table, optionally compressed with gzip.
        source: language of its left or first words.
        target: language of its other words.
        table_format: one of ``FORMATS``.
        parts: parts of speech to import, from ``PARTS_OF_SPEECH``.
        name: name of the table; by default the file's name with the two languages. A table of that name is replaced.
        skip: whether to skip broken rows; otherwise the first one stops the import.
        progress: called with the number of bytes read and the size of the file.

    Raises:
        ConfigurationError: a language, format, part of speech or name is invalid.
        NoInputError: the file cannot be read.
        BadDataError: ``E_IMPORT``: a row is broken, or there is nothing to import. Nothing is installed then.
        CannotCreateError: the folder cannot be written.
    """
    wanted = WantedPairs(str(file), source, target, frozenset(parts))
    table = _derive_name(file, wanted) if name is None else name
    _check_options(wanted, table_format, table)
    intake = PairIntake(wanted)
    with _open(file, progress) as stream:
        FORMATS[table_format](stream, intake)
    if intake.broken and not skip:
        raise _summarise(intake.broken)
    if not intake.pairs:
        raise BadDataError(
            f"no pair of {' or '.join(sorted(wanted.parts))} between {source} and {target} in it"
            f" ({_format_left_out(intake.left_out)}); check whether --from, --to, --format and --pos fit the file",
            code="E_IMPORT",
            source=str(file),
        )
    path = imported_folder() / f"{table}.tsv"
    replaced = path.exists()
    _write(path, intake.pairs, wanted, file)
    _forget_answers()
    return Imported(
        table, path, len(intake.pairs), replaced, dict(sorted(intake.left_out.items())), tuple(intake.broken)
    )


def installed_tables() -> list[dict[str, Any]]:
    """Return name, number of pairs, languages and path of each imported table, by name.

    Raises:
        BadDataError: a table is malformed.
    """
    found = []
    for path in imported_tables():
        rows = read_table(path, COLUMNS)
        pairs = {"-".join(sorted((row.cells["source_language"], row.cells["target_language"]))) for row in rows}
        found.append({"name": path.stem, "pairs": len(rows), "languages": sorted(pairs), "file": str(path)})
    return found


def remove_table(name: str) -> Path:
    """Remove an imported table; answers change at once.

    Returns:
        The former path of the table.

    Raises:
        NoInputError: the table does not exist.
        CannotCreateError: the file cannot be removed.
    """
    known = {path.stem: path for path in imported_tables()}
    if name not in known:
        there = ", ".join(known) or "none"
        raise NoInputError(f"no imported table is named {name!r}; there are: {there}")
    try:
        known[name].unlink()
    except OSError as error:
        raise CannotCreateError(f"{known[name]}: cannot be removed: {error.strerror}") from None
    _forget_answers()
    return known[name]


def _check_options(wanted: WantedPairs, table_format: str, name: str) -> None:
    for option, language in (("--from", wanted.source), ("--to", wanted.target)):
        if language not in OUR_LANGUAGES:
            raise ConfigurationError(f"{option} is {language!r}; expected one of {', '.join(OUR_LANGUAGES)}")
    if wanted.source == wanted.target:
        raise ConfigurationError(f"--from and --to are both {wanted.source}; expected two languages")
    if table_format not in FORMATS:
        raise ConfigurationError(f"--format is {table_format!r}; expected one of {', '.join(FORMATS)}")
    if not wanted.parts or not wanted.parts <= set(PARTS_OF_SPEECH):
        raise ConfigurationError(f"--pos is {sorted(wanted.parts)}; expected some of {', '.join(PARTS_OF_SPEECH)}")
    if not _NAME.fullmatch(name):
        raise ConfigurationError(
            f"the table's name is {name!r}; expected letters, digits, dots and hyphens, starting with a letter or"
            " digit; give one with --name"
        )


def _derive_name(file: Path, wanted: WantedPairs) -> str:
    stem = file.name
    while stem.casefold().endswith(_ENDINGS):
        stem = stem[: stem.rindex(".")]
    tidy = re.sub(r"[^\w.+-]+", "-", stem)
    return f"{tidy}.{wanted.source}-{wanted.target}"


def _summarise(broken: list[BadDataError]) -> BadDataError:
    """Return the first fault, with the number of the others and how to continue."""
    error, more = broken[0], len(broken) - 1
    others = f" ({more} more such {'row' if more == 1 else 'rows'})" if more else ""
    return BadDataError(
        f"{error.message}{others}; --skip imports the rest without broken rows",
        code=error.code,
        source=error.source,
        line=error.line,
        field=error.field,
    )


def _format_left_out(left_out: Mapping[str, int]) -> str:
    return ", ".join(f"{number} {reason}" for reason, number in sorted(left_out.items())) or "it is empty"


def _write(path: Path, pairs: Iterable[NewPair], wanted: WantedPairs, file: Path) -> None:
    try:
        make_private_folder(path.parent)
    except OSError as error:
        raise CannotCreateError(f"{path.parent}: cannot be created: {error.strerror}") from None
    lines = ["\t".join(cells) + "\n" for cells in (COLUMNS, *(_make_cells(pair, wanted) for pair in pairs))]
    with open_output(path, inputs=(file,)) as output:
        output.write(sealed("".join(lines).encode()))


def _make_cells(pair: NewPair, wanted: WantedPairs) -> tuple[str, ...]:
    if pair.direction == "backward":
        return (wanted.target, wanted.source, pair.target, pair.source, pair.part, "forward")
    return (wanted.source, wanted.target, pair.source, pair.target, pair.part, pair.direction)


def _forget_answers() -> None:
    forget_imported()
    word_pairs.cache_clear()


class _ReportingFile(io.RawIOBase):
    """A file that reports how much of it has been read."""

    def __init__(self, raw: BinaryIO, size: int, progress: Progress) -> None:
        self._raw, self._size, self._progress = raw, size, progress
        self._done = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._raw.read(len(buffer))
        buffer[: len(data)] = data
        self._done += len(data)
        self._progress("read", self._done, self._size)
        return len(data)


@contextmanager
def _open(file: Path, progress: Progress | None) -> Iterator[BinaryIO]:
    try:
        with file.open("rb") as raw:
            packed = raw.peek(len(_GZIP)).startswith(_GZIP)
            size = file.stat().st_size
            plain = io.BufferedReader(_ReportingFile(raw, size, progress), 1 << 20) if progress else raw
            yield cast("BinaryIO", GzipFile(fileobj=plain) if packed else plain)
    except (BadGzipFile, EOFError, zlib.error) as error:
        raise BadDataError(
            f"cannot be unpacked ({error}); get the file again", code="E_IMPORT", source=str(file)
        ) from None
    except OSError as error:
        raise NoInputError(f"{file}: cannot be read: {error.strerror or error}") from None
