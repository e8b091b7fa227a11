"""Compute the links of a collection."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, Protocol

import numpy as np
import scipy.sparse as sp

from infostream_dedup.language.text.surface_pool import SurfaceList
from infostream_dedup.links.compiled.earlier import links_of
from infostream_dedup.links.compiled.kernels.matching import Matches, match_pairs
from infostream_dedup.links.compiled.kernels.rows import list_counted_pairs
from infostream_dedup.links.compiled.matching import match, match_nodes
from infostream_dedup.links.compiled.term_rows import term_rows
from infostream_dedup.links.measures import EXACT_FROM, Advice, KnownK, Measures
from infostream_dedup.links.pair_rules import LEAST_NEED, need, reached
from infostream_dedup.links.relation import LowLinks, NodeLinks, Relation, ShareLinks, StoredLinks
from infostream_dedup.links.similarity_matrix import SimilarityMatrix, work_exceeds
from infostream_dedup.machine.arrays import GOLDEN, AlignedColumns, Bools, Int32s, Ints, Uint64s, places_of, sparse_rows
from infostream_dedup.machine.platform import trim_heap
from infostream_dedup.machine.progress import Progress
from infostream_dedup.machine.scratch import row_blocks
from infostream_dedup.model import Settings
from infostream_dedup.terms.key_terms import KeyTerms
from infostream_dedup.terms.matched_words import Meeting, meetings

# Collections with large clusters of equal documents, which have too many links to write out one by one.
#
# A daily notice printed 20,000 times makes 4 * 10^8 links. Here, documents with equal key terms and equal targets
# form one node; everything about the documents follows from the links between nodes and the number of documents in
# each.

MOST_VERBATIM_LINKS: Final = 20_000_000
"""If equal documents have more links than this, they are not written out; a cluster of 4,500 documents has that
many."""

_MIX: Final = np.uint64(GOLDEN)
_AT_ONCE: Final = 1 << 12


def verbatim_links(key_terms: KeyTerms) -> int:
    """Count the links between documents with equal key terms, or a few more, as documents are compared by checksum."""
    keys, documents = key_terms.keys, key_terms.keys.shape[0]
    # Part by part, so that scratch memory stays in the processor's cache.
    parts = [
        _checksums(keys.indices, keys.indptr[begin : begin + _AT_ONCE + 1].astype(np.int64))
        for begin in range(0, documents, _AT_ONCE)
    ]
    equal = np.unique(np.concatenate([np.zeros(0, dtype=np.uint64), *parts]), return_counts=True)[1].astype(np.int64)
    return int((equal * (equal - 1)).sum())


def _checksums(terms: Int32s, ends: Ints) -> Uint64s:
    """Checksum of the terms of each row that has any."""
    mixed = (terms[ends[0] : ends[-1]].astype(np.uint64) + np.uint64(1)) * _MIX
    mixed ^= mixed >> np.uint64(29)
    sums = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(mixed * _MIX, dtype=np.uint64)])
    places = ends - ends[0]
    found: Uint64s = (sums[places[1:]] - sums[places[:-1]])[np.diff(ends) > 0]
    return found


def link_nodes(key_terms: KeyTerms, settings: Settings, *, k_min: int, progress: Progress | None = None) -> NodeLinks:
    """Match the nodes of equal documents; the score must be ``count``, as their weights may differ."""
    keys, targets, n = key_terms.keys, key_terms.targets, settings.n
    matched = match_nodes(keys, targets, n=n, k_min=k_min, progress=progress)
    return NodeLinks(matched=matched, keys=keys, targets=targets, n=n, k_min=k_min)


def node_pairs(links: NodeLinks, settings: Settings) -> tuple[Ints, Ints]:
    """Ordinals (a, b), a < b, sorted: for every document b, the earliest document of each node to which it is linked.

    All documents of a node have the same counts, so only the earliest of them matters for the status of b, and groups
    need no other pairs. If the documents of a node are not linked to each other (they have too few key terms), all of
    them are paired with b.
    """
    nodes = links.matched.nodes
    either = sp.coo_array(links.matched.counts + links.matched.counts.T)
    every = np.arange(len(nodes))
    asked = np.concatenate([either.row, every]).astype(np.int64)
    asking = np.concatenate([either.col, every]).astype(np.int64)
    represented = _leader_represents(links, settings)[asked]
    pairs = [_product(nodes.leaders[asked[represented]], asking[represented], nodes.indptr, nodes.members)]
    for node in np.unique(asked[~represented]).tolist():
        others = asking[asked == node]
        pairs += [
            _product(np.full(len(others), document), others, nodes.indptr, nodes.members)
            for document in nodes.members[nodes.indptr[node] : nodes.indptr[node + 1]].tolist()
        ]
    a, b = (np.concatenate([pair[side] for pair in pairs]) for side in range(2))
    # As numbers: lexsort takes several times as long.
    a, b = np.divmod(np.sort(a * len(nodes.node_of) + b), max(len(nodes.node_of), 1))
    return a, b


def _leader_represents(links: NodeLinks, settings: Settings) -> Bools:
    """Bool (nodes,): whether the documents of a node are duplicates of each other, or the node has only one."""
    nodes = links.matched.nodes
    sizes = np.diff(links.keys.indptr)[nodes.leaders]
    least = need(settings.k, sizes, sizes, n=settings.n, short=settings.short)
    return np.asarray((nodes.weights == 1) | (links.matched.inside >= least))


def _product(a: Ints, nodes: Ints, indptr: Ints, members: Ints) -> tuple[Ints, Ints]:
    """Pair each document of ``a`` with all later members of the node at the same position."""
    lengths = indptr[nodes + 1] - indptr[nodes]
    first, second = np.repeat(a, lengths), members[places_of(indptr[nodes], lengths)]
    later = second > first
    return first[later], second[later]


MOST_LINKS: Final = 300_000_000
"""If a matrix might hold more links than this, at 5 bytes each, only links of higher k are stored."""

SHARE_THRESHOLDS: Final = tuple(round(0.05 * step, 2) for step in range(1, 21))


@dataclass(frozen=True, slots=True)
class Linked:
    """A collection's key terms and the links between its documents."""

    key_terms: KeyTerms  # key terms, targets and the statistics they were weighted by
    matrix: SimilarityMatrix  # counts for all k >= `matrix.k_min`, with matched weights if requested
    settings: Settings  # the settings that decided both

    def relation(self, documents: Ints | None = None) -> StoredLinks:
        """The links, ready to be measured."""
        terms = self.key_terms
        links = StoredLinks(matrix=self.matrix, keys=terms.keys, targets=terms.targets)
        return links if documents is None else links.restricted(documents)


