"""Select the key terms of each document with whole-array operations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.arrays import offsets_of
from infostream_dedup.model import LANGUAGES, Settings
from infostream_dedup.terms.key_terms import KeyTerms, pattern
from infostream_dedup.terms.statistics import Statistics, TermCounts, statistics_by_language
from infostream_dedup.terms.weighting import weigh

if TYPE_CHECKING:
    import scipy.sparse as sp
    from numpy.typing import NDArray


def select_key_terms(
    counts: TermCounts, settings: Settings, statistics: list[Statistics] | None = None, *, workers: int = 0
) -> KeyTerms:
    """Select the ``settings.n`` heaviest terms of medium document frequency in every document (Lande, section 2)."""
    statistics = statistics_of(counts, settings, workers=workers) if statistics is None else statistics
    weights = weigh(counts, statistics, settings)
    keys = heaviest(weights, settings.n)
    size = settings.target_size()
    if size is None:
        return KeyTerms(keys, pattern(counts.counts), counts, statistics)
    return KeyTerms(keys, pattern(heaviest(weights, size) if size else keys), counts, statistics)


def statistics_of(counts: TermCounts, settings: Settings, *, workers: int = 0) -> list[Statistics]:
    """Return the statistics per language, in the order of ``LANGUAGES``."""
    del workers
    return statistics_by_language(counts, np.stack([_df(counts, number) for number in range(len(LANGUAGES))]), settings)


def _df(counts: TermCounts, language: int) -> NDArray[np.int64]:
    rows = counts.counts[counts.languages == language]
    return np.bincount(rows.indices, minlength=len(counts.terms))


def heaviest(weights: sp.csr_array, n: int) -> sp.csr_array:
    """Keep the n heaviest positive entries of each row; the smaller column wins ties.

    Returns the same shape and dtype, sorted indices.
    """
    import scipy.sparse as sp

    row = np.repeat(np.arange(weights.shape[0]), np.diff(weights.indptr))
    order = np.lexsort((weights.indices, -weights.data, row))
    rank = np.arange(weights.nnz) - weights.indptr[row]
    chosen = np.sort(order[(rank < n) & (weights.data[order] > 0)])
    kept = np.bincount(row[chosen], minlength=weights.shape[0])
    indptr = offsets_of(kept)
    return sp.csr_array((weights.data[chosen], weights.indices[chosen], indptr), shape=weights.shape)
