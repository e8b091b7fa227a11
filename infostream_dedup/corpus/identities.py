"""The ids of a collection, each of which may occur once."""

from __future__ import annotations

import zlib
from array import array

from infostream_dedup.corpus.records import Place
from infostream_dedup.model import Document

__all__ = ["SeenIds"]


class SeenIds:
    """Remembers the id, the place and a content checksum of each document: about 20 bytes plus the id."""

    def __init__(self) -> None:
        self._ordinals: dict[str, int] = {}
        self._contents = array("L")
        self._lines = array("Q")
        self._source_numbers = array("L")
        self._sources: list[str] = []

    def add(self, document: Document, place: Place) -> None:
        """Remember `document`.

        Raises:
            BadDataError: the id was seen before: ``E_ID_DUPLICATE`` with the same title and text, ``E_ID_CONFLICT``
                with a different title or text.
        """
        ordinal = len(self._ordinals)
        first = self._ordinals.setdefault(document.id, ordinal)
        # Any encoding will do, as long as it is always the same: this one takes a third of the time of UTF-8.
        content = zlib.crc32(document.text.encode("utf-16-le"), zlib.crc32(document.title.encode("utf-16-le")))
        if first == ordinal:
            self._remember(content, place)
            return
        where = f"{self._sources[self._source_numbers[first]]}:{self._lines[first]}"
        again = f"{document.id!r} already occurred at {where}"
        if self._contents[first] == content:
            raise place.error(
                "E_ID_DUPLICATE", f"{again} with the same title and text; an id may occur once in a collection", "id"
            )
        raise place.error("E_ID_CONFLICT", f"{again} with another title or text; give each document its own id", "id")

    def _remember(self, content: int, place: Place) -> None:
        if not self._sources or self._sources[-1] != place.source:
            self._sources.append(place.source)
        self._contents.append(content)
        self._lines.append(place.line or 0)
        self._source_numbers.append(len(self._sources) - 1)
