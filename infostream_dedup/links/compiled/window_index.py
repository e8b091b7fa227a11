"""One document at a time against a window of documents: a stream's index."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from infostream_dedup.links.compiled.kernels import window_lists as kernels
from infostream_dedup.machine.arrays import Bools, Ints, Uint8s

# Terms of several documents in one array, whole or in pieces

_TERMS_AT_ONCE: Final = 1 << 22  # terms sorted per pass; needs about 100 MB
_DENSE: Final = 4
"""Terms are counted without sorting if their numbers are less than this factor times their occurrences."""


class TermLists(Protocol):
    """The terms of several documents, concatenated."""

    @property
    def indptr(self) -> Ints:
        """int64 (documents + 1,): start of each document's terms in ``values``."""

    @property
    def values(self) -> NDArray[Any]:
        """The terms, whole numbers."""


class WindowTerms(NamedTuple):
    """``TermLists`` of int64 that start at 0."""

    indptr: Ints
    values: Ints

    @classmethod
    def of(cls, terms: ArrayLike) -> WindowTerms:
        """The terms of one document."""
        values = as_numbers(terms)
        return cls(np.array([0, len(values)]), values)

    @classmethod
    def from_zero(cls, lists: TermLists) -> WindowTerms:
        """The terms of several documents; the first ones may start anywhere."""
        begin, end = int(lists.indptr[0]), int(lists.indptr[-1])
        return cls(as_numbers(lists.indptr - begin), as_numbers(lists.values[begin:end]))


@dataclass(frozen=True, slots=True)
class Piece:
    """Terms of some documents."""

    indptr: Ints  # int64 (documents + 1,), start of each document's terms in `places`
    places: NDArray[Any]  # int32 or int64, the terms as places; small numbers are their own places
    distinct: Ints  # int64, each term once, ascending
    place_of: Ints  # int64, place of each of `distinct`, ascending
    counts: Ints  # int64, number of documents that contain each

    @classmethod
    def of(cls, lists: TermLists, documents: slice) -> Piece:
        """The terms of consecutive documents."""
        indptr = lists.indptr[documents.start : documents.stop + 1]
        values = lists.values[indptr[0] : indptr[-1]]
        starts = as_numbers(indptr - indptr[0])
        if _dense(values):
            places = np.ascontiguousarray(values) if values.dtype == np.int32 else as_numbers(values)
            counts = np.zeros(int(values.max()) + 1, dtype=np.int64)
            # numpy would hold the interpreter lock, for which a restart's other thread waits.
            kernels.count_values(places, counts)
            distinct = np.flatnonzero(counts != 0)
            return cls(starts, places, distinct, distinct, counts[distinct])
        distinct, places, counts = np.unique(as_numbers(values), return_inverse=True, return_counts=True)
        return cls(starts, as_numbers(places), distinct, np.arange(len(distinct)), as_numbers(counts))


def _dense(values: NDArray[Any]) -> bool:
    return len(values) > 0 and int(values.max()) < _DENSE * min(len(values), _TERMS_AT_ONCE)


def cut_pieces(keys: TermLists, targets: TermLists) -> Iterator[slice]:
    """Divide documents into consecutive pieces, as few as memory allows; a document is never divided."""
    indptr = keys.indptr + targets.indptr
    # Small numbers take no memory while they are processed.
    dense = all(_dense(lists.values[lists.indptr[0] : lists.indptr[-1]]) for lists in (keys, targets))
    begin = 0
    while begin < len(indptr) - 1:
        last = int(np.searchsorted(indptr, indptr[begin] + _TERMS_AT_ONCE, side="right")) - 1
        end = len(indptr) - 1 if dense else max(last, begin + 1)
        yield slice(begin, end)
        begin = end


def as_numbers(terms: ArrayLike) -> Ints:
    """The given numbers as a contiguous array of int64."""
    return np.ascontiguousarray(terms, dtype=np.int64)


# The posting lists of a window: keys and targets by term, in memory that grows and is freed

