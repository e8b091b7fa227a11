"""The ids that a reading has seen; each may occur only once."""

from __future__ import annotations

import zlib
from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING

from infostream_dedup.documents.records import Place
from infostream_dedup.model import Document, full_text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


_WORD = 8


class SeenIds:
    """Remembers the id, the place and a content checksum of each document: about 20 bytes plus the id."""

    def __init__(self) -> None:
        self._ordinals: dict[str, int] = {}
        self._contents = array("Q")
        self._hashed = bytearray()
        self._lines = array("Q")
        self._source_numbers = array("L")
        self._sources: list[str] = []

    def __len__(self) -> int:
        return len(self._ordinals)

    def add(self, document: Document, place: Place) -> None:
        """Remember `document`."""
        ordinal = len(self._ordinals)
        first = self._ordinals.setdefault(document.id, ordinal)
        if first == ordinal:
            self._number_source(place.source)
            self._contents.append(_checksum(document))
            self._hashed.append(False)
            self._lines.append(place.line or 0)
            self._source_numbers.append(len(self._sources) - 1)
            return
        where = f"{self._sources[self._source_numbers[first]]}:{self._lines[first]}"
        again = f"{document.id!r} already occurred at {where}"
        content = _content_hash(document) if self._hashed[first] else _checksum(document)
        if self._contents[first] == content:
            raise place.error(
                "E_ID_DUPLICATE",
                f"{again} with the same title and text; an id may occur only once in a collection",
                "id",
            )
        raise place.error("E_ID_CONFLICT", f"{again} with another title or text; give each document its own id", "id")

    def new_until(self, ids: Sequence[str]) -> int:
        """Return the number of ids before the first that was seen before or occurs twice."""
        if len(set(ids)) == len(ids) and self._ordinals.keys().isdisjoint(ids):
            return len(ids)
        given: set[str] = set()
        for number, one in enumerate(ids):
            if one in given or one in self._ordinals:
                return number
            given.add(one)
        return len(ids)

    def add_new(self, ids: Sequence[str], contents: NDArray[np.uint64], lines: NDArray[np.uint64], source: str) -> None:
        """Remember documents whose ids are new."""
        first = len(self._ordinals)
        self._ordinals.update(zip(ids, range(first, first + len(ids)), strict=True))
        self._number_source(source)
        self._contents.frombytes(contents.tobytes())
        self._hashed.extend(b"\1" * len(ids))
        self._lines.frombytes(lines.tobytes())
        self._source_numbers.extend([len(self._sources) - 1] * len(ids))

    def _number_source(self, source: str) -> None:
        if not self._sources or self._sources[-1] != source:
            self._sources.append(source)


def _checksum(document: Document) -> int:
    # Any encoding will do if it is always the same; this one takes a third of the time of UTF-8.
    return zlib.crc32(document.text.encode("utf-16-le"), zlib.crc32(document.title.encode("utf-16-le")))


def _content_hash(document: Document) -> int:
    import numpy as np

    from infostream_dedup.documents.kernels.json_lines import hash_content

    whole, title = full_text(document).encode(), len(document.title.encode())
    data = np.frombuffer(whole + bytes(_WORD), dtype=np.uint8)
    return int(hash_content(data, 0, len(whole), title))
