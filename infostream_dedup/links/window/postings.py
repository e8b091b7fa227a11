"""The posting lists of a window: keys and targets by term, in memory that grows and is freed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TypeVar

import numpy as np

from infostream_dedup.links.window.kernels.term_table import NOTHING, TermSlots, rehash
from infostream_dedup.links.window.kernels.window_lists import (
    START,
    Pool,
    append_documents,
    compact,
    needed,
    rebase,
    reserve,
    room_to_reserve,
    settle,
    tidy,
)
from infostream_dedup.links.window.term_lists import Piece

if TYPE_CHECKING:
    from numpy.typing import NDArray


_Scalar = TypeVar("_Scalar", bound=np.generic)

_FIRST_SLOTS: Final = 1 << 10
_TIDIED_AT_ONCE: Final = 2048
"""Minimum number of slots that are visited at a time, if there are so many: for fewer, starting takes longer than the
visits."""
_SLOTS_OF_A_DOCUMENT: Final = 64

_SPARE: Final = 8
_LEAST_SPARE: Final = 1 << 17
"""A replaced array has one part in so many to spare, and half a megabyte: compacting is quick, but not free."""

_MUCH_TOO_LONG: Final = 2
"""How many times as long as needed an array may be."""


class Postings:
    """The documents that have a term as a key, and those that have it in their target.

    The arrays may be replaced by longer ones whenever something is added: do not keep them.

    Attributes:
        terms: terms in use, each with a slot.
        keys: posting lists of the key terms, by slot.
        targets: posting lists of the targets, by slot.
    """

    def __init__(self) -> None:
        self.terms = _empty_terms(_FIRST_SLOTS)
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
        rehash(grown)
        self.terms = grown
        self.keys = self.keys._replace(lists=_with_slots(self.keys.lists, larger))
        self.targets = self.targets._replace(lists=_with_slots(self.targets.lists, larger))

    def make_room_for_keys(self, oldest: int) -> None:
        """Make room in the memory of the key lists, which is full; ``oldest`` as in ``extend``."""
        self.keys = _with_room(self.keys, oldest)

    def make_room_for_targets(self, oldest: int) -> None:
        """Make room in the memory of the target lists."""
        self.targets = _with_room(self.targets, oldest)

    def make_room_for_documents(self, first: int, keys: Piece, targets: Piece, *, oldest: int) -> Callable[[], None]:
        """Make room for consecutive documents.

        Returns:
            A function that appends them, nearly all of whose time is in compiled code. Call it before anything else.
        """
        self.make_room_for_terms(len(keys.distinct) + len(targets.distinct))
        self.keys, ends_of_keys = self._reserved(self.keys, keys, oldest)
        self.targets, ends_of_targets = self._reserved(self.targets, targets, oldest)

        def append() -> None:
            for pool, piece, ends in ((self.targets, targets, ends_of_targets), (self.keys, keys, ends_of_keys)):
                append_documents(first, piece.indptr, piece.places, ends, pool.postings)
                settle(piece.distinct, ends[piece.place_of], self.terms, pool)

        return append

    def _reserved(self, pool: Pool, piece: Piece, oldest: int) -> tuple[Pool, NDArray[np.int64]]:
        """Make room in the lists of a piece's terms; return the pool, and the end of each list by place."""
        own, ends = (piece.distinct, piece.counts), np.empty(len(piece.distinct), dtype=np.int64)
        if room_to_reserve(*own, oldest, self.terms, pool) > len(pool.postings) - pool.used[0]:
            _compact(pool, oldest)
            pool = _with_unused(pool, room_to_reserve(*own, oldest, self.terms, pool))
        reserve(*own, oldest, self.terms, pool, ends)
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
            tidy(visited, oldest, self.terms, self.keys, self.targets)
            self._added_since_tidied = 0
            if self.terms.tidied[0] <= before:
                # Lists that have become short slide in their large chunks, and might never fill the memory again.
                self.keys, self.targets = (_shortened(pool, oldest) for pool in (self.keys, self.targets))

    def renumber(self, oldest: int) -> None:
        """Renumber documents so that ``oldest`` becomes 0."""
        for pool in (self.keys, self.targets):
            rebase(self.terms, pool, oldest)


def lengthened(array: NDArray[_Scalar], size: int) -> NDArray[_Scalar]:
    """A longer copy; the new rows are not initialised."""
    longer = np.empty((size, *array.shape[1:]), dtype=array.dtype)
    longer[: len(array)] = array
    return longer


def _empty_terms(slots: int) -> TermSlots:
    table = 1 << (2 * slots - 1).bit_length()
    return TermSlots(
        table=np.full(table, NOTHING, dtype=np.int64),
        table_slots=np.zeros(table, dtype=np.int32),
        slot_terms=np.full(slots, NOTHING, dtype=np.int64),
        free_slots=np.arange(slots - 1, -1, -1, dtype=np.int32),
        free=np.array([slots], dtype=np.int64),
        tidied=np.zeros(1, dtype=np.int64),
    )


def _empty_pool(slots: int) -> Pool:
    return Pool(np.zeros((slots, 4), dtype=np.int64), np.empty(1 << 12, dtype=np.uint32), np.zeros(1, dtype=np.int64))


def _with_slots(lists: NDArray[np.int64], slots: int) -> NDArray[np.int64]:
    longer = lengthened(lists, slots)
    longer[len(lists) :] = 0
    return longer


def _with_room(pool: Pool, oldest: int) -> Pool:
    """Compact a pool and give it room for any list to grow."""
    return _with_unused(pool, 2 * (_compact(pool, oldest) + 1))


def _shortened(pool: Pool, oldest: int) -> Pool:
    return _with_room(pool, oldest) if _is_much_too_long(pool, needed(pool)) else pool


def _compact(pool: Pool, oldest: int) -> int:
    return compact(np.argsort(pool.lists[:, START]), oldest, pool)


def _with_unused(pool: Pool, room: int) -> Pool:
    """Return a compacted pool with this much room; its array is replaced if it would soon be full, or is too long."""
    wanted = int(pool.used[0]) + room
    spare = wanted // _SPARE + _LEAST_SPARE
    if wanted + spare // 2 <= len(pool.postings) and not _is_much_too_long(pool, wanted):
        return pool
    return pool._replace(postings=lengthened(pool.postings[: pool.used[0]], wanted + spare))


def _is_much_too_long(pool: Pool, wanted: int) -> bool:
    return len(pool.postings) > _MUCH_TOO_LONG * (wanted + _LEAST_SPARE)
