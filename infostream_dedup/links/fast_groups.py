"""Groups of documents joined by reciprocated links, for 10^8 links: the same as ``groups.group_leaders`` finds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from infostream_dedup.links.kernels.returned_links import join_returned

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["fast_group_leaders"]


def fast_group_leaders(counts: sp.csr_array, k: int) -> NDArray[np.int64]:
    """The leader of each document's group at k, without a copy of the links.

    Args:
        counts: uint8 (documents, documents), sorted indices.
        k: least count of a link, at least 1.

    Returns:
        int64 (documents,): as ``groups.group_leaders`` of the links from k on.
    """
    leaders = np.arange(counts.shape[0], dtype=np.int64)
    indptr, columns = counts.indptr.astype(np.int64, copy=False), counts.indices.astype(np.int32, copy=False)
    join_returned(indptr, columns, counts.data, k, leaders)
    return leaders
