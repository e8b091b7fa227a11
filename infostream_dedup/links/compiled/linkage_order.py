"""Single-linkage order of nodes, over all cores."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.links.compiled.forests import joined_forests
from infostream_dedup.links.compiled.kernels.linkage_order import join_linked, label_nodes, merge_forest

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from infostream_dedup.links.compiled.kernels.link_arrays import LinkArrays

__all__ = ["linkage_order"]


def linkage_order(links: LinkArrays, levels: Iterable[int], threads: int) -> NDArray[np.int64]:
    """Int64 (nodes,): the nodes, so that linked ones are neighbours, above all those linked at the first levels.

    Args:
        links: the links; either direction joins.
        levels: minimum counts to join at, descending.
        threads: number of threads. They do not change the result.
    """
    parents = np.arange(len(links.indptr) - 1, dtype=np.int32)
    labels, high = [], 256
    for low in levels:
        _join(links, low, high, parents, threads)
        labels.append(parents.copy())
        high = low
    return np.lexsort(labels).astype(np.int64, copy=False)


def _join(links: LinkArrays, low: int, high: int, parents: NDArray[np.int32], threads: int) -> None:
    """Join links of some counts, too; ``parents`` receives the smallest node of each node's component."""

    def join(rows: slice, forest: NDArray[np.int32]) -> None:
        join_linked(rows.start, rows.stop, links, low, high, forest)

    for forest in joined_forests(join, parents.copy, np.diff(links.indptr) + 1, threads):
        merge_forest(forest, parents)
    label_nodes(parents)