def least_k(key_terms: KeyTerms, wanted: int = 1) -> int:
    """The smallest k whose links surely fit in memory: ``wanted``, or at least 4 (n if smaller)."""
    few = key_terms.keys.shape[0] ** 2 <= MOST_LINKS
    if few or not work_exceeds(key_terms.keys, key_terms.targets, MOST_LINKS):
        return wanted
    return max(wanted, min(EXACT_FROM, int(key_terms.sizes.max(initial=1))))


def link(
    key_terms: KeyTerms, settings: Settings, *, k_min: int = 1, weights: bool = False, progress: Progress | None = None
) -> Linked:
    """Match every document's key terms against every other document."""
    # Links take as much memory as the texts did.
    trim_heap()
    matrix = match(
        key_terms.keys,
        key_terms.targets,
        n=settings.n,
        weights=weights or settings.score == "share",
        k_min=k_min,
        progress=progress,
    )
    return Linked(key_terms, matrix, settings)


def relate(
    terms: KeyTerms, settings: Settings, *, exact: bool = False, scaled: bool = False, progress: Progress | None = None
) -> Relation:
    """Link a collection in the form that fits its size; scaled: link short documents by need(k), as ``pairs`` does."""
    # A short document may need as few as LEAST_NEED terms at any k; up to it, need(k) is k.
    fewest = min(LEAST_NEED if scaled else EXACT_FROM, settings.n)
    if settings.score == "count" and terms.pivot is None and verbatim_links(terms) > MOST_VERBATIM_LINKS:
        return LowLinks(link_nodes(terms, settings, k_min=fewest, progress=progress), exact)
    linked = link(terms, settings, k_min=min(least_k(terms), fewest), progress=progress)
    if settings.score == "share":
        return ShareLinks(linked.relation(), terms.own_weights, SHARE_THRESHOLDS)
    return LowLinks(linked.relation(), exact)


# The interface by which a sweep learns how good its links are


