"""Documents joined by links that are returned, found by compiled code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from infostream_dedup.matrix.kernels.compiled import compiled
from infostream_dedup.matrix.kernels.linkage_order import root

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["join_returned"]


@compiled
def _is_linked(
    indptr: NDArray[np.int64], columns: NDArray[np.int32], counts: NDArray[np.uint8], row: int, column: int, k: int
) -> bool:
    begin, end = indptr[row], indptr[row + 1]
    last = end
    while begin < end:
        middle = (begin + end) >> 1
        if columns[middle] < column:
            begin = middle + 1
        else:
            end = middle
    return bool(begin < last and columns[begin] == column and counts[begin] >= k)


@compiled
def join_returned(
    indptr: NDArray[np.int64],
    columns: NDArray[np.int32],
    counts: NDArray[np.uint8],
    k: int,
    leaders: NDArray[np.int64],
) -> None:
    """Join the two ends of every link of at least k that is returned by one of at least k.

    Args:
        indptr: links by row.
        columns: of the links, ascending in a row.
        counts: of the links.
        k: least count.
        leaders: int64 (rows,), each row its own; receives the smallest row of each component.
    """
    for row in range(leaders.size):
        for link in range(indptr[row], indptr[row + 1]):
            column = columns[link]
            if column <= row or counts[link] < k:
                continue
            one, other = root(leaders, row), root(leaders, column)
            # Most links join what others have joined before: these need not be looked for in the other row.
            if one != other and _is_linked(indptr, columns, counts, column, row, k):
                leaders[max(one, other)] = min(one, other)
    for row in range(leaders.size):
        leaders[row] = root(leaders, row)
