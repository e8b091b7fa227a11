"""Posting lists that grow at one end and expire at the other, in one pool of memory.

A list lies in a chunk of 2^e entries. Documents are appended in ascending order, so that those that expired stand at
the beginning: the list's begin moves past them when somebody looks. A full list slides back to the start of its chunk
when half of it has expired, else moves to a chunk twice as large. Left chunks are kept by size and used again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from infostream_dedup.machine.compiling import compiled_bare, inlined, prefetch

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "BLOCK_BITS",
    "NOTHING",
    "Pool",
    "Terms",
    "append_document",
    "append_documents",
    "count_hits",
    "find_slots",
    "prefetch_lists",
    "rebase",
    "rehash",
    "reserve",
    "settle",
    "tidy",
]

NOTHING = -1

BLOCK_BITS = 6
"""Documents are marked in blocks of 2**6: their counts, a byte each, lie in one cache line."""

_START, _BEGIN, _END, _EXPONENT = 0, 1, 2, 3
_LEAST_EXPONENT = 1


class Terms(NamedTuple):
    """The terms in use, each with a slot: a small number that is used again when the term is gone.

    Attributes:
        table: int64 (a power of two,), terms by hash, ``NOTHING`` where empty; at most half full.
        table_slots: int32, slot of each term of the table.
        slot_terms: int64 (slots,), term of each slot, ``NOTHING`` for a free one.
        free_slots: int32 (slots,), a stack.
        state: int64 (2,): free slots on the stack; slot that ``tidy`` goes on with.
    """

    table: NDArray[np.int64]
    table_slots: NDArray[np.int32]
    slot_terms: NDArray[np.int64]
    free_slots: NDArray[np.int32]
    state: NDArray[np.int64]


class Pool(NamedTuple):
    """The lists of all slots.

    Attributes:
        lists: int64 (slots, 4): start of the chunk, begin and end of the list, exponent of the chunk's size
            (``NOTHING`` without a chunk).
        postings: uint32, all chunks.
        free: int64 (33,), first free chunk by exponent, ``NOTHING`` without; each names the next in its first two
            entries; the last number is where unused memory begins.
    """

    lists: NDArray[np.int64]
    postings: NDArray[np.uint32]
    free: NDArray[np.int64]


@inlined
def _home(term: int, table: NDArray[np.int64]) -> np.int64:
    mixed = np.uint64(term) * np.uint64(0x9E3779B97F4A7C15)
    return np.int64((mixed >> np.uint64(20)) & np.uint64(table.size - 1))


@inlined
def _find(term: int, table: NDArray[np.int64]) -> np.int64:
    """Where the term is in the table, or where it would be inserted."""
    at = _home(term, table)
    while table[at] != NOTHING and table[at] != term:
        at = (at + 1) & (table.size - 1)
    return at


@compiled_bare
def _slot_for(term: int, terms: Terms, one: Pool, other: Pool) -> np.int64:
    at = _find(term, terms.table)
    if terms.table[at] == term:
        return np.int64(terms.table_slots[at])
    terms.state[0] -= 1
    slot = np.int64(terms.free_slots[terms.state[0]])
    terms.table[at], terms.table_slots[at], terms.slot_terms[slot] = term, slot, term
    one.lists[slot, _EXPONENT] = NOTHING
    other.lists[slot, _EXPONENT] = NOTHING
    return slot


@compiled_bare
def _forget(slot: np.int64, terms: Terms) -> None:
    """Take the slot's term out of the table; terms that were pushed on by it move back."""
    table = terms.table
    hole = _find(terms.slot_terms[slot], table)
    mask = table.size - 1
    at = (hole + 1) & mask
    while table[at] != NOTHING:
        if ((at - _home(table[at], table)) & mask) >= ((at - hole) & mask):
            table[hole], terms.table_slots[hole] = table[at], terms.table_slots[at]
            hole = at
        at = (at + 1) & mask
    table[hole] = NOTHING
    terms.slot_terms[slot] = NOTHING
    terms.free_slots[terms.state[0]] = slot
    terms.state[0] += 1


@compiled_bare
def rehash(terms: Terms) -> None:
    """Fill an empty table with the terms of all slots."""
    for slot in range(terms.slot_terms.size):
        if terms.slot_terms[slot] != NOTHING:
            at = _find(terms.slot_terms[slot], terms.table)
            terms.table[at], terms.table_slots[at] = terms.slot_terms[slot], slot


@compiled_bare
def _allocate(pool: Pool, exponent: np.int64 | int) -> np.int64:
    """Start of a chunk, ``NOTHING`` when the pool is full."""
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
    """Move the list to a chunk of another size; False when the pool is full."""
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
    """See that one more posting fits into the list; False when the pool is full."""
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


