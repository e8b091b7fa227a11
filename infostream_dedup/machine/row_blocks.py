"""Rows of a sparse product in blocks, so that memory stays bounded however large the product is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def row_blocks(work: NDArray[np.int64], limit: int) -> Iterator[slice]:
    """Cut rows into consecutive blocks of at most ``limit`` work; a heavier row gets a block of its own.

    Args:
        work: int64 (rows,), work of each row, at least 0.
        limit: maximum work per block, at least 1.

    Example:
        >>> [(block.start, block.stop) for block in row_blocks(np.array([3, 4, 9, 1]), 7)]
        [(0, 2), (2, 3), (3, 4)]
    """
    before = np.concatenate(([0], np.cumsum(work, dtype=np.int64)))
    start = 0
    while start < len(work):
        stop = max(start + 1, int(np.searchsorted(before, before[start] + limit, side="right")) - 1)
        yield slice(start, stop)
        start = stop
