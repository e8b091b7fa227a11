"""Finds links by shards of documents: each shard answers the key terms of every chunk, with the in-memory kernel.

Nothing is joined on terms, so a term in half of all documents costs no more than in a single process.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from infostream_dedup.arrays import offsets_of
from infostream_dedup.links.compiled.kernels.low_k import Counters, PlacedCollection, count_asked
from infostream_dedup.links.compiled.kernels.matching import Scratch
from infostream_dedup.links.compiled.posting_index import PostingIndex, commonest_key_terms, ranked_rows
from infostream_dedup.links.compiled.term_rows import TermRows
from infostream_dedup.links.pair_rules import grades_at
from infostream_dedup.machine.threads import thread_count
from infostream_dedup.runs.sharded.kernels.rows import decode_links, name_links, renumber_rows, sort_links
from infostream_dedup.runs.sharded.key_terms import KEYS, KeyChunk
from infostream_dedup.runs.sharded.work_folder import Layout

if TYPE_CHECKING:
    import pyarrow as pa


# Combines documents with equal key terms and equal targets into one node, wherever they are

NODES: Final = Layout("nodes", (), {"node_of": "i8", "leaders": "i8", "inside": "u1", "languages": "u1", "sizes": "u1"})
"""Nodes of a collection, numbered by their earliest documents: the node of each document; and for each node, its
earliest document, count of the links between its documents (0 for a single one), language and number of key terms."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeTable:
    """The nodes of a collection."""

    node_of: NDArray[np.int64]  # int64 (documents,), node of each document
    leaders: NDArray[np.int64]  # int64 (nodes,), earliest document of each node, ascending
    # uint8 (nodes,), count of the links between the documents of a node; 0 for a node of one document
    inside: NDArray[np.uint8]
    # uint8 (nodes,), language of the leader; only with `pivot` do equal documents share one
    languages: NDArray[np.uint8]
    sizes: NDArray[np.uint8]  # uint8 (nodes,), number of key terms
    weights: NDArray[np.int64]  # int64 (nodes,), number of documents

    def __len__(self) -> int:
        return len(self.leaders)

    @property
    def documents(self) -> int:
        """Number of documents."""
        return len(self.node_of)

    @classmethod
    def read(cls, batches: Iterable[pa.RecordBatch]) -> NodeTable:
        """Read the single row of NODES."""
        (row,) = NODES.rows(batches)
        weights = np.bincount(row["node_of"], minlength=len(row["leaders"])).astype(np.int64)
        return cls(**row, weights=weights)

    def graded(self, n: int) -> NodeTable:
        """Nodes whose inner links count at the largest k whose need(k) they meet."""
        return replace(self, inside=grades_at(self.sizes, self.inside, n=n))

    def members(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Documents by node: int64 (nodes + 1,), bounds, and int64 (documents,), ascending within a node."""
        return offsets_of(self.weights), np.argsort(self.node_of, kind="stable")

    def leaders_in(self, first: int, last: int) -> tuple[int, NDArray[np.int64]]:
        """First node led by documents first to last - 1, and offsets from ``first`` of all such leaders."""
        begin, end = np.searchsorted(self.leaders, (first, last))
        return int(begin), self.leaders[begin:end] - first


def collapse_documents(
    batches: Iterable[pa.RecordBatch], *, by_language: bool = False, moments: NDArray[np.int64] | None = None
) -> Iterator[pa.RecordBatch]:
    """Group documents with equal key terms and targets, by two 64-bit hashes of them."""
    rows = [(row["hashes"], row["checks"], row["own"], row["languages"], row["sizes"]) for row in KEYS.rows(batches)]
    hashes, checks = (_joined([row[column] for row in rows], np.uint64) for column in (0, 1))
    own, languages = (_joined([row[column] for row in rows], np.uint8) for column in (2, 3))
    sizes = _joined([row[4].astype(np.uint8) for row in rows], np.uint8)
    columns: list[NDArray[np.generic]] = [checks, hashes]
    if by_language:
        columns.append(languages)
    if moments is not None:
        columns.append(moments)
    order = np.lexsort(columns)
    new = np.ones(len(order), dtype=np.bool_)
    new[1:] = False
    for column in columns:
        ordered = column[order]
        new[1:] |= ordered[1:] != ordered[:-1]
    starts = np.flatnonzero(new)
    # The sort is stable, so each run begins with its earliest document.
    leader_of = np.empty(len(order), dtype=np.int64)
    leader_of[order] = np.repeat(order[starts], np.diff(np.append(starts, len(order))))
    leaders = np.flatnonzero(leader_of == np.arange(len(order)))
    number = np.zeros(len(order), dtype=np.int64)
    number[leaders] = np.arange(len(leaders))
    node_of = number[leader_of]
    several = np.bincount(node_of, minlength=len(leaders)) > 1
    yield NODES.row(
        node_of=node_of,
        leaders=leaders,
        inside=np.where(several, own[leaders], 0),
        languages=languages[leaders],
        sizes=sizes[leaders],
    )


def _joined(parts: list[NDArray[np.generic]], kind: type[np.generic]) -> NDArray[np.generic]:
    return np.concatenate(parts) if parts else np.zeros(0, dtype=kind)


LINKS: Final = Layout("links", ("first", "nodes"), {"sizes": "i4", "columns": "i4", "counts": "u1"})
"""Links of nodes ``first`` to ``first + nodes - 1`` to the nodes of one shard, or of all: ``sizes`` links of each,
to ``columns``, ascending, with ``counts`` common key terms."""

DEGREES: Final = Layout("degrees", ("first", "nodes"), {"outgoing": "i8", "incoming": "i8", "returned": "i8"})
"""For each of nodes ``first`` to ``first + nodes - 1`` and k = 1, 2, ...: the number of documents of one shard that it
links to, that link to it, and both."""

_QUESTIONS_AT_ONCE: Final = 4096
_LINKS_AT_ONCE: Final = 1 << 21


@dataclass(frozen=True, slots=True)
class Linking:
    """Data shared by all shards."""

    nodes: NodeTable  # the nodes of the collection
    numbers_of_keys: NDArray[np.int32]  # int32 (vocabulary,), number of each key term, -1 for other terms
    k_min: int  # minimum count of a link, at least 1
    moments: NDArray[np.int64] | None = None  # int64 (documents,), seconds; needed with `window`
    window: int | None = None  # maximum number of seconds between two linked documents; `None` for no limit

    @property
    def key_terms(self) -> int:
        """Number of terms that are key terms of any document."""
        return int(self.numbers_of_keys.max(initial=-1)) + 1

    def leaders(self, chunk: KeyChunk) -> tuple[int, NDArray[np.int64]]:
        """First node led by a document of a chunk, and the positions of all such leaders in the chunk."""
        return self.nodes.leaders_in(chunk.first, chunk.first + len(chunk))

    def rows(self, rows: TermRows, chosen: NDArray[np.int64]) -> TermRows:
        """Renumber some rows by key terms, ascending; other terms are left out."""
        room = int(np.diff(rows.indptr)[chosen].sum())
        kept, numbers = np.empty(len(chosen), dtype=np.int32), np.empty(room, dtype=np.uint32)
        written = renumber_rows(rows.indptr, rows.indices, chosen, self.numbers_of_keys, True, kept, numbers)
        return TermRows(offsets_of(kept), numbers[:written].copy(), self.key_terms)


class Shard:
    """Posting lists of the nodes that documents of some chunks lead.

    ``chunks``: the chunks, ascending; ``linking``: data shared by all shards.
    """

    def __init__(self, chunks: Iterable[KeyChunk], linking: Linking) -> None:
        keys, targets, nodes = [], [], [np.zeros(0, dtype=np.int64)]
        for chunk in chunks:
            first, leaders = linking.leaders(chunk)
            keys.append(linking.rows(chunk.keys, leaders))
            targets.append(linking.rows(chunk.targets, leaders))
            nodes.append(np.arange(first, first + len(leaders), dtype=np.int64))
        self._linking = linking
        self._nodes = np.concatenate(nodes)
        self._keys = _stacked(keys, linking.key_terms)
        every = np.arange(linking.key_terms, dtype=np.int64)
        self._index = PostingIndex.build(
            self._keys, _stacked(targets, linking.key_terms), np.arange(len(self._nodes)), terms=every
        )
        self._place_of = np.empty(len(self._nodes), dtype=np.int64)
        self._place_of[self._index.order] = np.arange(len(self._nodes))
        self._own = threading.local()
        self._moments = _moments_of(linking, self._nodes)

    def __len__(self) -> int:
        return len(self._nodes)

    def ask(self, chunks: Iterable[KeyChunk], *, workers: int = 1) -> Iterator[pa.RecordBatch]:
        """Links of the nodes led by documents of some chunks to the nodes of this shard: a row of LINKS for each."""
        threads = thread_count(workers)
        with ThreadPoolExecutor(threads) as pool:
            for some in _batched(chunks, threads):
                yield from pool.map(self._answer, some)

    def _answer(self, chunk: KeyChunk) -> pa.RecordBatch:
        if not hasattr(self._own, "scratch"):
            self._own.scratch = self._index.scratch(links=_LINKS_AT_ONCE)
        scratch: Scratch = self._own.scratch
        first, leaders = self._linking.leaders(chunk)
        parts = [np.zeros(0, dtype=np.uint64)]
        if len(self) and len(leaders) and self._within_reach(chunk):
            parts += self._named(self._linking.rows(chunk.keys, leaders), first, scratch)
        links = np.concatenate(parts)
        links.sort()
        links = self._in_window(links, first)
        sizes = np.zeros(len(leaders), dtype=np.int32)
        columns, counts = np.empty(len(links), dtype=np.int32), np.empty(len(links), dtype=np.uint8)
        decode_links(links, sizes, columns, counts)
        return LINKS.row(first=first, nodes=len(leaders), sizes=sizes, columns=columns, counts=counts)

    def _named(self, keys: TermRows, first: int, scratch: Scratch) -> Iterator[NDArray[np.uint64]]:
        """Links of questions, with similar questions adjacent, so that they use the same posting lists."""
        frequencies = np.diff(self._index.starts).sum(axis=0)
        by_term = np.zeros(len(self._index.rank), dtype=np.int64)
        by_term[self._index.terms] = frequencies
        order = np.argsort(commonest_key_terms(keys, by_term), kind="stable").astype(np.uint32)
        questions = self._index.questions(keys, order, self._places_of(order.astype(np.int64) + first))
        waiting = [
            (begin, min(begin + _QUESTIONS_AT_ONCE, len(order))) for begin in range(0, len(order), _QUESTIONS_AT_ONCE)
        ][::-1]
        while waiting:
            begin, end = waiting.pop()
            found = self._index.ask(questions, begin, end, k_min=self._linking.k_min, scratch=scratch)
            if found is None:
                middle = (begin + end) // 2
                waiting += [(middle, end), (begin, middle)]
                continue
            named = np.empty(len(found), dtype=np.uint64)
            name_links(found, order[begin:end], self._index.order, self._nodes, named)
            yield named

    def degrees(self, chunks: Iterable[KeyChunk], *, n: int, most: int) -> Iterator[pa.RecordBatch]:
        """How many documents of this shard each node is linked with at k = 1 to ``most``, without storing a link.

        chunks: the asking chunks; there must be no window.
        """
        index, weights = self._index, self._linking.nodes.weights
        key_starts, key_postings = index.lists_of(self._keys, 1)
        size = index.shard_size
        counters = Counters(
            np.zeros(size, np.uint8),
            np.zeros(size, np.uint8),
            np.empty(size + 1, np.uint32),
            np.empty(size + 1, np.uint32),
        )
        for chunk in chunks:
            first, leaders = self._linking.leaders(chunk)
            order = np.arange(len(leaders), dtype=np.uint32)
            keys = ranked_rows(self._linking.rows(chunk.keys, leaders), order, index.rank)
            targets = ranked_rows(self._linking.rows(chunk.targets, leaders), order, index.rank)
            asking = PlacedCollection(
                key_indptr=keys[0],
                key_ranks=keys[1],
                target_indptr=targets[0],
                target_ranks=targets[1],
                target_starts=index.starts,
                target_postings=index.postings,
                key_starts=key_starts,
                key_postings=key_postings,
                shard_size=size,
                weights=weights[self._nodes[index.order]].astype(np.uint32),
                own=np.zeros(0, dtype=np.uint8),
            )
            counts = np.zeros((3, len(leaders), n + 1), dtype=np.int64)
            itself = self._places_of(np.arange(first, first + len(leaders)))
            count_asked(len(leaders), asking, itself, counters, *counts)
            at_least = np.cumsum(counts[:, :, ::-1], axis=2)[:, :, ::-1][:, :, 1 : most + 1]
            out, into, both = (one.ravel() for one in at_least)
            yield DEGREES.row(first=first, nodes=len(leaders), outgoing=out, incoming=into, returned=both)

    def _places_of(self, nodes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Position of nodes in the index, -1 if they are not in this shard."""
        at = np.searchsorted(self._nodes, nodes)
        here = at < len(self._nodes)
        here[here] = self._nodes[at[here]] == nodes[here]
        places = np.full(len(nodes), -1, dtype=np.int64)
        places[here] = self._place_of[at[here]]
        return places

    def _within_reach(self, chunk: KeyChunk) -> bool:
        linking = self._linking
        if linking.window is None or linking.moments is None:
            return True
        asking = linking.moments[chunk.first : chunk.first + len(chunk)]
        return bool(
            asking.min() <= self._moments.max() + linking.window
            and asking.max() >= self._moments.min() - linking.window
        )

    def _in_window(self, links: NDArray[np.uint64], first: int) -> NDArray[np.uint64]:
        linking = self._linking
        if linking.window is None or linking.moments is None:
            return links
        asking = linking.nodes.leaders[first + (links >> np.uint64(40)).astype(np.int64)]
        node = ((links >> np.uint64(8)) & np.uint64(0xFFFFFFFF)).astype(np.int64)
        between = np.abs(linking.moments[asking] - linking.moments[linking.nodes.leaders[node]])
        kept: NDArray[np.uint64] = links[between <= linking.window]
        return kept


def merge_links(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Join the links that shards found: consecutive rows of LINKS of the same nodes become one."""
    waiting: list[dict[str, Any]] = []
    for row in LINKS.rows(batches):
        if waiting and (waiting[0]["first"], waiting[0]["nodes"]) != (row["first"], row["nodes"]):
            yield _merged(waiting)
            waiting = []
        waiting.append(row)
    if waiting:
        yield _merged(waiting)


def _merged(rows: Sequence[dict[str, Any]]) -> pa.RecordBatch:
    first, nodes = int(rows[0]["first"]), int(rows[0]["nodes"])
    sizes = np.zeros(nodes, dtype=np.int64)
    for row in rows:
        sizes += row["sizes"]
    indptr = offsets_of(sizes)
    columns, counts = np.empty(indptr[-1], dtype=np.int32), np.empty(indptr[-1], dtype=np.uint8)
    cursor = indptr[:-1].copy()
    for row in rows:
        own = row["sizes"].astype(np.int64)
        place = np.arange(len(row["columns"])) + np.repeat(cursor - offsets_of(own)[:-1], own)
        columns[place], counts[place] = row["columns"], row["counts"]
        cursor += own
    sort_links(indptr, columns, counts, np.empty(int(sizes.max(initial=0)), dtype=np.uint64))
    return LINKS.row(first=first, nodes=nodes, sizes=sizes, columns=columns, counts=counts)


def _batched(chunks: Iterable[KeyChunk], size: int) -> Iterator[list[KeyChunk]]:
    """Chunks, a given number at a time (``itertools.batched`` of Python 3.12)."""
    waiting = iter(chunks)
    while some := list(islice(waiting, size)):
        yield some


def _stacked(rows: Sequence[TermRows], terms: int) -> TermRows:
    indptr = offsets_of(np.concatenate([np.zeros(0, dtype=np.int64), *(np.diff(one.indptr) for one in rows)]))
    indices = np.concatenate([np.zeros(0, dtype=np.uint32), *(one.indices for one in rows)])
    return TermRows(indptr, indices, terms)


def _moments_of(linking: Linking, nodes: NDArray[np.int64]) -> NDArray[np.int64]:
    if linking.moments is None:
        return np.zeros(0, dtype=np.int64)
    moments: NDArray[np.int64] = linking.moments[linking.nodes.leaders[nodes]]
    return moments
