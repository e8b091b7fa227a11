"""Sample documents to represent all, if counting the links of all would take too long."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.links.similarity_matrix import work_exceeds

if TYPE_CHECKING:
    import scipy.sparse as sp
    from numpy.typing import NDArray

__all__ = ["MOST_POSTINGS", "SAMPLED_DOCUMENTS", "drawn_documents"]

MOST_POSTINGS: Final = 300_000_000
"""Maximum number of posting entries read, about ten core seconds; beyond it, documents are sampled."""

SAMPLED_DOCUMENTS: Final = 20_000
"""Number of documents sampled: 1.6 % of a month, for standard errors of S of .001 to .004."""

_SEED: Final = 2026


def drawn_documents(
    keys: sp.csr_array,
    targets: sp.csr_array,
    *,
    most_postings: int = MOST_POSTINGS,
    size: int = SAMPLED_DOCUMENTS,
) -> NDArray[np.int64] | None:
    """Draw documents by ordinal; the draw depends only on the number of documents, not on their content.

    Args:
        keys: (documents, terms), key terms.
        targets: (documents, terms), the terms in which they are looked up.
        most_postings: entries of posting lists that may be read without a sample.
        size: documents to draw.

    Returns:
        int64, ascending; ``None`` if all documents may be asked.
    """
    documents = keys.shape[0]
    if documents <= size or not work_exceeds(keys, targets, most_postings):
        return None
    return np.sort(np.random.default_rng(_SEED).permutation(documents)[:size]).astype(np.int64)
