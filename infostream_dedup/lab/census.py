"""Count the copies of a collection without labels: pairs of documents that share much of their wording."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from infostream_dedup.judging.evidence.collecting import DocumentEvidence
from infostream_dedup.judging.evidence.facts import DAY, HOUR, NEWS_HOURS, DocumentFacts
from infostream_dedup.judging.evidence.kernels.packing import TITLE_AT
from infostream_dedup.judging.evidence.kernels.triples import TripleRange
from infostream_dedup.judging.evidence.pair_evidence import TripleRanges, TripleRows, fill_in_wording
from infostream_dedup.judging.evidence.records import EvidenceRecords
from infostream_dedup.lab import kernels
from infostream_dedup.lab.kernels import TextClasses, Universe
from infostream_dedup.machine import arrays
from infostream_dedup.machine.arrays import Bools, Floats, Int32s, Ints, Uint8s, Uint64s
from infostream_dedup.machine.progress import Progress
from infostream_dedup.machine.threads import thread_count
from infostream_dedup.model import NO_TIME, Document

LEAST_TOKENS: Final = 20
"""Minimum length of counted texts, in words: shorter ones would be copies after five equal words."""

DATED_SHARE: Final = 0.9  # minimum share of dated documents for counting only pairs near in time
WINDOW_DAYS: Final = 7
ALL_PAIRS: Final = -1  # stands in for the window of a universe that has none


@dataclass(frozen=True, slots=True)
class CountedPairs:
    """The pairs that are counted, and the documents left out."""

    universe: Universe  # the universe as compiled code takes it
    short: int  # number of documents with fewer than `LEAST_TOKENS` words
    undated: int  # number of longer documents without a date, left out if `windowed`

    @property
    def windowed(self) -> bool:
        """Whether only pairs at most ``WINDOW_DAYS`` apart are counted, and series separately."""
        return self.universe.window != ALL_PAIRS

    @property
    def documents(self) -> int:
        """Number of documents that are counted."""
        return int(self.universe.counted.sum())

    def as_dict(self) -> dict[str, Any]:
        """The universe as part of a result."""
        window = WINDOW_DAYS if self.windowed else None
        return {"documents": self.documents, "days": window, "short": self.short, "undated": self.undated}


def counted_pairs(facts: DocumentFacts, records: EvidenceRecords) -> CountedPairs:
    """Choose the pairs that are counted.

    If at least ``DATED_SHARE`` of the documents have dates, these are pairs of dated documents at most ``WINDOW_DAYS``
    apart, and pairs that one source printed on different days, not under one title, are series. Otherwise, all pairs
    are counted and there are no series.
    """
    at, dated = records.begins[:-1], facts.times != NO_TIME
    long_enough = records.words[at].astype(np.int64) >= LEAST_TOKENS
    short = int(len(at) - long_enough.sum())
    none = np.zeros(len(at), dtype=np.int64)
    if len(at) == 0 or dated.mean() < DATED_SHARE:
        return CountedPairs(Universe(long_enough, ALL_PAIRS, none, none, none - 1, none), short, 0)
    times = np.where(dated, facts.times, 0)
    universe = Universe(
        counted=long_enough & dated,
        window=WINDOW_DAYS * DAY,
        times=times,
        days=times // DAY,
        sources=facts.sources,
        titles=records.words[at + TITLE_AT].astype(np.int64),
    )
    return CountedPairs(universe, short, int((long_enough & ~dated).sum()))


def in_universe(universe: Universe, a: Ints, b: Ints) -> tuple[Bools, Bools]:
    """Bool (pairs,) twice: whether pairs are in the universe, and whether they are series."""
    inside = universe.counted[a] & universe.counted[b]
    if universe.window >= 0:
        inside &= np.abs(universe.times[a] - universe.times[b]) <= universe.window
    title, same = universe.titles[a], (universe.sources[a] == universe.sources[b]) & (universe.sources[a] >= 0)
    series = same & (universe.days[a] != universe.days[b]) & ((title == 0) | (title != universe.titles[b]))
    return inside, series & inside


_PAIRS_AT_ONCE: Final = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedWording:
    """The word triples that occur in at least two texts."""

    numbers: Int32s  # int32, numbers of the triples of each text
    # int64 (documents + 1,), bounds of each document in `numbers`; only those of texts are not empty
    begins: Ints
    texts: Ints  # int64 (documents,), the document that stands for the text of each document
    # int64 (documents + 1,), bounds of each document in the word triples that the numbers were made of
    bounds: Ints
    terms: int  # number of distinct shared triples

    def fill_in(self, a: Ints, b: Ints, evidence: Floats) -> None:
        """Fill in wording, the last two columns of the pairs' evidence, as ``fill_in_wording`` does from all."""
        for begin in range(0, len(a), _PAIRS_AT_ONCE):
            some = slice(begin, begin + _PAIRS_AT_ONCE)
            documents, (one, other) = arrays.numbered_ends(a[some], b[some])
            fill_in_wording(one, other, self._rows(documents), evidence[some])

    def _rows(self, documents: Ints) -> TripleRows:
        """Rows that share as many triples as the documents do; values that stand for dropped triples are in one row."""
        sizes = self.bounds[documents + 1] - self.bounds[documents]
        texts = self.texts[documents]
        bounds = arrays.offsets_of(sizes)
        rows = np.empty(int(bounds[-1]), dtype=np.uint64)
        kernels.write_rows(self.numbers, self.begins[texts], self.begins[texts + 1], self.bounds[texts], bounds, rows)
        return TripleRows(rows, bounds)