_Scalar = TypeVar("_Scalar", bound=np.generic)
_FIRST_SLOTS: Final = 1 << 10
_TIDIED_AT_ONCE: Final = 2048
"""Minimum number of slots that are visited at a time, if there are so many: for fewer, starting takes longer than the
visits."""

_SLOTS_OF_A_DOCUMENT: Final = 64
_SPARE: Final = 8
_LEAST_SPARE: Final = 1 << 17
"""A replaced array has one part in so many to spare, and half a megabyte: compacting is quick, but not free."""

_MUCH_TOO_LONG: Final = 2  # how many times as long as needed an array may be


class Postings:
    """The documents that have a term as a key, and in their target; arrays may be replaced when something is added."""

    def __init__(self) -> None:
        self.terms = _empty_terms(_FIRST_SLOTS)
        # Posting lists of the key terms and of the targets, by slot.
        self.keys = _empty_pool(_FIRST_SLOTS)
        self.targets = _empty_pool(_FIRST_SLOTS)
        self._added_since_tidied = 0

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        return sum(array.nbytes for array in (*self.terms, *self.keys, *self.targets))

    def make_room_for_terms(self, most: int) -> None:
        """Make sure that ``most`` new terms can get slots."""
        terms, free = self.terms, int(self.terms.free[0])
        if free >= most:
            return
        slots = len(terms.slot_terms)
        larger = max(2 * slots, slots + most)
        grown = _empty_terms(larger)
        grown.slot_terms[:slots] = terms.slot_terms
        # New slots go below the old ones, so that the old ones are used first.
        grown.free_slots[: larger - slots] = np.arange(larger - 1, slots - 1, -1)
        grown.free_slots[larger - slots : larger - slots + free] = terms.free_slots[:free]
        grown.free[0], grown.tidied[0] = larger - slots + free, terms.tidied[0]
        kernels.rehash(grown)
        self.terms = grown
        self.keys = self.keys._replace(lists=_with_slots(self.keys.lists, larger))
        self.targets = self.targets._replace(lists=_with_slots(self.targets.lists, larger))

    def make_room_for_documents(self, first: int, keys: Piece, targets: Piece, *, oldest: int) -> Callable[[], None]:
        """Make room for consecutive documents."""
        self.make_room_for_terms(len(keys.distinct) + len(targets.distinct))
        self.keys, ends_of_keys = self._reserved(self.keys, keys, oldest)
        self.targets, ends_of_targets = self._reserved(self.targets, targets, oldest)

        def append() -> None:
            for pool, piece, ends in ((self.targets, targets, ends_of_targets), (self.keys, keys, ends_of_keys)):
                kernels.append_documents(first, piece.indptr, piece.places, ends, pool.postings)
                kernels.settle(piece.distinct, ends[piece.place_of], self.terms, pool)

        return append

    def _reserved(self, pool: kernels.Pool, piece: Piece, oldest: int) -> tuple[kernels.Pool, Ints]:
        """Make room in the lists of a piece's terms; return the pool, and the end of each list by place."""
        own, ends = (piece.distinct, piece.counts), np.empty(len(piece.distinct), dtype=np.int64)
        if kernels.room_to_reserve(*own, oldest, self.terms, pool) > len(pool.postings) - pool.used[0]:
            _compact(pool, oldest)
            pool = _with_unused(pool, kernels.room_to_reserve(*own, oldest, self.terms, pool))
        kernels.reserve(*own, oldest, self.terms, pool, ends)
        by_place = np.empty(int(piece.place_of.max(initial=-1)) + 1, dtype=np.int64)
        by_place[piece.place_of] = ends
        return pool, by_place

    def tidy(self, added: int, *, oldest: int, documents: int) -> None:
        """Forget terms of expired documents: one pass over all slots while a quarter of the window changes."""
        self._added_since_tidied += added
        slots = len(self.terms.slot_terms)
        # A small window that follows a large one keeps its many slots: only some are visited with every document.
        share = 4 * slots / max(documents, slots // _SLOTS_OF_A_DOCUMENT, 1)
        visited = min(int(self._added_since_tidied * share), slots)
        if visited >= min(_TIDIED_AT_ONCE, slots):
            before = int(self.terms.tidied[0])
            kernels.tidy(visited, oldest, self.terms, self.keys, self.targets)
            self._added_since_tidied = 0
            if self.terms.tidied[0] <= before:
                # Lists that have become short slide in their large chunks, and might never fill the memory again.
                self.keys, self.targets = (
                    with_room(pool, oldest) if _is_much_too_long(pool, kernels.needed(pool)) else pool
                    for pool in (self.keys, self.targets)
                )


def lengthened(array: NDArray[_Scalar], size: int) -> NDArray[_Scalar]:
    """A longer copy; the new rows are not initialised."""
    longer = np.empty((size, *array.shape[1:]), dtype=array.dtype)
    longer[: len(array)] = array
    return longer


def _empty_terms(slots: int) -> kernels.TermSlots:
    table = 1 << (2 * slots - 1).bit_length()
    return kernels.TermSlots(
        table=np.full(table, kernels.NOTHING, dtype=np.int64),
        table_slots=np.zeros(table, dtype=np.int32),
        slot_terms=np.full(slots, kernels.NOTHING, dtype=np.int64),
        free_slots=np.arange(slots - 1, -1, -1, dtype=np.int32),
        free=np.array([slots], dtype=np.int64),
        tidied=np.zeros(1, dtype=np.int64),
    )


def _empty_pool(slots: int) -> kernels.Pool:
    return kernels.Pool(
        np.zeros((slots, 4), dtype=np.int64), np.empty(1 << 12, dtype=np.uint32), np.zeros(1, dtype=np.int64)
    )


def _with_slots(lists: Ints, slots: int) -> Ints:
    longer = lengthened(lists, slots)
    longer[len(lists) :] = 0
    return longer


def with_room(pool: kernels.Pool, oldest: int) -> kernels.Pool:
    """Compact a pool and give it room for any list to grow."""
    return _with_unused(pool, 2 * (_compact(pool, oldest) + 1))


def _compact(pool: kernels.Pool, oldest: int) -> int:
    return kernels.compact(np.argsort(pool.lists[:, kernels.START]), oldest, pool)


def _with_unused(pool: kernels.Pool, room: int) -> kernels.Pool:
    """Return a compacted pool with this much room; its array is replaced if it would soon be full, or is too long."""
    wanted = int(pool.used[0]) + room
    spare = wanted // _SPARE + _LEAST_SPARE
    if wanted + spare // 2 <= len(pool.postings) and not _is_much_too_long(pool, wanted):
        return pool
    return pool._replace(postings=lengthened(pool.postings[: pool.used[0]], wanted + spare))


def _is_much_too_long(pool: kernels.Pool, wanted: int) -> bool:
    return len(pool.postings) > _MUCH_TOO_LONG * (wanted + _LEAST_SPARE)


_LARGEST_NUMBER = (1 << 32) - 2
_MOST_KEYS: Final = 255
_COUNTS_IN_A_WORD: Final = 8
_LEAST_FOUND: Final = 1 << 16  # number of finds that `ask_and_extend` collects before it yields them
_NEVER: Final = np.iinfo(np.int64).min  # ordinal of the oldest document to keep if no document is to expire


@dataclass(frozen=True, slots=True)
class Candidates:
    """Documents of the window that resemble a given one."""

    ordinals: Ints  # int64, ascending
    forward: Uint8s  # uint8, key terms of the given document in the target of each
    backward: Uint8s  # uint8, key terms of each in the target of the given document


# Not frozen: a stream makes one for each document, and making a frozen one takes several times as long.
@dataclass(slots=True)
class CandidateRows:
    """What several consecutive documents found."""

    first: int  # place of the first of these documents among all that asked
    ends: Ints  # int64 (documents + 1,), start of each document's finds, from 0
    ordinals: Ints  # int64, ascending for each document
    forward: Uint8s  # uint8, key terms of the document in the target of each
    backward: Uint8s  # uint8, key terms of each in the target of the document

    def __len__(self) -> int:
        """Number of documents that asked."""
        return len(self.ends) - 1


class WindowIndex:
    """Key terms and targets of the latest documents. Exact; documents come and go without a rebuild.

    Terms are numbers from 0 to 2**63 - 1 of the caller's choice; a document has at most 255 key terms. Memory follows
    the window, not the stream: with every new document, some memory of expired ones is freed.

    >>> index = WindowIndex()
    >>> index.add(0, keys=[7, 8], targets=[7, 8, 9])
    >>> found = index.candidates(keys=[8, 9], targets=[8, 9], k_min=1)
    >>> found.ordinals.tolist(), found.forward.tolist(), found.backward.tolist()
    ([0], [2], [1])
    """

    def __init__(self) -> None:
        self._postings = Postings()
        self._numbered = kernels.Numbered(np.zeros(1 << 10, dtype=np.int64), np.zeros(1 << 10, dtype=np.uint8))
        self._state = kernels.State(*np.zeros((6, 1), dtype=np.int64))
        self._hits = _empty_hits(0, 1 << 9)
        self._found = np.zeros(0, dtype=np.int64), *np.zeros((2, 0), dtype=np.uint8)

    def __len__(self) -> int:
        """Documents in the window."""
        return self._next - self._oldest

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        hits = self._hits
        scratch = (hits.forward, hits.backward, hits.marks, hits.slots)
        return int(self._postings.nbytes + sum(one.nbytes for one in (*self._numbered, *self._found, *scratch)))

    def add(self, ordinal: int, *, keys: ArrayLike, targets: ArrayLike) -> None:
        """Add a document to the window."""
        own, looked_up = WindowTerms.of(keys), WindowTerms.of(targets)
        asking = _asking(
            own,
            looked_up,
            oldest=np.full(1, _NEVER),
            needs=np.ones(_MOST_KEYS + 1, dtype=np.int64),
            asks=np.zeros(1, dtype=np.bool_),
        )
        self._prepare(as_numbers([ordinal]), own, looked_up)
        self._advance(asking)

    def ask_and_extend(
        self,
        ordinals: ArrayLike,
        *,
        keys: TermLists,
        targets: TermLists,
        oldest: ArrayLike | None = None,
        needs: ArrayLike = (1,),
        least_keys: int = 0,
        enters: Bools | None = None,
    ) -> Iterator[CandidateRows]:
        """For each of several documents in turn, find similar ones before it and add it to the window.

        oldest: ordinal of the first document that each may find; earlier ones expire. By default nothing expires.
        needs: minimum hits in either direction by the number of key terms of the shorter document; the last one applies
        to all greater numbers.
        """
        given = as_numbers(ordinals)
        asking = _asking(
            keys,
            targets,
            oldest=np.full(len(given), _NEVER) if oldest is None else as_numbers(oldest),
            needs=_by_keys(as_numbers(needs)),
            least_keys=least_keys,
            asks=None if enters is None else ~enters,
            enters=enters,
        )
        self._prepare(given, keys, targets, enters)
        done = 0
        while done < len(given):
            found = self._advance(asking)
            row = int(self._state.row[0])
            ends = found.ends[done : row + 1]
            yield CandidateRows(done, ends, *(column[: ends[-1]] for column in self._found))
            done = row

    def _prepare(self, ordinals: Ints, keys: TermLists, targets: TermLists, enters: Bools | None = None) -> None:
        """Check documents, allocate their counters, and remember those that will enter; by default all."""
        self._check(ordinals, keys, targets)
        sizes = keys.indptr[1:] - keys.indptr[:-1]
        if len(ordinals):
            self._renumber_if_needed(len(ordinals))
            if enters is None:
                self._remember(ordinals, sizes)
            else:
                self._remember(ordinals[enters], sizes[enters])
            most = int((sizes + targets.indptr[1:] - targets.indptr[:-1]).max())
            self._make_room_to_count(len(self) + len(ordinals), most)
        self._state.row[0], self._state.phase[0] = 0, kernels.ASK

    def _advance(self, asking: kernels.Asking) -> kernels.FoundDocuments:
        """Let documents ask and be added until all are done, or until there is no space for their finds."""
        postings, before = self._postings, self._next
        found = kernels.FoundDocuments(np.zeros(len(asking.oldest) + 1, dtype=np.int64), *self._found)
        while True:
            full = kernels.ask_and_add(asking, self._window, found)
            if full == kernels.SLOTS_FULL:
                row = int(self._state.row[0])
                sizes = [int(ends[row + 1] - ends[row]) for ends in (asking.key_ends, asking.target_ends)]
                postings.make_room_for_terms(sum(sizes))
            elif full == kernels.KEYS_FULL:
                postings.keys = with_room(postings.keys, self._oldest)
            elif full == kernels.TARGETS_FULL:
                postings.targets = with_room(postings.targets, self._oldest)
            else:
                break
        postings.tidy(self._next - before, oldest=self._oldest, documents=len(self))
        return found

    @property
    def _window(self) -> kernels.IndexedWindow:
        lists = self._postings
        return kernels.IndexedWindow(lists.terms, lists.keys, lists.targets, self._numbered, self._hits, self._state)

    def extend(self, ordinals: ArrayLike, *, keys: TermLists, targets: TermLists) -> None:
        """Add many documents with larger ordinals, ascending: some twenty times faster than one by one."""
        for append in self.extending(ordinals, keys=keys, targets=targets):
            append()

    def extending(self, ordinals: ArrayLike, *, keys: TermLists, targets: TermLists) -> Iterator[Callable[[], None]]:
        """Like ``extend``, in steps that release the interpreter lock: each must have run before the next is taken."""
        given = as_numbers(ordinals)
        self._check(given, keys, targets)
        if len(given) == 0:
            return
        for documents in cut_pieces(keys, targets):
            added, own = documents.stop - documents.start, Piece.of(keys, documents)
            self._renumber_if_needed(added)
            self._remember(given[documents], np.diff(own.indptr))
            yield self._postings.make_room_for_documents(
                self._next, own, Piece.of(targets, documents), oldest=self._oldest
            )
            self._state.next[0] += added
            self._postings.tidy(added, oldest=self._oldest, documents=len(self))
        self._make_room_to_count(len(self) + 1, 0)  # or every fork that answers a question would make it

    def expire_before(self, ordinal: int) -> None:
        """Remove the documents with smaller ordinals; the ordinal itself need not have been added."""
        shift = int(self._state.shift[0])
        window = self._numbered.ordinals[self._oldest - shift : self._next - shift]
        self._state.oldest[0] += np.searchsorted(window, ordinal)

    def candidates(self, *, keys: ArrayLike, targets: ArrayLike, k_min: int) -> Candidates:
        """Documents of the window with a forward or backward count of at least k_min; both counts are exact."""
        own, looked_up = WindowTerms.of(keys), WindowTerms.of(targets)
        asking = _asking(own, looked_up, oldest=np.full(1, _NEVER), needs=np.full(_MOST_KEYS + 1, k_min))
        self._make_room_to_count(len(self), len(own.values) + len(looked_up.values))
        found = kernels.FoundDocuments(np.zeros(2, dtype=np.int64), *self._found)
        kernels.ask(0, asking, self._window, found)
        return Candidates(*(column[: found.ends[1]].copy() for column in self._found))

    @property
    def _oldest(self) -> int:
        return int(self._state.oldest[0])

    @property
    def _next(self) -> int:
        return int(self._state.next[0])

    def _check(self, ordinals: Ints, keys: TermLists, targets: TermLists) -> None:
        if not len(ordinals) == len(keys.indptr) - 1 == len(targets.indptr) - 1:
            rows = f"{len(keys.indptr) - 1} rows of keys and {len(targets.indptr) - 1} of targets"
            raise ValueError(f"{len(ordinals)} ordinals for {rows}")
        if len(self) and len(ordinals):
            last = int(self._numbered.ordinals[self._next - 1 - int(self._state.shift[0])])
            if ordinals[0] <= last:
                raise ValueError(f"ordinal is {ordinals[0]}; expected more than the last one, {last}")
        if len(ordinals) > 1 and np.any(ordinals[1:] <= ordinals[:-1]):
            raise ValueError("the ordinals do not ascend")

    def _make_room_to_count(self, documents: int, terms: int) -> None:
        counts, slots = len(self._hits.forward), len(self._hits.slots)
        if counts < documents or slots < terms:
            more = counts if counts >= documents else max(1 << 10, 2 * documents)
            self._hits = _empty_hits(more, max(slots, 2 * terms if slots < terms else 0))
        if len(self._found[0]) < documents:
            room = max(_LEAST_FOUND, 2 * documents)
            self._found = np.zeros(room, dtype=np.int64), *np.zeros((2, room), dtype=np.uint8)

    def _remember(self, ordinals: Ints, sizes: Ints) -> None:
        shift, room = int(self._state.shift[0]), len(self._numbered.ordinals)
        if self._next - shift + len(ordinals) > room:
            begin, end = self._oldest - shift, self._next - shift
            longer = max(room, 2 * (end - begin + len(ordinals)))
            kept = self._numbered.ordinals[begin:end], self._numbered.sizes[begin:end]
            self._numbered = kernels.Numbered(lengthened(kept[0], longer), lengthened(kept[1], longer))
            self._state.shift[0] = shift = self._oldest
        begin = self._next - shift
        self._numbered.ordinals[begin : begin + len(ordinals)] = ordinals
        self._numbered.sizes[begin : begin + len(ordinals)] = np.minimum(sizes, _MOST_KEYS)

    def _renumber_if_needed(self, more: int) -> None:
        oldest = self._oldest
        if self._next + more > _LARGEST_NUMBER:
            for pool in (self._postings.keys, self._postings.targets):
                kernels.rebase(self._postings.terms, pool, oldest)
            for number in (self._state.oldest, self._state.next, self._state.shift):
                number[0] -= oldest


def _empty_hits(documents: int, terms: int) -> kernels.Hits:
    mark_words = -(-documents // (_COUNTS_IN_A_WORD << kernels.BLOCK_BITS))
    words = np.zeros((2, mark_words << kernels.BLOCK_BITS), dtype=np.uint64)
    marks = np.zeros(mark_words, dtype=np.uint64)
    return kernels.Hits(
        forward=words[0].view(np.uint8),
        backward=words[1].view(np.uint8),
        marks=marks.view(np.uint8),
        forward_words=words[0],
        backward_words=words[1],
        mark_words=marks,
        slots=np.zeros(terms, dtype=np.int64),
    )


def _asking(
    keys: TermLists,
    targets: TermLists,
    *,
    oldest: Ints,
    needs: Ints,
    least_keys: int = 0,
    asks: Bools | None = None,
    enters: Bools | None = None,
) -> kernels.Asking:
    own, looked_up = WindowTerms.from_zero(keys), WindowTerms.from_zero(targets)
    all_of_them = np.ones(len(oldest), dtype=np.bool_)
    return kernels.Asking(
        key_ends=own.indptr,
        keys=own.values,
        target_ends=looked_up.indptr,
        targets=looked_up.values,
        oldest=oldest,
        asks=all_of_them if asks is None else asks,
        enters=all_of_them if enters is None else enters,
        needs=needs,
        least_keys=least_keys,
    )


def _by_keys(needs: Ints) -> Ints:
    """Minimum hits by every possible number of key terms: int64 (256,)."""
    if len(needs) == _MOST_KEYS + 1:
        return needs
    every = np.full(_MOST_KEYS + 1, needs[-1])
    every[: len(needs)] = needs[: len(every)]
    return every
