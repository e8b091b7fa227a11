"""Finds pairs of a collection in a work folder, as ``pairs`` and ``dedup`` do in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Final

import numpy as np
import pyarrow as pa
import scipy.sparse as sp

from infostream_dedup.links.pair_rules import need
from infostream_dedup.machine import arrays
from infostream_dedup.machine.arrays import Bools, Ints
from infostream_dedup.machine.scratch import row_blocks
from infostream_dedup.model import Settings
from infostream_dedup.runs.batch.linking import least_count
from infostream_dedup.runs.batch.pairing import PairRow, Row, rows_of_pairs
from infostream_dedup.runs.sharded.disk_runner import LinkedRun
from infostream_dedup.runs.sharded.key_terms import KEYS, LABELS, column_labels, key_term_labels
from infostream_dedup.runs.sharded.linking import LINKS, BlockRows, LinkTable, NodeTable, merge_links
from infostream_dedup.runs.sharded.reading import RunRows
from infostream_dedup.runs.sharded.work_folder import Layout, Stage, joined, rows_by_chunk
from infostream_dedup.terms.key_terms import KeyTerms, PivotSpace
from infostream_dedup.terms.statistics import TermCounts

_PAIRS_AT_ONCE: Final = 1_000_000
_ROWS_AT_ONCE: Final = 50_000


def turn_links(batches: Iterable[pa.RecordBatch], firsts: Ints, nodes: int) -> Iterator[pa.RecordBatch]:
    """Find the links to the nodes of each chunk; ``firsts``: the first node of each chunk, ascending."""
    bounds = np.append(firsts, nodes)
    for row in LINKS.rows(batches):
        sources = np.repeat(np.arange(row["nodes"], dtype=np.int64), row["sizes"]) + row["first"]
        order = np.argsort(row["columns"], kind="stable")
        targets = row["columns"][order].astype(np.int64)
        for chunk, (begin, end) in enumerate(pairwise(np.searchsorted(targets, bounds).tolist())):
            own = int(bounds[chunk + 1] - bounds[chunk])
            chosen = order[begin:end]
            yield LINKS.row(
                first=bounds[chunk],
                nodes=own,
                sizes=np.bincount(targets[begin:end] - bounds[chunk], minlength=own),
                columns=sources[chosen],
                counts=row["counts"][chosen],
            )


@dataclass(frozen=True, slots=True)
class DocumentPairs(arrays.AlignedColumns):
    """Pairs of documents with the counts of both directions."""

    a: Ints  # int64 (pairs,), the earlier document
    b: Ints  # int64 (pairs,), the later one
    forward: Ints  # int64 (pairs,), key terms of a found in b
    backward: Ints  # int64 (pairs,), key terms of b found in a

    @classmethod
    def joined(cls, parts: Iterable[DocumentPairs]) -> DocumentPairs:
        """The pairs of several parts, part by part."""
        columns = [np.zeros((4, 0), np.int64), *(np.stack((p.a, p.b, p.forward, p.backward)) for p in parts)]
        return cls(*np.concatenate(columns, axis=1))


class PairFinder:
    """Finds pairs of documents in links of both directions: ``out`` by asking node, ``into`` by answering node."""

    def __init__(self, nodes: NodeTable, out: LinkTable, into: LinkTable, least: int) -> None:
        self._nodes = nodes
        self._out, self._into = out, into
        self._least = least
        self._bounds, self._members = nodes.members()

    def members_of(self, nodes: slice) -> Ints:
        """Documents of consecutive nodes, node by node."""
        return self._members[self._bounds[nodes.start] : self._bounds[nodes.stop]]

    def work(self, *, whole: bool) -> Ints:
        """int64 (nodes,): about how many pairs each document of a node is in, at least 1."""
        nodes = self._nodes
        weights = nodes.weights if whole else np.ones(len(nodes), dtype=np.int64)
        work = 1 + weights * (nodes.inside >= self._least)
        for table in (self._out, self._into):
            for rows in table.chunks():
                sums = arrays.offsets_of(weights[rows.columns])
                work[rows.nodes] += sums[rows.indptr[1:]] - sums[rows.indptr[:-1]]
        return work

    def later(self, documents: Ints) -> DocumentPairs:
        """All pairs whose earlier document is among ``documents``, in the order of (a, b)."""
        one, node, forward, backward = self._neighbours(documents)
        place, other = self._written_out(node)
        pairs = DocumentPairs(one[place], other, forward[place], backward[place])
        pairs = pairs.at(pairs.b > pairs.a)
        return pairs.at(np.lexsort((pairs.b, pairs.a)))

    def earlier(self, documents: Ints, alone: Bools) -> DocumentPairs:
        """Pairs whose later document is among ``documents``, in the order of (b, a)."""
        # Among equal documents, only the earliest is paired with it: the counts are the same.
        one, node, forward, backward = self._neighbours(documents)
        single = ~alone[node]
        place, other = self._written_out(node[~single])
        chosen = np.concatenate([np.flatnonzero(single), np.flatnonzero(~single)[place]])
        leader = np.concatenate([self._nodes.leaders[node[single]], other])
        # The given document is the later one, so its counts are those of the reverse direction.
        pairs = DocumentPairs(leader, one[chosen], backward[chosen], forward[chosen])
        pairs = pairs.at(pairs.a < pairs.b)
        return pairs.at(np.lexsort((pairs.a, pairs.b)))

    def _neighbours(self, documents: Ints) -> tuple[Ints, ...]:
        """Documents with every node linked to or from them, including their own; counts in both directions."""
        table = self._nodes
        node_of = table.node_of[documents]
        asked = np.unique(node_of)
        node, other, forward, backward = _both_ways(asked, self._out.rows(asked), self._into.rows(asked))
        inside = asked[table.inside[asked] >= self._least]
        node, other = np.concatenate([node, inside]), np.concatenate([other, inside])
        forward = np.concatenate([forward, table.inside[inside].astype(np.int64)])
        backward = np.concatenate([backward, table.inside[inside].astype(np.int64)])
        order = np.argsort(node, kind="stable")
        node, other, forward, backward = node[order], other[order], forward[order], backward[order]
        begin, end = np.searchsorted(node, node_of), np.searchsorted(node, node_of, side="right")
        sizes = end - begin
        place = arrays.places_of(begin, sizes)
        return np.repeat(documents, sizes), other[place], forward[place], backward[place]

    def _written_out(self, node: Ints) -> tuple[Ints, Ints]:
        """Position in ``node`` and document, for every document of each node."""
        place, sizes = arrays.entries_of(self._bounds, node)
        return np.repeat(np.arange(len(node)), sizes), self._members[place]


def paired(linked: LinkedRun, least: int) -> PairFinder:
    """The pairs of a collection in a work folder."""
    links = linked.links(least)
    turned = linked.stage(f"turned{least}", LINKS, {"links": links.key}, lambda: _make_turned(linked, links, least))
    return PairFinder(linked.nodes, linked.link_table(least), LinkTable(turned.batches("links")), least)


def _make_turned(linked: LinkedRun, links: Stage, least: int) -> Iterator[pa.RecordBatch]:
    firsts = np.array([row["first"] for row in LINKS.rows(links.batches("links"))], dtype=np.int64)
    parts = linked.stage(
        f"turning{least}",
        LINKS,
        {"links": links.key},
        lambda: turn_links(links.batches("links"), firsts, len(linked.nodes)),
    )
    batches = list(parts.batches("links"))
    for chunk in range(len(firsts)):
        # One part for each asking chunk, in their order.
        yield merged_rows(batches[chunk :: len(firsts)])
        linked.run.tell(f"{linked.settings.representation}: links turned round", chunk + 1, len(firsts))
    linked.drop(f"turning{least}")


def merged_rows(batches: list[pa.RecordBatch]) -> pa.RecordBatch:
    """Merge several rows of LINKS of the same nodes, whose columns ascend from row to row, into one."""
    (row,) = merge_links(batches)
    return row


def _both_ways(asked: Ints, out: BlockRows, into: BlockRows) -> tuple[Ints, ...]:
    """Node, linked node, and counts of both directions, for every node of ``asked`` (ascending)."""
    size = int(max(out.columns.max(initial=0), into.columns.max(initial=0), asked.max(initial=0))) + 1
    shape = (len(asked), size)
    ahead = sp.csr_array((out.counts.astype(np.uint16), out.columns, out.indptr), shape=shape)
    back = sp.csr_array((into.counts.astype(np.uint16) << 8, into.columns, into.indptr), shape=shape)
    # With both counts in one number, a single sum of sparse matrices is enough.
    both = sp.csr_array(ahead + back)
    counts = both.data.astype(np.int64)
    return np.repeat(asked, np.diff(both.indptr)), both.indices.astype(np.int64), counts & 0xFF, counts >> 8


class DocumentRows:
    """Key terms, targets and ids of any documents, memory-mapped."""

    def __init__(self, linked: LinkedRun) -> None:
        rows = list(KEYS.rows(linked.keys.batches("keys")))
        self._keys, self._weights = (RunRows.of(rows, "sizes", name) for name in ("keys", "weights"))
        self._targets = RunRows.of(rows, "target_sizes", "targets")
        self._numbers = linked.numbers_of_keys
        self._documents = list(linked.documents())
        self._document_firsts = np.array([row["first"] for row in self._documents], dtype=np.int64)
        self.languages = joined(rows, "languages", np.uint8)
        self._labels = _labels(linked)
        self._linked = linked

    def ids(self, documents: Ints) -> list[str]:
        """Ids of documents, which ascend."""
        found: list[str] = []
        for row, rows in zip(self._documents, rows_by_chunk(documents, self._document_firsts), strict=True):
            found += row["ids"].take(pa.array(rows)).to_pylist()
        return found

    def key_terms(self, documents: Ints) -> KeyTerms:
        """Key terms of documents, which ascend, among themselves: a column is a key term of one of them."""
        # In a pivot language, they come with the words of the documents.
        keys, weights = self._numbered(self._keys, documents), self._weights.some(documents, np.int64).values
        used = np.unique(keys.values)
        labels = self._labels.take(pa.array(used)).to_pylist()
        order = sorted(range(len(labels)), key=labels.__getitem__)
        column = np.full(len(self._labels), -1, dtype=np.int64)
        column[used[order]] = np.arange(len(used))
        shape = (len(documents), len(used))
        matrix = sp.csr_array((weights, column[keys.values], keys.indptr), shape=shape)
        targets = self._numbered(self._targets, documents)
        places = arrays.Ragged(targets.indptr, column[targets.values])
        places = places.chosen(places.values >= 0)
        met = sp.csr_array((np.ones(len(places.values), dtype=np.bool_), places.values, places.indptr), shape=shape)
        met.sort_indices()
        matrix.sort_indices()
        terms = [labels[number] for number in order]
        counts = TermCounts(matrix, terms, self.languages[documents], np.zeros(len(documents), dtype=np.int64))
        return KeyTerms(matrix, met, counts, [], self._space(documents, used[order]))

    def _space(self, documents: Ints, columns: Ints) -> PivotSpace | None:
        """The words of some documents, for some key columns."""
        if self._linked.pivot is None:
            return None
        space = self._linked.pivot.space_of(documents, self._linked.columns.batches("columns"))
        return replace(space, canonical=space.canonical[columns], sets=space.sets[columns])

    def pair_rows(self, a: Ints, b: Ints, settings: Settings, *, made: type[Row], **others: Any) -> list[Row]:
        """Rows of pairs, as ``rows_of_pairs`` makes them, but complete: terms of documents are not kept for them."""
        documents, (one, other) = arrays.numbered_ends(a, b)
        key_terms, ids = self.key_terms(documents), self.ids(documents)
        return arrays.completed(rows_of_pairs(ids, key_terms, settings, one, other, made=made, **others))

    def _numbered(self, terms: RunRows, documents: Ints) -> arrays.Ragged:
        """Key-term numbers of each document's terms; other terms are left out."""
        given = terms.some(documents, np.uint32)
        numbers = arrays.Ragged(given.indptr, self._numbers[given.values].astype(np.int64))
        return numbers.chosen(numbers.values >= 0)


