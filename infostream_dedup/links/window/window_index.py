"""One document at a time against a window of documents: a stream's index."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.links.window.kernels.window_asking import (
    ASK,
    KEYS_FULL,
    SLOTS_FULL,
    TARGETS_FULL,
    Asking,
    FoundDocuments,
    Hits,
    Numbered,
    State,
    ask,
    ask_and_add,
)
from infostream_dedup.links.window.kernels.window_lists import BLOCK_BITS
from infostream_dedup.links.window.postings import Postings, lengthened
from infostream_dedup.links.window.term_lists import Piece, TermLists, WindowTerms, as_numbers, cut_pieces

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import ArrayLike, NDArray

__all__ = ["CandidateRows", "Candidates", "TermLists", "WindowIndex"]

_LARGEST_NUMBER = (1 << 32) - 2
_MOST_KEYS: Final = 255
_COUNTS_IN_A_WORD: Final = 8
_LEAST_FOUND: Final = 1 << 16
"""Number of finds that ``ask_and_extend`` collects before it yields them."""

_NEVER: Final = np.iinfo(np.int64).min
"""Ordinal of the oldest document to keep if no document is to expire."""


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


# Not frozen: a stream makes one for each document, and making a frozen one takes several times as long.
@dataclass(slots=True)
class CandidateRows:
    """What several consecutive documents found.

    Attributes:
        first: place of the first of these documents among all that asked.
        ends: int64 (documents + 1,), start of each document's finds, from 0.
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
        """Number of documents that asked."""
        return len(self.ends) - 1


