"""The census of copies: all pairs of documents that share enough wording, whatever their key terms are."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from infostream_dedup.judging.evidence.triple_ranges import TripleRanges
from infostream_dedup.lab.estimation.drawn_pairs import thinned
from infostream_dedup.lab.estimation.kernels.finding_copies import (
    FoundPairs,
    SharedIndex,
    TextClasses,
    TextCounters,
    Universe,
    find_copies,
)
from infostream_dedup.lab.estimation.kernels.shared_triples import count_postings, fill_postings, sort_rows
from infostream_dedup.lab.estimation.shared_wording import shared_wording
from infostream_dedup.machine.threads import thread_count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from infostream_dedup.judging.evidence.pair_evidence import TripleRows
    from infostream_dedup.lab.estimation.shared_wording import SharedWording
    from infostream_dedup.machine.progress import Progress

__all__ = [
    "COPY_WORDING",
    "MOST_COPIES",
    "Copies",
    "DistinctTexts",
    "find_all_copies",
    "find_copies_of_texts",
    "numbers_of_texts",
    "texts_of_documents",
]

COPY_WORDING: Final = 0.3
"""Minimum share of the smaller text's word triples that the larger one also has."""

MOST_COPIES: Final = 20_000_000
"""Maximum number of pairs kept; if there are more, a sample of one in two, four, ... is kept by a hash of the pair."""

_RARE: Final = 60
"""Maximum number of texts with a rare triple."""
_TEXTS_AT_ONCE: Final = 20_000
_MIX: Final = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, slots=True, kw_only=True)
class Copies:
    """All copies of a collection in a universe, or a sample of them.

    Attributes:
        a: int64 (pairs,), ordinal of the earlier document; pairs are in the order of (a, b).
        b: int64 (pairs,), ordinal of the later one.
        wording: float64 (pairs,), share of the smaller text's triples in the larger one, ``COPY_WORDING`` to 1.
        total: pairs found that are not a series.
        series: pairs found that are.
        sampled: inverse of the sampling rate: 1 if ``a`` and ``b`` hold all pairs, 2 if they hold every second one.
    """

    a: NDArray[np.int64]
    b: NDArray[np.int64]
    wording: NDArray[np.float64]
    total: int
    series: int
    sampled: int

    def __len__(self) -> int:
        return len(self.a)


@dataclass(frozen=True, slots=True, kw_only=True)
class DistinctTexts:
    """The distinct texts of a universe, in the order of their first dates.

    Equal texts from different weeks are kept apart, so that each text has one date.

    Attributes:
        firsts: int64 (texts,), the first document of each.
        classes: the documents of each.
    """

    firsts: NDArray[np.int64]
    classes: TextClasses

    def stand_ins(self, documents: int) -> NDArray[np.int64]:
        """Int64 (documents,): the first document with the same text; itself outside the universe."""
        found = np.arange(documents, dtype=np.int64)
        found[self.classes.members] = np.repeat(self.firsts, np.diff(self.classes.begins))
        return found


def find_all_copies(triples: TripleRows, universe: Universe, *, most: int = MOST_COPIES) -> Copies:
    """Find every pair of documents with wording of at least ``COPY_WORDING`` in the larger direction; exact.

    Args:
        triples: word triples of all documents.
        universe: which pairs are counted.
        most: maximum number of pairs to keep, at least 1.
    """
    ranges, sizes = TripleRanges.of(triples), np.diff(triples.begins)
    texts = texts_of_documents(ranges.checksums(), sizes, universe)
    wording = shared_wording(ranges, texts.stand_ins(len(sizes)))
    return find_copies_of_texts(texts, wording, universe, most=most)


def find_copies_of_texts(
    texts: DistinctTexts,
    wording: SharedWording,
    universe: Universe,
    *,
    most: int = MOST_COPIES,
    progress: Progress | None = None,
) -> Copies:
    """As ``find_all_copies``.

    Args:
        texts: texts of the universe.
        wording: shared triples of these texts, or of more; the order of each document's triples is changed.
        universe: which pairs are counted.
        most: maximum number of pairs to keep, at least 1.
        progress: called with the number of distinct texts done.
    """
    threads, count = thread_count(0), len(texts.firsts)
    room = min(most, _most_pairs(int(universe.counted.sum())))
    with ThreadPoolExecutor(threads) as pool:
        index = _index(texts, wording, pool, threads)
        own, every = threading.local(), []

        def find(begin: int) -> None:
            if not hasattr(own, "found"):
                own.scratch, own.found = _scratch(count), _room_for_pairs(room)
                every.append(own.found)
            end = min(begin + _TEXTS_AT_ONCE, count)
            find_copies(index, texts.classes, universe, begin, end, scratch=own.scratch, found=own.found)

        begins = range(0, count, _TEXTS_AT_ONCE)
        for begin, _ in zip(begins, pool.map(find, begins), strict=True):
            if progress is not None:
                progress("counting copies", min(begin + _TEXTS_AT_ONCE, count), count)
    return _joined(every, room)


