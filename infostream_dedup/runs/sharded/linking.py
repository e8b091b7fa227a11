"""Finds links by shards of documents, and S and T by blocks of rows.

Nothing is joined on terms, so a term in half of all documents costs no more than in a single process.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

import numpy as np
import pyarrow as pa
import scipy.sparse as sp
from numpy.typing import NDArray

from infostream_dedup.links.compiled.kernels.low_k import PlacedCollection, count_asked
from infostream_dedup.links.compiled.kernels.matching import LinkRows, Scratch, split
from infostream_dedup.links.compiled.kernels.rows import LinkArrays
from infostream_dedup.links.compiled.low_k import counters_for
from infostream_dedup.links.compiled.matching import PostingIndex, commonest_key_terms, ranked_rows
from infostream_dedup.links.compiled.term_rows import TermRows
from infostream_dedup.links.compiled.totals import LinkBlock, block_totals
from infostream_dedup.links.measures import KTotals, LinkTotals
from infostream_dedup.links.pair_rules import grades_at
from infostream_dedup.links.relation import group_sizes_of_nodes
from infostream_dedup.links.similarity_matrix import SimilarityMatrix
from infostream_dedup.machine import arrays
from infostream_dedup.machine.arrays import Bools, Int32s, Ints, Uint8s, Uint64s
from infostream_dedup.machine.threads import mapped, thread_count
from infostream_dedup.runs.batch.deduplication import groups_of
from infostream_dedup.runs.sharded import kernels
from infostream_dedup.runs.sharded.key_terms import KEYS, KeyChunk
from infostream_dedup.runs.sharded.work_folder import Layout, joined, rows_by_chunk

# Combines documents with equal key terms and equal targets into one node, wherever they are

NODES: Final = Layout("nodes", (), {"node_of": "i8", "leaders": "i8", "inside": "u1", "languages": "u1", "sizes": "u1"})
"""Nodes of a collection, numbered by their earliest documents: the node of each document; and for each node, its
earliest document, count of the links between its documents (0 for a single one), language and number of key terms."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeTable:
    """The nodes of a collection."""

    node_of: Ints  # int64 (documents,), node of each document
    leaders: Ints  # int64 (nodes,), earliest document of each node, ascending
    # uint8 (nodes,), count of the links between the documents of a node; 0 for a node of one document
    inside: Uint8s
    # uint8 (nodes,), language of the leader; only with `pivot` do equal documents share one
    languages: Uint8s
    sizes: Uint8s  # uint8 (nodes,), number of key terms
    weights: Ints  # int64 (nodes,), number of documents

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
        return cls(**row, weights=np.bincount(row["node_of"], minlength=len(row["leaders"])).astype(np.int64))

    def graded(self, n: int) -> NodeTable:
        """Nodes whose inner links count at the largest k whose need(k) they meet."""
        return replace(self, inside=grades_at(self.sizes, self.inside, n=n))

    def members(self) -> tuple[Ints, Ints]:
        """Documents by node: int64 (nodes + 1,), bounds, and int64 (documents,), ascending within a node."""
        return arrays.offsets_of(self.weights), np.argsort(self.node_of, kind="stable")

    def leaders_in(self, first: int, last: int) -> tuple[int, Ints]:
        """First node led by documents first to last - 1, and offsets from ``first`` of all such leaders."""
        begin, end = np.searchsorted(self.leaders, (first, last))
        return int(begin), self.leaders[begin:end] - first


