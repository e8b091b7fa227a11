"""Posting lists that grow at one end and expire at the other, in one array.

A list occupies a chunk of the array. Documents are appended in ascending order, so expired ones come first: the start
of the list moves past them whenever the list is read. A full list slides back to the start of its chunk if enough of it
has expired; otherwise it moves to a larger chunk at the unused end of the array and leaves its old one behind. Once the
array is full, ``compact`` slides all lists to its front, over what they left behind.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from infostream_dedup.links.window.kernels.term_table import NOTHING, TermSlots, find, forget, slot_for
from infostream_dedup.machine.compiling import compiled, inlined, prefetch

if TYPE_CHECKING:
    from infostream_dedup.machine.arrays import Place, Table, Vector

__all__ = [
    "BLOCK_BITS",
    "START",
    "Pool",
    "append_document",
    "append_documents",
    "compact",
    "count_hits",
    "count_values",
    "needed",
    "prefetch_lists",
    "rebase",
    "reserve",
    "room_to_reserve",
    "settle",
    "tidy",
]

BLOCK_BITS: Final = 6
"""Documents are marked in blocks of 2**6, whose one-byte counts share a cache line."""

START: Final = 0
"""Column of the starts of chunks in ``Pool.lists``."""

_BEGIN, _END, _LIMIT = 1, 2, 3
_SLIDING_SHARE: Final = 8
"""A full list stays in its chunk if one in so many of its postings has expired. More memory would save little time."""


class Pool(NamedTuple):
    """The lists of all slots.

    Attributes:
        lists: int64 (slots, 4): start of the chunk, start and end of the list, end of the chunk; all equal without a
            chunk.
        postings: uint32, all chunks.
        used: int64 (1,), start of unused memory in ``postings``.
    """

    lists: Table[np.int64]
    postings: Vector[np.uint32]
    used: Vector[np.int64]


@inlined
def _room_for(postings: int) -> np.int64:
    """Size of a new chunk for a list: half of it is spare room."""
    return np.int64(postings + (postings >> 1) + 1)


@inlined
def _skip_expired(pool: Pool, slot: np.int64, oldest: int) -> None:
    begin, end = pool.lists[slot, _BEGIN], pool.lists[slot, _END]
    while begin < end and pool.postings[begin] < oldest:
        begin += 1
    pool.lists[slot, _BEGIN] = begin


@compiled
def _move(pool: Pool, slot: np.int64, start: np.int64) -> None:
    """Move the list to ``start``, which may be the start of its own chunk."""
    begin, end = pool.lists[slot, _BEGIN], pool.lists[slot, _END]
    for step in range(end - begin):
        pool.postings[start + step] = pool.postings[begin + step]
    pool.lists[slot, START], pool.lists[slot, _BEGIN], pool.lists[slot, _END] = start, start, start + end - begin


@compiled
def _make_room(pool: Pool, slot: np.int64, more: int, oldest: int) -> bool:
    """Make room for more postings in a list; return False if the pool is full."""
    start, limit = pool.lists[slot, START], pool.lists[slot, _LIMIT]
    _skip_expired(pool, slot, oldest)
    wanted = pool.lists[slot, _END] - pool.lists[slot, _BEGIN] + more
    if start + wanted + (limit - start) // _SLIDING_SHARE <= limit:
        _move(pool, slot, start)
        return True
    chunk = pool.used[0]
    if chunk + _room_for(wanted) > pool.postings.size:
        return False
    _move(pool, slot, chunk)
    pool.lists[slot, _LIMIT] = pool.used[0] = chunk + _room_for(wanted)
    return True


@inlined
def prefetch_lists(slots: Vector[np.int64], pool: Pool) -> None:
    """Prefetch the bounds of the lists of some slots."""
    for place in range(slots.size):
        if slots[place] != NOTHING:
            prefetch(pool.lists, slots[place] * pool.lists.shape[1])


@compiled
def append_document(
    document: int,
    given: Vector[np.int64],
    slots: Vector[np.int64],
    done: int,
    oldest: int,
    terms: TermSlots,
    pool: Pool,
) -> int:
    """Append a document to the lists of its terms.

    Args:
        document: number of the document, larger than all previous ones.
        given: terms of the document.
        slots: slots of the terms, as ``find_slots`` found them before anything was appended.
        done: number of terms that earlier calls have appended.
        oldest: first document that has not expired.
        terms: the terms in use, with a free slot for every new term.
        pool: the lists to append to.

    Returns:
        Number of terms done; less than the number given if the pool is full: make room and call again.
    """
    lists = pool.lists
    for place in range(done, given.size):
        slot = slots[place]
        if slot == NOTHING:
            slot = slot_for(given[place], terms)
        if lists[slot, _END] == lists[slot, _LIMIT] and not _make_room(pool, slot, 1, oldest):
            return place
        pool.postings[lists[slot, _END]] = document
        lists[slot, _END] += 1
    return given.size


@compiled
def count_values(values: Vector[Place], counts: Vector[np.int64]) -> None:
    """Add the number of occurrences of each value to ``counts``, by value."""
    for place in range(values.size):
        counts[values[place]] += 1


@compiled
def room_to_reserve(
    distinct: Vector[np.int64], counts: Vector[np.int64], oldest: int, terms: TermSlots, pool: Pool
) -> int:
    """Return the size of all new chunks that ``reserve`` may need; arguments as there."""
    room = np.int64(0)
    for place in range(distinct.size):
        slot = slot_for(distinct[place], terms)
        if pool.lists[slot, _END] + counts[place] > pool.lists[slot, _LIMIT]:
            _skip_expired(pool, slot, oldest)
            room += _room_for(pool.lists[slot, _END] - pool.lists[slot, _BEGIN] + counts[place])
    return int(room)


@compiled
def reserve(
    distinct: Vector[np.int64],
    counts: Vector[np.int64],
    oldest: int,
    terms: TermSlots,
    pool: Pool,
    ends: Vector[np.int64],
) -> None:
    """Make room for many postings in the lists of many terms.

    Args:
        distinct: the distinct terms.
        counts: number of postings to append to each.
        oldest: first document that has not expired.
        terms: the terms in use, with a free slot for every new term.
        pool: the lists, with as much unused memory as ``room_to_reserve`` says.
        ends: int64, receives the end of each term's list.
    """
    for place in range(distinct.size):
        slot = slot_for(distinct[place], terms)
        if pool.lists[slot, _END] + counts[place] > pool.lists[slot, _LIMIT]:
            _make_room(pool, slot, counts[place], oldest)
        ends[place] = pool.lists[slot, _END]


@compiled
def append_documents(
    first: int,
    indptr: Vector[np.int64],
    places: Vector[Place],
    ends: Vector[np.int64],
    postings: Vector[np.uint32],
) -> None:
    """Write documents into lists that have room for them; afterwards call ``settle``.

    Args:
        first: number of the first document, larger than all previous ones.
        indptr: int64 (documents + 1,), start of each document's terms in ``places``.
        places: the terms of all documents, as places in ``ends``.
        ends: ends of the terms' lists, as ``reserve`` writes them; advanced.
        postings: postings of the pool.
    """
    for row in range(indptr.size - 1):
        for at in range(indptr[row], indptr[row + 1]):
            end = ends[places[at]]
            postings[end] = first + row
            ends[places[at]] = end + 1


@compiled
def settle(distinct: Vector[np.int64], ends: Vector[np.int64], terms: TermSlots, pool: Pool) -> None:
    """Set the ends of the lists to where ``append_documents`` stopped."""
    for place in range(distinct.size):
        pool.lists[terms.table_slots[find(distinct[place], terms.table)], _END] = ends[place]


@inlined
def count_hits(
    slots: Vector[np.int64], oldest: int, pool: Pool, hits: Vector[np.uint8], marks: Vector[np.uint8]
) -> None:
    """Count, for each document, the given slots whose lists contain it.

    Args:
        slots: slots of the requested terms; ``NOTHING`` for a term not in use.
        oldest: first document that has not expired.
        pool: the lists.
        hits: uint8, by document number minus ``oldest``; incremented.
        marks: uint8, by block of 2**``BLOCK_BITS`` documents; set to 1 where a document has been counted.
    """
    postings, base, bits = pool.postings, np.uint32(oldest), np.uint32(BLOCK_BITS)
    for place in range(slots.size):
        slot = slots[place]
        if slot == NOTHING:
            continue
        _skip_expired(pool, slot, oldest)
        for position in range(pool.lists[slot, _BEGIN], pool.lists[slot, _END]):
            document = postings[position] - base
            hits[document] += np.uint8(1)
            marks[document >> bits] = np.uint8(1)


@compiled
def _is_empty(pool: Pool, slot: np.int64, oldest: int) -> bool:
    _skip_expired(pool, slot, oldest)
    return bool(pool.lists[slot, _BEGIN] == pool.lists[slot, _END])


@compiled
def tidy(slots: int, oldest: int, terms: TermSlots, one: Pool, other: Pool) -> None:
    """Visit the next ``slots`` slots and forget terms that no document has; their chunks are left behind."""
    for _ in range(slots):
        slot = np.int64(terms.tidied[0]) % terms.slot_terms.size
        terms.tidied[0] = slot + 1
        if terms.slot_terms[slot] != NOTHING and _is_empty(one, slot, oldest) and _is_empty(other, slot, oldest):
            one.lists[slot], other.lists[slot] = 0, 0
            forget(slot, terms)


@compiled
def compact(order: Vector[np.int64], oldest: int, pool: Pool) -> int:
    """Slide all lists to the front of the pool, without expired postings and with no more spare room than new ones.

    Args:
        order: int64 (slots,), the slots by start of their chunks: a list never slides over one that still has to.
        oldest: first document that has not expired.
        pool: the lists.

    Returns:
        Length of the longest list.
    """
    used = longest = np.int64(0)
    for place in range(order.size):
        slot = order[place]
        _skip_expired(pool, slot, oldest)
        living = pool.lists[slot, _END] - pool.lists[slot, _BEGIN]
        room = min(_room_for(living) if living else 0, pool.lists[slot, _LIMIT] - pool.lists[slot, START])
        _move(pool, slot, used)
        used += room
        pool.lists[slot, _LIMIT] = used
        longest = max(longest, living)
    pool.used[0] = used
    return int(longest)


@compiled
def needed(pool: Pool) -> int:
    """Return how much memory the lists need, with room for any of them to grow."""
    room = longest = np.int64(0)
    for slot in range(pool.lists.shape[0]):
        living = pool.lists[slot, _END] - pool.lists[slot, _BEGIN]
        room += _room_for(living)
        longest = max(longest, living)
    return int(room + 2 * (longest + 1))


@compiled
def rebase(terms: TermSlots, pool: Pool, oldest: int) -> None:
    """Renumber documents so that ``oldest`` becomes 0."""
    for number in range(terms.slot_terms.size):
        slot = np.int64(number)
        if terms.slot_terms[slot] != NOTHING:
            _skip_expired(pool, slot, oldest)
            for position in range(pool.lists[slot, _BEGIN], pool.lists[slot, _END]):
                pool.postings[position] -= oldest
