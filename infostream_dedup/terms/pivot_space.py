"""The origin of key terms in a pivot language: the words of the documents and their equivalents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from infostream_dedup.model import Language
from infostream_dedup.terms.equivalents import Equivalents, SourceTerms

if TYPE_CHECKING:
    import numpy as np
    import scipy.sparse as sp
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class PivotSpace:
    """Source terms, their equivalents, and the columns by which key terms are matched.

    Attributes:
        language: the pivot language.
        sources: terms of the documents in their own languages.
        equivalents: equivalents of the source terms.
        canonical: int32 (columns,), number of the pivot term of each column.
        sets: bool (columns, pivot terms), the equivalents that match each column.
    """

    language: Language
    sources: SourceTerms
    equivalents: Equivalents
    canonical: NDArray[np.int32]
    sets: sp.csr_array

    def labels(self) -> list[str]:
        """Return the pivot term of each column, in code point order; several columns may have the same term."""
        return [self.equivalents.vocabulary[number] for number in self.canonical.tolist()]
