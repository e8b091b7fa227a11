"""Which documents of a store a search may find, and the summary of these documents."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.model import LANGUAGES
from infostream_dedup.stream.search_hits import Searched
from infostream_dedup.stream.store.index_parts import GONE, IndexPart
from infostream_dedup.stream.store.restoring import clock_of, first_ordinal
from infostream_dedup.stream.store.summary import time_text

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchScope:
    """Which documents may be found.

    Attributes:
        first: smallest ordinal.
        end: one past the largest.
        itself: ordinal of the stored document that is searched for.
        languages: index into ``LANGUAGES`` of the languages; ``None`` for all.
        sources: names of sources; ``None`` for all.
    """

    first: int
    end: int
    itself: int | None = None
    languages: Sequence[int] | None = None
    sources: frozenset[str] | None = None

    def allowed(self, part: IndexPart) -> NDArray[np.bool_]:
        """Bool (documents,), which documents of a part may be found."""
        allowed: NDArray[np.bool_] = part.languages != GONE
        allowed[: max(self.first - part.first, 0)] = False
        allowed[max(self.end - part.first, 0) :] = False
        if self.itself is not None and part.first <= self.itself < part.end:
            allowed[self.itself - part.first] = False
        if self.languages is not None:
            allowed &= np.isin(part.languages, self.languages)
        if self.sources is not None:
            numbers = [number for number, name in enumerate(part.names) if name in self.sources]
            allowed &= np.isin(part.sources, numbers)
        return allowed


class SearchedDocuments:
    """The documents that may be found.

    Args:
        parts: parts of the index in order, each with the documents that may be found: bool (documents,).
    """

    def __init__(self, parts: Sequence[tuple[IndexPart, NDArray[np.bool_]]]) -> None:
        self.parts = parts
        self._counts = np.zeros(len(LANGUAGES), dtype=np.int64)
        for part, allowed in parts:
            for language in range(len(LANGUAGES)):
                self._counts[language] += np.count_nonzero(allowed & (part.languages == language))

    @property
    def languages(self) -> list[int]:
        """Index into ``LANGUAGES`` of each language that they are in."""
        return np.flatnonzero(self._counts).tolist()

    def summarise(self, connection: sqlite3.Connection, notes: list[str]) -> Searched:
        """Summarise what was searched."""
        ends = self._dated_ends(connection)
        first, last = (None if end is None else time_text(clock_of(connection, end)) for end in ends)
        spoken: dict[str, int] = {LANGUAGES[number]: int(self._counts[number]) for number in self.languages}
        return Searched(documents=int(self._counts.sum()), languages=spoken, first=first, last=last, notes=notes)

    def _dated_ends(self, connection: sqlite3.Connection) -> tuple[int | None, int | None]:
        """First and last ordinal with an arrival date: a stream's clock is at 0 until the first date."""
        dated = first_ordinal(connection, "clock", 1)
        first, last = (
            next((int(places[end]) for part, allowed in parts if len(places := _from(part, allowed, dated))), None)
            for parts, end in ((self.parts, 0), (self.parts[::-1], -1))
        )
        return first, last


def _from(part: IndexPart, allowed: NDArray[np.bool_], ordinal: int) -> NDArray[np.int64]:
    """Ordinals of the documents that may be found, from ``ordinal`` onwards: int64."""
    places: NDArray[np.int64] = part.first + np.flatnonzero(allowed)
    return places[places >= ordinal]
