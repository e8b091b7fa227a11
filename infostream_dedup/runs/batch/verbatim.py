"""Collections with large clusters of equal documents, which have too many links to write out one by one.

A daily notice printed 20,000 times makes 4 * 10^8 links. Here, documents with equal key terms and equal targets form
one node; everything about the documents follows from the links between nodes and the number of documents in each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import scipy.sparse as sp

from infostream_dedup.arrays import GOLDEN, places_of
from infostream_dedup.links import NodeLinks
from infostream_dedup.links.pair_rules import need
from infostream_dedup.machine.progress import Progress
from infostream_dedup.model import Settings
from infostream_dedup.terms.key_terms import KeyTerms

if TYPE_CHECKING:
    from numpy.typing import NDArray


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


def _checksums(terms: NDArray[np.int32], ends: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Checksum of the terms of each row that has any."""
    mixed = (terms[ends[0] : ends[-1]].astype(np.uint64) + np.uint64(1)) * _MIX
    mixed ^= mixed >> np.uint64(29)
    sums = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(mixed * _MIX, dtype=np.uint64)])
    places = ends - ends[0]
    found: NDArray[np.uint64] = (sums[places[1:]] - sums[places[:-1]])[np.diff(ends) > 0]
    return found


def link_nodes(key_terms: KeyTerms, settings: Settings, *, k_min: int, progress: Progress | None = None) -> NodeLinks:
    """Match the nodes of equal documents.

    Args:
        settings: ``n``; the score must be ``count``, as the documents of a node may have different weights.
    """
    from infostream_dedup.links.compiled.matching import match_nodes

    keys, targets, n = key_terms.keys, key_terms.targets, settings.n
    matched = match_nodes(keys, targets, n=n, k_min=k_min, progress=progress)
    return NodeLinks(matched=matched, keys=keys, targets=targets, n=n, k_min=k_min)


def node_pairs(links: NodeLinks, settings: Settings) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
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
    order = np.lexsort((b, a))
    return a[order], b[order]


def _leader_represents(links: NodeLinks, settings: Settings) -> NDArray[np.bool_]:
    """Bool (nodes,): whether the documents of a node are duplicates of each other, or the node has only one."""
    nodes = links.matched.nodes
    sizes = np.diff(links.keys.indptr)[nodes.leaders]
    least = need(settings.k, sizes, sizes, n=settings.n, short=settings.short)
    return np.asarray((nodes.weights == 1) | (links.matched.inside >= least))


def _product(
    a: NDArray[np.int64], nodes: NDArray[np.int64], indptr: NDArray[np.int64], members: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Pair each document of ``a`` with all later members of the node at the same position."""
    lengths = indptr[nodes + 1] - indptr[nodes]
    first, second = np.repeat(a, lengths), members[places_of(indptr[nodes], lengths)]
    later = second > first
    return first[later], second[later]
