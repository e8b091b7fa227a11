"""The files of a store and those next to it: their permissions, and which of them are copies."""

from __future__ import annotations

from pathlib import Path

from infostream_dedup.errors import CannotWriteError

__all__ = ["copies_beside", "set_mode"]


def copies_beside(store: Path) -> list[Path]:
    """Return the copies next to a store that running backups are making."""
    return sorted(store.resolve().parent.glob(".infostream-dedup-*.part"))


def set_mode(store: Path, mode: int) -> None:
    """Change who may read and write a store and the files that SQLite keeps beside it.

    Raises:
        CannotWriteError: the store belongs to somebody else.
    """
    store = store.resolve()
    try:
        for ending in ("", "-wal", "-shm"):
            path = store.with_name(store.name + ending)
            if path.exists():
                path.chmod(mode)
    except OSError as error:
        raise CannotWriteError(f"{store}: the mode cannot be changed: {error.strerror}") from error
