"""Select the key terms of each document with whole-array operations."""

from __future__ import annotations

import numpy as np

from infostream_dedup.model import LANGUAGES, Settings
from infostream_dedup.terms.compiled import statistics_by_language
from infostream_dedup.terms.key_terms import KeyTerms, heaviest, pattern
from infostream_dedup.terms.statistics import Statistics, TermCounts, weigh


def select_key_terms(counts: TermCounts, settings: Settings, statistics: list[Statistics] | None = None) -> KeyTerms:
    """The ``settings.n`` heaviest terms of medium document frequency, by default by the documents' own statistics."""
    statistics = statistics_of(counts, settings) if statistics is None else statistics
    weights = weigh(counts, statistics, settings)
    keys = heaviest(weights, settings.n)
    size = settings.target_size()
    if size is None:
        return KeyTerms(keys, pattern(counts.counts), counts, statistics)
    return KeyTerms(keys, pattern(heaviest(weights, size) if size else keys), counts, statistics)


def statistics_of(counts: TermCounts, settings: Settings) -> list[Statistics]:
    """Return the statistics per language, in the order of ``LANGUAGES``."""
    rows = [counts.counts[counts.languages == number].indices for number in range(len(LANGUAGES))]
    df = np.stack([np.bincount(row, minlength=len(counts.terms)) for row in rows])
    return statistics_by_language(counts, df, settings)
