"""Let documents ask a window for similar ones and then add them to it, one at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from infostream_dedup.links.window.kernels.term_table import TermSlots, find_slots
from infostream_dedup.links.window.kernels.window_lists import (
    BLOCK_BITS,
    Pool,
    append_document,
    count_hits,
    prefetch_lists,
)
from infostream_dedup.machine.compiling import compiled, inlined

if TYPE_CHECKING:
    from infostream_dedup.machine.arrays import Vector

__all__ = [
    "ASK",
    "FOUND_FULL",
    "KEYS_FULL",
    "SLOTS_FULL",
    "TARGETS_FULL",
    "Asking",
    "FoundDocuments",
    "Hits",
    "Numbered",
    "State",
    "ask",
    "ask_and_add",
]

ASK: Final = 0
ADD_KEYS: Final = 1
ADD_TARGETS: Final = 2
"""Phases of a document: it asks, then its keys are added, then its targets."""

ALL_DONE: Final = 0
SLOTS_FULL: Final = 1
KEYS_FULL: Final = 2
TARGETS_FULL: Final = 3
FOUND_FULL: Final = 4
"""Results of ``ask_and_add``: all done, or what is full."""

_AT_ONCE = 8
_WORDS_OF_A_BLOCK = (1 << BLOCK_BITS) // _AT_ONCE
_TOP_BITS = np.uint64(0x8080808080808080)
_ONES = np.uint64(0x0101010101010101)


class State(NamedTuple):
    """Numbers that change as documents ask and are added; int64 (1,) each.

    Documents are numbered from 0; those from ``oldest`` to ``next`` - 1 are in the window.

    Attributes:
        oldest: first document that has not expired.
        next: number of the next document.
        shift: number of the first document in ``Numbered``.
        row: document of ``Asking`` that is being processed.
        phase: ``ASK``, ``ADD_KEYS`` or ``ADD_TARGETS``.
        done: number of the document's terms added in this phase.
    """

    oldest: Vector[np.int64]
    next: Vector[np.int64]
    shift: Vector[np.int64]
    row: Vector[np.int64]
    phase: Vector[np.int64]
    done: Vector[np.int64]


class Asking(NamedTuple):
    """Documents that ask.

    Attributes:
        key_ends: int64 (documents + 1,), start of each document's keys.
        keys: int64, key terms.
        target_ends: int64 (documents + 1,), start of each document's targets.
        targets: int64, terms in which the key terms of others are looked up.
        oldest: int64 (documents,), ascending; ordinal of the first document that each may find.
        asks: bool (documents,), whether each finds anything.
        enters: bool (documents,), whether each is added.
        needs: int64 (256,), ascending; minimum hits in either direction, by key terms of the shorter document.
        least_keys: documents with fewer key terms find nothing.
    """

    key_ends: Vector[np.int64]
    keys: Vector[np.int64]
    target_ends: Vector[np.int64]
    targets: Vector[np.int64]
    oldest: Vector[np.int64]
    asks: Vector[np.bool_]
    enters: Vector[np.bool_]
    needs: Vector[np.int64]
    least_keys: int


class Numbered(NamedTuple):
    """Documents of the index, by number minus ``State.shift``.

    Attributes:
        ordinals: int64, ascending.
        sizes: uint8, number of key terms.
    """

    ordinals: Vector[np.int64]
    sizes: Vector[np.uint8]


class Hits(NamedTuple):
    """Scratch arrays for counting; all counts and marks are 0 between calls.

    Attributes:
        forward: uint8, by document number minus the oldest; whole blocks.
        backward: uint8, like ``forward``.
        marks: uint8, by block of 2**``BLOCK_BITS`` documents, 1 where a count is not 0; its length is a multiple of 8.
        forward_words: uint64, the memory of ``forward``, eight counts per word.
        backward_words: uint64, the memory of ``backward``.
        mark_words: uint64, the memory of ``marks``.
        slots: int64, for the keys and targets of one document.
    """

    forward: Vector[np.uint8]
    backward: Vector[np.uint8]
    marks: Vector[np.uint8]
    forward_words: Vector[np.uint64]
    backward_words: Vector[np.uint64]
    mark_words: Vector[np.uint64]
    slots: Vector[np.int64]


class FoundDocuments(NamedTuple):
    """Documents found.

    Attributes:
        ends: int64 (documents + 1,), start of the finds of each asking document; the first is given.
        ordinals: int64, ascending for each document.
        forward: uint8, key terms of the document in each find.
        backward: uint8, key terms of each find in the document.
    """

    ends: Vector[np.int64]
    ordinals: Vector[np.int64]
    forward: Vector[np.uint8]
    backward: Vector[np.uint8]


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


@compiled
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


@compiled
def ask(
    row: int,
    asking: Asking,
    terms: TermSlots,
    keys: Pool,
    targets: Pool,
    numbered: Numbered,
    hits: Hits,
    found: FoundDocuments,
    state: State,
) -> bool:
    """Find the documents of the window that resemble a document; return False if there is no room for them."""
    oldest, shift = state.oldest[0], state.shift[0]
    while oldest < state.next[0] and numbered.ordinals[oldest - shift] < asking.oldest[row]:
        oldest += 1
    state.oldest[0] = oldest
    begin, end = asking.key_ends[row], asking.key_ends[row + 1]
    first, last = asking.target_ends[row], asking.target_ends[row + 1]
    own = end - begin
    key_slots, target_slots = hits.slots[:own], hits.slots[own : own + last - first]
    find_slots(asking.keys[begin:end], terms, key_slots)
    find_slots(asking.targets[first:last], terms, target_slots)
    prefetch_lists(key_slots, keys)
    prefetch_lists(target_slots, targets)
    found.ends[row + 1] = found.ends[row]
    if own < asking.least_keys or not asking.asks[row]:
        return True
    prefetch_lists(key_slots, targets)
    prefetch_lists(target_slots, keys)
    count_hits(key_slots, oldest, targets, hits.forward, hits.marks)
    count_hits(target_slots, oldest, keys, hits.backward, hits.marks)
    many = _collect(row, own, asking, numbered, hits, found, oldest - shift)
    found.ends[row + 1] += many
    return bool(found.ends[row + 1] <= found.ordinals.size)


@compiled
def _add(
    row: int,
    asking: Asking,
    terms: TermSlots,
    keys: Pool,
    targets: Pool,
    slots: Vector[np.int64],
    state: State,
) -> int:
    """Add a document whose slots have been found; return what is full, or ``ALL_DONE``."""
    own_keys = asking.keys[asking.key_ends[row] : asking.key_ends[row + 1]]
    own_targets = asking.targets[asking.target_ends[row] : asking.target_ends[row + 1]]
    document, oldest = state.next[0], state.oldest[0]
    if state.phase[0] == ADD_KEYS:
        if state.done[0] == 0 and terms.free[0] < own_keys.size + own_targets.size:
            return SLOTS_FULL
        state.done[0] = append_document(document, own_keys, slots, state.done[0], oldest, terms, keys)
        if state.done[0] < own_keys.size:
            return KEYS_FULL
        state.phase[0], state.done[0] = ADD_TARGETS, 0
    rest = slots[own_keys.size :]
    state.done[0] = append_document(document, own_targets, rest, state.done[0], oldest, terms, targets)
    return ALL_DONE if state.done[0] == own_targets.size else TARGETS_FULL


@compiled
def ask_and_add(
    asking: Asking,
    terms: TermSlots,
    keys: Pool,
    targets: Pool,
    numbered: Numbered,
    hits: Hits,
    found: FoundDocuments,
    state: State,
) -> int:
    """Let each document ask for similar earlier ones, then add it.

    Args:
        asking: the documents.
        terms: terms in use.
        keys: lists of the documents' key terms.
        targets: lists of the terms in which key terms are looked up.
        numbered: documents of the window, the asking ones included.
        hits: scratch arrays with room for all documents.
        found: receives the finds.
        state: where to continue; updated.

    Returns:
        ``ALL_DONE``, or what is full: enlarge it and call again. After ``FOUND_FULL`` the documents before
        ``state.row`` are done.
    """
    while state.row[0] < asking.oldest.size:
        row = state.row[0]
        if state.phase[0] == ASK:
            if not ask(row, asking, terms, keys, targets, numbered, hits, found, state):
                return FOUND_FULL
            state.phase[0], state.done[0] = ADD_KEYS, 0
        if asking.enters[row]:
            full = _add(row, asking, terms, keys, targets, hits.slots, state)
            if full != ALL_DONE:
                return full
            state.next[0] += 1
        state.row[0], state.phase[0] = row + 1, ASK
    return ALL_DONE
