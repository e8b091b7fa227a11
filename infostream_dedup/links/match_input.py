"""What matching takes, and what it will cost."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from infostream_dedup.links.entries import column_counts

__all__ = ["check_input", "expected_work"]


def expected_work(keys: sp.csr_array, targets: sp.csr_array) -> int:
    """Postings that matching touches: for every key term the documents that hold it; at least the links at k = 1.

    Args:
        keys: (documents, terms).
        targets: (documents, terms).
    """
    return int(column_counts(keys) @ column_counts(targets))


def check_input(keys: sp.csr_array, targets: sp.csr_array, *, n: int) -> None:
    """Refuse key terms and targets that cannot be matched exactly.

    Raises:
        ValueError: shapes differ, a weight is below 1, a row holds a term twice or more than n terms.
    """
    if keys.shape != targets.shape:
        raise ValueError(f"keys are {keys.shape}, targets {targets.shape}; expected the same documents and terms")
    if keys.dtype != np.int64:
        raise ValueError(f"keys are {keys.dtype}; expected int64 weights in units of 1e-9")
    if not keys.has_canonical_format or not targets.has_canonical_format:
        raise ValueError("keys and targets need sorted indices and no term twice in a row; call sum_duplicates() first")
    if keys.nnz and keys.data.min() < 1:
        raise ValueError(f"the smallest weight of a key term is {keys.data.min()}; expected at least 1")
    most = int(np.diff(keys.indptr).max(initial=0))
    if most > n:
        raise ValueError(f"a document has {most} key terms; expected at most n = {n}")
