"""Join documents by returned links."""

from __future__ import annotations

from typing import TYPE_CHECKING

from infostream_dedup.links.compiled.kernels.linkage_order import root
from infostream_dedup.links.compiled.kernels.row_search import first_not_below
from infostream_dedup.machine.compiling import compiled

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["join_returned"]


@compiled
def _is_linked(
    indptr: NDArray[np.int64], columns: NDArray[np.int32], counts: NDArray[np.uint8], row: int, column: int, k: int
) -> bool:
    end = indptr[row + 1]
    place = first_not_below(columns, indptr[row], end, column)
    return bool(place < end and columns[place] == column and counts[place] >= k)


@compiled
def join_returned(
    indptr: NDArray[np.int64],
    columns: NDArray[np.int32],
    counts: NDArray[np.uint8],
    k: int,
    leaders: NDArray[np.int64],
) -> None:
    """Join the two ends of every link of count k or more whose reverse has count k or more too.

    Args:
        indptr: int64 (rows + 1,), start of the links of each row.
        columns: int32 (links,), ascending in a row.
        counts: uint8 (links,).
        k: minimum count, at least 1.
        leaders: int64 (rows,), initially each row itself; receives the smallest row of each component.
    """
    for row in range(leaders.size):
        for link in range(indptr[row], indptr[row + 1]):
            column = columns[link]
            if column <= row or counts[link] < k:
                continue
            one, other = root(leaders, row), root(leaders, column)
            # Most links join nodes that are joined already: no need to look these up in the other row.
            if one != other and _is_linked(indptr, columns, counts, column, row, k):
                leaders[max(one, other)] = min(one, other)
    for row in range(leaders.size):
        leaders[row] = root(leaders, row)
