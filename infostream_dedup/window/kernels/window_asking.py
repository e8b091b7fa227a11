"""Documents that ask a window for those like them, and are then taken into it, one after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from infostream_dedup.machine.compiling import compiled_bare, inlined
from infostream_dedup.window.kernels.window_lists import (
    BLOCK_BITS,
    Pool,
    Terms,
    append_document,
    count_hits,
    find_slots,
    prefetch_lists,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "ASK",
    "FOUND_FULL",
    "KEYS_FULL",
    "NEXT",
    "OLDEST",
    "PHASE",
    "ROW",
    "SHIFT",
    "SLOTS_FULL",
    "STATES",
    "TARGETS_FULL",
    "Asking",
    "Found",
    "Hits",
    "Numbered",
    "ask",
    "ask_and_add",
]

OLDEST, NEXT, SHIFT, ROW, PHASE, DONE = 0, 1, 2, 3, 4, 5
"""Places in ``state``: first document not expired; number of the next one; number of the first in ``Numbered``; row
that asks; what is done with it; how many of its terms have been dealt with."""

STATES = 6
ASK, ADD_KEYS, ADD_TARGETS = 0, 1, 2
ALL_DONE, SLOTS_FULL, KEYS_FULL, TARGETS_FULL, FOUND_FULL = 0, 1, 2, 3, 4

_AT_ONCE = 8
_WORDS_OF_A_BLOCK = (1 << BLOCK_BITS) // _AT_ONCE
_TOP_BITS = np.uint64(0x8080808080808080)
_ONES = np.uint64(0x0101010101010101)


class Asking(NamedTuple):
    """Documents that ask.

    Attributes:
        key_ends: int64 (documents + 1,), where the keys of each begin.
        keys: int64, key terms.
        target_ends: int64 (documents + 1,).
        targets: int64, what others' key terms are looked up in.
        oldest: int64 (documents,), ordinal of the first document that each may find; ascending.
        needs: int64 (256,), least hits in either direction, by key terms of the shorter document; ascending.
        least_keys: documents with fewer key terms find nothing.
    """

    key_ends: NDArray[np.int64]
    keys: NDArray[np.int64]
    target_ends: NDArray[np.int64]
    targets: NDArray[np.int64]
    oldest: NDArray[np.int64]
    needs: NDArray[np.int64]
    least_keys: int


class Numbered(NamedTuple):
    """Documents of the index by number less ``state[SHIFT]``.

    Attributes:
        ordinals: int64, ascending.
        sizes: uint8, key terms.
    """

    ordinals: NDArray[np.int64]
    sizes: NDArray[np.uint8]


class Hits(NamedTuple):
    """Room to count in; all counts and marks are 0 between calls.

    Attributes:
        forward: uint8, by document less the oldest; whole blocks.
        backward: uint8, the same.
        marks: uint8, by block of 2**``BLOCK_BITS`` documents, 1 where a count is not 0; a multiple of eight.
        forward_words: uint64, the memory of ``forward``, eight counts a word.
        backward_words: uint64, that of ``backward``.
        mark_words: uint64, that of ``marks``.
        slots: int64, room for the keys and targets of a document.
    """

    forward: NDArray[np.uint8]
    backward: NDArray[np.uint8]
    marks: NDArray[np.uint8]
    forward_words: NDArray[np.uint64]
    backward_words: NDArray[np.uint64]
    mark_words: NDArray[np.uint64]
    slots: NDArray[np.int64]


class Found(NamedTuple):
    """What documents found.

    Attributes:
        ends: int64 (documents + 1,), where the finds of each begin; the first is given.
        ordinals: int64, ascending for each document.
        forward: uint8, key terms of the document in each find.
        backward: uint8, key terms of each find in the document.
    """

    ends: NDArray[np.int64]
    ordinals: NDArray[np.int64]
    forward: NDArray[np.uint8]
    backward: NDArray[np.uint8]


@inlined
def _reaching(word: np.uint64, added: np.uint64) -> np.uint64:
    """Top bits of those of eight counts that reach a number; ``added`` is 128 less that number, eight times."""
    return ((word & ~_TOP_BITS) + added | word) & _TOP_BITS


@inlined
def _collect_block(
    block: int, own: int, asking: Asking, numbered: Numbered, hits: Hits, found: Found, first: int, end: int
) -> int:
    """Write down who of a block has enough hits and clear its counts; returns where the finds end now."""
    # Whoever could be linked at all is looked at; most others are passed over eight at a time.
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


@compiled_bare
def _collect(row: int, own: int, asking: Asking, numbered: Numbered, hits: Hits, found: Found, first: int) -> int:
    """Write down who has enough hits and clear what was counted; returns how many have."""
    end = room = found.ends[row]
    # A large window is mostly blocks in which nobody was counted.
    for word in range(hits.mark_words.size):
        if hits.mark_words[word] == 0:
            continue
        for block in range(word * _AT_ONCE, (word + 1) * _AT_ONCE):
            if hits.marks[block] != 0:
                end = _collect_block(block, own, asking, numbered, hits, found, first, end)
        hits.mark_words[word] = 0
    return int(end - room)


@compiled_bare
def ask(
    row: int,
    asking: Asking,
    terms: Terms,
    keys: Pool,
    targets: Pool,
    numbered: Numbered,
    hits: Hits,
    found: Found,
    state: NDArray[np.int64],
) -> bool:
    """Find the documents of the window that resemble one; False when there is no room for them."""
    oldest, shift = state[OLDEST], state[SHIFT]
    while oldest < state[NEXT] and numbered.ordinals[oldest - shift] < asking.oldest[row]:
        oldest += 1
    state[OLDEST] = oldest
    begin, end = asking.key_ends[row], asking.key_ends[row + 1]
    first, last = asking.target_ends[row], asking.target_ends[row + 1]
    own = end - begin
    key_slots, target_slots = hits.slots[:own], hits.slots[own : own + last - first]
    find_slots(asking.keys[begin:end], terms, key_slots)
    find_slots(asking.targets[first:last], terms, target_slots)
    prefetch_lists(key_slots, keys)
    prefetch_lists(target_slots, targets)
    found.ends[row + 1] = found.ends[row]
    if own < asking.least_keys:
        return True
    prefetch_lists(key_slots, targets)
    prefetch_lists(target_slots, keys)
    count_hits(key_slots, oldest, targets, hits.forward, hits.marks)
    count_hits(target_slots, oldest, keys, hits.backward, hits.marks)
    many = _collect(row, own, asking, numbered, hits, found, oldest - shift)
    found.ends[row + 1] += many
    return bool(found.ends[row + 1] <= found.ordinals.size)


@compiled_bare
def _add(
    row: int,
    asking: Asking,
    terms: Terms,
    keys: Pool,
    targets: Pool,
    slots: NDArray[np.int64],
    state: NDArray[np.int64],
) -> int:
    """Take a document in whose slots have been found; what is wanting, or ``ALL_DONE``."""
    own_keys = asking.keys[asking.key_ends[row] : asking.key_ends[row + 1]]
    own_targets = asking.targets[asking.target_ends[row] : asking.target_ends[row + 1]]
    document, oldest = state[NEXT], state[OLDEST]
    if state[PHASE] == ADD_KEYS:
        if state[DONE] == 0 and terms.state[0] < own_keys.size + own_targets.size:
            return SLOTS_FULL
        state[DONE] = append_document(document, own_keys, slots, state[DONE], oldest, terms, keys, targets)
        if state[DONE] < own_keys.size:
            return KEYS_FULL
        state[PHASE], state[DONE] = ADD_TARGETS, 0
    rest = slots[own_keys.size :]
    state[DONE] = append_document(document, own_targets, rest, state[DONE], oldest, terms, targets, keys)
    return ALL_DONE if state[DONE] == own_targets.size else TARGETS_FULL


@compiled_bare
def ask_and_add(
    asking: Asking,
    terms: Terms,
    keys: Pool,
    targets: Pool,
    numbered: Numbered,
    hits: Hits,
    found: Found,
    state: NDArray[np.int64],
) -> int:
    """Let each document ask for those before it, then take it in.

    Args:
        asking: the documents.
        terms: in use.
        keys: lists of the documents' key terms.
        targets: lists of what key terms are looked up in.
        numbered: with the documents that ask.
        hits: with room for all documents.
        found: written to.
        state: see the names above; goes on where it was left.

    Returns:
        ``ALL_DONE``, or what there was no room for: make it and go on. After ``FOUND_FULL`` the documents before
        ``state[ROW]`` are done.
    """
    while state[ROW] < asking.oldest.size:
        row = state[ROW]
        if state[PHASE] == ASK:
            if not ask(row, asking, terms, keys, targets, numbered, hits, found, state):
                return FOUND_FULL
            state[PHASE], state[DONE] = ADD_KEYS, 0
        wanting = _add(row, asking, terms, keys, targets, hits.slots, state)
        if wanting != ALL_DONE:
            return wanting
        state[NEXT] += 1
        state[ROW], state[PHASE] = row + 1, ASK
    return ALL_DONE
