"""Criteria of where and when documents were published."""

from __future__ import annotations

from typing import Final

import numpy as np

from infostream_dedup.judging.criteria.criterion import (
    Both,
    ComparedPairs,
    Typical,
    antisymmetric,
    criterion,
    say_hours_apart,
    say_sign,
    symmetric,
)

_HOUR: Final = 3600.0
_DAY: Final = 24 * _HOUR
_HALF_A_DAY: Final = 12 * _HOUR


@criterion(
    order=90,
    say=say_sign("published earlier", "published at one time", "published later"),
    typical=Typical(2 * _DAY, 3 * _DAY),
)
def time(pairs: ComparedPairs) -> Both:
    """Seconds from the publication of j to that of i (5.6), antisymmetric; NaN if a date is missing."""
    return antisymmetric(pairs.models.times[pairs.i] - pairs.models.times[pairs.j])


@criterion(order=100, say=say_hours_apart, typical=Typical(1.5, 1))
def time_apart(pairs: ComparedPairs) -> Both:
    """ln(1 + hours between the publications), symmetric, at least 0; NaN if a date is missing."""
    # The paper compares the new document with an earlier one, so its signed difference is never negative. Judged in
    # both directions, the sign says nothing about the interval, and a plane cannot use it.
    return symmetric(np.log1p(np.abs(pairs.models.times[pairs.i] - pairs.models.times[pairs.j]) / _HOUR))


@criterion(order=105, say=lambda value: "another day" if value >= 0.5 else "the same day", typical=Typical(0, 1))
def another_day(pairs: ComparedPairs) -> Both:
    """0 up to half a day between the publications, 1 from one day on, linear between; symmetric; NaN if unknown."""
    # Not in the paper: forms (rates, weather) come a day apart, copies mostly within hours. Within half a day it does
    # not matter how many hours they are.
    apart = np.abs(pairs.models.times[pairs.i] - pairs.models.times[pairs.j])
    return symmetric(np.clip(apart / _HALF_A_DAY - 1, 0, 1))


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
    """0 for two documents of one source, 1 for two sources; symmetric; NaN if one is unknown."""
    # Not in the paper: a site that fills in its daily template resembles itself.
    sources = pairs.models.sources
    both = ((sources[i], sources[j]) for i, j in zip(pairs.i.tolist(), pairs.j.tolist(), strict=True))
    return symmetric(np.array([np.nan if one is None or other is None else float(one != other) for one, other in both]))