def collapse_documents(
    batches: Iterable[pa.RecordBatch], *, by_language: bool = False, moments: Ints | None = None
) -> Iterator[pa.RecordBatch]:
    """Group documents with equal key terms and targets, by two 64-bit hashes of them."""
    names = ("hashes", "checks", "own", "languages", "sizes")
    rows = [{name: row[name] for name in names} for row in KEYS.rows(batches)]
    own, languages = (joined(rows, name, np.uint8) for name in ("own", "languages"))
    sizes = joined(rows, "sizes", np.int32).astype(np.uint8)
    columns = [joined(rows, name, np.uint64) for name in ("checks", "hashes")]
    if by_language:
        columns.append(languages)
    if moments is not None:
        columns.append(moments)
    leader_of = arrays.earliest_equal(columns)
    leaders = np.flatnonzero(leader_of == np.arange(len(leader_of)))
    number = np.zeros(len(leader_of), dtype=np.int64)
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
    numbers_of_keys: Int32s  # int32 (vocabulary,), number of each key term, -1 for other terms
    k_min: int  # minimum count of a link, at least 1
    moments: Ints | None = None  # int64 (documents,), seconds; needed with `window`
    window: int | None = None  # maximum number of seconds between two linked documents; `None` for no limit

    @property
    def key_terms(self) -> int:
        """Number of terms that are key terms of any document."""
        return int(self.numbers_of_keys.max(initial=-1)) + 1

    def leaders(self, chunk: KeyChunk) -> tuple[int, Ints]:
        """First node led by a document of a chunk, and the positions of all such leaders in the chunk."""
        return self.nodes.leaders_in(chunk.first, chunk.first + len(chunk))

    def rows(self, rows: TermRows, chosen: Ints) -> TermRows:
        """Renumber some rows by key terms, ascending; other terms are left out."""
        room = int(np.diff(rows.indptr)[chosen].sum())
        kept, numbers = np.empty(len(chosen), dtype=np.int32), np.empty(room, dtype=np.uint32)
        written = kernels.renumber_rows(rows.indptr, rows.indices, chosen, self.numbers_of_keys, True, kept, numbers)
        return TermRows(arrays.offsets_of(kept), numbers[:written].copy(), self.key_terms)


class Shard:
    """Posting lists of the nodes that documents of some ascending chunks lead; ``linking``: shared by all shards."""

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
        moments = linking.moments
        self._moments = np.zeros(0, dtype=np.int64) if moments is None else moments[linking.nodes.leaders[self._nodes]]

    def ask(self, chunks: Iterable[KeyChunk], *, workers: int = 1) -> Iterator[pa.RecordBatch]:
        """Links of the nodes led by documents of some chunks to the nodes of this shard: a row of LINKS for each."""
        return mapped(self._answer, chunks, thread_count(workers))

    def _answer(self, chunk: KeyChunk) -> pa.RecordBatch:
        if not hasattr(self._own, "scratch"):
            self._own.scratch = self._index.scratch(links=_LINKS_AT_ONCE)
        scratch: Scratch = self._own.scratch
        first, leaders = self._linking.leaders(chunk)
        parts = [np.zeros(0, dtype=np.uint64)]
        if len(self._nodes) and len(leaders) and self._within_reach(chunk):
            parts += self._named(self._linking.rows(chunk.keys, leaders), first, scratch)
        links = np.concatenate(parts)
        links.sort()
        links = self._in_window(links, first)
        columns, counts = np.empty(len(links), dtype=np.int32), np.empty(len(links), dtype=np.uint8)
        rows = LinkRows(first, np.zeros(len(leaders), dtype=np.int64), columns, counts)
        split(links, rows)
        return LINKS.row(first=first, nodes=len(leaders), sizes=rows.lengths, columns=columns, counts=counts)

    def _named(self, keys: TermRows, first: int, scratch: Scratch) -> Iterator[Uint64s]:
        """Links of questions, with similar questions adjacent, so that they use the same posting lists."""
        frequencies = np.diff(self._index.lists.starts).sum(axis=0)
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
            kernels.name_links(found, order[begin:end], self._index.order, self._nodes, named)
            yield named

    def degrees(self, chunks: Iterable[KeyChunk], *, n: int, most: int) -> Iterator[pa.RecordBatch]:
        """How many documents of this shard each node is linked with at k = 1 to ``most``, without storing a link."""
        # chunks: the asking chunks; there must be no window.
        index, weights = self._index, self._linking.nodes.weights
        having, counters = index.lists_of(self._keys, 1), counters_for(index.lists.shard_size)
        for chunk in chunks:
            first, leaders = self._linking.leaders(chunk)
            order = np.arange(len(leaders), dtype=np.uint32)
            asking = PlacedCollection(
                keys=ranked_rows(self._linking.rows(chunk.keys, leaders), order, index.rank),
                targets=ranked_rows(self._linking.rows(chunk.targets, leaders), order, index.rank),
                holding=index.lists,
                having=having,
                weights=weights[self._nodes[index.order]].astype(np.uint32),
                own=np.zeros(0, dtype=np.uint8),
            )
            counts = np.zeros((3, len(leaders), n + 1), dtype=np.int64)
            itself = self._places_of(np.arange(first, first + len(leaders)))
            count_asked(asking, itself, counters, *counts)
            at_least = np.cumsum(counts[:, :, ::-1], axis=2)[:, :, ::-1][:, :, 1 : most + 1]
            out, into, both = (one.ravel() for one in at_least)
            yield DEGREES.row(first=first, nodes=len(leaders), outgoing=out, incoming=into, returned=both)

    def _places_of(self, nodes: Ints) -> Ints:
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

    def _in_window(self, links: Uint64s, first: int) -> Uint64s:
        linking = self._linking
        if linking.window is None or linking.moments is None:
            return links
        asking = linking.nodes.leaders[first + (links >> np.uint64(40)).astype(np.int64)]
        node = ((links >> np.uint64(8)) & np.uint64(0xFFFFFFFF)).astype(np.int64)
        between = np.abs(linking.moments[asking] - linking.moments[linking.nodes.leaders[node]])
        kept: Uint64s = links[between <= linking.window]
        return kept