class WindowIndex:
    """Key terms and targets of the latest documents. Exact; documents come and go without a rebuild.

    Terms are numbers from 0 to 2**63 - 1 of the caller's choice; a document has at most 255 key terms. Memory follows
    the window, not the stream: with every new document, some memory of expired ones is freed.

    Args:
        progress: called if code must be compiled first.

    Example:
        >>> index = WindowIndex()
        >>> index.add(0, keys=[7, 8], targets=[7, 8, 9])
        >>> found = index.candidates(keys=[8, 9], targets=[8, 9], k_min=1)
        >>> found.ordinals.tolist(), found.forward.tolist(), found.backward.tolist()
        ([0], [2], [1])
    """

    def __init__(self) -> None:
        self._postings = Postings()
        self._numbered = Numbered(np.zeros(1 << 10, dtype=np.int64), np.zeros(1 << 10, dtype=np.uint8))
        self._state = State(*np.zeros((6, 1), dtype=np.int64))
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
        enters: NDArray[np.bool_] | None = None,
    ) -> Iterator[CandidateRows]:
        """For each of several documents in turn, find similar ones before it and add it to the window.

        Args:
            ordinals: their places in the stream, ascending, larger than all previous ones.
            oldest: ordinal of the first document that each may find, ascending; earlier ones expire. By default nothing
                expires.
            needs: minimum hits in either direction, at least 1, by the number of key terms of the shorter document;
                ascending, and the last one applies to all greater numbers.
            enters: bool (documents,), which of them are added and find nothing; the others find and are not added. By
                default each does both.
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

    def _prepare(
        self, ordinals: NDArray[np.int64], keys: TermLists, targets: TermLists, enters: NDArray[np.bool_] | None = None
    ) -> None:
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
        self._state.row[0], self._state.phase[0] = 0, ASK

    def _advance(self, asking: Asking) -> FoundDocuments:
        """Let documents ask and be added until all are done, or until there is no space for their finds."""
        postings, before = self._postings, self._next
        found = FoundDocuments(np.zeros(len(asking.oldest) + 1, dtype=np.int64), *self._found)
        while True:
            lists = postings.terms, postings.keys, postings.targets
            full = ask_and_add(asking, *lists, self._numbered, self._hits, found, self._state)
            if full == SLOTS_FULL:
                row = int(self._state.row[0])
                sizes = [int(ends[row + 1] - ends[row]) for ends in (asking.key_ends, asking.target_ends)]
                postings.make_room_for_terms(sum(sizes))
            elif full == KEYS_FULL:
                postings.make_room_for_keys(self._oldest)
            elif full == TARGETS_FULL:
                postings.make_room_for_targets(self._oldest)
            else:
                break
        postings.tidy(self._next - before, oldest=self._oldest, documents=len(self))
        return found

    def extend(self, ordinals: ArrayLike, *, keys: TermLists, targets: TermLists) -> None:
        """Add many documents to the window: like adding them one by one, but about twenty times faster.

        Args:
            ordinals: their places in the stream, ascending, larger than all previous ones.
        """
        for append in self.extending(ordinals, keys=keys, targets=targets):
            append()

    def extending(self, ordinals: ArrayLike, *, keys: TermLists, targets: TermLists) -> Iterator[Callable[[], None]]:
        """Like ``extend``, in steps: each must have run before the next is taken, on any thread.

        Arguments and errors are those of ``extend``. A step releases the interpreter lock while it works.
        """
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
        found = FoundDocuments(np.zeros(2, dtype=np.int64), *self._found)
        lists = self._postings.terms, self._postings.keys, self._postings.targets
        ask(0, asking, *lists, self._numbered, self._hits, found, self._state)
        return Candidates(*(column[: found.ends[1]].copy() for column in self._found))

    @property
    def _oldest(self) -> int:
        return int(self._state.oldest[0])

    @property
    def _next(self) -> int:
        return int(self._state.next[0])

    def _check(self, ordinals: NDArray[np.int64], keys: TermLists, targets: TermLists) -> None:
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

    def _remember(self, ordinals: NDArray[np.int64], sizes: NDArray[np.int64]) -> None:
        """Keep the ordinals and sizes of documents that are about to be added."""
        shift, room = int(self._state.shift[0]), len(self._numbered.ordinals)
        if self._next - shift + len(ordinals) > room:
            begin, end = self._oldest - shift, self._next - shift
            longer = max(room, 2 * (end - begin + len(ordinals)))
            kept = self._numbered.ordinals[begin:end], self._numbered.sizes[begin:end]
            self._numbered = Numbered(lengthened(kept[0], longer), lengthened(kept[1], longer))
            self._state.shift[0] = shift = self._oldest
        begin = self._next - shift
        self._numbered.ordinals[begin : begin + len(ordinals)] = ordinals
        self._numbered.sizes[begin : begin + len(ordinals)] = np.minimum(sizes, _MOST_KEYS)

    def _renumber_if_needed(self, more: int) -> None:
        oldest = self._oldest
        if self._next + more > _LARGEST_NUMBER:
            self._postings.renumber(oldest)
            for number in (self._state.oldest, self._state.next, self._state.shift):
                number[0] -= oldest


def _empty_hits(documents: int, terms: int) -> Hits:
    mark_words = -(-documents // (_COUNTS_IN_A_WORD << BLOCK_BITS))
    words = np.zeros((2, mark_words << BLOCK_BITS), dtype=np.uint64)
    marks = np.zeros(mark_words, dtype=np.uint64)
    return Hits(
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
    oldest: NDArray[np.int64],
    needs: NDArray[np.int64],
    least_keys: int = 0,
    asks: NDArray[np.bool_] | None = None,
    enters: NDArray[np.bool_] | None = None,
) -> Asking:
    own, looked_up = WindowTerms.from_zero(keys), WindowTerms.from_zero(targets)
    all_of_them = np.ones(len(oldest), dtype=np.bool_)
    return Asking(
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


def _by_keys(needs: NDArray[np.int64]) -> NDArray[np.int64]:
    """Minimum hits by every possible number of key terms: int64 (256,)."""
    if len(needs) == _MOST_KEYS + 1:
        return needs
    every = np.full(_MOST_KEYS + 1, needs[-1])
    every[: len(needs)] = needs[: len(every)]
    return every
