"""Writing one batch into the tables of a store, inside a transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from itertools import count
from operator import attrgetter
from typing import Any, Final

import numpy as np

from infostream_dedup.model.stream_records import (
    Batch,
    CountedEvidence,
    Decided,
    GroupEvent,
    Remembered,
    StoryEvent,
    Verdict,
)
from infostream_dedup.stream.store.blobs import INT64
from infostream_dedup.stream.store.group_tables import group_documents, tell_stories
from infostream_dedup.stream.store.restoring import Position
from infostream_dedup.stream.store.search_index import index_closed_epochs
from infostream_dedup.stream.store.tables import (
    DOCUMENT,
    EPOCH,
    EVENT,
    IN_BATCH,
    JUDGEMENT,
    PARTS,
    PIVOT_EPOCH,
    REPEATS,
    STORY_EVENT,
    BatchHead,
    NumberedRow,
    Row,
    Table,
    TableEntry,
    batch_checksum,
    count_checksum,
    insertion,
    signature_hash,
)
from infostream_dedup.stream.store.term_index import index_terms

_BATCH: Final = insertion("batch", (*BatchHead._fields, "checksum"))
_TERM: Final = insertion("term", ("number", "term"))
_COUNT: Final = insertion("evidence_frequency", ("epoch", "part", "counts", "checksum"))


def write_batch(connection: sqlite3.Connection, position: Position, batch: Batch) -> Position:
    """Write everything in a batch except its state."""
    decided = batch.decided
    remembered, verdicts, new_terms = decided.remembered, decided.verdicts, list(decided.new_terms)
    _check(position, remembered, verdicts, len(new_terms))
    head = _head(position, batch)
    parts = [table.rows_of([one for one in remembered if getattr(one, needed) is not None]) for table, needed in PARTS]
    entries = list(map(TableEntry, remembered, verdicts, _checksums(remembered, parts)))
    rows = [table.rows_of(items) for table, items in _items(connection, decided, entries)]
    _run(connection, _BATCH, [(*head, batch_checksum(head, new_terms, rows))])
    _run(connection, _TERM, list(enumerate(new_terms, start=head.first_term)))
    for table, inserted in zip((*IN_BATCH, *(table for table, _ in PARTS)), (*rows, *parts), strict=True):
        table.insert(connection, inserted, head.sequence)
    _run(connection, "DELETE FROM withheld_pivot WHERE epoch = ?", [(one.epoch,) for one in decided.pivot])
    for withheld in ("withheld_frequency", "withheld_repeats"):
        _run(connection, f"DELETE FROM {withheld} WHERE epoch = ?", [(one.epoch,) for one in decided.closed])  # noqa: S608
    if decided.evidence:
        _count_evidence(connection, decided.evidence)
    group_documents(connection, remembered, verdicts, decided.events)
    tell_stories(connection, decided.events, decided.stories)
    if decided.closed:
        index_closed_epochs(connection)
    terms = position.terms + len(new_terms)
    index_terms(connection, terms)
    return Position(
        position.batches + 1,
        position.documents + len(remembered),
        terms,
        position.forgotten,
        position.restored,
    )


def _items(
    connection: sqlite3.Connection, decided: Decided, entries: Sequence[TableEntry]
) -> list[tuple[Table, Sequence[Any]]]:
    """What each table of `IN_BATCH` makes rows of, in the order in which `Table.stored` reads them back."""
    closed, repeated, pivot = (
        sorted(one, key=attrgetter("epoch", "language")) for one in (decided.closed, decided.repeated, decided.pivot)
    )
    of = {
        DOCUMENT.name: entries,
        JUDGEMENT.name: [
            one for one in entries if one.verdict.probability is not None and one.verdict.criteria is not None
        ],
        EVENT.name: _numbered(connection, EVENT, decided.events),
        EPOCH.name: closed,
        REPEATS.name: repeated,
        PIVOT_EPOCH.name: pivot,
        STORY_EVENT.name: _numbered(connection, STORY_EVENT, decided.stories),
    }
    return [(table, of[table.name]) for table in IN_BATCH]


def _numbered(
    connection: sqlite3.Connection, table: Table, events: Sequence[GroupEvent] | Sequence[StoryEvent]
) -> list[NumberedRow]:
    if not events:
        return []
    query = f"SELECT coalesce(max(number) + 1, 0) FROM {table.name}"  # noqa: S608
    return list(map(NumberedRow, count(connection.execute(query).fetchone()[0]), events))


def _checksums(remembered: Sequence[Remembered], parts: Sequence[Sequence[Row]]) -> list[bytes]:
    kept = [{row[0]: row[1:] for row in rows} for rows in parts]
    missing = [(None,) * (len(table.columns) - 1) for table, _ in PARTS]
    return [
        signature_hash(one.ordinal, [rows.get(one.ordinal, none) for rows, none in zip(kept, missing, strict=True)])
        for one in remembered
    ]


def _count_evidence(connection: sqlite3.Connection, counted: Sequence[CountedEvidence]) -> None:
    last = connection.execute("SELECT part FROM evidence_frequency ORDER BY epoch DESC, part DESC LIMIT 1").fetchone()
    part = last[0] if last else 0
    for one in counted:
        if one.closed:
            connection.execute("DELETE FROM evidence_frequency")
        part = 0 if one.closed else part + 1
        row = (one.epoch, part, one.counts, count_checksum(one.epoch, one.counts))
        connection.execute(_COUNT, row)


def _head(position: Position, batch: Batch) -> BatchHead:
    return BatchHead(
        sequence=position.batches,
        batch_id=batch.id,
        content_hash=batch.hash,
        first_ordinal=position.documents,
        documents=len(batch.decided.remembered),
        answers=None if batch.answers is None else np.array(batch.answers, dtype=INT64).tobytes(),
        first_term=position.terms,
        terms=len(batch.decided.new_terms),
        oldest=batch.decided.oldest,
    )


def _run(connection: sqlite3.Connection, statement: str, rows: Sequence[Row]) -> None:
    # Most batches have nothing for most tables, and even a statement without rows takes as long as inserting one.
    if rows:
        connection.executemany(statement, rows)


def _check(position: Position, remembered: Sequence[Remembered], verdicts: Sequence[Verdict], new_terms: int) -> None:
    if len(remembered) != len(verdicts):
        raise ValueError(f"{len(verdicts)} verdicts for {len(remembered)} documents")
    terms = position.terms + new_terms
    for ordinal, (one, verdict) in enumerate(zip(remembered, verdicts, strict=True), start=position.documents):
        if one.ordinal != ordinal or one.id != verdict.id:
            raise ValueError(f"document {one.id!r} has ordinal {one.ordinal} and the verdict of {verdict.id!r}")
        if len(one.targets) and one.targets[-1] >= terms:
            raise ValueError(f"document {one.id!r} has term {one.targets[-1]}; the store knows {terms}")
