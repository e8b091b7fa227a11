"""Removal of documents: of those that no later verdict needs, and of content on request."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from infostream_dedup.errors import BadDataError
from infostream_dedup.judging.repeated.lines import REMEMBERED
from infostream_dedup.machine.arrays import INT32, blobs_of, numbers_of
from infostream_dedup.stream.store.connection import naming_failures, place_of, snapshot
from infostream_dedup.stream.store.document_columns import REPEATS
from infostream_dedup.stream.store.opening import write_settings_checksum, writing_rows
from infostream_dedup.stream.store.restoring import counts_apart, first_ordinal_needed, open_epoch
from infostream_dedup.stream.store.search_index import rebuild_index
from infostream_dedup.stream.store.tables import FRAGMENTS, IN_BATCH, PARTS, SIGNATURE, stored_checksum

# Deletion of data that no later verdict needs

_ORDINALS_AT_ONCE: Final = 20_000


@dataclass(frozen=True, slots=True)
class Expired:
    """Result of `expire`."""

    documents: int  # number of signatures deleted by this call
    below: int  # all signatures with smaller ordinals have been deleted
    freed: int  # bytes returned to the disk


def expire(connection: sqlite3.Connection, path: Path) -> Expired:
    """Delete signatures, evidence and texts of documents in neither the window nor the open epoch.

    Their index entries are deleted too. Verdicts, ids, titles, groups, events, frequencies and the lines of the latest
    are kept, so no verdict changes; only a sweep over the past and a search in it need the signatures. The work is
    divided into short transactions, so that writers need not wait long.
    """
    with snapshot(connection, path):
        below = first_ordinal_needed(connection)
        first = connection.execute("SELECT expired_below FROM store").fetchone()[0]
        pages = _pages(connection)
    deleted = 0
    for begin in range(first, below, _ORDINALS_AT_ONCE):
        end = min(begin + _ORDINALS_AT_ONCE, below)
        with writing_rows(connection, path):
            for table, _ in PARTS:
                # Repeated lines are learned from the last documents, whether they are in the window or not.
                later = REMEMBERED if table is FRAGMENTS else 0
                query = f"DELETE FROM {table.name} WHERE ordinal >= ? AND ordinal < ?"  # noqa: S608 - our own table
                gone = connection.execute(query, (begin - later, end - later)).rowcount
                deleted += gone if table is SIGNATURE else 0
            connection.execute("DELETE FROM search_index WHERE first + documents <= ?", (end,))
            rebuild_index(connection, [end - 1])
            connection.execute("UPDATE store SET expired_below = max(expired_below, ?)", (end,))
            write_settings_checksum(connection)
    with naming_failures(path):
        # The pragma frees one page a step and returns no columns; `execute` makes one step only, `executescript` all.
        connection.executescript("PRAGMA incremental_vacuum")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        place_of(connection).note()
        size = connection.execute("PRAGMA page_size").fetchone()[0]
        return Expired(deleted, max(first, below), max(0, pages - _pages(connection)) * size)


def _pages(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA page_count").fetchone()[0])


# Removal of documents' content on request, as data protection law may require

_PIVOT: Final = "ru"  # language under which the frequencies of the pivot language are kept


@dataclass(frozen=True, slots=True)
class Forgotten:
    """Result of `forget`."""

    id: str  # the document
    versions: int  # number of versions whose content this call removed; those forgotten earlier do not count


def forget(connection: sqlite3.Connection, path: Path, ids: Iterable[str]) -> list[Forgotten]:
    """Remove the content of all versions of documents, in one transaction.

    That is title, address, text, signature, evidence, terms of the pivot language, its entries in the index of closed
    epochs, checksums of the text, and the verdict's terms, criteria and words that match across languages. Queries no
    longer find them; `wipe` removes them from the bytes of the file.
    """
    forgotten, ordinals, batches = [], [], set()
    with writing_rows(connection, path):
        for id in ids:  # noqa: A001
            removed = _forget_versions(connection, path, id)
            forgotten.append(Forgotten(id, len(removed)))
            ordinals += [ordinal for ordinal, _ in removed]
            batches |= {batch for _, batch in removed}
        for batch in sorted(batches):
            checksum = stored_checksum(connection, batch)
            connection.execute("UPDATE batch SET checksum = ? WHERE sequence = ?", (checksum, batch))
        rebuild_index(connection, ordinals)
        write_settings_checksum(connection)
    return forgotten


def _forget_versions(connection: sqlite3.Connection, path: Path, id: str) -> list[tuple[int, int]]:  # noqa: A002
    rows = connection.execute(
        f"SELECT ordinal, batch, epoch, language, forgotten, {REPEATS} FROM document WHERE id = ?",  # noqa: S608
        (id,),
    ).fetchall()
    if not rows:
        raise BadDataError(f"the store has no document {id!r}", code="E_ID_UNKNOWN", source=str(path))
    epoch, apart = open_epoch(connection), counts_apart(connection)
    fresh = [row for row in rows if not row[4]]
    for ordinal, _, document_epoch, language, _, repeats in fresh:
        if document_epoch >= epoch:
            _withhold(connection, "withheld_frequency", ordinal, document_epoch, language)
            if apart and repeats:
                _withhold(connection, "withheld_repeats", ordinal, document_epoch, language)
            _withhold_pivot(connection, ordinal, document_epoch)
        for table in (*(table for table, _ in PARTS), *IN_BATCH):
            table.forget(connection, ordinal)
    return [(ordinal, batch) for ordinal, batch, *_ in fresh]


def wipe(connection: sqlite3.Connection, path: Path) -> bool:
    """Rewrite the whole file without remnants of deleted data, and empty the log.

    This takes some seconds per gigabyte, and needs as much free disk space again. Others can still read; writers wait.
    """
    with naming_failures(path):
        connection.execute("VACUUM")
        is_busy = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        place_of(connection).note()
        return not is_busy


def _withhold(connection: sqlite3.Connection, table: str, ordinal: int, epoch: int, language: str) -> None:
    """Keep the document's share in frequencies that are still being counted."""
    row = connection.execute("SELECT targets FROM signature WHERE ordinal = ?", (ordinal,)).fetchone()
    _add_withheld(connection, table, row[0], epoch, language)


def _withhold_pivot(connection: sqlite3.Connection, ordinal: int, epoch: int) -> None:
    row = connection.execute("SELECT canonical FROM pivot WHERE ordinal = ?", (ordinal,)).fetchone()
    if row is not None:
        _add_withheld(connection, "withheld_pivot", row[0], epoch, _PIVOT)


def _add_withheld(connection: sqlite3.Connection, table: str, counted: bytes, epoch: int, language: str) -> None:
    known = connection.execute(
        f"SELECT terms, df FROM {table} WHERE epoch = ? AND language = ?",  # noqa: S608 - our own table
        (epoch, language),
    ).fetchone()
    terms = numbers_of(counted, INT32)
    counts = np.ones(len(terms), dtype=np.int64)
    if known is not None:
        terms = np.concatenate((terms, numbers_of(known[0], INT32)))
        counts = np.concatenate((counts, numbers_of(known[1], INT32)))
    terms, places = np.unique(terms, return_inverse=True)
    df = np.bincount(places, weights=counts, minlength=len(terms)).astype(np.int64)
    connection.execute(
        f"REPLACE INTO {table} (epoch, language, terms, df) VALUES (?, ?, ?, ?)",  # noqa: S608 - our own table
        (epoch, language, *blobs_of([terms, df], INT32)),
    )
