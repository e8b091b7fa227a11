"""Matching and groups by sparse products, the slow judges of ``links``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from infostream_dedup.arrays import offsets_of
from infostream_dedup.links.similarity_matrix import SimilarityMatrix, check_input, csr_from, kept_entries, links_at
from infostream_dedup.machine.progress import Progress
from infostream_dedup.machine.row_blocks import row_blocks

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray


def match(
    keys: sp.csr_array,
    targets: sp.csr_array,
    *,
    n: int,
    weights: bool,
    k_min: int,
    progress: Progress | None = None,
    block_work: int = 8_000_000,
) -> SimilarityMatrix:
    """Compute counts = keys x targets', one block of asking documents at a time.

    Arguments and errors as in ``links.match``.

    Args:
        block_work: postings per block, at least 1. It bounds the memory of a product (at most 26 bytes each) and does
            not change results.
    """
    check_input(keys, targets, n=n)
    answers = _ones(targets).T.tocsr()
    questions = _ones(keys)
    work = np.asarray(questions.astype(np.int64) @ np.diff(answers.indptr).astype(np.int64), dtype=np.int64)
    links = _Links()
    for block in row_blocks(work, block_work):
        shared = _product(questions[block], answers)
        keep = (shared.data >= k_min) & (shared.indices != _rows(shared, block.start))
        links.add(kept_entries(shared, keep))
        if weights:
            links.matched.append(_product(keys[block], answers).data[keep])
        if progress is not None:
            progress("matching", block.stop, keys.shape[0])
    return links.matrix(keys.shape[0], n=n, k_min=k_min, weights=weights)


@dataclass(frozen=True, slots=True)
class _Links:
    """Links found so far, one array per block."""

    lengths: list[NDArray[np.integer]] = field(default_factory=list)
    columns: list[NDArray[np.int32]] = field(default_factory=list)
    counts: list[NDArray[np.uint8]] = field(default_factory=list)
    matched: list[NDArray[np.int64]] = field(default_factory=list)

    def add(self, rows: sp.csr_array) -> None:
        self.lengths.append(np.diff(rows.indptr))
        self.columns.append(rows.indices.astype(np.int32, copy=False))
        self.counts.append(rows.data)

    def matrix(self, documents: int, *, n: int, k_min: int, weights: bool) -> SimilarityMatrix:
        indptr = offsets_of(_joined(self.lengths, np.int64))
        columns = _joined(self.columns, np.int32)
        counts = csr_from(_joined(self.counts, np.uint8), columns, indptr, columns=documents)
        if not weights:
            return SimilarityMatrix(counts, n, k_min)
        matched_weights = _joined(self.matched, np.int64)
        matched = sp.csr_array((matched_weights, counts.indices, counts.indptr), shape=counts.shape)
        return SimilarityMatrix(counts, n, k_min, matched)


def _ones(matrix: sp.csr_array) -> sp.csr_array:
    # One byte is enough: a sum is at most the n <= 255 key terms of a row.
    return sp.csr_array((np.ones(matrix.nnz, dtype=np.uint8), matrix.indices, matrix.indptr), shape=matrix.shape)


def _product(asking: sp.csr_array, answers: sp.csr_array) -> sp.csr_array:
    product = sp.csr_array(asking @ answers)
    product.sort_indices()
    return product


def _rows(block: sp.csr_array, first: int) -> NDArray[np.int32]:
    """Row of each entry in the whole matrix."""
    rows = np.arange(first, first + block.shape[0], dtype=np.int32)
    return np.repeat(rows, np.diff(block.indptr))


def _joined(blocks: list[NDArray[Any]], dtype: DTypeLike) -> NDArray[Any]:
    """Concatenate the blocks and empty the list, so that they can be freed."""
    joined = np.concatenate([np.zeros(0, dtype=dtype), *blocks], dtype=dtype)
    blocks.clear()
    return joined


def group_leaders(counts: sp.csr_array, ks: Sequence[int]) -> NDArray[np.int64]:
    """The leaders of each document's groups, as in ``links.group_leaders``."""
    return np.array([_leaders(counts, k) for k in ks], dtype=np.int64).reshape(len(ks), counts.shape[0])


def _leaders(counts: sp.csr_array, k: int) -> NDArray[np.int64]:
    from scipy.sparse.csgraph import connected_components

    links = links_at(counts, k)
    mutual = links.multiply(links.T.tocsr())
    _, component = connected_components(mutual, directed=False)
    _, first, group = np.unique(component, return_index=True, return_inverse=True)
    return np.asarray(first[group], dtype=np.int64)
