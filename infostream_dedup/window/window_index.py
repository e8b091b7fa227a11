"""One document at a time against a window of documents: a stream's index."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, TypeVar

import numpy as np

from infostream_dedup.machine.first_use import FirstUse
from infostream_dedup.machine.progress import Progress
from infostream_dedup.window.kernels.window_asking import (
    ASK,
    KEYS_FULL,
    NEXT,
    OLDEST,
    PHASE,
    ROW,
    SHIFT,
    SLOTS_FULL,
    STATES,
    TARGETS_FULL,
    Asking,
    Found,
    Hits,
    Numbered,
    ask,
    ask_and_add,
)
from infostream_dedup.window.kernels.window_lists import (
    BLOCK_BITS,
    NOTHING,
    Pool,
    Terms,
    append_documents,
    rebase,
    rehash,
    reserve,
    settle,
    tidy,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike, NDArray

__all__ = ["CandidateRows", "Candidates", "TermLists", "WindowIndex"]

_LARGEST_NUMBER = (1 << 32) - 2
_MOST_KEYS: Final = 255
_COUNTS_IN_A_WORD: Final = 8
_LEAST_FOUND: Final = 1 << 16
"""Finds that ``ask_and_extend`` has room for before it hands them out."""

_TIDIED_AT_ONCE = 8
_SLOTS_OF_A_DOCUMENT: Final = 64
_TERMS_AT_ONCE: Final = 1 << 22
"""Terms that ``extend`` takes at once: 100 MB while it works."""

_DENSE: Final = 4
"""Terms whose numbers are smaller than so many times their occurrences are counted without being sorted."""

_Scalar = TypeVar("_Scalar", bound=np.generic)


class TermLists(Protocol):
    """The terms of several documents one after the other."""

    @property
    def indptr(self) -> NDArray[np.int64]:
        """int64 (documents + 1,): where the terms of each document begin in ``values``."""

    @property
    def values(self) -> NDArray[Any]:
        """The terms, whole numbers."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """Documents of the window that resemble a given one.

    Attributes:
        ordinals: int64, ascending.
        forward: uint8, key terms of the given document in the target of each.
        backward: uint8, key terms of each in the target of the given document.
    """

    ordinals: NDArray[np.int64]
    forward: NDArray[np.uint8]
    backward: NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class CandidateRows:
    """What several documents found, one after the other.

    Attributes:
        first: place of the first of these documents among all that asked.
        ends: int64 (documents + 1,), from 0, where the finds of each begin.
        ordinals: int64, ascending for each document.
        forward: uint8, key terms of the document in the target of each.
        backward: uint8, key terms of each in the target of the document.
    """

    first: int
    ends: NDArray[np.int64]
    ordinals: NDArray[np.int64]
    forward: NDArray[np.uint8]
    backward: NDArray[np.uint8]

    def __len__(self) -> int:
        """Documents that asked."""
        return len(self.ends) - 1


class WindowIndex:
    """Key terms and targets of the latest documents. Exact; documents come and go without a rebuild.

    Terms are numbers from 0 to 2**63 - 1 of the caller's choice; a document has at most 255 key terms. Memory follows
    the window, not the stream: what expired documents leave behind is tidied up a little with every new document.

    Args:
        progress: told when compiled code has to be made first.

    Example:
        >>> index = WindowIndex()
        >>> index.add(0, keys=[7, 8], targets=[7, 8, 9])
        >>> found = index.candidates(keys=[8, 9], targets=[8, 9], k_min=1)
        >>> found.ordinals.tolist(), found.forward.tolist(), found.backward.tolist()
        ([0], [2], [1])
    """

    def __init__(self, *, progress: Progress | None = None) -> None:
        _FIRST_USE.prepare(progress)
        self._terms = _empty_terms(1 << 10)
        self._keys = _empty_pool(1 << 10)
        self._targets = _empty_pool(1 << 10)
        self._numbered = Numbered(np.zeros(1 << 10, dtype=np.int64), np.zeros(1 << 10, dtype=np.uint8))
        # Documents are numbered from 0; those from _oldest up to _next are in the window, and the ordinal of number x
        # stands at _numbered.ordinals[x - _shift].
        self._oldest = 0
        self._next = 0
        self._shift = 0
        self._since_tidied = 0
        self._hits = _empty_hits(0, 1 << 9)
        self._found = np.zeros(0, dtype=np.int64), *np.zeros((2, 0), dtype=np.uint8)

    def __len__(self) -> int:
        """Documents in the window."""
        return self._next - self._oldest

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        hits = self._hits
        arrays = (*self._terms, *self._keys, *self._targets, *self._numbered, *self._found)
        return sum(array.nbytes for array in (*arrays, hits.forward, hits.backward, hits.marks, hits.slots))

    def add(self, ordinal: int, *, keys: ArrayLike, targets: ArrayLike) -> None:
        """Take a document into the window.

        Args:
            ordinal: its place in the stream, larger than all before.
            keys: its key terms, each once.
            targets: what others' key terms are looked up in, each once.

        Raises:
            ValueError: the ordinal is not larger than the last one.
        """
        rows = _Rows.of(keys), _Rows.of(targets)
        for _ in self.ask_and_extend([ordinal], keys=rows[0], targets=rows[1], least_keys=_MOST_KEYS + 1):
            """Nobody asks."""

    def ask_and_extend(
        self,
        ordinals: ArrayLike,
        *,
        keys: TermLists,
        targets: TermLists,
        oldest: ArrayLike | None = None,
        needs: ArrayLike = (1,),
        least_keys: int = 0,
    ) -> Iterator[CandidateRows]:
        """Let each of several documents find those before it, and take it into the window, one after the other.

        Args:
            ordinals: their places in the stream, ascending, larger than all before.
            keys: their key terms, each once in a document, at most 255.
            targets: what others' key terms are looked up in, each once in a document.
            oldest: ordinal of the first document that each may find, ascending; those before it expire. By default
                nothing expires.
            needs: least hits in either direction, at least 1, by the number of key terms of the shorter document;
                ascending, and the last one holds for all greater numbers.
            least_keys: documents with fewer key terms find nothing.

        Yields:
            What they found, for as many documents at a time as there is room for; overwritten by what comes next. A
            document is in the window when what it found has come; go on to the end.

        Raises:
            ValueError: the ordinals do not ascend, or there are not as many rows.
        """
        given = _numbers(ordinals)
        self._check(given, keys, targets)
        if len(given) == 0:
            return
        self._number_anew(len(given))
        sizes = keys.indptr[1:] - keys.indptr[:-1]
        self._remember(given, sizes)
        asking = _asking(
            keys,
            targets,
            oldest=np.full(len(given), np.iinfo(np.int64).min) if oldest is None else _numbers(oldest),
            needs=_numbers(needs),
            least_keys=least_keys,
        )
        most = int((sizes + targets.indptr[1:] - targets.indptr[:-1]).max())
        self._make_room_to_count(len(self) + len(given), most)
        state = self._state()
        done = 0
        while done < len(given):
            found = self._run(asking, state)
            row = int(state[ROW])
            self._oldest, self._next = int(state[OLDEST]), int(state[NEXT])
            self._tidy(row - done)
            ends = found.ends[done : row + 1]
            yield CandidateRows(done, ends, *(column[: ends[-1]] for column in self._found))
            done = row

    def _run(self, asking: Asking, state: NDArray[np.int64]) -> Found:
        """Let documents ask and be added until all have, or until there is no room for what they find."""
        found = Found(np.zeros(len(asking.oldest) + 1, dtype=np.int64), *self._found)
        while True:
            wanting = ask_and_add(
                asking, self._terms, self._keys, self._targets, self._numbered, self._hits, found, state
            )
            if wanting == SLOTS_FULL:
                row = int(state[ROW])
                sizes = np.diff(asking.key_ends[row : row + 2]), np.diff(asking.target_ends[row : row + 2])
                self._make_room_for_terms(int(sizes[0][0] + sizes[1][0]))
            elif wanting == KEYS_FULL:
                self._keys = _grown(self._keys)
            elif wanting == TARGETS_FULL:
                self._targets = _grown(self._targets)
            else:
                return found

    def _state(self) -> NDArray[np.int64]:
        state = np.zeros(STATES, dtype=np.int64)
        state[OLDEST], state[NEXT], state[SHIFT], state[PHASE] = self._oldest, self._next, self._shift, ASK
        return state

    def extend(self, ordinals: ArrayLike, *, keys: TermLists, targets: TermLists) -> None:
        """Take many documents into the window: the same as adding them one by one, some twenty times as fast.

        Args:
            ordinals: their places in the stream, ascending, larger than all before.
            keys: their key terms, each once in a document.
            targets: what others' key terms are looked up in, each once in a document.

        Raises:
            ValueError: the ordinals do not ascend, or there are not as many rows.
        """
        given = _numbers(ordinals)
        self._check(given, keys, targets)
        if len(given) == 0:
            return
        self._keys = _with_room(self._keys, int(keys.indptr[-1] - keys.indptr[0]))
        self._targets = _with_room(self._targets, int(targets.indptr[-1] - targets.indptr[0]))
        begin = 0
        for end in _pieces(keys.indptr + targets.indptr):
            self._extend_at_once(given[begin:end], _piece(keys, begin, end), _piece(targets, begin, end))
            begin = end

    def _extend_at_once(self, ordinals: NDArray[np.int64], keys: _Piece, targets: _Piece) -> None:
        self._number_anew(len(ordinals))
        self._make_room_for_terms(len(keys.distinct) + len(targets.distinct))
        self._remember(ordinals, np.diff(keys.indptr))
        self._keys = self._extended(keys, self._keys, self._targets)
        self._targets = self._extended(targets, self._targets, self._keys)
        self._next += len(ordinals)
        self._tidy(len(ordinals))

    def _check(self, ordinals: NDArray[np.int64], keys: TermLists, targets: TermLists) -> None:
        if not len(ordinals) == len(keys.indptr) - 1 == len(targets.indptr) - 1:
            rows = f"{len(keys.indptr) - 1} rows of keys and {len(targets.indptr) - 1} of targets"
            raise ValueError(f"{len(ordinals)} ordinals for {rows}")
        if len(self) and len(ordinals) and ordinals[0] <= self._numbered.ordinals[self._next - 1 - self._shift]:
            last = int(self._numbered.ordinals[self._next - 1 - self._shift])
            raise ValueError(f"ordinal is {ordinals[0]}; expected more than the last one, {last}")
        if len(ordinals) > 1 and np.any(ordinals[1:] <= ordinals[:-1]):
            raise ValueError("the ordinals do not ascend")

    def expire_before(self, ordinal: int) -> None:
        """Let documents go whose ordinals are smaller; ordinals never added do no harm."""
        window = self._numbered.ordinals[self._oldest - self._shift : self._next - self._shift]
        self._oldest += int(np.searchsorted(window, ordinal))

    def candidates(self, *, keys: ArrayLike, targets: ArrayLike, k_min: int) -> Candidates:
        """Documents of the window with forward or backward count of at least k_min; both counts are exact.

        Args:
            keys: key terms of the asking document, each once, at most 255.
            targets: what the key terms of the window's documents are looked up in, each once.
            k_min: at least 1.
        """
        one, other = _Rows.of(keys), _Rows.of(targets)
        oldest = np.full(1, np.iinfo(np.int64).min)
        asking = _asking(one, other, oldest=oldest, needs=np.array([k_min]), least_keys=0)
        self._make_room_to_count(len(self), len(one.values) + len(other.values))
        found = Found(np.zeros(2, dtype=np.int64), *self._found)
        ask(0, asking, self._terms, self._keys, self._targets, self._numbered, self._hits, found, self._state())
        return Candidates(*(column[: found.ends[1]].copy() for column in self._found))

    def _extended(self, piece: _Piece, pool: Pool, other: Pool) -> Pool:
        ends = np.empty(len(piece.distinct), dtype=np.int64)
        done = 0
        while True:
            done = reserve(piece.distinct, piece.counts, done, self._oldest, self._terms, pool, other, ends)
            if done == len(ends):
                break
            # The next list may be long; chunks are at most twice as large as what they hold.
            wanted = 2 * int(piece.counts[done:].sum())
            pool = pool._replace(postings=_longer(pool.postings, len(pool.postings) * 3 // 2 + wanted))
        append_documents(self._next, piece.indptr, piece.places, ends, pool.postings)
        settle(piece.distinct, ends, self._terms, pool)
        return pool

    def _make_room_for_terms(self, most: int) -> None:
        terms = self._terms
        if terms.state[0] >= most:
            return
        slots = len(terms.slot_terms)
        larger = max(2 * slots, slots + most)
        grown = _empty_terms(larger)
        grown.slot_terms[:slots] = terms.slot_terms
        free = int(terms.state[0])
        # New slots go below the old ones, so that those are used first.
        grown.free_slots[: larger - slots] = np.arange(larger - 1, slots - 1, -1)
        grown.free_slots[larger - slots : larger - slots + free] = terms.free_slots[:free]
        grown.state[:] = larger - slots + free, terms.state[1]
        rehash(grown)
        self._terms = grown
        self._keys = self._keys._replace(lists=_longer(self._keys.lists, larger))
        self._targets = self._targets._replace(lists=_longer(self._targets.lists, larger))

    def _make_room_to_count(self, documents: int, terms: int) -> None:
        counts, slots = len(self._hits.forward), len(self._hits.slots)
        if counts < documents or slots < terms:
            more = counts if counts >= documents else max(1 << 10, 2 * documents)
            self._hits = _empty_hits(more, max(slots, 2 * terms if slots < terms else 0))
        if len(self._found[0]) < documents:
            room = max(_LEAST_FOUND, 2 * documents)
            self._found = np.zeros(room, dtype=np.int64), *np.zeros((2, room), dtype=np.uint8)

    def _remember(self, ordinals: NDArray[np.int64], sizes: NDArray[np.int64]) -> None:
        room = len(self._numbered.ordinals)
        if self._next - self._shift + len(ordinals) > room:
            begin, end = self._oldest - self._shift, self._next - self._shift
            wanted = end - begin + len(ordinals)
            longer = max(room, 2 * wanted)
            ordinals_held, sizes_held = self._numbered.ordinals[begin:end], self._numbered.sizes[begin:end]
            self._numbered = Numbered(_longer(ordinals_held, longer), _longer(sizes_held, longer))
            self._shift = self._oldest
        begin = self._next - self._shift
        self._numbered.ordinals[begin : begin + len(ordinals)] = ordinals
        self._numbered.sizes[begin : begin + len(ordinals)] = np.minimum(sizes, _MOST_KEYS)

    def _tidy(self, added: int) -> None:
        """Pass over all slots while a quarter of the window changes, some slots at a time."""
        self._since_tidied += added
        # A small window may follow a large one, whose slots stay: they are not all passed over with every document.
        slots = len(self._terms.slot_terms)
        share = 4 * slots / max(len(self), slots // _SLOTS_OF_A_DOCUMENT, 1)
        slots = min(int(self._since_tidied * share), slots)
        if slots >= _TIDIED_AT_ONCE:
            tidy(slots, self._oldest, self._terms, self._keys, self._targets)
            self._since_tidied = 0

    def _number_anew(self, more: int) -> None:
        if self._next + more <= _LARGEST_NUMBER:
            return
        for pool in (self._keys, self._targets):
            rebase(self._terms, pool, self._oldest)
        self._next -= self._oldest
        self._shift -= self._oldest
        self._oldest = 0


@dataclass(frozen=True, slots=True)
class _Piece:
    """Terms of some documents.

    Attributes:
        indptr: int64 (documents + 1,), where those of each document begin.
        places: int64, the terms as places in ``distinct``.
        distinct: int64, each term once, ascending.
        counts: int64, documents that hold each.
    """

    indptr: NDArray[np.int64]
    places: NDArray[np.int64]
    distinct: NDArray[np.int64]
    counts: NDArray[np.int64]


def _pieces(indptr: NDArray[np.int64]) -> list[int]:
    """Where to cut documents so that each piece has few terms; a document is never cut."""
    ends = [0]
    while ends[-1] < len(indptr) - 1:
        last = int(np.searchsorted(indptr, indptr[ends[-1]] + _TERMS_AT_ONCE, side="right")) - 1
        ends.append(max(last, ends[-1] + 1))
    return ends[1:]


def _piece(lists: TermLists, first: int, end: int) -> _Piece:
    indptr = lists.indptr[first : end + 1]
    values = _numbers(lists.values[indptr[0] : indptr[-1]])
    if len(values) and int(values.max()) < _DENSE * len(values):
        counts = np.bincount(values)
        distinct = np.flatnonzero(counts)
        place_of = np.zeros(len(counts), dtype=np.int64)
        place_of[distinct] = np.arange(len(distinct))
        places, counts = place_of[values], counts[distinct]
    else:
        distinct, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    return _Piece(_numbers(indptr - indptr[0]), _numbers(places), _numbers(distinct), _numbers(counts))


def _numbers(terms: ArrayLike) -> NDArray[np.int64]:
    return np.ascontiguousarray(terms, dtype=np.int64)


def _empty_terms(slots: int) -> Terms:
    table = 1 << (2 * slots - 1).bit_length()
    return Terms(
        np.full(table, NOTHING, dtype=np.int64),
        np.zeros(table, dtype=np.int32),
        np.full(slots, NOTHING, dtype=np.int64),
        np.arange(slots - 1, -1, -1, dtype=np.int32),
        np.array([slots, 0], dtype=np.int64),
    )


def _empty_hits(documents: int, terms: int) -> Hits:
    mark_words = -(-documents // (_COUNTS_IN_A_WORD << BLOCK_BITS))
    words = np.zeros((2, mark_words << BLOCK_BITS), dtype=np.uint64)
    marks = np.zeros(mark_words, dtype=np.uint64)
    counts = words[0].view(np.uint8), words[1].view(np.uint8), marks.view(np.uint8)
    return Hits(*counts, words[0], words[1], marks, np.zeros(terms, dtype=np.int64))


def _empty_pool(slots: int) -> Pool:
    free = np.full(33, NOTHING, dtype=np.int64)
    free[-1] = 0
    return Pool(np.full((slots, 4), NOTHING, dtype=np.int64), np.empty(1 << 12, dtype=np.uint32), free)


def _with_room(pool: Pool, postings: int) -> Pool:
    """The pool with room for many more postings, so that it need not be copied again and again while they come."""
    # A chunk is up to twice as large as what it holds.
    wanted = int(pool.free[-1]) + 2 * postings
    return pool if wanted <= len(pool.postings) else pool._replace(postings=_longer(pool.postings, wanted))


def _grown(pool: Pool) -> Pool:
    return pool._replace(postings=_longer(pool.postings, len(pool.postings) * 3 // 2))


def _longer(array: NDArray[_Scalar], size: int) -> NDArray[_Scalar]:
    grown = np.empty((size, *array.shape[1:]), dtype=array.dtype)
    grown[: len(array)] = array
    return grown


class _Rows(NamedTuple):
    indptr: NDArray[np.int64]
    values: NDArray[np.int64]

    @classmethod
    def of(cls, terms: ArrayLike) -> _Rows:
        """The terms of one document."""
        values = _numbers(terms)
        return cls(np.array([0, len(values)]), values)

    @classmethod
    def from_zero(cls, lists: TermLists) -> _Rows:
        """The terms of several documents, the first of which begin at 0."""
        begin, end = int(lists.indptr[0]), int(lists.indptr[-1])
        return cls(_numbers(lists.indptr - begin), _numbers(lists.values[begin:end]))


def _asking(
    keys: TermLists, targets: TermLists, *, oldest: NDArray[np.int64], needs: NDArray[np.int64], least_keys: int
) -> Asking:
    every = np.full(_MOST_KEYS + 1, needs[-1])
    every[: len(needs)] = needs[: len(every)]
    own, looked_up = _Rows.from_zero(keys), _Rows.from_zero(targets)
    return Asking(own.indptr, own.values, looked_up.indptr, looked_up.values, oldest, every, least_keys)


def _toy() -> None:
    index = WindowIndex()
    for ordinal in range(40):
        index.add(ordinal, keys=[1], targets=np.arange(100) + 100 * ordinal)
    rows = _Rows(np.array([0, 1]), np.array([1]))
    index.extend([40], keys=rows, targets=rows)
    index.expire_before(30)
    index.candidates(keys=[1], targets=[1], k_min=1)


_FIRST_USE = FirstUse(_toy)
