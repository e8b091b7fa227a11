"""Collections with large clusters of equal documents: their links are too many to be written out one by one.

A daily notice printed 20,000 times makes 4 * 10^8 links. Documents with equal key terms and equal targets are one node
here; what is said of the documents follows from the links between nodes and from how many documents each node has.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import scipy.sparse as sp

from infostream_dedup.links import Measures
from infostream_dedup.links.relations import need
from infostream_dedup.links.similarity_matrix import SimilarityMatrix
from infostream_dedup.machine.progress import Progress
from infostream_dedup.model import Settings
from infostream_dedup.terms.key_terms import KeyTerms

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from infostream_dedup.links.numba_engine import NodeLinks

__all__ = ["MOST_VERBATIM_LINKS", "LinkedNodes", "link_nodes", "verbatim_links"]

MOST_VERBATIM_LINKS: Final = 20_000_000
"""More links between equal documents than this are not written out: a cluster of 4,500 documents has as many."""

_MIX: Final = np.uint64(0x9E3779B97F4A7C15)


def verbatim_links(key_terms: KeyTerms) -> int:
    """Links between documents with equal key terms, or a few more: documents are told apart by a checksum."""
    sizes = key_terms.sizes
    mixed = (key_terms.keys.indices.astype(np.uint64) + np.uint64(1)) * _MIX
    mixed ^= mixed >> np.uint64(29)
    sums = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(mixed * _MIX, dtype=np.uint64)])
    ends = key_terms.keys.indptr.astype(np.int64)
    checksums = (sums[ends[1:]] - sums[ends[:-1]])[sizes > 0]
    equal = np.unique(checksums, return_counts=True)[1].astype(np.int64)
    return int((equal * (equal - 1)).sum())


@dataclass(frozen=True, slots=True)
class LinkedNodes:
    """Links between nodes of equal documents.

    Attributes:
        key_terms: of the documents.
        links: of the nodes, counts for all k >= ``k_min``.
        settings: what decided both.
        k_min: least count.
    """

    key_terms: KeyTerms
    links: NodeLinks
    settings: Settings
    k_min: int

    @property
    def leaders(self) -> NDArray[np.int64]:
        """int64 (nodes,): ordinal of the earliest document of each node."""
        return self.links.nodes.leaders

    def matrix(self) -> SimilarityMatrix:
        """Counts between the leaders of the nodes."""
        return SimilarityMatrix(self.links.counts, k_min=self.k_min, n=self.settings.n)

    def measures(self, progress: Progress | None = None) -> list[Measures]:
        """S and T of the documents for every k from ``k_min`` on, transitivity exact; ``progress`` is told of each."""
        from infostream_dedup.links.fast_sweep import fast_sweep_nodes

        ks = range(self.k_min, self.settings.n + 1)
        return fast_sweep_nodes(self.links.counts, self.links.nodes.weights, self.links.own, ks, progress=progress)

    def group_sizes(self, k: int) -> NDArray[np.int64]:
        """int64 (groups,): documents in each group at k, single documents included, in no particular order."""
        from infostream_dedup.links.fast_groups import fast_group_leaders

        weights = self.links.nodes.weights
        leader = fast_group_leaders(self.links.counts, k)
        documents = np.bincount(leader, weights=weights, minlength=len(weights)).astype(np.int64)
        alone = (np.bincount(leader, minlength=len(weights)) == 1) & (self.links.own < k)
        singles = np.ones(int(documents[alone].sum()), dtype=np.int64)
        return np.concatenate([documents[(documents > 0) & ~alone], singles])

    def pairs(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Ordinals (a, b), a < b, sorted: for every document b the earliest documents of each node it is linked to.

        Counts do not differ between the documents of a node, so among equals only the earliest one matters for the
        status of b, and groups need no other pairs. Where the documents of a node are not linked to each other (they
        have too few key terms) all of them count.
        """
        nodes = self.links.nodes
        either = sp.coo_array(self.links.counts + self.links.counts.T)
        own = np.arange(len(nodes))
        asked = np.concatenate([either.row, own]).astype(np.int64)
        asking = np.concatenate([either.col, own]).astype(np.int64)
        speaks = self._leader_speaks()[asked]
        pairs = [_product(nodes.leaders[asked[speaks]], asking[speaks], nodes.indptr, nodes.members)]
        for node in np.unique(asked[~speaks]).tolist():
            others = asking[asked == node]
            pairs += [
                _product(np.full(len(others), document), others, nodes.indptr, nodes.members)
                for document in nodes.members[nodes.indptr[node] : nodes.indptr[node + 1]].tolist()
            ]
        a, b = (np.concatenate([pair[side] for pair in pairs]) for side in range(2))
        order = np.lexsort((b, a))
        return a[order], b[order]

    def _leader_speaks(self) -> NDArray[np.bool_]:
        """Bool (nodes,): whether the documents of a node are duplicates of each other, or the node has only one."""
        sizes = self.key_terms.sizes[self.leaders]
        least = need(self.settings.k, sizes, sizes, n=self.settings.n, short=self.settings.short)
        return np.asarray((self.links.nodes.weights == 1) | (self.links.own >= least))


def _product(
    a: NDArray[np.int64], nodes: NDArray[np.int64], indptr: NDArray[np.int64], members: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Each document of ``a`` with all later members of the node beside it."""
    lengths = indptr[nodes + 1] - indptr[nodes]
    begins = np.cumsum(lengths) - lengths
    place = np.arange(int(lengths.sum())) + np.repeat(indptr[nodes] - begins, lengths)
    first, second = np.repeat(a, lengths), members[place]
    later = second > first
    return first[later], second[later]


def link_nodes(key_terms: KeyTerms, settings: Settings, *, k_min: int, progress: Progress | None = None) -> LinkedNodes:
    """Match the nodes of equal documents by the compiled engine, however it was asked for: the others would not end.

    Args:
        key_terms: of a collection.
        settings: ``n``; the score must be ``count``, as weights may differ between the documents of a node.
        k_min: links below are left out, at least 1.
        progress: told of the documents done.
    """
    from infostream_dedup.links.numba_engine import NumbaEngine

    links = NumbaEngine().match_nodes(key_terms.keys, key_terms.targets, n=settings.n, k_min=k_min, progress=progress)
    return LinkedNodes(key_terms, links, settings, k_min)
