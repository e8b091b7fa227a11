"""Pairs of sets that resemble or contain each other, without trying all pairs.

R. Bayardo, Y. Ma, R. Srikant: Scaling up all pairs similarity search, WWW 2007. With the rarest elements of each set
first, two sets with resemblance t must share one of their first |A| - ceil(t |A|) + 1 elements.
Numbering repeated elements turns multisets into sets.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import scipy.sparse as sp

from infostream_dedup.arrays import Ragged, offsets_of
from infostream_dedup.judging.features.hashing import scrambled
from infostream_dedup.machine.row_blocks import row_blocks

if TYPE_CHECKING:
    from numpy.typing import NDArray


_BLOCK: Final = 8_000_000
_SLACK: Final = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Resembling:
    """Pairs of sets.

    Attributes:
        a: int64 (pairs,).
        b: int64 (pairs,); ordered by (a, b), no pair twice.
        scores: float64 (pairs,), 0 to 1.
    """

    a: NDArray[np.int64]
    b: NDArray[np.int64]
    scores: NDArray[np.float64]


def numbered(bags: Ragged) -> Ragged:
    """Turn multisets into sets by numbering repeated elements: {x, x, y} becomes {x1, x2, y1}.

    The intersection of two such sets has the size of the sum of the smaller frequencies, their union that of the larger
    ones.

    Args:
        bags: uint64, in any order.

    Returns:
        uint64; a row repeats no value, except by a chance of 2^-64.
    """
    numbers = bags.numbers
    order = np.lexsort((bags.values, numbers))
    values = bags.values[order]
    new = np.ones(len(values), dtype=np.bool_)
    new[1:] = (values[1:] != values[:-1]) | (numbers[1:] != numbers[:-1])
    start = np.maximum.accumulate(np.where(new, np.arange(len(values)), 0))
    occurrence = (np.arange(len(values)) - start).astype(np.uint64)
    return Ragged(bags.indptr, np.where(occurrence == 0, values, scrambled(values + scrambled(occurrence))))


def resembling(sets: Ragged, threshold: float) -> Resembling:
    """Find unordered pairs a < b with resemblance |A ∩ B| / |A ∪ B| of at least the threshold; empty sets have none.

    Args:
        threshold: above 0 to 1.
    """
    matrix = _rare_first(sets)
    sizes = np.diff(matrix.indptr).astype(np.int64)
    prefixes = _prefixes(matrix, threshold)
    a, b = _candidates(prefixes, prefixes, sizes, threshold, symmetric=True)
    overlap = _overlaps(matrix, a, b)
    union = sizes[a] + sizes[b] - overlap
    return _keep_pairs(a, b, overlap, union, threshold)


def containing(sets: Ragged, threshold: float) -> Resembling:
    """Find directed pairs a -> b with containment |A ∩ B| / |A| of at least the threshold: a is found in b.

    Args:
        threshold: above 0 to 1.
    """
    matrix = _rare_first(sets)
    sizes = np.diff(matrix.indptr).astype(np.int64)
    a, b = _candidates(_prefixes(matrix, threshold), matrix, sizes, threshold, symmetric=False)
    return _keep_pairs(a, b, _overlaps(matrix, a, b), sizes[a], threshold)


def _rare_first(sets: Ragged) -> sp.csr_array:
    """Make a matrix with sets as rows and elements as columns, from the rarest element to the most frequent."""
    elements, place, df = np.unique(sets.values, return_inverse=True, return_counts=True)
    column = np.empty(len(elements), dtype=np.int32)
    column[np.argsort(df, kind="stable")] = np.arange(len(elements), dtype=np.int32)
    ones = np.ones(len(place), dtype=np.int32)
    matrix = sp.csr_array((ones, column[place], sets.indptr.copy()), shape=(len(sets), len(elements)))
    matrix.sort_indices()
    return matrix


def _prefixes(matrix: sp.csr_array, threshold: float) -> sp.csr_array:
    sizes = np.diff(matrix.indptr)
    length = sizes - np.ceil(sizes * threshold - _SLACK).astype(np.int64) + 1
    rank = np.arange(matrix.nnz) - np.repeat(matrix.indptr[:-1], sizes)
    keep = rank < np.repeat(length, sizes)
    indptr = offsets_of(np.minimum(length, sizes))
    return sp.csr_array((matrix.data[keep], matrix.indices[keep], indptr), shape=matrix.shape)


def _candidates(
    asking: sp.csr_array, answering: sp.csr_array, sizes: NDArray[np.int64], threshold: float, *, symmetric: bool
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    answers = answering.T.tocsr()
    work = np.asarray(asking @ np.diff(answers.indptr).astype(np.int64), dtype=np.int64)
    parts = list(_blocks(asking, answers, work, sizes, threshold, symmetric=symmetric))
    empty = np.zeros(0, dtype=np.int64)
    a = np.concatenate([empty, *(part[0] for part in parts)])
    b = np.concatenate([empty, *(part[1] for part in parts)])
    order = np.lexsort((b, a))
    return a[order], b[order]


def _blocks(
    asking: sp.csr_array,
    answers: sp.csr_array,
    work: NDArray[np.int64],
    sizes: NDArray[np.int64],
    threshold: float,
    *,
    symmetric: bool,
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    for block in row_blocks(work, _BLOCK):
        met = asking[block] @ answers
        a = np.repeat(np.arange(block.start, block.stop, dtype=np.int64), np.diff(met.indptr))
        b = met.indices.astype(np.int64)
        # A set contains at most all elements of a smaller one.
        fits = sizes[b] >= threshold * sizes[a] - _SLACK
        if symmetric:
            fits &= (a < b) & (sizes[a] >= threshold * sizes[b] - _SLACK)
        else:
            fits &= a != b
        yield a[fits], b[fits]


def _overlaps(matrix: sp.csr_array, a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.int64]:
    overlap = np.zeros(len(a), dtype=np.int64)
    sizes = np.diff(matrix.indptr).astype(np.int64)
    for block in row_blocks(sizes[a] + sizes[b], _BLOCK):
        overlap[block] = matrix[a[block]].multiply(matrix[b[block]]).sum(axis=1)
    return overlap


def _keep_pairs(
    a: NDArray[np.int64],
    b: NDArray[np.int64],
    overlap: NDArray[np.int64],
    whole: NDArray[np.int64],
    threshold: float,
) -> Resembling:
    keep = overlap >= threshold * whole - _SLACK
    return Resembling(a[keep], b[keep], overlap[keep] / whole[keep])
