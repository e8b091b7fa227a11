"""Groups of documents joined by reciprocated links."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.links.similarity_matrix import links_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    import scipy.sparse as sp
    from numpy.typing import NDArray


def group_leaders(counts: sp.csr_array, ks: Sequence[int]) -> NDArray[np.int64]:
    """The leaders of each document's groups, as in ``backend.GroupLeaders``."""
    return np.array([_leaders(counts, k) for k in ks], dtype=np.int64).reshape(len(ks), counts.shape[0])


def _leaders(counts: sp.csr_array, k: int) -> NDArray[np.int64]:
    from scipy.sparse.csgraph import connected_components

    links = links_at(counts, k)
    mutual = links.multiply(links.T.tocsr())
    _, component = connected_components(mutual, directed=False)
    _, first, group = np.unique(component, return_index=True, return_inverse=True)
    return np.asarray(first[group], dtype=np.int64)
