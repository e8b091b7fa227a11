"""Union-find over all cores: each thread joins rows in a forest of its own, and the forests are merged afterwards."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Final

from infostream_dedup.links.compiled.row_parts import row_parts

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["joined_forests"]

_MOST_FORESTS: Final = 8
"""Maximum number of threads: each forest takes as much memory as the result, and one core merges them."""


def joined_forests(
    join: Callable[[slice, NDArray[np.int32]], None],
    new_forest: Callable[[], NDArray[np.int32]],
    work: NDArray[np.int64],
    threads: int,
) -> list[NDArray[np.int32]]:
    """Join rows by several threads. What the forests join together is the same, whichever thread took which rows.

    Args:
        join: joins what some rows link, in a forest.
        new_forest: makes a forest to begin with.
        work: int64 (rows,), work of each row, at least 1.
        threads: number of threads.

    Returns:
        The forests, none if there are no rows.
    """
    own = threading.local()
    forests: list[NDArray[np.int32]] = []

    def run(rows: slice) -> None:
        if not hasattr(own, "forest"):
            own.forest = new_forest()
            forests.append(own.forest)
        join(rows, own.forest)

    with ThreadPoolExecutor(min(threads, _MOST_FORESTS)) as pool:
        list(pool.map(run, row_parts(work, threads)))
    return forests
