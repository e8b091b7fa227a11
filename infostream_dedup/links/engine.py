"""What every matching engine does, and what it will cost."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import scipy.sparse as sp

from infostream_dedup.links.entries import column_counts
from infostream_dedup.links.similarity_matrix import SimilarityMatrix
from infostream_dedup.machine.progress import Progress

__all__ = ["Engine", "checked", "expected_work"]


class Engine(Protocol):
    """Matches key terms against targets. All engines give equal matrices for equal input."""

    @property
    def name(self) -> str:
        """As given to ``--engine``."""

    def match(
        self,
        keys: sp.csr_array,
        targets: sp.csr_array,
        *,
        n: int,
        weights: bool,
        k_min: int,
        progress: Progress | None = None,
    ) -> SimilarityMatrix:
        """Count for every two documents the key terms of the one that stand in the other.

        Args:
            keys: int64 (documents, terms), weight of each key term in units of 1e-9, at least 1; at most n in a row.
            targets: (documents, terms), the set V of each document; only its pattern counts.
            n: most key terms of a document, 1 to 255.
            weights: also sum the weight of the key terms that met.
            k_min: counts below are left out, at least 1.
            progress: told of the documents done.

        Raises:
            ValueError: the input is not as described.
        """


def expected_work(keys: sp.csr_array, targets: sp.csr_array) -> int:
    """Postings that matching touches: for every key term the documents that hold it; no fewer than the links at k = 1.

    Args:
        keys: (documents, terms).
        targets: (documents, terms).
    """
    return int(column_counts(keys) @ column_counts(targets))


def checked(keys: sp.csr_array, targets: sp.csr_array, *, n: int) -> None:
    """Refuse key terms and targets that no engine can match exactly.

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
