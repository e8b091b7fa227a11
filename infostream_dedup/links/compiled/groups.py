"""Groups of documents joined by reciprocated links, without a copy of the links."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Final

import numpy as np
import scipy.sparse as sp

from infostream_dedup.links.compiled.kernels.linkage_order import join_linked, label_nodes, merge_forest
from infostream_dedup.links.compiled.kernels.returned_links import join_returned, lead_rows, merge_leaders
from infostream_dedup.links.compiled.term_rows import row_parts
from infostream_dedup.machine.threads import thread_count

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from infostream_dedup.links.compiled.kernels.link_arrays import LinkArrays


_MOST_FORESTS: Final = 8
"""Maximum number of threads: each forest takes as much memory as the result, and one core merges them."""


def joined_forests(
    join: Callable[[slice, NDArray[np.int32]], None],
    new_forest: Callable[[], NDArray[np.int32]],
    work: NDArray[np.int64],
    threads: int,
) -> list[NDArray[np.int32]]:
    """Join rows by several threads. What the forests join together is the same, whichever thread took which rows.

    Args:
        work: int64 (rows,), work of each row, at least 1.
    """
    own = threading.local()
    forests: list[NDArray[np.int32]] = []

    def run(rows: slice) -> None:
        if not hasattr(own, "forest"):
            own.forest = new_forest()
            forests.append(own.forest)
        join(rows, own.forest)

    with ThreadPoolExecutor(min(threads, _MOST_FORESTS)) as pool:
        list(pool.map(run, row_parts(work, threads)))
    return forests


def group_leaders(counts: sp.csr_array, ks: Sequence[int]) -> NDArray[np.int64]:
    """The smallest ordinal of each document's group: connected components of returned links (methods, section 1.7).

    Args:
        counts: uint8 (documents, documents), sorted indices.

    Returns:
        int64 (ks, documents); a document without a returned link leads itself.
    """
    ascending, places = np.unique(np.array(ks, dtype=np.int64), return_inverse=True)
    indptr, columns = counts.indptr.astype(np.int64, copy=False), counts.indices.astype(np.int32, copy=False)
    levels = np.searchsorted(ascending, np.arange(256), side="right")

    def new_forest() -> NDArray[np.int32]:
        # The leaders of one document are side by side in memory, as a link is looked up at any of the ks.
        return np.repeat(np.arange(counts.shape[0], dtype=np.int32), len(ascending)).reshape(-1, len(ascending))

    def join(rows: slice, forest: NDArray[np.int32]) -> None:
        join_returned(rows.start, rows.stop, indptr, columns, counts.data, levels, forest)

    leaders = new_forest()
    for forest in joined_forests(join, new_forest, np.diff(indptr) + 1, thread_count(0)):
        merge_leaders(forest, leaders)
    lead_rows(leaders)
    return leaders[:, places].T.astype(np.int64, order="C")


def linkage_order(links: LinkArrays, levels: Iterable[int], threads: int) -> NDArray[np.int64]:
    """Int64 (nodes,): the nodes, so that linked ones are neighbours, above all those linked at the first levels.

    Args:
        links: the links; either direction joins.
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
