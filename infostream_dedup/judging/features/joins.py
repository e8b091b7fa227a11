"""Pairs that share a value, resemble or contain each other, found without trying all pairs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from infostream_dedup.judging.features.words import scrambled
from infostream_dedup.machine.arrays import Floats, Ints, Ragged, Uint8s, Uint64s, distinct, offsets_of
from infostream_dedup.machine.scratch import row_blocks

# Pairs of documents that share a value, found by sorting: chains of equal values, cut by length.
#
# The chains of Zelenkov and Segalovich (A11, A12): records <value, document, length> sorted by value, then length; a
# pair is considered only if one document is not much longer than the other. Cutting whole chains or dropping
# contained ones, as the paper does, changes no pair.

_BLOCK: Final = 8_000_000
_SLACK: Final = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class SharedCounts:
    """Unordered pairs of documents with the number of values they share."""

    a: Ints  # int64 (pairs,), the earlier document
    b: Ints  # int64 (pairs,), the later one; ordered by (a, b), no pair twice
    shared: Ints  # int64 (pairs,), number of distinct values in both


def pairs_sharing(rows: Ragged, *, lengths: Ints | None = None, ratio: float = np.inf) -> SharedCounts:
    """Find pairs of documents that share a value.

    Example:
        >>> from infostream_dedup.machine.arrays import rows_from
        >>> met = pairs_sharing(rows_from([[7, 8], [9], [8, 7], [9, 8]], np.int64))
        >>> list(zip(met.a.tolist(), met.b.tolist(), met.shared.tolist()))
        [(0, 2, 2), (0, 3, 1), (1, 3, 1), (2, 3, 1)]
    """
    sets = distinct(rows)
    documents = len(rows)
    codes = np.zeros(0, dtype=np.int64)
    counts = np.zeros(0, dtype=np.int64)
    sizes = np.ones(documents, dtype=np.int64) if lengths is None else lengths
    for first, second in _pair_chains(sets, sizes, ratio):
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
    return pairs_sharing(Ragged(offsets_of(rows.sizes > 0), np.array(classes, dtype=np.int64)))


def _pair_chains(sets: Ragged, lengths: Ints, ratio: float) -> Iterator[tuple[Ints, Ints]]:
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


def _chain_ends(values: NDArray[np.generic], lengths: Ints, ratio: float) -> Ints:
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


# 64-bit values that differ in few bits, without trying all pairs.
#
# G. Manku, A. Jain, A. Das Sarma: Detecting near-duplicates for Web crawling, WWW 2007: if the bits are divided into
# k + 1 parts, two values that differ in k bits agree in at least one part.

_BITS: Final = 64


def near_pairs(values: Uint64s, k: int) -> tuple[Ints, Ints, Uint8s]:
    """Find all pairs of values that differ in at most k bits."""
    parts = _split_bits(values, k + 1)
    indptr = np.arange(len(values) + 1, dtype=np.int64) * (k + 1)
    met = pairs_sharing(Ragged(indptr, parts.ravel()))
    differing = np.bitwise_count(values[met.a] ^ values[met.b])
    near = differing <= k
    return met.a[near], met.b[near], differing[near]


def _split_bits(values: Uint64s, parts: int) -> Uint64s:
    """Split each value into runs of bits tagged with the number of the run: uint64 (values, parts)."""
    bounds = [_BITS * part // parts for part in range(parts + 1)]
    columns = []
    for part, (low, high) in enumerate(pairwise(bounds)):
        if high - low == _BITS:
            columns.append(values)
            continue
        run = (values >> np.uint64(low)) & np.uint64((1 << (high - low)) - 1)
        columns.append(run | np.uint64(part << (high - low)))
    return np.stack(columns, axis=1)


# Pairs of sets that resemble or contain each other, without trying all pairs.
#
# R. Bayardo, Y. Ma, R. Srikant: Scaling up all pairs similarity search, WWW 2007. With the rarest elements of each
# set first, two sets with resemblance t must share one of their first |A| - ceil(t |A|) + 1 elements. Numbering
# repeated elements turns multisets into sets.


@dataclass(frozen=True, slots=True, eq=False)
class Resembling:
    """Pairs of sets."""

    a: Ints  # int64 (pairs,)
    b: Ints  # int64 (pairs,); ordered by (a, b), no pair twice
    scores: Floats  # float64 (pairs,), 0 to 1


def numbered(bags: Ragged) -> Ragged:
    """Turn multisets into sets by numbering repeated elements: {x, x, y} becomes {x1, x2, y1}."""
    # The intersection of two such sets has the size of the sum of the smaller frequencies, their union that of the
    # larger ones.
    numbers = bags.numbers
    values = bags.values[np.lexsort((bags.values, numbers))]
    new = np.ones(len(values), dtype=np.bool_)
    new[1:] = (values[1:] != values[:-1]) | (numbers[1:] != numbers[:-1])
    start = np.maximum.accumulate(np.where(new, np.arange(len(values)), 0))
    occurrence = (np.arange(len(values)) - start).astype(np.uint64)
    return Ragged(bags.indptr, np.where(occurrence == 0, values, scrambled(values + scrambled(occurrence))))


def resembling(sets: Ragged, threshold: float) -> Resembling:
    """Find unordered pairs a < b with resemblance |A ∩ B| / |A ∪ B| of at least the threshold; empty sets have none."""
    matrix = _rare_first(sets)
    sizes = np.diff(matrix.indptr).astype(np.int64)
    prefixes = _prefixes(matrix, threshold)
    a, b = _candidates(prefixes, prefixes, sizes, threshold, symmetric=True)
    overlap = _products(matrix, a, b)
    union = sizes[a] + sizes[b] - overlap
    return _keep_pairs(a, b, overlap, union, threshold)


def containing(sets: Ragged, threshold: float) -> Resembling:
    """Find directed pairs a -> b with containment |A ∩ B| / |A| of at least the threshold: a is found in b."""
    matrix = _rare_first(sets)
    sizes = np.diff(matrix.indptr).astype(np.int64)
    a, b = _candidates(_prefixes(matrix, threshold), matrix, sizes, threshold, symmetric=False)
    return _keep_pairs(a, b, _products(matrix, a, b), sizes[a], threshold)


def _rare_first(sets: Ragged) -> sp.csr_array:
    """Make a matrix with sets as rows and elements as columns, from the rarest element to the most frequent."""
    elements, place = np.unique(sets.values, return_inverse=True)
    ones = np.ones(len(place), dtype=np.int32)
    return _rare_columns_first(sp.csr_array((ones, place, sets.indptr), shape=(len(sets), len(elements))))


def _rare_columns_first(vectors: sp.csr_array) -> sp.csr_array:
    df = np.bincount(vectors.indices, minlength=vectors.shape[1])
    column = np.empty(vectors.shape[1], dtype=np.int32)
    column[np.argsort(df, kind="stable")] = np.arange(vectors.shape[1], dtype=np.int32)
    ordered = sp.csr_array((vectors.data.copy(), column[vectors.indices], vectors.indptr.copy()), shape=vectors.shape)
    ordered.sort_indices()
    return ordered


def _prefixes(matrix: sp.csr_array, threshold: float) -> sp.csr_array:
    sizes = np.diff(matrix.indptr)
    length = sizes - np.ceil(sizes * threshold - _SLACK).astype(np.int64) + 1
    rank = np.arange(matrix.nnz) - np.repeat(matrix.indptr[:-1], sizes)
    keep = rank < np.repeat(length, sizes)
    indptr = offsets_of(np.minimum(length, sizes))
    return sp.csr_array((matrix.data[keep], matrix.indices[keep], indptr), shape=matrix.shape)


def _candidates(
    asking: sp.csr_array, answering: sp.csr_array, sizes: Ints, threshold: float, *, symmetric: bool
) -> tuple[Ints, Ints]:
    found = [np.zeros((2, 0), dtype=np.int64)]
    for a, b, _ in _meetings(asking, answering, _BLOCK):
        # A set contains at most all elements of a smaller one.
        fits = sizes[b] >= threshold * sizes[a] - _SLACK
        if symmetric:
            fits &= (a < b) & (sizes[a] >= threshold * sizes[b] - _SLACK)
        else:
            fits &= a != b
        found.append(np.stack((a[fits], b[fits])))
    a, b = np.concatenate(found, axis=1)
    order = np.lexsort((b, a))
    return a[order], b[order]


def _meetings(asking: sp.csr_array, answering: sp.csr_array, at_once: int) -> Iterator[tuple[Ints, Ints, NDArray[Any]]]:
    """Rows of both matrices that have a column in common, and the sum of their products, some rows at a time."""
    answers = answering.T.tocsr()
    holders = np.diff(answers.indptr).astype(np.int64)
    for block in row_blocks(np.diff(offsets_of(holders[asking.indices])[asking.indptr]), at_once):
        met = asking[block] @ answers
        yield np.repeat(np.arange(block.start, block.stop), np.diff(met.indptr)), met.indices.astype(np.int64), met.data


def _products(matrix: sp.csr_array, a: Ints, b: Ints, at_once: int = _BLOCK) -> NDArray[Any]:
    """Sum of the products of two rows for each pair: of sets, the number of common elements."""
    found = np.zeros(len(a), dtype=matrix.dtype)
    sizes = np.diff(matrix.indptr).astype(np.int64)
    for block in row_blocks(sizes[a] + sizes[b], at_once):
        found[block] = matrix[a[block]].multiply(matrix[b[block]]).sum(axis=1)
    return found


def _keep_pairs(a: Ints, b: Ints, overlap: Ints, whole: Ints, threshold: float) -> Resembling:
    keep = overlap >= threshold * whole - _SLACK
    return Resembling(a[keep], b[keep], overlap[keep] / whole[keep])


# Pairs of vectors with a large cosine, without multiplying all pairs.
#
# After Bayardo, Ma, Srikant: Scaling up all pairs similarity search, WWW 2007. With the rarest words first, each
# vector is cut where the norm of what follows falls below the threshold t. By Cauchy and Schwarz the part that
# follows adds no more than its norm to any cosine, so only the parts before the cut are multiplied with whole
# vectors.

_VECTORS_AT_ONCE: Final = 5_000_000


def unit_vectors(weights: sp.csr_array) -> sp.csr_array:
    """Divide rows by their Euclidean norm; rows of zeros stay unchanged."""
    matrix = sp.csr_array(weights.astype(np.float64))
    matrix.eliminate_zeros()
    norms = np.sqrt(matrix.multiply(matrix).sum(axis=1))
    matrix.data /= np.repeat(norms, np.diff(matrix.indptr))
    return matrix


def similar_vectors(vectors: sp.csr_array, threshold: float) -> Resembling:
    """Find unordered pairs a < b whose cosine is at least the threshold."""
    ordered = _rare_columns_first(vectors)
    heads, rest = _cut(ordered, threshold)
    codes: list[Ints] = [np.zeros(0, dtype=np.int64)]
    for a, b, products in _meetings(heads, ordered, _VECTORS_AT_ONCE):
        possible = (products >= threshold - rest[a] - _SLACK) & (a != b)
        a, b = a[possible], b[possible]
        codes.append(np.minimum(a, b) * len(rest) + np.maximum(a, b))
    a, b = np.divmod(np.unique(np.concatenate(codes)), max(len(rest), 1))
    # The last digits depend on the order of summation.
    cosine = np.round(_products(vectors, a, b, _VECTORS_AT_ONCE), 9)
    keep = cosine >= threshold - _SLACK
    return Resembling(a[keep], b[keep], np.minimum(cosine[keep], 1.0))


def _cut(ordered: sp.csr_array, threshold: float) -> tuple[sp.csr_array, Floats]:
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