@compiled_bare
def find_slots(given: NDArray[np.int64], terms: Terms, slots: NDArray[np.int64]) -> None:
    """The slot of each term, ``NOTHING`` for one that is not in use.

    Args:
        given: terms.
        terms: in use.
        slots: int64 (at least as many); written to.
    """
    table = terms.table
    for place in range(given.size):
        prefetch(table, _home(given[place], table))
    for place in range(given.size):
        at = _find(given[place], table)
        slots[place] = terms.table_slots[at] if table[at] != NOTHING else NOTHING


@inlined
def prefetch_lists(slots: NDArray[np.int64], pool: Pool) -> None:
    """Start loading where the lists of some slots lie."""
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
    terms: Terms,
    pool: Pool,
    other: Pool,
) -> int:
    """Append a document to the lists of its terms.

    Args:
        document: its number, larger than all before.
        given: its terms.
        slots: of the terms, as ``find_slots`` found them before anything was appended.
        done: how many of them an earlier call dealt with.
        oldest: first document that has not expired.
        terms: with a free slot for every new term.
        pool: the lists to append to.
        other: the other lists of the same terms.

    Returns:
        How many terms are dealt with now; fewer than given when the pool is full: make it larger and go on.
    """
    lists = pool.lists
    for place in range(done, given.size):
        slot = slots[place]
        if slot == NOTHING or not _has_room(slot, lists):
            slot = _slot_for(given[place], terms, pool, other)
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
    terms: Terms,
    pool: Pool,
    other: Pool,
    ends: NDArray[np.int64],
) -> int:
    """See that many postings fit into the lists of many terms.

    Args:
        distinct: the terms, each once.
        counts: how many postings each is to take.
        done: how many of the terms an earlier call dealt with.
        oldest: first document that has not expired.
        terms: with a free slot for every new term.
        pool: the lists.
        other: the other lists of the same terms.
        ends: int64, the end of each term's list; written to.

    Returns:
        How many terms are dealt with now; fewer than given when the pool is full: make it larger and go on.
    """
    for place in range(done, distinct.size):
        slot = _slot_for(distinct[place], terms, pool, other)
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
    places: NDArray[np.int64],
    ends: NDArray[np.int64],
    postings: NDArray[np.uint32],
) -> None:
    """Write documents into lists that have room for them; afterwards call ``settle``.

    Args:
        first: number of the first document, larger than all before.
        indptr: int64 (documents + 1,), where the terms of each begin in ``places``.
        places: the terms of all, as places in ``ends``.
        ends: of the terms' lists, as ``reserve`` wrote them; moved on.
        postings: of the pool.
    """
    for row in range(indptr.size - 1):
        for at in range(indptr[row], indptr[row + 1]):
            end = ends[places[at]]
            postings[end] = first + row
            ends[places[at]] = end + 1


@compiled_bare
def settle(distinct: NDArray[np.int64], ends: NDArray[np.int64], terms: Terms, pool: Pool) -> None:
    """Let the lists of terms end where ``append_documents`` left off."""
    for place in range(distinct.size):
        pool.lists[terms.table_slots[_find(distinct[place], terms.table)], _END] = ends[place]


@inlined
def count_hits(
    slots: NDArray[np.int64], oldest: int, pool: Pool, hits: NDArray[np.uint8], marks: NDArray[np.uint8]
) -> None:
    """Count for each document in how many of the given slots' lists it stands.

    Args:
        slots: of the terms asked for, ``NOTHING`` for one that is not in use.
        oldest: first document that has not expired.
        pool: the lists.
        hits: uint8, by document less ``oldest``; counted up.
        marks: uint8, by block of 2**``BLOCK_BITS`` documents; 1 where one has been counted.
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
    """Give up expired postings' memory; True when nothing is left."""
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
def tidy(slots: int, oldest: int, terms: Terms, one: Pool, other: Pool) -> None:
    """Look after the next ``slots`` slots: shorten what has expired, forget terms that nobody holds."""
    for _ in range(slots):
        slot = np.int64(terms.state[1]) % terms.slot_terms.size
        terms.state[1] = slot + 1
        if terms.slot_terms[slot] != NOTHING:
            empty = _tidy_list(one, slot, oldest)
            if _tidy_list(other, slot, oldest) and empty:
                _forget(slot, terms)


@compiled_bare
def rebase(terms: Terms, pool: Pool, oldest: int) -> None:
    """Number documents anew, ``oldest`` becoming 0."""
    for number in range(terms.slot_terms.size):
        slot = np.int64(number)
        if terms.slot_terms[slot] != NOTHING and pool.lists[slot, _EXPONENT] != NOTHING:
            _skip_expired(pool, slot, oldest)
            for position in range(pool.lists[slot, _BEGIN], pool.lists[slot, _END]):
                pool.postings[position] -= oldest
