"""The key terms of each document, chosen by compiled code: the same as ``key_terms.select_key_terms`` gives.

Weights are computed by the same operations in the same order and never stored for terms that are not kept.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import scipy.sparse as sp

from infostream_dedup.machine.threads import thread_count
from infostream_dedup.model import LANGUAGES, Settings
from infostream_dedup.terms.counts import TermCounts
from infostream_dedup.terms.kernels.weighing import Weighting, add_frequencies, select_heaviest
from infostream_dedup.terms.key_terms import KeyTerms
from infostream_dedup.terms.statistics import Statistics, language_statistics
from infostream_dedup.terms.weights import as_count, bm25_idf

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["fast_select_key_terms", "fast_statistics_of"]

_ROWS_AT_ONCE: Final = 16384


def fast_select_key_terms(
    counts: TermCounts, settings: Settings, statistics: list[Statistics] | None = None, *, workers: int = 0
) -> KeyTerms:
    """The ``settings.n`` heaviest terms of middle document frequency of every document (Lande, section 2).

    Args:
        counts: the documents as counts of terms.
        settings: weighting, n, df_min, df_max, target.
        statistics: to weigh by; those of the documents themselves (with background) by default.
        workers: threads; 0 for as many as the process may use. The result does not depend on them.
    """
    statistics = fast_statistics_of(counts, settings, workers=workers) if statistics is None else statistics
    how = _weighting(statistics, settings)
    keys = _heaviest(counts, how, settings.n, workers)
    size = settings.target_size()
    if size is None:
        return KeyTerms(keys, _pattern(counts.counts), counts, statistics)
    return KeyTerms(keys, _pattern(_heaviest(counts, how, size, workers) if size else keys), counts, statistics)


def fast_statistics_of(counts: TermCounts, settings: Settings, *, workers: int = 0) -> list[Statistics]:
    """Statistics per language, in the order of ``LANGUAGES``: the same as ``statistics.statistics_of``."""
    indptr, indices, data = _rows(counts.counts)
    threads = thread_count(workers)
    bounds = np.linspace(0, len(indptr) - 1, threads + 1).astype(np.int64)

    def add(thread: int) -> NDArray[np.int64]:
        sums = np.zeros((2, len(LANGUAGES), len(counts.terms)), dtype=np.int64)
        first, last = bounds[thread], bounds[thread + 1]
        add_frequencies(indptr[first : last + 1], indices, data, counts.languages[first:last], *sums)
        return sums

    with ThreadPoolExecutor(threads) as pool:
        df, cf = sum(pool.map(add, range(threads)), start=np.zeros((2, 1, 1), dtype=np.int64))
    return [language_statistics(counts, number, df[number], cf[number], settings) for number in range(len(LANGUAGES))]


def _weighting(statistics: list[Statistics], settings: Settings) -> Weighting:
    value = np.stack([_idf(one, settings) for one in statistics])
    average = np.array([one.average_length for one in statistics], dtype=np.float64)
    return Weighting(value, average, settings.weighting == "bm25", float(settings.k1), float(settings.b))


def _idf(statistics: Statistics, settings: Settings) -> NDArray[np.float64]:
    """float64 (terms,): what a term's frequency is multiplied by; 0 out of bounds and for terms of no document."""
    df, documents = statistics.df, statistics.documents
    low, high = as_count(settings.df_min, documents), as_count(settings.df_max, documents)
    taken = (df >= low) & (df <= high) & (df > 0)
    value = np.zeros(len(df), dtype=np.float64)
    held = df[taken]
    value[taken] = bm25_idf(held, documents) if settings.weighting == "bm25" else np.log(documents / held)
    return value


@dataclass(frozen=True, slots=True)
class _Part:
    """Terms kept of consecutive documents, ascending in each, with their weights."""

    sizes: NDArray[np.int64]
    indices: NDArray[np.int32]
    weights: NDArray[np.int64]


def _heaviest(counts: TermCounts, how: Weighting, n: int, workers: int) -> sp.csr_array:
    """int64 (documents, terms): the n heaviest positive weights of each row."""
    indptr, indices, data = _rows(counts.counts)
    documents, sizes = len(indptr) - 1, np.diff(indptr)

    def select(first: int) -> _Part:
        last = min(first + _ROWS_AT_ONCE, documents)
        longest = int(sizes[first:last].max(initial=0))
        room = int(np.minimum(sizes[first:last], n).sum())
        part = _Part(np.empty(last - first, np.int64), np.empty(room, np.int32), np.empty(room, np.int64))
        weights, heap = np.empty(longest, dtype=np.int64), np.empty(min(n, longest), dtype=np.int64)
        languages, lengths = counts.languages, counts.lengths
        written = select_heaviest(
            first, last, indptr, indices, data, languages, lengths, how, n, weights, heap,
            part.sizes, part.indices, part.weights,
        )  # fmt: skip
        return _Part(part.sizes, part.indices[:written], part.weights[:written])

    with ThreadPoolExecutor(thread_count(workers)) as pool:
        parts = list(pool.map(select, range(0, documents, _ROWS_AT_ONCE)))
    nothing = _Part(np.zeros(0, np.int64), np.zeros(0, np.int32), np.zeros(0, np.int64))
    parts.append(nothing)
    kept = np.concatenate([[0], *(part.sizes for part in parts)])
    return sp.csr_array(
        (
            np.concatenate([part.weights for part in parts]),
            np.concatenate([part.indices for part in parts]),
            np.cumsum(kept),
        ),
        shape=counts.counts.shape,
    )


def _rows(matrix: sp.csr_array) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
    """Row bounds, columns and values in the types that the loops are compiled for."""
    return (
        matrix.indptr.astype(np.int64, copy=False),
        matrix.indices.astype(np.int32, copy=False),
        matrix.data.astype(np.int32, copy=False),
    )


def _pattern(matrix: sp.csr_array) -> sp.csr_array:
    return sp.csr_array((np.ones(matrix.nnz, dtype=np.bool_), matrix.indices, matrix.indptr), shape=matrix.shape)
