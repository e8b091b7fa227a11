"""Documents as counts of terms in one term space."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import scipy.sparse as sp
    from numpy.typing import NDArray

__all__ = ["TermCounts"]


@dataclass(frozen=True, slots=True)
class TermCounts:
    """How often each term occurs in each document.

    Attributes:
        counts: int32 (documents, terms), sorted indices, no explicit zeros; column ``t`` counts ``terms[t]``.
        terms: distinct terms in code point order, so that a smaller number is the earlier term in every tie.
        languages: uint8 (documents,), index into ``LANGUAGES``.
        lengths: int64 (documents,), terms of a document with repetition: the length |D| of BM25.
    """

    counts: sp.csr_array
    terms: Sequence[str]
    languages: NDArray[np.uint8]
    lengths: NDArray[np.int64]
