"""Documents with equal key terms and equal targets as one node, so that they are matched once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from infostream_dedup.arrays import offsets_of
from infostream_dedup.links.compiled.kernels.row_equality import earliest_equals, mix_rows
from infostream_dedup.links.compiled.term_rows import TermRows, row_parts, term_rows
from infostream_dedup.machine.threads import thread_count

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Nodes:
    """Documents grouped into nodes. Nodes are numbered in the order of their earliest documents.

    Attributes:
        node_of: int64 (documents,), node of each document.
        indptr: int64 (nodes + 1,), start of each node's documents in ``members``.
        members: int64 (documents,), documents node by node, ascending within a node.
    """

    node_of: NDArray[np.int64]
    indptr: NDArray[np.int64]
    members: NDArray[np.int64]

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
    """Group documents with equal key terms and equal targets. Weights may differ.

    Args:
        keys: (documents, terms), sorted indices; only the pattern counts.
        targets: (documents, terms), sorted indices; only the pattern counts.

    Example:
        >>> keys = sp.csr_array(np.array([[5, 0], [0, 7], [5, 0]]))
        >>> collapse(keys, keys).node_of.tolist()
        [0, 1, 0]
    """
    asking, answering = term_rows(keys), term_rows(targets)
    hashes = row_hashes(asking, answering)
    leaders = np.empty(len(hashes), dtype=np.int64)
    order = np.argsort(hashes, kind="stable")
    earliest_equals(order, hashes, asking.indptr, asking.indices, answering.indptr, answering.indices, leaders)
    return _nodes(leaders)


def row_hashes(keys: TermRows, targets: TermRows) -> NDArray[np.uint64]:
    """uint64 (documents,): a hash of each document's key terms and targets, equal for equal documents.

    It depends on the term numbers only, so that processes that share a vocabulary agree. Unequal documents may collide.
    """
    hashes = np.zeros(keys.documents, dtype=np.uint64)
    threads = thread_count(0)

    def mix(rows: slice) -> None:
        for terms in (keys, targets):
            mix_rows(terms.indptr[rows.start : rows.stop + 1], terms.indices, hashes[rows])

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(mix, row_parts(np.diff(keys.indptr) + np.diff(targets.indptr) + 1, threads)))
    return hashes


def _nodes(leaders: NDArray[np.int64]) -> Nodes:
    is_leader = leaders == np.arange(len(leaders))
    node_of = (np.cumsum(is_leader) - 1)[leaders]
    indptr = offsets_of(np.bincount(node_of, minlength=int(is_leader.sum())))
    return Nodes(node_of, indptr, np.argsort(node_of, kind="stable"))
