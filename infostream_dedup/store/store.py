"""The durable state of a stream in one SQLite file."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import numpy as np
import orjson

from infostream_dedup.errors import BadDataError, StoreBusyError
from infostream_dedup.model.document import Document, Language
from infostream_dedup.model.stream_records import EpochFrequencies, GroupEvent, Remembered, Verdict
from infostream_dedup.store.blobs import INT64, numbers_of
from infostream_dedup.store.connection import naming_failures, snapshot, writing
from infostream_dedup.store.copying import copy_store
from infostream_dedup.store.document_columns import table_of
from infostream_dedup.store.expiry import Expired, expire
from infostream_dedup.store.forgetting import Forgotten, forget, wipe
from infostream_dedup.store.kept_documents import kept_document
from infostream_dedup.store.opening import BUSY_SECONDS, open_store, settings_of
from infostream_dedup.store.remembered_table import RememberedTable
from infostream_dedup.store.restoring import (
    LanguageFrequencies,
    Loaded,
    Position,
    first_ordinal,
    load,
    position_of,
    summed_frequencies,
    terms_of,
)
from infostream_dedup.store.rows import (
    DOCUMENT_COLUMNS,
    EPOCH_COLUMNS,
    EVENT_COLUMNS,
    JUDGEMENT_COLUMNS,
    SIGNATURE_COLUMNS,
    VERDICT_COLUMNS,
    BatchContent,
    BatchHead,
    batch_checksum,
    body_rows,
    document_rows,
    epoch_rows,
    event_rows,
    insertion,
    judgement_rows,
    signature_hash,
    signature_rows,
    verdict_of_row,
)

__all__ = ["Known", "Store", "StoreChangedError", "StoredBatch"]

_KEPT: Final = (
    "SELECT id, title, language, published, source, packed FROM document JOIN body USING (ordinal) WHERE ordinal = ?"
)
_NEXT_EVENT: Final = "SELECT coalesce(max(number) + 1, 0) FROM event"
_VERDICT: Final = ", ".join((*VERDICT_COLUMNS, "probability", "criteria"))
_JUDGED: Final = "document LEFT JOIN judgement USING (ordinal)"
_KNOWN: Final = f"SELECT id, ordinal, version, content_hash, {_VERDICT} FROM {_JUDGED} WHERE id IN"  # noqa: S608
_IDS_AT_ONCE: Final = 500


class StoreChangedError(StoreBusyError):
    """Another process has written since the state was loaded; load again and repeat the batch."""


@dataclass(frozen=True, slots=True)
class StoredBatch:
    """A batch that is done.

    Attributes:
        batch_id: as given.
        content_hash: of the batch's content.
        verdicts: one for each document of the batch, in its order.
    """

    batch_id: str
    content_hash: bytes
    verdicts: tuple[Verdict, ...]


@dataclass(frozen=True, slots=True)
class Known:
    """A document the store has.

    Attributes:
        ordinal: its place in the stream.
        version: 0, or how often the id had come before.
        content_hash: of the whole document.
        verdict: what was said about it.
    """

    ordinal: int
    version: int
    content_hash: bytes
    verdict: Verdict


class Store:
    """Documents, signatures, frequencies, groups and verdicts of a stream. Each batch is one transaction.

    Everything is on disk before `append` returns. A store has one engine's settings for life. Several processes may
    read and write: writers take turns, readers see whole batches and stop nobody.

    Example:
        >>> with Store.open(folder / "stream.db", settings_digest="abc") as store:      # doctest: +SKIP
        ...     store.append("batch-1", b"hash", remembered, verdicts)
        ...     store.batch("batch-1").verdicts
    """

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self.path = path
        self._position = position_of(connection)
        self._written: dict[str, str] = {}

    @classmethod
    def open(
        cls,
        path: str | Path,
        *,
        settings_digest: str | None = None,
        settings: Mapping[str, Any] | None = None,
        create: bool = True,
        read_only: bool = False,
        busy_seconds: float = BUSY_SECONDS,
    ) -> Self:
        """Open a store; make it where there is none; bring an older one to today's schema, after a copy of it.

        Args:
            path: of the file; links are followed.
            settings_digest: checksum of all settings that decide verdicts; needed for a new store, checked against an
                old one. ``None`` opens any store.
            settings: the same settings in words, kept for people and for `settings`.
            create: make the store where there is none.
            read_only: never write; an older store is refused.
            busy_seconds: how long to wait for another process that writes.

        Raises:
            NoInputError: there is no store and `create` is off.
            BadDataError: the file is none of ours, damaged, cut short, or of a newer version of this program.
            ConfigurationError: the store was made with other settings, or is older and may only be read.
            CannotCreateError, CannotWriteError: the file or its folder cannot be written.
            StoreBusyError: another process has been writing all the time.
        """
        place = Path(path).resolve()
        connection = open_store(
            place,
            settings_digest=settings_digest,
            settings=settings or {},
            create=create and not read_only,
            read_only=read_only,
            busy_seconds=busy_seconds,
        )
        try:
            with naming_failures(place):
                return cls(connection, place)
        except BaseException:
            connection.close()
            raise

    def close(self) -> None:
        """Let the file go. The last one to close it tidies the log away."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def connection(self) -> sqlite3.Connection:
        """For reading by SQL."""
        return self._connection

    @property
    def position(self) -> Position:
        """How far the store was when this object last loaded or appended."""
        return self._position

    @property
    def settings(self) -> dict[str, Any]:
        """The settings the store was made with."""
        with self.reading():
            return settings_of(self._connection)

    def changed(self) -> bool:
        """Whether another process has written since this object last loaded or appended."""
        with naming_failures(self.path):
            return position_of(self._connection) != self._position

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Several reads of one state."""
        with snapshot(self._connection, self.path):
            yield self._connection

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Keep other writers out while a batch is worked on; `append` inside becomes part of it.

        Everything is undone when the block fails. Inside it `changed` has its last word: who finds it true loads what
        is new (``load(since=store.position)``) before working on the batch.

        Raises:
            StoreBusyError, CannotWriteError, BadDataError: nothing of the block was stored.
        """
        if self._connection.in_transaction:
            yield
            return
        position, written = self._position, dict(self._written)
        try:
            with writing(self._connection, self.path):
                yield
        except BaseException:
            self._position, self._written = position, written
            raise

    def load(self, *, since: Position | None = None) -> Loaded:
        """Everything an engine needs to go on.

        Args:
            since: give only documents, terms and events that came after; everything if ``None``. What is small
                (frequencies, state, clock) always comes whole. When a document was forgotten since, load everything.
        """
        with self.reading():
            loaded = load(self._connection, since=since)
        self._position = loaded.position
        self._written = {name: _json(value) for name, value in loaded.state.items()}
        return loaded

    def documents(self, first: int, end: int) -> RememberedTable:
        """Documents with ordinals from `first` up to, without, `end`; for looking back, not for the engine."""
        with self.reading():
            return table_of(self._connection, first, end)

    def span(self, *, since: int | None = None, until: int | None = None) -> tuple[int, int]:
        """Ordinals of the documents that came within a time of the stream's clock: the first, and one past the last.

        Args:
            since: UTC microseconds since 1970; from the beginning if ``None``.
            until: the first moment left out; to the end if ``None``.
        """
        with self.reading() as connection:
            first = 0 if since is None else first_ordinal(connection, "clock", since)
            end = position_of(connection).documents if until is None else first_ordinal(connection, "clock", until)
        return first, max(first, end)

    def terms(self) -> list[str]:
        """All terms by number."""
        with self.reading() as connection:
            return terms_of(connection)

    def frequencies(self, *, before: int) -> dict[Language, LanguageFrequencies]:
        """What the documents of an epoch were weighed by: document frequencies summed over all epochs before it."""
        with self.reading() as connection:
            return summed_frequencies(connection, before=before, terms=position_of(connection).terms)

    def titles(self, ordinals: Iterable[int]) -> list[str]:
        """Headlines of documents, empty for the forgotten.

        Raises:
            KeyError: there is no document of an ordinal.
        """
        return [str(self._value("SELECT title FROM document WHERE ordinal = ?", ordinal)) for ordinal in ordinals]

    def headlines(self, first: int, end: int) -> list[str]:
        """Headlines of documents with ordinals from `first` up to, without, `end`; empty for the forgotten."""
        with self.reading() as connection:
            query = "SELECT title FROM document WHERE ordinal >= ? AND ordinal < ? ORDER BY ordinal"
            return [row[0] for row in connection.execute(query, (first, end))]

    @property
    def expired_below(self) -> int:
        """Signatures of all smaller ordinals have been deleted."""
        with self.reading() as connection:
            return int(connection.execute("SELECT expired_below FROM store").fetchone()[0])

    def text(self, ordinal: int) -> str | None:
        """The text of a document, ``None`` where the store does not keep it."""
        with naming_failures(self.path):
            row = self._connection.execute("SELECT packed FROM body WHERE ordinal = ?", (ordinal,)).fetchone()
        return None if row is None else zlib.decompress(row[0]).decode("utf-8", "surrogatepass")

    def kept(self, ordinal: int) -> Document:
        """A document as far as it is stored, with its text.

        Raises:
            BadDataError: the store does not have its text.
        """
        with naming_failures(self.path):
            row = self._connection.execute(_KEPT, (ordinal,)).fetchone()
        if row is None:
            message = f"the text of document {ordinal} is missing, and the model needs it; run 'store verify'"
            raise BadDataError(message, code="E_STORE_DAMAGED", source=str(self.path))
        id_, title, language, published, source, packed = row
        text = zlib.decompress(packed).decode("utf-8", "surrogatepass")
        return kept_document(id_, text, title=title, language=language, published=published, source=source)

    def _value(self, query: str, ordinal: int) -> Any:
        with naming_failures(self.path):
            row = self._connection.execute(query, (ordinal,)).fetchone()
        if row is None:
            raise KeyError(ordinal)
        return row[0]

    def batch(self, batch_id: str) -> StoredBatch | None:
        """A batch that is done, with its verdicts as they were given; ``None`` if there is none of this id."""
        with self.reading():
            row = self._connection.execute(
                "SELECT content_hash, first_ordinal, documents, answers FROM batch WHERE batch_id = ?", (batch_id,)
            ).fetchone()
            if row is None:
                return None
            content_hash, first, documents, answers = row
            if answers is None:
                verdicts = tuple(self._verdicts(first, first + documents))
            else:
                verdicts = tuple(self.verdict_at(ordinal) for ordinal in numbers_of(answers, INT64).tolist())
            return StoredBatch(batch_id, content_hash, verdicts)

    def known(self, id: str) -> tuple[Known, ...]:  # noqa: A002 - the document's own word
        """All versions of a document the store has, oldest first."""
        return tuple(self.known_of((id,)).get(id, ()))

    def known_of(self, ids: Sequence[str]) -> dict[str, list[Known]]:
        """All versions of some documents, oldest first; ids that the store does not have are absent."""
        found: dict[str, list[Known]] = {}
        with naming_failures(self.path):
            for begin in range(0, len(ids), _IDS_AT_ONCE):
                asked = ids[begin : begin + _IDS_AT_ONCE]
                query = f"{_KNOWN} ({', '.join('?' * len(asked))}) ORDER BY id, version"
                for id_, *row in self._connection.execute(query, asked):
                    found.setdefault(id_, []).append(Known(row[0], row[1], row[2], verdict_of_row(tuple(row[3:]))))
        return found

    def verdict_of(self, id: str) -> Verdict | None:  # noqa: A002
        """What was said about a document, or about its latest version; ``None`` if the store does not have it."""
        known = self.known(id)
        return known[-1].verdict if known else None

    def verdict_at(self, ordinal: int) -> Verdict:
        """What was said about the document at a place in the stream.

        Raises:
            KeyError: there is none.
        """
        for verdict in self._verdicts(ordinal, ordinal + 1):
            return verdict
        raise KeyError(ordinal)

    def _verdicts(self, first: int, end: int) -> Iterator[Verdict]:
        with naming_failures(self.path):
            rows = self._connection.execute(
                f"SELECT {_VERDICT} FROM {_JUDGED} WHERE ordinal >= ? AND ordinal < ? ORDER BY ordinal",  # noqa: S608
                (first, end),
            )
            yield from map(verdict_of_row, rows)

    def append(
        self,
        batch_id: str,
        content_hash: bytes,
        remembered: Sequence[Remembered],
        verdicts: Sequence[Verdict],
        events: Sequence[GroupEvent] = (),
        closed: Sequence[EpochFrequencies] = (),
        new_terms: Sequence[str] = (),
        state: Mapping[str, Any] | None = None,
        *,
        oldest: int = 0,
        answers: Iterable[int] | None = None,
    ) -> None:
        """Store one batch, wholly or not at all. On disk when this returns.

        Args:
            batch_id: not used before.
            content_hash: of the batch's content, to tell a replay from another batch of the same id.
            remembered: its new documents; ordinals go on where the store ends.
            verdicts: one for each of `remembered`, in the same order.
            events: what happened to groups.
            closed: epochs that ended, one for each language.
            new_terms: terms numbered on where the store ends.
            state: small values by name, as JSON; names not given keep their values.
            oldest: smallest ordinal still in the window after the batch.
            answers: ordinals of the documents that the batch's documents were, in the batch's order, where some came
                again; ``None`` where all were new.

        Raises:
            StoreChangedError: another process has written since this object loaded; load again and repeat the batch.
            StoreBusyError: another process has been writing all the time.
            CannotWriteError: no room, or the device failed.
            ValueError: the arguments do not belong together.
        """
        with self.transaction():
            position = position_of(self._connection)
            if position != self._position:
                raise StoreChangedError(f"{self.path}: another process has written since; run the same command again")
            _check(position, remembered, verdicts, len(new_terms))
            signatures, bodies = signature_rows(remembered), body_rows(remembered)
            packed: dict[int, bytes] = dict(bodies)
            hashes = [signature_hash(row, packed.get(row[0])) for row in signatures]
            content = BatchContent(
                BatchHead(
                    position.batches,
                    batch_id,
                    content_hash,
                    position.documents,
                    len(remembered),
                    None if answers is None else np.fromiter(answers, dtype=INT64).tobytes(),
                    position.terms,
                    len(new_terms),
                    oldest,
                ),
                document_rows(remembered, verdicts, hashes),
                list(new_terms),
                event_rows(events, self._connection.execute(_NEXT_EVENT).fetchone()[0]),
                sorted(epoch_rows(closed)),
                judgement_rows(remembered, verdicts),
            )
            self._write_batch(content)
            run = self._connection.executemany
            run(insertion("signature", SIGNATURE_COLUMNS), signatures)
            run(insertion("body", ("ordinal", "packed")), bodies)
            self._write_state(state or {})
            self._position = Position(
                position.batches + 1,
                position.documents + len(remembered),
                position.terms + len(new_terms),
                position.forgotten,
            )

    def _write_batch(self, content: BatchContent) -> None:
        run = self._connection.executemany
        head, documents, terms, events, epochs, judgements = content
        batch = head.sequence
        run(insertion("batch", (*BatchHead._fields, "checksum")), [(*head, batch_checksum(content))])
        run(insertion("term", ("number", "term")), enumerate(terms, start=head.first_term))
        run(insertion("document", ("batch", *DOCUMENT_COLUMNS)), [(batch, *row) for row in documents])
        run(insertion("judgement", JUDGEMENT_COLUMNS), judgements)
        run(insertion("event", ("batch", *EVENT_COLUMNS)), [(batch, *row) for row in events])
        run(insertion("epoch_frequency", ("batch", *EPOCH_COLUMNS)), [(batch, *row) for row in epochs])
        run("DELETE FROM withheld_frequency WHERE epoch = ?", [row[:1] for row in epochs])

    def _write_state(self, state: Mapping[str, Any]) -> None:
        texts = {name: _json(value) for name, value in state.items()}
        changed = {name: text for name, text in texts.items() if self._written.get(name) != text}
        self._connection.executemany("REPLACE INTO state (name, value) VALUES (?, ?)", list(changed.items()))
        self._written.update(changed)

    def events(self) -> Iterator[GroupEvent]:
        """Everything that happened to groups, in order."""
        with naming_failures(self.path):
            rows = self._connection.execute("SELECT ordinal, kind, group_id, other, value FROM event ORDER BY number")
            yield from (GroupEvent(*row) for row in rows)

    def backup(self, target: str | Path, *, mode: int | None = None) -> None:
        """Copy the store while others write.

        Args:
            target: where to; an older copy there is replaced.
            mode: of the copy; by default that of the older one there, else 0600.

        Raises:
            CannotCreateError, CannotWriteError, BadDataError: as `copy_store` says; nothing is left behind.
        """
        copy_store(self._connection, self.path, Path(target), mode=mode)

    def expire(self) -> Expired:
        """Delete signatures and texts of documents that are in neither the window nor the open epoch."""
        return expire(self._connection, self.path)

    def forget(self, id: str) -> Forgotten:  # noqa: A002
        """Remove what a document said, in all its versions; `wipe` removes its remnants from the file.

        Raises:
            BadDataError: the store does not have it.
        """
        return forget(self._connection, self.path, id)

    def wipe(self) -> bool:
        """Write the file anew without remnants of what was deleted; say whether none is left."""
        return wipe(self._connection, self.path)


def _json(value: Any) -> str:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()


def _check(position: Position, remembered: Sequence[Remembered], verdicts: Sequence[Verdict], new_terms: int) -> None:
    if len(remembered) != len(verdicts):
        raise ValueError(f"{len(verdicts)} verdicts for {len(remembered)} documents")
    terms = position.terms + new_terms
    for ordinal, (one, verdict) in enumerate(zip(remembered, verdicts, strict=True), start=position.documents):
        if one.ordinal != ordinal or one.id != verdict.id:
            raise ValueError(f"document {one.id!r} has ordinal {one.ordinal} and the verdict of {verdict.id!r}")
        if len(one.targets) and one.targets[-1] >= terms:
            raise ValueError(f"document {one.id!r} has term {one.targets[-1]}; the store knows {terms}")
