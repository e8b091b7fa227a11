"""Copies of a store, made while others write to it; and the files beside it."""

from __future__ import annotations

import os
import sqlite3
import stat
from contextlib import closing
from pathlib import Path
from typing import Final

from infostream_dedup.errors import BadDataError, CannotCreateError, CannotWriteError
from infostream_dedup.machine.part_files import held_part, remove_stale_parts
from infostream_dedup.stream.store.connection import naming_failures, snapshot
from infostream_dedup.stream.store.schema import APPLICATION_ID

_PAGES_AT_ONCE: Final = 4096
HEADER: Final = b"SQLite format 3\0"
_APPLICATION_ID: Final = slice(68, 72)
_HEADER_BYTES: Final = 100


def copy_store(connection: sqlite3.Connection, path: Path, target: Path, *, mode: int | None = None) -> None:
    """Copy a store by SQLite's online backup. The copy gets its name once it is complete and on disk.

    The copy has no log beside it, so it can be opened even in a read-only folder.
    """
    copy_file(connection, path, target, mode=mode, application=APPLICATION_ID)


def copy_file(
    connection: sqlite3.Connection, path: Path, target: Path, *, mode: int | None = None, application: int
) -> None:
    """Copy any of our SQLite files as ``copy_store`` copies a store."""
    target = target.resolve()
    _check_target(path, target, application)
    remove_stale_parts(target.parent)
    try:
        if mode is None:
            mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o600
        with held_part(target.parent) as part, naming_failures(target):
            with closing(sqlite3.connect(part, isolation_level=None)) as copy:
                # Without its own snapshot, the backup would start over whenever somebody writes.
                with snapshot(connection, path):
                    connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
                    # The callback lets Python handle a signal between two pieces.
                    connection.backup(copy, pages=_PAGES_AT_ONCE, progress=lambda *_: None)
                copy.execute("PRAGMA journal_mode = DELETE")
                faults = [row[0] for row in copy.execute("PRAGMA quick_check(1)")]
            if faults != ["ok"]:
                raise BadDataError(
                    f"the copy is inconsistent ({faults[0]}); 'store verify' gives details",
                    code="E_STORE_DAMAGED",
                    source=str(path),
                )
            part.chmod(mode)
            sync(part)
            part.replace(target)
            sync(target.parent)
    except OSError as error:
        raise CannotCreateError(f"cannot create {target}: {error.strerror or error}") from error


def _check_target(path: Path, target: Path, application: int) -> None:
    if target.is_dir():
        raise CannotCreateError(f"cannot create {target}: it is a directory")
    if not target.exists():
        return
    if target.samefile(path):
        raise CannotCreateError(f"{target} is the store itself; give the copy another name")
    with target.open("rb") as file:
        header = file.read(_HEADER_BYTES)
    ours = header.startswith(HEADER) and header[_APPLICATION_ID] == application.to_bytes(4, "big")
    if header and not ours:
        raise CannotCreateError(f"{target} is not a copy of a store and would be lost; give the copy another name")


def sync(path: Path) -> None:
    """Bring a file, or the names in a folder, to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def copies_beside(store: Path) -> list[Path]:
    """Return the copies next to a store that running backups are making."""
    return sorted(store.resolve().parent.glob(".infostream-dedup-*.part"))


def set_mode(store: Path, mode: int) -> None:
    """Change who may read and write a store and the files that SQLite keeps beside it."""
    store = store.resolve()
    try:
        for ending in ("", "-wal", "-shm"):
            path = store.with_name(store.name + ending)
            if path.exists():
                path.chmod(mode)
    except OSError as error:
        raise CannotWriteError(f"{store}: the mode cannot be changed: {error.strerror}") from error
