"""Selects the heaviest terms by BM25: a simple stand-in, so that matching can be measured on its own."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numba import njit
from numpy.typing import NDArray

from benchmarks.generator import Corpus

__all__ = ["key_terms"]


def key_terms(corpus: Corpus, *, n: int = 12, k1: float = 2.0, b: float = 0.75) -> tuple[sp.csr_array, sp.csr_array]:
    """Return keys and targets (all terms of a document) as the engines take them; only terms of df >= 2 are keys."""
    indptr, terms, counts = _count_terms(corpus.indptr, corpus.tokens, corpus.lemmas)
    documents = len(corpus)
    df = np.bincount(terms, minlength=corpus.lemmas)
    idf = np.where(df >= 2, np.log(1 + (documents - df + 0.5) / (df + 0.5)), 0.0)
    length = np.diff(corpus.indptr).astype(np.float64)
    keys = _select_heaviest(indptr, terms, counts, k1 * (1 - b + b * length / length.mean()), idf, k1, n)
    present = keys >= 0
    key_indptr = np.concatenate(([0], np.cumsum(present.sum(axis=1))))
    shape = (documents, corpus.lemmas)
    key_matrix = sp.csr_array((np.ones(key_indptr[-1], dtype=np.int64), keys[present], key_indptr), shape=shape)
    key_matrix.sort_indices()
    return key_matrix, sp.csr_array((np.ones(len(terms), dtype=np.bool_), terms, indptr), shape=shape)


@njit(cache=True)
def _count_terms(
    indptr: NDArray[np.int64], tokens: NDArray[np.int32], lemmas: int
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.uint16]]:
    out_indptr = np.zeros(indptr.size, np.int64)
    terms, counts = np.empty(tokens.size, np.int32), np.zeros(tokens.size, np.uint16)
    seen = np.zeros(lemmas, np.uint16)
    size = 0
    for document in range(indptr.size - 1):
        begin = size
        for position in range(indptr[document], indptr[document + 1]):
            if seen[tokens[position]] == 0:
                terms[size] = tokens[position]
                size += 1
            seen[tokens[position]] += 1
        terms[begin:size].sort()
        for position in range(begin, size):
            counts[position] = seen[terms[position]]
            seen[terms[position]] = 0
        out_indptr[document + 1] = size
    return out_indptr, terms[:size].copy(), counts[:size].copy()


@njit(cache=True)
def _select_heaviest(
    indptr: NDArray[np.int64],
    terms: NDArray[np.int32],
    counts: NDArray[np.uint16],
    norm: NDArray[np.float64],
    idf: NDArray[np.float64],
    k1: float,
    n: int,
) -> NDArray[np.int32]:
    keys = np.full((indptr.size - 1, n), -1, np.int32)
    weights = np.zeros(n)
    for document in range(indptr.size - 1):
        weights[:] = 0
        for position in range(indptr[document], indptr[document + 1]):
            term, count = terms[position], counts[position]
            weight = idf[term] * count * (k1 + 1) / (count + norm[document])
            if weight <= weights[n - 1]:
                continue
            place = n - 1
            while place > 0 and weights[place - 1] < weight:
                weights[place], keys[document, place] = weights[place - 1], keys[document, place - 1]
                place -= 1
            weights[place], keys[document, place] = weight, term
    return keys
