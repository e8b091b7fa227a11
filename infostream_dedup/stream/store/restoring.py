"""The state an engine needs to continue a stored stream."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from infostream_dedup.judging.repeated.lines import REMEMBERED
from infostream_dedup.model import NO_TIME
from infostream_dedup.model.document import Language
from infostream_dedup.model.stream_records import CountedEvidence, EpochFrequencies, GroupEvent
from infostream_dedup.stream.store.blobs import INT32, numbers_of
from infostream_dedup.stream.store.document_columns import table_of
from infostream_dedup.stream.store.group_tables import present_stories
from infostream_dedup.stream.store.remembered_table import RememberedTable
from infostream_dedup.stream.store.settings_checksum import state_of

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Position(NamedTuple):
    """Position of a store; it changes whenever another process writes.

    Attributes:
        batches: number of batches.
        documents: number of documents, which is also the next ordinal.
        terms: number of terms, which is also the next term's number.
        forgotten: number of documents forgotten on request.
    """

    batches: int
    documents: int
    terms: int
    forgotten: int


@dataclass(frozen=True, slots=True)
class LanguageFrequencies:
    """Document frequencies of one language summed over epochs.

    Attributes:
        documents: number of documents in the language.
        length: their total length in terms.
        df: int64 (terms of the store,), number of documents with each term.
    """

    documents: int
    length: int
    df: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class StoredLines:
    """Fragments of the documents from which repeated lines are learned.

    Attributes:
        ordinals: int64 (documents,), ascending; forgotten documents are missing.
        blobs: as ``Remembered.lines``.
        sources: source of each.
        times: int64 (documents,), publication, or ``NO_TIME`` of the model.
    """

    ordinals: NDArray[np.int64]
    blobs: list[bytes]
    sources: list[str | None]
    times: NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """The state of a stream.

    Attributes:
        position: position of the store in this state.
        clock: the stream's clock, UTC microseconds since 1970; ``None`` before the first document.
        epoch: the open epoch.
        oldest: smallest ordinal in the window after the last batch.
        terms: all terms, or those that are new since the given position, by number.
        frequencies: sums over all closed epochs, by language; languages without a document are missing.
        repeats: the same sums over documents that repeat earlier ones, in a store that counts them separately.
        withheld: what forgotten documents had added to the open epoch (terms and df only; documents and length are 0).
        withheld_repeats: the part of it added by documents that repeat earlier ones.
        pivot: sums over all closed epochs of the pivot language, under its name; empty if languages are kept separate.
        withheld_pivot: what forgotten documents had added to the open epoch there.
        stories: each group of the window that has a story: its name, the story, the story's earliest ordinal.
        evidence: counts of evidence, those of the closed epochs first; empty if key terms decide.
        lines: fragments of the last documents, or of those that are new since the given position.
        documents: documents of the window and of the open epoch, or those that are new since the given position.
        events: merges, alarms and limits in order, all or those that are new since the given position; the groups of
            `documents` already reflect the merges.
        state: the small values given to `append`.
    """

    position: Position
    clock: int | None
    epoch: int
    oldest: int
    terms: list[str]
    frequencies: Mapping[Language, LanguageFrequencies]
    repeats: Mapping[Language, LanguageFrequencies]
    withheld: tuple[EpochFrequencies, ...]
    withheld_repeats: tuple[EpochFrequencies, ...]
    pivot: Mapping[Language, LanguageFrequencies]
    withheld_pivot: tuple[EpochFrequencies, ...]
    stories: tuple[tuple[str, str, int], ...]
    evidence: tuple[CountedEvidence, ...]
    lines: StoredLines
    documents: RememberedTable
    events: tuple[GroupEvent, ...]
    state: dict[str, Any]


def position_of(connection: sqlite3.Connection) -> Position:
    """Read the position of a store; takes microseconds."""
    return Position(
        *connection.execute(
            "SELECT (SELECT coalesce(max(sequence) + 1, 0) FROM batch),"
            " (SELECT coalesce(max(ordinal) + 1, 0) FROM document),"
            " (SELECT coalesce(max(number) + 1, 0) FROM term),"
            " (SELECT count(*) FROM document WHERE forgotten = 1)"
        ).fetchone()
    )


def load(connection: sqlite3.Connection, *, since: Position | None) -> Loaded:
    """Read the whole state, or what is new since a position, inside one snapshot."""
    position = position_of(connection)
    batches, documents, terms = (since or Position(0, 0, 0, 0))[:3]
    epoch = open_epoch(connection)
    last = connection.execute("SELECT oldest FROM batch ORDER BY sequence DESC LIMIT 1").fetchone()
    clock = connection.execute("SELECT clock FROM document ORDER BY ordinal DESC LIMIT 1").fetchone()
    return Loaded(
        position=position,
        clock=clock[0] if clock else None,
        epoch=epoch,
        oldest=last[0] if last else 0,
        terms=terms_of(connection, first=terms),
        frequencies=summed_frequencies(connection, before=epoch, terms=position.terms),
        repeats=summed_frequencies(connection, before=epoch, terms=position.terms, table="repeat_frequency"),
        withheld=_read_withheld(connection, epoch, "withheld_frequency"),
        withheld_repeats=_read_withheld(connection, epoch, "withheld_repeats"),
        pivot=summed_frequencies(connection, before=epoch, terms=position.terms, table="pivot_frequency"),
        withheld_pivot=_read_withheld(connection, epoch, "withheld_pivot"),
        stories=present_stories(connection),
        evidence=_counted_evidence(connection),
        lines=_stored_lines(connection, max(documents, position.documents - REMEMBERED)),
        documents=table_of(connection, max(documents, first_ordinal_needed(connection)), position.documents),
        events=_events(connection, batches),
        state=state_of(connection),
    )


def _stored_lines(connection: sqlite3.Connection, first: int) -> StoredLines:
    rows = connection.execute(
        "SELECT ordinal, lines, source, published FROM fragments JOIN document USING (ordinal) WHERE ordinal >= ?"
        " ORDER BY ordinal",
        (first,),
    ).fetchall()
    ordinals, blobs, sources, published = map(list, zip(*rows, strict=True)) if rows else ([], [], [], [])
    times = np.array([NO_TIME if time is None else time for time in published], dtype=np.int64)
    return StoredLines(np.array(ordinals, dtype=np.int64), blobs, sources, times)


def open_epoch(connection: sqlite3.Connection) -> int:
    """Return the number of the open epoch."""
    return int(connection.execute("SELECT coalesce(max(epoch) + 1, 0) FROM epoch_frequency").fetchone()[0])


def counts_apart(connection: sqlite3.Connection) -> bool:
    """Whether the store also counts documents that repeat earlier ones separately."""
    rule = connection.execute("SELECT json_extract(settings, '$.df_counts') FROM store").fetchone()[0]
    return rule not in (None, "all")


def first_ordinal_needed(connection: sqlite3.Connection) -> int:
    """Return the smallest ordinal in the window or in the open epoch."""
    return min(window_start(connection), first_ordinal(connection, "epoch", open_epoch(connection)))


def first_ordinal(connection: sqlite3.Connection, column: Literal["epoch", "clock"], least: int) -> int:
    """Return the smallest ordinal with a value of at least `least`, or the next ordinal if no document has one.

    Epochs and the stream's clock never decrease from one ordinal to the next, so bisection finds it without an index.
    """
    query = f"SELECT {column} FROM document WHERE ordinal = ?"  # noqa: S608
    low, high = 0, position_of(connection).documents
    while low < high:
        middle = (low + high) // 2
        value = connection.execute(query, (middle,)).fetchone()[0]
        low, high = (low, middle) if value >= least else (middle + 1, high)
    return low


def terms_of(connection: sqlite3.Connection, *, first: int = 0) -> list[str]:
    """Return the terms by number, starting at `first`."""
    rows = connection.execute("SELECT term FROM term WHERE number >= ? ORDER BY number", (first,))
    return [row[0] for row in rows]


def summed_frequencies(
    connection: sqlite3.Connection,
    *,
    before: int,
    terms: int,
    table: Literal["epoch_frequency", "repeat_frequency", "pivot_frequency"] = "epoch_frequency",
) -> dict[Language, LanguageFrequencies]:
    """Sum document frequencies over all epochs before one."""
    df: dict[Language, NDArray[np.int64]] = {}
    totals: dict[Language, tuple[int, int]] = {}
    rows = connection.execute(
        f"SELECT language, documents, length, terms, df FROM {table} WHERE epoch < ? ORDER BY epoch, language",  # noqa: S608
        (before,),
    )
    for language, documents, length, numbers, counts in rows:
        total = df.setdefault(language, np.zeros(terms, dtype=np.int64))
        total[numbers_of(numbers, INT32)] += np.frombuffer(counts, dtype=INT32)
        known = totals.get(language, (0, 0))
        totals[language] = known[0] + documents, known[1] + length
    return {language: LanguageFrequencies(*totals[language], df[language]) for language in sorted(df)}


def _read_withheld(connection: sqlite3.Connection, epoch: int, table: str) -> tuple[EpochFrequencies, ...]:
    rows = connection.execute(
        f"SELECT epoch, language, terms, df FROM {table} WHERE epoch >= ? ORDER BY epoch, language",  # noqa: S608
        (epoch,),
    )
    return tuple(
        EpochFrequencies(number, language, 0, 0, numbers_of(terms, INT32), numbers_of(df, INT32))
        for number, language, terms, df in rows
    )


def _counted_evidence(connection: sqlite3.Connection) -> tuple[CountedEvidence, ...]:
    rows = connection.execute("SELECT epoch, part, counts FROM evidence_frequency ORDER BY epoch, part")
    return tuple(CountedEvidence(epoch, closed=part == 0, counts=counts) for epoch, part, counts in rows)


def closed_evidence(connection: sqlite3.Connection) -> tuple[CountedEvidence, ...]:
    """Return the counts of evidence of the closed epochs, summed; empty before the first has closed."""
    rows = connection.execute("SELECT epoch, counts FROM evidence_frequency WHERE part = 0")
    return tuple(CountedEvidence(epoch, closed=True, counts=counts) for epoch, counts in rows)


def clock_of(connection: sqlite3.Connection, ordinal: int) -> int:
    """Return the stream's clock at a document, UTC microseconds since 1970."""
    return int(connection.execute("SELECT clock FROM document WHERE ordinal = ?", (ordinal,)).fetchone()[0])


def window_start(connection: sqlite3.Connection) -> int:
    """Return the smallest ordinal in the window."""
    last = connection.execute("SELECT oldest FROM batch ORDER BY sequence DESC LIMIT 1").fetchone()
    return int(last[0]) if last else 0


def _events(connection: sqlite3.Connection, first_batch: int) -> tuple[GroupEvent, ...]:
    rows = connection.execute(
        "SELECT ordinal, kind, group_id, other, value FROM event WHERE batch >= ? AND kind <> 'expiry' ORDER BY number",
        (first_batch,),
    )
    return tuple(GroupEvent(*row) for row in rows)
