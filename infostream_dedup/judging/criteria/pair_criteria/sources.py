"""Differences of the sources."""

from __future__ import annotations

import numpy as np

from infostream_dedup.judging.criteria.criterion import (
    Both,
    ComparedPairs,
    Typical,
    antisymmetric,
    criterion,
    say_sign,
    symmetric,
)

__all__ = ["site", "source"]


@criterion(
    order=110,
    say=say_sign("source of less authority", "sources of equal authority", "source of more authority"),
    typical=Typical(0, 0.2),
)
def source(pairs: ComparedPairs) -> Both:
    """Authority of i's source minus that of j's (5.7); -1 to 1, antisymmetric; NaN if one is unknown."""
    return antisymmetric(pairs.authority[0] - pairs.authority[1])


@criterion(order=120, say=lambda value: "two sites" if value else "one site", typical=Typical(0.5, 0.5))
def site(pairs: ComparedPairs) -> Both:
    """0 for two documents of one source, 1 for two sources; symmetric; NaN if one is unknown.

    Not in the paper: a site that fills in its daily template resembles itself.
    """
    sources = pairs.models.sources
    both = ((sources[i], sources[j]) for i, j in zip(pairs.i.tolist(), pairs.j.tolist(), strict=True))
    return symmetric(np.array([np.nan if one is None or other is None else float(one != other) for one, other in both]))
