"""The census of copies: all pairs of documents that share enough wording, whatever their key terms are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from infostream_dedup.estimation.kernels.finding_copies import (
    FoundPairs,
    SharedIndex,
    TextClasses,
    TextCounters,
    Universe,
    find_copies,
)
from infostream_dedup.estimation.kernels.shared_triples import (
    checksums_of_rows,
    fill_postings,
    number_shared,
    sort_rows,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from infostream_dedup.evidence.pair_evidence import TripleRows
    from infostream_dedup.machine.progress import Progress

__all__ = ["COPY_WORDING", "MOST_COPIES", "Copies", "find_all_copies", "numbers_of_texts"]

COPY_WORDING: Final = 0.3
"""Minimum share of the smaller text's word triples that the larger one also has."""

MOST_COPIES: Final = 20_000_000
"""Maximum number of pairs kept; if there are more, a sample of one in two, four, ... is kept by a hash of the pair."""

_RARE: Final = 60
"""Maximum number of texts with a rare triple."""
_RANGE: Final = 1 << 22
_PART: Final = 1 << 16
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


def find_all_copies(
    triples: TripleRows, universe: Universe, *, most: int = MOST_COPIES, progress: Progress | None = None
) -> Copies:
    """Find every pair of documents with wording of at least ``COPY_WORDING`` in the larger direction; exact.

    Args:
        triples: word triples of all documents.
        universe: which pairs are counted.
        most: maximum number of pairs to keep, at least 1.
        progress: called with the number of distinct texts done.
    """
    rows, classes = _classes(triples, universe)
    index = _index(triples, rows)
    texts, room = len(rows), min(most, _most_pairs(int(universe.counted.sum())))
    found = FoundPairs(
        a=np.empty(room, dtype=np.int32),
        b=np.empty(room, dtype=np.int32),
        shared=np.empty(room, dtype=np.int32),
        smaller=np.empty(room, dtype=np.int32),
        state=np.zeros(4, dtype=np.int64),
    )
    scratch = TextCounters(counts=np.zeros(texts, dtype=np.int32), touched=np.empty(texts + 1, dtype=np.int32))
    for begin in range(0, texts, _TEXTS_AT_ONCE):
        end = min(begin + _TEXTS_AT_ONCE, texts)
        find_copies(index, classes, universe, begin, end, scratch=scratch, found=found)
        if progress is not None:
            progress("counting copies", end, texts)
    kept, total, series, halvings = found.state.tolist()
    a, b = found.a[:kept].astype(np.int64), found.b[:kept].astype(np.int64)
    order = np.lexsort((b, a))
    wording = found.shared[:kept][order] / found.smaller[:kept][order]
    return Copies(a=a[order], b=b[order], wording=wording, total=total, series=series, sampled=1 << halvings)


def numbers_of_texts(triples: TripleRows) -> NDArray[np.int64]:
    """Equal numbers for equal word triples: int64 (documents,), negative for texts of fewer than three words."""
    sums = _checksums(triples)
    numbers = np.unique(sums[0] * _MIX + sums[1], return_inverse=True)[1].astype(np.int64)
    return np.where(np.diff(triples.begins) > 0, numbers, -1)


def _checksums(triples: TripleRows) -> NDArray[np.uint64]:
    sums = np.empty((2, len(triples.begins) - 1), dtype=np.uint64)
    checksums_of_rows(triples.triples, triples.begins, sums[0], sums[1])
    return sums


def _most_pairs(documents: int) -> int:
    return max(documents * (documents - 1) // 2, 1)


def _classes(triples: TripleRows, universe: Universe) -> tuple[NDArray[np.int64], TextClasses]:
    """One document for each distinct text, and the documents of each text, ordered by the first date.

    Equal texts from different weeks are kept apart, so that each text has one date.
    """
    documents = np.flatnonzero(universe.counted)
    sums = _checksums(triples)
    weeks = universe.times // universe.window if universe.window > 0 else np.zeros_like(universe.times)
    sizes = np.diff(triples.begins)
    keys = np.stack([sums[0].view(np.int64), sums[1].view(np.int64), sizes, weeks])[:, documents]
    _, which = np.unique(keys, axis=1, return_inverse=True)
    which = which.ravel()
    order = np.lexsort((documents, which))
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
    return rows, TextClasses(
        sizes=sizes[rows],
        begins=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        members=members.astype(np.int32),
        first=low.astype(np.int64),
        last=high.astype(np.int64),
    )


def _runs(values: NDArray[Any], begins: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[Any]:
    """Values of runs, with the runs reordered."""
    starts = np.cumsum(sizes) - sizes
    places = np.arange(int(sizes.sum())) - np.repeat(starts - begins, sizes)
    return values[places]


def _index(triples: TripleRows, rows: NDArray[np.int64]) -> SharedIndex:
    begins, ends = triples.begins[rows], triples.begins[rows + 1]
    entries = int((ends - begins).sum())
    ranges = max(entries // _RANGE, 1).bit_length() - 1
    parts = max((entries >> ranges) // _PART, 1).bit_length() - 1
    # Triples of documents that are not counted do not count as shared.
    terms = np.full(len(triples.triples), -1, dtype=np.int32)
    numbers = number_shared(triples.triples, begins, ends, ranges, parts, terms)
    shared = terms >= 0
    before = np.zeros(len(terms) + 1, dtype=np.int64)
    np.cumsum(shared, out=before[1:])
    starts, sizes = before[begins], before[ends] - before[begins]
    numbered = terms[shared]
    if (np.diff(starts) < 0).any():
        numbered = _runs(numbered, starts, sizes)
    return _ordered(np.concatenate([[0], np.cumsum(sizes)]), numbered, numbers)


def _ordered(begins: NDArray[np.int64], terms: NDArray[np.int32], numbers: int) -> SharedIndex:
    heads, texts = np.zeros(numbers + 1, dtype=np.int64), np.empty(len(terms), dtype=np.int32)
    fill_postings(begins, terms, heads, texts)
    middles = np.empty(len(begins) - 1, dtype=np.int64)
    sort_rows(begins, terms, heads, _RARE, middles)
    return SharedIndex(begins=begins, middles=middles, terms=terms, heads=heads, texts=texts)
