"""Key terms and targets laid out for matching: rarest terms first, similar documents side by side, lists in shards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.arrays import offsets_of
from infostream_dedup.links.compiled.kernels import matching as kernels
from infostream_dedup.links.compiled.kernels.rows import earliest_equals, mix_rows
from infostream_dedup.links.compiled.term_rows import TermRows, row_parts, term_rows
from infostream_dedup.machine.threads import ThreadPool, thread_count

if TYPE_CHECKING:
    from collections.abc import Callable

    import scipy.sparse as sp
    from numpy.typing import NDArray


# Documents with equal key terms and equal targets as one node, so that they are matched once


@dataclass(frozen=True, slots=True)
class Nodes:
    """Documents grouped into nodes. Nodes are numbered in the order of their earliest documents."""

    node_of: NDArray[np.int64]  # int64 (documents,), node of each document
    indptr: NDArray[np.int64]  # int64 (nodes + 1,), start of each node's documents in `members`
    members: NDArray[np.int64]  # int64 (documents,), documents node by node, ascending within a node

    def __len__(self) -> int:
        return len(self.indptr) - 1

    @property
    def weights(self) -> NDArray[np.int64]:
        """int64 (nodes,): number of documents of each node, at least 1."""
        return np.diff(self.indptr)

    @property
    def leaders(self) -> NDArray[np.int64]:
        """int64 (nodes,): earliest document of each node, ascending."""
        return self.members[self.indptr[:-1]]


def collapse(keys: sp.csr_array, targets: sp.csr_array) -> Nodes:
    """Group documents with equal key terms and equal targets; both have sorted indices. Weights may differ.

    >>> import scipy.sparse as sp
    >>> keys = sp.csr_array(np.array([[5, 0], [0, 7], [5, 0]]))
    >>> collapse(keys, keys).node_of.tolist()
    [0, 1, 0]
    """
    asking, answering = term_rows(keys), term_rows(targets)
    hashes = row_hashes(asking, answering)
    leaders = np.empty(len(hashes), dtype=np.int64)
    order = np.argsort(hashes, kind="stable")
    earliest_equals(order, hashes, asking.indptr, asking.indices, answering.indptr, answering.indices, leaders)
    is_leader = leaders == np.arange(len(leaders))
    node_of = (np.cumsum(is_leader) - 1)[leaders]
    indptr = offsets_of(np.bincount(node_of, minlength=int(is_leader.sum())))
    return Nodes(node_of, indptr, np.argsort(node_of, kind="stable"))


def row_hashes(keys: TermRows, targets: TermRows) -> NDArray[np.uint64]:
    """uint64 (documents,): a hash of each document's key terms and targets, equal for equal documents.

    It depends on the term numbers only, so that processes that share a vocabulary agree. Unequal documents may collide.
    """
    hashes = np.zeros(keys.documents, dtype=np.uint64)
    threads = thread_count(0)

    def mix(rows: slice) -> None:
        for terms in (keys, targets):
            mix_rows(terms.indptr[rows.start : rows.stop + 1], terms.indices, hashes[rows])

    with ThreadPool(threads) as pool:
        list(pool.map(mix, row_parts(np.diff(keys.indptr) + np.diff(targets.indptr) + 1, threads)))
    return hashes


SHARD_SIZE: Final = 1 << 20
"""Documents in a shard: with one counter byte each they stay within a core's second-level cache."""

_LEAST_SHARD: Final = 1 << 16
_POSTINGS_IN_SHARD: Final = 2000
"""Smaller shards keep the counters in faster caches, but each question has to find its lists in each of them. From this
many postings of a question in a shard, the counters matter more (measured)."""

