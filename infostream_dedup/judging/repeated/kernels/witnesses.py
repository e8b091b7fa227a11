"""Counts in which documents fragments recur, and decides which are repeated lines.

Two documents are witnesses of a fragment if what else they say differs: a footer has many, a story that is printed
again has none, because its copies differ in footers only, and these are seen more often than the story.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from infostream_dedup.judging.evidence.kernels.words import mixed
from infostream_dedup.judging.repeated.kernels.fragments import CALL, STEMS
from infostream_dedup.machine.arrays import Int32s, Ints, Table, Uint8s, Uint16s, Uint64s
from infostream_dedup.machine.compiling import compiled, inlined, signed

__all__ = [
    "LEFT_OUT", "OWN", "WITNESSES", "LineCounts", "PastDocuments", "known_keys", "learn", "mark", "moved", "resume",
]  # fmt: skip

OWN: Final = 1
ALL: Final = 2
LEFT_OUT: Final = 4
"""Marks of a fragment in its document: a witness within its source, one over sources; a repeated line."""

WITNESSES: Final = 5
"""Most documents that are kept as witnesses of a fragment, and those needed over sources or without them."""
_OF_A_SOURCE: Final = 3

_PER_MILLE: Final = 20
_PER_MILLE_UNKNOWN: Final = 1
"""Least share of a source's documents since the first witness; of documents without a source."""
_DAYS: Final = 2
"""Days between the witnesses of a line that several sources have: an agency's text is printed within a day."""

_INNER: Final = 4  # least words of a repeated line between others that stay
_SHARED: Final = 60  # most words that two witnesses share, unless they have more words of their own
NOBODY: Final = np.uint64(0)  # the source of documents without one
_EVERYBODY = np.uint64(1)
_FREE = np.uint64(0)
_SPREAD = np.uint64(0x9E3779B97F4A7C15)
_20 = np.uint64(20)

SOURCE_KIND: Final = 1
_KIND_OWN: Final = 2
_KIND_UNKNOWN: Final = 3
_KIND_ALL: Final = 4


class LineCounts(NamedTuple):
    """Fragments of the past documents by source, and sources, in a hash table."""

    keys: Uint64s  # uint64 (power of two,), 0 if free; at most half full
    kinds: Uint8s  # uint8, of the same length, whether a source or a fragment, and of whom
    seen: Int32s  # int32, documents that have the fragment, or that the source has
    # int64 (keys, WITNESSES), ordinals of the witnesses, ascending, -1 for none; of a source, its first cell is the
    # number that its next document gets
    witnesses: Table[np.int64]
    used: Ints  # int64 (1,), number of keys


class PastDocuments(NamedTuple):
    """The last documents, in a ring: document i is in row i modulo the number of rows."""

    counts: Ints  # int64 (rows,), number of fragments
    hashes: Table[np.uint64]  # uint64 (rows, FRAGMENTS)
    words: Table[np.uint8]  # uint8, of the same shape
    marks: Table[np.uint8]  # uint8, of the same shape, `OWN`, `ALL` and `LEFT_OUT`
    stems: Table[np.uint16]  # uint16 (rows, FRAGMENTS * STEMS)
    sources: Uint64s  # uint64 (rows,), hash of the source
    days: Ints  # int64 (rows,), days since 1970, -1 without a date
    numbers: Ints  # int64 (rows,), number of the document in its source
    next: Ints  # int64 (1,), ordinal of the next document


@inlined
def key_of(fragment: np.uint64, source: np.uint64) -> np.uint64:
    """Key of a fragment among the documents of a source; never 0."""
    return mixed(fragment ^ mixed(source + _SPREAD)) | np.uint64(1)


@inlined
def _source_key(source: np.uint64) -> np.uint64:
    return mixed(source * _SPREAD + np.uint64(7)) | np.uint64(1)


@inlined
def _home(key: np.uint64, lines: LineCounts) -> np.int64:
    return np.int64(((key * _SPREAD) >> _20) & np.uint64(lines.keys.size - 1))


@inlined
def _place(key: np.uint64, lines: LineCounts) -> np.int64:
    """Place of a key, or the free place for it."""
    at = _home(key, lines)
    while lines.keys[at] != _FREE and lines.keys[at] != key:
        at = (at + 1) & (lines.keys.size - 1)
    return at


@inlined
def _entered(key: np.uint64, kind: int, lines: LineCounts) -> np.int64:
    """Place of a key, which is added if it is new."""
    at = _place(key, lines)
    if lines.keys[at] == _FREE:
        lines.keys[at], lines.kinds[at], lines.seen[at] = key, kind, 0
        for witness in range(WITNESSES):
            lines.witnesses[at, witness] = -1
        lines.used[0] += 1
    return at


