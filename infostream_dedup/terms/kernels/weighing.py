"""Document frequencies, factors of weights, and the heaviest terms of each document."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from infostream_dedup.machine.compiling import compiled

if TYPE_CHECKING:
    from infostream_dedup.machine.arrays import Table, Vector

__all__ = ["Factors", "Kept", "add_frequencies", "gather_factors", "select_heaviest"]

_UNITS = 1e9


class Factors(NamedTuple):
    """The factors of the weights of terms.

    Attributes:
        indices: int32 (entries,), terms, row by row.
        counts: uint8 or int32 (entries,), frequency of each in its document.
        languages: uint8 (documents,).
        idf: float64 (languages, terms).
        norms: float64 (documents,).
    """

    indices: Vector[np.int32]
    counts: Vector[np.uint8] | Vector[np.int32]
    languages: Vector[np.uint8]
    idf: Table[np.float64]
    norms: Vector[np.float64]


class Kept(NamedTuple):
    """Receives the weights kept of each row.

    Attributes:
        sizes: int64 (rows,), number of weights kept.
        places: int64, places of the weights, ascending in each row.
        weights: int64, the weights in units of 1e-9.
    """

    sizes: Vector[np.int64]
    places: Vector[np.int64]
    weights: Vector[np.int64]


@compiled
def add_frequencies(
    indptr: Vector[np.int64], indices: Vector[np.int32], languages: Vector[np.uint8], df: Table[np.int64]
) -> None:
    """Add to ``df`` (languages, terms) the number of documents that contain each term."""
    for document in range(languages.size):
        language = languages[document]
        for place in range(indptr[document], indptr[document + 1]):
            df[language, indices[place]] += 1


@compiled
def gather_factors(
    first: int,
    last: int,
    indptr: Vector[np.int64],
    factors: Factors,
    f: Vector[np.float64],
    idf: Vector[np.float64],
    norm: Vector[np.float64],
) -> None:
    """Write the factors of all entries of documents ``first`` .. ``last`` - 1, in order."""
    begin = indptr[first]
    for document in range(first, last):
        language, own = factors.languages[document], factors.norms[document]
        for place in range(indptr[document], indptr[document + 1]):
            f[place - begin] = factors.counts[place]
            idf[place - begin] = factors.idf[language, factors.indices[place]]
            norm[place - begin] = own


@compiled
def _sink(heap: Vector[np.int64], size: int) -> None:
    """Move the first weight of a heap down until no weight below it is lighter."""
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
def _nth_heaviest(weights: Vector[np.int64], size: int, n: int, heap: Vector[np.int64]) -> int:
    """The n-th heaviest of ``size`` > n weights: the top of a heap of the n heaviest."""
    heap[:n] = 0
    for place in range(size):
        if weights[place] > heap[0]:
            heap[0] = weights[place]
            _sink(heap, n)
    return int(heap[0])


@compiled
def select_heaviest(
    indptr: Vector[np.int64],
    values: Vector[np.float64],
    n: int,
    ties: bool,
    row: Vector[np.int64],
    heap: Vector[np.int64],
    kept: Kept,
) -> int:
    """Select the n heaviest positive weights of each row.

    Args:
        indptr: int64 (rows + 1,), bounds of the rows; they begin ``indptr[0]`` entries before ``values``.
        values: float64 (entries,), weights.
        n: number of weights to keep.
        ties: whether to keep all weights equal to the n-th; otherwise, only the first of them.
        row: int64, scratch memory as long as the longest row.
        heap: int64, scratch memory for n weights or the longest row, whichever is less.
        kept: receives the weights.

    Returns:
        The number of weights written.
    """
    sizes, places, weights = kept
    written = 0
    for number in range(sizes.size):
        begin, end, before = indptr[number] - indptr[0], indptr[number + 1] - indptr[0], written
        positive = 0
        for place in range(begin, end):
            value = values[place]
            weight = np.int64(np.rint(value * _UNITS)) if value > 0 else np.int64(0)
            row[place - begin] = weight
            positive += int(weight > 0)
        least, spare = 1, n
        if positive > n:
            least = _nth_heaviest(row, end - begin, n, heap)
            for place in range(end - begin):
                spare -= row[place] > least
        for place in range(end - begin):
            weight = row[place]
            if weight > least or (weight == least and (ties or spare > 0)):
                spare -= int(positive > n and weight == least)
                places[written], weights[written] = begin + place, weight
                written += 1
        sizes[number] = written - before
    return written
