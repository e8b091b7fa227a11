"""Sizes of groups."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["group_sizes"]


def group_sizes(leaders: NDArray[np.int64]) -> NDArray[np.int64]:
    """Documents in each group, single documents included, in the order of the leaders.

    Args:
        leaders: int64 (documents,), as ``group_leaders`` returns them.

    Returns:
        int64 (groups,).
    """
    _, sizes = np.unique(leaders, return_counts=True)
    return np.asarray(sizes, dtype=np.int64)
