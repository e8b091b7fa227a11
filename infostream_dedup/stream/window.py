"""The documents of the window as columns, and rows that come and go in order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import compress
from operator import is_not
from typing import Any, ClassVar, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from infostream_dedup.judging.evidence.facts import DocumentFacts
from infostream_dedup.judging.evidence.kernels.comparing import ComparedKeys, sum_keys
from infostream_dedup.judging.evidence.pair_evidence import TripleRows
from infostream_dedup.judging.evidence.records import EvidenceRecords
from infostream_dedup.language.text.fingerprint import TEXT_HASH
from infostream_dedup.machine.arrays import Ints, Ragged, Uint8s, offsets_of
from infostream_dedup.model import NO_TIME
from infostream_dedup.stream.kernels.gathering import Arranged, arrange_keys, put_rows
from infostream_dedup.stream.kernels.judging import NO_SOURCE, Columns
from infostream_dedup.stream.kernels.pivot import PivotDocuments

# Rows that come and go in order

_ROOM: Final = 1 << 14  # elements for which ``make_room`` leaves room
_STEPS: Final = 16  # maximum number of steps in which elements are moved to the front of an array


class RowWindow:
    """Rows of values of one ``dtype`` that are added at one end and dropped at the other."""

    def __init__(self, dtype: type[np.generic]) -> None:
        self._values: NDArray[Any] = np.empty(1 << 12, dtype=dtype)
        self._ends = np.zeros(1 << 10, dtype=np.int64)
        self._size = 0
        self._lent = False

    def __len__(self) -> int:
        return self._size

    def make_room(self) -> None:
        """Leave room for further rows, which every fork would otherwise make anew."""
        self._values = with_room(self._values, int(self._ends[self._size]) + _ROOM)
        self._ends = with_room(self._ends, self._size + _ROOM)
        self._lent = False

    def extend(self, rows: Ragged) -> None:
        """Add rows at the end; the first ones are not copied, so they must not change later."""
        if self._size == 0 and self._borrow(rows):
            return
        first, size = rows.indptr[0], len(rows.indptr)
        values = rows.values[first : rows.indptr[-1]]
        begin = int(self._ends[self._size])
        end = begin + len(values)
        # Every document enters a dozen of these, mostly where there is room.
        if len(self._values) < end:
            self._values = with_room(self._values, end)
        if len(self._ends) < self._size + size:
            self._ends = with_room(self._ends, self._size + size)
        self._values[begin:end] = values
        np.add(rows.indptr, begin - first, out=self._ends[self._size : self._size + size])
        self._size += size - 1

    def _borrow(self, rows: Ragged) -> bool:
        """Use the arrays of the first rows themselves, never written to: a restart would hold its largest twice."""
        end = int(rows.indptr[-1])
        alike = rows.values.dtype == self._values.dtype and rows.indptr.dtype == self._ends.dtype
        flags = rows.values.flags, rows.indptr.flags
        if not alike or rows.indptr[0] or not all(one.c_contiguous and one.writeable and one.aligned for one in flags):
            return False
        self._values, self._ends, self._size, self._lent = rows.values[:end], rows.indptr, len(rows), True
        return True

    def row(self, number: int) -> NDArray[Any]:
        """Return a view of one row; the numbers of rows change with ``drop``."""
        return self._values[self._ends[number] : self._ends[number + 1]]

    @property
    def rows(self) -> Ragged:
        """A view of all rows, with spare room after them; it changes with ``extend`` and ``drop``."""
        return Ragged(self._ends, self._values)

    def rows_from(self, number: int, end: int | None = None) -> Ragged:
        """Return a view of the rows from ``number`` to ``end`` (exclusive); it changes with ``drop``."""
        return Ragged(self._ends[number : (self._size if end is None else end) + 1], self._values)

    def gathered(self, numbers: Ints) -> Ragged:
        """Return copies of some rows."""
        begins = offsets_of(self.sizes_of(numbers))
        values = np.empty(int(begins[-1]), dtype=self._values.dtype)
        self.put(numbers, begins, values)
        return Ragged(begins, values)

    def sizes_of(self, numbers: Ints) -> Ints:
        """Return the number of values of some rows: int64."""
        sizes: Ints = self._ends[numbers + 1] - self._ends[numbers]
        return sizes

    def put(self, numbers: Ints, begins: Ints, into: NDArray[Any]) -> None:
        """Copy some rows."""
        put_rows(self._ends, self._values, numbers, begins, into)

    def drop(self, rows: int) -> None:
        """Drop the first rows."""
        if self._lent:
            self._values, self._ends, self._lent = self._values.copy(), self._ends.copy(), False
        begin, end = int(self._ends[rows]), int(self._ends[self._size])
        self._values = without_first(self._values, begin, end)
        self._size -= rows
        self._ends = without_first(self._ends, rows, rows + self._size + 1)
        self._ends[: self._size + 1] -= begin


class EvenWindow:
    """Rows of ``width`` values, like ``RowWindow``."""

    def __init__(self, dtype: type[np.generic], width: int = 1) -> None:
        self._values: NDArray[Any] = np.empty(width << 10, dtype=dtype)
        self._width = width
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def extend(self, values: NDArray[Any]) -> None:
        """Add rows at the end, given all their values."""
        begin = self._size * self._width
        self._values = with_room(self._values, begin + values.size)
        self._values[begin : begin + values.size] = values.ravel()
        self._size += values.size // self._width

    def values_from(self, number: int) -> NDArray[Any]:
        """Return a view of the values of all rows from ``number`` on; it changes with ``drop``."""
        return self._values[number * self._width : self._size * self._width]

    def drop(self, rows: int) -> None:
        """Drop the first rows."""
        self._values = without_first(self._values, rows * self._width, self._size * self._width)
        self._size -= rows


def with_room(array: NDArray[Any], size: int) -> NDArray[Any]:
    """Return the array, or a copy with half as much room again if ``size`` is more; unused room takes no memory."""
    if len(array) >= size:
        return array
    grown = np.empty(max(size, len(array) * 3 // 2), dtype=array.dtype)
    grown[: len(array)] = array
    return grown


def without_first(array: NDArray[Any], begin: int, end: int) -> NDArray[Any]:
    """Move the elements from ``begin`` to ``end`` to the front; a much too large array is replaced."""
    kept = end - begin
    if len(array) > max(1 << 12, 4 * kept):
        shorter = np.empty(max(1 << 12, 2 * kept), dtype=array.dtype)
        shorter[:kept] = array[begin:end]
        return shorter
    # In steps, because numpy copies whatever overlaps before it moves it.
    step = max(begin, kept // _STEPS, 1)
    for there in range(0, kept if begin else 0, step):
        moved = array[begin + there : min(begin + there + step, end)]
        array[there : there + len(moved)] = moved
    return array


# Columns with a row for each document of the window


class DocumentColumns:
    """Columns by name: ``_flat`` ones have a value for each document, ``_ragged`` ones have several."""

    _flat: ClassVar[tuple[str, ...]] = ()
    _ragged: ClassVar[tuple[str, ...]]

    @property
    def held(self) -> int:
        """Number of documents in memory."""
        return len(getattr(self, self._ragged[0]))

    def enter(self, rows: object) -> None:
        """Add documents, given by an object with columns of the same names."""
        held = self.held
        for name in self._flat:
            more = getattr(rows, name)
            column = with_room(getattr(self, name), held + len(more))
            column[held : held + len(more)] = more
            setattr(self, name, column)
        for name in self._ragged:
            getattr(self, name).extend(getattr(rows, name))

    def make_room(self) -> None:
        """Leave room for further documents; see ``RowWindow.make_room``."""
        for name in self._flat:
            setattr(self, name, with_room(getattr(self, name), self.held + _ROOM))
        for name in self._ragged:
            getattr(self, name).make_room()

    def drop(self, documents: int) -> None:
        """Drop the first documents."""
        for name in self._flat:
            setattr(self, name, without_first(getattr(self, name), documents, self.held))
        for name in self._ragged:
            getattr(self, name).drop(documents)


# Additional columns that preset `judged` keeps for the documents of the window

_NO_ADDRESS: Final = -1
_HASH_BYTES: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceRows:
    """Columns of documents that enter the window."""

    languages: Uint8s  # uint8 (documents,), index into `LANGUAGES`
    published: Ints  # int64 (documents,), UTC microseconds since 1970, `NO_TIME` without a date
    addresses: Ints  # int64 (documents,), result of `address_numbers`
    keys: Ragged  # key terms after the first n, heaviest first
    weights: Ragged  # their weights
    records: Ragged  # packed evidence


class EvidenceWindow(DocumentColumns):
    """Columns with the rows of their ``Window``; without a date ``NO_TIME``, without an address a negative number."""

    _flat = ("languages", "published", "addresses")
    _ragged = ("keys", "weights", "records")

    def __init__(self) -> None:
        self.languages: NDArray[Any] = np.zeros(1 << 10, dtype=np.uint8)
        self.published: NDArray[Any] = np.zeros(1 << 10, dtype=np.int64)
        self.addresses: NDArray[Any] = np.zeros(1 << 10, dtype=np.int64)
        self.keys = RowWindow(np.int32)
        self.weights = RowWindow(np.int64)
        self.records = RowWindow(np.uint32)

    def records_of(self, rows: Ints) -> EvidenceRecords:
        """Records of some documents, in the order given."""
        found = self.records.gathered(rows)
        return EvidenceRecords(found.values, found.indptr)

    def keys_of(self, rows: Ints, window: Window) -> ComparedKeys:
        """All compared key terms and all terms of some documents, in the order given."""
        firsts = window.keys.sizes_of(rows)
        bounds = offsets_of(firsts + self.keys.sizes_of(rows))
        keys, weights = np.empty(int(bounds[-1]), dtype=np.int32), np.empty(int(bounds[-1]), dtype=np.int64)
        for first, further, values in ((window.keys, self.keys, keys), (window.weights, self.weights, weights)):
            first.put(rows, bounds, values)
            further.put(rows, bounds[:-1] + firsts, values)
        return compared_keys(
            Ragged(bounds, keys), Ragged(bounds, weights), window.targets.gathered(rows), firsts=firsts
        )


def compared_keys(keys: Ragged, weights: Ragged, targets: Ragged, *, firsts: Ints) -> ComparedKeys:
    """Arrange key terms for the comparison; ``targets``: all terms of each document, ascending."""
    bounds, many = keys.indptr, len(keys.values)
    arranged = Arranged(np.empty(many, dtype=np.int32), np.empty(many, dtype=np.int64), np.empty(many, dtype=np.uint8))
    arrange_keys(
        bounds, firsts, keys.values.astype(np.int32, copy=False), weights.values.astype(np.int64, copy=False), arranged
    )
    own, squares = np.empty((len(keys), 2), dtype=np.int64), np.empty(len(keys), dtype=np.float64)
    sum_keys(bounds, arranged.weights, arranged.heaviest, own, squares)
    return ComparedKeys(
        begins=bounds,
        **arranged._asdict(),
        own=own,
        squares=squares,
        target_begins=targets.indptr,
        targets=targets.values.astype(np.int32, copy=False),
    )


def address_numbers(addresses: Iterable[str | None]) -> Ints:
    """Number each address, the same in every process; ``-1`` if there is none."""
    return np.array([_number(one) if one else _NO_ADDRESS for one in addresses], dtype=np.int64)


def published_times(times: Sequence[int | None]) -> Ints:
    """Times as a column; a date of 1970 or earlier, as broken feeds write, counts as missing."""
    return np.array([NO_TIME if time is None or time <= 0 else time for time in times], dtype=np.int64)


def _number(address: str) -> int:
    digest = blake2b(address.encode("utf-8", "surrogatepass"), digest_size=_HASH_BYTES).digest()
    return int.from_bytes(digest, "little") >> 1


# Additional columns of the window in a stream that compares documents across languages


@dataclass(frozen=True, slots=True)
class PivotRows:
    """Columns of documents that enter the window."""

    keys: Ragged  # canonical key terms, heaviest first, at most 30
    weights: Ragged  # their weights
    members: Ragged  # the terms that count as each key term, as `KeptPivot.members`
    matched_by: Ragged  # all terms by which other documents can match these, ascending
    order: Ragged  # their first words, as they follow each other


class PivotWindow(DocumentColumns):
    """Columns with the same rows as the ``Window`` they belong to; see ``PivotRows``."""

    _ragged = ("keys", "weights", "members", "matched_by", "order")

    def __init__(self) -> None:
        self.keys = RowWindow(np.int32)
        self.weights = RowWindow(np.int64)
        self.members = RowWindow(np.int64)
        self.matched_by = RowWindow(np.int32)
        self.order = RowWindow(np.int32)

    @property
    def documents(self) -> PivotDocuments:
        """All documents by row, arranged for comparison; a view that changes with ``extend`` and ``drop``."""
        weights, members, matched_by = (column.rows for column in (self.weights, self.members, self.matched_by))
        return PivotDocuments(
            weight_begins=weights.indptr,
            weights=weights.values,
            member_begins=members.indptr,
            members=members.values,
            matched_begins=matched_by.indptr,
            matched_by=matched_by.values,
        )


# The documents of the window as columns

_LEAST_DROPPED: Final = 1024

_DROPPED: Final = 8
"""Documents are dropped once this fraction of those in memory has expired: the others are moved to the front then."""


class Window(DocumentColumns):
    """Documents by ordinal, in columns; expired ones are dropped from memory some time later.

    ``first``, ``oldest`` and ``end`` are the ordinals of the first document in memory, of the first that has not
    expired, and of the next one; a document's place in a column is its ordinal minus ``first``. ``group_starts`` has
    the earliest document that each document's group ever had, ``sources`` the number of its outlet in ``outlets``, and
    ``times`` the clock where there is no date. Key terms have the heaviest first, other rows ascend. ``evidence`` is
    ``None`` if key terms decide, ``pivot`` if languages are kept apart.
    """

    _flat = ("group_starts", "sizes", "sources", "clocks", "times")
    _ragged = ("keys", "weights", "targets", "numbers")

    def __init__(self, first: int = 0, *, evidence: bool = False, pivot: bool = False) -> None:
        self.first = self.oldest = self.end = first
        self.ids: list[str] = []
        self.groups: list[str] = []
        self.hashes: list[EqualTo] = []
        self.outlets: dict[str, int] = {}
        self.group_starts: NDArray[Any] = np.zeros(1 << 10, dtype=np.int64)
        self.sizes: NDArray[Any] = np.zeros(1 << 10, dtype=np.uint8)
        self.sources: NDArray[Any] = np.zeros(1 << 10, dtype=np.int32)
        self.clocks: NDArray[Any] = np.zeros(1 << 10, dtype=np.int64)
        self.times: NDArray[Any] = np.zeros(1 << 10, dtype=np.int64)
        self.keys = RowWindow(np.int32)
        self.weights = RowWindow(np.int64)
        self.targets = RowWindow(np.int32)
        self.numbers = RowWindow(np.int64)
        self.evidence = EvidenceWindow() if evidence else None
        self.pivot = PivotWindow() if pivot else None

    def __len__(self) -> int:
        """Number of documents that have not expired."""
        return self.end - self.oldest

    def extend(
        self,
        ids: Sequence[str],
        hashes: Sequence[EqualTo],
        sources: Sequence[str | None],
        clocks: Ints,
        times: Ints,
        rows: tuple[Ragged, Ragged, Ragged, Ragged],
        evidence: EvidenceRows | None = None,
    ) -> None:
        """Add documents, each in a group of its own; the sources by name."""
        held, more, known = self.held, len(ids), self.outlets
        number_of = {one: known.setdefault(one, len(known)) if one else NO_SOURCE for one in dict.fromkeys(sources)}
        self.ids += ids
        self.groups += ids
        self.hashes += hashes
        if len(self.sizes) < held + more:
            for name in self._flat:
                setattr(self, name, with_room(getattr(self, name), held + more))
        added = slice(held, held + more)
        self.sources[added] = np.array(list(map(number_of.__getitem__, sources)), dtype=np.int32)
        self.clocks[added], self.times[added] = clocks, times
        self.group_starts[added] = np.arange(self.end, self.end + more)
        self.sizes[added] = rows[0].sizes
        for name, more_rows in zip(self._ragged, rows, strict=True):
            getattr(self, name).extend(more_rows)
        if self.evidence is not None and evidence is not None:
            self.evidence.enter(evidence)
        self.end += more

    @property
    def _further(self) -> list[DocumentColumns]:
        return [one for one in (self.evidence, self.pivot) if one is not None]

    def make_room(self) -> None:
        """Leave room for further documents; see ``RowWindow.make_room``."""
        super().make_room()
        for columns in self._further:
            columns.make_room()

    def id_of(self, ordinal: int) -> str:
        """Return the id of a document."""
        return self.ids[ordinal - self.first]

    @property
    def columns(self) -> Columns:
        """Views of the columns used for judging; they change with ``extend`` and ``tidy``."""
        keys, targets, numbers = self.keys.rows, self.targets.rows, self.numbers.rows
        return Columns(
            sizes=self.sizes,
            sources=self.sources,
            times=self.times,
            key_ends=keys.indptr,
            keys=keys.values,
            weights=self.weights.rows.values,
            target_ends=targets.indptr,
            targets=targets.values,
            number_ends=numbers.indptr,
            numbers=numbers.values,
        )

    def facts_of(self, rows: Ints | slice, texts: Ints) -> DocumentFacts:
        """Who published some documents, and when, given the numbers of their texts."""
        evidence = self.evidence_columns
        return DocumentFacts(
            self.sources[rows].astype(np.int64), evidence.published[rows], texts, evidence.addresses[rows]
        )

    @property
    def evidence_columns(self) -> EvidenceWindow:
        """The columns of evidence."""
        if self.evidence is None:
            raise ValueError("the window keeps no evidence")
        return self.evidence

    @property
    def pivot_columns(self) -> PivotWindow:
        """The columns of the pivot language."""
        if self.pivot is None:
            raise ValueError("the window keeps no terms of a pivot language")
        return self.pivot

    def expire_before(self, ordinal: int) -> None:
        """Expire the documents with smaller ordinals; their columns stay until ``tidy``."""
        self.oldest = max(self.oldest, ordinal)

    def tidy(self) -> None:
        """Drop expired documents from memory if there are enough of them."""
        gone = self.oldest - self.first
        if gone < _LEAST_DROPPED or _DROPPED * gone < self.end - self.first:
            return
        for columns in (self, *self._further):
            columns.drop(gone)
        for words in (self.ids, self.groups, self.hashes):
            del words[:gone]
        self.first = self.oldest


# Documents of the window with equal hashes


class EqualTo(NamedTuple):
    """Hashes of a document by which equal ones are found."""

    text: bytes  # of the text as it is compared
    opening: bytes  # of its beginning
    whole: bytes  # of the text as given; the same object as ``text`` if nothing was left out
    half: bytes  # of its half in another language; empty if there is none


def equal_to(text_hash: bytes, opening_hash: bytes) -> EqualTo:
    """Hashes of a document from those that are stored."""
    text = text_hash if len(text_hash) <= TEXT_HASH else text_hash[:TEXT_HASH]
    return EqualTo(text, opening_hash, text_hash, text_hash[TEXT_HASH + 8 :])


class EqualHashes:
    """Documents of the window by hash and source."""

    def __init__(self) -> None:
        # Nearly every hash belongs to one text. Its source and ordinal then suffice, in a tenth of the memory. Most
        # others belong to two or three, for which a deque would take seven times the memory of a list.
        self._alone: dict[bytes, tuple[int, int]] = {}
        self._several: dict[bytes, dict[int, list[int]]] = {}

    def add(self, digest: bytes, source: int, ordinal: int) -> None:
        """Add a document; an empty hash equals nothing."""
        if not digest:
            return
        by_source = self._several.get(digest)
        if by_source is None:
            first = self._alone.setdefault(digest, (source, ordinal))
            if first[1] == ordinal:
                return
            del self._alone[digest]
            by_source = self._several[digest] = {first[0]: [first[1]]}
        by_source.setdefault(source, []).append(ordinal)

    def meet(self, digest: bytes, source: int, rule: str, ordinal: int) -> int | None:
        """Add a document, and return what ``earliest`` returned before."""
        if not digest:
            return None
        # Nearly every hash is new, so one look-up serves both.
        if digest not in self._several and self._alone.setdefault(digest, (source, ordinal))[1] == ordinal:
            return None
        found = self.earliest(digest, source, rule)
        self.add(digest, source, ordinal)
        return found

    def extend(self, digests: Sequence[bytes], sources: Sequence[int], first: int) -> None:
        """Add many documents with consecutive ordinals, starting at ``first``."""
        documents = list(zip(sources, range(first, first + len(digests)), strict=True))
        places: Iterable[int] = range(len(digests))
        if not self._several:
            # The first document of each hash enters without a step of Python; the others are few.
            met = map(self._alone.setdefault, digests, documents)
            places = list(compress(places, map(is_not, met, documents)))
            self._alone.pop(b"", None)
        for place in places:
            self.add(digests[place], *documents[place])

    def remove(self, digest: bytes, source: int) -> None:
        """Remove the earliest document of a hash and source."""
        if not digest or self._alone.pop(digest, None) is not None:
            return
        by_source = self._several[digest]
        del by_source[source][0]
        if not by_source[source]:
            del by_source[source]
        if not by_source:
            del self._several[digest]

    def every(self, digest: bytes, source: int, rule: str) -> list[int]:
        """Ordinals of all documents with a hash that a document of a source may be linked to."""
        held = self._several.get(digest, {})
        return [one for other, ordinals in held.items() if _may_link(other, source, rule) for one in ordinals]

    def earliest(self, digest: bytes, source: int, rule: str) -> int | None:
        """Return the earliest document with a hash that a document of a source may be linked to."""
        by_source = self._several.get(digest)
        if by_source is None:
            alone = self._alone.get(digest)
            return None if alone is None or not _may_link(alone[0], source, rule) else alone[1]
        if rule == "all":
            return min(ordinals[0] for ordinals in by_source.values())
        if rule == "source":
            return by_source[source][0] if source != NO_SOURCE and source in by_source else None
        others = [held[0] for other, held in by_source.items() if other != source or other == NO_SOURCE]
        return min(others, default=None)


def _may_link(other: int, source: int, rule: str) -> bool:
    if rule == "all":
        return True
    return (other == source and source != NO_SOURCE) if rule == "source" else (other != source or other == NO_SOURCE)


# Documents of a window, gathered for comparison


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedDocuments:
    """Documents, numbered from 0, with everything that a comparison needs."""

    keys: ComparedKeys  # their key terms and terms
    records: EvidenceRecords  # their evidence
    facts: DocumentFacts  # sources, times, texts and addresses

    @classmethod
    def of_window(cls, window: Window, rows: Ints) -> ComparedDocuments:
        """Take documents out of the window."""
        evidence = window.evidence_columns
        numbered: dict[bytes, int] = {}
        given = (window.hashes[row].text for row in rows.tolist())
        texts = [numbered.setdefault(text, len(numbered)) if text else -1 for text in given]
        facts = window.facts_of(rows, np.array(texts, dtype=np.int64))
        return cls(keys=evidence.keys_of(rows, window), records=evidence.records_of(rows), facts=facts)


def triple_rows(blobs: Sequence[bytes]) -> TripleRows:
    """Word triples of documents from a store."""
    begins = offsets_of([len(blob) // 8 for blob in blobs])
    # Not bytes, of which numpy makes arrays that cannot be changed.
    return TripleRows(np.frombuffer(bytearray().join(blobs), dtype="<u8").astype(np.uint64, copy=False), begins)
