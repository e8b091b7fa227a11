"""Reading one stored stream: documents, batches, verdicts, frequencies, events."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final, Literal

from infostream_dedup.errors import BadDataError
from infostream_dedup.machine.arrays import INT64, numbers_of
from infostream_dedup.model.document import Document, Language
from infostream_dedup.model.stream_records import GroupEvent, Remembered, Verdict
from infostream_dedup.stream.store.connection import naming_failures, snapshot
from infostream_dedup.stream.store.document_columns import RememberedTable, table_of
from infostream_dedup.stream.store.opening import check_version, settings_of
from infostream_dedup.stream.store.restoring import (
    LanguageFrequencies,
    Position,
    first_ordinal,
    position_of,
    summed_frequencies,
    terms_of,
)
from infostream_dedup.stream.store.tables import VERDICT_SQL, verdict_of_row

_KEPT: Final = (
    "SELECT id, title, language, published, source, url, packed FROM document JOIN body USING (ordinal)"
    " WHERE ordinal = ?"
)
_JUDGED: Final = "document LEFT JOIN judgement USING (ordinal)"
_KNOWN: Final = f"SELECT id, ordinal, version, content_hash, {VERDICT_SQL} FROM {_JUDGED} WHERE id IN"  # noqa: S608
_IDS_AT_ONCE: Final = 500
_SHOWN: Final = 200  # characters of a beginning


@dataclass(frozen=True, slots=True)
class StoredBatch:
    """A stored batch."""

    batch_id: str  # as given
    content_hash: bytes  # checksum of the batch's content
    verdicts: tuple[Verdict, ...]  # one for each document of the batch, in order


@dataclass(frozen=True, slots=True)
class Known:
    """A document in the store."""

    ordinal: int  # its position in the stream
    version: int  # number of earlier documents with the same id
    content_hash: bytes  # checksum of the whole document
    verdict: Verdict  # the verdict on it


class StoreReader:
    """Queries to a stored stream by an open connection. `Store` adds all writing operations."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self.path = path

    @property
    def connection(self) -> sqlite3.Connection:
        """The connection, for queries in SQL."""
        return self._connection

    @property
    def settings(self) -> dict[str, Any]:
        """The settings by which the next document will be judged."""
        with self.reading():
            return settings_of(self._connection)

    def stored_position(self) -> Position:
        """Position of the store on disk."""
        with self.reading():
            return position_of(self._connection)

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Let several reads see one state."""
        with snapshot(self._connection, self.path) as connection:
            check_version(connection, self.path)
            yield connection

    def documents(self, first: int, end: int, only: Collection[str] | None = None) -> RememberedTable:
        """As ``table_of``; for analyses, not for the engine."""
        with self.reading():
            return table_of(self._connection, first, end, only)

    def span(self, *, since: int | None = None, until: int | None = None) -> tuple[int, int]:
        """Find the documents that arrived within a period of the stream's clock, to its end without ``until``."""
        with self.reading() as connection:
            first = 0 if since is None else first_ordinal(connection, "clock", since)
            end = position_of(connection).documents if until is None else first_ordinal(connection, "clock", until)
        return first, max(first, end)

    def terms(self) -> list[str]:
        """Return all terms by number."""
        with self.reading() as connection:
            return terms_of(connection)

    def frequencies(self, *, before: int, repeats: bool = False) -> dict[Language, LanguageFrequencies]:
        """Return the document frequencies that an epoch uses, summed over those before it; or those of repeats."""
        table: Literal["epoch_frequency", "repeat_frequency"] = "repeat_frequency" if repeats else "epoch_frequency"
        with self.reading() as connection:
            return summed_frequencies(connection, before=before, terms=position_of(connection).terms, table=table)

    def heading(self, id: str) -> str:  # noqa: A002 - the name of the field
        """Return the headline of the latest version of a document, or the first words of a kept text; else nothing."""
        query = "SELECT title, ordinal FROM document WHERE id = ? ORDER BY version DESC LIMIT 1"
        row = self._connection.execute(query, (id,)).fetchone()
        return "" if row is None else row[0] or self.beginning(row[1])

    def headed(self, rows: Sequence[dict[str, Any]], name: str = "id", title: str = "title") -> list[dict[str, Any]]:
        """Rows of documents, named by this column, with ``heading`` in place of missing titles."""
        return [row | {title: row[title] or self.heading(row[name])} for row in rows]

    def ordinal_of(self, *, id: str | None = None, url: str | None = None) -> int | None:  # noqa: A002 - the name of the field
        """Return the ordinal of the latest version of a document by its id or address; ``None`` if there is none."""
        column, value = ("id", id) if id is not None else ("url", url)
        query = f"SELECT max(ordinal) FROM document WHERE {column} = ? AND forgotten = 0"  # noqa: S608
        with self.reading() as connection:
            row = connection.execute(query, (value,)).fetchone()
        return None if row[0] is None else int(row[0])

    def headlines(self, first: int, end: int) -> list[str]:
        """Return the headlines of the documents from `first` to `end` (exclusive); empty for forgotten ones."""
        with self.reading() as connection:
            query = "SELECT title FROM document WHERE ordinal >= ? AND ordinal < ? ORDER BY ordinal"
            return [row[0] for row in connection.execute(query, (first, end))]

    def answers(self, first: int, end: int) -> list[int | None]:
        """Return the ordinal that each verdict names, for documents from `first` to `end` (exclusive)."""
        with self.reading() as connection:
            query = (
                "SELECT (SELECT max(named.ordinal) FROM document AS named WHERE named.id = document.of_id"
                " AND named.ordinal < document.ordinal) FROM document"
                " WHERE ordinal >= ? AND ordinal < ? ORDER BY ordinal"
            )
            return [row[0] for row in connection.execute(query, (first, end))]

    @property
    def expired_below(self) -> int:
        """The signatures of all smaller ordinals have been deleted."""
        with self.reading() as connection:
            return int(connection.execute("SELECT expired_below FROM store").fetchone()[0])

    def keeps_texts(self) -> bool:
        """Whether the store has the text of any document."""
        with naming_failures(self.path):
            return self._connection.execute("SELECT 1 FROM body LIMIT 1").fetchone() is not None

    def text(self, ordinal: int) -> str | None:
        """Return the text of a document, or ``None`` if the store does not keep it."""
        with naming_failures(self.path):
            row = self._connection.execute("SELECT packed FROM body WHERE ordinal = ?", (ordinal,)).fetchone()
        return None if row is None else zlib.decompress(row[0]).decode("utf-8", "surrogatepass")

    def beginning(self, ordinal: int) -> str:
        """Return the first words of a document; empty if its text is not kept."""
        words = " ".join((self.text(ordinal) or "").split())
        return words if len(words) <= _SHOWN else f"{words[:_SHOWN].rpartition(' ')[0]}…"

    def lines(self, ordinal: int) -> bytes:
        """Return what is kept of the lines of a document, as `Remembered.lines`; empty if nothing is."""
        with naming_failures(self.path):
            row = self._connection.execute("SELECT lines FROM fragments WHERE ordinal = ?", (ordinal,)).fetchone()
        return b"" if row is None else bytes(row[0])

    def wording(self, ordinals: Sequence[int]) -> list[bytes]:
        """Return the word triples of documents, as ``KeptEvidence.triples``; empty where the store has none."""
        found: dict[int, bytes] = {}
        with naming_failures(self.path):
            for begin in range(0, len(ordinals), _IDS_AT_ONCE):
                asked = ordinals[begin : begin + _IDS_AT_ONCE]
                query = f"SELECT ordinal, triples FROM wording WHERE ordinal IN ({', '.join('?' * len(asked))})"  # noqa: S608
                found.update(self._connection.execute(query, asked))
        return [found.get(ordinal, b"") for ordinal in ordinals]

    def kept(self, ordinal: int) -> Document:
        """Return a document with its text and the fields that a store keeps."""
        with naming_failures(self.path):
            row = self._connection.execute(_KEPT, (ordinal,)).fetchone()
        if row is None:
            message = f"the text of document {ordinal} is missing, and the model needs it; run 'store verify'"
            raise BadDataError(message, code="E_STORE_DAMAGED", source=str(self.path))
        return kept_document(*row[:-1], text=zlib.decompress(row[-1]).decode("utf-8", "surrogatepass"))

    def batch(self, batch_id: str) -> StoredBatch | None:
        """Return a stored batch with its original verdicts, or ``None`` if the id is unknown."""
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

    def known(self, id: str) -> tuple[Known, ...]:  # noqa: A002 - the name of the field
        """Return all stored versions of a document, oldest first."""
        return tuple(self.known_of((id,)).get(id, ()))

    def known_of(self, ids: Sequence[str]) -> dict[str, list[Known]]:
        """Return all stored versions of some documents, oldest first; unknown ids are absent."""
        found: dict[str, list[Known]] = {}
        with naming_failures(self.path):
            for begin in range(0, len(ids), _IDS_AT_ONCE):
                asked = ids[begin : begin + _IDS_AT_ONCE]
                query = f"{_KNOWN} ({', '.join('?' * len(asked))}) ORDER BY id, version"
                for id_, *row in self._connection.execute(query, asked):
                    found.setdefault(id_, []).append(Known(row[0], row[1], row[2], verdict_of_row(row[3:])))
        return found

    def verdict_at(self, ordinal: int) -> Verdict:
        """Return the verdict on the document with an ordinal."""
        for verdict in self._verdicts(ordinal, ordinal + 1):
            return verdict
        raise KeyError(ordinal)

    def _verdicts(self, first: int, end: int) -> Iterator[Verdict]:
        with naming_failures(self.path):
            rows = self._connection.execute(
                f"SELECT {VERDICT_SQL} FROM {_JUDGED} WHERE ordinal >= ? AND ordinal < ? ORDER BY ordinal",  # noqa: S608
                (first, end),
            )
            yield from map(verdict_of_row, rows)

    def stories(self) -> dict[str, str]:
        """Return the present story of each group that has one, by group."""
        with self.reading() as connection:
            return dict(connection.execute("SELECT group_id, story_id FROM v_stories ORDER BY group_id"))

    def events(self) -> Iterator[GroupEvent]:
        """Yield all events of groups, in order."""
        with naming_failures(self.path):
            rows = self._connection.execute("SELECT ordinal, kind, group_id, other, value FROM event ORDER BY number")
            yield from (GroupEvent(*row) for row in rows)


_BEGINNING: Final = datetime(1970, 1, 1, tzinfo=UTC)


def kept_document(
    id: str,  # noqa: A002 - the name of the field
    title: str,
    language: Language,
    published: int | None,
    source: str | None,
    url: str | None,
    *,
    text: str,
) -> Document:
    """Make a document from what a store keeps; pictures, links and other fields are missing."""
    time = None if published is None else _BEGINNING + timedelta(microseconds=published)
    return Document(id=id, text=text, title=title, lang=language, time=time, source=source, url=url)


def kept_of(one: Remembered) -> Document:
    """Reduce a document that is about to be stored, with its text, to what a store keeps."""
    return kept_document(one.id, one.title, one.language, one.published, one.source, one.url, text=one.text or "")