def all_key_terms(linked: LinkedRun) -> KeyTerms:
    """Key terms of all documents, in memory; a column is a term that is a key term of one of them."""
    rows = DocumentRows(linked)
    return rows.key_terms(np.arange(len(rows.languages), dtype=np.int64))


def _labels(linked: LinkedRun) -> pa.StringArray:
    """The word of each key term, by number."""
    found = linked.stage("labels", LABELS, {"keys": linked.keys.key}, lambda: _label_rows(linked))
    rows = list(LABELS.rows(found.batches("labels")))
    numbers = joined(rows, "numbers", np.uint32)
    terms = pa.concat_arrays([pa.array([], pa.string()), *(row["terms"] for row in rows)])
    return terms.take(pa.array(np.argsort(numbers)))


def _label_rows(linked: LinkedRun) -> Iterator[pa.RecordBatch]:
    if linked.pivot is not None:
        # Every column is a key term of some document, so both have the same numbers.
        return column_labels(linked.columns.batches("columns"))
    return key_term_labels(linked.counts(), linked.vocabulary, linked.numbers_of_keys)


def pairs_on_disk(
    linked: LinkedRun,
    *,
    k_min: int | None = None,
    terms: bool = True,
    cross_language: bool = False,
    parts: Ints | None = None,
) -> Iterator[PairRow]:
    """Linked pairs in the order of (a, b), as ``batch.pairing.pair_rows`` lists them."""
    settings = linked.settings
    finder, rows = paired(linked, least_count(settings) if k_min is None else k_min), DocumentRows(linked)
    sizes, node_of = linked.nodes.sizes.astype(np.int64), linked.nodes.node_of
    for block in row_blocks(finder.work(whole=True)[node_of], _PAIRS_AT_ONCE):
        pairs = finder.later(np.arange(block.start, min(block.stop, len(node_of)), dtype=np.int64))
        chosen = np.ones(len(pairs), dtype=np.bool_)
        if k_min is None and settings.score == "count":
            a, b = sizes[node_of[pairs.a]], sizes[node_of[pairs.b]]
            chosen &= np.maximum(pairs.forward, pairs.backward) >= need(
                settings.k, a, b, n=settings.n, short=settings.short
            )
        if cross_language:
            chosen &= rows.languages[pairs.a] != rows.languages[pairs.b]
        if parts is not None:
            chosen &= parts[pairs.a] != parts[pairs.b]
        pairs = pairs.at(chosen)
        for begin in range(0, len(pairs), _ROWS_AT_ONCE):
            some = slice(begin, begin + _ROWS_AT_ONCE)
            yield from rows.pair_rows(pairs.a[some], pairs.b[some], settings, made=PairRow, k_min=k_min, terms=terms)