def shared_wording(triples: TripleRanges, texts: Ints) -> SharedWording:
    """Number the triples that occur in at least two texts."""
    bounds, chosen = arrays.offsets_of(triples.sizes()), texts == np.arange(len(texts))

    def number(given: TripleRange) -> _Range:
        # Triples that are in their parts are no longer needed where they were read.
        numbers, kept = given.triples.view(np.int32)[: len(given.triples)], np.empty(len(texts), dtype=np.int32)
        terms, size = kernels.number_range(given, chosen, numbers, kept)
        return _Range(numbers[:size].copy(), kept.astype(np.min_scalar_type(kept.max(initial=0))), terms)

    ranges = triples.map(number)
    triples.close()
    begins = arrays.offsets_of(sum((one.kept for one in ranges), start=np.zeros(len(texts), dtype=np.int64)))
    arranged, ends, terms = np.empty(int(begins[-1]), dtype=np.int32), begins[:-1].copy(), 0
    while ranges:
        one = ranges.pop(0)
        kernels.arrange_range(one.numbers, one.kept.astype(np.int32), terms, ends, arranged)
        terms += one.terms
    return SharedWording(numbers=arranged, begins=begins, texts=texts, bounds=bounds, terms=terms)


class _Range(NamedTuple):
    """Shared triples of a range: their numbers, how many each document has, and how many are different."""

    numbers: Int32s
    kept: NDArray[Any]
    terms: int


_ALL_BITS: Final = 0xFFFFFFFFFFFFFFFF


class DrawnPairs:
    """Keeps the pairs with the smallest hashes, in whatever order pairs are added."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept = np.zeros((3, 0), dtype=np.uint64)
        self.total = 0

    def add(self, a: Ints, b: Ints) -> None:
        """Add pairs, each at most once."""
        self.total += len(a)
        hashes = hash_of_pairs(a, b)
        if self._kept.shape[1] == self._most > 0:
            # The kept pairs are in the order of their hashes.
            small = hashes <= self._kept[0, -1]
            a, b, hashes = a[small], b[small], hashes[small]
        new = np.stack([hashes, a.astype(np.uint64), b.astype(np.uint64)])
        both = np.concatenate([self._kept, new], axis=1)
        if both.shape[1] >= self._most:
            both = both[:, np.lexsort((both[2], both[1], both[0]))[: self._most]]
        self._kept = both

    def pairs(self) -> tuple[Ints, Ints]:
        """Ordinals of the pairs, sorted by the later document."""
        _, a, b = self._kept.astype(np.int64)
        order = np.lexsort((a, b))
        return a[order], b[order]


def hash_of_pairs(a: NDArray[np.signedinteger], b: NDArray[np.signedinteger], *, seed: int = 0) -> Uint64s:
    """Uint64 (pairs,), evenly distributed; depends only on the two ordinals and the seed."""
    state = a.astype(np.uint64) << np.uint64(32) | b.astype(np.uint64)
    state ^= np.uint64(seed * arrays.GOLDEN & _ALL_BITS)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        state = (state ^ (state >> np.uint64(shift))) * np.uint64(factor)
    return state ^ (state >> np.uint64(31))


def are_kept(a: NDArray[np.signedinteger], b: NDArray[np.signedinteger], halvings: int) -> Bools:
    """Whether pairs remain after a number of halvings: bool (pairs,)."""
    hashes = hash_of_pairs(a, b)
    return hashes >> np.uint64(64 - halvings) == 0 if halvings else np.ones(len(hashes), dtype=np.bool_)


def thinned(
    a: NDArray[np.signedinteger], b: NDArray[np.signedinteger], *, halvings: int, most: int
) -> tuple[Ints, int]:
    """Halve pairs by their hashes until there are at most ``most``, as if one thread had found all of them."""
    while True:
        kept = are_kept(a, b, halvings)
        if np.count_nonzero(kept) <= most:
            return np.flatnonzero(kept), halvings
        halvings += 1


COPY_WORDING: Final = 0.3  # minimum share of the smaller text's word triples that the larger one also has

MOST_COPIES: Final = 20_000_000
"""Maximum number of pairs kept; if there are more, a sample of one in two, four, ... is kept by a hash of the pair."""

COUNTED, SERIES, PHRASE = range(3)
"""Marks of pairs: a copy; posts of a series, such as daily forms, or copies of two of them; perhaps only a phrase.

