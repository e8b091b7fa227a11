"""The earlier document that each document repeats or resembles most, from links, without a list of pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from infostream_dedup.links.compiled.groups import joined_forests
from infostream_dedup.links.compiled.kernels.earlier_links import (
    Acceptance,
    TermPlaces,
    choose_earlier,
    count_forward,
    list_pairs,
    turn_forward,
)
from infostream_dedup.links.compiled.kernels.link_arrays import LinkArrays
from infostream_dedup.links.compiled.kernels.linkage_order import merge_forest
from infostream_dedup.links.compiled.term_rows import term_rows
from infostream_dedup.links.pair_rules import need
from infostream_dedup.machine.threads import thread_count

if TYPE_CHECKING:
    from numpy.typing import NDArray


def accept(k: int, *, n: int, short: str, relations: Sequence[bool], fewest: int = 0) -> Acceptance:
    """When a pair counts."""
    sizes = np.arange(n + 1)
    return Acceptance(need(k, sizes, sizes, n=n, short=short), np.array(relations, dtype=np.bool_), fewest)


@dataclass(frozen=True, slots=True)
class EarlierDocuments:
    """Links of a collection, by the later document.

    Attributes:
        links: all links.
        turned: the links from earlier to later documents, by the later one.
        terms: key terms and targets.
    """

    links: LinkArrays
    turned: LinkArrays
    terms: TermPlaces

    @classmethod
    def of(cls, counts: sp.csr_array, keys: sp.csr_array, targets: sp.csr_array) -> EarlierDocuments:
        """Prepare a matrix.

        Args:
            counts: uint8 (documents, documents), sorted indices; all counts from the smallest need upwards.
            keys: (documents, columns), key terms.
            targets: (documents, columns), targets, sorted indices.
        """
        links, turned = _both_ways(counts)
        own, answering = term_rows(keys), term_rows(targets)
        return cls(links, turned, TermPlaces(own.indptr, own.indices, answering.indptr, answering.indices))

    def best(self, accepted: Acceptance, parents: NDArray[np.int32]) -> NDArray[np.int64]:
        """Find, for each document, the accepted earlier one with the largest (min, max) of both counts.

        Args:
            parents: int32 (documents,), union-find, joins all accepted pairs; empty not to join any.

        Returns:
            int64 (documents,): the earliest of the best; -1 if there is none.
        """
        found = np.full(self.links.indptr.size - 1, -1, dtype=np.int64)

        def choose(rows: slice, forest: NDArray[np.int32]) -> None:
            choose_earlier((rows.start, rows.stop), self.links, self.turned, self.terms, accepted, forest, found)

        work = np.diff(self.links.indptr) + np.diff(self.turned.indptr[: len(found) + 1]) + 1
        for forest in joined_forests(choose, parents.copy, work, thread_count(0)):
            merge_forest(forest, parents)
        return found


def linked_pairs(counts: sp.csr_array) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Ordinals (a, b), a < b, of all pairs linked in either direction, in the order of (b, a): int32 (pairs,) each.

    Args:
        counts: uint8 (documents, documents), sorted indices.
    """
    links, turned = _both_ways(counts)
    # Each pair has one or two links. Memory for pairs that do not exist is reserved, but never touched.
    a, b = (np.empty(links.columns.size, dtype=np.int32) for _ in range(2))
    pairs = list_pairs(links, turned, a, b)
    return a[:pairs], b[:pairs]


def _both_ways(counts: sp.csr_array) -> tuple[LinkArrays, LinkArrays]:
    """All links, and those from earlier to later documents by the later one."""
    links = LinkArrays(
        counts.indptr.astype(np.int64, copy=False), counts.indices.astype(np.int32, copy=False), counts.data
    )
    starts = np.zeros(counts.shape[0] + 2, dtype=np.int64)
    forward = count_forward(links, starts)
    turned = LinkArrays(starts, np.empty(forward, dtype=np.int32), np.empty(forward, dtype=np.uint8))
    turn_forward(links, turned)
    return links, turned