_SAMPLED_TARGETS: Final = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class PostingIndex:
    """Posting lists of the targets of some documents. A place is a document's number in the index's own order."""

    order: NDArray[np.uint32]  # uint32 (places,), document at each place
    terms: NDArray[np.uint32]  # uint32 (ranks,), term of each rank, rarest first
    rank: NDArray[np.int32]  # int32 (terms,), rank of each term, -1 for terms that are not listed
    starts: NDArray[np.int64]  # int64 (shards, ranks + 1), start of each posting list in `postings`
    postings: NDArray[np.uint32]  # uint32, places within their shard, ascending in a list
    shard_size: int  # places in a shard

    def __len__(self) -> int:
        return len(self.order)

    @classmethod
    def build(
        cls,
        keys: TermRows,
        targets: TermRows,
        documents: NDArray[np.int64],
        *,
        terms: NDArray[np.int64] | None = None,
        shard_size: int | None = None,
        threads: int = 1,
    ) -> PostingIndex:
        """Index some documents by ``terms``, ascending: every key term of those that ask; by default of ``keys``."""
        key_counts = np.bincount(keys.indices, minlength=keys.terms)
        commonest = commonest_key_terms(keys, key_counts)[documents]
        order = documents[np.argsort(commonest, kind="stable")].astype(np.uint32)
        size = _shard_size(keys, targets, key_counts) if shard_size is None else shard_size
        shards = Shards(order, max(1, min(size, len(order))), threads)
        frequencies = shards.frequencies(targets)
        listed = np.flatnonzero(key_counts) if terms is None else terms
        ranked = listed[np.argsort(frequencies.sum(axis=0)[listed], kind="stable")].astype(np.uint32)
        rank = np.full(keys.terms, -1, dtype=np.int32)
        rank[ranked] = np.arange(len(ranked))
        starts, postings = shards.lists(targets, ranked, rank, frequencies)
        return cls(order=order, terms=ranked, rank=rank, starts=starts, postings=postings, shard_size=shards.size)

    def questions(
        self, keys: TermRows, documents: NDArray[np.uint32], itself: NDArray[np.int64], threads: int = 1
    ) -> kernels.Questions:
        """The key terms of some documents as questions to this index."""
        return kernels.Questions(*ranked_rows(keys, documents, self.rank, threads), itself)

    def own_questions(self, keys: TermRows, threads: int = 1) -> kernels.Questions:
        """The key terms of the indexed documents, by place."""
        return self.questions(keys, self.order, np.arange(len(self), dtype=np.int64), threads)

    def counts_within(self, weights: NDArray[np.int64], keys: TermRows, targets: TermRows) -> NDArray[np.uint8]:
        """Count of the links among the equal documents of each place; 0 for a single document."""
        several = np.flatnonzero(weights > 1)
        counts = np.zeros(len(several), dtype=np.uint8)
        kernels.own_counts(self.order[several].astype(np.int64), keys, targets, counts)
        within = np.zeros(len(self), dtype=np.uint8)
        within[several] = counts
        return within

    def scratch(self, *, links: int) -> kernels.Scratch:
        """Arrays for one thread, with room for ``links`` links beyond those of one question."""
        # numpy allocates them, as its large arrays are given large memory pages.
        return kernels.Scratch(
            np.zeros(self.shard_size, dtype=np.uint8), np.empty(links + len(self) + self.shard_size, dtype=np.uint64)
        )

    def ask(
        self, questions: kernels.Questions, first: int, last: int, *, k_min: int, scratch: kernels.Scratch
    ) -> NDArray[np.uint64] | None:
        """Links of questions first to last - 1 to places of this index."""
        lists = kernels.Lists(self.starts, self.postings, self.shard_size)
        found = kernels.match_rows(first, last, questions, lists, k_min, scratch)
        return None if found < 0 else scratch.links[:found]

    def lists_of(self, rows: TermRows, threads: int) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
        """``starts`` and ``postings`` of other terms of the same documents, by the same ranks."""
        shards = Shards(self.order, self.shard_size, threads)
        return shards.lists(rows, self.terms, self.rank, shards.frequencies(rows))


