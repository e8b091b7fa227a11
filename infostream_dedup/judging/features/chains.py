"""Pairs of documents that share a value, found by sorting: chains of equal values, cut by length.

The chains of Zelenkov and Segalovich (A11, A12): records <value, document, length> sorted by value, then length; a pair
is considered only if one document is not much longer than the other. Cutting whole chains or dropping
contained ones, as the paper does, changes no pair.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.arrays import Ragged, offsets_of
from infostream_dedup.judging.features.rows import distinct
from infostream_dedup.machine.row_blocks import row_blocks

if TYPE_CHECKING:
    from numpy.typing import NDArray


_BLOCK: Final = 8_000_000
_SLACK: Final = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class SharedCounts:
    """Unordered pairs of documents with the number of values they share.

    Attributes:
        a: int64 (pairs,), the earlier document.
        b: int64 (pairs,), the later one; ordered by (a, b), no pair twice.
        shared: int64 (pairs,), number of distinct values in both.
    """

    a: NDArray[np.int64]
    b: NDArray[np.int64]
    shared: NDArray[np.int64]


def pairs_sharing(rows: Ragged, *, lengths: NDArray[np.int64] | None = None, ratio: float = np.inf) -> SharedCounts:
    """Find pairs of documents that share a value.

    Args:
        lengths: int64 (documents,); the longer document of a pair is at most ``ratio`` times the shorter.
        ratio: at least 1.

    Example:
        >>> from infostream_dedup.judging.features.rows import rows_from
        >>> met = pairs_sharing(rows_from([[7, 8], [9], [8, 7], [9, 8]], np.int64))
        >>> list(zip(met.a.tolist(), met.b.tolist(), met.shared.tolist()))
        [(0, 2, 2), (0, 3, 1), (1, 3, 1), (2, 3, 1)]
    """
    sets = distinct(rows)
    documents = len(rows)
    codes = np.zeros(0, dtype=np.int64)
    counts = np.zeros(0, dtype=np.int64)
    sizes = np.ones(documents, dtype=np.int64) if lengths is None else lengths
    for found in _pair_chains(sets, sizes, ratio):
        first, second = found
        block = np.minimum(first, second) * documents + np.maximum(first, second)
        new, met = np.unique(block, return_counts=True)
        merged, place = np.unique(np.concatenate((codes, new)), return_inverse=True)
        counts = np.bincount(place, weights=np.concatenate((counts, met)), minlength=len(merged)).astype(np.int64)
        codes = merged
    a, b = np.divmod(codes, max(documents, 1))
    return SharedCounts(a, b, counts)


def equal_pairs(rows: Ragged) -> SharedCounts:
    """Find pairs of documents with equal rows; empty rows equal nothing."""
    number_of: dict[bytes, int] = {}
    filled = np.flatnonzero(rows.sizes > 0)
    classes = [number_of.setdefault(rows.row(document).tobytes(), len(number_of)) for document in filled.tolist()]
    indptr = offsets_of(rows.sizes > 0)
    return pairs_sharing(Ragged(indptr, np.array(classes, dtype=np.int64)))


def _pair_chains(
    sets: Ragged, lengths: NDArray[np.int64], ratio: float
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Yield pairs of documents within the ratio in blocks, once per shared value."""
    documents = sets.numbers
    order = np.lexsort((documents, lengths[documents], sets.values))
    values, documents = sets.values[order], documents[order]
    repeated = np.zeros(len(values), dtype=np.bool_)
    repeated[1:] = values[1:] == values[:-1]
    repeated[:-1] |= repeated[1:]
    values, documents = values[repeated], documents[repeated]
    partners = _chain_ends(values, lengths[documents], ratio) - np.arange(len(values)) - 1
    for block in row_blocks(partners, _BLOCK):
        ahead = partners[block]
        first = np.repeat(np.arange(block.start, block.stop), ahead)
        step = np.arange(len(first)) - np.repeat(np.cumsum(ahead) - ahead, ahead) + 1
        yield documents[first], documents[first + step]


def _chain_ends(values: NDArray[np.generic], lengths: NDArray[np.int64], ratio: float) -> NDArray[np.int64]:
    """Return the end of the records with equal value that are not too long; records are sorted by value and length."""
    if not len(values):
        return np.zeros(0, dtype=np.int64)
    new = np.ones(len(values), dtype=np.bool_)
    new[1:] = values[1:] != values[:-1]
    chain = np.cumsum(new) - 1
    starts = np.flatnonzero(new)
    ends = np.append(starts[1:], len(values))[chain]
    if np.isinf(ratio):
        return np.asarray(ends, dtype=np.int64)
    # All chains are put on one scale, so that one search serves all of them.
    span = float(lengths.max()) * ratio + 2
    places = chain * span + lengths
    limits = chain * span + np.floor(lengths * ratio + _SLACK)
    return np.asarray(np.searchsorted(places, limits, side="right"), dtype=np.int64)
