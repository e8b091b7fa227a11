"""The posting lists of a window: its terms, lists that grow and expire, and documents that ask them."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from infostream_dedup.machine.arrays import GOLDEN, Bools, Int32s, Ints, Place, Table, Uint8s, Uint32s, Uint64s, Vector
from infostream_dedup.machine.compiling import compiled, inlined, prefetch

# The terms of a window in a hash table, each with a slot

NOTHING: Final = -1


class TermSlots(NamedTuple):
    """The terms in use, each with a slot: a small number that is reused when the term is gone."""

    table: Ints  # int64 (power of two,), terms by hash, `NOTHING` if empty; at most half full
    table_slots: Int32s  # int32, slot of each term in the table
    slot_terms: Ints  # int64 (slots,), term of each slot, `NOTHING` for a free one
    free_slots: Int32s  # int32 (slots,), a stack of free slots
    free: Ints  # int64 (1,), number of free slots on the stack
    tidied: Ints  # int64 (1,), slot at which `tidy` continues


@inlined
def home(term: int, table: Ints) -> np.int64:
    """Where a search for a term begins."""
    mixed = np.uint64(term) * np.uint64(GOLDEN)
    return np.int64((mixed >> np.uint64(20)) & np.uint64(table.size - 1))


@inlined
def find(term: int, table: Ints) -> np.int64:
    """Place of a term in the table, or the place to insert it."""
    at = home(term, table)
    while table[at] != NOTHING and table[at] != term:
        at = (at + 1) & (table.size - 1)
    return at


def slot_for(term: int, terms: TermSlots) -> np.int64:
    """Return the slot of a term; a new term takes a free slot, and there must be one."""
    at = find(term, terms.table)
    if terms.table[at] == term:
        return np.int64(terms.table_slots[at])
    terms.free[0] -= 1
    slot = np.int64(terms.free_slots[terms.free[0]])
    terms.table[at], terms.table_slots[at], terms.slot_terms[slot] = term, slot, term
    return slot


def forget(slot: np.int64, terms: TermSlots) -> None:
    """Remove the term of a slot from the table; move the terms that it had displaced back."""
    table = terms.table
    hole = find(terms.slot_terms[slot], table)
    mask = table.size - 1
    at = (hole + 1) & mask
    while table[at] != NOTHING:
        if ((at - home(table[at], table)) & mask) >= ((at - hole) & mask):
            table[hole], terms.table_slots[hole] = table[at], terms.table_slots[at]
            hole = at
        at = (at + 1) & mask
    table[hole] = NOTHING
    terms.slot_terms[slot] = NOTHING
    terms.free_slots[terms.free[0]] = slot
    terms.free[0] += 1


@compiled
def rehash(terms: TermSlots) -> None:
    """Fill an empty table with the terms of all slots."""
    for slot in range(terms.slot_terms.size):
        if terms.slot_terms[slot] != NOTHING:
            at = find(terms.slot_terms[slot], terms.table)
            terms.table[at], terms.table_slots[at] = terms.slot_terms[slot], slot


def find_slots(given: Ints, terms: TermSlots, slots: Ints) -> None:
    """Write the slot of each ``given`` term to ``slots``, which may be longer; ``NOTHING`` for a term not in use."""
    table = terms.table
    for place in range(given.size):
        prefetch(table, home(given[place], table))
    for place in range(given.size):
        at = find(given[place], table)
        slots[place] = terms.table_slots[at] if table[at] != NOTHING else NOTHING


# Posting lists that grow at one end and expire at the other, in one array.
#
# A list occupies a chunk of the array. Documents are appended in ascending order, so expired ones come first: the
# start of the list moves past them whenever the list is read. A full list slides back to the start of its chunk if
# enough of it has expired; otherwise it moves to a larger chunk at the unused end of the array and leaves its old one
# behind. Once the array is full, `compact` slides all lists to its front, over what they left behind.

BLOCK_BITS: Final = 6  # documents are marked in blocks of 2**6, whose one-byte counts share a cache line
START: Final = 0  # column of the starts of chunks in ``Pool.lists``
_BEGIN, _END, _LIMIT = 1, 2, 3
_SLIDING_SHARE: Final = 8
"""A full list stays in its chunk if one in so many of its postings has expired. More memory would save little time."""


class Pool(NamedTuple):
    """The lists of all slots."""

    # int64 (slots, 4): start of the chunk, start and end of the list, end of the chunk; all equal without a chunk
    lists: Table[np.int64]
    postings: Uint32s  # uint32, all chunks
    used: Ints  # int64 (1,), start of unused memory in `postings`


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


def _move(pool: Pool, slot: np.int64, start: np.int64) -> None:
    """Move the list to ``start``, which may be the start of its own chunk."""
    begin, end = pool.lists[slot, _BEGIN], pool.lists[slot, _END]
    for step in range(end - begin):
        pool.postings[start + step] = pool.postings[begin + step]
    pool.lists[slot, START], pool.lists[slot, _BEGIN], pool.lists[slot, _END] = start, start, start + end - begin


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
def prefetch_lists(slots: Ints, pool: Pool) -> None:
    """Prefetch the bounds of the lists of some slots."""
    for place in range(slots.size):
        if slots[place] != NOTHING:
            prefetch(pool.lists, slots[place] * pool.lists.shape[1])


def append_document(number: int, given: Ints, slots: Ints, done: int, oldest: int, terms: TermSlots, pool: Pool) -> int:
    """Append a document to the lists of its terms.

    ``number``: number of the document, larger than all previous ones; ``given``: terms of the document; ``slots``:
    slots of the terms, as ``find_slots`` found them before anything was appended; ``done``: number of terms that
    earlier calls have appended; ``oldest``: first document that has not expired; ``terms``: the terms in use, with a
    free slot for every new term; ``pool``: the lists to append to. Returns number of terms done; less than the number
    given if the pool is full: make room and call again.
    """
    lists = pool.lists
    for place in range(done, given.size):
        slot = slots[place]
        if slot == NOTHING:
            slot = slot_for(given[place], terms)
        if lists[slot, _END] == lists[slot, _LIMIT] and not _make_room(pool, slot, 1, oldest):
            return place
        pool.postings[lists[slot, _END]] = number
        lists[slot, _END] += 1
    return given.size


@compiled
def count_values(values: Vector[Place], counts: Ints) -> None:
    """Add the number of occurrences of each value to ``counts``, by value."""
    for place in range(values.size):
        counts[values[place]] += 1


@compiled
def room_to_reserve(distinct: Ints, counts: Ints, oldest: int, terms: TermSlots, pool: Pool) -> int:
    """Return the size of all new chunks that ``reserve`` may need; arguments as there."""
    room = np.int64(0)
    for place in range(distinct.size):
        slot = slot_for(distinct[place], terms)
        if pool.lists[slot, _END] + counts[place] > pool.lists[slot, _LIMIT]:
            _skip_expired(pool, slot, oldest)
            room += _room_for(pool.lists[slot, _END] - pool.lists[slot, _BEGIN] + counts[place])
    return int(room)


@compiled
def reserve(distinct: Ints, counts: Ints, oldest: int, terms: TermSlots, pool: Pool, ends: Ints) -> None:
    """Make room for many postings in the lists of many terms.

    ``distinct``: the distinct terms; ``counts``: number of postings to append to each; ``oldest``: first document that
    has not expired; ``terms``: the terms in use, with a free slot for every new term; ``pool``: the lists, with as much
    unused memory as ``room_to_reserve`` says; ``ends``: receives the end of each term's list.
    """
    for place in range(distinct.size):
        slot = slot_for(distinct[place], terms)
        if pool.lists[slot, _END] + counts[place] > pool.lists[slot, _LIMIT]:
            _make_room(pool, slot, counts[place], oldest)
        ends[place] = pool.lists[slot, _END]


@compiled
def append_documents(first: int, indptr: Ints, places: Vector[Place], ends: Ints, postings: Uint32s) -> None:
    """Write documents into lists that have room for them; afterwards call ``settle``.

    ``first``: number of the first document, larger than all previous ones; ``indptr``: (documents + 1,), start of each
    document's terms in ``places``; ``places``: the terms of all documents, as places in ``ends``; ``ends``: ends of the
    terms' lists, as ``reserve`` writes them; advanced; ``postings``: postings of the pool.
    """
    for row in range(indptr.size - 1):
        for at in range(indptr[row], indptr[row + 1]):
            end = ends[places[at]]
            postings[end] = first + row
            ends[places[at]] = end + 1


@compiled
def settle(distinct: Ints, ends: Ints, terms: TermSlots, pool: Pool) -> None:
    """Set the ends of the lists to where ``append_documents`` stopped."""
    for place in range(distinct.size):
        pool.lists[terms.table_slots[find(distinct[place], terms.table)], _END] = ends[place]


@inlined
def count_hits(slots: Ints, oldest: int, pool: Pool, hits: Uint8s, marks: Uint8s) -> None:
    """Count, for each document, the given slots whose lists contain it.

    ``slots``: slots of the requested terms; ``NOTHING`` for a term not in use; ``oldest``: first document that has not
    expired; ``pool``: the lists; ``hits``: by document number minus ``oldest``; incremented; ``marks``: by block of
    2**``BLOCK_BITS`` documents; set to 1 where a document has been counted.
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
def compact(order: Ints, oldest: int, pool: Pool) -> int:
    """Slide all lists to the front of the pool, without expired postings and with no more spare room than new ones.

    ``order``: (slots,), the slots by start of their chunks: a list never slides over one that still has to; ``oldest``:
    first document that has not expired; ``pool``: the lists. Returns length of the longest list.
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


# Let documents ask a window for similar ones and then add them to it, one at a time

ASK: Final = 0
ADD_KEYS: Final = 1
ADD_TARGETS: Final = 2  # phases of a document: it asks, then its keys are added, then its targets
ALL_DONE: Final = 0
SLOTS_FULL: Final = 1
KEYS_FULL: Final = 2
TARGETS_FULL: Final = 3
FOUND_FULL: Final = 4  # results of ``ask_and_add``: all done, or what is full
_AT_ONCE = 8
_WORDS_OF_A_BLOCK = (1 << BLOCK_BITS) // _AT_ONCE
_TOP_BITS = np.uint64(0x8080808080808080)
_ONES = np.uint64(0x0101010101010101)


class State(NamedTuple):
    """Numbers that change as documents ask and are added; int64 (1,) each.

    Documents are numbered from 0; those from ``oldest`` to ``next`` - 1 are in the window.
    """

    oldest: Ints  # first document that has not expired
    next: Ints  # number of the next document
    shift: Ints  # number of the first document in `Numbered`
    row: Ints  # document of `Asking` that is being processed
    phase: Ints  # `ASK`, `ADD_KEYS` or `ADD_TARGETS`
    done: Ints  # number of the document's terms added in this phase


class Asking(NamedTuple):
    """Documents that ask."""

    key_ends: Ints  # int64 (documents + 1,), start of each document's keys
    keys: Ints  # int64, key terms
    target_ends: Ints  # int64 (documents + 1,), start of each document's targets
    targets: Ints  # int64, terms in which the key terms of others are looked up
    oldest: Ints  # int64 (documents,), ascending; ordinal of the first document that each may find
    asks: Bools  # bool (documents,), whether each finds anything
    enters: Bools  # bool (documents,), whether each is added
    # int64 (256,), ascending; minimum hits in either direction, by key terms of the shorter document
    needs: Ints
    least_keys: int  # documents with fewer key terms find nothing


class Numbered(NamedTuple):
    """Documents of the index, by number minus ``State.shift``."""

    ordinals: Ints  # int64, ascending
    sizes: Uint8s  # uint8, number of key terms


class Hits(NamedTuple):
    """Scratch arrays for counting; all counts and marks are 0 between calls."""

    forward: Uint8s  # uint8, by document number minus the oldest; whole blocks
    backward: Uint8s  # uint8, like `forward`
    # uint8, by block of 2**`BLOCK_BITS` documents, 1 where a count is not 0; its length is a multiple of 8
    marks: Uint8s
    forward_words: Uint64s  # uint64, the memory of `forward`, eight counts per word
    backward_words: Uint64s  # uint64, the memory of `backward`
    mark_words: Uint64s  # uint64, the memory of `marks`
    slots: Ints  # int64, for the keys and targets of one document


class FoundDocuments(NamedTuple):
    """Documents found."""

    ends: Ints  # int64 (documents + 1,), start of the finds of each asking document; the first is given
    ordinals: Ints  # int64, ascending for each document
    forward: Uint8s  # uint8, key terms of the document in each find
    backward: Uint8s  # uint8, key terms of each find in the document


@inlined
def _reaching(word: np.uint64, added: np.uint64) -> np.uint64:
    """Top bits of the counts, among eight, that reach a number; ``added`` repeats 128 minus that number eight times."""
    return ((word & ~_TOP_BITS) + added | word) & _TOP_BITS


@inlined
def _collect_block(
    block: int, own: int, asking: Asking, numbered: Numbered, hits: Hits, found: FoundDocuments, first: int, end: int
) -> int:
    """Record the documents of a block that have enough hits and clear its counts; return the new end of the finds."""
    # Only documents that might be linked are examined; most others are skipped eight at a time.
    added = _ONES * np.uint64(128 - min(asking.needs[0], 128))
    for at in range(block * _WORDS_OF_A_BLOCK, (block + 1) * _WORDS_OF_A_BLOCK):
        forward, backward = hits.forward_words[at], hits.backward_words[at]
        if (_reaching(forward, added) | _reaching(backward, added)) != 0:
            for document in range(at * _AT_ONCE, (at + 1) * _AT_ONCE):
                most = max(hits.forward[document], hits.backward[document])
                if most < asking.needs[0]:
                    continue
                if most >= asking.needs[min(own, numbered.sizes[first + document])]:
                    if end < found.ordinals.size:
                        found.ordinals[end] = numbered.ordinals[first + document]
                        found.forward[end], found.backward[end] = hits.forward[document], hits.backward[document]
                    end += 1
        hits.forward_words[at] = 0
        hits.backward_words[at] = 0
    return end


def _collect(
    row: int, own: int, asking: Asking, numbered: Numbered, hits: Hits, found: FoundDocuments, first: int
) -> int:
    """Record the documents that have enough hits and clear all counts; return their number."""
    end = room = found.ends[row]
    # In most blocks of a large window nothing was counted.
    for word in range(hits.mark_words.size):
        if hits.mark_words[word] == 0:
            continue
        for block in range(word * _AT_ONCE, (word + 1) * _AT_ONCE):
            if hits.marks[block] != 0:
                end = _collect_block(block, own, asking, numbered, hits, found, first, end)
        hits.mark_words[word] = 0
    return int(end - room)


class IndexedWindow(NamedTuple):
    """What documents ask, and what they are added to."""

    terms: TermSlots  # terms in use
    keys: Pool  # lists of the documents' key terms
    targets: Pool  # lists of the terms in which key terms are looked up
    numbered: Numbered  # documents of the window, the asking ones included
    hits: Hits  # scratch arrays with room for all documents
    state: State  # where to continue; updated


@compiled
def ask(row: int, asking: Asking, window: IndexedWindow, found: FoundDocuments) -> bool:
    """Find the documents of the window that resemble a document; return False if there is no room for them."""
    keys, targets, hits, state = window.keys, window.targets, window.hits, window.state
    oldest, shift = state.oldest[0], state.shift[0]
    while oldest < state.next[0] and window.numbered.ordinals[oldest - shift] < asking.oldest[row]:
        oldest += 1
    state.oldest[0] = oldest
    begin, end = asking.key_ends[row], asking.key_ends[row + 1]
    first, last = asking.target_ends[row], asking.target_ends[row + 1]
    own = end - begin
    key_slots, target_slots = hits.slots[:own], hits.slots[own : own + last - first]
    find_slots(asking.keys[begin:end], window.terms, key_slots)
    find_slots(asking.targets[first:last], window.terms, target_slots)
    prefetch_lists(key_slots, keys)
    prefetch_lists(target_slots, targets)
    found.ends[row + 1] = found.ends[row]
    if own < asking.least_keys or not asking.asks[row]:
        return True
    prefetch_lists(key_slots, targets)
    prefetch_lists(target_slots, keys)
    count_hits(key_slots, oldest, targets, hits.forward, hits.marks)
    count_hits(target_slots, oldest, keys, hits.backward, hits.marks)
    many = _collect(row, own, asking, window.numbered, hits, found, oldest - shift)
    found.ends[row + 1] += many
    return bool(found.ends[row + 1] <= found.ordinals.size)


def _add(row: int, asking: Asking, window: IndexedWindow) -> int:
    """Add a document whose slots have been found; return what is full, or ``ALL_DONE``."""
    own_keys = asking.keys[asking.key_ends[row] : asking.key_ends[row + 1]]
    own_targets = asking.targets[asking.target_ends[row] : asking.target_ends[row + 1]]
    terms, slots, state = window.terms, window.hits.slots, window.state
    document, oldest = state.next[0], state.oldest[0]
    if state.phase[0] == ADD_KEYS:
        if state.done[0] == 0 and terms.free[0] < own_keys.size + own_targets.size:
            return SLOTS_FULL
        state.done[0] = append_document(document, own_keys, slots, state.done[0], oldest, terms, window.keys)
        if state.done[0] < own_keys.size:
            return KEYS_FULL
        state.phase[0], state.done[0] = ADD_TARGETS, 0
    rest = slots[own_keys.size :]
    state.done[0] = append_document(document, own_targets, rest, state.done[0], oldest, terms, window.targets)
    return ALL_DONE if state.done[0] == own_targets.size else TARGETS_FULL


@compiled
def ask_and_add(asking: Asking, window: IndexedWindow, found: FoundDocuments) -> int:
    """Let each document ask for similar earlier ones, then add it.

    ``asking``: the documents; ``window``: what they ask and are added to; ``found``: receives the finds. Returns
    ``ALL_DONE``, or what is full: enlarge it and call again. After ``FOUND_FULL`` the documents before ``state.row``
    are done.
    """
    state = window.state
    while state.row[0] < asking.oldest.size:
        row = state.row[0]
        if state.phase[0] == ASK:
            if not ask(row, asking, window, found):
                return FOUND_FULL
            state.phase[0], state.done[0] = ADD_KEYS, 0
        if asking.enters[row]:
            full = _add(row, asking, window)
            if full != ALL_DONE:
                return full
            state.next[0] += 1
        state.row[0], state.phase[0] = row + 1, ASK
    return ALL_DONE