@inlined
def _copy(lines: LineCounts, source: np.int64, target: np.int64) -> None:
    lines.keys[target], lines.kinds[target] = lines.keys[source], lines.kinds[source]
    lines.seen[target] = lines.seen[source]
    for witness in range(WITNESSES):
        lines.witnesses[target, witness] = lines.witnesses[source, witness]


def _remove(hole: np.int64, lines: LineCounts) -> None:
    """Remove the key at a place; move the keys that it had displaced back."""
    mask = lines.keys.size - 1
    at = (hole + 1) & mask
    while lines.keys[at] != _FREE:
        if ((at - _home(lines.keys[at], lines)) & mask) >= ((at - hole) & mask):
            _copy(lines, at, hole)
            hole = at
        at = (at + 1) & mask
    lines.keys[hole] = _FREE
    lines.used[0] -= 1


@compiled
def moved(old: LineCounts, new: LineCounts) -> None:
    """Fill an empty table with the keys of another one."""
    for at in range(old.keys.size):
        if old.keys[at] != _FREE:
            to = _entered(old.keys[at], signed(old.kinds[at]), new)
            new.seen[to] = old.seen[at]
            for witness in range(WITNESSES):
                new.witnesses[to, witness] = old.witnesses[at, witness]


@inlined
def _repeated(at: np.int64 | int, lines: LineCounts, past: PastDocuments) -> bool:
    """Whether the fragment at a place is a repeated line: enough witnesses, and often enough since the first."""
    kind = signed(lines.kinds[at])
    needed = _OF_A_SOURCE if kind == _KIND_OWN else WITNESSES
    if lines.keys[at] == _FREE or kind == SOURCE_KIND or lines.witnesses[at, needed - 1] < 0:
        return False
    rows = past.counts.size
    first = lines.witnesses[at, 0] % rows
    if kind == _KIND_ALL:
        since = past.next[0] - lines.witnesses[at, 0]
        least = most = past.days[first]
        for witness in range(WITNESSES):
            day = past.days[lines.witnesses[at, witness] % rows]
            least, most = min(least, day), max(most, day)
        if least < 0 or most - least < _DAYS:
            return False
    else:
        since = lines.witnesses[_place(_source_key(past.sources[first]), lines), 0] - past.numbers[first]
    share = _PER_MILLE_UNKNOWN if kind == _KIND_UNKNOWN else _PER_MILLE
    return bool(1000 * signed(lines.seen[at]) > share * since)


@inlined
def _repeats_earlier(past: PastDocuments, row: int, fragment: int) -> bool:
    """Whether a fragment occurs earlier in its document."""
    found = False
    for earlier in range(fragment):
        found |= past.hashes[row, earlier] == past.hashes[row, fragment]
    return found


@inlined
def _has(past: PastDocuments, row: int, fragment: np.uint64) -> bool:
    found = False
    for at in range(past.counts[row]):
        found |= past.hashes[row, at] == fragment
    return found


def _rest(
    past: PastDocuments, row: int, other: int, scope: np.uint64, seen: int, lines: LineCounts, rest: Uint16s
) -> tuple[int, int, int]:
    """Collect what a document says besides what it shares with another one and what is seen more often.

    Returns:
        Number of distinct beginnings of words in ``rest``, of words there, and of words shared.
    """
    size, words, shared = 0, 0, 0
    for fragment in range(past.counts[row]):
        if _has(past, other, past.hashes[row, fragment]):
            shared += past.words[row, fragment]
            continue
        if past.marks[row, fragment] & LEFT_OUT:
            continue
        at = _place(key_of(past.hashes[row, fragment], scope), lines)
        if lines.keys[at] != _FREE and lines.seen[at] > seen:
            continue
        words += past.words[row, fragment]
        for place in range(fragment * STEMS, fragment * STEMS + STEMS):
            stem = past.stems[row, place]
            known = stem == 0
            for earlier in range(size):
                known |= rest[earlier] == stem
            if not known:
                rest[size] = stem
                size += 1
    return size, words, shared


def _differ(
    past: PastDocuments, row: int, other: int, scope: np.uint64, seen: int, lines: LineCounts, rests: Table[np.uint16]
) -> bool:
    """Whether two documents that share a fragment say different things."""
    if scope == _EVERYBODY and past.sources[row] == past.sources[other]:
        return False
    mine, theirs = rests[0], rests[1]
    own, words, shared = _rest(past, row, other, scope, seen, lines, mine)
    others, other_words, _ = _rest(past, other, row, scope, seen, lines, theirs)
    if min(own, others) < 2 or shared > max(_SHARED, min(words, other_words)):
        return False
    common = 0
    for one in range(own):
        for two in range(others):
            common += mine[one] == theirs[two]
    return 4 * common <= min(own, others)


