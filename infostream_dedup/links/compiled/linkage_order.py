"""Single-linkage order of nodes, over all cores."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from concurrent.futures import Executor
from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.links.compiled.kernels.linkage_order import join_linked, label_nodes, merge_forest
from infostream_dedup.links.compiled.row_parts import row_parts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from infostream_dedup.links.compiled.kernels.link_arrays import LinkArrays

__all__ = ["linkage_order"]


def linkage_order(links: LinkArrays, levels: Iterable[int], pool: Executor, threads: int) -> NDArray[np.int64]:
    """Int64 (nodes,): the nodes, so that linked ones are neighbours, above all those linked at the first levels.

    Args:
        links: the links; either direction joins.
        levels: minimum counts to join at, descending.
        pool: threads.
        threads: their number. They do not change the result.
    """
    parents = np.arange(len(links.indptr) - 1, dtype=np.int32)
    labels, high = [], 256
    for low in levels:
        parents = _joined(links, low, high, parents, pool, threads)
        labels.append(parents.copy())
        high = low
    return np.lexsort(labels).astype(np.int64, copy=False)


def _joined(
    links: LinkArrays, low: int, high: int, parents: NDArray[np.int32], pool: Executor, threads: int
) -> NDArray[np.int32]:
    """Join links of some counts, too: int32 (nodes,), the smallest node of each node's component.

    Each thread joins what its rows link, in a forest of its own. Components, and so the result, are the same in
    whatever order links are joined.
    """
    own = threading.local()
    forests: list[NDArray[np.int32]] = []

    def join(rows: slice) -> None:
        if not hasattr(own, "forest"):
            own.forest = parents.copy()
            forests.append(own.forest)
        join_linked(rows.start, rows.stop, links, low, high, own.forest)

    list(pool.map(join, row_parts(np.diff(links.indptr) + 1, threads)))
    found = forests.pop() if forests else parents
    for forest in forests:
        merge_forest(forest, found)
    label_nodes(found)
    return found