@dataclass(frozen=True, slots=True)
class LinkEstimate:
    """Estimated quality of the links of one representation."""

    # columns of the rows, by block and step; a step is a k, or the number of a threshold from 1
    columns: Mapping[tuple[str, int], Mapping[str, Any]]
    absent: Mapping[str, Any]  # values of these columns for rows about which nothing is known
    known: Mapping[str, KnownK]  # what the estimate and the copies say about k, by block
    summary: Mapping[str, Any]  # description of the figures, for `sweep.json`
    notes: Callable[[str, int | None], Sequence[str]]  # sentences for the reader on the links of a series at a k

    def at(self, block: str, measures: Measures) -> Mapping[str, Any]:
        """Return the columns of a row."""
        step = measures.k
        if step is None and measures.threshold is not None:
            step = SHARE_THRESHOLDS.index(measures.threshold) + 1
        return self.columns.get((block, step or 0), self.absent)


class KChooser(Protocol):
    """Chooses the k of links without labels."""

    def advice(
        self, linked: Linked, documents: Ints | None = None, *, cross: bool = False, way: str | int = "auto"
    ) -> Advice:
        """Choose k as ``links.advise`` does."""


class LinkEstimator(Protocol):
    """Estimates without labels how good links are."""

    def estimate(
        self,
        key_terms: KeyTerms,
        matrix: SimilarityMatrix | None,
        settings: Settings,
        blocks: Sequence[str],
        *,
        progress: Progress | None = None,
    ) -> LinkEstimate:
        """Judge the links of one representation."""

    def forget(self) -> None:
        """Release the data behind the estimates; `estimate` will not be called again."""


# Unordered pairs of documents, with both directions of their match

_CHUNK = 50_000
_BLOCK_LINKS = 2_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class PairTable(AlignedColumns):
    """Pairs of documents, each once, in the order of (a, b)."""

    a: Ints  # int64 (pairs,), ordinal of the earlier document
    b: Ints  # int64 (pairs,), ordinal of the later document
    forward: Ints  # int64 (pairs,), key terms of a found in b
    backward: Ints  # int64 (pairs,), key terms of b found in a
    matched_forward: Ints  # int64 (pairs,), weight of the key terms of a found in b, in units of 1e-9
    matched_backward: Ints  # int64 (pairs,), weight of the key terms of b found in a
    size_a: Ints  # int64 (pairs,), key terms of a
    size_b: Ints  # int64 (pairs,), key terms of b
    own_a: Ints  # int64 (pairs,), weight of all key terms of a
    own_b: Ints  # int64 (pairs,), weight of all key terms of b
    # int64 (pairs, columns), summed weight of each key term found in either direction, heaviest first in each row
    met: sp.csr_array

    def terms_of(self, pair: int, terms: Sequence[str]) -> list[str]:
        """Shared terms of one pair, heaviest first; not for a pivot language."""
        return [terms[term] for term in self.met.indices[self.met.indptr[pair] : self.met.indptr[pair + 1]].tolist()]

    def all_terms(self, terms: Sequence[str]) -> Iterator[list[str]]:
        """Return what ``terms_of`` returns for each pair; much quicker for many pairs."""
        used = np.zeros(self.met.shape[1], dtype=np.int64)
        used[self.met.indices] = 1
        distinct = np.flatnonzero(used)
        words = terms.some(distinct) if isinstance(terms, SurfaceList) else [terms[one] for one in distinct.tolist()]
        shared = np.array(words, dtype=np.object_)[np.cumsum(used)[self.met.indices] - 1].tolist()
        return (shared[begin:end] for begin, end in pairwise(self.met.indptr.tolist()))


def what_met(pairs: PairTable, pair: int, key_terms: KeyTerms) -> tuple[list[str], list[Meeting] | None]:
    """Shared terms of one pair, heaviest first; in a pivot language, also the words that became them."""
    if key_terms.pivot is None:
        return pairs.terms_of(pair, key_terms.counts.terms), None
    row = slice(pairs.met.indptr[pair], pairs.met.indptr[pair + 1])
    columns, weights = pairs.met.indices[row].tolist(), pairs.met.data[row].tolist()
    met = meetings(key_terms.pivot, int(pairs.a[pair]), int(pairs.b[pair]), columns, weights)
    return list(dict.fromkeys(meeting.pivot for meeting in met)), met


def least_count(settings: Settings, k: int | None = None) -> int:
    """The smallest count at which any pair can be linked; lower counts need not be computed."""
    if settings.score == "share":
        return settings.min_terms
    k = settings.k if k is None else k
    return k if settings.short == "strict" else min(3, k)


