"""The n heaviest words of a document, and one fingerprint of them (A1, A2, A3, A10 of Zelenkov, Segalovich)."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from infostream_dedup.arrays import Ragged
from infostream_dedup.judging.features.hashing import hash_text
from infostream_dedup.judging.features.rows import rows_from

if TYPE_CHECKING:
    import scipy.sparse as sp


def leading_words(weights: sp.csr_array, n: int) -> Ragged:
    """Return the n heaviest words of each document; among equal weights the earlier word wins; weights may be negative.

    Args:
        weights: int64 (documents, vocabulary), words in code point order.
        n: number of words, at least 1; a document with fewer distinct words gives them all.

    Returns:
        int32 word numbers, ascending in a row.
    """
    document = np.repeat(np.arange(weights.shape[0], dtype=np.int64), np.diff(weights.indptr))
    order = np.lexsort((weights.indices, -weights.data, document))
    rank = np.arange(weights.nnz) - weights.indptr[document]
    keep = np.zeros(weights.nnz, dtype=np.bool_)
    keep[order[rank < n]] = True
    return Ragged(weights.indptr.astype(np.int64), weights.indices.astype(np.int32)).chosen(keep)


def fingerprints_of_words(words: Ragged, vocabulary: list[str], bits: int) -> Ragged:
    """Hash the words of each document in alphabetical order, separated by blanks ("ab" "c" is not "a" "bc").

    Args:
        words: word numbers, ascending in a row.
    """
    numbers = words.values.tolist()
    bounds = words.indptr.tolist()
    prints = [
        [hash_text(" ".join([vocabulary[number] for number in numbers[start:end]]), bits)] if start < end else []
        for start, end in pairwise(bounds)
    ]
    return rows_from(prints, fingerprint_type(bits))


def fingerprint_type(bits: int) -> type[np.uint32] | type[np.uint64]:
    """Return the dtype of fingerprints of 32 or 64 bits."""
    return np.uint32 if bits == 32 else np.uint64
