"""Groups of documents joined by reciprocated links, without a copy of the links."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from infostream_dedup.links.compiled.kernels.returned_links import join_returned

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["group_leaders"]


def group_leaders(counts: sp.csr_array, k: int) -> NDArray[np.int64]:
    """The leader of each document's group, as in ``backend.GroupLeaders``; ``counts`` must be uint8."""
    leaders = np.arange(counts.shape[0], dtype=np.int64)
    indptr, columns = counts.indptr.astype(np.int64, copy=False), counts.indices.astype(np.int32, copy=False)
    join_returned(indptr, columns, counts.data, k, leaders)
    return leaders
