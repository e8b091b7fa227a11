"""Removal of documents' content on request, as data protection law may require."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from infostream_dedup.errors import BadDataError
from infostream_dedup.stream.store.blobs import INT32, blobs_of, numbers_of
from infostream_dedup.stream.store.connection import naming_failures
from infostream_dedup.stream.store.document_columns import REPEATS
from infostream_dedup.stream.store.restoring import counts_apart, open_epoch
from infostream_dedup.stream.store.schema import writing_rows
from infostream_dedup.stream.store.search_index import rebuild_index
from infostream_dedup.stream.store.settings_checksum import write_settings_checksum
from infostream_dedup.stream.store.tables import IN_BATCH, PARTS, stored_checksum

_PIVOT: Final = "ru"
"""Language under which the frequencies of the pivot language are kept."""


@dataclass(frozen=True, slots=True)
class Forgotten:
    """Result of `forget`.

    Attributes:
        id: the document.
        versions: number of versions whose content this call removed; those forgotten earlier do not count.
    """

    id: str
    versions: int


def ids_of_source(connection: sqlite3.Connection, path: Path, source: str) -> list[str]:
    """Return the ids of the documents of a source, in the order of the stream, also of those already forgotten."""
    rows = connection.execute("SELECT id FROM document WHERE source = ? ORDER BY ordinal", (source,))
    found = list(dict.fromkeys(name for (name,) in rows))
    if not found:
        raise BadDataError(f"the store has no document of source {source!r}", code="E_SOURCE", source=str(path))
    return found


def forget(connection: sqlite3.Connection, path: Path, ids: Iterable[str]) -> list[Forgotten]:
    """Remove the content of all versions of documents, in one transaction.

    That is title, address, text, signature, evidence, terms of the pivot language, its entries in the index of closed
    epochs, checksums of the text, and the verdict's terms, criteria and words that match across languages. Queries no
    longer find them; `wipe` removes them from the bytes of the file.

    What remains: id, source, language, times, length in terms, the checksum of the whole document (which recognises the
    document if it arrives again), status, group and the id it repeats; its share in document frequencies, which do not
    name documents; the terms it shared with later documents, in their verdicts; copies in backups.

    A process that has already loaded the store still compares with the document until `Store.changed` asks it to
    load again.
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
    """Remove the content of a document; return the ordinal and batch of each version that had any."""
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

    Returns:
        Whether no remnant is left. If another process is reading, the log keeps its bytes until that process ends.
    """
    with naming_failures(path):
        connection.execute("VACUUM")
        return not connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]


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
