"""Resamples documents: how often each one counts in each draw."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.machine.threads import thread_count

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["DRAWS", "Bounds", "bounds_of", "drawn_documents"]

DRAWS: Final = 200

Bounds = tuple[float, float]
"""Lower and upper bound of a 95 % interval, 0 to 1."""

_SEED: Final = 20_091_969
_ENDS: Final = (0.025, 0.975)
_MOST: Final = 9
_CHUNK: Final = 500


def drawn_documents(documents: int, *, draws: int = DRAWS) -> NDArray[np.uint8]:
    """How often each document is drawn: uint8 (documents, draws), Poisson with mean 1.

    The draws of a document depend only on its ordinal.

    Args:
        documents: number of documents.
        draws: number of draws.
    """
    steps = np.cumsum([math.exp(-1.0) / math.factorial(times) for times in range(_MOST)])
    found = np.empty((documents, draws), dtype=np.uint8)

    def draw(begin: int) -> None:
        part = found[begin : begin + _CHUNK]
        # The numbers of all earlier documents are skipped.
        random = np.random.Generator(np.random.PCG64(_SEED).advance(begin * draws)).random(part.shape)
        part[:] = 0
        for step in steps:
            part += random >= step

    with ThreadPoolExecutor(thread_count(0)) as pool:
        list(pool.map(draw, range(0, documents, _CHUNK)))
    return found


def bounds_of(values: NDArray[np.float64], estimate: float) -> Bounds:
    """The 95 % interval of a figure, widened to contain the figure itself.

    Args:
        values: float64 (draws,), the figure in each draw; NaN if it is not defined.
        estimate: the figure for the documents themselves.
    """
    known = values[~np.isnan(values)]
    if len(known) == 0:
        return 0.0, 1.0
    low, high = np.quantile(known, _ENDS)
    return min(float(low), estimate), max(float(high), estimate)
