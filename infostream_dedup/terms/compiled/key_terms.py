"""Select the key terms of each document with compiled code."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from infostream_dedup.machine.threads import thread_count
from infostream_dedup.model import LANGUAGES, Settings
from infostream_dedup.terms.compiled.counts import count_terms
from infostream_dedup.terms.compiled.surfaces import SurfaceTokens
from infostream_dedup.terms.kernels.counting import Factors, Kept, add_frequencies, gather_factors, select_heaviest
from infostream_dedup.terms.key_terms import KeyTerms, StatisticsOfTerms, pattern
from infostream_dedup.terms.representation import representation
from infostream_dedup.terms.statistics import Statistics, TermCounts, statistics_by_language
from infostream_dedup.terms.weighting import document_norms, idf_table, weighting

if TYPE_CHECKING:
    import scipy.sparse as sp


_ROWS_AT_ONCE: Final = 512  # documents weighted at once: few enough for their arrays to stay in the processor's cache


def select_key_terms(
    counts: TermCounts, settings: Settings, statistics: list[Statistics] | None = None, *, workers: int = 0
) -> KeyTerms:
    """Select the ``settings.n`` heaviest terms of medium document frequency in every document (Lande, section 2)."""
    statistics = statistics_of(counts, settings, workers=workers) if statistics is None else statistics
    rows = _Weighed(counts, statistics, settings)
    keys = rows.heaviest(settings.n, workers)
    size = settings.target_size()
    if size is None:
        return KeyTerms(keys, pattern(counts.counts), counts, statistics)
    return KeyTerms(keys, pattern(rows.heaviest(size, workers) if size else keys), counts, statistics)


def statistics_of(counts: TermCounts, settings: Settings, *, workers: int = 0) -> list[Statistics]:
    """Return the statistics per language, in the order of ``LANGUAGES``."""
    indptr, indices = _rows(counts.counts)
    threads = thread_count(workers)
    bounds = np.linspace(0, len(indptr) - 1, threads + 1).astype(np.int64)

    def add(thread: int) -> NDArray[np.int64]:
        df = np.zeros((len(LANGUAGES), len(counts.terms)), dtype=np.int64)
        first, last = bounds[thread], bounds[thread + 1]
        add_frequencies(indptr[first : last + 1], indices, counts.languages[first:last], df)
        return df

    with ThreadPoolExecutor(threads) as pool:
        df = sum(pool.map(add, range(threads)), start=np.zeros((1, 1), dtype=np.int64))
    return statistics_by_language(counts, df, settings)


@dataclass(frozen=True, slots=True)
class _Part:
    """The terms kept from consecutive documents, ascending in each, with their weights."""

    sizes: NDArray[np.int64]
    indices: NDArray[np.int32]
    weights: NDArray[np.int64]


class _Weighed:
    """Documents whose terms are weighted part by part; weights of terms that are not kept are never stored."""

    def __init__(self, counts: TermCounts, statistics: list[Statistics], settings: Settings) -> None:
        self._shape = counts.counts.shape
        self._indptr, self._indices = _rows(counts.counts)
        data = counts.counts.data
        if data.dtype != np.uint8:
            # The loops are compiled for two types; as the larger one, the counts of a month would take .8 GB.
            data = data.astype(np.int32, copy=False)
        norms = document_norms(counts, statistics, settings)
        self._factors = Factors(self._indices, data, counts.languages, idf_table(statistics, settings), norms)
        self._settings = settings

    def heaviest(self, n: int, workers: int) -> sp.csr_array:
        """Return the n heaviest positive weights of each row: int64 (documents, terms)."""
        import scipy.sparse as sp

        weigh = weighting(self._settings.weighting).weight
        documents, indptr = self._shape[0], self._indptr

        def select(first: int) -> _Part:
            last = min(first + _ROWS_AT_ONCE, documents)
            begin, end = indptr[first], indptr[last]
            f, idf, norm = np.empty((3, end - begin), dtype=np.float64)
            gather_factors(first, last, indptr, self._factors, f, idf, norm)
            sizes, places, weights = heaviest_of_rows(indptr[first : last + 1], weigh(f, idf, norm, self._settings), n)
            return _Part(sizes, self._indices[begin:end][places], weights)

        with ThreadPoolExecutor(thread_count(workers)) as pool:
            parts = list(pool.map(select, range(0, documents, _ROWS_AT_ONCE)))
        parts.append(_Part(np.zeros(0, np.int64), np.zeros(0, np.int32), np.zeros(0, np.int64)))
        ends = np.cumsum(np.concatenate([[0], *(part.sizes for part in parts)]))
        indices = np.concatenate([part.indices for part in parts])
        return sp.csr_array((np.concatenate([part.weights for part in parts]), indices, ends), shape=self._shape)


def heaviest_of_rows(
    indptr: NDArray[np.int64], values: NDArray[np.float64], n: int, *, ties: bool = False
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Select the n heaviest terms of each row; ``ties`` keeps all as heavy as the n-th, not only the first ones.

    Returns int64 (rows,), number of terms kept in each row; int64 (kept,), their positions in ``values``, ascending;
    and int64 (kept,), their weights in units of 1e-9, at least 1.
    """
    sizes = indptr[1:] - indptr[:-1]
    longest = int(sizes.max(initial=0))
    room = len(values) if ties else int(np.minimum(sizes, n).sum())
    kept = Kept(np.empty(len(sizes), np.int64), np.empty(room, np.int64), np.empty(room, np.int64))
    row, heap = np.empty(longest, np.int64), np.empty(min(n, longest), np.int64)
    written = select_heaviest(indptr, values, n, ties, row, heap, kept)
    return kept.sizes, kept.places[:written], kept.weights[:written]


def _rows(matrix: sp.csr_array) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return row bounds and columns in the types for which the loops are compiled."""
    return matrix.indptr.astype(np.int64, copy=False), matrix.indices.astype(np.int32, copy=False)


def key_terms_of_surfaces(
    surfaces: SurfaceTokens,
    settings: Settings,
    *,
    counts: TermCounts | None = None,
    statistics: StatisticsOfTerms | None = None,
    workers: int = 0,
) -> KeyTerms:
    """Select the key terms of every document."""
    if counts is None:
        counts = count_terms(surfaces, settings, workers=workers)
    select = partial(select_key_terms, workers=workers)
    return representation(settings.representation).key_terms(counts, settings, select, statistics)
