"""The earlier document that each document repeats or resembles most, from links, without a list of pairs."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.links.compiled.kernels import rows as kernels
from infostream_dedup.links.compiled.kernels.rows import LinkArrays, join_linked, label_nodes, merge_forest
from infostream_dedup.links.compiled.term_rows import row_parts, term_rows
from infostream_dedup.links.pair_rules import need
from infostream_dedup.machine.arrays import Int32s, Ints
from infostream_dedup.machine.threads import ThreadPool, thread_count

if TYPE_CHECKING:
    import scipy.sparse as sp


# Groups of documents joined by reciprocated links, without a copy of the links

_MOST_FORESTS: Final = 8
"""Maximum number of threads: each forest takes as much memory as the result, and one core merges them."""


def joined_forests(
    join: Callable[[slice, Int32s], None], new_forest: Callable[[], Int32s], work: Ints, threads: int
) -> list[Int32s]:
    """Join rows by several threads. What the forests join together is the same, whichever thread took which rows."""
    own = threading.local()
    forests: list[Int32s] = []

    def run(rows: slice) -> None:
        if not hasattr(own, "forest"):
            own.forest = new_forest()
            forests.append(own.forest)
        join(rows, own.forest)

    with ThreadPool(min(threads, _MOST_FORESTS)) as pool:
        list(pool.map(run, row_parts(work, threads)))
    return forests


def group_leaders(counts: sp.csr_array, ks: Sequence[int]) -> Ints:
    """The smallest ordinal of each document's group, joined by returned links; counts: uint8, sorted indices."""
    ascending, places = np.unique(np.array(ks, dtype=np.int64), return_inverse=True)
    links = links_of(counts)
    levels = np.searchsorted(ascending, np.arange(256), side="right")

    def new_forest() -> Int32s:
        # The leaders of one document are side by side in memory, as a link is looked up at any of the ks.
        return np.repeat(np.arange(counts.shape[0], dtype=np.int32), len(ascending)).reshape(-1, len(ascending))

    def join(rows: slice, forest: Int32s) -> None:
        kernels.join_returned(rows.start, rows.stop, links, levels, forest)

    leaders = new_forest()
    for forest in joined_forests(join, new_forest, np.diff(links.indptr) + 1, thread_count(0)):
        kernels.merge_leaders(forest, leaders)
    kernels.lead_rows(leaders)
    return leaders[:, places].T.astype(np.int64, order="C")


def linkage_order(links: LinkArrays, levels: Iterable[int], threads: int) -> Ints:
    """Int64 (nodes,): the nodes, so that linked ones are neighbours, above all those linked at the first levels."""
    parents = np.arange(len(links.indptr) - 1, dtype=np.int32)
    labels, high = [], 256
    for low in levels:
        _join(links, low, high, parents, threads)
        labels.append(parents.copy())
        high = low
    return np.lexsort(labels).astype(np.int64, copy=False)


def _join(links: LinkArrays, low: int, high: int, parents: Int32s, threads: int) -> None:
    """Join links of some counts, too; ``parents`` receives the smallest node of each node's component."""

    def join(rows: slice, forest: Int32s) -> None:
        join_linked(rows.start, rows.stop, links, low, high, forest)

    for forest in joined_forests(join, parents.copy, np.diff(links.indptr) + 1, threads):
        merge_forest(forest, parents)
    label_nodes(parents)


def accept(k: int, *, n: int, short: str, relations: Sequence[bool], fewest: int = 0) -> kernels.Acceptance:
    """When a pair counts."""
    sizes = np.arange(n + 1)
    return kernels.Acceptance(need(k, sizes, sizes, n=n, short=short), np.array(relations, dtype=np.bool_), fewest)


@dataclass(frozen=True, slots=True)
class EarlierDocuments:
    """Links of a collection, by the later document."""

    links: LinkArrays  # all links
    turned: LinkArrays  # the links from earlier to later documents, by the later one
    terms: kernels.TermPlaces  # key terms and targets

    @classmethod
    def of(cls, counts: sp.csr_array, keys: sp.csr_array, targets: sp.csr_array) -> EarlierDocuments:
        """Prepare counts from the smallest need upwards; all three have sorted indices."""
        links, turned = _both_ways(counts)
        return cls(links, turned, kernels.TermPlaces(term_rows(keys), term_rows(targets)))

    def best(self, accepted: kernels.Acceptance, parents: Int32s) -> Ints:
        """Find, for each document, the accepted earlier one with the largest (min, max) of both counts."""
        # All accepted pairs are joined in ``parents``, int32 (documents,), unless it is empty.
        found = np.full(self.links.indptr.size - 1, -1, dtype=np.int64)

        def choose(rows: slice, forest: Int32s) -> None:
            kernels.choose_earlier(
                (rows.start, rows.stop), self.links, self.turned, self.terms, accepted, forest, found
            )

        work = np.diff(self.links.indptr) + np.diff(self.turned.indptr[: len(found) + 1]) + 1
        for forest in joined_forests(choose, parents.copy, work, thread_count(0)):
            merge_forest(forest, parents)
        return found


def linked_pairs(counts: sp.csr_array) -> tuple[Int32s, Int32s]:
    """Ordinals (a, b), a < b, of all pairs linked in either direction, in the order of (b, a): int32 (pairs,) each."""
    links, turned = _both_ways(counts)
    # Each pair has one or two links. Memory for pairs that do not exist is reserved, but never touched.
    a, b = (np.empty(links.columns.size, dtype=np.int32) for _ in range(2))
    pairs = kernels.list_pairs(links, turned, a, b)
    return a[:pairs], b[:pairs]


def links_of(counts: sp.csr_array) -> LinkArrays:
    """Links by row; their indices are sorted."""
    return LinkArrays(
        counts.indptr.astype(np.int64, copy=False), counts.indices.astype(np.int32, copy=False), counts.data
    )


def _both_ways(counts: sp.csr_array) -> tuple[LinkArrays, LinkArrays]:
    """All links, and those from earlier to later documents by the later one."""
    links = links_of(counts)
    starts = np.zeros(counts.shape[0] + 2, dtype=np.int64)
    forward = kernels.count_forward(links, starts)
    turned = LinkArrays(starts, np.empty(forward, dtype=np.int32), np.empty(forward, dtype=np.uint8))
    kernels.turn_forward(links, turned)
    return links, turned
