"""The documents of a store by their terms, as far as a search needs them in memory."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Final

from infostream_dedup.stream.store.index_parts import MOST_DOCUMENTS, IndexPart
from infostream_dedup.stream.store.restoring import first_ordinal, open_epoch, position_of
from infostream_dedup.stream.store.search_index import IndexRow, index_rows, indexed_until, part_of, read_part

_MOST_PIECES: Final = 16
"""Maximum number of pieces of documents not in the index yet; further pieces are joined."""

Bounds = tuple[int, int]


class SearchedParts:
    """Parts of the index of closed epochs, and documents after these, which are indexed in memory.

    Parts stay in memory once a search has needed them.

    Attributes:
        documents: number of documents of the store.
        expired: signatures with smaller ordinals have been deleted.
        damaged: documents whose index is damaged; they are indexed in memory.
        missing: documents of closed epochs that are not in the index yet.
    """

    def __init__(self) -> None:
        self.documents = self.expired = self.damaged = self.missing = 0
        self._forgotten = -1
        self._rows: list[IndexRow] = []
        self._kept: dict[IndexRow, IndexPart] = {}
        self._after: list[Bounds] = []
        self._pieces: dict[Bounds, IndexPart] = {}

    def refresh(self, connection: sqlite3.Connection) -> None:
        """Update for documents written, expired or forgotten since the last call."""
        position = position_of(connection)
        expired: int = connection.execute("SELECT expired_below FROM store").fetchone()[0]
        now = position.documents, expired, position.forgotten
        if now == (self.documents, self.expired, self._forgotten) and indexed_until(connection) == self._begin:
            return
        if (expired, position.forgotten) != (self.expired, self._forgotten):
            self._pieces.clear()
        self.documents, self.expired, self._forgotten = now
        self._rows, self.damaged = index_rows(connection), 0
        self._kept = {row: self._kept[row] for row in self._rows if row in self._kept}
        self._continue(indexed_until(connection))
        self.missing = max(first_ordinal(connection, "epoch", open_epoch(connection)) - self._begin, 0)

    def between(self, connection: sqlite3.Connection, first: int, end: int) -> Iterator[IndexPart]:
        """Yield the parts that have documents from ``first`` to ``end`` (exclusive), in order."""
        for row in self._rows:
            if row.first < end and first < row.end:
                if row not in self._kept:
                    part = read_part(connection, row)
                    if part is None:
                        self.damaged += row.documents
                        part = part_of(connection, row.first, row.end)
                    self._kept[row] = part
                yield self._kept[row]
        for begin, stop in self._after:
            if begin < end and first < stop:
                if (begin, stop) not in self._pieces:
                    self._pieces[begin, stop] = part_of(connection, begin, stop)
                yield self._pieces[begin, stop]

    def notes(self) -> list[str]:
        """Say why a search is slower than it should be."""
        notes = []
        if self.damaged:
            notes.append(f"the damaged index of {self.damaged} documents was not used ('store index' rebuilds it)")
        if self.missing:
            notes.append(f"{self.missing} documents are not in the index yet ('store index' adds them)")
        return notes

    @property
    def nbytes(self) -> int:
        """Bytes of the parts in memory."""
        return sum(part.nbytes for part in (*self._kept.values(), *self._pieces.values()))

    @property
    def _begin(self) -> int:
        return self._after[0][0] if self._after else self.documents

    def _continue(self, begin: int) -> None:
        """Cut the documents from ``begin`` onwards into pieces, reusing earlier pieces that still fit."""
        end = self._after[-1][1] if self._after and self._after[0][0] == begin else begin
        if end == begin or end > self.documents or len(self._after) >= _MOST_PIECES:
            self._after, end = [], begin
        self._after += [
            (place, min(place + MOST_DOCUMENTS, self.documents)) for place in range(end, self.documents, MOST_DOCUMENTS)
        ]
        self._pieces = {bounds: self._pieces[bounds] for bounds in self._after if bounds in self._pieces}
