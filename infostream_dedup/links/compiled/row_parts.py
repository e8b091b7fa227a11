"""Rows cut into parts for threads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from infostream_dedup.machine.row_blocks import row_blocks

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["row_parts"]

_SLICES: Final = 16
"""Parts for each thread: with fewer, cores would be idle at the end; each costs a tenth of a millisecond."""

_LEAST_WORK: Final = 1 << 18
"""Work in a part, such as steps over links: enough to make the cost of handing it to a thread negligible."""


def row_parts(work: NDArray[np.int64], threads: int) -> Iterator[slice]:
    """Cut rows into parts of similar work: large components come first, so equal numbers of rows are not.

    Args:
        work: int64 (rows,), at least 1.
        threads: number of threads.
    """
    return row_blocks(work, max(_LEAST_WORK, int(work.sum()) // (_SLICES * threads)))
