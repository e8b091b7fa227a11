"""Posting lists that grow at one end and expire at the other, in one pool of memory.

A list occupies a chunk of 2^e entries. Documents are appended in ascending order, so expired ones come first:
the start of the list moves past them whenever the list is read. A full list slides back to the start of its chunk if
half of it has expired, and moves to a chunk twice as large otherwise. Free chunks are kept by size and reused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from infostream_dedup.machine.compiling import compiled_bare, inlined, prefetch
from infostream_dedup.window.kernels.term_table import NOTHING, TermSlots, find, forget, slot_for

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "BLOCK_BITS",
    "Pool",
    "append_document",
    "append_documents",
    "count_hits",
    "prefetch_lists",
    "rebase",
    "reserve",
    "settle",
    "tidy",
]

BLOCK_BITS: Final = 6
"""Documents are marked in blocks of 2**6, whose one-byte counts share a cache line."""

_START, _BEGIN, _END, _EXPONENT = 0, 1, 2, 3
_LEAST_EXPONENT: Final = 1


class Pool(NamedTuple):
    """The lists of all slots.

    Attributes:
        lists: int64 (slots, 4): start of the chunk, start and end of the list, exponent of the chunk's size
            (``NOTHING`` without a chunk).
        postings: uint32, all chunks.
        free: int64 (33,), first free chunk by exponent, ``NOTHING`` if there is none. The first two entries of a free
            chunk hold the next one. The last number is the start of unused memory.
    """

    lists: NDArray[np.int64]
    postings: NDArray[np.uint32]
    free: NDArray[np.int64]


@compiled_bare
def _allocate(pool: Pool, exponent: np.int64 | int) -> np.int64:
    """Return the start of a new chunk; ``NOTHING`` if the pool is full."""
    chunk = pool.free[exponent]
    if chunk != NOTHING:
        upper, lower = np.int64(pool.postings[chunk]), np.int64(pool.postings[chunk + 1])
        pool.free[exponent] = (upper << 32 | lower) - 1
        return np.int64(chunk)
    unused = pool.free[-1]
    if unused + (1 << exponent) > pool.postings.size:
        return np.int64(NOTHING)
    pool.free[-1] = unused + (1 << exponent)
    return np.int64(unused)


@compiled_bare
def _release(pool: Pool, chunk: np.int64, exponent: np.int64 | int) -> None:
    following = pool.free[exponent] + 1
    pool.postings[chunk], pool.postings[chunk + 1] = following >> 32, following & 0xFFFFFFFF
    pool.free[exponent] = chunk


@inlined
def _skip_expired(pool: Pool, slot: np.int64, oldest: int) -> None:
    begin, end = pool.lists[slot, _BEGIN], pool.lists[slot, _END]
    while begin < end and pool.postings[begin] < oldest:
        begin += 1
    pool.lists[slot, _BEGIN] = begin


@compiled_bare
def _move(pool: Pool, slot: np.int64, start: np.int64) -> None:
    """Move the list to ``start``, which may be the start of its own chunk."""
    begin, end = pool.lists[slot, _BEGIN], pool.lists[slot, _END]
    for step in range(end - begin):
        pool.postings[start + step] = pool.postings[begin + step]
    pool.lists[slot, _START], pool.lists[slot, _BEGIN], pool.lists[slot, _END] = start, start, start + end - begin


@compiled_bare
def _resize(pool: Pool, slot: np.int64, exponent: np.int64 | int) -> bool:
    """Move the list to a chunk of another size; return False if the pool is full."""
    chunk = _allocate(pool, exponent)
    if chunk == NOTHING:
        return False
    old, old_exponent = pool.lists[slot, _START], pool.lists[slot, _EXPONENT]
    _move(pool, slot, chunk)
    pool.lists[slot, _EXPONENT] = exponent
    _release(pool, old, old_exponent)
    return True


@compiled_bare
def _make_room(pool: Pool, slot: np.int64, oldest: int) -> bool:
    """Make room for one more posting in the list; return False if the pool is full."""
    exponent = pool.lists[slot, _EXPONENT]
    if exponent == NOTHING:
        chunk = _allocate(pool, _LEAST_EXPONENT)
        pool.lists[slot, :3] = chunk
        pool.lists[slot, _EXPONENT] = _LEAST_EXPONENT if chunk != NOTHING else NOTHING
        return bool(chunk != NOTHING)
    if pool.lists[slot, _END] - pool.lists[slot, _START] < 1 << exponent:
        return True
    _skip_expired(pool, slot, oldest)
    if (pool.lists[slot, _END] - pool.lists[slot, _BEGIN]) << 1 <= 1 << exponent:
        _move(pool, slot, pool.lists[slot, _START])
        return True
    return _resize(pool, slot, exponent + 1)


@inlined
def _has_room(slot: np.int64, lists: NDArray[np.int64]) -> bool:
    exponent = lists[slot, _EXPONENT]
    return bool(exponent != NOTHING and lists[slot, _END] - lists[slot, _START] < 1 << exponent)


@inlined
def prefetch_lists(slots: NDArray[np.int64], pool: Pool) -> None:
    """Prefetch the bounds of the lists of some slots."""
    for place in range(slots.size):
        if slots[place] != NOTHING:
            prefetch(pool.lists, slots[place] * pool.lists.shape[1])


@compiled_bare
def append_document(
    document: int,
    given: NDArray[np.int64],
    slots: NDArray[np.int64],
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
        Number of terms done; less than the number given if the pool is full: enlarge it and call again.
    """
    lists = pool.lists
    for place in range(done, given.size):
        slot = slots[place]
        if slot == NOTHING or not _has_room(slot, lists):
            slot = slot_for(given[place], terms)
            if not _make_room(pool, slot, oldest):
                return place
        pool.postings[lists[slot, _END]] = document
        lists[slot, _END] += 1
    return given.size


