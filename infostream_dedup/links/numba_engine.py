"""The compiled engine: exact counts by posting lists, over all cores."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

import numpy as np
import scipy.sparse as sp

from infostream_dedup.links.collapse import Nodes, collapse
from infostream_dedup.links.engine import checked
from infostream_dedup.links.kernels.forward_matching import match_rows
from infostream_dedup.links.kernels.link_rows import count_expanded, expand, matched_weights, own_counts, split
from infostream_dedup.links.link_rows import LinkRows, Links, LinkSpool, Storage
from infostream_dedup.links.posting_index import SHARD_SIZE, PostingIndex
from infostream_dedup.links.similarity_matrix import SimilarityMatrix
from infostream_dedup.links.term_rows import TermRows, term_rows
from infostream_dedup.machine.first_use import FirstUse
from infostream_dedup.machine.progress import Progress
from infostream_dedup.machine.threads import thread_count

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["NodeLinks", "NumbaEngine"]

_ROWS_AT_ONCE: Final = 4096
_LINKS_AT_ONCE: Final = 1 << 23


@dataclass(frozen=True, slots=True)
class NodeLinks:
    """Links between nodes of equal documents: as much as S and T need, however large the nodes are.

    Attributes:
        nodes: the documents of each node.
        counts: uint8 (nodes, nodes), sorted indices, empty diagonal, only counts >= k_min.
        own: uint8 (nodes,), key terms of a document found in its equals; 0 for a node of one document.
    """

    nodes: Nodes
    counts: sp.csr_array
    own: NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class NumbaEngine:
    """Matches over all cores; the result does not depend on how many there are.

    Attributes:
        workers: threads; 0 for as many as the process may use.
        folder: where links go that exceed ``memory``, in files that vanish with the result; ``None`` for the system's
            folder for temporary files.
        memory: bytes of links to keep in memory.
        shard_size: documents whose counters are worked on at a time; changes the speed only.
    """

    name: ClassVar[str] = "numba"
    workers: int = 0
    folder: Path | None = None
    memory: int = 4 << 30
    shard_size: int = SHARD_SIZE

    def match(
        self,
        keys: sp.csr_array,
        targets: sp.csr_array,
        *,
        n: int,
        weights: bool,
        k_min: int,
        progress: Progress | None = None,
    ) -> SimilarityMatrix:
        """Match as ``Engine.match`` says."""
        checked(keys, targets, n=n)
        _FIRST_USE.prepare(progress)
        nodes = collapse(keys, targets)
        storage = Storage(self.memory, self.folder)
        run = _Run.over(term_rows(keys), term_rows(targets), nodes, k_min=k_min, engine=self)
        links = run.links(run.documents_by_place(), storage, thread_count(self.workers), progress)
        counts = _csr(links.counts, links)
        matched = _csr(self._matched(keys, targets, links, storage), links) if weights else None
        return SimilarityMatrix(counts, k_min=k_min, n=n, matched=matched)

    def match_nodes(
        self, keys: sp.csr_array, targets: sp.csr_array, *, n: int, k_min: int, progress: Progress | None = None
    ) -> NodeLinks:
        """The same links between nodes of equal documents, without writing out what equal documents share.

        Arguments and errors as in ``match``.
        """
        checked(keys, targets, n=n)
        _FIRST_USE.prepare(progress)
        nodes = collapse(keys, targets)
        run = _Run.over(term_rows(keys), term_rows(targets), nodes, k_min=k_min, engine=self)
        links = run.links(run.nodes_by_place(), Storage(self.memory, self.folder), thread_count(self.workers), progress)
        own = np.zeros(len(nodes), dtype=np.uint8)
        own[run.node_at] = run.own
        return NodeLinks(nodes, _csr(links.counts, links), own)

    def _matched(self, keys: sp.csr_array, targets: sp.csr_array, links: Links, storage: Storage) -> NDArray[np.int64]:
        matched = storage.empty(len(links.columns), np.int64)
        asking, answering = term_rows(keys), term_rows(targets)
        key_weights = keys.data.astype(np.int64, copy=False)

        def fill(first: int) -> None:
            matched_weights(
                first,
                min(first + _ROWS_AT_ONCE, len(asking)),
                links.indptr,
                links.columns,
                asking.indptr,
                asking.indices,
                key_weights,
                answering.indptr,
                answering.indices,
                matched,
            )

        with ThreadPoolExecutor(thread_count(self.workers)) as pool:
            list(pool.map(fill, range(0, len(asking), _ROWS_AT_ONCE)))
        return matched


@dataclass(frozen=True, slots=True)
class _Members:
    """What stands at each place: its documents, or its node."""

    indptr: NDArray[np.int64]
    members: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _Run:
    """One matching: the index of the nodes and what it is asked.

    Attributes:
        index: of the nodes' earliest documents.
        nodes: the documents of each node.
        node_at: int64 (places,), node at each place.
        own: uint8 (places,), key terms of a document found in its equals; 0 where there are none.
        k_min: least count of a link.
    """

    index: PostingIndex
    nodes: Nodes
    node_at: NDArray[np.int64]
    own: NDArray[np.uint8]
    k_min: int

    @classmethod
    def over(cls, keys: TermRows, targets: TermRows, nodes: Nodes, *, k_min: int, engine: NumbaEngine) -> _Run:
        threads = thread_count(engine.workers)
        index = PostingIndex.build(keys, targets, nodes.leaders, shard_size=engine.shard_size, threads=threads)
        node_at = nodes.node_of[index.order]
        several = np.flatnonzero(nodes.weights[node_at] > 1)
        counts = np.zeros(len(several), dtype=np.uint8)
        leaders = index.order[several].astype(np.int64)
        own_counts(leaders, keys.indptr, keys.indices, targets.indptr, targets.indices, counts)
        own = np.zeros(len(index), dtype=np.uint8)
        own[several] = counts
        return cls(index, nodes, node_at, own, k_min)

    def documents_by_place(self) -> _Members:
        lengths = self.nodes.weights[self.node_at]
        indptr = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
        position = np.arange(indptr[-1]) + np.repeat(self.nodes.indptr[self.node_at] - indptr[:-1], lengths)
        return _Members(indptr, self.nodes.members[position])

    def nodes_by_place(self) -> _Members:
        return _Members(np.arange(len(self.index) + 1, dtype=np.int64), self.node_at)

    def links(self, by_place: _Members, storage: Storage, threads: int, progress: Progress | None) -> Links:
        """Match all places; ``by_place`` says what a place stands for in the result."""
        several = np.diff(by_place.indptr) > 1
        spool = LinkSpool(storage, by_place.indptr, by_place.members, several & (self.own >= self.k_min))
        done, places = 0, range(0, len(self.index), _ROWS_AT_ONCE)
        workspaces = threading.local()
        with ThreadPoolExecutor(threads) as pool:
            for rows in pool.map(lambda first: self._chunk(first, by_place, workspaces), places):
                for part in rows:
                    spool.add(part)
                    done += int(self.nodes.weights[self.node_at[part.first : part.first + len(part.lengths)]].sum())
                if progress is not None:
                    progress("matching", done, len(self.nodes.members))
        return spool.finish(threads)

    def _chunk(self, first: int, by_place: _Members, workspaces: threading.local) -> list[LinkRows]:
        if not hasattr(workspaces, "of_thread"):
            workspaces.of_thread = _Workspace.for_index(self.index)
        last = min(first + _ROWS_AT_ONCE, len(self.index))
        return list(self._rows(first, last, by_place, workspaces.of_thread))

    def _rows(self, first: int, last: int, by_place: _Members, workspace: _Workspace) -> Iterator[LinkRows]:
        """Rows of places first to last - 1, in as many parts as their links need room."""
        found = self._match(first, last, workspace)
        room = -1 if found < 0 else count_expanded(workspace.links[:found], by_place.indptr)
        if found < 0 or (room > _LINKS_AT_ONCE and last - first > 1):
            middle = (first + last) // 2
            yield from self._rows(first, middle, by_place, workspace)
            yield from self._rows(middle, last, by_place, workspace)
            return
        expanded = np.empty(room + int(by_place.indptr[last] - by_place.indptr[first]), dtype=np.uint64)
        written = expand(
            workspace.links[:found], first, last, self.own, self.k_min, by_place.indptr, by_place.members, expanded
        )
        ordered = expanded[:written]
        ordered.sort()
        rows = LinkRows(
            first, np.zeros(last - first, np.int64), np.empty(written, np.int32), np.empty(written, np.uint8)
        )
        split(ordered, rows.lengths, rows.columns, rows.counts)
        yield rows

    def _match(self, first: int, last: int, workspace: _Workspace) -> int:
        index = self.index
        return match_rows(
            first,
            last,
            index.key_indptr,
            index.ranks,
            index.terms,
            index.starts,
            index.postings,
            index.shard_size,
            index.targets.indptr,
            index.targets.indices,
            index.order,
            self.k_min,
            workspace.hits,
            workspace.touched,
            workspace.links,
        )


@dataclass(frozen=True, slots=True)
class _Workspace:
    """What one thread writes to. Made by numpy, whose large arrays get large memory pages."""

    hits: NDArray[np.uint8]
    touched: NDArray[np.uint32]
    links: NDArray[np.uint64]

    @classmethod
    def for_index(cls, index: PostingIndex) -> _Workspace:
        room = min(_LINKS_AT_ONCE, _ROWS_AT_ONCE * len(index)) + len(index) + index.shard_size
        return cls(
            np.zeros(index.shard_size, dtype=np.uint8),
            np.empty(index.shard_size + 1, dtype=np.uint32),
            np.empty(room, dtype=np.uint64),
        )


def _csr(values: NDArray[np.uint8] | NDArray[np.int64], links: Links) -> sp.csr_array:
    size = len(links.indptr) - 1
    # Bounds of rows as wide as the columns, else all columns would be copied to make them as wide as the bounds.
    indptr = links.indptr.astype(np.int32) if len(values) < 2**31 else links.indptr
    return sp.csr_array((values, links.columns, indptr), shape=(size, size))


def _toy() -> object:
    toy = sp.csr_array(np.array([[1, 0], [1, 0], [1, 1]], dtype=np.int64))
    return NumbaEngine(workers=1, shard_size=2).match(toy, toy, n=2, weights=True, k_min=1)


_FIRST_USE = FirstUse(_toy)
