"""Differences of the times of publication."""

from __future__ import annotations

from typing import Final

import numpy as np

from infostream_dedup.criteria.criterion import (
    Both,
    ComparedPairs,
    antisymmetric,
    criterion,
    say_hours_apart,
    say_sign,
    symmetric,
)

__all__ = ["time", "time_apart"]

_HOUR: Final = 3600.0


@criterion(order=90, say=say_sign("published earlier", "published at one time", "published later"))
def time(pairs: ComparedPairs) -> Both:
    """Seconds from the publication of j to that of i (5.6), antisymmetric; NaN where a date is missing."""
    return antisymmetric(pairs.models.times[pairs.i] - pairs.models.times[pairs.j])


@criterion(order=100, say=say_hours_apart)
def time_apart(pairs: ComparedPairs) -> Both:
    """ln(1 + hours between the publications), symmetric, 0 and more; NaN where a date is missing.

    The paper looks from the new document to the earlier one, where the signed difference is never negative. Judged in
    both directions the sign tells no interval, so a plane cannot use it.
    """
    return symmetric(np.log1p(np.abs(pairs.models.times[pairs.i] - pairs.models.times[pairs.j]) / _HOUR))
