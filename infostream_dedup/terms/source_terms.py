"""Terms of documents, distinguished by language: what is translated, once each, however many documents there are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from infostream_dedup.model import LANGUAGES
from infostream_dedup.terms.counts import TermCounts

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["SourceTerms", "source_terms"]


@dataclass(frozen=True, slots=True)
class SourceTerms:
    """Terms before translation. Equal words of two languages are two terms.

    Attributes:
        counts: int32 (documents, sources), how often each occurs in each document; sorted indices, no explicit zeros.
        terms: the terms, by language and then in code point order.
        languages: uint8 (sources,), index into ``LANGUAGES``.
    """

    counts: sp.csr_array
    terms: list[str]
    languages: NDArray[np.uint8]


def source_terms(counts: TermCounts) -> SourceTerms:
    """Number the terms of each language separately; a term gets no number in a language whose documents lack it."""
    matrix, terms = counts.counts, len(counts.terms)
    language = np.repeat(counts.languages, np.diff(matrix.indptr))
    used = np.zeros((len(LANGUAGES), terms), dtype=np.bool_)
    used[language, matrix.indices] = True
    number = (np.cumsum(used, dtype=np.int32) - 1).reshape(used.shape)
    found = number[language, matrix.indices]
    shape = (matrix.shape[0], int(used.sum()))
    languages, columns = np.nonzero(used)
    return SourceTerms(
        sp.csr_array((matrix.data, found, matrix.indptr), shape=shape),
        [counts.terms[column] for column in columns.tolist()],
        languages.astype(np.uint8),
    )
