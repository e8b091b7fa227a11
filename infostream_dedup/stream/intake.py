"""Passes batches to a stream and reports a bad document with its place in the input."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from infostream_dedup.errors import BadDataError

if TYPE_CHECKING:
    from infostream_dedup.documents import Annotation, BadRecords, Place
    from infostream_dedup.judging.passages.boilerplate import Boilerplate
    from infostream_dedup.model import Document
    from infostream_dedup.model.stream_records import Verdict
    from infostream_dedup.stream.deduplicator import Deduplicator
    from infostream_dedup.stream.following import Placed


_CONFLICT: Final = "E_ID_CONFLICT"


class LastBatch(NamedTuple):
    """A batch of a store.

    Attributes:
        name: its id.
        begin: ordinal of its first document.
        end: ordinal after its last document.
    """

    name: str
    begin: int
    end: int


@dataclass(frozen=True, slots=True)
class Intake:
    """Passes batches to a stream.

    Attributes:
        stream: judges the documents.
        bad: takes documents whose id is known with other content.
        listed: sentences to leave out of the comparison, if any.
        columns: columns that will be added to the documents, if any.
        on_conflict: as for the stream: whether an id may recur with other content.
    """

    stream: Deduplicator
    bad: BadRecords
    listed: Boilerplate | None = None
    columns: Annotation | None = None
    on_conflict: str = "item"

    def take(self, batch: Sequence[Placed], batch_id: str | None) -> tuple[Sequence[Document], list[Verdict]]:
        """Let the stream judge a batch."""
        documents = [document for document, _ in batch]
        compared = self._compared(documents)
        if self.bad.skips and self.on_conflict != "version":
            refused = set(self._refused(compared))
            for number in sorted(refused):
                self._set_aside(*batch[number])
            documents = [document for number, document in enumerate(documents) if number not in refused]
            compared = [document for number, document in enumerate(compared) if number not in refused]
        if self.columns is not None:
            documents = list(self.columns.checked(documents))
        try:
            return documents, self.stream.process(compared, batch_id=batch_id)
        except BadDataError as error:
            if error.code == _CONFLICT and error.line is not None and not self.bad.skips:
                raise _conflict(compared[error.line - 1].id, batch[error.line - 1][1]) from error
            raise

    def last_batch(self) -> LastBatch | None:
        """The last batch of the store that brought documents; ``None`` if there is none, and for a stream in memory."""
        from infostream_dedup.stream.store import Store

        store = self.stream.store
        if not isinstance(store, Store):
            return None
        with store.reading() as connection:
            row = connection.execute(
                "SELECT batch_id, first_ordinal, first_ordinal + documents FROM batch WHERE documents > 0"
                " ORDER BY sequence DESC LIMIT 1"
            ).fetchone()
        return None if row is None else LastBatch(*row)

    def ordinals_of(self, documents: Sequence[Document]) -> Iterator[int | None]:
        """Ordinal of each document that is already in the stream with the same content; ``None`` for a new one."""
        from infostream_dedup.stream.fingerprints import content_hash

        compared = self._compared(documents)
        known = self.stream.store.known_of(list({document.id: None for document in compared}))
        for document in compared:
            content = content_hash(document)
            same = (one.ordinal for one in known.get(document.id, ()) if one.content_hash == content)
            yield next(same, None)

    def _compared(self, documents: Sequence[Document]) -> Sequence[Document]:
        return documents if self.listed is None else list(self.listed.left_out(documents))

    def _refused(self, documents: Sequence[Document]) -> Iterable[int]:
        """Positions of documents whose id is already in the stream with other content."""
        from infostream_dedup.stream.deduplicator import takes_versions
        from infostream_dedup.stream.fingerprints import content_hash

        contents: dict[str, set[bytes]] = {}
        for number, document in enumerate(documents):
            known = contents.get(document.id)
            if known is None:
                known = contents[document.id] = {one.content_hash for one in self.stream.store.known(document.id)}
            content = content_hash(document)
            if known and content not in known and not takes_versions(document, self.on_conflict):
                yield number
            else:
                known.add(content)

    def _set_aside(self, document: Document, place: Place) -> None:
        from infostream_dedup.documents import json_bytes, row_of

        self.bad.report.take_back(place.source)
        error = _conflict(document.id, place)
        # Rows of tables have no bytes of their own.
        error.raw = error.raw or json_bytes(row_of(document))
        self.bad.add(error)


def _conflict(name: str, place: Place) -> BadDataError:
    return place.error(
        _CONFLICT,
        f"{name!r} already exists with different content; give each document its own id, or accept further versions "
        "(--on-conflict version)",
        "id",
    )