@inlined
def _witnessed(
    past: PastDocuments, row: int, at: np.int64, scope: np.uint64, lines: LineCounts, rests: Table[np.uint16]
) -> int:
    """Number of earlier witnesses, if the document is one more; otherwise -1."""
    count, rows = 0, past.counts.size
    while count < WITNESSES and lines.witnesses[at, count] >= 0:
        other = lines.witnesses[at, count] % rows
        if not _differ(past, row, other, scope, signed(lines.seen[at]), lines, rests):
            return -1
        count += 1
    return count if count < WITNESSES else -1


def _mark(past: PastDocuments, row: int, lines: LineCounts) -> None:
    """Mark the repeated lines of a document: at its ends all of them, inside those of some length."""
    count, source = past.counts[row], past.sources[row]
    for fragment in range(count):
        hashed = past.hashes[row, fragment]
        repeated = past.words[row, fragment] > 0 and (
            (past.marks[row, fragment] & CALL) > 0
            or _repeated(_place(key_of(hashed, source), lines), lines, past)
            or (source != NOBODY and _repeated(_place(key_of(hashed, _EVERYBODY), lines), lines, past))
        )
        past.marks[row, fragment] = LEFT_OUT if repeated else 0
    _keep_inner(past, row, count)


@inlined
def _keep_inner(past: PastDocuments, row: int, count: int) -> None:
    first, last = 0, count - 1
    while first < count and past.marks[row, first]:
        first += 1
    while last >= 0 and past.marks[row, last]:
        last -= 1
    for fragment in range(first, last):
        if past.words[row, fragment] < _INNER:
            past.marks[row, fragment] = 0


def _count(
    past: PastDocuments, row: int, scope: np.uint64, kind: int, lines: LineCounts, rests: Table[np.uint16]
) -> None:
    """Count the fragments of a document within a source, or over sources, and take it as a witness of each if it is."""
    bit = ALL if kind == _KIND_ALL else OWN
    for fragment in range(past.counts[row]):
        if past.words[row, fragment] == 0 or _repeats_earlier(past, row, fragment):
            continue
        at = _entered(key_of(past.hashes[row, fragment], scope), kind, lines)
        witness = _witnessed(past, row, at, scope, lines, rests)
        if witness >= 0:
            lines.witnesses[at, witness] = past.next[0]
            past.marks[row, fragment] |= bit
    for fragment in range(past.counts[row]):
        if past.words[row, fragment] > 0 and not _repeats_earlier(past, row, fragment):
            lines.seen[_place(key_of(past.hashes[row, fragment], scope), lines)] += 1


@inlined
def _add_to_source(past: PastDocuments, row: int, lines: LineCounts) -> None:
    at = _entered(_source_key(past.sources[row]), SOURCE_KIND, lines)
    past.numbers[row] = max(lines.witnesses[at, 0], 0)
    lines.witnesses[at, 0] = past.numbers[row] + 1
    lines.seen[at] += 1


@inlined
def _take_back_one(ordinal: int, key: np.uint64, lines: LineCounts, witness: bool) -> None:
    at = _place(key, lines)
    lines.seen[at] -= 1
    if lines.seen[at] == 0:
        _remove(at, lines)
    elif witness:
        kept = 0
        for place in range(WITNESSES):
            if lines.witnesses[at, place] != ordinal:
                lines.witnesses[at, kept] = lines.witnesses[at, place]
                kept += 1
        for place in range(kept, WITNESSES):
            lines.witnesses[at, place] = -1


def _take_back(past: PastDocuments, ordinal: int, lines: LineCounts, lost: Uint64s, keeps: Ints) -> None:
    """Subtract what a document has added; note the keys of repeated lines that it was a witness of."""
    row = ordinal % past.counts.size
    source = past.sources[row]
    for scope in range(2):
        whose = source if scope == 0 else _EVERYBODY
        if scope == 1 and source == NOBODY:
            break
        bit = OWN if scope == 0 else ALL
        for fragment in range(past.counts[row]):
            if past.words[row, fragment] == 0 or _repeats_earlier(past, row, fragment):
                continue
            key, witness = key_of(past.hashes[row, fragment], whose), (past.marks[row, fragment] & bit) > 0
            if lost.size and witness and _repeated(_place(key, lines), lines, past):
                lost[keeps[0]] = key
                keeps[0] += 1
            _take_back_one(ordinal, key, lines, witness)
    _take_back_one(ordinal, _source_key(source), lines, False)
    past.counts[row] = 0