@compiled_bare
def reserve(
    distinct: NDArray[np.int64],
    counts: NDArray[np.int64],
    done: int,
    oldest: int,
    terms: TermSlots,
    pool: Pool,
    ends: NDArray[np.int64],
) -> int:
    """Make room for many postings in the lists of many terms.

    Args:
        distinct: the distinct terms.
        counts: number of postings to append to each.
        done: number of terms that earlier calls have processed.
        oldest: first document that has not expired.
        terms: the terms in use, with a free slot for every new term.
        pool: the lists.
        ends: int64, receives the end of each term's list.

    Returns:
        Number of terms done; less than the number given if the pool is full: enlarge it and call again.
    """
    for place in range(done, distinct.size):
        slot = slot_for(distinct[place], terms)
        exponent = max(pool.lists[slot, _EXPONENT], _LEAST_EXPONENT)
        if pool.lists[slot, _EXPONENT] == NOTHING and not _make_room(pool, slot, oldest):
            return place
        if pool.lists[slot, _END] - pool.lists[slot, _START] + counts[place] > 1 << exponent:
            _skip_expired(pool, slot, oldest)
            while pool.lists[slot, _END] - pool.lists[slot, _BEGIN] + counts[place] > 1 << exponent:
                exponent += 1
            if exponent == pool.lists[slot, _EXPONENT]:
                _move(pool, slot, pool.lists[slot, _START])
            elif not _resize(pool, slot, exponent):
                return place
        ends[place] = pool.lists[slot, _END]
    return distinct.size


@compiled_bare
def append_documents(
    first: int,
    indptr: NDArray[np.int64],
    places: NDArray[np.int32] | NDArray[np.int64],
    ends: NDArray[np.int64],
    postings: NDArray[np.uint32],
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


@compiled_bare
def settle(distinct: NDArray[np.int64], ends: NDArray[np.int64], terms: TermSlots, pool: Pool) -> None:
    """Set the ends of the lists to where ``append_documents`` stopped."""
    for place in range(distinct.size):
        pool.lists[terms.table_slots[find(distinct[place], terms.table)], _END] = ends[place]


@inlined
def count_hits(
    slots: NDArray[np.int64], oldest: int, pool: Pool, hits: NDArray[np.uint8], marks: NDArray[np.uint8]
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
        if slot == NOTHING or pool.lists[slot, _EXPONENT] == NOTHING:
            continue
        _skip_expired(pool, slot, oldest)
        for position in range(pool.lists[slot, _BEGIN], pool.lists[slot, _END]):
            document = postings[position] - base
            hits[document] += np.uint8(1)
            marks[document >> bits] = np.uint8(1)


@compiled_bare
def _tidy_list(pool: Pool, slot: np.int64, oldest: int) -> bool:
    """Free the memory of expired postings; return True if the list is empty."""
    exponent = pool.lists[slot, _EXPONENT]
    if exponent == NOTHING:
        return True
    _skip_expired(pool, slot, oldest)
    living = pool.lists[slot, _END] - pool.lists[slot, _BEGIN]
    if living == 0:
        _release(pool, pool.lists[slot, _START], exponent)
        pool.lists[slot, _EXPONENT] = NOTHING
        return True
    if living << 2 <= 1 << exponent and exponent > _LEAST_EXPONENT:
        _resize(pool, slot, exponent - 1)
    return False


@compiled_bare
def tidy(slots: int, oldest: int, terms: TermSlots, one: Pool, other: Pool) -> None:
    """Visit the next ``slots`` slots: shorten their lists and forget terms that no document has."""
    for _ in range(slots):
        slot = np.int64(terms.tidied[0]) % terms.slot_terms.size
        terms.tidied[0] = slot + 1
        if terms.slot_terms[slot] != NOTHING:
            empty = _tidy_list(one, slot, oldest)
            if _tidy_list(other, slot, oldest) and empty:
                forget(slot, terms)


@compiled_bare
def rebase(terms: TermSlots, pool: Pool, oldest: int) -> None:
    """Renumber documents so that ``oldest`` becomes 0."""
    for number in range(terms.slot_terms.size):
        slot = np.int64(number)
        if terms.slot_terms[slot] != NOTHING and pool.lists[slot, _EXPONENT] != NOTHING:
            _skip_expired(pool, slot, oldest)
            for position in range(pool.lists[slot, _BEGIN], pool.lists[slot, _END]):
                pool.postings[position] -= oldest
