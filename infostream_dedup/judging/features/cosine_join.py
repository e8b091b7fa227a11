"""Pairs of vectors with a large cosine, without multiplying all pairs.

After Bayardo, Ma, Srikant: Scaling up all pairs similarity search, WWW 2007. With the rarest words first, each vector
is cut where the norm of what follows falls below the threshold t. By Cauchy and Schwarz the part that follows adds no
more than its norm to any cosine, so only the parts before the cut are multiplied with whole vectors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import scipy.sparse as sp

from infostream_dedup.arrays import offsets_of
from infostream_dedup.judging.features.set_join import Resembling
from infostream_dedup.machine.row_blocks import row_blocks

if TYPE_CHECKING:
    from numpy.typing import NDArray


_BLOCK: Final = 5_000_000
_SLACK: Final = 1e-9


def unit_vectors(weights: sp.csr_array) -> sp.csr_array:
    """Divide rows by their Euclidean norm; rows of zeros stay unchanged.

    Args:
        weights: (documents, words), at least 0.

    Returns:
        float64 of the same shape, without explicit zeros.
    """
    matrix = sp.csr_array(weights.astype(np.float64))
    matrix.eliminate_zeros()
    norms = np.sqrt(matrix.multiply(matrix).sum(axis=1))
    matrix.data /= np.repeat(norms, np.diff(matrix.indptr))
    return matrix


def similar_vectors(vectors: sp.csr_array, threshold: float) -> Resembling:
    """Find unordered pairs a < b whose cosine is at least the threshold.

    Args:
        vectors: float64 (documents, words), rows of norm 1 or 0, at least 0.
        threshold: above 0 to 1.
    """
    ordered = _rare_first(vectors)
    heads, rest = _cut(ordered, threshold)
    answers = ordered.T.tocsr()
    work = np.asarray(
        sp.csr_array((np.ones(heads.nnz, dtype=np.int64), heads.indices, heads.indptr), heads.shape)
        @ np.diff(answers.indptr).astype(np.int64),
        dtype=np.int64,
    )
    codes: list[NDArray[np.int64]] = [np.zeros(0, dtype=np.int64)]
    for block in row_blocks(work, _BLOCK):
        met = heads[block] @ answers
        a = np.repeat(np.arange(block.start, block.stop, dtype=np.int64), np.diff(met.indptr))
        b = met.indices.astype(np.int64)
        possible = (met.data >= threshold - rest[a] - _SLACK) & (a != b)
        a, b = a[possible], b[possible]
        codes.append(np.minimum(a, b) * len(rest) + np.maximum(a, b))
    a, b = np.divmod(np.unique(np.concatenate(codes)), max(len(rest), 1))
    cosine = _cosines(vectors, a, b)
    keep = cosine >= threshold - _SLACK
    return Resembling(a[keep], b[keep], np.minimum(cosine[keep], 1.0))


def _rare_first(vectors: sp.csr_array) -> sp.csr_array:
    df = np.bincount(vectors.indices, minlength=vectors.shape[1])
    column = np.empty(vectors.shape[1], dtype=np.int32)
    column[np.argsort(df, kind="stable")] = np.arange(vectors.shape[1], dtype=np.int32)
    ordered = sp.csr_array((vectors.data.copy(), column[vectors.indices], vectors.indptr.copy()), shape=vectors.shape)
    ordered.sort_indices()
    return ordered


def _cut(ordered: sp.csr_array, threshold: float) -> tuple[sp.csr_array, NDArray[np.float64]]:
    """Return the heads of all vectors, and the norm of what was cut off each."""
    squares = np.concatenate(([0.0], np.cumsum(ordered.data**2)))
    sizes = np.diff(ordered.indptr)
    # Norm of the rest of the row, starting at each entry.
    remaining = np.sqrt(np.maximum(np.repeat(squares[ordered.indptr[1:]], sizes) - squares[:-1], 0.0))
    keep = remaining >= threshold - _SLACK
    rest = np.zeros(len(sizes), dtype=np.float64)
    row = np.repeat(np.arange(len(sizes)), sizes)
    np.maximum.at(rest, row[~keep], remaining[~keep])
    indptr = offsets_of(np.bincount(row[keep], minlength=len(sizes)))
    return sp.csr_array((ordered.data[keep], ordered.indices[keep], indptr), shape=ordered.shape), rest


def _cosines(vectors: sp.csr_array, a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.float64]:
    cosine = np.zeros(len(a), dtype=np.float64)
    sizes = np.diff(vectors.indptr).astype(np.int64)
    for block in row_blocks(sizes[a] + sizes[b], _BLOCK):
        cosine[block] = vectors[a[block]].multiply(vectors[b[block]]).sum(axis=1)
    # The last digits depend on the order of summation.
    return np.round(cosine, 9)