@dataclass(frozen=True, slots=True)
class Shards:
    """Documents cut into shards."""

    order: NDArray[np.uint32]  # uint32 (places,), documents
    size: int  # places in a shard, at least 1
    threads: int  # shards processed at a time

    def frequencies(self, rows: TermRows) -> NDArray[np.int64]:
        """int64 (shards, terms): number of documents of each shard that contain each term."""
        counts = np.zeros((max(len(range(0, len(self.order), self.size)), 1), rows.terms), dtype=np.int64)

        def count(first: int) -> None:
            last = min(first + self.size, len(self.order))
            kernels.count_postings(rows, self.order[first:last], counts[first // self.size])

        self._for_each(count)
        return counts

    def lists(
        self, rows: TermRows, terms: NDArray[np.uint32], rank: NDArray[np.int32], frequencies: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
        """Posting lists by shard and rank."""
        lengths = frequencies[:, terms]
        starts = np.zeros((len(lengths), len(terms) + 1), dtype=np.int64)
        np.cumsum(lengths, axis=1, out=starts[:, 1:])
        starts += offsets_of(starts[:-1, -1])[:, None]
        postings = np.empty(int(starts[-1, -1]), dtype=np.uint32)

        def fill(first: int) -> None:
            last = min(first + self.size, len(self.order))
            cursor = starts[first // self.size].copy()
            kernels.fill_postings(rows, self.order[first:last], rank, cursor, postings)

        self._for_each(fill)
        return starts, postings

    def _for_each(self, work: Callable[[int], None]) -> None:
        with ThreadPool(self.threads) as pool:
            list(pool.map(work, range(0, len(self.order), self.size)))


def _shard_size(keys: TermRows, targets: TermRows, key_counts: NDArray[np.int64]) -> int:
    """A power of two, so that a question meets about ``_POSTINGS_IN_SHARD`` postings in a shard and starts stay few."""
    sampled = int(np.searchsorted(targets.indptr, _SAMPLED_TARGETS, side="right")) - 1
    met = int(key_counts[targets.indices[: targets.indptr[sampled]]].sum())
    most_shards = len(targets.indices) // (8 * max(targets.terms, 1))
    size = SHARD_SIZE
    while (
        size > _LEAST_SHARD
        and met * (size // 2) >= _POSTINGS_IN_SHARD * sampled * keys.documents
        and targets.documents // (size // 2) <= most_shards
    ):
        size //= 2
    return size


def commonest_key_terms(keys: TermRows, key_counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """The commonest key term of each document, which puts stories side by side; ``keys.terms`` without any."""
    commonest = np.full(keys.documents, keys.terms, dtype=np.int64)
    filled = np.diff(keys.indptr) > 0
    if filled.any():
        code = key_counts[keys.indices] * np.int64(keys.terms) + keys.indices
        commonest[filled] = np.maximum.reduceat(code, keys.indptr[:-1][filled]) % keys.terms
    return commonest


def ranked_rows(
    rows: TermRows, order: NDArray[np.uint32], rank: NDArray[np.int32], threads: int = 1
) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
    """Start of each row and ranks of its listed terms, ascending, for the rows in ``order``."""

    def ranked(part: NDArray[np.uint32]) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
        indptr = np.zeros(len(part) + 1, dtype=np.int64)
        ranks = np.empty(int(np.diff(rows.indptr)[part].sum()), dtype=np.uint32)
        return indptr, ranks[: kernels.rank_rows(rows, part, rank, indptr, ranks)]

    if threads == 1:
        return ranked(order)
    with ThreadPool(threads) as pool:
        starts, ranks = zip(*pool.map(ranked, np.array_split(order, threads)), strict=True)
    firsts = np.cumsum([0, *(indptr[-1] for indptr in starts)])
    ends = [indptr[1:] + first for indptr, first in zip(starts, firsts, strict=False)]
    return np.concatenate([np.zeros(1, dtype=np.int64), *ends]), np.concatenate(ranks)
