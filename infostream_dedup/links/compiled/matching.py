"""Matching by posting lists: their layout, rarest terms first, and exact counts over all cores."""

from __future__ import annotations

import math
import tempfile
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
import scipy.sparse as sp
from numpy.typing import DTypeLike, NDArray

from infostream_dedup.errors import CannotCreateError
from infostream_dedup.links.compiled.earlier import linked_pairs
from infostream_dedup.links.compiled.kernels import matching as kernels
from infostream_dedup.links.compiled.kernels.rows import LinkArrays, TermPlaces, earliest_equals, mark_enough, mix_rows
from infostream_dedup.links.compiled.term_rows import TermRows, row_parts, term_rows
from infostream_dedup.links.similarity_matrix import SimilarityMatrix, check_input
from infostream_dedup.machine.arrays import Int32s, Ints, Uint8s, Uint32s, Uint64s, offsets_of, places_of, sparse_rows
from infostream_dedup.machine.platform import reserve
from infostream_dedup.machine.progress import Progress
from infostream_dedup.machine.threads import ThreadPool, thread_count

# Documents with equal key terms and equal targets as one node, so that they are matched once


@dataclass(frozen=True, slots=True)
class Nodes:
    """Documents grouped into nodes. Nodes are numbered in the order of their earliest documents."""

    node_of: Ints  # int64 (documents,), node of each document
    indptr: Ints  # int64 (nodes + 1,), start of each node's documents in `members`
    members: Ints  # int64 (documents,), documents node by node, ascending within a node

    def __len__(self) -> int:
        return len(self.indptr) - 1

    @property
    def weights(self) -> Ints:
        """int64 (nodes,): number of documents of each node, at least 1."""
        return np.diff(self.indptr)

    @property
    def leaders(self) -> Ints:
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
    earliest_equals(np.argsort(hashes, kind="stable"), hashes, asking, answering, leaders)
    is_leader = leaders == np.arange(len(leaders))
    node_of = (np.cumsum(is_leader) - 1)[leaders]
    indptr = offsets_of(np.bincount(node_of, minlength=int(is_leader.sum())))
    return Nodes(node_of, indptr, np.argsort(node_of, kind="stable"))


