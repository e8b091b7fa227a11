"""Large tables that come with the package: sealed files of compressed parts, and lines that are searched in place.

``tools/make_frequencies.py`` and ``tools/make_translation_tables.py`` write the files.
"""

from __future__ import annotations

import zlib
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
import orjson

from infostream_dedup.errors import BadDataError
from infostream_dedup.language.lexicon.sealed_tables import checked_bytes, sealed

AGAIN: Final = "install infostream-dedup again"
_LEVEL: Final = 9
_BLOCK: Final = 32
_END: Final = b"\n"


def packed_parts(mark: str, parts: Mapping[str, bytes]) -> bytes:
    """Compress parts one by one, so that each can be read alone; ``mark`` says what they were made from."""
    compressed = {name: zlib.compress(part, _LEVEL) for name, part in parts.items()}
    head: dict[str, Any] = {"mark": mark, "sizes": {name: len(part) for name, part in compressed.items()}}
    return sealed(orjson.dumps(head) + _END + b"".join(compressed.values()))


class PackedParts:
    """The parts of a file by name.

    Raises:
        BadDataError: the file is damaged.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        _, _, content = checked_bytes(path, AGAIN).partition(_END)
        head, _, self._content = content.partition(_END)
        try:
            known = orjson.loads(head)
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


def seal_of(path: Path) -> str:
    """Return the first line of a sealed file, which changes with its content."""
    with path.open("rb") as file:
        return file.readline().decode("ascii", "replace").strip()


class SortedLines:
    """Lines in order of code points, in one string of bytes: ready at once, in a tenth of the memory of strings.

    Args:
        text: every line ends with a line feed. Only ``place`` needs them to be sorted and distinct.
    """

    def __init__(self, text: bytes) -> None:
        self.text = text
        ends = np.flatnonzero(np.frombuffer(text, np.uint8) == _END[0])
        self._count = len(ends)
        self._starts: list[int] = [0, *(ends[_BLOCK - 1 :: _BLOCK] + 1).tolist()]
        if self._starts[-1] != len(text) or not text:
            self._starts.append(len(text))
        self._firsts = [text[start : text.find(_END, start)] for start in self._starts[:-1]]

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[str]:
        return iter(self.text.decode().split("\n")[:-1])

    def __getitem__(self, place: int) -> str:
        block, rest = divmod(place, _BLOCK)
        return self.text[self._starts[block] : self._starts[block + 1]].split(_END, rest + 1)[rest].decode()

    def place(self, line: str) -> int:
        """Return the place of a line; -1 if it is not there."""
        asked = line.encode("utf-8", "surrogatepass")
        block = bisect_right(self._firsts, asked) - 1
        if block < 0 or _END in asked:
            return -1
        lines = _END + self.text[self._starts[block] : self._starts[block + 1]]
        found = lines.find(_END + asked + _END)
        return -1 if found < 0 else block * _BLOCK + lines.count(_END, 0, found)

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
