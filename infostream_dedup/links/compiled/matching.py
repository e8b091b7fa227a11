"""Matching by posting lists: exact counts, over all cores."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
import scipy.sparse as sp
from numpy.typing import DTypeLike, NDArray

from infostream_dedup.arrays import offsets_of, places_of
from infostream_dedup.errors import CannotCreateError
from infostream_dedup.links.compiled.kernels import matching as kernels
from infostream_dedup.links.compiled.kernels.rows import LinkArrays
from infostream_dedup.links.compiled.posting_index import Nodes, PostingIndex, collapse
from infostream_dedup.links.compiled.term_rows import TermRows, term_rows
from infostream_dedup.links.similarity_matrix import SimilarityMatrix, check_input
from infostream_dedup.machine.platform import reserve
from infostream_dedup.machine.progress import Progress
from infostream_dedup.machine.threads import ThreadPool, thread_count


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

    def _indptr(self) -> NDArray[np.int64]:
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
    inside: NDArray[np.uint8]


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
    node_at: NDArray[np.int64]  # int64 (places,), node at each place
    # uint8 (places,), count of the links between the documents of a place; 0 for a single document
    inside: NDArray[np.uint8]
    k_min: int  # minimum count of a link
    threads: int  # number of threads

    @classmethod
    def prepare(cls, keys: TermRows, targets: TermRows, nodes: Nodes, *, k_min: int, resources: Resources) -> _Run:
        threads = resources.threads
        index = PostingIndex.build(keys, targets, nodes.leaders, shard_size=resources.shard_size, threads=threads)
        node_at = nodes.node_of[index.order]
        return cls(
            index=index,
            questions=index.own_questions(keys, threads),
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
            room = min(_LINKS_AT_ONCE, _ROWS_AT_ONCE * len(self.index))
            scratch.arrays = self.index.scratch(links=room)
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


def _sum_matched(
    links: LinkArrays, keys: TermRows, key_weights: NDArray[np.int64], targets: TermRows, storage: Storage, threads: int
) -> NDArray[np.int64]:
    """int64 (links,): summed weight of the key terms that make each link."""
    matched = storage.empty(len(links.columns), np.int64)

    def fill(first: int) -> None:
        last = min(first + _ROWS_AT_ONCE, keys.documents)
        kernels.matched_weights(first, last, links, keys, key_weights, targets, matched)

    with ThreadPool(threads) as pool:
        list(pool.map(fill, range(0, keys.documents, _ROWS_AT_ONCE)))
    return matched


def _csr(values: NDArray[np.uint8] | NDArray[np.int64], links: LinkArrays) -> sp.csr_array:
    size = len(links.indptr) - 1
    # scipy requires bounds as wide as the columns, and would copy all columns to widen them.
    indptr = links.indptr.astype(np.int32) if len(values) < 2**31 else links.indptr
    return sp.csr_array((values, links.columns, indptr), shape=(size, size))
