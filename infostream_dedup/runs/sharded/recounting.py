"""Exact counts of chosen pairs of documents, also of directions whose links are too weak to be kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import scipy.sparse as sp

from infostream_dedup.runs.sharded.key_terms import KEYS
from infostream_dedup.runs.sharded.layout import Layout, indptr_of
from infostream_dedup.runs.sharded.pairing import DocumentPairs

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

__all__ = ["PICKED", "pick_terms", "recounted"]

PICKED: Final = Layout(
    "picked terms", (), {"documents": "i8", "sizes": "i4", "keys": "u4", "target_sizes": "i4", "targets": "u4"}
)
"""Key terms and targets of some documents, by their number in the vocabulary."""

_PAIRS_AT_ONCE: Final = 50_000


def pick_terms(batches: Iterable[pa.RecordBatch], documents: NDArray[np.int64]) -> Iterator[pa.RecordBatch]:
    """Take the terms of some documents.

    Args:
        batches: of KEYS.
        documents: ordinals, which ascend.

    Yields:
        A row of PICKED for each of ``batches`` that holds some of them.
    """
    for row in KEYS.rows(batches):
        begin, end = np.searchsorted(documents, [row["first"], row["first"] + len(row["sizes"])])
        if begin < end:
            chosen = documents[begin:end]
            keys, sizes = _taken(row["keys"], row["sizes"], chosen - row["first"])
            targets, target_sizes = _taken(row["targets"], row["target_sizes"], chosen - row["first"])
            yield PICKED.row(documents=chosen, sizes=sizes, keys=keys, target_sizes=target_sizes, targets=targets)


def recounted(pairs: DocumentPairs, pick: Callable[[NDArray[np.int64]], Iterable[pa.RecordBatch]]) -> DocumentPairs:
    """The pairs, with the number of key terms of each document that the other one has.

    Args:
        pairs: in any order.
        pick: gives rows of PICKED, in the order of the documents, for documents that ascend.
    """
    forward, backward = np.empty((2, len(pairs)), dtype=np.int64)
    for begin in range(0, len(pairs), _PAIRS_AT_ONCE):
        some = slice(begin, begin + _PAIRS_AT_ONCE)
        documents, place = np.unique(np.concatenate([pairs.a[some], pairs.b[some]]), return_inverse=True)
        a, b = place.reshape(2, -1)
        keys, targets = _matrices(list(PICKED.rows(pick(documents))))
        forward[some] = keys[a].multiply(targets[b]).sum(axis=1)
        backward[some] = keys[b].multiply(targets[a]).sum(axis=1)
    return DocumentPairs(pairs.a, pairs.b, forward, backward)


def _taken(terms: NDArray[Any], sizes: NDArray[Any], rows: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Terms of some rows, and how many each has."""
    indptr = indptr_of(sizes)
    length = indptr[rows + 1] - indptr[rows]
    starts = indptr_of(length)
    return terms[np.arange(starts[-1]) + np.repeat(indptr[rows] - starts[:-1], length)], length


def _matrices(rows: list[dict[str, Any]]) -> tuple[sp.csr_array, sp.csr_array]:
    """Key terms and targets of documents, a column for each term: ones."""
    columns = [np.concatenate([row[name] for row in rows]).astype(np.int64) for name in ("keys", "targets")]
    bounds = [indptr_of(np.concatenate([row[name] for row in rows])) for name in ("sizes", "target_sizes")]
    terms, place = np.unique(np.concatenate(columns), return_inverse=True)
    shape, cut = (len(bounds[0]) - 1, len(terms)), len(columns[0])
    parts = (place[:cut], place[cut:])
    first, second = (
        sp.csr_array((np.ones(len(part), dtype=np.int32), part, indptr), shape=shape)
        for part, indptr in zip(parts, bounds, strict=True)
    )
    return first, second