@compiled
def learn(
    past: PastDocuments, given: PastDocuments, lines: LineCounts, rests: Table[np.uint16], lost: Uint64s, keeps: Ints
) -> None:
    """Mark the repeated lines of documents, each by those before it, and count them.

    Args:
        past: the last documents; those that the new ones replace are taken back.
        given: new documents in their order; ``marks`` has ``CALL`` and is written, ``numbers`` and ``next`` are unused.
        lines: the counts; at most half full after the documents.
        rests: uint16 (2, FRAGMENTS * STEMS), scratch memory.
        lost: uint64, receives the keys of lines that were repeated when a witness of theirs was taken back; room for
            two keys a fragment, or empty if nobody asks.
        keeps: int64 (1,), number of these keys.
    """
    rows = past.counts.size
    for document in range(given.counts.size):
        ordinal = past.next[0]
        row = ordinal % rows
        if past.counts[row] > 0:
            _take_back(past, ordinal - rows, lines, lost, keeps)
        _enter(past, row, given, document)
        if past.counts[row] > 0:
            _mark(past, row, lines)
            source = past.sources[row]
            _count(past, row, source, _KIND_UNKNOWN if source == NOBODY else _KIND_OWN, lines, rests)
            if source != NOBODY:
                _count(past, row, _EVERYBODY, _KIND_ALL, lines, rests)
            _add_to_source(past, row, lines)
            for fragment in range(past.counts[row]):
                given.marks[document, fragment] = past.marks[row, fragment]
        past.next[0] += 1


@inlined
def _enter(past: PastDocuments, row: int, given: PastDocuments, document: int) -> None:
    past.counts[row], past.sources[row] = given.counts[document], given.sources[document]
    past.days[row] = given.days[document]
    for fragment in range(given.counts[document]):
        past.hashes[row, fragment] = given.hashes[document, fragment]
        past.words[row, fragment] = given.words[document, fragment]
        past.marks[row, fragment] = signed(given.marks[document, fragment]) & CALL
    for place in range(given.counts[document] * STEMS):
        past.stems[row, place] = given.stems[document, place]


@compiled
def resume(
    past: PastDocuments, given: PastDocuments, ordinals: Ints, lines: LineCounts, lost: Uint64s, keeps: Ints
) -> None:
    """Take in documents that were learned from before, with their marks; arguments as in ``learn``.

    Args:
        ordinals: int64 (documents,), ascending, no two more than a ring apart.
    """
    rows = past.counts.size
    for document in range(ordinals.size):
        ordinal, row = ordinals[document], ordinals[document] % rows
        if past.counts[row] > 0:
            _take_back(past, ordinal - rows, lines, lost, keeps)
        _enter(past, row, given, document)
        if past.counts[row] == 0:
            continue
        source = past.sources[row]
        for scope in range(2):
            if scope == 1 and source == NOBODY:
                break
            whose, kind = source if scope == 0 else _EVERYBODY, _KIND_ALL if scope else _KIND_OWN
            if source == NOBODY:
                kind = _KIND_UNKNOWN
            for fragment in range(past.counts[row]):
                past.marks[row, fragment] = given.marks[document, fragment]
                if past.words[row, fragment] == 0 or _repeats_earlier(past, row, fragment):
                    continue
                at = _entered(key_of(past.hashes[row, fragment], whose), kind, lines)
                lines.seen[at] += 1
                if given.marks[document, fragment] & (ALL if scope else OWN):
                    place = 0
                    while lines.witnesses[at, place] >= 0:
                        place += 1
                    lines.witnesses[at, place] = ordinal
        _add_to_source(past, row, lines)


@compiled
def known_keys(past: PastDocuments, lines: LineCounts, found: Uint64s) -> int:
    """Write the keys of all lines that are repeated now; return their number."""
    size = 0
    for at in range(lines.keys.size):
        if _repeated(at, lines, past):
            found[size] = lines.keys[at]
            size += 1
    return size


@compiled
def mark(given: PastDocuments, known: Uint64s) -> None:
    """Mark the fragments of documents whose keys are known, by the rule of ``learn``; ``marks`` has ``CALL``."""
    for document in range(given.counts.size):
        count, source = given.counts[document], given.sources[document]
        for fragment in range(count):
            hashed = given.hashes[document, fragment]
            repeated = given.words[document, fragment] > 0 and (
                (given.marks[document, fragment] & CALL) > 0
                or _listed(key_of(hashed, source), known)
                or (source != NOBODY and _listed(key_of(hashed, _EVERYBODY), known))
            )
            given.marks[document, fragment] = LEFT_OUT if repeated else 0
        _keep_inner(given, document, count)


@inlined
def _listed(key: np.uint64, known: Uint64s) -> bool:
    place = np.searchsorted(known, key)
    return bool(place < known.size and known[place] == key)
