"""Winnowing: a sample of shingles by position, with a guarantee for every shared run of words.

S. Schleimer, D. Wilkerson, A. Aiken: Winnowing: local algorithms for document fingerprinting, SIGMOD 2003. Among every
``window`` consecutive shingles of ``w`` words, the smallest fingerprint is kept, the rightmost of equal ones. Two texts
with a common run of w + window - 1 words or more keep a common fingerprint; on average 2 / (window + 1) of all are
kept.
"""

from __future__ import annotations

import numpy as np

from infostream_dedup.arrays import Ragged
from infostream_dedup.judging.features.shingles import shingles
from infostream_dedup.judging.features.words import Words


def winnowed(words: Words, w: int, window: int) -> Ragged:
    """Fingerprint documents.

    Args:
        w: words in a shingle, at least 1.
        window: shingles in a window, at least 1. A document with fewer has one window.

    Returns:
        uint64, in text order. A document of fewer than w words has one fingerprint, an empty one none.

    Example:
        >>> from infostream_dedup.judging.features.words import read_words
        >>> winnowed(read_words(["а б в г д", "а б", ""]), 2, 4).sizes.tolist()
        [1, 1, 0]
    """
    found = shingles(words, w)
    values, numbers = found.values, found.numbers
    if not len(values):
        return found
    last = found.indptr[1:][numbers] - 1
    windows = np.maximum(last - window + 1, found.indptr[:-1][numbers])
    starts = np.flatnonzero(np.arange(len(values)) <= windows)
    best = starts.copy()
    for step in range(1, window):
        place = np.minimum(starts + step, last[starts])
        # The rightmost of equal ones, so that runs of one value keep few.
        best = np.where(values[place] <= values[best], place, best)
    kept = np.zeros(len(values), dtype=np.bool_)
    kept[best] = True
    return found.chosen(kept)
