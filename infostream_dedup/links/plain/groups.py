"""Groups of documents joined by reciprocated links."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from infostream_dedup.links.similarity_matrix import links_at

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["group_leaders"]


def group_leaders(counts: sp.csr_array, k: int) -> NDArray[np.int64]:
    """The leader of each document's group, as in ``backend.GroupLeaders``."""
    from scipy.sparse.csgraph import connected_components

    links = links_at(counts, k)
    mutual = links.multiply(links.T.tocsr())
    _, component = connected_components(mutual, directed=False)
    _, first, group = np.unique(component, return_index=True, return_inverse=True)
    return np.asarray(first[group], dtype=np.int64)