def row_hashes(keys: TermRows, targets: TermRows) -> Uint64s:
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

    order: Uint32s  # uint32 (places,), document at each place
    terms: Uint32s  # uint32 (ranks,), term of each rank, rarest first
    rank: Int32s  # int32 (terms,), rank of each term, -1 for terms that are not listed
    lists: kernels.Lists  # posting lists by shard and rank

    def __len__(self) -> int:
        return len(self.order)

    @classmethod
    def build(
        cls,
        keys: TermRows,
        targets: TermRows,
        documents: Ints,
        *,
        terms: Ints | None = None,
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
        return cls(order=order, terms=ranked, rank=rank, lists=shards.lists(targets, ranked, rank, frequencies))

    def questions(
        self, keys: TermRows, documents: Uint32s, itself: Ints, threads: int = 1, amounts: Uint8s | None = None
    ) -> kernels.Questions:
        """The key terms of some documents as questions to this index; ``amounts`` say what each of ``keys`` counts."""
        indptr, ranks, _ = ranked_rows(keys, documents, self.rank, threads)
        placed = np.ones(len(ranks), dtype=np.uint8)
        if amounts is not None:
            kernels.place_amounts(keys, amounts, documents, self.rank, indptr, ranks, placed)
        return kernels.Questions(indptr, ranks, placed, itself)

    def own_questions(self, keys: TermRows, threads: int = 1, amounts: Uint8s | None = None) -> kernels.Questions:
        """The key terms of the indexed documents, by place."""
        return self.questions(keys, self.order, np.arange(len(self), dtype=np.int64), threads, amounts)

    def counts_within(self, weights: Ints, keys: TermRows, targets: TermRows) -> Uint8s:
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
        size = self.lists.shard_size
        return kernels.Scratch(np.zeros(size, dtype=np.uint8), np.empty(links + len(self) + size, dtype=np.uint64))

    def ask(
        self, questions: kernels.Questions, first: int, last: int, *, k_min: int, scratch: kernels.Scratch
    ) -> Uint64s | None:
        """Links of questions first to last - 1 to places of this index."""
        found = kernels.match_rows(first, last, questions, self.lists, k_min, scratch)
        return None if found < 0 else scratch.links[:found]

    def lists_of(self, rows: TermRows, threads: int) -> kernels.Lists:
        """Posting lists of other terms of the same documents, by the same ranks."""
        shards = Shards(self.order, self.lists.shard_size, threads)
        return shards.lists(rows, self.terms, self.rank, shards.frequencies(rows))


@dataclass(frozen=True, slots=True)
class Shards:
    """Documents cut into shards."""

    order: Uint32s  # uint32 (places,), documents
    size: int  # places in a shard, at least 1
    threads: int  # shards processed at a time

    def frequencies(self, rows: TermRows) -> Ints:
        """int64 (shards, terms): number of documents of each shard that contain each term."""
        counts = np.zeros((max(len(range(0, len(self.order), self.size)), 1), rows.terms), dtype=np.int64)

        def count(first: int) -> None:
            last = min(first + self.size, len(self.order))
            kernels.count_postings(rows, self.order[first:last], counts[first // self.size])

        self._for_each(count)
        return counts

    def lists(self, rows: TermRows, terms: Uint32s, rank: Int32s, frequencies: Ints) -> kernels.Lists:
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
        return kernels.Lists(starts, postings, self.size)

    def _for_each(self, work: Callable[[int], None]) -> None:
        with ThreadPool(self.threads) as pool:
            list(pool.map(work, range(0, len(self.order), self.size)))


def _shard_size(keys: TermRows, targets: TermRows, key_counts: Ints) -> int:
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


def commonest_key_terms(keys: TermRows, key_counts: Ints) -> Ints:
    """The commonest key term of each document, which puts stories side by side; ``keys.terms`` without any."""
    commonest = np.full(keys.documents, keys.terms, dtype=np.int64)
    filled = np.diff(keys.indptr) > 0
    if filled.any():
        code = key_counts[keys.indices] * np.int64(keys.terms) + keys.indices
        commonest[filled] = np.maximum.reduceat(code, keys.indptr[:-1][filled]) % keys.terms
    return commonest


def ranked_rows(rows: TermRows, order: Uint32s, rank: Int32s, threads: int = 1) -> TermRows:
    """The ranks of the listed terms of each row, ascending, for the rows in ``order``."""

    def ranked(part: Uint32s) -> tuple[Ints, Uint32s]:
        indptr = np.zeros(len(part) + 1, dtype=np.int64)
        ranks = np.empty(int(np.diff(rows.indptr)[part].sum()), dtype=np.uint32)
        return indptr, ranks[: kernels.rank_rows(rows, part, rank, indptr, ranks)]

    if threads == 1:
        return TermRows(*ranked(order), len(rank))
    with ThreadPool(threads) as pool:
        starts, ranks = zip(*pool.map(ranked, np.array_split(order, threads)), strict=True)
    firsts = np.cumsum([0, *(indptr[-1] for indptr in starts)])
    ends = [indptr[1:] + first for indptr, first in zip(starts, firsts, strict=False)]
    return TermRows(np.concatenate([np.zeros(1, dtype=np.int64), *ends]), np.concatenate(ranks), len(rank))


@dataclass(slots=True)
class Storage:
    """Allocates arrays: in memory up to a budget, then in files that vanish with their arrays."""

    budget: int  # bytes to keep in memory
    folder: Path | None = None  # folder for these files; `None` for the system's folder for temporary files
    _used: int = 0

    def empty(self, size: int, dtype: DTypeLike) -> NDArray[Any]:
        """Allocate an uninitialised array of ``size`` elements."""
        wanted = size * np.dtype(dtype).itemsize
        if size == 0 or self._used + wanted <= self.budget:
            self._used += wanted
            return np.empty(size, dtype=dtype)
        try:
            with tempfile.TemporaryFile(dir=self.folder) as file:
                file.truncate(wanted)
                reserve(file.fileno(), wanted)
                return np.memmap(file, dtype=dtype, mode="r+", shape=(size,))
        except OSError as error:
            folder = self.folder or tempfile.gettempdir()
            raise CannotCreateError(
                f"{wanted} bytes of links do not fit into {folder}: {error.strerror}; make room there, or name another "
                "folder in the environment variable TMPDIR"
            ) from error

    def keep(self, array: NDArray[Any]) -> NDArray[Any]:
        """The given array, or its copy in a file once the budget is used up."""
        kept = self.empty(array.size, array.dtype)
        if isinstance(kept, np.memmap):
            kept[:] = array
            return kept
        return array

    def free(self, array: NDArray[Any]) -> None:
        """Release an array's share of the budget."""
        if not isinstance(array, np.memmap):
            self._used -= array.nbytes


_NO_ROWS = kernels.LinkRows(0, np.zeros(0, np.int64), np.zeros(0, np.int32), np.zeros(0, np.uint8))


@dataclass(slots=True)
class LinkSpool:
    """Collects rows in any order, then arranges them by member."""

    storage: Storage  # allocates the rows and the result
    members: kernels.Members  # what each place represents
    joined: NDArray[np.bool_]  # bool (places,), whether the members of a place are linked to each other
    _rows: list[kernels.LinkRows] = field(default_factory=list)

    def add(self, rows: kernels.LinkRows) -> None:
        """Keep rows; every place must be added exactly once before ``finish``."""
        columns, counts = self.storage.keep(rows.columns), self.storage.keep(rows.counts)
        self._rows.append(kernels.LinkRows(rows.first, rows.lengths, columns, counts))

    def finish(self, threads: int) -> LinkArrays:
        """All rows, by member."""
        indptr = self._indptr()
        size = int(indptr[-1])
        links = LinkArrays(indptr, self.storage.empty(size, np.int32), self.storage.empty(size, np.uint8))

        def move(number: int) -> None:
            kernels.copy_rows(self._rows[number], self.members, links)

        with ThreadPool(threads) as pool:
            for number, _ in enumerate(pool.map(move, range(len(self._rows)))):
                self.storage.free(self._rows[number].columns)
                self.storage.free(self._rows[number].counts)
                self._rows[number] = _NO_ROWS
        self._rows.clear()
        return links

    def _indptr(self) -> Ints:
        lengths = np.zeros(len(self.members.numbers), dtype=np.int64)
        for rows in self._rows:
            last = rows.first + len(rows.lengths)
            bounds = self.members.indptr[rows.first : last + 1]
            own = rows.lengths - self.joined[rows.first : last]
            lengths[self.members.numbers[bounds[0] : bounds[-1]]] = np.repeat(own, np.diff(bounds))
        return offsets_of(lengths)


_ROWS_AT_ONCE: Final = 4096
_LINKS_AT_ONCE: Final = 1 << 23


@dataclass(frozen=True, slots=True)
class Resources:
    """How matching may use the machine; no result depends on it."""

    workers: int = 0  # threads; 0 for all cores this process may use
    # folder for links that exceed `memory`, in files that vanish with the result; `None` for the system's folder for
    # temporary files
    folder: Path | None = None
    memory: int = 4 << 30  # bytes of links to keep in memory
    shard_size: int | None = None  # documents whose counters are worked on at a time; `None` for the best number

    @property
    def threads(self) -> int:
        """Number of threads, at least 1."""
        return thread_count(self.workers)

    def storage(self) -> Storage:
        """A new budget of memory."""
        return Storage(self.memory, self.folder)


def match(
    keys: sp.csr_array,
    targets: sp.csr_array,
    *,
    n: int,
    weights: bool,
    k_min: int,
    progress: Progress | None = None,
    resources: Resources = Resources(),
) -> SimilarityMatrix:
    """Count, for every ordered pair of documents, the key terms of the first that are in the second.

    Documents with equal key terms and targets are matched once.

    keys: int64 (documents, terms), weight of each key term in units of 1e-9, at least 1; at most n in a row.
    """
    check_input(keys, targets, n=n)
    storage = resources.storage()
    asking, answering, nodes = term_rows(keys), term_rows(targets), collapse(keys, targets)
    run = _Run.prepare(asking, answering, nodes, k_min=k_min, resources=resources)
    members = places_of(nodes.indptr[run.node_at], nodes.weights[run.node_at])
    by_place = kernels.Members(offsets_of(nodes.weights[run.node_at]), nodes.members[members])
    spool = run.match(by_place, storage, progress)
    # Links are arranged in the memory of the posting lists.
    del run
    links = spool.finish(resources.threads)
    counts = _csr(links.counts, links)
    matched = None
    if weights:
        key_weights = keys.data.astype(np.int64, copy=False)
        matched = _csr(_sum_matched(links, asking, key_weights, answering, storage, resources.threads), links)
    return SimilarityMatrix(counts, k_min=k_min, n=n, matched=matched)


@dataclass(frozen=True, slots=True)
class MatchedNodes:
    """Links between nodes of equal documents."""

    nodes: Nodes  # the documents of each node
    counts: sp.csr_array  # uint8 (nodes, nodes), sorted indices, empty diagonal, only counts >= k_min
    # uint8 (nodes,), count of the links between the documents of one node; 0 for a node of one document
    inside: Uint8s


def match_nodes(
    keys: sp.csr_array, targets: sp.csr_array, *, n: int, k_min: int, progress: Progress | None = None
) -> MatchedNodes:
    """Match without writing out the links that equal documents share. Arguments and errors as in ``match``."""
    check_input(keys, targets, n=n)
    nodes, resources = collapse(keys, targets), Resources()
    run = _Run.prepare(term_rows(keys), term_rows(targets), nodes, k_min=k_min, resources=resources)
    inside = np.zeros(len(nodes), dtype=np.uint8)
    inside[run.node_at] = run.inside
    by_place = kernels.Members(np.arange(len(run.index) + 1, dtype=np.int64), run.node_at)
    spool = run.match(by_place, resources.storage(), progress)
    del run
    links = spool.finish(resources.threads)
    return MatchedNodes(nodes, _csr(links.counts, links), inside)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    """One matching of a collection against itself."""

    index: PostingIndex  # index of the earliest document of each node
    questions: kernels.Questions  # the key terms of the same documents, by place
    nodes: Nodes  # the documents of each node
    node_at: Ints  # int64 (places,), node at each place
    # uint8 (places,), count of the links between the documents of a place; 0 for a single document
    inside: Uint8s
    k_min: int  # minimum count of a link
    threads: int  # number of threads

    @classmethod
    def prepare(
        cls,
        keys: TermRows,
        targets: TermRows,
        nodes: Nodes,
        *,
        k_min: int,
        resources: Resources,
        amounts: Uint8s | None = None,
    ) -> _Run:
        threads = resources.threads
        index = PostingIndex.build(keys, targets, nodes.leaders, shard_size=resources.shard_size, threads=threads)
        node_at = nodes.node_of[index.order]
        return cls(
            index=index,
            questions=index.own_questions(keys, threads, amounts),
            nodes=nodes,
            node_at=node_at,
            inside=index.counts_within(nodes.weights[node_at], keys, targets),
            k_min=k_min,
            threads=threads,
        )

    def match(self, members: kernels.Members, storage: Storage, progress: Progress | None) -> LinkSpool:
        """Match all places; ``members`` says what a place represents in the result."""
        several = np.diff(members.indptr) > 1
        spool = LinkSpool(storage, members, several & (self.inside >= self.k_min))
        done, places = 0, range(0, len(self.index), _ROWS_AT_ONCE)
        scratch = threading.local()
        with ThreadPool(self.threads) as pool:
            for parts in pool.map(lambda first: self._match_chunk(first, members, scratch), places):
                for part in parts:
                    spool.add(part)
                    done += int(self.nodes.weights[self.node_at[part.first : part.first + len(part.lengths)]].sum())
                if progress is not None:
                    progress("matching", done, len(self.nodes.members))
        return spool

    def _match_chunk(self, first: int, members: kernels.Members, scratch: threading.local) -> list[kernels.LinkRows]:
        if not hasattr(scratch, "arrays"):
            scratch.arrays = self.index.scratch(links=min(_LINKS_AT_ONCE, _ROWS_AT_ONCE * len(self.index)))
        last = min(first + _ROWS_AT_ONCE, len(self.index))
        return list(self._match_rows(first, last, members, scratch.arrays))

    def _match_rows(
        self, first: int, last: int, members: kernels.Members, scratch: kernels.Scratch
    ) -> Iterator[kernels.LinkRows]:
        """Rows of places first to last - 1, in as many parts as their links need."""
        found = self.index.ask(self.questions, first, last, k_min=self.k_min, scratch=scratch)
        room = -1 if found is None else kernels.count_expanded(found, members)
        if found is None or (room > _LINKS_AT_ONCE and last - first > 1):
            middle = (first + last) // 2
            yield from self._match_rows(first, middle, members, scratch)
            yield from self._match_rows(middle, last, members, scratch)
            return
        expanded = np.empty(room + int(members.indptr[last] - members.indptr[first]), dtype=np.uint64)
        written = kernels.expand(found, first, last, self.inside, self.k_min, members, expanded)
        ordered = expanded[:written]
        ordered.sort()
        rows = kernels.LinkRows(
            first, np.zeros(last - first, np.int64), np.empty(written, np.int32), np.empty(written, np.uint8)
        )
        kernels.split(ordered, rows)
        yield rows


def match_weights(keys: sp.csr_array, targets: sp.csr_array, share: float, *, terms: int) -> tuple[Int32s, Int32s]:
    """Pairs in which one document has at least a share of the weight of the other's key terms, and enough terms.

    Ordinals (a, b), a < b, in the order of (b, a). ``terms`` may match in the other direction. A few pairs have a
    little less of the weight. At most 15 key terms in a row.
    """
    links, amounts, least = weighed_links(keys, targets, share, most=15)
    a, b = linked_pairs(links)
    enough = np.empty(len(a), dtype=np.bool_)
    mark_enough(a, b, TermPlaces(term_rows(keys), term_rows(targets)), amounts, least, terms, enough)
    return a[enough], b[enough]


def weighed_links(
    keys: sp.csr_array, targets: sp.csr_array, share: float, *, most: int
) -> tuple[sp.csr_array, Uint8s, int]:
    """Link documents to those with at least a share, or a little less, of the weight of their key terms.

    Returns counts, uint8 (documents, documents); how much of a count each key term is; and the count that suffices.
    most: largest number of key terms in a row.
    """
    asking, answering = term_rows(keys), term_rows(targets)
    sizes, every = np.diff(asking.indptr), np.arange(asking.documents + 1)
    own = np.repeat(np.asarray(keys.sum(axis=1), dtype=np.int64).ravel(), sizes)
    # In all at most 255, although each is rounded up.
    whole = 255 - most
    amounts, least = (-(-whole * keys.data // own)).astype(np.uint8), math.ceil(share * whole)
    nodes, resources = Nodes(every[:-1], every, every[:-1]), Resources()
    run = _Run.prepare(asking, answering, nodes, k_min=least, resources=resources, amounts=amounts)
    spool = run.match(kernels.Members(every, run.node_at), resources.storage(), None)
    del run
    links = spool.finish(resources.threads)
    return _csr(links.counts, links), amounts, least


def _sum_matched(
    links: LinkArrays, keys: TermRows, key_weights: Ints, targets: TermRows, storage: Storage, threads: int
) -> Ints:
    """int64 (links,): summed weight of the key terms that make each link."""
    matched = storage.empty(len(links.columns), np.int64)

    def fill(first: int) -> None:
        last = min(first + _ROWS_AT_ONCE, keys.documents)
        kernels.matched_weights(first, last, links, keys, key_weights, targets, matched)

    with ThreadPool(threads) as pool:
        list(pool.map(fill, range(0, keys.documents, _ROWS_AT_ONCE)))
    return matched


def _csr(values: Uint8s | Ints, links: LinkArrays) -> sp.csr_array:
    return sparse_rows(values, links.columns, links.indptr, (len(links.indptr) - 1,) * 2)
