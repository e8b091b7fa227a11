"""The index of closed epochs: the documents with each term, so that a search need not read them all.

It is part of the store, so a batch and the index of the epoch that it closes are on disk together or not at all.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from hashlib import blake2b
from typing import TYPE_CHECKING, Final, NamedTuple

from infostream_dedup.errors import BadDataError
from infostream_dedup.stream.store.index_parts import MOST_DOCUMENTS, IndexPart
from infostream_dedup.stream.store.restoring import first_ordinal, open_epoch, position_of

if TYPE_CHECKING:
    from collections.abc import Sequence

_SIGNATURES: Final = (
    "SELECT document.language, document.source, keys, targets FROM document"
    " LEFT JOIN signature ON signature.ordinal = document.ordinal"
    " WHERE document.ordinal >= ? AND document.ordinal < ? ORDER BY document.ordinal"
)


class IndexRow(NamedTuple):
    """A row of the index without its content.

    Attributes:
        first: ordinal of its first document.
        documents: number of its documents.
        checksum: checksum of both numbers and the content.
    """

    first: int
    documents: int
    checksum: bytes

    @property
    def end(self) -> int:
        """One past its last document."""
        return self.first + self.documents


def part_of(connection: sqlite3.Connection, first: int, end: int) -> IndexPart:
    """Index documents in memory, from their signatures; at most ``MOST_DOCUMENTS``."""
    rows = connection.execute(_SIGNATURES, (first, end)).fetchall()
    try:
        return IndexPart.of_documents(first, rows)
    except ValueError as error:
        message = f"the documents numbered {first} to {end - 1} cannot be read: {error}; see 'store verify'"
        source = connection.execute("PRAGMA database_list").fetchone()[2]
        raise BadDataError(message, code="E_STORE_DAMAGED", source=source) from error


def index_rows(connection: sqlite3.Connection) -> list[IndexRow]:
    """Return all rows in order."""
    rows = connection.execute("SELECT first, documents, checksum FROM search_index ORDER BY first")
    return [IndexRow(*row) for row in rows]


def read_part(connection: sqlite3.Connection, row: IndexRow) -> IndexPart | None:
    """Return the content of a row; ``None`` if it is damaged."""
    packed = connection.execute("SELECT packed FROM search_index WHERE first = ?", (row.first,)).fetchone()[0]
    return (
        IndexPart.unpacked(row.first, packed) if _checksum(row.first, row.documents, packed) == row.checksum else None
    )


def indexed_until(connection: sqlite3.Connection) -> int:
    """Return the first ordinal that is not in the index, and has a signature."""
    last = connection.execute("SELECT first + documents FROM search_index ORDER BY first DESC LIMIT 1").fetchone()
    expired: int = connection.execute("SELECT expired_below FROM store").fetchone()[0]
    return max(expired, last[0] if last else 0)


def index_closed_epochs(connection: sqlite3.Connection) -> int:
    """Index the closed epochs after the last row, inside the caller's transaction; return the number of documents."""
    begin = indexed_until(connection)
    done = 0
    for first, end in _closed_epochs(connection, begin):
        for place in range(first, end, MOST_DOCUMENTS):
            _write(connection, place, min(place + MOST_DOCUMENTS, end))
        done += end - first
    return done


def rebuild_index(connection: sqlite3.Connection, ordinals: Sequence[int]) -> None:
    """Rebuild the rows that contain documents whose signatures have changed, inside the caller's transaction."""
    for row in index_rows(connection):
        if any(row.first <= ordinal < row.end for ordinal in ordinals):
            connection.execute("DELETE FROM search_index WHERE first = ?", (row.first,))
            _write(connection, row.first, row.end)


def damaged_rows(connection: sqlite3.Connection) -> list[IndexRow]:
    """Return the rows that are not what the signatures say, as ``index_faults`` finds them."""
    return [row for row, fault in index_faults(connection) if fault is not None]


def index_faults(connection: sqlite3.Connection) -> Iterator[tuple[IndexRow, str | None]]:
    """Compare every row with the signatures; yield it with what is wrong, or ``None``."""
    follows = None
    for row in index_rows(connection):
        part = read_part(connection, row)
        fault = None
        if part is None:
            fault = "does not match its checksum"
        elif follows is not None and row.first != follows:
            fault = "does not continue where the previous one ends"
        elif part.packed() != part_of(connection, row.first, row.end).packed():
            fault = "differs from the signatures"
        yield row, fault
        follows = row.end


def _closed_epochs(connection: sqlite3.Connection, begin: int) -> Iterator[tuple[int, int]]:
    """Return the bounds of the documents of each closed epoch, starting at an ordinal."""
    documents = position_of(connection).documents
    if begin >= documents:
        return
    epoch: int = connection.execute("SELECT epoch FROM document WHERE ordinal = ?", (begin,)).fetchone()[0]
    for number in range(epoch, open_epoch(connection)):
        end = first_ordinal(connection, "epoch", number + 1)
        if end > begin:
            yield begin, end
        begin = end


def _write(connection: sqlite3.Connection, first: int, end: int) -> None:
    packed = part_of(connection, first, end).packed()
    row = (first, end - first, packed, _checksum(first, end - first, packed))
    connection.execute("INSERT INTO search_index (first, documents, packed, checksum) VALUES (?, ?, ?, ?)", row)


def _checksum(first: int, documents: int, packed: bytes) -> bytes:
    hashed = blake2b(first.to_bytes(8, "little") + documents.to_bytes(8, "little"), digest_size=16)
    hashed.update(packed)
    return hashed.digest()
