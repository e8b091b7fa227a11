"""The index of terms: finds the number of a term by its text.

SQLite's own index would change a page in a random place for every new term (reports/speed.md says what that costs).
Here, each block of consecutive terms is indexed once, when it is complete; the terms after the last block are few
enough for a search to keep them in memory.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Final, NamedTuple
from zlib import crc32

import numpy as np

from infostream_dedup.stream.store.found_rows import term_names_of
from infostream_dedup.stream.store.restoring import position_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

TERMS_IN_BLOCK: Final = 1 << 14

_UINT32: Final = np.dtype("<u4")
_UINT16: Final = np.dtype("<u2")
_TERMS: Final = "SELECT term FROM term WHERE number >= ? AND number < ? ORDER BY number"
_AFTER: Final = "SELECT term, number FROM term WHERE number >= ?"
_ROWS: Final = "SELECT first, packed, checksum FROM term_index WHERE first >= ?"
_INSERT: Final = "INSERT OR REPLACE INTO term_index (first, packed, checksum) VALUES (?, ?, ?)"


class _Block(NamedTuple):
    """A block in memory.

    Attributes:
        hashes: uint32 (terms,), ascending.
        places: uint16 (terms,), place in the block of the term with each hash.
    """

    hashes: NDArray[np.uint32]
    places: NDArray[np.uint16]

    @classmethod
    def of(cls, terms: Sequence[str]) -> _Block:
        """Index terms."""
        hashes = _hashes(terms)
        order = np.argsort(hashes, kind="stable")
        return cls(hashes[order], order.astype(_UINT16))

    @classmethod
    def unpacked(cls, packed: bytes) -> _Block:
        terms = len(packed) // (_UINT32.itemsize + _UINT16.itemsize)
        places = np.frombuffer(packed, dtype=_UINT16, count=terms, offset=terms * _UINT32.itemsize)
        return cls(np.frombuffer(packed, dtype=_UINT32, count=terms), places)

    def packed(self) -> bytes:
        return self.hashes.tobytes() + self.places.tobytes()

    def places_of(self, asked: NDArray[np.uint32]) -> list[int]:
        """Return the places of all terms that have one of the hashes."""
        begins = self.hashes.searchsorted(asked)
        met = np.flatnonzero(self.hashes.take(begins, mode="clip") == asked)
        begins, ends = begins[met], self.hashes.searchsorted(asked[met], side="right")
        return [
            place
            for begin, end in zip(begins.tolist(), ends.tolist(), strict=True)
            for place in self.places[begin:end].tolist()
        ]


class TermIndex:
    """Finds the numbers of terms in a store. Blocks stay in memory once they have been read (6 bytes a term)."""

    def __init__(self) -> None:
        self._blocks: list[_Block] = []
        self._after: dict[str, int] = {}

    def numbers_of(self, connection: sqlite3.Connection, terms: Sequence[str]) -> dict[str, int]:
        """Return the numbers of those terms that the store has."""
        self._read_on(connection)
        asked, hashes = set(terms), np.unique(_hashes(terms))
        numbers = [
            number * TERMS_IN_BLOCK + place
            for number, block in enumerate(self._blocks)
            for place in block.places_of(hashes)
        ]
        # Other terms may have the same hashes.
        found = {term: number for number, term in term_names_of(connection, numbers).items() if term in asked}
        return found | {term: self._after[term] for term in asked & self._after.keys()}

    @property
    def nbytes(self) -> int:
        """Bytes of the blocks in memory."""
        return sum(block.hashes.nbytes + block.places.nbytes for block in self._blocks)

    def _read_on(self, connection: sqlite3.Connection) -> None:
        begin, end = len(self._blocks) * TERMS_IN_BLOCK, _end_of_blocks(position_of(connection).terms)
        if begin < end:
            rows = {first: row for first, *row in connection.execute(_ROWS, (begin,))}
            firsts = range(begin, end, TERMS_IN_BLOCK)
            self._blocks += [_read_block(connection, first, rows.get(first)) for first in firsts]
            self._after = {}
        self._after.update(connection.execute(_AFTER, (end + len(self._after),)))


def index_terms(connection: sqlite3.Connection, terms: int) -> None:
    """Index all complete blocks after the last row of the index, inside the caller's transaction."""
    last = connection.execute("SELECT max(first) FROM term_index").fetchone()[0]
    begin = 0 if last is None else _end_of_blocks(last) + TERMS_IN_BLOCK
    for first in range(begin, _end_of_blocks(terms), TERMS_IN_BLOCK):
        _write(connection, first)


def rebuild_term_block(connection: sqlite3.Connection, first: int) -> None:
    """Write the row of a block, or delete one that belongs to no complete block, inside the caller's transaction."""
    if first % TERMS_IN_BLOCK or first >= _end_of_blocks(position_of(connection).terms):
        connection.execute("DELETE FROM term_index WHERE first = ?", (first,))
    else:
        _write(connection, first)


def term_index_faults(connection: sqlite3.Connection) -> Iterator[tuple[int, str | None]]:
    """Compare every block with its terms; yield the number of its first term, and what is wrong, or ``None``."""
    rows = {first: (packed, checksum) for first, packed, checksum in connection.execute(_ROWS, (0,))}
    for first in range(0, _end_of_blocks(position_of(connection).terms), TERMS_IN_BLOCK):
        packed = _block_of(connection, first).packed()
        fault = None
        if first not in rows:
            fault = "is missing"
        elif rows.pop(first) != (packed, _checksum(first, packed)):
            fault = "differs from its terms"
        yield first, fault
    for first in sorted(rows):
        yield first, "has no terms"


def _end_of_blocks(terms: int) -> int:
    return terms - terms % TERMS_IN_BLOCK


def _read_block(connection: sqlite3.Connection, first: int, row: Sequence[bytes] | None) -> _Block:
    """Return a block from its row, or rebuild it from the terms if the row is damaged or missing."""
    if row is not None and _checksum(first, row[0]) == row[1]:
        return _Block.unpacked(row[0])
    return _block_of(connection, first)


def _write(connection: sqlite3.Connection, first: int) -> None:
    packed = _block_of(connection, first).packed()
    connection.execute(_INSERT, (first, packed, _checksum(first, packed)))


def _block_of(connection: sqlite3.Connection, first: int) -> _Block:
    return _Block.of([row[0] for row in connection.execute(_TERMS, (first, first + TERMS_IN_BLOCK))])


def _hashes(terms: Sequence[str]) -> NDArray[np.uint32]:
    # The words of a question may contain lone surrogates; no stored term does.
    return np.fromiter((crc32(str.encode(term, "utf-8", "replace")) for term in terms), _UINT32, len(terms))


def _checksum(first: int, packed: bytes) -> bytes:
    hashed = blake2b(first.to_bytes(8, "little"), digest_size=16)
    hashed.update(packed)
    return hashed.digest()
