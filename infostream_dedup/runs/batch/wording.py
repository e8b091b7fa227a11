"""Pairs of documents with common wording, found by sketches and counted exactly; no key terms are needed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from infostream_dedup.arrays import offsets_of
from infostream_dedup.errors import ConfigurationError
from infostream_dedup.judging.evidence.kernels import triples as kernels
from infostream_dedup.judging.evidence.kernels.comparing import COLUMNS
from infostream_dedup.judging.evidence.kernels.reading import read_triples
from infostream_dedup.judging.evidence.pair_evidence import TripleRows, fill_in_wording
from infostream_dedup.judging.evidence.reading import evidence_texts, evidence_texts_of_block, scratch_for, tables
from infostream_dedup.machine.scratch import GrowingArray
from infostream_dedup.machine.threads import mapped, thread_count
from infostream_dedup.model import Document, DocumentBlock
from infostream_dedup.model.settings import SHOWN_DECIMALS
from infostream_dedup.runs.batch.collection import in_blocks

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from infostream_dedup.machine.progress import Progress

SKETCH: Final = 24  # fewest triples in the sketch of a longer document

_PART: Final = 16  # a long document has one triple in this many in its sketch, so that a short one is found in it

LEAST_SKETCHED: Final = 0.2  # share of the smaller sketch that must be common before wording is counted

_CAP: Final = 200
_AT_ONCE: Final = 1 << 18

LEAST_IDENTICAL: Final = 0.3  # share of the wording of the smaller document that must be common

_COPY: Final = 0.5  # share of the wording of both documents of a copy

_CONTAINED: Final = 0.8  # share of the wording of a document that is contained in another; with less, the two overlap


@dataclass(slots=True)  # There are many: a frozen one takes three times as long to make.
class WordingRow:
    """One pair of documents with common wording."""

    a: str  # id of the earlier document
    b: str  # id of the later document
    kind: str  # `copy`, `contained` (b contains a), `contains` (a contains b) or `overlapping`
    wording_forward: float  # share of the word triples of a that b has, 0 to 1
    wording_backward: float  # share of the word triples of b that a has, 0 to 1

    def as_dict(self) -> dict[str, Any]:
        """The row of ``pairs``."""
        return {name: getattr(self, name) for name in WORDING_COLUMNS}


WORDING_COLUMNS: Final = tuple(WordingRow.__slots__)


@dataclass(frozen=True, slots=True)
class CommonWording:
    """Pairs of documents, in the order of (b, a)."""

    a: NDArray[np.int64]  # int64 (pairs,), ordinal of the earlier document
    b: NDArray[np.int64]  # int64 (pairs,), ordinal of the later one
    shares: NDArray[np.float64]  # float64 (pairs, 2), wording forward and backward

    def where(self, wanted: NDArray[Any]) -> CommonWording:
        """Select pairs by a mask or by places."""
        return CommonWording(self.a[wanted], self.b[wanted], self.shares[wanted])

    def ordered(self, *, strongest_first: bool, top: int | None) -> CommonWording:
        """The pairs in the order of (a, b), or of their wording; of ``top``, the strongest."""
        order = np.lexsort((self.b, self.a, -self.shares.min(axis=1), -self.shares.max(axis=1)))[:top]
        return self.where(order if strongest_first else order[np.lexsort((self.b[order], self.a[order]))])

    def rows(self, ids: list[str]) -> Iterator[WordingRow]:
        """The pairs as rows."""
        forward, backward = self.shares.T
        cases = [np.minimum(forward, backward) >= _COPY, forward >= _CONTAINED, backward >= _CONTAINED]
        kinds = np.select(cases, ["copy", "contained", "contains"], "overlapping")
        columns = self.a.tolist(), self.b.tolist(), kinds.tolist(), np.round(self.shares, SHOWN_DECIMALS).tolist()
        for a, b, kind, (forward, backward) in zip(*columns, strict=True):
            yield WordingRow(ids[a], ids[b], kind, forward, backward)


def read_wording(
    documents: Iterable[Document | DocumentBlock], *, progress: Progress | None = None
) -> tuple[list[str], TripleRows]:
    """Read the ids and the word triples of documents, once and in order; their texts are dropped."""
    ids: list[str] = []
    triples, sizes = GrowingArray(np.uint64), [np.zeros(0, dtype=np.int64)]
    for names, found, ends in mapped(_triples_of, in_blocks(documents), thread_count(0)):
        ids += names
        triples.append(found)
        sizes.append(np.diff(ends))
        if progress is not None:
            progress("reading", len(ids), None)
    return ids, TripleRows(triples.taken(), offsets_of(np.concatenate(sizes)))


def _triples_of(block: Document | DocumentBlock) -> tuple[Sequence[str], NDArray[Any], NDArray[Any]]:
    ids = [block.id] if isinstance(block, Document) else block.ids
    texts, _ = evidence_texts([block]) if isinstance(block, Document) else evidence_texts_of_block(block)
    triples = np.empty(int(texts.offsets[-1] - texts.offsets[0]) + len(texts), dtype=np.uint64)
    ends = np.empty(len(texts) + 1, dtype=np.int64)
    read_triples(texts.data, texts.offsets, tables(), scratch_for(texts.longest), triples, ends)
    return ids, triples[: ends[-1]].copy(), ends


def common_wording(
    triples: TripleRows, *, identical: float = LEAST_IDENTICAL, progress: Progress | None = None
) -> CommonWording:
    """Find the pairs in which the smaller document has at least a share of its word triples in common with the other.

    Sketches find the candidates: the 24 smallest hashes of a document's triples and, of long documents, one in 16.
    Of a triple that more than 200 documents sketch, only pairs with the first and the last 100 of them are looked at.
    """
    sketches = _sketches(triples)
    documents = len(sketches.sizes)
    counts, met = np.zeros(documents, dtype=np.int32), np.empty(documents, dtype=np.int64)
    a, b = (np.empty(max(_AT_ONCE, documents), dtype=np.int64) for _ in range(2))
    parts, first = [CommonWording(a[:0], b[:0], np.zeros((0, 2)))], 0
    sizes = np.diff(triples.begins)
    while first < documents:
        first, found = kernels.pairs_of_sketches(sketches, first, _CAP, LEAST_SKETCHED, counts, met, a, b)
        evidence = np.empty((found, len(COLUMNS)), dtype=np.float64)
        fill_in_wording(a[:found], b[:found], triples, evidence)
        shares = evidence[:, -2:]
        smaller = np.where(sizes[a[:found]] <= sizes[b[:found]], shares[:, 0], shares[:, 1])
        if progress is not None:
            progress("wording", first, documents)
        parts.append(CommonWording(a[:found], b[:found], shares).where(smaller >= identical))
    return CommonWording(*(np.concatenate([getattr(one, name) for one in parts]) for name in CommonWording.__slots__))


def _sketches(triples: TripleRows) -> kernels.Sketches:
    every, begins = triples.triples, triples.begins
    documents = len(begins) - 1
    if documents >= 1 << kernels.DOCUMENT_BITS:
        most = (1 << kernels.DOCUMENT_BITS) - 1
        raise ConfigurationError(f"common wording is found in up to {most:,} documents at once")
    sizes = np.empty(documents, dtype=np.int64)
    kernels.measure_sketches(every, begins, SKETCH, np.uint64((1 << 64) // _PART - 1), sizes)
    entries = np.empty(int(sizes.sum()), dtype=np.uint64)
    kernels.fill_entries(every, begins, sizes, entries)
    entries.sort()
    runs, starts = np.empty(len(entries), dtype=np.int32), np.empty(len(entries) + 1, dtype=np.int64)
    count = kernels.number_runs(entries, offsets_of(sizes)[:-1].copy(), runs, starts)
    return kernels.Sketches(every, begins, sizes, entries, runs, starts, np.zeros(count, dtype=np.int64))
