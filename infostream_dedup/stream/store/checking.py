"""Verification of a store: checksums, counts and references."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, groupby
from typing import Final

import numpy as np

from infostream_dedup.errors import BadDataError
from infostream_dedup.machine.arrays import INT32, INT64, numbers_of
from infostream_dedup.stream.store.document_columns import REPEATS
from infostream_dedup.stream.store.opening import settings_are_as_written
from infostream_dedup.stream.store.restoring import counts_apart, open_epoch, told_again
from infostream_dedup.stream.store.search_index import index_faults, term_index_faults
from infostream_dedup.stream.store.tables import PARTS, Row, part_checksum, signature_hashes, stored_checksum

_MEMBERS: Final = (
    "SELECT ordinal, group_id, source, language FROM membership WHERE group_id IN (SELECT group_id FROM grouping)"
)
_SEVERAL: Final = (
    "SELECT ordinal, v_members.group_id, source, language FROM v_members JOIN document USING (ordinal)"
    " WHERE v_members.group_id IN (SELECT group_id FROM v_members GROUP BY group_id HAVING count(*) > 1)"
)
_DATED: Final = (
    "SELECT v_members.group_id, min(coalesce(published, nullif(clock, 0))), max(coalesce(published, nullif(clock, 0)))"
    " FROM v_members JOIN document USING (ordinal) GROUP BY v_members.group_id HAVING count(*) > 1"
)
_VIEWED: Final = "SELECT group_id, documents, sources, languages, ordinal, alarm FROM v_groups"


@dataclass(frozen=True, slots=True)
class Check:
    """Result of one check of `store verify`."""

    check: str  # its name
    checked: int  # number of items checked
    faults: int  # number of faulty items
    first: str | None  # description of the first fault; `None` if there is no fault


def checks(connection: sqlite3.Connection) -> Iterator[Check]:
    """Run all checks in turn; a check that damage prevents reports this as its fault."""
    for name, faults_of in _CHECKS:
        checked, faults, first = 0, 0, None
        try:
            for fault in faults_of(connection):
                checked += 1
                if fault is not None:
                    faults += 1
                    first = first or fault
        except _UNREADABLE as error:
            faults += 1
            first = first or f"cannot be read: {error}"
        yield Check(name, checked, faults, first)


Faults = Iterator[str | None]

_UNREADABLE: Final = (sqlite3.DatabaseError, ValueError, TypeError, BadDataError)
"""Errors that damage causes: a damaged file yields values of types that were never written."""


def _pages(connection: sqlite3.Connection) -> Faults:
    for (message,) in connection.execute("PRAGMA integrity_check"):
        yield None if message == "ok" else message


def _references(connection: sqlite3.Connection) -> Faults:
    tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
    broken = connection.execute("PRAGMA foreign_key_check").fetchall()
    for table in tables:
        rows = [row for row in broken if row[0] == table]
        yield f"row {rows[0][1]} of {table} refers to a missing row of {rows[0][2]}" if rows else None


def _order(connection: sqlite3.Connection) -> Faults:
    """Check that batches, ordinals and terms are numbered without gaps."""
    documents = terms = 0
    rows = connection.execute(
        "SELECT sequence, first_ordinal, documents, first_term, terms FROM batch ORDER BY sequence"
    )
    for expected, (sequence, first, count, first_term, new_terms) in enumerate(rows):
        right = (sequence, first, first_term) == (expected, documents, terms)
        yield None if right else f"batch {sequence} does not continue where the previous one ends"
        documents, terms = first + count, first_term + new_terms
    (apart,) = connection.execute(
        "SELECT count(*) FROM document LEFT JOIN batch ON sequence = batch"
        " WHERE (ordinal BETWEEN first_ordinal AND first_ordinal + batch.documents - 1) IS NOT 1"
    ).fetchone()
    yield f"{apart} documents name a batch other than their own" if apart else None
    for table, column, expected in (("document", "ordinal", documents), ("term", "number", terms)):
        found = connection.execute(f"SELECT count(*), coalesce(max({column}) + 1, 0) FROM {table}").fetchone()  # noqa: S608
        right = found == (expected, expected)
        yield None if right else f"{table}: {found[0]} rows up to {found[1]}, {expected} expected"
    # Not by SQL, which would sort all terms in a temporary file.
    times = Counter(row[0] for row in connection.execute("SELECT term FROM term"))
    twice = [term for term, number in times.items() if number > 1]
    yield f"term {twice[0]!r} and {len(twice) - 1} others have several numbers" if twice else None


def _batches(connection: sqlite3.Connection) -> Faults:
    for sequence, batch_id, checksum in connection.execute("SELECT sequence, batch_id, checksum FROM batch").fetchall():
        same = stored_checksum(connection, sequence) == checksum
        yield None if same else f"batch {batch_id!r} does not match its checksum"


def _settings(connection: sqlite3.Connection) -> Faults:
    yield None if settings_are_as_written(connection) else "settings or state do not match their checksum"


def _signatures(connection: sqlite3.Connection) -> Faults:
    below = connection.execute("SELECT expired_below FROM store").fetchone()[0]
    terms = connection.execute("SELECT count(*) FROM term").fetchone()[0]
    columns = [[f"{table.name}.{name}" for name in list(table.columns)[1:]] for table, _ in PARTS]
    joins = " ".join(f"LEFT JOIN {one.name} ON {one.name}.ordinal = document.ordinal" for one, _ in PARTS)
    rows = connection.execute(
        f"SELECT document.ordinal, document.id, forgotten, signature_hash, {', '.join(chain(*columns))}"  # noqa: S608
        f" FROM document {joins} ORDER BY document.ordinal"
    )
    keys, targets = columns[0].index("signature.keys"), columns[0].index("signature.targets")
    for ordinal, id_, forgotten, checksum, *kept in rows:
        gone = bool(forgotten) or ordinal < below
        if kept[0] is None:
            # Its lines, the last part, expire later.
            left = any(part is not None for part in (kept if forgotten else kept[:-1]))
            yield None if gone and not left else f"the signature of document {id_!r} is missing"
        elif signature_hashes([ordinal], [[value] for value in kept]) != [checksum]:
            yield f"the signature of document {id_!r} does not match its checksum"
        else:
            known = all(max(numbers_of(kept[place], INT32), default=-1) < terms for place in (keys, targets))
            yield None if known else f"document {id_!r} has a term the store does not know"


def _counts_of_evidence(connection: sqlite3.Connection) -> Faults:
    for epoch, part, counts, checksum in connection.execute(
        "SELECT epoch, part, counts, checksum FROM evidence_frequency"
    ):
        same = part_checksum(counts, epoch) == checksum
        yield None if same else f"part {part} of the counts of evidence of epoch {epoch} does not match its checksum"


def _answers(connection: sqlite3.Connection) -> Faults:
    rows = connection.execute("SELECT batch_id, first_ordinal + documents, answers FROM batch ORDER BY sequence")
    for batch_id, end, answers in rows:
        ordinals = numbers_of(answers, INT64) if answers is not None else np.zeros(0, dtype=np.int64)
        right = not ordinals.size or 0 <= ordinals.min() <= ordinals.max() < end
        yield None if right else f"batch {batch_id!r} answers with a later document"


def _names(connection: sqlite3.Connection) -> Faults:
    """Check that documents that others repeat, or after which groups are named, are in the store."""
    documents = connection.execute("SELECT count(*) FROM document").fetchone()[0]
    for column in ("of_id", "group_id"):
        missing = connection.execute(
            f"SELECT count(*), min(id) FROM document WHERE {column} IS NOT NULL AND {column} <> id"  # noqa: S608
            f" AND NOT EXISTS (SELECT 1 FROM document AS other WHERE other.id = document.{column})"
        ).fetchone()
        fault = f"{column} of document {{!r}} and {{}} others is not a document"
        yield fault.format(missing[1], missing[0] - 1) if missing[0] else None
    yield from (None for _ in range(documents - 2))


def _groups(connection: sqlite3.Connection) -> Faults:
    """Compare the tables of current groups with the views, which follow all merges."""
    for table, view in (
        (_MEMBERS, _SEVERAL),
        ("SELECT group_id, documents, sources, languages, earliest, alarm FROM grouping", _VIEWED),
        ("SELECT group_id, first, last FROM grouping", _DATED),
    ):
        known, right = set(connection.execute(table)), set(connection.execute(view))
        differing = sorted(known ^ right, key=str)
        yield from (None for _ in known & right)
        yield from (f"the tables of groups differ from the verdicts: {one[0]!r}, {one[1]!r}" for one in differing)


def _index(connection: sqlite3.Connection) -> Faults:
    for row, fault in index_faults(connection):
        yield fault and f"the index of documents {row.first} to {row.end - 1} {fault}; 'store index' rebuilds it"
    for first, fault in term_index_faults(connection):
        yield fault and f"the index of terms from number {first} {fault}; 'store index' rebuilds it"


def _stories(connection: sqlite3.Connection) -> Faults:
    for story, begun in connection.execute("SELECT story_id, begun FROM story ORDER BY story_id").fetchall():
        named = connection.execute("SELECT 1 FROM document WHERE ordinal = ? AND id = ?", (begun, story)).fetchone()
        has_group = connection.execute("SELECT count(*) FROM telling WHERE story_id = ?", (story,)).fetchone()[0]
        yield None if named and has_group else f"story {story!r} is named after no document, or has no group"
    known = set(connection.execute("SELECT group_id, story_id, alive FROM telling"))
    differing = sorted(known ^ told_again(connection), key=str)
    yield from (f"the stories of groups differ from the events: {one[0]!r}, {one[1]!r}" for one in differing)


def _epochs(connection: sqlite3.Connection) -> Faults:
    """Recount documents, lengths and, as long as all signatures exist, document frequencies."""
    closed = open_epoch(connection) - 1
    yield from _recounted(connection, closed, "epoch_frequency", "1")
    for fault in _recounted(connection, closed, "repeat_frequency", REPEATS if counts_apart(connection) else "0"):
        yield fault and f"{fault} (of documents that repeat earlier ones)"
    yield from _pivot_epochs(connection, closed)


def _pivot_epochs(connection: sqlite3.Connection, closed: int) -> Faults:
    """Recount the pivot-language terms of the documents of closed epochs."""
    for epoch, *noted in connection.execute(
        "SELECT epoch, documents, length, terms, df FROM pivot_frequency ORDER BY epoch"
    ).fetchall():
        rows = connection.execute(
            "SELECT length, canonical FROM document LEFT JOIN pivot USING (ordinal) WHERE epoch = ? ORDER BY ordinal",
            (epoch,),
        ).fetchall()
        fault = _recount(rows, tuple(noted)) if epoch <= closed else "it is not closed"
        yield fault and f"epoch {epoch}, pivot language: {fault}"


def _recounted(connection: sqlite3.Connection, closed: int, table: str, counted: str) -> Faults:
    """Recount one table of frequencies over the documents of closed epochs that an expression of SQL selects."""
    noted = {
        (row[0], row[1]): row[2:]
        for row in connection.execute(f"SELECT epoch, language, documents, length, terms, df FROM {table}")  # noqa: S608
    }
    rows = connection.execute(
        "SELECT epoch, language, length, targets FROM document"  # noqa: S608 - our own constant
        " LEFT JOIN signature ON signature.ordinal = document.ordinal"
        f" WHERE {counted} ORDER BY document.ordinal"
    )
    for epoch, members in groupby(rows, key=lambda row: row[0]):
        if epoch > closed:
            break
        languages: dict[str, list[Row]] = {}
        for _, language, *values in members:
            languages.setdefault(language, []).append(tuple(values))
        for language, values in sorted(languages.items()):
            fault = _recount(values, noted.pop((epoch, language), (0, 0, b"", b"")))
            yield fault and f"epoch {epoch}, language {language}: {fault}"
    for epoch, language in noted:
        yield f"epoch {epoch}, language {language}: it has no documents"


def _recount(documents: Sequence[Row], noted: Row) -> str | None:
    counted = len(documents), sum(length for length, _ in documents)
    if counted != noted[:2]:
        return f"{noted[0]} documents of {noted[1]} terms noted, {counted[0]} of {counted[1]} counted"
    if any(targets is None for _, targets in documents):
        return None
    terms, df = np.unique(np.frombuffer(b"".join(targets for _, targets in documents), dtype=INT32), return_counts=True)
    same = np.array_equal(terms, numbers_of(noted[2], INT32)) and np.array_equal(df, numbers_of(noted[3], INT32))
    return None if same else "document frequencies differ from a recount"


_CHECKS: Final[tuple[tuple[str, Callable[[sqlite3.Connection], Faults]], ...]] = (
    ("pages", _pages), ("references", _references), ("numbering", _order), ("settings", _settings),
    ("batches", _batches), ("signatures", _signatures), ("evidence", _counts_of_evidence), ("answers", _answers),
    ("names", _names), ("epochs", _epochs), ("groups", _groups), ("stories", _stories), ("index", _index),
)  # fmt: skip
