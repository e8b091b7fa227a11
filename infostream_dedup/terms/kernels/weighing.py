"""Document frequencies, weights and the heaviest terms of each document."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from infostream_dedup.machine.compiling import compiled

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Weighting", "add_frequencies", "select_heaviest"]

_UNITS = 1e9


class Weighting(NamedTuple):
    """How the terms of the documents of each language are weighed.

    Attributes:
        value: float64 (languages, terms): the idf of a term; 0 where its document frequency is out of bounds.
        average: float64 (languages,), mean length of the documents.
        saturates: whether the weight is BM25; else it is frequency times ``value``.
        k1: saturation of BM25.
        b: length normalisation of BM25.
    """

    value: NDArray[np.float64]
    average: NDArray[np.float64]
    saturates: bool
    k1: float
    b: float


@compiled
def add_frequencies(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    counts: NDArray[np.int32],
    languages: NDArray[np.uint8],
    df: NDArray[np.int64],
    cf: NDArray[np.int64],
) -> None:
    """Add to ``df`` (languages, terms) the documents that hold each term, to ``cf`` its occurrences."""
    for document in range(languages.size):
        language = languages[document]
        for place in range(indptr[document], indptr[document + 1]):
            df[language, indices[place]] += 1
            cf[language, indices[place]] += counts[place]


@compiled
def _weigh_row(
    begin: int,
    end: int,
    indices: NDArray[np.int32],
    counts: NDArray[np.int32],
    language: int,
    length: float,
    how: Weighting,
    weights: NDArray[np.int64],
) -> int:
    """Set ``weights`` to those of one row, not below 0; how many are positive.

    The same operations in the same order as ``weights.bm25`` and ``weights.tf_idf``, so that not a bit differs.
    """
    positive = 0
    # The same for the whole row: the compiler would compute it for every term.
    norm = 0.0
    if how.saturates and begin < end:
        norm = how.k1 * (1 - how.b + how.b * length / how.average[language])
    for place in range(begin, end):
        f, idf = np.float64(counts[place]), how.value[language, indices[place]]
        value = idf * f * (how.k1 + 1) / (f + norm) if how.saturates else f * idf
        weight = np.int64(np.rint(value * _UNITS)) if value > 0 else np.int64(0)
        weights[place - begin] = weight
        positive += int(weight > 0)
    return positive


@compiled
def _sink(heap: NDArray[np.int64], size: int) -> None:
    """Let the first weight of a heap sink until none below it is lighter."""
    parent, weight = 0, int(heap[0])
    while 2 * parent + 1 < size:
        child = 2 * parent + 1
        if child + 1 < size and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] >= weight:
            break
        heap[parent] = heap[child]
        parent = child
    heap[parent] = weight


@compiled
def _nth_heaviest(weights: NDArray[np.int64], size: int, n: int, heap: NDArray[np.int64]) -> int:
    """The n-th heaviest of ``size`` > n weights: the top of a heap of the n heaviest."""
    heap[:n] = 0
    for place in range(size):
        if weights[place] > heap[0]:
            heap[0] = weights[place]
            _sink(heap, n)
    return int(heap[0])


@compiled
def select_heaviest(
    first: int,
    last: int,
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    counts: NDArray[np.int32],
    languages: NDArray[np.uint8],
    lengths: NDArray[np.int64],
    how: Weighting,
    n: int,
    weights: NDArray[np.int64],
    heap: NDArray[np.int64],
    key_sizes: NDArray[np.int64],
    key_indices: NDArray[np.int32],
    key_weights: NDArray[np.int64],
) -> int:
    """The n heaviest terms of the documents ``first`` .. ``last`` - 1; of equal weights the smaller term goes first.

    Args:
        first: document to begin with.
        last: document to end before.
        indptr: rows of the term counts.
        indices: terms, ascending in a row.
        counts: of the terms.
        languages: of the documents.
        lengths: of the documents, in terms.
        how: to weigh.
        n: terms to keep.
        weights: int64, room for the longest row.
        heap: int64, room for n weights or the longest row, whichever is less.
        key_sizes: int64 (last - first,), receives the terms kept of each document.
        key_indices: int32, receives the terms, ascending in a row.
        key_weights: int64, receives their weights in units of 1e-9.

    Returns:
        How many terms were written.
    """
    written = 0
    for document in range(first, last):
        begin, end = indptr[document], indptr[document + 1]
        language, before = languages[document], written
        positive = _weigh_row(begin, end, indices, counts, language, np.float64(lengths[document]), how, weights)
        least, ties = 1, n
        if positive > n:
            least = _nth_heaviest(weights, end - begin, n, heap)
            ties = n
            for place in range(end - begin):
                ties -= weights[place] > least
        for place in range(end - begin):
            weight = weights[place]
            if weight > least or (weight == least and ties > 0):
                if positive > n and weight == least:
                    ties -= 1
                key_indices[written], key_weights[written] = indices[begin + place], weight
                written += 1
        key_sizes[document - first] = written - before
    return written