def numbers_of_texts(sums: NDArray[np.uint64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Equal numbers for equal word triples: int64 (documents,), negative for texts of fewer than three words.

    Args:
        sums: result of ``TripleRanges.checksums``.
        sizes: int64 (documents,), triples of each document.
    """
    numbers = np.unique(sums[0] * _MIX + sums[1], return_inverse=True)[1].astype(np.int64)
    return np.where(sizes > 0, numbers, -1)


def texts_of_documents(sums: NDArray[np.uint64], sizes: NDArray[np.int64], universe: Universe) -> DistinctTexts:
    """Group the documents of a universe by equal triples.

    Args:
        sums: result of ``TripleRanges.checksums``.
        sizes: int64 (documents,), triples of each document.
        universe: which documents are counted, and their dates.
    """
    documents = np.flatnonzero(universe.counted)
    which = _numbers_of_classes(sums, sizes, universe, documents)
    order = np.argsort(which, kind="stable")
    begins = np.flatnonzero(np.diff(which[order], prepend=-1))
    earliest = np.minimum.reduceat(universe.times[documents[order]], begins) if len(begins) else begins
    latest = np.maximum.reduceat(universe.times[documents[order]], begins) if len(begins) else begins
    first = documents[order][begins]
    by_time = np.lexsort((first, earliest))
    counts = np.diff(begins, append=len(order))[by_time]
    members = _runs(documents[order], begins[by_time], counts)
    low, high = np.zeros(len(first), dtype=np.int64), np.full(len(first), len(first), dtype=np.int64)
    if universe.window >= 0:
        # No text extends beyond the window.
        low = np.searchsorted(earliest[by_time], earliest[by_time] - 2 * universe.window, side="left")
        high = np.searchsorted(earliest[by_time], latest[by_time] + universe.window, side="right")
    rows = first[by_time]
    classes = TextClasses(
        sizes=sizes[rows],
        begins=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        members=members.astype(np.int32),
        first=low.astype(np.int64),
        last=high.astype(np.int64),
    )
    return DistinctTexts(firsts=rows, classes=classes)


def _numbers_of_classes(
    sums: NDArray[np.uint64], sizes: NDArray[np.int64], universe: Universe, documents: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Equal numbers for documents of equal text and week: int64 (documents,), from 0 without gaps."""
    weeks = universe.times // universe.window if universe.window > 0 else np.zeros_like(universe.times)
    keys = [one[documents] for one in (sums[0], sums[1], sizes, weeks)]
    order = np.lexsort(keys)
    other = np.zeros(len(order), dtype=np.bool_)
    for key in keys:
        other[1:] |= np.diff(key[order].view(np.int64)) != 0
    found = np.empty(len(order), dtype=np.int64)
    found[order] = np.cumsum(other)
    return found


def _runs(values: NDArray[Any], begins: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[Any]:
    """Values of runs, with the runs reordered."""
    starts = np.cumsum(sizes) - sizes
    places = np.arange(int(sizes.sum())) - np.repeat(starts - begins, sizes)
    return values[places]


def _index(texts: DistinctTexts, wording: SharedWording, pool: ThreadPoolExecutor, threads: int) -> SharedIndex:
    """Index the shared triples of texts; each thread writes the postings of some triples."""
    rows, terms = wording.texts[texts.firsts], wording.numbers
    begins, ends = wording.begins[rows], wording.begins[rows + 1]
    heads, postings = np.zeros(wording.terms + 2, dtype=np.int64), np.empty(int((ends - begins).sum()), dtype=np.int32)
    cuts = np.linspace(0, wording.terms, threads + 1).astype(np.int64)
    bounds = list(pairwise(cuts.tolist()))
    list(pool.map(lambda cut: count_postings(begins, ends, terms, cut[0], cut[1], heads), bounds))
    np.cumsum(heads, out=heads)
    list(pool.map(lambda cut: fill_postings(begins, ends, terms, cut[0], cut[1], heads, postings), bounds))
    middles = np.empty(len(rows), dtype=np.int64)
    parts = list(pairwise(np.linspace(0, len(rows), threads + 1).astype(np.int64).tolist()))

    def sort(part: tuple[int, int]) -> None:
        first, last = part
        sort_rows(begins, ends, terms, heads, rare=_RARE, first=first, last=last, middles=middles)

    list(pool.map(sort, parts))
    return SharedIndex(begins=begins, middles=middles, ends=ends, terms=terms, heads=heads[:-1], texts=postings)


def _scratch(texts: int) -> TextCounters:
    return TextCounters(counts=np.zeros(texts, dtype=np.int32), touched=np.empty(texts + 1, dtype=np.int32))


def _room_for_pairs(room: int) -> FoundPairs:
    """Room for found pairs; pages that are not written to take no memory."""
    a, b, shared, smaller = (np.empty(room, dtype=np.int32) for _ in range(4))
    return FoundPairs(a=a, b=b, shared=shared, smaller=smaller, state=np.zeros(4, dtype=np.int64))


def _joined(every: Sequence[FoundPairs], room: int) -> Copies:
    """Join what threads have found, and drop pairs as if one thread had found them."""
    states = np.array([found.state for found in every], dtype=np.int64).reshape(-1, 4)
    a, b, shared, smaller = (
        np.concatenate([np.zeros(0, dtype=np.int32), *(getattr(one, name)[: one.state[0]] for one in every)])
        for name in ("a", "b", "shared", "smaller")
    )
    order, halvings = thinned(a, b, halvings=int(states[:, 3].max(initial=0)), most=room)
    order = order[np.lexsort((b[order], a[order]))]
    return Copies(
        a=a[order].astype(np.int64),
        b=b[order].astype(np.int64),
        wording=shared[order] / smaller[order],
        total=int(states[:, 1].sum()),
        series=int(states[:, 2].sum()),
        sampled=1 << halvings,
    )


def _most_pairs(documents: int) -> int:
    return max(documents * (documents - 1) // 2, 1)
