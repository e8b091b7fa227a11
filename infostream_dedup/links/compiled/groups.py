"""Groups of documents joined by reciprocated links, without a copy of the links."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from infostream_dedup.links.compiled.forests import joined_forests
from infostream_dedup.links.compiled.kernels.returned_links import join_returned, lead_rows, merge_leaders
from infostream_dedup.machine.threads import thread_count

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["group_leaders"]


def group_leaders(counts: sp.csr_array, ks: Sequence[int]) -> NDArray[np.int64]:
    """The leaders of each document's groups, as in ``backend.GroupLeaders``; ``counts`` must be uint8."""
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
