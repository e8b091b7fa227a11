"""The index of closed epochs: the documents with each term, on disk together with the batch that closes one."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, NamedTuple, Self
from zlib import crc32

import numpy as np
import orjson
from numpy.typing import NDArray

from infostream_dedup.errors import BadDataError
from infostream_dedup.machine.arrays import INT32, INT64, Int32s, Ints, Uint8s, Uint32s, numbers_of, places_of
from infostream_dedup.model.document import LANGUAGES, Language
from infostream_dedup.stream.store.restoring import first_ordinal, open_epoch, position_of
from infostream_dedup.stream.store.tables import part_checksum

# Read documents of a store by ordinal: the fields that a search shows, and those that it compares

_AT_ONCE: Final = 500
_DOCUMENT: Final = (
    "SELECT document.ordinal, id, title, document.source, published, url, document.language,"
    " coalesce(membership.group_id, document.group_id), coalesce(text_hash, x''), coalesce(signature.keys, x''),"
    " coalesce(signature.weights, x''), coalesce(targets, x''), coalesce(evidence.keys, x''),"
    " coalesce(evidence.weights, x''), coalesce(record, x''), coalesce(word_order, x'')"
    " FROM document LEFT JOIN membership ON membership.ordinal = document.ordinal"
    " LEFT JOIN signature ON signature.ordinal = document.ordinal"
    " LEFT JOIN evidence ON evidence.ordinal = document.ordinal"
    " LEFT JOIN pivot ON pivot.ordinal = document.ordinal WHERE document.ordinal IN"
)

_KEYS: Final = (
    "SELECT ordinal, signature.keys, signature.weights, coalesce(word_order, x'') FROM signature"
    " LEFT JOIN pivot USING (ordinal) WHERE ordinal IN"
)
_BEGINNINGS: Final = "SELECT ordinal, title, packed FROM document JOIN body USING (ordinal) WHERE ordinal IN"
_NAMES: Final = "SELECT number, term FROM term WHERE number IN"


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundDocument:
    """A document."""

    ordinal: int  # its place in the stream
    id: str  # its id
    title: str  # its headline
    source: str | None  # its publisher
    published: int | None  # time of publication, UTC microseconds since 1970
    url: str | None  # its address
    language: Language  # its language
    group: str  # id of its current group
    text_hash: bytes  # hash of its text; empty for an empty text, and for a document whose signature is gone
    keys: Ints  # int64, its key terms, heaviest first
    weights: Ints  # int64, their weights
    targets: Ints  # int64, its terms, ascending
    further_keys: Ints  # int64, the further key terms that evidence compares
    further_weights: Ints  # int64, their weights
    record: bytes  # its packed evidence; empty if key terms decide
    order: Ints  # int64, its first words as they follow each other; empty if languages are kept apart


_NUMBERS: Final[dict[str, np.dtype[Any]]] = {
    **dict.fromkeys(("keys", "targets", "further_keys", "order"), INT32),
    **dict.fromkeys(("weights", "further_weights"), INT64),
}
"""Columns of `_DOCUMENT` that are packed numbers."""


def documents_of(connection: sqlite3.Connection, ordinals: Sequence[int]) -> dict[int, FoundDocument]:
    """Read documents, by ordinal."""
    found = {}
    for row in _rows(connection, _DOCUMENT, ordinals):
        fields = dict(zip(FoundDocument.__slots__, row, strict=True))
        fields |= {name: numbers_of(fields[name], kind) for name, kind in _NUMBERS.items()}
        found[row[0]] = FoundDocument(**fields)
    return found


def key_weights_of(connection: sqlite3.Connection, ordinals: Sequence[int]) -> dict[int, tuple[bytes, bytes, bytes]]:
    """Read key terms (INT32), weights (INT64) and first words (INT32; empty as ``order``) of documents, by ordinal."""
    return {ordinal: tuple(blobs) for ordinal, *blobs in _rows(connection, _KEYS, ordinals)}


def beginnings_of(connection: sqlite3.Connection, ordinals: Sequence[int], size: int) -> dict[int, tuple[str, str]]:
    """Read the title and the first ``size`` bytes of the text of documents that have one, by ordinal."""
    return {
        ordinal: (title[:size], zlib.decompressobj().decompress(packed, size).decode("utf-8", "ignore"))
        for ordinal, title, packed in _rows(connection, _BEGINNINGS, ordinals)
    }


def term_names_of(connection: sqlite3.Connection, numbers: Sequence[int]) -> dict[int, str]:
    """Return the terms with these numbers."""
    return dict(_rows(connection, _NAMES, numbers))


def _rows(connection: sqlite3.Connection, query: str, values: Sequence[Any]) -> Iterator[Any]:
    for begin in range(0, len(values), _AT_ONCE):
        asked = values[begin : begin + _AT_ONCE]
        yield from connection.execute(f"{query} ({', '.join('?' * len(asked))})", asked)


# Parts of a store's index: consecutive documents by their terms

MOST_DOCUMENTS: Final = 1 << 16  # maximum number of documents in a part, so that two bytes can number them
GONE: Final = 255  # replaces the language of a document whose signature is not in the store: forgotten or expired
_UINT16: Final = np.dtype("<u2")
_UINT8: Final = np.dtype("u1")
_NUMBER_BITS: Final = 16
_NO_SOURCE: Final = -1


@dataclass(frozen=True, slots=True)
class TermDocuments:
    """The documents that have each term."""

    terms: Int32s  # int32, numbers of the terms, ascending
    ends: Int32s  # int32 (terms + 1,), bounds of the documents of each term
    documents: NDArray[np.uint16]  # uint16, numbers of documents in the part, ascending within each term

    @classmethod
    def of(cls, rows: Sequence[bytes | None]) -> Self:
        """Invert the terms of each document: blobs of INT32, ``None`` for a document that is gone."""
        terms = np.frombuffer(b"".join(row for row in rows if row), dtype=INT32).astype(np.int64)
        sizes = np.array([0 if row is None else len(row) // INT32.itemsize for row in rows], dtype=np.int64)
        # One number orders by term and document.
        codes = terms << _NUMBER_BITS | np.repeat(np.arange(len(rows), dtype=np.int64), sizes)
        codes.sort()
        terms = codes >> _NUMBER_BITS
        begins = np.flatnonzero(np.concatenate(([True], terms[1:] != terms[:-1]))) if len(terms) else terms
        ends = np.concatenate((begins, [len(terms)])).astype(INT32)
        return cls(terms[begins].astype(INT32), ends, (codes & (MOST_DOCUMENTS - 1)).astype(_UINT16))

    def of_terms(self, asked: Ints) -> tuple[Ints, Ints]:
        """Find documents by terms: int64 each, place of a term among those asked for, ascending, and document."""
        if not len(self.terms):
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
        slots = np.minimum(np.searchsorted(self.terms, asked), len(self.terms) - 1)
        known = np.flatnonzero(self.terms[slots] == asked)
        begins = self.ends[slots[known]].astype(np.int64)
        sizes = self.ends[slots[known] + 1] - begins
        return np.repeat(known, sizes), self.documents[places_of(begins, sizes)].astype(np.int64)


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexPart:
    """Consecutive documents, numbered from 0."""

    first: int  # ordinal of the first one
    languages: Uint8s  # uint8 (documents,), index into `LANGUAGES`, or `GONE`
    sizes: Uint8s  # uint8 (documents,), number of key terms
    sources: Int32s  # int32 (documents,), index into `names`, -1 without a source
    names: list[str]  # sources
    keys: TermDocuments  # documents by key term
    targets: TermDocuments  # documents by the terms in which key terms are looked up

    def __len__(self) -> int:
        return len(self.languages)

    @property
    def end(self) -> int:
        """Ordinal after the last one."""
        return self.first + len(self)

    @classmethod
    def of_documents(cls, first: int, rows: Sequence[tuple[str, str | None, bytes | None, bytes | None]]) -> Self:
        """Index documents."""
        if len(rows) > MOST_DOCUMENTS:
            raise ValueError(f"{len(rows)} documents are more than {MOST_DOCUMENTS}")
        numbers: dict[str | None, int] = {language: number for number, language in enumerate(LANGUAGES)}
        if unknown := {one for one, _, keys, _ in rows if keys is not None} - numbers.keys():
            raise ValueError(f"no language: {min(map(repr, unknown))}")
        names: dict[str, int] = {}
        sources = [
            names.setdefault(source, len(names)) if source and keys is not None else _NO_SOURCE
            for _, source, keys, _ in rows
        ]
        return cls(
            first=first,
            languages=np.array([GONE if keys is None else numbers[one] for one, _, keys, _ in rows], dtype=_UINT8),
            sizes=np.array([len(keys or b"") // INT32.itemsize for _, _, keys, _ in rows], dtype=_UINT8),
            sources=np.array(sources, dtype=INT32),
            names=list(names),
            keys=TermDocuments.of([keys for _, _, keys, _ in rows]),
            targets=TermDocuments.of([targets for *_, targets in rows]),
        )

    def packed(self) -> bytes:
        """Return the part as bytes; equal documents give equal bytes."""
        arrays = self._arrays()
        head = orjson.dumps({"names": self.names, "sizes": [len(array) for array in arrays]})
        # Arrays that start at multiples of their width are faster to read.
        head += b" " * (-len(head) % 8)
        return b"".join((len(head).to_bytes(8, "little"), head, *(array.tobytes() for array in arrays)))

    @classmethod
    def unpacked(cls, first: int, packed: bytes) -> Self:
        """Return the part that ``packed`` wrote; its arrays are views of the bytes."""
        size = int.from_bytes(packed[:8], "little")
        head = orjson.loads(packed[8 : 8 + size])
        ends = np.cumsum([8 + size, *(n * kind.itemsize for n, kind in zip(head["sizes"], _KINDS, strict=True))])
        arrays = [
            np.frombuffer(packed, dtype=kind, count=count, offset=begin)
            for (begin, _), kind, count in zip(pairwise(ends.tolist()), _KINDS, head["sizes"], strict=True)
        ]
        sources, key_terms, key_ends, target_terms, target_ends, keys, targets, languages, sizes = arrays
        return cls(
            first=first,
            languages=languages,
            sizes=sizes,
            sources=sources,
            names=head["names"],
            keys=TermDocuments(key_terms, key_ends, keys),
            targets=TermDocuments(target_terms, target_ends, targets),
        )

    def _arrays(self) -> tuple[NDArray[Any], ...]:
        keys, targets = self.keys, self.targets
        numbers = self.sources, keys.terms, keys.ends, targets.terms, targets.ends
        return (*numbers, keys.documents, targets.documents, self.languages, self.sizes)


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchScope:
    """Which documents may be found."""

    first: int  # smallest ordinal
    end: int  # one past the largest
    itself: int | None = None  # ordinal of the stored document that is searched for
    languages: Sequence[int] | None = None  # index into `LANGUAGES` of the languages; `None` for all
    sources: frozenset[str] | None = None  # names of sources; `None` for all

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


_KINDS: Final[tuple[np.dtype[Any], ...]] = (*[INT32] * 5, *[_UINT16] * 2, *[_UINT8] * 2)


_SIGNATURES: Final = (
    "SELECT document.language, document.source, keys, targets FROM document"
    " LEFT JOIN signature ON signature.ordinal = document.ordinal"
    " WHERE document.ordinal >= ? AND document.ordinal < ? ORDER BY document.ordinal"
)


class IndexRow(NamedTuple):
    """A row of the index without its content."""

    first: int  # ordinal of its first document
    documents: int  # number of its documents
    checksum: bytes  # checksum of both numbers and the content

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
        IndexPart.unpacked(row.first, packed)
        if part_checksum(packed, row.first, row.documents) == row.checksum
        else None
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
    row = (first, end - first, packed, part_checksum(packed, first, end - first))
    connection.execute("INSERT INTO search_index (first, documents, packed, checksum) VALUES (?, ?, ?, ?)", row)


# The index of terms: finds the number of a term by its text.
#
# SQLite's own index would change a page in a random place for every new term (reports/speed.md says what that costs).
# Here, each block of consecutive terms is indexed once, when it is complete; the terms after the last block are few
# enough for a search to keep them in memory.

TERMS_IN_BLOCK: Final = 1 << 14
_UINT32: Final = np.dtype("<u4")
_TERMS: Final = "SELECT term FROM term WHERE number >= ? AND number < ? ORDER BY number"
_AFTER: Final = "SELECT term, number FROM term WHERE number >= ?"
_ROWS: Final = "SELECT first, packed, checksum FROM term_index WHERE first >= ?"
_INSERT: Final = "INSERT OR REPLACE INTO term_index (first, packed, checksum) VALUES (?, ?, ?)"


class _Block(NamedTuple):
    hashes: Uint32s  # uint32 (terms,), ascending
    places: NDArray[np.uint16]  # uint16 (terms,), place in the block of the term with each hash

    @classmethod
    def of(cls, terms: Sequence[str]) -> _Block:
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

    def places_of(self, asked: Uint32s) -> list[int]:
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
        _write_terms(connection, first)


def rebuild_term_block(connection: sqlite3.Connection, first: int) -> None:
    """Write the row of a block, or delete one that belongs to no complete block, inside the caller's transaction."""
    if first % TERMS_IN_BLOCK or first >= _end_of_blocks(position_of(connection).terms):
        connection.execute("DELETE FROM term_index WHERE first = ?", (first,))
    else:
        _write_terms(connection, first)


