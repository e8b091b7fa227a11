"""Difference of the sequences of numbers."""

from __future__ import annotations

import numpy as np

from infostream_dedup.errors import MissingExtraError
from infostream_dedup.judging.criteria.criterion import Both, ComparedPairs, criterion, say_share, symmetric

__all__ = ["number_order"]


@criterion(order=60, say=say_share("order of numbers", "differs"))
def number_order(pairs: ComparedPairs) -> Both:
    """Damerau-Levenshtein distance of the sequences of numbers (5.4) over the length of the longer; 0 to 1, symmetric.

    Neighbours may be swapped, and nothing is edited twice (the restricted distance, optimal string alignment). The
    paper's distance has no upper bound; division makes it comparable between texts. 0 if neither has a number.
    """
    try:
        from rapidfuzz.distance import OSA
    except ImportError as error:
        raise MissingExtraError("rapidfuzz", "learn", "the criterion number_order") from error

    rows = pairs.models.number_rows
    ends, values = rows.indptr.tolist(), rows.values.tolist()
    distances = [
        OSA.normalized_distance(values[ends[i] : ends[i + 1]], values[ends[j] : ends[j + 1]])
        for i, j in zip(pairs.i.tolist(), pairs.j.tolist(), strict=True)
    ]
    return symmetric(np.array(distances, dtype=np.float64))
