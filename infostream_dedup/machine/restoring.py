"""How people go back to a backup of an SQLite file."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def restoring_advice(path: Path, *, made_by: str = "store backup") -> str:
    """Advice for a message. The log must be removed first: SQLite would replay it over the backup, and damage it."""
    name = path.name
    if made_by == "store backup":
        return f"go back to a backup: infostream-dedup store restore {name} BACKUP"
    return f"restore the latest '{made_by}': remove {name}-wal and {name}-shm, then replace {name} with it"