class LinkedPairs:
    """Unordered pairs of a matrix of directed links in the order of (a, b), in blocks of bounded size."""

    def __init__(self, counts: sp.csr_array) -> None:
        self._links, self._turned = links_of(counts), links_of(counts.T.tocsr())
        self._work = np.diff(self._links.indptr) + np.diff(self._turned.indptr)
        self.blocks = list(row_blocks(self._work, _BLOCK_LINKS))

    def of(self, block: slice) -> tuple[Ints, ...]:
        """Pairs whose earlier document is in a block: sorted ordinals a < b, counts a -> b and b -> a, 0 for none."""
        found = np.empty((4, int(self._work[block].sum())), dtype=np.int64)
        pairs = list_counted_pairs(self._links, self._turned, block.start, block.stop, found[:2], found[2:])
        return tuple(found[:, :pairs].copy())


def candidate_blocks(linked: Linked, k: int | None = None) -> Iterator[tuple[Ints, Ints]]:
    """Yield what ``candidate_pairs`` returns, in blocks of bounded size."""
    pairs = LinkedPairs(linked.matrix.counts)
    sizes, settings = linked.key_terms.sizes, linked.settings
    for block in pairs.blocks:
        a, b, forward, backward = pairs.of(block)
        if k is not None:
            related = np.maximum(forward, backward) >= need(k, sizes[a], sizes[b], n=settings.n, short=settings.short)
            a, b = a[related], b[related]
        yield a, b


def candidate_pairs(linked: Linked, k: int | None = None) -> tuple[Ints, Ints]:
    """Ordinals (a, b), a < b, of all pairs linked in either direction at the smallest k of the matrix, sorted."""
    # k: only pairs with at least need(k) terms in either direction, as others have no relation at k. The matrix must
    # hold all counts from ``least_count`` upwards.
    nothing = np.zeros((2, 0), dtype=np.int64)
    a, b = np.concatenate([nothing, *(np.stack(pairs) for pairs in candidate_blocks(linked, k))], axis=1)
    return a, b


def pair_table(key_terms: KeyTerms, a: Ints, b: Ints) -> PairTable:
    """Compute exact counts and matched weights of given pairs in both directions."""
    keys, targets, sizes, own = key_terms.keys, key_terms.targets, key_terms.sizes, key_terms.own_weights
    counts, matched = np.zeros((2, 2, len(a)), dtype=np.int64)
    room, ends = int(sizes[a].sum() + sizes[b].sum()), np.zeros(len(a) + 1, dtype=np.int64)
    found = Matches(counts, matched, ends, np.empty(room, dtype=np.int32), np.empty(room, dtype=np.int64))
    match_pairs(np.stack((a, b)), term_rows(keys), keys.data, term_rows(targets), found)
    return PairTable(
        a=a,
        b=b,
        forward=counts[0],
        backward=counts[1],
        matched_forward=matched[0],
        matched_backward=matched[1],
        size_a=sizes[a],
        size_b=sizes[b],
        own_a=own[a],
        own_b=own[b],
        met=sparse_rows(found.weights[: ends[-1]], found.terms[: ends[-1]], ends, (len(a), keys.shape[1])),
    )


def chunks_of(pairs: int) -> Iterator[slice]:
    """Chunks of bounded size of so many pairs."""
    return (slice(start, min(start + _CHUNK, pairs)) for start in range(0, pairs, _CHUNK))


def chunks_of_pairs(key_terms: KeyTerms, a: Ints, b: Ints) -> Iterator[PairTable]:
    """Like ``pair_table``, in chunks of bounded size."""
    return (pair_table(key_terms, a[chunk], b[chunk]) for chunk in chunks_of(len(a)))


def relations(pairs: PairTable, settings: Settings, k: int | None = None) -> Ints:
    """Relation number of each pair: an index into ``RELATIONS``."""
    if settings.score == "count" or k is not None:
        least = need(settings.k if k is None else k, pairs.size_a, pairs.size_b, n=settings.n, short=settings.short)
        forward, backward = pairs.forward >= least, pairs.backward >= least
    else:
        forward = reached(pairs.matched_forward, pairs.own_a, settings.threshold)
        backward = reached(pairs.matched_backward, pairs.own_b, settings.threshold)
        forward &= pairs.forward >= settings.min_terms
        backward &= pairs.backward >= settings.min_terms
    return forward.astype(np.int64) + 2 * backward.astype(np.int64)
