"""Key terms and targets laid out for matching: rarest terms first, like documents side by side, lists in shards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.matching.kernels.posting_lists import count_postings, fill_postings, rank_rows
from infostream_dedup.matching.term_rows import TermRows

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["SHARD_SIZE", "PostingIndex", "posting_lists", "ranked_rows"]

SHARD_SIZE: Final = 1 << 18
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
        cls, keys: TermRows, targets: TermRows, documents: NDArray[np.int64], *, shard_size: int = SHARD_SIZE
    ) -> PostingIndex:
        """Lay out some documents.

        Args:
            keys: key terms by document.
            targets: target terms by document.
            documents: int64, the documents to take.
            shard_size: documents of a shard, at least 1.
        """
        key_counts = np.bincount(keys.indices, minlength=keys.terms)
        order = documents[np.argsort(_commonest_key_term(keys, key_counts)[documents], kind="stable")].astype(np.uint32)
        rank = np.where(key_counts > 0, 0, -1).astype(np.int32)
        frequencies = np.zeros(keys.terms + 1, dtype=np.int64)
        every = np.arange(keys.terms, dtype=np.int32)
        count_postings(targets.indptr, targets.indices, order, 0, len(order), every, frequencies)
        terms = np.flatnonzero(key_counts > 0)
        terms = terms[np.argsort(frequencies[terms + 1], kind="stable")]
        rank[terms] = np.arange(len(terms))
        shard_size = max(1, min(shard_size, len(order)))
        starts, postings = posting_lists(targets, order, rank, len(terms), shard_size)
        key_indptr, ranks = ranked_rows(keys, order, rank)
        return cls(
            order,
            terms.astype(np.uint32),
            rank,
            key_indptr,
            ranks,
            starts,
            postings,
            shard_size,
            targets,
        )


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


def posting_lists(
    rows: TermRows, order: NDArray[np.uint32], rank: NDArray[np.int32], ranks: int, shard_size: int
) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
    """``starts`` and ``postings`` as in ``PostingIndex``: the places of ``order`` whose rows hold each ranked term."""
    firsts = range(0, len(order), shard_size)
    counts = np.zeros((max(len(firsts), 1), ranks + 1), dtype=np.int64)
    for shard, first in enumerate(firsts):
        last = min(first + shard_size, len(order))
        count_postings(rows.indptr, rows.indices, order, first, last, rank, counts[shard])
    starts = np.cumsum(counts, axis=1)
    starts += np.concatenate(([0], np.cumsum(starts[:-1, -1])))[:, None]
    postings = np.empty(int(starts[-1, -1]), dtype=np.uint32)
    for shard, first in enumerate(firsts):
        last = min(first + shard_size, len(order))
        cursor = starts[shard, :-1].copy()
        fill_postings(rows.indptr, rows.indices, order, first, last, rank, cursor, postings)
    return starts, postings


def ranked_rows(
    rows: TermRows, order: NDArray[np.uint32], rank: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
    """Ranks of the ranked terms of each row, ascending, in the order of places."""
    indptr = np.zeros(len(order) + 1, dtype=np.int64)
    ranks = np.empty(int(np.diff(rows.indptr)[order].sum()), dtype=np.uint32)
    size = rank_rows(rows.indptr, rows.indices, order, rank, indptr, ranks)
    return indptr, ranks[:size]
