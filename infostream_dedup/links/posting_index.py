"""Key terms and targets laid out for matching: rarest terms first, like documents side by side, lists in shards."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.links.kernels.posting_lists import count_postings, fill_postings, rank_rows
from infostream_dedup.links.term_rows import TermRows

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["SHARD_SIZE", "PostingIndex", "ranked_rows"]

SHARD_SIZE: Final = 1 << 20
"""Documents of a shard: one counter byte each stays within a core's second-level cache."""


@dataclass(frozen=True, slots=True)
class PostingIndex:
    """What ``match_rows`` walks. A place is a number of a document in the index's own order.

    Attributes:
        order: uint32 (places,), document at each place.
        terms: uint32 (ranks,), term of each rank, rarest first; key terms only.
        rank: int32 (terms,), rank of each term, -1 for terms that are nobody's key term.
        key_indptr: int64 (places + 1,), where each place's key terms lie in ``ranks``.
        ranks: uint32, ranks of the key terms, ascending in a row.
        starts: int64 (shards, ranks + 1), where each posting list lies in ``postings``.
        postings: uint32, places within their shard, ascending in a list.
        shard_size: places of a shard.
        targets: of all documents.
    """

    order: NDArray[np.uint32]
    terms: NDArray[np.uint32]
    rank: NDArray[np.int32]
    key_indptr: NDArray[np.int64]
    ranks: NDArray[np.uint32]
    starts: NDArray[np.int64]
    postings: NDArray[np.uint32]
    shard_size: int
    targets: TermRows

    def __len__(self) -> int:
        return len(self.order)

    @classmethod
    def build(
        cls,
        keys: TermRows,
        targets: TermRows,
        documents: NDArray[np.int64],
        *,
        shard_size: int = SHARD_SIZE,
        threads: int = 1,
    ) -> PostingIndex:
        """Lay out some documents.

        Args:
            keys: key terms by document.
            targets: target terms by document.
            documents: int64, the documents to take.
            shard_size: documents of a shard, at least 1.
            threads: shards laid out at a time.
        """
        key_counts = np.bincount(keys.indices, minlength=keys.terms)
        order = documents[np.argsort(_commonest_key_term(keys, key_counts)[documents], kind="stable")].astype(np.uint32)
        shards = _Shards(order, max(1, min(shard_size, len(order))), threads)
        frequencies = shards.frequencies(targets)
        used = np.flatnonzero(key_counts)
        terms = used[np.argsort(frequencies.sum(axis=0)[used], kind="stable")].astype(np.uint32)
        rank = np.full(keys.terms, -1, dtype=np.int32)
        rank[terms] = np.arange(len(terms))
        starts, postings = shards.lists(targets, terms, rank, frequencies)
        key_indptr, ranks = ranked_rows(keys, order, rank)
        return cls(order, terms, rank, key_indptr, ranks, starts, postings, shards.size, targets)

    def lists_of(self, rows: TermRows, threads: int) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
        """``starts`` and ``postings`` of other terms of the same documents, in the same ranks."""
        shards = _Shards(self.order, self.shard_size, threads)
        return shards.lists(rows, self.terms, self.rank, shards.frequencies(rows))


@dataclass(frozen=True, slots=True)
class _Shards:
    """Documents in their order, cut into shards of ``size``."""

    order: NDArray[np.uint32]
    size: int
    threads: int

    def frequencies(self, rows: TermRows) -> NDArray[np.int64]:
        """int64 (shards, terms): documents of each shard that hold each term."""
        counts = np.zeros((max(len(self._firsts()), 1), rows.terms), dtype=np.int64)

        def count(first: int) -> None:
            last = min(first + self.size, len(self.order))
            count_postings(rows.indptr, rows.indices, self.order, first, last, counts[first // self.size])

        self._each(count)
        return counts

    def lists(
        self, rows: TermRows, terms: NDArray[np.uint32], rank: NDArray[np.int32], frequencies: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
        """Where the list of each shard and rank lies, and the lists."""
        lengths = frequencies[:, terms]
        starts = np.zeros((len(lengths), len(terms) + 1), dtype=np.int64)
        np.cumsum(lengths, axis=1, out=starts[:, 1:])
        starts += np.concatenate(([0], np.cumsum(starts[:-1, -1])))[:, None]
        postings = np.empty(int(starts[-1, -1]), dtype=np.uint32)

        def fill(first: int) -> None:
            last = min(first + self.size, len(self.order))
            cursor = starts[first // self.size].copy()
            fill_postings(rows.indptr, rows.indices, self.order, first, last, rank, cursor, postings)

        self._each(fill)
        return starts, postings

    def _firsts(self) -> range:
        return range(0, len(self.order), self.size)

    def _each(self, work: Callable[[int], None]) -> None:
        with ThreadPoolExecutor(self.threads) as pool:
            list(pool.map(work, self._firsts()))


def _commonest_key_term(keys: TermRows, key_counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """The key term of each document that most documents share.

    Documents of one story share it, so that sorting by it puts them side by side: the same lists are walked one after
    the other, and what they touch lies close together.
    """
    commonest = np.full(len(keys), keys.terms, dtype=np.int64)
    filled = np.diff(keys.indptr) > 0
    if filled.any():
        code = key_counts[keys.indices] * np.int64(keys.terms) + keys.indices
        commonest[filled] = np.maximum.reduceat(code, keys.indptr[:-1][filled]) % keys.terms
    return commonest


def ranked_rows(
    rows: TermRows, order: NDArray[np.uint32], rank: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
    """Ranks of the ranked terms of each row, ascending, in the order of places."""
    indptr = np.zeros(len(order) + 1, dtype=np.int64)
    ranks = np.empty(int(np.diff(rows.indptr)[order].sum()), dtype=np.uint32)
    size = rank_rows(rows.indptr, rows.indices, order, rank, indptr, ranks)
    return indptr, ranks[:size]
