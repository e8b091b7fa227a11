"""Documents to the batches that the first stage takes, and what later steps need of them besides their texts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from infostream_dedup.model import Document, Settings, full_text
from infostream_dedup.sharded.counting import COUNTS, TEXTS, count_documents
from infostream_dedup.sharded.evidence import EvidenceRun
from infostream_dedup.sharded.layout import Layout
from infostream_dedup.text.fingerprint import text_hash
from infostream_dedup.text.utf8 import encoded

if TYPE_CHECKING:
    from infostream_dedup.machine.progress import Progress

__all__ = ["DOCUMENTS", "FIRST_TABLES", "NO_MOMENT", "read_and_count"]

DOCUMENTS: Final = Layout("documents", ("first",), {"moments": "i8", "lengths": "i8", "digests": "u1"}, ("ids",))
"""Documents from ordinal ``first`` on: seconds since 1970 (``NO_MOMENT`` without a date), characters of the body, hash
of the body in 16 bytes (zeros for an empty one; no entries where hashes were not asked for), id."""

FIRST_TABLES: Final = {"counts": COUNTS, "documents": DOCUMENTS}

NO_MOMENT: Final = int(np.iinfo(np.int64).min)

_AT_ONCE: Final = 1 << 20
"""Characters in a batch of texts."""
_DIGEST: Final = 16
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def read_and_count(
    documents: Iterable[Document],
    settings: Sequence[Settings],
    *,
    chunk: int,
    hashes: bool,
    evidence: bool = False,
    workers: int = 0,
    progress: Progress | None = None,
) -> Iterator[tuple[str, pa.RecordBatch]]:
    """Read documents once: their terms, and what is needed besides.

    Args:
        documents: in input order.
        settings: one for each representation wanted.
        chunk: documents counted together.
        hashes: also take the hash of each body.
        evidence: also take what judging pairs of documents needs.
        workers: threads; 0 for as many as the process may use.
        progress: called with the number of documents read.

    Yields:
        Rows of COUNTS and DOCUMENTS, of RAW and FACTS if evidence is taken, each with the name of its table.
    """
    besides = _Besides(hashes, EvidenceRun() if evidence else None)
    texts = _text_batches(documents, besides, progress)
    for row in count_documents(texts, settings, chunk=chunk, workers=workers):
        yield "counts", row
        yield from besides.taken()
        if besides.waiting >= chunk:
            yield "documents", besides.row()
    yield "documents", besides.row()
    yield from besides.taken(last=True)
    if progress is not None:
        progress("reading", besides.first, besides.first)


class _Besides:
    """What is kept of documents until the next row is written."""

    def __init__(self, hashes: bool, evidence: EvidenceRun | None) -> None:
        self._hashes = hashes
        self._evidence = evidence
        self._taken: list[tuple[str, pa.RecordBatch]] = []
        self.first = 0
        self._ids: list[str] = []
        self._moments: list[int] = []
        self._lengths: list[int] = []
        self._digests: list[bytes] = []

    @property
    def waiting(self) -> int:
        return len(self._ids)

    def add(self, document: Document) -> None:
        self._ids.append(document.id)
        time = document.time
        self._moments.append(NO_MOMENT if time is None else int((time - _EPOCH).total_seconds()))
        self._lengths.append(len(document.text))
        if self._hashes:
            self._digests.append(text_hash(document.text) or bytes(_DIGEST))
        if self._evidence is not None:
            self._taken += self._evidence.add(document)

    def taken(self, *, last: bool = False) -> Iterator[tuple[str, pa.RecordBatch]]:
        """Rows of evidence that are full; with ``last``, the rest too."""
        yield from self._taken
        self._taken = []
        if last and self._evidence is not None:
            yield from self._evidence.finish()

    def row(self) -> pa.RecordBatch:
        digests = np.frombuffer(b"".join(self._digests), dtype=np.uint8)
        values: dict[str, Any] = {"first": self.first, "moments": self._moments, "lengths": self._lengths}
        row = DOCUMENTS.row(**values, digests=digests, ids=self._ids)
        self.first += len(self._ids)
        self._ids, self._moments, self._lengths, self._digests = [], [], [], []
        return row


def _text_batches(
    documents: Iterable[Document], besides: _Besides, progress: Progress | None
) -> Iterator[pa.RecordBatch]:
    texts: list[str] = []
    languages: list[str | None] = []
    first, characters = 0, 0
    for document in documents:
        besides.add(document)
        texts.append(full_text(document))
        languages.append(document.lang)
        characters += len(texts[-1])
        if characters >= _AT_ONCE:
            yield _batch(first, texts, languages)
            first, characters, texts, languages = first + len(texts), 0, [], []
            if progress is not None:
                progress("reading", first, None)
    if texts:
        yield _batch(first, texts, languages)


def _batch(first: int, texts: list[str], languages: list[str | None]) -> pa.RecordBatch:
    ordinals = pa.array(np.arange(first, first + len(texts), dtype=np.int64))
    return pa.RecordBatch.from_arrays([ordinals, _strings(texts), pa.array(languages, pa.string())], schema=TEXTS)


def _strings(texts: list[str]) -> pa.Array:
    try:
        return pa.array(texts, pa.large_string())
    except UnicodeEncodeError:
        return pa.array([encoded(text).decode() for text in texts], pa.large_string())
