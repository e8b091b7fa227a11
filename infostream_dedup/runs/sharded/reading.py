"""Turn documents into the batches that the first stage takes, and keep what later steps need besides the texts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from infostream_dedup.judging.repeated.equality import equality_hash, equality_hashes
from infostream_dedup.language.text.utf8 import Utf8Texts, encoded
from infostream_dedup.model import NO_TIME, Document, DocumentBlock, Settings, full_text
from infostream_dedup.runs.sharded.counting import COUNTS, TEXTS, count_documents
from infostream_dedup.runs.sharded.evidence import EvidenceRun
from infostream_dedup.runs.sharded.layout import Layout

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from infostream_dedup.machine.progress import Progress


DOCUMENTS: Final = Layout("documents", ("first",), {"moments": "i8", "lengths": "i8", "digests": "u1"}, ("ids",))
"""Documents from ordinal ``first`` on: seconds since 1970 (``NO_MOMENT`` without a date), characters of the body, hash
of the body in 16 bytes (zeros for an empty one; no entries where hashes were not asked for), id."""

FIRST_TABLES: Final = {"counts": COUNTS, "documents": DOCUMENTS}

NO_MOMENT: Final = int(np.iinfo(np.int64).min)

_AT_ONCE: Final = 1 << 20
"""Characters in a batch of texts."""
_DIGEST: Final = 16
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_SECOND: Final = 1_000_000


def read_and_count(
    documents: Iterable[Document | DocumentBlock],
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
        workers: threads; 0 for as many as the process may use.
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
            self._digests.append(equality_hash(document) or bytes(_DIGEST))
        if self._evidence is not None:
            self._taken += self._evidence.add(document)

    def add_block(self, block: DocumentBlock) -> None:
        self._ids += block.ids
        self._moments += _seconds(block.times).tolist()
        self._lengths += block.characters[:, 1].tolist()
        if self._hashes:
            digests = equality_hashes(block.text, Utf8Texts(block.offsets, block.data), block.bodies)
            self._digests += [digest or bytes(_DIGEST) for digest in digests]
        if self._evidence is not None:
            for document in block.documents():
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


def _seconds(times: NDArray[np.int64]) -> NDArray[np.int64]:
    """Whole seconds of microseconds, towards 1970."""
    return np.where(times == NO_TIME, NO_MOMENT, np.sign(times) * (np.abs(times) // _SECOND))


def _text_batches(
    documents: Iterable[Document | DocumentBlock], besides: _Besides, progress: Progress | None
) -> Iterator[pa.RecordBatch]:
    waiting = _Waiting()
    for one in documents:
        if isinstance(one, DocumentBlock):
            yield from waiting.taken()
            besides.add_block(one)
            yield waiting.block(one)
        else:
            besides.add(one)
            waiting.add(one)
            if waiting.characters < _AT_ONCE:
                continue
            yield from waiting.taken()
        if progress is not None:
            progress("reading", waiting.first, None)
    yield from waiting.taken()


class _Waiting:
    """Documents that are read one by one until they fill a batch of TEXTS.

    Attributes:
        first: ordinal of the first document that waits.
        characters: length of those that wait.
    """

    def __init__(self) -> None:
        self.first = 0
        self.characters = 0
        self._texts: list[str] = []
        self._languages: list[str | None] = []

    def add(self, document: Document) -> None:
        self._texts.append(full_text(document))
        self._languages.append(document.lang)
        self.characters += len(self._texts[-1])

    def taken(self) -> Iterator[pa.RecordBatch]:
        """The batch, if any document waits."""
        if self._texts:
            yield self._batch(_strings(self._texts), self._languages)
        self._texts, self._languages, self.characters = [], [], 0

    def block(self, block: DocumentBlock) -> pa.RecordBatch:
        """The batch of documents in columns, which share its bytes; nothing may wait."""
        texts = pa.LargeStringArray.from_buffers(len(block), pa.py_buffer(block.offsets), pa.py_buffer(block.data))
        return self._batch(texts, block.languages)

    def _batch(self, texts: pa.Array, languages: Sequence[str | None]) -> pa.RecordBatch:
        ordinals = pa.array(np.arange(self.first, self.first + len(texts), dtype=np.int64))
        self.first += len(texts)
        return pa.RecordBatch.from_arrays([ordinals, texts, pa.array(languages, pa.string())], schema=TEXTS)


def _strings(texts: list[str]) -> pa.Array:
    try:
        return pa.array(texts, pa.large_string())
    except UnicodeEncodeError:
        return pa.array([encoded(text).decode() for text in texts], pa.large_string())