def term_index_faults(connection: sqlite3.Connection) -> Iterator[tuple[int, str | None]]:
    """Compare every block with its terms; yield the number of its first term, and what is wrong, or ``None``."""
    rows = {first: (packed, checksum) for first, packed, checksum in connection.execute(_ROWS, (0,))}
    for first in range(0, _end_of_blocks(position_of(connection).terms), TERMS_IN_BLOCK):
        packed = _block_of(connection, first).packed()
        fault = None
        if first not in rows:
            fault = "is missing"
        elif rows.pop(first) != (packed, part_checksum(packed, first)):
            fault = "differs from its terms"
        yield first, fault
    for first in sorted(rows):
        yield first, "has no terms"


def _end_of_blocks(terms: int) -> int:
    return terms - terms % TERMS_IN_BLOCK


def _read_block(connection: sqlite3.Connection, first: int, row: Sequence[bytes] | None) -> _Block:
    if row is not None and part_checksum(row[0], first) == row[1]:
        return _Block.unpacked(row[0])
    return _block_of(connection, first)


def _write_terms(connection: sqlite3.Connection, first: int) -> None:
    packed = _block_of(connection, first).packed()
    connection.execute(_INSERT, (first, packed, part_checksum(packed, first)))


def _block_of(connection: sqlite3.Connection, first: int) -> _Block:
    return _Block.of([row[0] for row in connection.execute(_TERMS, (first, first + TERMS_IN_BLOCK))])


def _hashes(terms: Sequence[str]) -> Uint32s:
    # The words of a question may contain lone surrogates; no stored term does.
    return np.array([crc32(term.encode("utf-8", "replace")) for term in terms], dtype=_UINT32)
