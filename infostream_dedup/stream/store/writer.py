"""Writing one batch into the tables of a store, inside a transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Final

import numpy as np

from infostream_dedup.model.stream_records import Batch, CountedEvidence, Remembered, Verdict
from infostream_dedup.stream.store.batch_rows import (
    COUNT_COLUMNS,
    DOCUMENT_COLUMNS,
    EPOCH_COLUMNS,
    EVENT_COLUMNS,
    EVIDENCE_COLUMNS,
    JUDGEMENT_COLUMNS,
    PIVOT_COLUMNS,
    SIGNATURE_COLUMNS,
    STORY_COLUMNS,
    WORDING_COLUMNS,
    BatchContent,
    BatchHead,
    Row,
    batch_checksum,
    body_rows,
    count_checksum,
    document_rows,
    epoch_rows,
    event_rows,
    evidence_rows,
    insertion,
    judgement_rows,
    pivot_rows,
    signature_hash,
    signature_rows,
    story_rows,
    wording_rows,
)
from infostream_dedup.stream.store.blobs import INT64
from infostream_dedup.stream.store.group_tables import group_documents
from infostream_dedup.stream.store.restoring import Position
from infostream_dedup.stream.store.search_index import index_closed_epochs
from infostream_dedup.stream.store.story_tables import tell_stories
from infostream_dedup.stream.store.term_index import index_terms

__all__ = ["write_batch"]

_BATCH: Final = insertion("batch", (*BatchHead._fields, "checksum"))
_TERM: Final = insertion("term", ("number", "term"))
_DOCUMENT: Final = insertion("document", ("batch", *DOCUMENT_COLUMNS))
_JUDGEMENT: Final = insertion("judgement", JUDGEMENT_COLUMNS)
_EVENT: Final = insertion("event", ("batch", *EVENT_COLUMNS))
_EPOCH: Final = insertion("epoch_frequency", ("batch", *EPOCH_COLUMNS))
_REPEATS: Final = insertion("repeat_frequency", ("batch", *EPOCH_COLUMNS))
_PIVOT_EPOCH: Final = insertion("pivot_frequency", ("batch", *EPOCH_COLUMNS))
_STORY: Final = insertion("story_event", ("batch", *STORY_COLUMNS))
_SIGNATURE: Final = insertion("signature", SIGNATURE_COLUMNS)
_BODY: Final = insertion("body", ("ordinal", "packed"))
_EVIDENCE: Final = insertion("evidence", EVIDENCE_COLUMNS)
_WORDING: Final = insertion("wording", WORDING_COLUMNS)
_PIVOT: Final = insertion("pivot", PIVOT_COLUMNS)
_COUNT: Final = insertion("evidence_frequency", COUNT_COLUMNS)


def write_batch(connection: sqlite3.Connection, position: Position, batch: Batch) -> Position:
    """Write everything in a batch except its state.

    Args:
        connection: inside a transaction.
        position: the store's position before the batch.
        batch: what to write.

    Returns:
        The store's position after the batch.

    Raises:
        ValueError: the parts of the batch do not belong together.
    """
    decided = batch.decided
    remembered, verdicts, new_terms = decided.remembered, decided.verdicts, list(decided.new_terms)
    _check(position, remembered, verdicts, len(new_terms))
    signatures, bodies = signature_rows(remembered), body_rows(remembered)
    evidence, wording, pivot = evidence_rows(remembered), wording_rows(remembered), pivot_rows(remembered)
    content = BatchContent(
        head=_head(position, batch),
        documents=document_rows(remembered, verdicts, _checksums(signatures, bodies, evidence, wording, pivot)),
        terms=new_terms,
        events=event_rows(decided.events, _next_number(connection, "event") if decided.events else 0),
        epochs=sorted(epoch_rows(decided.closed)),
        judgements=judgement_rows(remembered, verdicts),
        repeats=sorted(epoch_rows(decided.repeated)),
        pivot=sorted(epoch_rows(decided.pivot)),
        stories=story_rows(decided.stories, _next_number(connection, "story_event") if decided.stories else 0),
    )
    _insert(connection, content)
    _run(connection, _SIGNATURE, signatures)
    _run(connection, _BODY, bodies)
    _run(connection, _EVIDENCE, evidence)
    _run(connection, _WORDING, wording)
    _run(connection, _PIVOT, pivot)
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
    )


def _checksums(
    signatures: list[Row], bodies: list[Row], evidence: list[Row], wording: list[Row], pivot: list[Row]
) -> list[bytes]:
    packed: dict[int, bytes] = dict(bodies)
    kept = {row[0]: (*row[1:], triples) for row, (_, triples) in zip(evidence, wording, strict=True)}
    across = {row[0]: row[1:] for row in pivot}
    return [
        signature_hash(row, packed.get(row[0]), *kept.get(row[0], ()), *across.get(row[0], ())) for row in signatures
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


def _insert(connection: sqlite3.Connection, content: BatchContent) -> None:
    head, documents, terms, events, epochs, judgements, repeats, pivot, stories = content
    batch = head.sequence
    _run(connection, _BATCH, [(*head, batch_checksum(content))])
    _run(connection, _TERM, list(enumerate(terms, start=head.first_term)))
    _run(connection, _DOCUMENT, [(batch, *row) for row in documents])
    _run(connection, _JUDGEMENT, judgements)
    _run(connection, _EVENT, [(batch, *row) for row in events])
    _run(connection, _EPOCH, [(batch, *row) for row in epochs])
    _run(connection, _REPEATS, [(batch, *row) for row in repeats])
    _run(connection, _PIVOT_EPOCH, [(batch, *row) for row in pivot])
    _run(connection, _STORY, [(batch, *row) for row in stories])
    _run(connection, "DELETE FROM withheld_pivot WHERE epoch = ?", [row[:1] for row in pivot])
    _run(connection, "DELETE FROM withheld_frequency WHERE epoch = ?", [row[:1] for row in epochs])
    _run(connection, "DELETE FROM withheld_repeats WHERE epoch = ?", [row[:1] for row in epochs])


def _run(connection: sqlite3.Connection, statement: str, rows: Sequence[Row]) -> None:
    # Most batches have nothing for most tables, and even a statement without rows takes as long as inserting one.
    if rows:
        connection.executemany(statement, rows)


def _next_number(connection: sqlite3.Connection, table: str) -> int:
    query = f"SELECT coalesce(max(number) + 1, 0) FROM {table}"  # noqa: S608
    return int(connection.execute(query).fetchone()[0])


def _check(position: Position, remembered: Sequence[Remembered], verdicts: Sequence[Verdict], new_terms: int) -> None:
    if len(remembered) != len(verdicts):
        raise ValueError(f"{len(verdicts)} verdicts for {len(remembered)} documents")
    terms = position.terms + new_terms
    for ordinal, (one, verdict) in enumerate(zip(remembered, verdicts, strict=True), start=position.documents):
        if one.ordinal != ordinal or one.id != verdict.id:
            raise ValueError(f"document {one.id!r} has ordinal {one.ordinal} and the verdict of {verdict.id!r}")
        if len(one.targets) and one.targets[-1] >= terms:
            raise ValueError(f"document {one.id!r} has term {one.targets[-1]}; the store knows {terms}")