Fewer than ``_PHRASE`` triples and half of the wording of a short text may be an official's phrase in two reports: of
166 such pairs of posts, 46 were copies.
"""

_PHRASE: Final = 12
_ONE_POST: Final = 0.8
_RARE: Final = 60  # maximum number of texts with a rare triple
_TEXTS_AT_ONCE: Final = 20_000
_MIX: Final = np.uint64(arrays.GOLDEN)


@dataclass(frozen=True, slots=True, kw_only=True)
class Copies:
    """All copies of a collection in a universe, or a sample of them."""

    a: Ints  # int64 (pairs,), ordinal of the earlier document; pairs are in the order of (a, b)
    b: Ints  # int64 (pairs,), ordinal of the later one
    # float64 (pairs,), share of the smaller text's triples in the larger one, `COPY_WORDING` to 1
    wording: Floats
    marks: Uint8s  # uint8 (pairs,), `COUNTED`, `SERIES` or `PHRASE`
    total: int  # pairs found that are counted
    series: int  # pairs found that are a series
    sampled: int  # inverse of the sampling rate: 1 if `a` and `b` hold all pairs, 2 if they hold every second one

    def __len__(self) -> int:
        return len(self.a)

    def at(self, kept: Bools) -> Copies:
        """Some of the pairs, with the totals of all."""
        return replace(self, a=self.a[kept], b=self.b[kept], wording=self.wording[kept], marks=self.marks[kept])


@dataclass(frozen=True, slots=True, kw_only=True)
class DistinctTexts:
    """The distinct texts of a universe by first date; equal texts of different weeks are kept apart."""

    firsts: Ints  # int64 (texts,), the first document of each
    classes: TextClasses  # the documents of each

    def stand_ins(self, documents: int) -> Ints:
        """Int64 (documents,): the first document with the same text; itself outside the universe."""
        found = np.arange(documents, dtype=np.int64)
        found[self.classes.members] = np.repeat(self.firsts, np.diff(self.classes.begins))
        return found


def find_all_copies(triples: TripleRows, universe: Universe, *, most: int = MOST_COPIES) -> Copies:
    """Find every pair of documents with wording of at least ``COPY_WORDING`` in the larger direction; exact."""
    ranges, sizes = TripleRanges.of(triples), np.diff(triples.begins)
    texts = texts_of_documents(ranges.checksums(), sizes, universe)
    return find_copies_of_texts(texts, shared_wording(ranges, texts.stand_ins(len(sizes))), universe, most=most)


def find_copies_of_texts(
    texts: DistinctTexts,
    wording: SharedWording,
    universe: Universe,
    *,
    most: int = MOST_COPIES,
    progress: Progress | None = None,
) -> Copies:
    """As ``find_all_copies``."""
    threads, count = thread_count(0), len(texts.firsts)
    documents = int(universe.counted.sum())
    room = min(most, max(documents * (documents - 1) // 2, 1))
    with ThreadPoolExecutor(threads) as pool:
        index = _index(texts, wording, pool, threads)
        own, every = threading.local(), []

        def find(begin: int) -> None:
            if not hasattr(own, "found"):
                counts, touched = np.zeros(count, dtype=np.int32), np.empty(count + 1, dtype=np.int32)
                own.scratch, own.found = kernels.TextCounters(counts, touched), room_for_pairs(room, 2)
                every.append(own.found)
            end = min(begin + _TEXTS_AT_ONCE, count)
            kernels.find_copies(index, texts.classes, universe, begin, end, scratch=own.scratch, found=own.found)

        begins = range(0, count, _TEXTS_AT_ONCE)
        for begin, _ in zip(begins, pool.map(find, begins), strict=True):
            if progress is not None:
                progress("counting copies", min(begin + _TEXTS_AT_ONCE, count), count)
    return _joined(every, room, universe, np.diff(wording.bounds))


def numbers_of_texts(sums: Uint64s, sizes: Ints) -> Ints:
    """Equal numbers for equal word triples: int64 (documents,), negative for texts of fewer than three words."""
    numbers = np.unique(sums[0] * _MIX + sums[1], return_inverse=True)[1].astype(np.int64)
    return np.where(sizes > 0, numbers, -1)


def texts_of_documents(sums: Uint64s, sizes: Ints, universe: Universe) -> DistinctTexts:
    """Group the documents of a universe by equal triples."""
    documents = np.flatnonzero(universe.counted)
    # Equal numbers for documents of equal text and week.
    weeks = universe.times // universe.window if universe.window > 0 else np.zeros_like(universe.times)
    which = arrays.earliest_equal([one[documents] for one in (sums[0], sums[1], sizes, weeks)])
    order = np.argsort(which, kind="stable")
    begins = np.flatnonzero(np.diff(which[order], prepend=-1))
    earliest = np.minimum.reduceat(universe.times[documents[order]], begins) if len(begins) else begins
    latest = np.maximum.reduceat(universe.times[documents[order]], begins) if len(begins) else begins
    first = documents[order][begins]
    by_time = np.lexsort((first, earliest))
    counts = np.diff(begins, append=len(order))[by_time]
    members = documents[order][arrays.places_of(begins[by_time], counts)]
    low, high = np.zeros(len(first), dtype=np.int64), np.full(len(first), len(first), dtype=np.int64)
    if universe.window >= 0:
        # No text extends beyond the window.
        low = np.searchsorted(earliest[by_time], earliest[by_time] - 2 * universe.window, side="left")
        high = np.searchsorted(earliest[by_time], latest[by_time] + universe.window, side="right")
    rows = first[by_time]
    classes = TextClasses(
        sizes=sizes[rows],
        begins=arrays.offsets_of(counts),
        members=members.astype(np.int32),
        first=low.astype(np.int64),
        last=high.astype(np.int64),
    )
    return DistinctTexts(firsts=rows, classes=classes)


def _index(texts: DistinctTexts, wording: SharedWording, pool: ThreadPoolExecutor, threads: int) -> kernels.SharedIndex:
    """Index the shared triples of texts; each thread writes the postings of some triples."""
    rows, terms = wording.texts[texts.firsts], wording.numbers
    begins, ends = wording.begins[rows], wording.begins[rows + 1]
    heads, postings = np.zeros(wording.terms + 2, dtype=np.int64), np.empty(int((ends - begins).sum()), dtype=np.int32)
    index = kernels.SharedIndex(begins, np.empty(len(rows), dtype=np.int64), ends, terms, heads, postings)

    def share(run: Callable[[int, int], None], size: int) -> None:
        cuts = np.linspace(0, size, threads + 1).astype(np.int64).tolist()
        list(pool.map(run, cuts[:-1], cuts[1:]))

    share(lambda first, last: kernels.count_postings(index, first, last), wording.terms)
    np.cumsum(heads, out=heads)
    share(lambda first, last: kernels.fill_postings(index, first, last), wording.terms)
    share(lambda first, last: kernels.sort_rows(index, _RARE, first, last), len(rows))
    return index


def room_for_pairs(room: int, numbers: int) -> kernels.FoundPairs:
    """Room for found pairs with some numbers each; pages that are not written to take no memory."""
    a, b = (np.empty(room, dtype=np.int32) for _ in range(2))
    return kernels.FoundPairs(a, b, np.empty((room, numbers), dtype=np.int32), np.zeros(4, dtype=np.int64))


def joined_pairs(many: Sequence[kernels.FoundPairs], *, halvings: int = 0, most: int) -> tuple[Ints, Ints, Int32s, int]:
    """The pairs that threads have found, their numbers, and halvings, as if one thread had found at most ``most``."""
    a, b, values = (
        np.concatenate([getattr(one, name)[: one.state[0]] for one in many]) for name in ("a", "b", "values")
    )
    kept, halvings = thinned(a, b, halvings=max(halvings, *(int(one.state[3]) for one in many)), most=most)
    return a[kept].astype(np.int64), b[kept].astype(np.int64), values[kept], halvings


def _joined(every: Sequence[kernels.FoundPairs], room: int, universe: Universe, sizes: Ints) -> Copies:
    """Mark the pairs that threads have found, in the order of (a, b)."""
    a, b, values, halvings = joined_pairs(every or [room_for_pairs(0, 2)], most=room)
    order = np.lexsort((b, a))
    a, b, (shared, smaller) = a[order], b[order], values[order].T
    plain, marks = in_universe(universe, a, b)[1], np.full(len(a), COUNTED, dtype=np.uint8)
    marks[(shared < _PHRASE) & (2 * shared < smaller)] = PHRASE
    marks[plain | _between_series(a, b, plain, shared >= _ONE_POST * np.maximum(sizes[a], sizes[b]), universe)] = SERIES
    moved = [int(np.sum((marks == mark) & ~plain)) << halvings for mark in (SERIES, PHRASE)]
    return Copies(
        a=a,
        b=b,
        wording=shared / smaller,
        marks=marks,
        total=max(sum(int(one.state[1]) for one in every) - sum(moved), 0),
        series=sum(int(one.state[2]) for one in every) + moved[0],
        sampled=1 << halvings,
    )


def _between_series(a: Ints, b: Ints, series: Bools, equal: Bools, universe: Universe) -> Bools:
    """Which pairs join copies of two posts of a series: other channels publish a form at once, too."""
    documents = len(universe.times)
    at_once = equal & (np.abs(universe.times[a] - universe.times[b]) <= NEWS_HOURS * HOUR)
    edges = sp.csr_array((np.ones(at_once.sum()), (a[at_once], b[at_once])), shape=(documents, documents))
    posts = connected_components(edges, directed=False)[1].astype(np.int64)
    pairs = np.minimum(posts[a], posts[b]) * documents + np.maximum(posts[a], posts[b])
    return np.asarray(np.isin(pairs, pairs[series]) & (posts[a] != posts[b]), dtype=np.bool_)


class CopyCensus:
    """Copies of a collection, counted once, when first asked for, from its packed evidence."""

    def __init__(
        self,
        documents: Sequence[Document],
        evidence: DocumentEvidence,
        facts: DocumentFacts | None = None,
        *,
        ranges: TripleRanges | None = None,
    ) -> None:
        self.records: EvidenceRecords = evidence.records
        self._documents = documents
        self._ranges = TripleRanges.of(evidence.triples) if ranges is None else ranges
        self._given = facts
        self._sizes, self._sums = self._ranges.sizes(), self._ranges.checksums()
        self._texts: DistinctTexts | None = None
        self._copies: Copies | None = None

    @cached_property
    def facts(self) -> DocumentFacts:
        """Sources, dates and texts of the documents; texts of equal word triples count as equal."""
        facts = self._given or DocumentFacts.of_documents(self._documents, [b""] * len(self._documents))
        return replace(facts, texts=numbers_of_texts(self._sums, self._sizes))

    @cached_property
    def counted(self) -> CountedPairs:
        """The pairs that are counted."""
        return counted_pairs(self.facts, self.records)

    @cached_property
    def wording(self) -> SharedWording:
        """The wording that documents share."""
        return shared_wording(self._ranges, self._distinct().stand_ins(len(self._sizes)))

    def copies(self, progress: Progress | None = None) -> Copies:
        """The copies."""
        if self._copies is None:
            wording, universe = self.wording, self.counted.universe
            self._copies = find_copies_of_texts(self._distinct(), wording, universe, progress=progress)
            self._texts = None
        return self._copies

    def part(self, documents: Ints) -> CopyCensus:
        """The census of some documents alone, given their ordinals; it shares the wording of all."""
        inside = np.zeros(len(self._sizes), dtype=np.bool_)
        inside[documents] = True
        universe, found = self.counted.universe, copy(self)
        # Made of these documents only, it would lack triples that they share with others.
        found.wording = self.wording
        found.counted = replace(self.counted, universe=universe._replace(counted=universe.counted & inside))
        found._texts = found._copies = None
        return found

    def _distinct(self) -> DistinctTexts:
        if self._texts is None:
            self._texts = texts_of_documents(self._sums, self._sizes, self.counted.universe)
        return self._texts
