"""What the stream needs from a store, and a store in memory."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Protocol

from infostream_dedup.errors import InfostreamError
from infostream_dedup.model import Document
from infostream_dedup.model.stream_records import Batch, Verdict
from infostream_dedup.stream.store.reader import Known, StoredBatch, kept_of
from infostream_dedup.stream.store.restoring import Position

if TYPE_CHECKING:
    from infostream_dedup.stream.store.restoring import Loaded


class BatchStore(Protocol):
    """Keeps batches; ``store.store.Store`` documents each method."""

    def transaction(self) -> AbstractContextManager[None]:
        """Keep other writers out; undo everything if the block fails."""

    def changed(self) -> bool:
        """Whether another process has written."""

    @property
    def position(self) -> Position:
        """Position at the last ``load`` or ``append``."""

    def load(self, *, since: Position | None = None) -> Loaded | None:
        """Load the state an engine needs, or what is new; ``None`` for an empty stream."""

    def batch(self, batch_id: str) -> StoredBatch | None:
        """Return a stored batch, or ``None`` if the id is unknown."""

    def known(self, id: str) -> tuple[Known, ...]:  # noqa: A002 - the document's own word
        """Return all versions of a document, oldest first."""

    def known_of(self, ids: Sequence[str]) -> Mapping[str, Sequence[Known]]:
        """Return all versions of some distinct documents, oldest first; unknown ids are absent."""

    def kept(self, ordinal: int) -> Document:
        """Return a document of the window with its text, if texts are kept."""

    def wording(self, ordinals: Sequence[int]) -> Sequence[bytes]:
        """Return the word triples of documents of the window; empty for a forgotten one."""

    def append(self, batch: Batch) -> None:
        """Keep one batch, wholly or not at all."""

    def close(self) -> None:
        """Close the store."""


class MemoryStore:
    """Verdicts of the window's documents and batches, for streams that end with the process.

    An id or a batch is known as long as one of its documents is in the window.
    """

    def __init__(self) -> None:
        self._documents: dict[str, list[Known]] = {}
        self._order: deque[tuple[int, str]] = deque()
        self._kept: dict[int, Document] = {}
        self._wording: dict[int, bytes] = {}
        self._batches: dict[str, StoredBatch] = {}
        self._ends: deque[tuple[int, str]] = deque()
        self._next = 0

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Do nothing: there are no other writers, and ``append`` is the only change."""
        yield

    def changed(self) -> bool:
        """Return ``False``: nobody else can write."""
        return False

    @property
    def position(self) -> Position:
        """Number of documents so far; the other figures are 0."""
        return Position(0, self._next, 0, 0)

    def load(self, *, since: Position | None = None) -> None:  # noqa: ARG002 - a protocol's
        """Return nothing: there is no state to continue from."""
        if self._next:
            raise InfostreamError("a batch failed halfway, and this stream exists only in memory; start a new one")

    def batch(self, batch_id: str) -> StoredBatch | None:
        """Return a stored batch, or ``None`` if the id is unknown."""
        return self._batches.get(batch_id)

    def known(self, id: str) -> tuple[Known, ...]:  # noqa: A002 - the document's own word
        """Return all versions of a document, oldest first."""
        return tuple(self._documents.get(id, ()))

    def known_of(self, ids: Sequence[str]) -> dict[str, list[Known]]:
        """Return all versions of some distinct documents, oldest first; unknown ids are absent."""
        return {id_: list(self._documents[id_]) for id_ in ids if id_ in self._documents}

    def kept(self, ordinal: int) -> Document:
        """Return a document of the window with its text, if texts are kept."""
        return self._kept[ordinal]

    def wording(self, ordinals: Sequence[int]) -> list[bytes]:
        """Return the word triples of documents of the window."""
        return [self._wording[ordinal] for ordinal in ordinals]

    def append(self, batch: Batch) -> None:
        """Keep one batch, and forget what has left the window."""
        remembered, verdicts, answers = batch.decided.remembered, batch.decided.verdicts, batch.answers
        for document, verdict in zip(remembered, verdicts, strict=True):
            known = Known(document.ordinal, document.version, document.content_hash, verdict)
            self._documents.setdefault(document.id, []).append(known)
            self._order.append((document.ordinal, document.id))
            if document.text is not None:
                self._kept[document.ordinal] = kept_of(document)
            if document.evidence is not None:
                self._wording[document.ordinal] = document.evidence.triples
        self._next += len(remembered)
        given = tuple(verdicts) if answers is None else tuple(map(self._verdict_at(answers).__getitem__, answers))
        self._batches[batch.id] = StoredBatch(batch.id, batch.hash, given)
        # An empty batch is kept as long as the document after it.
        self._ends.append((self._next + (not remembered), batch.id))
        self._forget_before(batch.decided.oldest)

    def _verdict_at(self, ordinals: Iterable[int]) -> dict[int, Verdict]:
        wanted = set(ordinals)
        held = (known for versions in self._documents.values() for known in versions)
        return {known.ordinal: known.verdict for known in held if known.ordinal in wanted}

    def _forget_before(self, oldest: int) -> None:
        while self._order and self._order[0][0] < oldest:
            ordinal, gone = self._order.popleft()
            self._kept.pop(ordinal, None)
            self._wording.pop(ordinal, None)
            versions = self._documents[gone]
            versions.pop(0)
            if not versions:
                del self._documents[gone]
        while self._ends and self._ends[0][0] <= oldest:
            del self._batches[self._ends.popleft()[1]]

    def close(self) -> None:
        """Do nothing."""
