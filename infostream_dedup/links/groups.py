"""Groups of documents joined by reciprocated links."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from infostream_dedup.links.entries import pattern_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["group_leaders", "group_sizes"]


def group_leaders(links: sp.csr_array) -> NDArray[np.int64]:
    """The leader of each document's group: connected components of the links that are returned (methods, section 1.7).

    Args:
        links: (documents, documents), only its pattern counts.

    Returns:
        int64 (documents,): the smallest ordinal in the group; a document without a returned link leads itself.
    """
    from scipy.sparse.csgraph import connected_components

    mutual = pattern_of(links).multiply(pattern_of(links.T.tocsr()))
    _, component = connected_components(mutual, directed=False)
    _, first, group = np.unique(component, return_index=True, return_inverse=True)
    return np.asarray(first[group], dtype=np.int64)


def group_sizes(leaders: NDArray[np.int64]) -> NDArray[np.int64]:
    """Documents in each group, single documents included, in the order of the leaders.

    Args:
        leaders: int64 (documents,), as ``group_leaders`` gives them.

    Returns:
        int64 (groups,).
    """
    _, sizes = np.unique(leaders, return_counts=True)
    return np.asarray(sizes, dtype=np.int64)
