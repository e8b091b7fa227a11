"""Tables of words: where they lie, how they are packed, and the spelling under which words are looked up."""

from __future__ import annotations

import json
import os
import re
import unicodedata
import zlib
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from infostream_dedup.errors import BadDataError, NoInputError
from infostream_dedup.machine.files import AGAIN, checked_bytes, sealed

# Locations of the hand-written dictionaries and of the user's own data


@cache
def dictionaries_folder() -> Path:
    """Return the folder of the dictionaries: inside an installed wheel, beside the package in a checkout."""
    package = Path(__file__).resolve().parents[2]
    candidates = (package / "_dictionaries", package.parent / "dictionaries")
    for folder in candidates:
        if (folder / "README.md").is_file():
            return folder
    looked = " and ".join(str(folder) for folder in candidates)
    raise NoInputError(
        f"the dictionaries of infostream-dedup are missing; looked in {looked}; install the package again"
    )


def data_folder() -> Path:
    """Return ``INFOSTREAM_DEDUP_DATA`` or the user's data folder; it need not exist."""
    from platformdirs import user_data_dir

    return Path(os.environ.get("INFOSTREAM_DEDUP_DATA") or user_data_dir("infostream-dedup"))


# The spelling under which every word is looked up: its key form

APOSTROPHE: Final = "\u02bc"  # modifier letter apostrophe, the only apostrophe inside the words of this package
_LATIN: Final = re.compile("[a-z\u00df-\u024f\\d]+(?:[-\u02bc.&][a-z\u00df-\u024f\\d]+)*")
_CYRILLIC_LETTERS: Final = re.compile("[\u0400-\u052f\u02bc]+")
_LATIN_LETTERS: Final = re.compile("[^\\W\\d_\u0250-\U0010ffff]+(?:\u02bc[^\\W\\d_\u0250-\U0010ffff]+)*")
_TYPED: Final = "'’`‘"


def key_form(word: str) -> str:
    """Return the spelling of a word as a key: composed, case-folded, ``ё`` as ``е``, one kind of apostrophe."""
    key = unicodedata.normalize("NFC", word).casefold().replace("ё", "е")
    # A million words pass through here on a first start; ``replace`` costs nothing if there is nothing to replace.
    for sign in _TYPED:
        key = key.replace(sign, APOSTROPHE)
    return key


def is_latin(term: str) -> bool:
    """Whether a key form is written in Latin letters (and digits).

    >>> is_latin("youtube"), is_latin("it-компания")
    (True, False)
    """
    return bool(_LATIN.fullmatch(term))


def alphabet(part: str) -> str:
    """``latin``, ``cyrillic``, or empty for anything else, of a key form without hyphens."""
    if _CYRILLIC_LETTERS.fullmatch(part):
        return "cyrillic"
    return "latin" if _LATIN_LETTERS.fullmatch(part) else ""


# Large tables that come with the package: sealed files of compressed parts, and lines that are searched in place.
#
# `tools/make_tables.py` writes the files.

_LEVEL: Final = 9
_BLOCK: Final = 32
_END: Final = b"\n"


def packed_parts(mark: str, parts: Mapping[str, bytes]) -> bytes:
    """Compress parts one by one, so that each can be read alone; ``mark`` says what they were made from."""
    compressed = {name: zlib.compress(part, _LEVEL) for name, part in parts.items()}
    head: dict[str, Any] = {"mark": mark, "sizes": {name: len(part) for name, part in compressed.items()}}
    told = json.dumps(head, separators=(",", ":"), ensure_ascii=False).encode()
    return sealed(told + _END + b"".join(compressed.values()))


class PackedParts:
    """The parts of a file by name; raises ``BadDataError`` if the file is damaged."""

    def __init__(self, path: Path) -> None:
        self._path = path
        _, _, content = checked_bytes(path, AGAIN).partition(_END)
        head, _, self._content = content.partition(_END)
        try:
            known = json.loads(head)
            self.mark, self._sizes = str(known["mark"]), dict(known["sizes"])
        except (ValueError, KeyError, TypeError) as error:
            raise self._damaged(error) from error

    def part(self, name: str) -> bytes:
        """Decompress a part."""
        start = 0
        for other, size in self._sizes.items():
            if other == name:
                try:
                    return zlib.decompress(self._content[start : start + size])
                except zlib.error as error:
                    raise self._damaged(error) from error
            start += size
        raise self._damaged(KeyError(name))

    def _damaged(self, error: Exception) -> BadDataError:
        message = f"the table cannot be unpacked ({error}); {AGAIN}"
        return BadDataError(message, code="E_DICTIONARY", source=self._path.name)


class SortedLines:
    """Lines in order of code points (which only ``place`` needs), each ended by a line feed, in one string of bytes."""

    def __init__(self, text: bytes) -> None:
        import numpy as np

        self.text = text
        ends = np.flatnonzero(np.frombuffer(text, np.uint8) == _END[0])
        self._bounds = np.append(0, ends + 1).astype(np.uint32)
        self._starts: list[int] = self._bounds[::_BLOCK].tolist()
        if self._starts[-1] != len(text) or not text:
            self._starts.append(len(text))
        self._firsts = [text[start : text.find(_END, start)] for start in self._starts[:-1]]

    def __len__(self) -> int:
        return len(self._bounds) - 1

    def __iter__(self) -> Iterator[str]:
        return iter(self.text.decode().split("\n")[:-1])

    def __getitem__(self, place: int) -> str:
        begin, end = self._bounds[place : place + 2].tolist()
        return self.text[begin : end - 1].decode()

    def place(self, line: str) -> int:
        """Return the place of a line; -1 if it is not there."""
        asked = line.encode("utf-8", "surrogatepass")
        block = bisect_right(self._firsts, asked) - 1
        if block < 0 or _END in asked:
            return -1
        start = self._starts[block]
        if self.text.startswith(asked + _END, start):
            return block * _BLOCK
        found = self.text.find(_END + asked + _END, start, self._starts[block + 1])
        return -1 if found < 0 else block * _BLOCK + self.text.count(_END, start, found + 1)

    def any_begins(self, piece: str) -> bool:
        """Whether any line begins with a piece of text."""
        asked = piece.encode("utf-8", "surrogatepass")
        after = bisect_right(self._firsts, asked)
        start, end = self._starts[max(after - 1, 0)], self._starts[min(after, len(self._starts) - 1)]
        return self.text.startswith(asked, start) or self.text.find(_END + asked, start, end + len(asked)) >= 0

    def containing(self, piece: str) -> Iterator[int]:
        """Yield the places of the lines that contain a rare piece of text."""
        asked = piece.encode()
        found, counted, place = self.text.find(asked), 0, 0
        while found >= 0:
            place += self.text.count(_END, counted, found)
            yield place
            counted = self.text.find(_END, found)
            found = self.text.find(asked, counted)


def as_lines(lines: Iterable[str]) -> bytes:
    """Join lines as ``SortedLines`` takes them."""
    return "".join(f"{line}\n" for line in lines).encode()


# Reads the tab-separated tables and plain word lists of `dictionaries/`


@dataclass(frozen=True, slots=True)
class TableRow:
    """One row of a table."""

    file: str  # name of the file without its folder
    line: int  # line number, from 1
    cells: dict[str, str]  # trimmed text by column name

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
