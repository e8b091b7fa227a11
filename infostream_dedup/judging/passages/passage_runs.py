"""Runs of common words that make sentences of two documents into one passage."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.judging.features.words import hash_sequences, hash_words
from infostream_dedup.judging.passages import kernels
from infostream_dedup.judging.passages.sentence_table import SentenceTable
from infostream_dedup.judging.passages.settings import PassageSettings
from infostream_dedup.machine.arrays import Bools, Int32s, Ints, Ragged, Uint64s, offsets_of

# Classes of sentences with equal bags, and classes that resemble each other.
#
# A sentence that a thousand documents repeat is compared only once. Bags are compared by the multiset Jaccard, sum of
# the smaller over sum of the larger frequencies (Yu et al., section 4; Theobald et al., SIGIR 2008).

MOST_ALIKE: Final = 1000
"""A sentence that resembles more other sentences is made from a template, such as a daily rate: it has equal copies
only. Otherwise, 20,000 sentences from one template in a collection would make 200,000,000 pairs."""


@dataclass(frozen=True, slots=True, eq=False)
class BagIndex:
    """Bags prepared for comparison."""

    class_of: Int32s  # int32 (sentences,), -1 for an empty bag. Classes are in order of size
    bags: Ragged  # int32 ranks of the elements of each class, the rarest first
    elements: int  # number of distinct elements
    lonely: int  # number of elements that occur once; they have the lowest ranks
    postings: int  # distinct elements summed over all sentences, the length of the inverted lists in the paper


@dataclass(frozen=True, slots=True, eq=False)
class SentenceClasses:
    """Sentences that are copies of each other."""

    class_of: Int32s  # int32 (sentences,), -1 for a sentence without copies
    members: Ragged  # int64, sentences of each class, ascending
    alike: Ragged  # int32, other classes that resemble each class, ascending; none if they are more than `MOST_ALIKE`

    def pairs(self) -> Ints:
        """Return all pairs of copies: int64 (pairs, 2), each ascending, in order. For tests and reports."""
        found = [np.zeros((0, 2), dtype=np.int64)]
        for number in range(len(self.members)):
            own = self.members.row(number)
            first, second = np.triu_indices(len(own), 1)
            found.append(np.stack((own[first], own[second]), axis=1))
            for other in self.alike.row(number).tolist():
                if other > number:
                    theirs = self.members.row(other)
                    found.append(np.stack((np.repeat(own, len(theirs)), np.tile(theirs, len(own))), axis=1))
        pairs = np.sort(np.concatenate(found), axis=1)
        return np.asarray(pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))], dtype=np.int64)


def index_bags(bags: Ragged) -> BagIndex:
    """Sort the elements of each bag, and number classes of equal bags."""
    elements, place, df = np.unique(bags.values, return_inverse=True, return_counts=True)
    rank = np.empty(len(elements), dtype=np.int32)
    rank[np.argsort(df, kind="stable")] = np.arange(len(elements), dtype=np.int32)
    ranks = rank[place]
    hashes = np.empty(len(bags), dtype=np.uint64)
    kernels.sort_rows(bags.indptr, ranks, hashes)
    new = np.ones(len(ranks), dtype=np.bool_)
    new[1:] = ranks[1:] != ranks[:-1]
    new[bags.indptr[:-1][bags.sizes > 0]] = True
    class_of, first = _classes(hashes, bags.sizes)
    return BagIndex(
        class_of, Ragged(bags.indptr, ranks).rows(first), len(elements), int((df == 1).sum()), int(new.sum())
    )


def matched(index: BagIndex, tau: float) -> SentenceClasses:
    """Compare the classes of an index."""
    if not 0 < tau <= 1:
        raise ConfigurationError(f"tau is {tau}, expected a number above 0 to 1")
    classes = len(index.bags)
    pairs = _alike(index, float(tau))
    one, other = np.concatenate((pairs, pairs[:, ::-1])).T
    alike = Ragged(_bounds(one, classes), other[np.lexsort((other, one))])
    kept = np.flatnonzero(index.class_of >= 0)
    members = kept[np.argsort(index.class_of[kept], kind="stable")]
    return SentenceClasses(index.class_of, Ragged(_bounds(index.class_of[kept], classes), members), alike)


def _alike(index: BagIndex, tau: float) -> Int32s:
    """Pairs of different classes that match: int32 (pairs, 2), the smaller number first."""
    rows = len(index.bags)
    bags = kernels.SortedBags(index.bags.indptr, index.bags.values, index.lonely, tau, MOST_ALIKE)
    starts = np.zeros(index.elements - index.lonely + 1, np.int64)
    kernels.list_starts(bags, starts)
    holders, places = np.empty(starts[-1], np.int32), np.empty(starts[-1], np.int32)
    unasked, counts = np.full(rows, -1, np.int32), np.zeros(rows, np.int32)
    lists = kernels.InvertedLists(starts[:-1].copy(), starts[:-1].copy(), holders, places, unasked, counts)
    pairs, used = np.empty((2 * MOST_ALIKE, 2), np.int32), np.zeros(1, np.int64)
    row = 0
    while (row := kernels.find_pairs(row, bags, lists, pairs, used)) < rows:
        pairs = np.concatenate((pairs, np.empty_like(pairs)))
    pairs = pairs[: used[0]]
    return pairs[(counts[pairs] <= MOST_ALIKE).all(axis=1)]


def _bounds(numbers: Int32s, rows: int) -> Ints:
    return offsets_of(np.bincount(numbers, minlength=rows))


def _classes(hashes: Uint64s, sizes: Ints) -> tuple[Int32s, Ints]:
    """Return the class of each row, in order of size and first row, and the first row of each class."""
    filled = np.flatnonzero(sizes > 0)
    _, first, place = np.unique(hashes[filled], return_index=True, return_inverse=True)
    first = filled[first]
    order = np.lexsort((first, sizes[first]))
    number = np.empty(len(order), dtype=np.int32)
    number[order] = np.arange(len(order), dtype=np.int32)
    class_of = np.full(len(sizes), -1, dtype=np.int32)
    class_of[filled] = number[place]
    return class_of, first[order]


OCCURRENCES: Final = 8
"""Maximum number of occurrences of the same words in one document that are considered, even in 10,000 equal lines."""

_AT_ONCE: Final = 4_000_000
_BLOCK: Final = 32


def shared_runs(sentences: SentenceTable, least: int, without: Bools | None = None) -> Ints:
    """Find the runs of equal words that any two documents share.

    without: bool (sentences,), sentences that must not match.

    Example:
        >>> from infostream_dedup.judging.passages.sentence_table import read_sentences
        >>> table = read_sentences(["Вчера мэр города открыл мост.", "Мэр. Города открыл новый мост."])
        >>> shared_runs(table, 3).tolist()
        [[1, 5, 3]]
    """
    values = sentences.words.rows.values.astype(np.int64)
    bounds = sentences.words.rows.indptr[sentences.first]
    document_of = np.repeat(np.arange(len(bounds) - 1, dtype=np.int32), np.diff(bounds))
    if without is not None:
        # Every such word is equal to no other.
        left_out = np.flatnonzero(np.repeat(without, sentences.lengths))
        values[left_out] = -1 - left_out
    starts = _starts(values, bounds, document_of, least)
    hashes = _fingerprints(sentences, values, starts, least)
    places, groups = _repeated(starts, hashes, document_of)
    before = np.where(places > bounds[document_of[places]], values[places - 1], -1 - len(values) - places)
    found = [np.zeros((0, 3), dtype=np.int64)]
    for one, other in _beginnings(places, groups, before):
        p, q = np.minimum(one, other), np.maximum(one, other)
        apart = document_of[p] != document_of[q]
        p, q = p[apart], q[apart]
        sizes = _sizes(values, p, q, bounds[document_of[p] + 1], bounds[document_of[q] + 1])
        kept = sizes >= least
        found.append(np.stack((p[kept], q[kept], sizes[kept]), axis=1))
    runs = np.concatenate(found)
    return np.asarray(runs[np.lexsort((runs[:, 1], runs[:, 0]))], dtype=np.int64)


def _starts(values: Ints, bounds: Ints, document_of: Int32s, least: int) -> Ints:
    """Return the places from which ``least`` words of one document can match."""
    places = np.arange(len(values), dtype=np.int64)
    unmatched = offsets_of(values < 0)
    places = places[places + least <= bounds[document_of + 1]]
    return np.asarray(places[unmatched[places + least] == unmatched[places]], dtype=np.int64)


def _fingerprints(sentences: SentenceTable, values: Ints, starts: Ints, least: int) -> Uint64s:
    hashes = hash_words(sentences.words.vocabulary)
    if not len(starts):
        return np.zeros(0, dtype=np.uint64)
    return hash_sequences([hashes[values[starts + step]] for step in range(least)])


def _repeated(starts: Ints, hashes: Uint64s, document_of: Int32s) -> tuple[Ints, Ints]:
    """Places whose fingerprint several documents have, by it and numbered; of one document, ``OCCURRENCES``."""
    order = np.argsort(hashes, kind="stable")
    ordered = hashes[order]
    equal = ordered[1:] == ordered[:-1]
    kept = np.concatenate((equal, [False])) | np.concatenate(([False], equal)) if len(ordered) else equal
    places, ordered = starts[order[kept]], ordered[kept]
    documents = document_of[places]
    new_group = np.concatenate(([True], ordered[1:] != ordered[:-1])) if len(ordered) else np.zeros(0, dtype=np.bool_)
    groups = np.cumsum(new_group) - 1
    new_document = new_group.copy()
    new_document[1:] |= documents[1:] != documents[:-1]
    several = np.bincount(groups, weights=new_document, minlength=1)[groups] > 1
    heads = np.flatnonzero(new_document)
    occurrence = np.arange(len(places)) - heads[np.cumsum(new_document) - 1] if len(heads) else groups
    kept = several & (occurrence < OCCURRENCES)
    return places[kept], groups[kept]


def _beginnings(places: Ints, groups: Ints, before: Ints) -> Iterator[tuple[Ints, Ints]]:
    """Yield the pairs of places in one group that differ in the word before, a part at a time."""
    order = np.lexsort((places, before, groups))
    places, groups, before = places[order], groups[order], before[order]
    if not len(places):
        return
    new_group = np.concatenate((groups[1:] != groups[:-1], [True]))
    new_word = new_group | np.concatenate((before[1:] != before[:-1], [True]))
    numbers = np.arange(len(places), dtype=np.int64)
    # Partners of a place: from the next word before to the end of the group.
    group_end, word_end = _next_end(numbers, new_group), _next_end(numbers, new_word)
    counts = group_end - word_end
    totals = np.cumsum(counts)
    begin = 0
    while begin < len(places):
        done = int(totals[begin - 1]) if begin else 0
        end = max(int(np.searchsorted(totals, done + _AT_ONCE)), begin + 1)
        sizes = counts[begin:end]
        first = np.repeat(numbers[begin:end], sizes)
        offset = np.arange(len(first)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        yield places[first], places[np.repeat(word_end[begin:end], sizes) + offset]
        begin = end


def _next_end(numbers: Ints, last: Bools) -> Ints:
    """Return, for each entry, the end (exclusive) of its stretch; ``last`` marks the last entry of each stretch."""
    ends = np.flatnonzero(last)
    return np.asarray(ends[np.searchsorted(ends, numbers)] + 1, dtype=np.int64)


def _sizes(values: Ints, p: Ints, q: Ints, p_end: Ints, q_end: Ints) -> Ints:
    room = np.minimum(p_end - p, q_end - q)
    sizes = np.zeros(len(p), dtype=np.int64)
    open_ones = np.flatnonzero(room > 0)
    steps = np.arange(_BLOCK, dtype=np.int64)
    last = len(values) - 1
    while len(open_ones):
        done = sizes[open_ones]
        left = np.minimum((p[open_ones] + done)[:, None] + steps, last)
        right = np.minimum((q[open_ones] + done)[:, None] + steps, last)
        equal = (values[left] == values[right]) & (done[:, None] + steps < room[open_ones][:, None])
        met = np.where(equal.all(axis=1), _BLOCK, equal.argmin(axis=1))
        sizes[open_ones] += met
        open_ones = open_ones[met == _BLOCK]
    return sizes


NEAR: Final = 32
"""If documents repeat a sentence, the i-th occurrence in one matches the j-th in the other only if i and j differ by at
most this: 10,000 equal lines in two documents would make 100,000,000 points."""

REPEATS: Final = 1000  # later occurrences of a sentence in one document match nothing
_ROOM: Final = 1024  # rows for which there is room at first


class Chains(NamedTuple):
    """Chains of all pairs of documents, by later document, earlier document, heaviest first."""

    # int64 (chains, 8): document a, document b, first and last sentence in a, first and last in b, sentence pairs,
    # words. Document a is the one with the smaller number
    rows: Ints
    matches: Ints  # int64 (pairs, 2), sentences of a and b, chain by chain, each in text order


def find_chains(sentences: SentenceTable, classes: SentenceClasses, settings: PassageSettings) -> Chains:
    """Chain matching sentences of every two documents."""
    limits = (settings.gap, settings.min_sentences, settings.min_words, NEAR, REPEATS)
    members, alike = classes.members, classes.alike
    matching = kernels.Classes(members.indptr, members.values, alike.indptr, alike.values)
    documents = sentences.documents.astype(np.int32)
    given = kernels.Sentences(sentences.first, documents, sentences.lengths, classes.class_of)
    times_seen, taken = np.zeros(len(members), np.int32), np.zeros(len(documents), np.bool_)
    rows, matches = np.empty((_ROOM, len(kernels.COLUMNS)), np.int64), np.empty((_ROOM, 2), np.int64)
    scratch = _scratch(_ROOM, times_seen, taken)
    used = np.zeros(5, np.int64)
    document = 0
    find = kernels.find_passages
    while (document := find(given, matching, limits, scratch, document, rows, matches, used)) < len(given.first) - 1:
        if used[2] > len(scratch.points):
            scratch = _scratch(2 * int(used[2]), times_seen, taken)
        rows, matches = _with_room(rows, int(used[3])), _with_room(matches, int(used[4]))
    return Chains(rows[: used[0]], matches[: used[1]])


def _scratch(room: int, times_seen: Int32s, taken: Bools) -> kernels.ChainScratch:
    points, p, q, weights, scores, previous, starts = (np.empty(room, np.int64) for _ in range(7))
    return kernels.ChainScratch(
        points, p, q, weights, np.empty(room, np.bool_), scores, previous, starts, times_seen, taken
    )


def _with_room(table: Ints, wanted: int) -> Ints:
    if wanted <= len(table):
        return table
    larger = np.empty((2 * wanted, table.shape[1]), np.int64)
    larger[: len(table)] = table
    return larger


_Part = tuple[int, int, int, int]  # passage, first word in a, first word in b, number of words


@dataclass(frozen=True, slots=True, eq=False)
class JoinedPassages:
    """Passages of sentences and runs, in no particular order; document a has the smaller number."""

    # int64 (passages, 8): documents a and b, start and end in a, start and end in b (code points), sentence pairs,
    # words
    rows: Ints
    match_counts: Ints  # int64 (passages,), sentence pairs of each
    matches: Ints  # int64 (pairs, 2), sentences of a and b, passage by passage
    run_counts: Ints  # int64 (passages,), runs of each
    runs: Ints  # int64 (runs, 3): first word in a, first word in b, number of words, passage by passage


def join_runs(
    sentences: SentenceTable, chains: Chains, settings: PassageSettings, without: Bools | None = None
) -> JoinedPassages:
    """Add the runs of words that two documents share to the chains of sentences."""
    parts: list[_Part] = []
    documents = chains.rows[:, :2]
    if settings.min_run:
        runs = _open_runs(sentences, chains, shared_runs(sentences, settings.min_run, without))
        parts, new = _parts(sentences, chains, runs, settings)
        documents = np.concatenate((documents, np.array(new, dtype=np.int64).reshape(-1, 2)))
    rows = np.zeros((len(documents), 8), dtype=np.int64)
    rows[:, :2] = documents
    rows[:, 2] = rows[:, 4] = np.iinfo(np.int64).max
    old = len(chains.rows)
    rows[:old, 2], rows[:old, 3] = sentences.starts[chains.rows[:, 2]], sentences.ends[chains.rows[:, 3]]
    rows[:old, 4], rows[:old, 5] = sentences.starts[chains.rows[:, 4]], sentences.ends[chains.rows[:, 5]]
    rows[:old, 6:] = chains.rows[:, 6:]
    found = np.array(sorted(parts), dtype=np.int64).reshape(-1, 4)
    number, sizes = found[:, 0], found[:, 3]
    for column, side in ((2, 1), (4, 2)):
        np.minimum.at(rows[:, column], number, sentences.begins(found[:, side]))
        np.maximum.at(rows[:, column + 1], number, sentences.finishes(found[:, side] + sizes))
    np.add.at(rows[:, 7], number, sizes)
    counts = np.bincount(number, minlength=len(rows)).astype(np.int64)
    return JoinedPassages(rows, rows[:, 6].copy(), chains.matches.copy(), counts, found[:, 1:].copy())


def _open_runs(sentences: SentenceTable, chains: Chains, runs: Ints) -> Ints:
    """Runs that contain, in both documents, words outside every matching sentence; with both ordinals."""
    indptr, number = sentences.words.rows.indptr, len(sentences)
    documents = sentences.documents
    first = np.searchsorted(indptr, runs[:, :2], side="right") - 1
    last = np.searchsorted(indptr, runs[:, :2] + runs[:, 2:] - 1, side="right") - 1
    both = documents[first]
    codes = both[:, 0] * max(len(sentences.first), 1) + both[:, 1]
    chain_codes = chains.rows[:, 0] * max(len(sentences.first), 1) + chains.rows[:, 1]
    pairs = np.unique(np.concatenate((codes, chain_codes)))
    pair = np.searchsorted(pairs, codes) * number
    pair_of_match = np.repeat(np.searchsorted(pairs, chain_codes) * number, chains.rows[:, 6])
    is_open = np.ones(len(runs), dtype=np.bool_)
    for side in range(2):
        known = np.sort(pair_of_match + chains.matches[:, side])
        met = np.searchsorted(known, pair + last[:, side], side="right") - np.searchsorted(known, pair + first[:, side])
        is_open &= met < last[:, side] - first[:, side] + 1
    found = np.concatenate((both, runs), axis=1)[is_open]
    return found[np.lexsort((found[:, 3], found[:, 2], -found[:, 4], found[:, 1], found[:, 0]))]


def _parts(
    sentences: SentenceTable, chains: Chains, runs: Ints, settings: PassageSettings
) -> tuple[list[_Part], list[tuple[int, int]]]:
    parts: list[_Part] = []
    new: list[tuple[int, int]] = []
    chain_place = np.lexsort((chains.rows[:, 1], chains.rows[:, 0]))
    ordered = chains.rows[chain_place, 0] * len(sentences.first) + chains.rows[chain_place, 1]
    first_match = offsets_of(chains.rows[:, 6])
    codes = runs[:, 0] * len(sentences.first) + runs[:, 1]
    bounds = np.concatenate((np.flatnonzero(np.diff(codes, prepend=-1)), [len(codes)])) if len(codes) else codes
    for begin, end in pairwise(bounds.tolist()):
        own = slice(*np.searchsorted(ordered, [codes[begin], codes[begin] + 1]).tolist())
        owners = _Owners(sentences, *runs[begin, :2].tolist())
        for number in chain_place[own].tolist():
            owners.add_sentences(number, chains.matches[first_match[number] : first_match[number + 1]])
        for p, q, size in runs[begin:end, 2:].tolist():
            number, free = owners.give(p, q, size)
            if number < 0:
                words = sum(close - start for start, close in free)
                if words < max(settings.min_run, settings.min_words) or settings.min_sentences > 1:
                    continue
                number = len(chains.rows) + len(new)
                new.append((owners.a, owners.b))
            owners.take(p, q, number, free)
            parts += [(number, p + start, q + start, close - start) for start, close in free]
    return parts, new


class _Owners:
    """The passage of each word of two documents, ``a`` and ``b``."""

    def __init__(self, sentences: SentenceTable, a: int, b: int) -> None:
        self.a, self.b = a, b
        self._indptr = sentences.words.rows.indptr
        bounds = [self._indptr[sentences.first[[document, document + 1]]].tolist() for document in (a, b)]
        self._first = (bounds[0][0], bounds[1][0])
        self._of = tuple(np.full(end - start, -1, dtype=np.int64) for start, end in bounds)

    def add_sentences(self, number: int, matches: Ints) -> None:
        """Give matching sentences to a passage."""
        for side in range(2):
            for sentence in matches[:, side].tolist():
                start, end = self._indptr[sentence : sentence + 2].tolist()
                self._of[side][start - self._first[side] : end - self._first[side]] = number

    def give(self, p: int, q: int, size: int) -> tuple[int, list[tuple[int, int]]]:
        """Find the passage that a run meets on both sides (-1: none), and the stretches of it that are free."""
        left, right = self._views(p, q, size)
        free = (left < 0) & (right < 0)
        edges = np.flatnonzero(np.diff(free.astype(np.int8), prepend=0, append=0))
        met = left[(left >= 0) & (left == right)]
        number = int(np.bincount(met - met.min()).argmax() + met.min()) if len(met) else -1
        return number, list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))

    def take(self, p: int, q: int, number: int, stretches: list[tuple[int, int]]) -> None:
        """Give stretches of a run to a passage."""
        for start, end in stretches:
            for view in self._views(p + start, q + start, end - start):
                view[:] = number

    def _views(self, p: int, q: int, size: int) -> tuple[Ints, Ints]:
        first, other = p - self._first[0], q - self._first[1]
        return self._of[0][first : first + size], self._of[1][other : other + size]
