"""Find every pair of texts that share a third of their word triples, exactly.

The smaller text of a pair needs ``least`` of its triples in the larger one. Rare triples are counted by walking their
postings. A pair that shares no rare triple must share ``least`` common ones, so at least one of the rarest
``common - least + 1`` of them: only their postings are walked, and only for texts with that many common triples. So a
story that a thousand sites print is still found, although each of its triples is in a thousand texts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from infostream_dedup.links.compiled.kernels.row_search import first_not_below
from infostream_dedup.machine.compiling import compiled, inlined, prefetch, signed

if TYPE_CHECKING:
    from infostream_dedup.machine.arrays import Vector

__all__ = [
    "FoundPairs",
    "SharedIndex",
    "TextClasses",
    "TextCounters",
    "Universe",
    "find_copies",
    "hash_of_pair",
    "is_inside",
    "is_series",
    "thinned_out",
]

_AHEAD: Final = 6
"""Triples that are looked up while the memory of a later one is fetched."""

_FIRST_MIX = np.uint64(0xBF58476D1CE4E5B9)
_SECOND_MIX = np.uint64(0x94D049BB133111EB)


class SharedIndex(NamedTuple):
    """The triples that occur in at least two texts.

    Attributes:
        begins: int64 (texts,), start of each text in ``terms``.
        middles: int64 (texts,), start of the common triples of each text.
        ends: int64 (texts,), end of each text.
        terms: int32, numbers of triples: the rare ones ascending, then the common ones ascending.
        heads: int64 (terms + 1,), bounds of each triple in ``texts``.
        texts: int32, texts of each triple, ascending.
    """

    begins: Vector[np.int64]
    middles: Vector[np.int64]
    ends: Vector[np.int64]
    terms: Vector[np.int32]
    heads: Vector[np.int64]
    texts: Vector[np.int32]


class TextClasses(NamedTuple):
    """Documents grouped by equal sets of triples; each group is one text.

    Attributes:
        sizes: int64 (texts,), triples of each text.
        begins: int64 (texts + 1,), bounds of each text in ``members``.
        members: int32, ordinals of the documents of each text, ascending.
        first: int64 (texts,), the first text that may be close enough in time.
        last: int64 (texts,), the text after the last such one.
    """

    sizes: Vector[np.int64]
    begins: Vector[np.int64]
    members: Vector[np.int32]
    first: Vector[np.int64]
    last: Vector[np.int64]


class Universe(NamedTuple):
    """Which pairs of documents are counted.

    Attributes:
        counted: bool (documents,), whether a document is counted at all.
        window: maximum number of microseconds between two documents; negative for no limit.
        times: int64 (documents,), microseconds since 1970.
        days: int64 (documents,), days since 1970.
        sources: int64 (documents,), number of the source; negative if unknown.
        titles: int64 (documents,), equal for titles that differ only in case and punctuation; 0 without a title.
    """

    counted: Vector[np.bool_]
    window: int
    times: Vector[np.int64]
    days: Vector[np.int64]
    sources: Vector[np.int64]
    titles: Vector[np.int64]


class TextCounters(NamedTuple):
    """Scratch arrays of a thread.

    Attributes:
        counts: int32 (texts,), zero whenever no text is looked up.
        touched: int32 (texts + 1,), texts with a count.
    """

    counts: Vector[np.int32]
    touched: Vector[np.int32]


class FoundPairs(NamedTuple):
    """Room for pairs of documents. When it is full, half of the pairs are dropped, chosen by a hash of the pair.

    Attributes:
        a: int32 (room,), the earlier document.
        b: int32 (room,), the later one.
        shared: int32 (room,), number of triples in common.
        smaller: int32 (room,), number of triples of the smaller document.
        state: int64 (4,): numbers of pairs kept, pairs found outside a series, pairs found in a series, and halvings.
    """

    a: Vector[np.int32]
    b: Vector[np.int32]
    shared: Vector[np.int32]
    smaller: Vector[np.int32]
    state: Vector[np.int64]


@inlined
def is_series(universe: Universe, a: int, b: int) -> bool:
    """Whether one source published both, on different days and under different titles."""
    source, title, other = universe.sources[a], universe.titles[a], universe.titles[b]
    same = (source >= 0) & (source == universe.sources[b])
    return bool(same & (universe.days[a] != universe.days[b]) & (title != 0) & (other != 0) & (title != other))


@inlined
def hash_of_pair(a: int, b: int) -> np.uint64:
    """Evenly distributed; no two pairs of documents have the same."""
    state = np.uint64(a) << np.uint64(32) | np.uint64(b)
    state = (state ^ (state >> np.uint64(30))) * _FIRST_MIX
    state = (state ^ (state >> np.uint64(27))) * _SECOND_MIX
    return state ^ (state >> np.uint64(31))


@inlined
def thinned_out(a: int, b: int, halvings: int) -> bool:
    """Whether a pair has been dropped after a number of halvings."""
    return halvings > 0 and (hash_of_pair(a, b) >> np.uint64(64 - halvings)) != np.uint64(0)


@inlined
def is_inside(universe: Universe, a: int, b: int) -> bool:
    """Whether a pair is counted."""
    near = universe.window < 0 or abs(universe.times[a] - universe.times[b]) <= universe.window
    return bool(near and universe.counted[a] and universe.counted[b])


@compiled
def _halve(found: FoundPairs) -> None:
    found.state[3] += 1
    kept = 0
    for pair in range(found.state[0]):
        if not thinned_out(signed(found.a[pair]), signed(found.b[pair]), found.state[3]):
            found.a[kept], found.b[kept] = found.a[pair], found.b[pair]
            found.shared[kept], found.smaller[kept] = found.shared[pair], found.smaller[pair]
            kept += 1
    found.state[0] = kept


@compiled
def _note(found: FoundPairs, universe: Universe, one: int, other: int, shared: int, smaller: int) -> None:
    """Count a pair of documents if it is in the universe, and keep it."""
    a, b = min(one, other), max(one, other)
    if universe.window >= 0 and abs(universe.times[a] - universe.times[b]) > universe.window:
        return
    found.state[2 if is_series(universe, a, b) else 1] += 1
    while found.state[0] == found.a.size and not thinned_out(a, b, found.state[3]):
        _halve(found)
    if thinned_out(a, b, found.state[3]):
        return
    place = found.state[0]
    found.a[place], found.b[place], found.shared[place], found.smaller[place] = a, b, shared, smaller
    found.state[0] = place + 1


@compiled
def _note_texts(
    found: FoundPairs, classes: TextClasses, universe: Universe, text: int, other: int, shared: int
) -> None:
    smaller = classes.sizes[text]
    for one in range(classes.begins[text], classes.begins[text + 1]):
        first = classes.begins[other] if other != text else one + 1
        for two in range(first, classes.begins[other + 1]):
            _note(found, universe, signed(classes.members[one]), signed(classes.members[two]), shared, smaller)


@inlined
def _common_shared(index: SharedIndex, text: int, other: int) -> int:
    """Number of common triples that two texts share."""
    at, end = index.middles[text], index.ends[text]
    there, stop = index.middles[other], index.ends[other]
    shared = 0
    while at < end and there < stop:
        mine, theirs = index.terms[at], index.terms[there]
        shared += mine == theirs
        at += mine <= theirs
        there += theirs <= mine
    return shared


@compiled
def _walk(
    index: SharedIndex, classes: TextClasses, text: int, term: int, again: int, scratch: TextCounters, met: int
) -> int:
    """Count a triple for each larger text that has it; without ``again``, only for texts not counted before."""
    size, last = classes.sizes[text], classes.last[text]
    end = index.heads[term + 1]
    for place in range(first_not_below(index.texts, index.heads[term], end, classes.first[text]), end):
        other = signed(index.texts[place])
        if other >= last:
            break
        theirs = classes.sizes[other]
        if theirs > size or (theirs == size and other < text):
            unmet = signed(scratch.counts[other] == 0)
            scratch.touched[met] = other
            scratch.counts[other] += unmet | again
            met += unmet
    return met


@compiled
def _walk_rare(index: SharedIndex, classes: TextClasses, text: int, scratch: TextCounters) -> int:
    """Count the rare triples of a text for each larger text; return how many texts have one."""
    met, last = 0, index.middles[text] - 1
    for at in range(index.begins[text], index.middles[text]):
        # Each look-up would wait for memory twice.
        prefetch(index.heads, signed(index.terms[min(at + 2 * _AHEAD, last)]))
        prefetch(index.texts, index.heads[index.terms[min(at + _AHEAD, last)]])
        met = _walk(index, classes, text, signed(index.terms[at]), 1, scratch, met)
    return met


@compiled
def find_copies(
    index: SharedIndex,
    classes: TextClasses,
    universe: Universe,
    begin: int,
    end: int,
    scratch: TextCounters,
    found: FoundPairs,
) -> None:
    """Find the pairs whose smaller text is in ``begin`` .. ``end`` - 1 and that share three tenths of its triples.

    Args:
        index: triples that occur in two texts or more.
        classes: documents with equal triples.
        universe: which pairs are counted.
        begin: the first text.
        end: the text after the last.
        scratch: scratch arrays.
        found: receives the pairs.
    """
    for text in range(begin, end):
        size = classes.sizes[text]
        if size == 0:
            continue
        least = (3 * size + 9) // 10
        _note_texts(found, classes, universe, text, text, size)
        middle, stop = index.middles[text], index.ends[text]
        common = stop - middle
        if stop - index.begins[text] < least:
            continue
        met = _walk_rare(index, classes, text, scratch)
        rarely = met
        if common >= least:
            widths = np.empty(common, dtype=np.int64)
            for at in range(common):
                term = index.terms[middle + at]
                widths[at] = index.heads[term + 1] - index.heads[term]
            order = np.argsort(widths, kind="mergesort")
            for at in order[: common - least + 1]:
                met = _walk(index, classes, text, signed(index.terms[middle + at]), 0, scratch, met)
        for place in range(met):
            other = signed(scratch.touched[place])
            rare = signed(scratch.counts[other]) if place < rarely else 0
            scratch.counts[other] = 0
            theirs = index.ends[other] - index.middles[other]
            if rare + min(common, theirs) >= least:
                shared = rare + _common_shared(index, text, other)
                if shared >= least:
                    _note_texts(found, classes, universe, text, other, shared)
