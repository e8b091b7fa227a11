"""Editions of a template: one site, another day, another title."""

from __future__ import annotations

import numpy as np

from infostream_dedup.criteria.criterion import Both, ComparedPairs, criterion, say_hours_apart, symmetric
from infostream_dedup.criteria.pair_criteria.bodies_and_titles import title
from infostream_dedup.criteria.pair_criteria.publication_times import time_apart
from infostream_dedup.criteria.pair_criteria.sources import site

__all__ = ["edition"]


def _say(value: float) -> str:
    return f"another edition of one site, {say_hours_apart(value)}" if value else "no other edition"


@criterion(order=140, say=_say, combined=True)
def edition(pairs: ComparedPairs) -> Both:
    """ln(1 + hours apart) if both are from one site and have different titles, otherwise 0; symmetric.

    Not in the paper. A plane adds up separate criteria, but neither one site nor a day in between nor another title
    alone speaks against a duplicate: only the three together distinguish today's prices from yesterday's. The value is
    also 0 if a source or a date is unknown.
    """
    same_site, _ = site(pairs)
    apart, _ = time_apart(pairs)
    titles, _ = title(pairs)
    values = np.where((same_site == 0) & (titles > 0), np.nan_to_num(apart, nan=0.0), 0.0)
    return symmetric(values)
