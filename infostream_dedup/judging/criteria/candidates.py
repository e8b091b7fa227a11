"""Pairs worth comparing: the paper's filter before the criteria (Andreev et al., section 6), and ours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import scipy.sparse as sp

from infostream_dedup.errors import ConfigurationError
from infostream_dedup.judging.criteria.document_models import DocumentModels
from infostream_dedup.judging.features.leading_words import leading_words
from infostream_dedup.links import match
from infostream_dedup.terms.key_terms import heaviest

if TYPE_CHECKING:
    from numpy.typing import NDArray


LINK_K: Final = 3
"""Key terms of one document that the other must contain: few enough to miss hardly any reprint."""

LINK_TERMS: Final = 12
"""Key terms that are looked up, as in the main job."""


def two_word_candidates(models: DocumentModels) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Find pairs of equal signature: the two heaviest words of the body (BM25), in alphabetical order.

    This is the paper's filter. The signature of a document of one word is that word; an empty document has none.

    Returns:
        Two of int64 (pairs,): ordinals i < j, ascending by i, then by j.
    """
    words = models.words.weights
    leading = leading_words(words, 2)
    sizes = leading.sizes
    having = np.flatnonzero(sizes > 0)
    first = leading.values[leading.indptr[having]].astype(np.int64)
    last = leading.values[leading.indptr[having] + sizes[having] - 1].astype(np.int64)
    _, signatures = np.unique(first * max(words.shape[1], 1) + last, return_inverse=True)
    shape = (len(models), int(signatures.max(initial=-1)) + 1)
    holds = sp.csr_array((np.ones(len(having), dtype=np.int32), (having, signatures)), shape=shape)
    return _pairs_above(sp.csr_array(holds @ holds.T))


def key_term_candidates(
    models: DocumentModels, *, k: int = LINK_K, n: int = LINK_TERMS
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Find pairs in which one document contains at least k of the n heaviest key terms of the other.

    Args:
        k: at least 1, at most n.
        n: at most the 30 key terms that models keep.

    Returns:
        Two of int64 (pairs,): ordinals i < j, ascending by i, then by j.
    """
    if not 1 <= k <= n:
        raise ConfigurationError(f"k is {k}; expected 1 to n = {n}")
    keys = heaviest(models.key_terms.keys, n)
    counts = match(keys, models.key_terms.targets, n=n, weights=False, k_min=k).counts
    linked = sp.csr_array((np.ones(counts.nnz, dtype=np.int32), counts.indices, counts.indptr), shape=counts.shape)
    return _pairs_above(sp.csr_array(linked + linked.T))


def _pairs_above(matrix: sp.csr_array) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    above = sp.triu(matrix, k=1, format="csr")
    above.sort_indices()
    i = np.repeat(np.arange(above.shape[0], dtype=np.int64), np.diff(above.indptr))
    return i, above.indices.astype(np.int64)