def merge_links(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Join the links that shards found: consecutive rows of LINKS of the same nodes become one."""
    for (first, nodes), group in groupby(LINKS.rows(batches), key=itemgetter("first", "nodes")):
        rows = list(group)
        columns, counts = joined(rows, "columns", np.int32), joined(rows, "counts", np.uint8)
        own = np.concatenate([np.repeat(np.arange(nodes, dtype=np.int32), row["sizes"]) for row in rows])
        shape = (nodes, int(columns.max(initial=-1)) + 1)
        links = sp.coo_array((counts, (own, columns)), shape=shape).tocsr()
        yield LINKS.row(first=first, nodes=nodes, sizes=np.diff(links.indptr), columns=links.indices, counts=links.data)


def _stacked(rows: Sequence[TermRows], terms: int) -> TermRows:
    indptr = arrays.offsets_of(np.concatenate([np.zeros(0, dtype=np.int64), *(np.diff(one.indptr) for one in rows)]))
    indices = np.concatenate([np.zeros(0, dtype=np.uint32), *(one.indices for one in rows)])
    return TermRows(indptr, indices, terms)


# Maximum spanning forests: the fewest links that determine which nodes are connected at every k.
#
# The forest of several forests is the forest of all their links. Each task therefore reduces its links to at most one
# per node, and the forests are merged.

FOREST: Final = Layout("forest", (), {"a": "i4", "b": "i4", "counts": "u1"})
"""Edges of a forest: two nodes and the largest count at which they are connected."""

_ORDER_LEVELS: Final = 4
_MOST: Final = 255


def span_links(batches: Iterable[pa.RecordBatch], nodes: int) -> Iterator[pa.RecordBatch]:
    """The forest of links in either direction."""
    rows = [(row, arrays.offsets_of(row["sizes"])) for row in LINKS.rows(batches)]
    parents, edges = np.arange(nodes, dtype=np.int32), np.empty((nodes, 3), dtype=np.int32)
    held = np.zeros(_MOST + 1, dtype=np.bool_)
    for row, _ in rows:
        held[row["counts"]] = True
    written = 0
    for level in np.flatnonzero(held)[::-1].tolist():
        for row, indptr in rows:
            links = LinkArrays(indptr, row["columns"], row["counts"])
            written = kernels.span_rows(row["first"], links, level, parents, edges, written)
    yield forest_row(edges[:written])


def forest_row(edges: Int32s) -> pa.RecordBatch:
    """A row of FOREST from int32 (edges, 3): both ends and the count."""
    return FOREST.row(a=edges[:, 0], b=edges[:, 1], counts=edges[:, 2])


def merge_forests(batches: Iterable[pa.RecordBatch], nodes: int) -> Iterator[pa.RecordBatch]:
    """The forest of several forests: a single row of FOREST."""
    a, b, counts = _edges(batches)
    order = np.argsort(counts, kind="stable")[::-1]
    kept = np.empty(len(a), dtype=np.int64)
    chosen = kept[: kernels.join_edges(a, b, order.astype(np.int64), np.arange(nodes, dtype=np.int32), kept)]
    yield FOREST.row(a=a[chosen], b=b[chosen], counts=counts[chosen])


def group_sizes_of(forest: Iterable[pa.RecordBatch], nodes: NodeTable, k: int) -> Ints:
    """Documents in each group at k, single ones included: int64 (groups,), in no particular order."""
    a, b, counts = _edges(forest)
    leaders = groups_of([(a[counts >= k], b[counts >= k])], len(nodes))
    return group_sizes_of_nodes(leaders, nodes.weights, nodes.inside < k)


def linkage_order(forest: Iterable[pa.RecordBatch], nodes: int) -> Ints:
    """Nodes in single-linkage order, so that linked ones are adjacent: int64 (nodes,)."""
    a, b, counts = _edges(forest)
    levels = np.unique(counts)
    step = max(1, -(-len(levels) // _ORDER_LEVELS))
    labels = [groups_of([(a[kept], b[kept])], nodes) for kept in (counts >= level for level in levels[::step][::-1])]
    return np.lexsort(labels).astype(np.int64) if labels else np.arange(nodes, dtype=np.int64)


def _edges(batches: Iterable[pa.RecordBatch]) -> tuple[Int32s, Int32s, Uint8s]:
    rows = list(FOREST.rows(batches))
    if not rows:
        nothing = np.zeros(0, dtype=np.int32)
        return nothing, nothing, np.zeros(0, dtype=np.uint8)
    a, b, counts = (np.concatenate([row[name] for row in rows]) for name in ("a", "b", "counts"))
    return a, b, counts


TOTALS: Final = Layout("totals", ("documents",), {"ks": "i8", "upper": "u8", "lower": "u8"})
"""Integer sums of a block at each k: links, reciprocal links, paths and closed paths for each k, as upper and lower
halves of 64 bits, since 2^64 paths are within reach."""

_FIELDS: Final = ("links", "reciprocal", "paths", "closed")
_UNKNOWN: Final = 2**64 - 1  # upper half that marks a number as not counted


@dataclass(frozen=True, slots=True)
class BlockRows:
    """Rows of links, complete."""

    nodes: Ints  # int64 (rows,), node of each row, ascending
    indptr: Ints  # int64 (rows + 1,), bounds of the rows
    columns: Int32s  # int32 (links,), nodes, ascending in a row
    counts: Uint8s  # uint8 (links,)

    @classmethod
    def joined(cls, parts: Sequence[BlockRows]) -> BlockRows:
        """Merge the rows of several parts in ascending order, keeping each node once."""
        nodes = np.concatenate([np.zeros(0, np.int64), *(part.nodes for part in parts)])
        indptr = arrays.offsets_of(np.concatenate([np.zeros(0, np.int64), *(np.diff(part.indptr) for part in parts)]))
        columns = np.concatenate([np.zeros(0, np.int32), *(part.columns for part in parts)])
        counts = np.concatenate([np.zeros(0, np.uint8), *(part.counts for part in parts)])
        return cls(nodes, indptr, columns, counts).taken(np.unique(nodes, return_index=True)[1])

    def taken(self, rows: Ints) -> BlockRows:
        """Select some rows."""
        place, sizes = arrays.entries_of(self.indptr, rows)
        return BlockRows(self.nodes[rows], arrays.offsets_of(sizes), self.columns[place], self.counts[place])


class LinkTable:
    """All links of a collection, in files or in memory; ``batches``: of LINKS, a row for the nodes of each chunk."""

    def __init__(self, batches: Iterable[pa.RecordBatch]) -> None:
        self._rows = sorted(LINKS.rows(batches), key=lambda row: (row["first"], row["nodes"]))
        self._firsts = np.array([row["first"] for row in self._rows], dtype=np.int64)

    def __len__(self) -> int:
        return sum(len(row["columns"]) for row in self._rows)

    def sizes(self) -> Ints:
        """int64 (nodes,): links of each node."""
        return joined(self._rows, "sizes")

    def whole(self) -> BlockRows:
        """All rows."""
        return (
            BlockRows.joined([_rows_of(row) for row in self._rows]) if len(self._rows) != 1 else _rows_of(self._rows[0])
        )

    def chunks(self) -> Iterator[BlockRows]:
        """All rows, chunk by chunk."""
        for row in self._rows:
            yield _rows_of(row)

    def rows(self, nodes: Ints) -> BlockRows:
        """The rows of some nodes, which ascend."""
        asked = zip(self._rows, rows_by_chunk(nodes, self._firsts), strict=True)
        return BlockRows.joined([_rows_of(row).taken(rows) for row, rows in asked if len(rows)])

    def block(self, own: Ints) -> BlockRows:
        """The rows of some nodes (ascending) and of all nodes to which they link."""
        rows = self.rows(own)
        ends = np.setdiff1d(np.unique(rows.columns).astype(np.int64), own, assume_unique=True)
        return BlockRows.joined([rows, self.rows(ends)])


def _rows_of(row: dict[str, Any]) -> BlockRows:
    nodes = np.arange(row["first"], row["first"] + row["nodes"], dtype=np.int64)
    return BlockRows(nodes, arrays.offsets_of(row["sizes"]), row["columns"], row["counts"])


def write_out(
    rows: BlockRows, nodes: NodeTable, k: int, *, n: int, scaled: bool, labels: Uint8s | None, same: bool
) -> SimilarityMatrix:
    """All links at k and above, document by document."""
    rows = _chosen(rows, nodes, n if scaled else None, labels, same=same)
    rows = _kept(rows, rows.counts >= k)
    size, documents = len(nodes), nodes.documents
    a, b = _row_nodes(rows), rows.columns
    within = np.flatnonzero(nodes.inside >= k)
    a, b = np.append(a, within), np.append(b, within)
    counts = np.append(rows.counts, nodes.inside[within])
    between = sp.csr_array((counts, (a, b)), shape=(size, size))
    ones = np.ones(documents, dtype=np.uint8)
    members = sp.csr_array((ones, (np.arange(documents), nodes.node_of)), shape=(documents, size))
    links = sp.coo_array(members @ between @ members.T)
    others = links.row != links.col
    found = sp.csr_array((links.data[others], (links.row[others], links.col[others])), shape=links.shape)
    found.sort_indices()
    return SimilarityMatrix(found, n=n, k_min=k)


def _chosen(rows: BlockRows, nodes: NodeTable, scaled: int | None, labels: Uint8s | None, *, same: bool) -> BlockRows:
    """The links within or between labels; ``scaled``: the n by whose need(k) links of short documents count."""
    if scaled is None and labels is None:
        return rows
    one, other = _row_nodes(rows), rows.columns
    if scaled is not None:
        shorter = np.minimum(nodes.sizes[one], nodes.sizes[other])
        rows = replace(rows, counts=grades_at(shorter, rows.counts, n=scaled))
    return rows if labels is None else _kept(rows, (labels[one] == labels[other]) == same)


def count_block(
    own: Ints,
    rows: BlockRows,
    nodes: NodeTable,
    ks: Sequence[int],
    *,
    labels: Uint8s | None = None,
    same: bool = True,
    scaled: bool = False,
    workers: int = 1,
) -> tuple[LinkTotals, pa.RecordBatch]:
    """Count the links and paths that start in some nodes, and span a forest over their returned links."""
    # own: int64, the nodes, ascending. scaled: links of short documents count at the k whose need(k) they meet;
    # ``nodes`` are ``graded`` then.
    rows = _chosen(rows, nodes, ks[-1] if scaled else None, labels, same=same)
    used = np.zeros(len(nodes), dtype=np.bool_)
    used[own] = used[rows.nodes] = used[rows.columns] = True
    local = np.flatnonzero(used)
    number = np.cumsum(used, dtype=np.int32) - np.int32(1)
    sizes = np.zeros(len(local), dtype=np.int64)
    sizes[number[rows.nodes]] = np.diff(rows.indptr)
    # Rows and numbers both ascend, so the links need not be moved.
    indptr = arrays.offsets_of(sizes)
    columns = rows.columns if len(local) == len(nodes) else number[rows.columns]
    counts = arrays.sparse_rows(rows.counts, columns, indptr, (len(local), len(local)))
    chosen = np.zeros(len(local), dtype=np.bool_)
    chosen[number[own]] = True
    weights = nodes.weights[local]
    block = LinkBlock(
        counts,
        weights if int(weights.max(initial=1)) > 1 else None,
        nodes.inside[local],
        None if len(own) == len(local) else chosen,
    )
    totals = block_totals(block, ks, closed=labels is None or same, workers=workers)
    forest = _mutual_forest(indptr, columns, rows.counts, number[own])
    forest[:, :2] = local[forest[:, :2]]
    return totals, forest_row(forest)


def _mutual_forest(indptr: Ints, columns: Int32s, counts: Uint8s, own: Int32s) -> Int32s:
    size, written = len(indptr) - 1, 0
    parents, edges = np.arange(size, dtype=np.int32), np.empty((size, 3), dtype=np.int32)
    for level in np.unique(counts)[::-1].tolist() if len(counts) else []:
        written = kernels.span_mutual(LinkArrays(indptr, columns, counts), own, level, parents, edges, written)
    return edges[:written]


def _row_nodes(rows: BlockRows) -> Ints:
    return np.repeat(rows.nodes, np.diff(rows.indptr))


def _kept(rows: BlockRows, kept: Bools) -> BlockRows:
    return BlockRows(rows.nodes, arrays.offsets_of(kept)[rows.indptr], rows.columns[kept], rows.counts[kept])


def low_totals(batches: Iterable[pa.RecordBatch], nodes: NodeTable, most: int) -> LinkTotals:
    """Links, reciprocal links and paths at k = 1 to ``most``, from rows of DEGREES of all shards."""
    names = ("outgoing", "returned", "incoming")
    degrees = np.zeros((len(names), len(nodes), most), dtype=np.int64)
    for row in DEGREES.rows(batches):
        own = slice(row["first"], row["first"] + row["nodes"])
        for number, name in enumerate(names):
            degrees[number, own] += row[name].reshape(-1, most)
    by_k = {}
    for k in range(1, most + 1):
        siblings = np.where(nodes.inside >= k, nodes.weights - 1, 0)
        out, both, into = degrees[:, :, k - 1] + siblings
        reciprocal = int((nodes.weights * both).sum())
        values = out * into
        upper, lower = values >> 32, values & 0xFFFFFFFF
        walks = (int((nodes.weights * upper).sum()) << 32) + int((nodes.weights * lower).sum())
        by_k[k] = KTotals(int((nodes.weights * out).sum()), reciprocal, walks - reciprocal, None)
    return LinkTotals(nodes.documents, by_k)


def totals_row(totals: LinkTotals) -> pa.RecordBatch:
    """A row of TOTALS."""
    numbers = [getattr(one, name) for one in totals.by_k.values() for name in _FIELDS]
    return TOTALS.row(
        documents=totals.documents,
        ks=list(totals.by_k),
        upper=[_UNKNOWN if number is None else number >> 64 for number in numbers],
        lower=[0 if number is None else number & (2**64 - 1) for number in numbers],
    )


def sum_of_totals(batches: Iterable[pa.RecordBatch]) -> LinkTotals:
    """The totals of all blocks together."""
    whole: LinkTotals | None = None
    for row in TOTALS.rows(batches):
        numbers: list[Any] = [
            None if upper == _UNKNOWN else (upper << 64) + lower
            for upper, lower in zip(row["upper"].tolist(), row["lower"].tolist(), strict=True)
        ]
        by_k = {
            k: KTotals(*numbers[place * len(_FIELDS) : (place + 1) * len(_FIELDS)])
            for place, k in enumerate(row["ks"].tolist())
        }
        part = LinkTotals(row["documents"], by_k)
        whole = part if whole is None else whole + part
    if whole is None:
        raise ValueError("there are no totals to add up")
    return whole


# Sends rows of links to the blocks that need them, for runners in which no task sees all links.
#
# A block needs its own rows and the rows that these link to. Each task therefore sends its rows to their blocks,
# requests the others, and answers the requests that reach it.

ROWS: Final = Layout("rows", ("block", "own"), {"nodes": "i4", "sizes": "i4", "columns": "i4", "counts": "u1"})
"""Rows of links for one block: its own (``own`` is 1), or those that its rows link to."""

REQUESTS: Final = Layout("requests", ("chunk", "block"), {"nodes": "i4"})
"""Nodes with leaders in one chunk whose rows a block needs in addition to its own."""


def own_rows(batches: Iterable[pa.RecordBatch], block_of: NDArray[np.integer]) -> Iterator[pa.RecordBatch]:
    """Send rows of LINKS to the blocks that they belong to, as rows of ROWS."""
    for rows in map(_rows_of, LINKS.rows(batches)):
        blocks = block_of[rows.nodes]
        for block in np.unique(blocks).tolist():
            yield _row(block, rows.taken(np.flatnonzero(blocks == block)), own=True)


def request_rows(
    batches: Iterable[pa.RecordBatch], block_of: NDArray[np.integer], firsts: Ints
) -> Iterator[pa.RecordBatch]:
    """Request the rows in other blocks to which links lead; ``firsts``: the first node of each chunk, ascending."""
    for rows in map(_rows_of, LINKS.rows(batches)):
        asking = np.repeat(block_of[rows.nodes].astype(np.int64), np.diff(rows.indptr))
        abroad = asking != block_of[rows.columns]
        wanted = np.unique(asking[abroad] << np.int64(32) | rows.columns[abroad].astype(np.int64))
        block, node = wanted >> np.int64(32), wanted & np.int64(0xFFFFFFFF)
        chunk = np.searchsorted(firsts, node, side="right") - 1
        for one in np.unique(block * len(firsts) + chunk).tolist():
            chosen = (block == one // len(firsts)) & (chunk == one % len(firsts))
            yield REQUESTS.row(chunk=one % len(firsts), block=one // len(firsts), nodes=node[chosen])


def answer_requests(links: pa.RecordBatch, requests: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Answer the requests for nodes of a chunk with rows of ROWS; each block gets a row once."""
    (rows,) = map(_rows_of, LINKS.rows([links]))
    wanted: dict[int, list[Int32s]] = {}
    for request in REQUESTS.rows(requests):
        wanted.setdefault(request["block"], []).append(request["nodes"])
    first = int(rows.nodes[0]) if len(rows.nodes) else 0
    for block, nodes in sorted(wanted.items()):
        yield _row(block, rows.taken(np.unique(np.concatenate(nodes)).astype(np.int64) - first), own=False)


def count_blocks(
    batches: Iterable[pa.RecordBatch], nodes: NodeTable, ks: Sequence[int], *, scaled: bool = False
) -> Iterator[tuple[str, pa.RecordBatch]]:
    """Compute totals and forests of blocks."""
    for _, group in groupby(ROWS.rows(batches), key=itemgetter("block")):
        rows = list(group)
        own = joined((row for row in rows if row["own"]), "nodes")
        parts = [
            BlockRows(row["nodes"].astype(np.int64), arrays.offsets_of(row["sizes"]), row["columns"], row["counts"])
            for row in rows
        ]
        totals, forest = count_block(np.sort(own), BlockRows.joined(parts), nodes, ks, scaled=scaled)
        yield "totals", totals_row(totals)
        yield "forest", forest


def _row(block: int, rows: BlockRows, *, own: bool) -> pa.RecordBatch:
    return ROWS.row(
        block=block, own=own, nodes=rows.nodes, sizes=np.diff(rows.indptr), columns=rows.columns, counts=rows.counts
    )
