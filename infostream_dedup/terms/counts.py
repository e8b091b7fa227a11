"""Documents as counts of terms in one term space."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from infostream_dedup.errors import BadDataError
from infostream_dedup.terms.kernels.term_hashing import hash_terms

if TYPE_CHECKING:
    import pyarrow as pa
    import scipy.sparse as sp
    from numpy.typing import NDArray

    from infostream_dedup.language.text.surface_pool import SurfaceList


def term_hashes(terms: SurfaceList) -> NDArray[np.uint64]:
    """Return both hashes of each term: uint64 (2, terms)."""
    found = np.empty((2, len(terms)), dtype=np.uint64)
    hash_terms(terms.pool, terms.starts, found)
    return found


_VERSION: Final = {b"infostream_dedup.term_counts": b"1"}


@dataclass(frozen=True, slots=True)
class TermCounts:
    """How often each term occurs in each document.

    Attributes:
        counts: int32 (documents, terms), sorted indices, no explicit zeros; column ``t`` counts ``terms[t]``. ``uint8``
            or ``uint16`` in compiled code that saves memory: it widens them again, since sums of them may overflow.
        terms: distinct terms in code point order, so that the smaller number is the earlier term in every tie.
        languages: uint8 (documents,), index into ``LANGUAGES``.
        lengths: int64 (documents,), terms of a document with repetition: the length |D| of BM25.
    """

    counts: sp.csr_array
    terms: Sequence[str]
    languages: NDArray[np.uint8]
    lengths: NDArray[np.int64]

    def of(self, documents: NDArray[np.int64]) -> TermCounts:
        """Return the counts of some documents, given their ordinals, in this order."""
        return replace(
            self, counts=self.counts[documents], languages=self.languages[documents], lengths=self.lengths[documents]
        )

    def to_arrow(self) -> pa.RecordBatch:
        """Return the counts as one row, so that chunks of a collection can be the rows of a file."""
        import pyarrow as pa

        lists = {
            "languages": pa.array(self.languages, pa.uint8()),
            "lengths": pa.array(self.lengths, pa.int64()),
            "sizes": pa.array(np.diff(self.counts.indptr), pa.int32()),
            "columns": pa.array(self.counts.indices, pa.int32()),
            "counts": pa.array(self.counts.data, pa.int32()),
            "terms": pa.array(list(self.terms), pa.string()),
        }
        rows = [pa.ListArray.from_arrays([0, len(values)], values) for values in lists.values()]
        schema = pa.schema([pa.field(name, row.type) for name, row in zip(lists, rows, strict=True)], _VERSION)
        return pa.RecordBatch.from_arrays(rows, schema=schema)

    @classmethod
    def from_arrow(cls, batch: pa.RecordBatch, row: int = 0) -> TermCounts:
        """Read the counts back from one row."""
        import scipy.sparse as sp

        if not _VERSION.items() <= (batch.schema.metadata or {}).items():
            message = "these term counts were not written by this version; count the documents again"
            raise BadDataError(message, code="E_VERSION", source="<term counts>")
        lists = {name: batch.column(name)[row].values for name in batch.schema.names}
        sizes, columns, data = (lists[name].to_numpy() for name in ("sizes", "columns", "counts"))
        terms = lists["terms"].to_pylist()
        indptr = np.concatenate([np.zeros(1, dtype=np.int32), np.cumsum(sizes, dtype=np.int32)])
        counts = sp.csr_array((data, columns, indptr), shape=(len(sizes), len(terms)))
        return cls(counts, terms, lists["languages"].to_numpy(), lists["lengths"].to_numpy())