PICKED: Final = Layout(
    "picked terms", (), {"documents": "i8", "sizes": "i4", "keys": "u4", "target_sizes": "i4", "targets": "u4"}
)
"""Key terms and targets of some documents, by their number in the vocabulary."""

_RECOUNTED_AT_ONCE: Final = 50_000


def pick_terms(batches: Iterable[pa.RecordBatch], documents: Ints) -> Iterator[pa.RecordBatch]:
    """Take the terms of some documents."""
    for row in KEYS.rows(batches):
        begin, end = np.searchsorted(documents, [row["first"], row["first"] + len(row["sizes"])])
        if begin < end:
            chosen = documents[begin:end]
            keys = arrays.Ragged(arrays.offsets_of(row["sizes"]), row["keys"]).rows(chosen - row["first"])
            targets = arrays.Ragged(arrays.offsets_of(row["target_sizes"]), row["targets"]).rows(chosen - row["first"])
            yield PICKED.row(
                documents=chosen, sizes=keys.sizes, keys=keys.values, target_sizes=targets.sizes, targets=targets.values
            )


def recounted(pairs: DocumentPairs, pick: Callable[[Ints], Iterable[pa.RecordBatch]]) -> DocumentPairs:
    """The pairs, with the number of key terms of each document that the other one has."""
    forward, backward = np.empty((2, len(pairs)), dtype=np.int64)
    for begin in range(0, len(pairs), _RECOUNTED_AT_ONCE):
        some = slice(begin, begin + _RECOUNTED_AT_ONCE)
        documents, (a, b) = arrays.numbered_ends(pairs.a[some], pairs.b[some])
        keys, targets = _matrices(list(PICKED.rows(pick(documents))))
        forward[some] = keys[a].multiply(targets[b]).sum(axis=1)
        backward[some] = keys[b].multiply(targets[a]).sum(axis=1)
    return DocumentPairs(pairs.a, pairs.b, forward, backward)


def _matrices(rows: list[dict[str, Any]]) -> tuple[sp.csr_array, sp.csr_array]:
    """Key terms and targets of documents, a column for each term: ones."""
    columns = [np.concatenate([row[name] for row in rows]).astype(np.int64) for name in ("keys", "targets")]
    bounds = [arrays.offsets_of(np.concatenate([row[name] for row in rows])) for name in ("sizes", "target_sizes")]
    terms, place = np.unique(np.concatenate(columns), return_inverse=True)
    shape, cut = (len(bounds[0]) - 1, len(terms)), len(columns[0])
    parts = (place[:cut], place[cut:])
    first, second = (
        sp.csr_array((np.ones(len(part), dtype=np.int32), part, indptr), shape=shape)
        for part, indptr in zip(parts, bounds, strict=True)
    )
    return first, second
