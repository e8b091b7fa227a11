"""Counts terms of texts: each chunk of documents has its own vocabulary, whose terms are identified by hashes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import scipy.sparse as sp

from infostream_dedup.arrays import offsets_of
from infostream_dedup.language.text.surface_pool import SurfaceList
from infostream_dedup.language.text.utf8 import texts_of_arrow
from infostream_dedup.machine.kernels.byte_blocks import BLOCK
from infostream_dedup.model import Settings
from infostream_dedup.model.settings import REPRESENTATIONS
from infostream_dedup.runs.sharded.layout import Layout
from infostream_dedup.terms.compiled import SurfaceCounter, count_terms
from infostream_dedup.terms.counts import TermCounts, term_hashes

if TYPE_CHECKING:
    from numpy.typing import NDArray


CHUNK: Final = 50_000
"""Documents counted together. Words are analysed once per chunk; counting a chunk of news takes about 500 MB."""

TEXTS: Final = pa.schema([("ordinal", pa.int64()), ("text", pa.large_string()), ("lang", pa.string())])
"""Documents as the first stage takes them: ``ordinal`` ascends without gaps among documents that may share a chunk;
``lang`` is null if the language is to be detected."""

COUNTS: Final = Layout(
    "counts",
    ("representation", "first"),
    {
        "languages": "u1",
        "lengths": "i8",
        "sizes": "i4",
        "columns": "i4",
        "counts": "i4",
        "starts": "i8",
        "pool": "u1",
        "hashes": "u8",
        "checks": "u8",
        "order": "i4",
    },
)
"""A chunk as counts of its terms. ``representation`` is an index into ``REPRESENTATIONS``, ``first`` the ordinal of the
first document. ``columns`` number the chunk's terms in code point order; ``starts`` are their offsets in ``pool``.
``order`` lists them by hash; ``hashes`` and ``checks`` are in that order."""


@dataclass(frozen=True, slots=True)
class CountedChunk:
    """A row of COUNTS.

    Attributes:
        first: ordinal of the first document; the others follow without gaps.
        counts: the documents as counts of the chunk's own terms.
        hashes: uint64 (terms,), first hashes, ascending.
        checks: uint64 (terms,), second hashes, in the order of the first.
        order: int32 (terms,), number of the term that each hash belongs to.
    """

    first: int
    counts: TermCounts
    hashes: NDArray[np.uint64]
    checks: NDArray[np.uint64]
    order: NDArray[np.int32]

    @classmethod
    def read(cls, batches: Iterable[pa.RecordBatch]) -> Iterator[CountedChunk]:
        """Read rows of COUNTS."""
        for row in COUNTS.rows(batches):
            starts = row["starts"]
            shape = (len(row["sizes"]), len(starts) - 1)
            indptr = offsets_of(row["sizes"]).astype(np.int32)
            matrix = sp.csr_array((row["counts"], row["columns"], indptr), shape=shape)
            counts = TermCounts(matrix, SurfaceList(starts, row["pool"]), row["languages"], row["lengths"])
            yield cls(row["first"], counts, row["hashes"], row["checks"], row["order"])


def count_documents(
    batches: Iterable[pa.RecordBatch],
    settings: Sequence[Settings],
    *,
    chunk: int = CHUNK,
    workers: int = 1,
) -> Iterator[pa.RecordBatch]:
    """Count the terms of documents.

    Args:
        chunk: documents counted together, at least 1; chunks also end where ordinals have a gap.
        workers: threads; 0 for as many as the process may use. The result does not depend on them.
    """
    open_chunk = _OpenChunk(workers)
    for batch in batches:
        for piece in _without_gaps(batch):
            start = 0
            while start < piece.num_rows:
                if open_chunk.ends_before(piece.column("ordinal")[start].as_py(), chunk):
                    yield from open_chunk.counted(settings)
                    open_chunk = _OpenChunk(workers)
                taken = min(piece.num_rows - start, chunk - open_chunk.documents)
                open_chunk.add(piece.slice(start, taken))
                start += taken
    if open_chunk.documents:
        yield from open_chunk.counted(settings)


def _without_gaps(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    ordinals = batch.column("ordinal").to_numpy()
    bounds = [0, *(np.flatnonzero(np.diff(ordinals) != 1) + 1).tolist(), len(ordinals)]
    for begin, end in pairwise(bounds):
        if end > begin:
            yield batch.slice(begin, end - begin)


class _OpenChunk:
    """Documents read so far, without their texts."""

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._counter = SurfaceCounter(workers)
        self._first = 0
        self.documents = 0

    def ends_before(self, ordinal: int, chunk: int) -> bool:
        return self.documents > 0 and (self.documents >= chunk or ordinal != self._first + self.documents)

    def add(self, batch: pa.RecordBatch) -> None:
        if self.documents == 0:
            self._first = batch.column("ordinal")[0].as_py()
        self._counter.add_texts(texts_of_arrow(batch.column("text")), batch.column("lang").to_pylist())
        self.documents += batch.num_rows

    def counted(self, settings: Sequence[Settings]) -> Iterator[pa.RecordBatch]:
        surfaces = self._counter.finish()
        for one in settings:
            yield _row(self._first, one.representation, count_terms(surfaces, one, workers=self._workers))


def _row(first: int, representation: str, counts: TermCounts) -> pa.RecordBatch:
    terms = counts.terms if isinstance(counts.terms, SurfaceList) else SurfaceList.of(counts.terms)
    hashes = term_hashes(terms)
    order = np.argsort(hashes[0], kind="stable")
    values: dict[str, Any] = {
        "representation": REPRESENTATIONS.index(representation),
        "first": first,
        "languages": counts.languages,
        "lengths": counts.lengths,
        "sizes": np.diff(counts.counts.indptr),
        "columns": counts.counts.indices,
        "counts": counts.counts.data,
        "starts": terms.starts,
        "pool": terms.pool[: int(terms.starts[-1]) + BLOCK],
        "hashes": hashes[0][order],
        "checks": hashes[1][order],
        "order": order,
    }
    return COUNTS.row(**values)
